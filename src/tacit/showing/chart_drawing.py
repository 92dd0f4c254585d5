"""How charts are drawn: Vega-Lite specifications, and SVG pictures made from them offline.

The columns of the data get plain names inside a specification (``x``, ``y``, ``series``, ``label``), so
that a column's own name cannot be read as a path or an expression. Series differ in colour and also in
dashes or shape, for those who do not tell the colours apart. A tree is an indented list: one line a node, so
that labels of any length stay readable.
"""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape

from tacit.showing.chart import PALETTE, Cell, Chart

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


def to_svg(chart: Chart) -> str:
    """The chart as an SVG picture with its title and caption for those who cannot see it."""
    import vl_convert

    # No address may be fetched while drawing; the data are in the specification.
    drawn = vl_convert.vegalite_to_svg(draw(chart), allowed_base_urls=[])
    opening, rest = drawn.split(">", 1)
    opening = re.sub(r' xmlns:xlink="[^"]*"| class="marks"', "", opening)
    # One picture with one name: its marks, which have none, are not announced one by one.
    rest = re.sub(r"<\w+ [^<>]*>", lambda tag: re.sub(r' (role|aria-\w+)="[^"]*"', "", tag[0]), rest)
    named = f"<title>{escape(_text(chart.title))}</title><desc>{escape(_text(chart.caption))}</desc>"
    return f'{opening} role="img">{named}{rest}'


def draw(chart: Chart) -> dict[str, Any]:
    """The Vega-Lite specification of a chart."""
    import altair

    layers = {"line": _lines, "bar": _bars, "scatter": _points, "tree": _tree}[chart.kind](
        chart, _values(chart)
    )
    drawn = altair.layer(*layers) if len(layers) > 1 else layers[0]
    drawn = drawn.configure(
        background="transparent",
        font="sans-serif",
        aria=False,
        padding={"left": 4, "top": 4, "bottom": 4, "right": _margin(chart)},
        view=altair.ViewConfig(stroke=None),
        axis=altair.AxisConfig(
            domainColor=_TEXT,
            tickColor=_TEXT,
            gridColor=_TEXT,
            labelColor=_TEXT,
            titleColor=_TEXT,
            domainOpacity=0.4,
            tickOpacity=0.4,
            gridOpacity=0.12,
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            titlePadding=10,
            labelPadding=6,
            labelLimit=_LABEL,
        ),
        legend=altair.LegendConfig(
            labelColor=_TEXT,
            titleColor=_TEXT,
            labelFontSize=12,
            orient="top",
            title=None,
            symbolStrokeWidth=2,
            labelLimit=260,
            columnPadding=28,
        ),
    )
    made: dict[str, Any] = drawn.to_dict(context={"pre_transform": False})
    made["description"] = _text(f"{chart.title}. {chart.caption}")
    return made


def _values(chart: Chart) -> list[dict[str, Cell]]:
    """The rows under the plain names of a specification; text without what XML cannot hold."""
    places = {
        plain: chart.columns.index(name)
        for plain, name in (("x", chart.x), ("y", chart.y), ("series", chart.series), ("label", chart.label))
        if name is not None
    }
    return [{plain: _shown(row[place]) for plain, place in places.items()} for row in chart.data]


def _lines(chart: Chart, rows: list[dict[str, Cell]]) -> list[Any]:
    import altair

    base = _table(rows).properties(width=chart.width, height=chart.height)
    encoding = {"x": _x(chart, rows), "y": _y(chart)} | _series(chart, rows)
    if chart.series is not None:
        names = _names(rows)
        encoding["strokeDash"] = altair.StrokeDash(
            "series:N", sort=None, scale=altair.Scale(domain=names, range=_cycled(_DASHES, names))
        )
        encoding["color"].legend = altair.Legend(symbolType="stroke", symbolSize=250)
    few = len(rows) <= _MOST_POINTS * max(1, len(_names(rows)))
    point = altair.OverlayMarkDef(size=36, filled=True) if few else False
    line = base.mark_line(strokeWidth=2, color=PALETTE[0], point=point).encode(**encoding)
    return [line, *_baseline(chart)]


