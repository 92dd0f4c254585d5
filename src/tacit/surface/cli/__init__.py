"""The command line: one file per command, loaded when it is called."""

from tacit.surface.cli.app import entry, main

__all__ = ["entry", "main"]
