"""Results in a notebook: one mixin, so that all of them are shown in the same way.

The classes of results lie below the report, which lays them out, and do not import it: the name of the
module is all they know, and it is loaded when a notebook asks.
"""

from __future__ import annotations

from importlib import import_module


class InNotebook:
    """A result that a notebook shows as HTML, without any script."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        html: str = import_module("tacit.surface.notebook").as_html(self)
        return html
