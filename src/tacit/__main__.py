"""``python -m tacit`` is the ``tacit`` command."""

from tacit.surface.cli import entry

entry()
