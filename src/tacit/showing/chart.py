"""Charts: a few rows of numbers, drawn the same way in the report, on the page and in a notebook.

A :class:`Chart` holds the rows it shows and says how to show them. It is drawn when somebody asks: as an
SVG picture made without a browser or a network, as a Vega-Lite specification, or as the numbers alone.
Text and axes take the colour of the text around them and the background is clear, so that one picture
serves light and dark. Whatever a label holds is text, never markup.
"""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import Any, Literal

Cell = str | int | float | bool | None
Kind = Literal["line", "bar", "scatter", "tree"]

PALETTE = ("#1f8a8c", "#c96a1c", "#7a68c4", "#b54a7e", "#66831f", "#4a7fc0", "#7b8287")
"""Colours with a contrast of three to one or more on white and on the dark background."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A chart of some rows; the functions below make one."""

    kind: Kind
    title: str
    caption: str
    """What the chart shows, in a sentence: it stands below the picture and is read aloud in its place."""
    columns: tuple[str, ...]
    data: tuple[tuple[Cell, ...], ...]
    x: str
    y: str
    series: str | None = None
    label: str | None = None
    """The column whose text stands beside each point of a scatter chart or each node of a tree."""
    x_title: str = ""
    y_title: str = ""
    x_format: str = ""
    y_format: str = ""
    """Formats of the numbers on the axes, such as ``.0%``."""
    log_x: bool = False
    log_y: bool = False
    baseline: float | None = None
    """A value of y drawn as a dashed line across the chart."""
    baseline_label: str = ""
    horizontal: bool = False
    width: int = 640
    height: int = 280

    def to_dict(self) -> dict[str, Any]:
        """The chart as a Vega-Lite specification with its data in it."""
        from tacit.showing.chart_drawing import draw

        return draw(self)

    def to_svg(self) -> str:
        """The chart as an SVG picture: no script, no outside reference, safe to put into a page."""
        from tacit.showing.chart_drawing import to_svg

        return to_svg(self)

    def to_csv(self) -> str:
        """The numbers of the chart."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.data)
        return text.getvalue()

    def records(self) -> list[dict[str, Cell]]:
        """The rows of the chart, each by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.data]

    def _repr_html_(self) -> str:
        from tacit.showing.page import fragment

        return fragment([self])


def line_chart(rows: Any, *, title: str, caption: str, **look: Any) -> Chart:
    """Lines over x, one for each value of ``series``, in the order in which they first appear.

    ``rows`` are mappings, or a polars frame; text on x keeps the order of the rows. Where ``x`` and ``y`` are
    not named they are the first two columns, and a third is the series. What else may be said of a chart are
    the fields of :class:`Chart`.

    >>> chart = line_chart([{"k": 2, "loss": 0.1}, {"k": 5, "loss": 0.3}], x="k", y="loss",
    ...                    title="Loss by k", caption="The loss grows with k.")
    >>> chart.to_csv()
    'k,loss\\n2,0.1\\n5,0.3\\n'
    """
    return _chart("line", rows, title=title, caption=caption, **look)


def bar_chart(rows: Any, *, title: str, caption: str, **look: Any) -> Chart:
    """Bars of y for each x, in the order of the rows; side by side where there are series.

    ``horizontal`` lays the bars down, for long labels; the height then follows the number of bars.
    """
    return _chart("bar", rows, title=title, caption=caption, **look)


def scatter_chart(rows: Any, *, title: str, caption: str, **look: Any) -> Chart:
    """Points at x and y; the text of ``label`` stands beside each, ``series`` differ in colour and shape."""
    return _chart("scatter", rows, title=title, caption=caption, **{"height": 320, **look})


def tree_chart(rows: Any, *, title: str, caption: str) -> Chart:
    """A tree, the root on the left, children in the order of the rows.

    A row names a ``node`` and its ``parent`` (None for the root, which comes first; a parent comes before
    its children); nodes whose ``mark`` is true are filled, such as those of a cut.
    """
    return _chart("tree", rows, title=title, caption=caption, x="node", y="parent", series="mark")


def _chart(kind: Kind, rows: Any, **look: Any) -> Chart:
    """A chart of rows as plain cells, in the order of the columns of the first."""
    records = list(rows.to_dicts() if hasattr(rows, "to_dicts") else rows)
    if "x" not in look:
        first = records[0] if records else ("x", "y")
        look |= zip(("x", "y", "series"), first, strict=False)
    needed = [look[name] for name in ("x", "y", "series", "label") if look.get(name) is not None]
    columns = tuple(records[0] if records else needed)
    missing = [name for name in needed if name not in columns]
    if missing:
        raise ValueError(f"The rows of a chart have no column {missing[0]!r}")
    data = tuple(tuple(_cell(row.get(name)) for name in columns) for row in records)
    return Chart(kind=kind, columns=columns, data=data, **look)


def _cell(value: Any) -> Cell:
    if hasattr(value, "item"):  # a numpy number
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return number if math.isfinite(number) else None  # a gap in the picture
