"""Hierarchies as edge lists: one ``child,parent`` line per link, with or without that header.

A line with an empty parent names the root, as many tools write it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.data.hierarchy import Hierarchy
from tacit.errors import InputError
from tacit.io.hierarchies.cells import delimited, records
from tacit.io.hierarchies.links import Links

HEADER = ("child", "parent")


def is_header(cells: Sequence[str]) -> bool:
    """Whether these cells are the header of an edge list."""
    return tuple(cell.strip().lower() for cell in cells) == HEADER


def read_edges(text: str, *, file: str, delimiter: str, name: str | None) -> Hierarchy:
    """The hierarchy of an edge list."""
    links = Links(file)
    first = True
    for line, cells in records(text, delimiter, file):
        header, first = first and is_header(cells), False
        if header:
            continue
        if len(cells) != 2:
            raise InputError(
                f"The line has {len(cells)} {'cell' if len(cells) == 1 else 'cells'}; an edge list has two,"
                " the child and its parent.",
                code="hierarchy-width",
                where=links.place(line, cells[0]),
                hint='Put a label that holds the delimiter in quotes ("a,b"),'
                " or name the format if this is no edge list.",
            )
        child, parent = cells
        if parent:
            links.add(child, parent, line)
        else:
            links.add_alone(child, line)
    return links.to_hierarchy(name)


def edges_text(hierarchy: Hierarchy) -> str:
    """The hierarchy as an edge list with its header, in an order that keeps siblings in theirs."""
    return delimited(_lines(hierarchy), ",")


def _lines(hierarchy: Hierarchy) -> Iterator[tuple[str, str]]:
    yield HEADER
    labels, children = hierarchy.labels, hierarchy.children
    if hierarchy.n_nodes == 1:
        yield labels[0], ""
    stack = [hierarchy.root]
    while stack:
        node = stack.pop()
        for child in children[node]:
            yield labels[child], labels[node]
        stack.extend(reversed(children[node]))
