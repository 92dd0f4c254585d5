"""Charts: a few rows of numbers, drawn the same way in the report, on the page and in a notebook.

A :class:`Chart` holds the rows it shows and says how to show them. It is drawn when somebody asks: as an
SVG picture made without a browser or a network, as a Vega-Lite specification, or as the numbers alone.
Text and axes take the colour of the text around them and the background is clear, so that one picture
serves light and dark. Whatever a label holds is text, never markup.

The columns of the data get plain names inside a specification (``x``, ``y``, ``series``, ``label``), so
that a column's own name cannot be read as a path or an expression. Series differ in colour and also in
dashes or shape, for those who do not tell the colours apart. A tree is an indented list: one line a node, so
that labels of any length stay readable.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from xml.sax.saxutils import escape

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
    baseline: float | None = None
    """A value of y drawn as a dashed line across the chart."""
    baseline_label: str = ""
    horizontal: bool = False
    width: int = 640
    height: int = 280

    def to_dict(self) -> dict[str, Any]:
        """The chart as a Vega-Lite specification with its data in it."""
        drawing = {"line": _lines, "bar": _bars, "scatter": _points, "tree": _tree}[self.kind]
        size, layers = drawing(self, _values(self))
        return {
            "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
            "description": _text(f"{self.title}. {self.caption}"),
            "config": CONFIG | {"padding": {"left": 4, "top": 4, "bottom": 4, "right": _margin(self)}},
            **size,
            **({"layer": layers} if len(layers) > 1 else layers[0]),
        }

    def to_svg(self) -> str:
        """The chart as an SVG picture: no script, no outside reference, safe to put into a page."""
        import vl_convert

        # No address may be fetched while drawing; the data are in the specification.
        drawn = vl_convert.vegalite_to_svg(self.to_dict(), allowed_base_urls=[])
        opening, rest = drawn.split(">", 1)
        opening = re.sub(r' xmlns:xlink="[^"]*"| class="marks"', "", opening)
        # One picture with one name: its marks, which have none, are not announced one by one.
        rest = re.sub(r"<\w+ [^<>]*>", lambda tag: re.sub(r' (role|aria-\w+)="[^"]*"', "", tag[0]), rest)
        named = f"<title>{escape(_text(self.title))}</title><desc>{escape(_text(self.caption))}</desc>"
        return f'{opening} role="img">{named}{rest}'

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
    >>> chart.data
    ((2, 0.1), (5, 0.3))
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


_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot hold."""
_DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [1, 3], [12, 4])
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
_TEXT = "currentColor"
_MOST_POINTS = 15
"""Lines of more points than this are drawn without a dot at each."""
_LABEL = 220
"""The longest label of an axis, in pixels."""
_DOWN = (1, 15, -13, 29, -27)
"""How far below its point a label may stand, in pixels."""
_BESIDE, _BELOW = 4, 18
"""So many labels find room beside each other, and one below the other."""


ROW = 22
"""Pixels from one node to the next."""
INDENT = 26
Encoding = dict[str, dict[str, Any]]
"""What marks show, by channel."""
Drawn = tuple[dict[str, Any], list[dict[str, Any]]]
"""How large a chart is, and its layers."""
AXIS = {
    "domainColor": _TEXT, "tickColor": _TEXT, "gridColor": _TEXT, "labelColor": _TEXT, "titleColor": _TEXT,
    "domainOpacity": 0.4, "tickOpacity": 0.4, "gridOpacity": 0.12, "labelFontSize": 12, "titleFontSize": 12,
    "titleFontWeight": "normal", "titlePadding": 10, "labelPadding": 6, "labelLimit": _LABEL,
}  # fmt: skip
LEGEND = {
    "labelColor": _TEXT, "titleColor": _TEXT, "labelFontSize": 12, "orient": "top", "title": None,
    "symbolStrokeWidth": 2, "labelLimit": 260, "columnPadding": 28,
}  # fmt: skip
CONFIG = {
    "background": "transparent", "font": "sans-serif", "aria": False, "view": {"stroke": None}, "axis": AXIS,
    "legend": LEGEND,
}  # fmt: skip


def _layer(rows: list[dict[str, Cell]], mark: str, encoding: Encoding, **look: Any) -> dict[str, Any]:
    """Marks of one kind, on data that lie in the specification itself."""
    return {"data": {"values": rows}, "mark": {"type": mark, **look}, "encoding": encoding}


def _field(name: str, type: str, **look: Any) -> dict[str, Any]:
    return {"field": name, "type": type, **look}


def _values(chart: Chart) -> list[dict[str, Cell]]:
    """The rows under the plain names of a specification; text without what XML cannot hold."""
    places = {
        plain: chart.columns.index(name)
        for plain, name in (("x", chart.x), ("y", chart.y), ("series", chart.series), ("label", chart.label))
        if name is not None
    }
    return [
        {
            plain: _text(cell) if isinstance(cell := row[place], str) else cell
            for plain, place in places.items()
        }
        for row in chart.data
    ]


