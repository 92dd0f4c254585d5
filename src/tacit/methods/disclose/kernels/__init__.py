"""Compiled loops that only disclose needs."""
