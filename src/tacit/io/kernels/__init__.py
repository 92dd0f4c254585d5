"""Compiled parsers of transaction files."""