def _lines(chart: Chart, rows: list[dict[str, Cell]]) -> Drawn:
    encoding = {"x": _x(chart, rows), "y": _y(chart)} | _series(chart, rows, "strokeDash", _DASHES)
    if chart.series is not None:
        encoding["color"]["legend"] = {"symbolType": "stroke", "symbolSize": 250}
    few = len(rows) <= _MOST_POINTS * max(1, len(_names(rows)))
    point = {"size": 36, "filled": True} if few else False
    line = _layer(rows, "line", encoding, strokeWidth=2, color=PALETTE[0], point=point)
    return {"width": chart.width, "height": chart.height}, [line, *_baseline(chart)]


def _bars(chart: Chart, rows: list[dict[str, Cell]]) -> Drawn:
    along, across = ("y", "x") if chart.horizontal else ("x", "y")
    axis = {"grid": False, "labelAngle": 0, "labelOverlap": not chart.horizontal, "ticks": False}
    # Room for labels before bars that lie, in a wide font: the reader's may be wider than the one here.
    room = min(_LABEL + 40, 8 * max((len(str(row["x"])) for row in rows), default=0))
    axis["minExtent"] = room if chart.horizontal else 0
    apart = {"paddingInner": 0.25, "paddingOuter": 0.15}
    encoding: Encoding = {
        along: _field("x", "ordinal", sort=None, title=_text(chart.x_title) or None, axis=axis, scale=apart),
        across: _field(
            "y",
            "quantitative",
            title=_text(chart.y_title) or None,
            axis=_axis(chart.y_format),
            scale={"zero": True},
        ),
        **_series(chart, rows),
    }
    if chart.series is not None:
        encoding[f"{along}Offset"] = _field("series", "nominal", sort=_names(rows))
    bars = max(1, len({row["x"] for row in rows})) * max(1, len(_names(rows)))
    height = max(60, bars * ROW + 20) if chart.horizontal else chart.height
    width = chart.width if chart.horizontal else min(chart.width, 60 + bars * 70)
    bar = _layer(rows, "bar", encoding, color=PALETTE[0])
    return {"width": width, "height": height}, [bar, *_baseline(chart)]


def _points(chart: Chart, rows: list[dict[str, Cell]]) -> Drawn:
    place = {"x": _x(chart, rows), "y": _y(chart)}
    encoding = place | _series(chart, rows, "shape", _SHAPES)
    layers = [_layer(rows, "point", encoding, size=80, filled=True, opacity=0.9, color=PALETTE[0])]
    if chart.label is not None:
        words = place | {"text": _field("label", "nominal")}
        look: dict[str, Any] = {"align": "left", "dx": 9, "color": _TEXT, "fontSize": 12, "limit": 200}
        layers += [_layer(apart, "text", words, dy=down, **look) for down, apart in _apart(rows).items()]
    return {"width": chart.width, "height": chart.height}, [*layers, *_baseline(chart)]


def _apart(rows: list[dict[str, Cell]]) -> dict[int, list[dict[str, Cell]]]:
    """The rows by how far below its point each label stands, so that labels of neighbours do not overlap."""
    across, up = ([float(row[axis]) for row in rows if isinstance(row[axis], int | float)] for axis in "xy")  # type: ignore[arg-type]
    if len(across) < len(rows) or len(up) < len(rows):
        return {_DOWN[0]: rows}
    wide, high = (max(numbers) - min(numbers) for numbers in (across, up))
    found: dict[int, list[int]] = {}
    for one in range(len(rows)):
        free = (
            down
            for down in _DOWN
            if not any(
                abs(across[one] - across[other]) <= wide / _BESIDE
                and abs(up[one] - up[other]) <= high / _BELOW
                for other in found.get(down, ())
            )
        )
        found.setdefault(next(free, _DOWN[0]), []).append(one)
    return {down: [rows[one] for one in those] for down, those in found.items()}


def _margin(chart: Chart) -> int:
    """Pixels to the right of the chart: words that stand there may be wider in the reader's font."""
    words = [chart.baseline_label] if not chart.horizontal else []
    if chart.label is not None:
        place = chart.columns.index(chart.label)
        words += [str(row[place]) for row in chart.data]
    return 10 + 2 * min(40, max(map(len, words), default=0))


def _baseline(chart: Chart) -> list[dict[str, Any]]:
    """The dashed line of what would be without, and its name."""
    if chart.baseline is None:
        return []
    rows: list[dict[str, Cell]] = [{"baseline": chart.baseline, "words": _text(chart.baseline_label)}]
    across = {"x" if chart.horizontal else "y": _field("baseline", "quantitative")}
    line = _layer(rows, "rule", across, strokeDash=[6, 4], color=_TEXT, opacity=0.7, strokeWidth=1.5)
    if not chart.baseline_label:
        return [line]
    align, beside = ("center", {"y": {"value": -8}})
    if not chart.horizontal:
        align, beside = ("left", {"x": {"value": chart.width + 6}})
    words = across | beside | {"text": _field("words", "nominal")}
    return [line, _layer(rows, "text", words, align=align, color=_TEXT, fontSize=12, fontStyle="italic")]


