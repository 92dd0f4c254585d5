"""Hierarchies as ARX writes them: one line per leaf, from the value up to the root.

There is no header; cells are separated by ``;`` (or ``,``) and all lines are equally wide. Where
depth is uneven, ARX repeats a label upwards (``a;a;*``): a run of one label is one node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from tacit.data.hierarchy import Hierarchy
from tacit.errors import InputError, ResourceError, shorten
from tacit.io.hierarchies.cells import delimited, records
from tacit.io.hierarchies.links import Links

MOST_CELLS = 200_000_000
"""The largest file written: a deep tree with many leaves needs (leaves × depth) cells in this form."""


def read_arx(text: str, *, file: str, delimiter: str, name: str | None) -> Hierarchy:
    """The hierarchy of an ARX file."""
    links = Links(file)
    levels = _Levels(links)
    leaf_lines: dict[str, int] = {}
    known: set[tuple[str, ...]] = set()
    width = 0
    for line, cells in records(text, delimiter, file):
        width = width or len(cells)
        if len(cells) != width:
            raise InputError(
                f"The line has {len(cells)} labels, and the first line has {width}.",
                code="hierarchy-width",
                where=links.place(line, cells[0]),
                hint="All lines must be equally wide; repeat a label upwards where depth is uneven (a;a;*).",
            )
        leaf, above = cells[0], tuple(cells[1:])
        leaf_lines.setdefault(leaf, line)
        runs = _runs(cells)
        if above in known:
            runs = runs[:2]  # what is above the parent was looked at on another line
        else:
            known.add(above)
        for label, low, high in runs:
            levels.see(label, low, high, line)
        if len(runs) == 1:
            links.add_alone(leaf, line)
        for (child, _, _), (parent, _, _) in pairwise(runs):
            links.add(child, parent, line)
    _refuse_inner_leaf(links, leaf_lines)
    return links.to_hierarchy(name)


def arx_text(hierarchy: Hierarchy) -> str:
    """The hierarchy in ARX form; a leaf nearer the root than others repeats its own label."""
    width = int(hierarchy.depths.max()) + 1
    if hierarchy.n_leaves * width > MOST_CELLS:
        raise ResourceError(
            f"In ARX form the hierarchy needs {hierarchy.n_leaves} lines of {width} labels, more than"
            f" {MOST_CELLS} in all.",
            code="hierarchy-too-large",
            hint="Write it as an edge list (format 'edges').",
        )
    return delimited(_lines(hierarchy, width), ";")


def _lines(hierarchy: Hierarchy, width: int) -> Iterator[Sequence[str]]:
    labels, parents = hierarchy.labels, hierarchy.parents.tolist()
    above: dict[int, list[str]] = {}  # the labels from a leaf's parent up, shared by siblings
    for leaf in range(hierarchy.n_leaves):
        parent = parents[leaf]
        if parent not in above:
            above = {parent: [labels[node] for node in [parent, *hierarchy.ancestors(parent)] if node >= 0]}
        yield [labels[leaf]] * (width - len(above[parent])) + above[parent]


def _runs(cells: Sequence[str]) -> list[tuple[str, int, int]]:
    """The labels of a line from the leaf up, each with the first and last level it stands on."""
    runs, level = [], 0
    for label, run in groupby(cells):
        last = level + len(list(run)) - 1
        runs.append((label, level, last))
        level = last + 1
    return runs


class _Levels:
    """The levels on which each label stands in every line seen so far; none left is an error."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._spans: dict[str, tuple[int, int, int]] = {}

    def see(self, label: str, low: int, high: int, line: int) -> None:
        known_low, known_high, known_line = self._spans.get(label, (low, high, line))
        if max(low, known_low) > min(high, known_high):
            why = f"It is label {low + 1} of line {line} and label {known_low + 1} of line {known_line}."
            raise _two_levels(self._links, label, line, why)
        self._spans[label] = (max(low, known_low), min(high, known_high), known_line)


def _refuse_inner_leaf(links: Links, leaf_lines: dict[str, int]) -> None:
    """A value that is also a group: a;a;* on one line, b;a;* on another."""
    inner = set(links.parents.values())
    for leaf, line in leaf_lines.items():
        if leaf in inner:
            raise _two_levels(links, leaf, line, "It is a value here and a group of values on another line.")


def _two_levels(links: Links, label: str, line: int, why: str) -> InputError:
    return InputError(
        f"The label {shorten(label)!r} is on two levels. {why}",
        code="hierarchy-label-levels",
        where=links.place(line, label),
        hint=f"Give the upper node another label, for example {shorten(label) + ' (group)'!r}.",
    )
