"""Compiled loops of the steps that an engine runs over blocks of records."""
