"""Results printed and in a notebook: one mixin, so that all of them are shown in the same way.

The classes of results lie below the report, which lays them out, and do not import it: the name of the
module is all they know, and it is loaded when somebody asks.
"""

from __future__ import annotations

from importlib import import_module


class InNotebook:
    """A result that ``print`` shows as text, a notebook as HTML without any script, a traceback briefly."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign] # its own, so that dataclasses make none of the values

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: print it to see it>"

    def __str__(self) -> str:
        text = import_module("tacit.showing.layout").shown(self)
        return repr(self) if text is None else text

    def _repr_html_(self) -> str:
        html: str = import_module("tacit.surface.reporting").as_html(self)
        return html
