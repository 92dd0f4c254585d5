"""Keyed draws: the key, digests of content, uniform numbers and orders that the key alone decides."""
