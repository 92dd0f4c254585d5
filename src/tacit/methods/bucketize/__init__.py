"""Buckets of possible sensitive values: the verb, its plan, its release."""
