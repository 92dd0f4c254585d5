"""How the papers' figures are drawn: measures along an axis, a panel for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.showing.chart import Cell, Chart, bar_chart, line_chart

HEIGHT = 220


@dataclass(frozen=True)
class Axis:
    """What a measure is drawn along; ``steps`` sets its values side by side, whatever lies between them."""

    name: str
    words: str
    """Up to a comma they stand in the title as well."""
    steps: bool = False

    def place(self, one: Any) -> Cell:
        """Where something stands on the axis."""
        found = _cell(one, self.name)
        return str(found) if self.steps else found


@dataclass(frozen=True)
class Measure:
    """What is drawn, and the format of its numbers."""

    name: str
    words: str
    format: str = ""


def panels(
    found: Sequence[Any],
    axis: Axis,
    measures: Sequence[Measure],
    *,
    series: str | None,
    of: str,
    width: int = 480,
) -> tuple[Chart, ...]:
    """A panel for each measure: objects or mappings by an axis, a line for each value of ``series``.

    ``of`` completes the caption: of what, on which data.
    """
    listed = sorted(found, key=lambda each: _cell(each, axis.name))
    return tuple(
        line_chart(
            [
                {axis.name: axis.place(each), measure.name: _cell(each, measure.name)}
                | ({series: _cell(each, series)} if series else {})
                for each in listed
            ],
            x=axis.name, y=measure.name, series=series, x_title=axis.words, y_title=measure.words,
            title=f"{capital(measure.words)} by {axis.words.partition(',')[0]}",
            caption=f"{capital(measure.words)} by {axis.words}{of and ', ' + of}.",
            y_format=measure.format, width=480, height=HEIGHT,
        )
        for measure in measures
    )  # fmt: skip


def bars(rows: Sequence[Mapping[str, Cell]], measure: Measure, *, title: str, caption: str) -> Chart:
    """Bars of a measure: the first column side by side, the last one told apart by colour."""
    x, *_, series = (name for name in rows[0] if name != measure.name)
    return bar_chart(
        rows, x=x, y=measure.name, series=series, title=title, caption=caption, x_title=x,
        y_title=measure.words, y_format=measure.format, width=480, height=HEIGHT,
    )  # fmt: skip


def capital(words: str) -> str:
    """The words as a title begins."""
    return words[0].upper() + words[1:]


def _cell(one: Any, name: str) -> Any:
    return one[name] if isinstance(one, Mapping) else getattr(one, name)
