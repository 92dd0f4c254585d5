"""Compiled loops that only bucketize needs."""
