"""``python -m tacit`` is the ``tacit`` command."""

from tacit.surface.cli.app import entry

entry()