def _bars(chart: Chart, rows: list[dict[str, Cell]]) -> list[Any]:
    import altair

    along, across = ("y", "x") if chart.horizontal else ("x", "y")
    channel = {"x": altair.X, "y": altair.Y}
    encoding: dict[str, Any] = {
        along: channel[along](
            "x:O",
            sort=None,
            title=_title(chart.x_title),
            axis=altair.Axis(
                grid=False,
                labelAngle=0,
                labelOverlap=not chart.horizontal,
                ticks=False,
                minExtent=_room(rows) if chart.horizontal else 0,
            ),
            scale=altair.Scale(paddingInner=0.25, paddingOuter=0.15),
        ),
        across: channel[across](
            "y:Q",
            title=_title(chart.y_title),
            axis=_axis(chart.y_format),
            scale=altair.Scale(type="symlog" if chart.log_y else "linear", zero=True),
        ),
    }
    encoding |= _series(chart, rows)
    if chart.series is not None:
        offset = {"x": altair.XOffset, "y": altair.YOffset}[along]
        encoding[f"{along}Offset"] = offset("series:N", sort=_names(rows))
    bars = max(1, len({row["x"] for row in rows})) * max(1, len(_names(rows)))
    height = max(60, bars * ROW + 20) if chart.horizontal else chart.height
    width = chart.width if chart.horizontal else min(chart.width, 60 + bars * 70)
    base = _table(rows).properties(width=width, height=height)
    bar = base.mark_bar(color=PALETTE[0]).encode(**encoding)
    return [bar, *_baseline(chart)]


def _points(chart: Chart, rows: list[dict[str, Cell]]) -> list[Any]:
    import altair

    base = _table(rows).properties(width=chart.width, height=chart.height)
    place = {"x": _x(chart, rows), "y": _y(chart)}
    encoding = place | _series(chart, rows)
    if chart.series is not None:
        names = _names(rows)
        encoding["shape"] = altair.Shape(
            "series:N", sort=None, scale=altair.Scale(domain=names, range=_cycled(_SHAPES, names))
        )
    layers = [base.mark_point(size=80, filled=True, opacity=0.9, color=PALETTE[0]).encode(**encoding)]
    if chart.label is not None:
        for down, apart in _apart(rows).items():
            words = _table(apart).mark_text(align="left", dx=9, dy=down, color=_TEXT, fontSize=12, limit=200)
            layers.append(words.encode(**place, text="label:N"))
    return [*layers, *_baseline(chart)]


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


def _room(rows: list[dict[str, Cell]]) -> int:
    """Pixels for labels before bars that lie, in a wide font: the reader's may be wider than the one here."""
    return min(_LABEL + 40, 8 * max((len(str(row["x"])) for row in rows), default=0))


def _baseline(chart: Chart) -> list[Any]:
    """The dashed line of what would be without, and its name."""
    if chart.baseline is None:
        return []
    import altair

    row: dict[str, Cell] = {"baseline": chart.baseline, "words": _text(chart.baseline_label)}
    base = _table([row])
    across: dict[str, Any] = (
        {"x": altair.X("baseline:Q")} if chart.horizontal else {"y": altair.Y("baseline:Q")}
    )
    layers = [base.mark_rule(strokeDash=[6, 4], color=_TEXT, opacity=0.7, strokeWidth=1.5).encode(**across)]
    if chart.baseline_label:
        align, place = ("center", {"y": -8}) if chart.horizontal else ("left", {"x": chart.width + 6})
        words = base.mark_text(align=align, color=_TEXT, fontSize=12, fontStyle="italic")
        beside = {axis: altair.value(pixels) for axis, pixels in place.items()}
        layers.append(words.encode(**across, **beside, text="words:N"))
    return layers


