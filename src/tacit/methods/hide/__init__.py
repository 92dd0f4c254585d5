"""Hiding secret patterns: the verb, its plan, its release."""
