"""A tree drawn as an indented list: one line a node, so that labels of any length stay readable."""

from __future__ import annotations

from typing import Any

from tacit.showing.chart import PALETTE, Cell, Chart

ROW = 22
"""Pixels from one node to the next."""
INDENT = 26
_TEXT = "currentColor"


def tree(chart: Chart, rows: list[dict[str, Cell]]) -> list[Any]:
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
            table(links)
            .mark_line(color=_TEXT, opacity=0.35, strokeWidth=1)
            .encode(x=x, y=y, detail="link:N", order="step:O")
            .properties(**size)
        )
    base = table(nodes).properties(**size)
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


def table(rows: list[dict[str, Cell]]) -> Any:
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