def _x(chart: Chart, rows: list[dict[str, Cell]]) -> dict[str, Any]:
    title = _text(chart.x_title) or None
    if any(isinstance(row["x"], str) for row in rows):
        axis = {"grid": False, "labelAngle": 0, "labelOverlap": True}
        return _field("x", "ordinal", sort=None, title=title, axis=axis)
    axis = _axis(chart.x_format) | {"grid": False}
    return _field("x", "quantitative", title=title, scale={"zero": False, "nice": True}, axis=axis)


def _y(chart: Chart) -> dict[str, Any]:
    title, scale = _text(chart.y_title) or None, {"zero": True, "nice": True}
    return _field("y", "quantitative", title=title, scale=scale, axis=_axis(chart.y_format))


def _axis(format: str) -> dict[str, Any]:
    return {"tickCount": 6} | ({"format": format} if format else {})


def _series(
    chart: Chart, rows: list[dict[str, Cell]], beside: str | None = None, looks: Sequence[Any] = ()
) -> Encoding:
    """Series by colour, and ``beside`` it by dashes or shapes."""
    if chart.series is None:
        return {}
    names = _names(rows)
    channels = {"color": PALETTE} | ({beside: looks} if beside else {})
    return {
        channel: _field(
            "series",
            "nominal",
            sort=None,
            scale={"domain": names, "range": [choices[at % len(choices)] for at in range(len(names))]},
        )
        for channel, choices in channels.items()
    }


def _names(rows: list[dict[str, Cell]]) -> list[Any]:
    return list(dict.fromkeys(row["series"] for row in rows if "series" in row))


def _text(words: str) -> str:
    return _CONTROL.sub("�", words)


def _tree(chart: Chart, rows: list[dict[str, Cell]]) -> Drawn:
    """The layers of a tree: its links, its nodes (filled where marked) and their labels."""
    depths, order = _places(rows)
    nodes: list[dict[str, Cell]] = [
        {"across": depths[name], "down": down, "label": str(name), "mark": bool(marks)}
        for down, (name, marks) in enumerate(order)
    ]
    across = {"domain": [-0.5, chart.width / INDENT - 0.5], "nice": False}
    down = {"domain": [len(nodes) - 0.5, -0.5], "nice": False, "zero": False}
    place = {
        "x": _field("across", "quantitative", axis=None, scale=across),
        "y": _field("down", "quantitative", axis=None, scale=down),
    }
    layers = []
    links = _links(rows, depths, [name for name, _ in order])
    if links:
        elbows = place | {"detail": _field("link", "nominal"), "order": _field("step", "ordinal")}
        layers.append(_layer(links, "line", elbows, color=_TEXT, opacity=0.35, strokeWidth=1))
    filled = place | {"fill": _marked(PALETTE[0], "transparent"), "stroke": _marked(PALETTE[0], _TEXT)}
    layers.append(_layer(nodes, "circle", filled, size=64, strokeWidth=1.2, opacity=1))
    words = place | {"text": _field("label", "nominal"), "opacity": _marked(1.0, 0.7)}
    limit = chart.width - max(depths.values(), default=0) * INDENT - 40
    layers.append(
        _layer(nodes, "text", words, align="left", dx=10, dy=1, color=_TEXT, fontSize=12, limit=limit)
    )
    return {"width": chart.width, "height": max(1, len(nodes)) * ROW}, layers


def _marked(then: Any, otherwise: Any) -> dict[str, Any]:
    return {"condition": {"test": "datum['mark']", "value": then}, "value": otherwise}


def _places(rows: list[dict[str, Cell]]) -> tuple[dict[Cell, int], list[tuple[Cell, Cell]]]:
    """The depth of each node, and the nodes with their marks in the order of the list."""
    children: dict[Cell, list[Cell]] = {}
    marks = {row["x"]: row["series"] for row in rows}
    for row in rows:
        children.setdefault(row["y"], []).append(row["x"])
    depths: dict[Cell, int] = {}
    order: list[tuple[Cell, Cell]] = []
    waiting = [(root, 0) for root in reversed(children.get(None, []))]
    while waiting:  # a hierarchy may be deeper than Python's stack
        node, depth = waiting.pop()
        depths[node] = depth
        order.append((node, marks[node]))
        waiting += [(child, depth + 1) for child in reversed(children.get(node, []))]
    return depths, order


def _links(rows: list[dict[str, Cell]], depths: dict[Cell, int], order: list[Cell]) -> list[dict[str, Cell]]:
    """An elbow from each parent down to its child."""
    down = {name: place for place, name in enumerate(order)}
    points: list[dict[str, Cell]] = []
    for link, row in enumerate(rows):
        node, parent = row["x"], row["y"]
        if parent is None or node not in down:
            continue
        elbow = (
            (depths[parent], down[parent] + 0.2),
            (depths[parent], down[node]),
            (depths[node] - 0.17, down[node]),
        )
        points += [
            {"link": link, "step": step, "across": across, "down": at}
            for step, (across, at) in enumerate(elbow)
        ]
    return points