def _x(chart: Chart, rows: list[dict[str, Cell]]) -> Any:
    import altair

    if any(isinstance(row["x"], str) for row in rows):
        axis = altair.Axis(grid=False, labelAngle=0, labelOverlap=True)
        return altair.X("x:O", sort=None, title=_title(chart.x_title), axis=axis)
    scale = altair.Scale(type="log" if chart.log_x else "linear", zero=False, nice=True)
    axis = _axis(chart.x_format)
    axis.grid = False
    return altair.X("x:Q", title=_title(chart.x_title), scale=scale, axis=axis)


def _y(chart: Chart) -> Any:
    import altair

    scale = altair.Scale(type="log" if chart.log_y else "linear", zero=not chart.log_y, nice=True)
    return altair.Y("y:Q", title=_title(chart.y_title), scale=scale, axis=_axis(chart.y_format))


def _axis(format: str) -> Any:
    import altair

    return altair.Axis(format=format, tickCount=6) if format else altair.Axis(tickCount=6)


def _series(chart: Chart, rows: list[dict[str, Cell]]) -> dict[str, Any]:
    if chart.series is None:
        return {}
    import altair

    names = _names(rows)
    scale = altair.Scale(domain=names, range=_cycled(PALETTE, names))
    return {"color": altair.Color("series:N", sort=None, scale=scale)}


def _names(rows: list[dict[str, Cell]]) -> list[Any]:
    return list(dict.fromkeys(row["series"] for row in rows if "series" in row))


def _cycled(choices: Any, names: list[Any]) -> list[Any]:
    return [choices[place % len(choices)] for place in range(len(names))]


def _title(words: str) -> str | None:
    return _text(words) or None


def _shown(value: Cell) -> Cell:
    return _text(value) if isinstance(value, str) else value


def _text(words: str) -> str:
    return _CONTROL.sub("�", words)


def _tree(chart: Chart, rows: list[dict[str, Cell]]) -> list[Any]:
    """The layers of a tree: its links, its nodes (filled where marked) and their labels."""
    import altair

    depths, order = _places(rows)
    nodes: list[dict[str, Cell]] = [
        {"across": depths[name], "down": down, "label": str(name), "mark": bool(marks)}
        for down, (name, marks) in enumerate(order)
    ]
    height = max(1, len(nodes)) * ROW
    size = {"width": chart.width, "height": height}
    deepest = max(depths.values(), default=0)
    x = altair.X(
        "across:Q", axis=None, scale=altair.Scale(domain=[-0.5, chart.width / INDENT - 0.5], nice=False)
    )
    y = altair.Y(
        "down:Q", axis=None, scale=altair.Scale(domain=[len(nodes) - 0.5, -0.5], nice=False, zero=False)
    )
    layers = []
    links = _links(rows, depths, [name for name, _ in order])
    if links:
        layers.append(
            _table(links)
            .mark_line(color=_TEXT, opacity=0.35, strokeWidth=1)
            .encode(x=x, y=y, detail="link:N", order="step:O")
            .properties(**size)
        )
    base = _table(nodes).properties(**size)
    mark = altair.condition(altair.datum["mark"], altair.value(PALETTE[0]), altair.value("transparent"))
    edge = altair.condition(altair.datum["mark"], altair.value(PALETTE[0]), altair.value(_TEXT))
    weight = altair.condition(altair.datum["mark"], altair.value(1.0), altair.value(0.7))
    layers.append(
        base.mark_circle(size=64, strokeWidth=1.2, opacity=1).encode(x=x, y=y, fill=mark, stroke=edge)
    )
    words = base.mark_text(align="left", dx=10, dy=1, color=_TEXT, fontSize=12)
    words.mark.limit = chart.width - deepest * INDENT - 40
    layers.append(words.encode(x=x, y=y, text="label:N", opacity=weight))
    return layers


def _table(rows: list[dict[str, Cell]]) -> Any:
    """A chart of nothing yet, on data that lie in the specification itself."""
    import altair

    return altair.Chart({"values": rows})


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
