"""``python -m tacit.cli`` is the ``tacit`` command."""

from tacit.cli.app import entry

entry()
