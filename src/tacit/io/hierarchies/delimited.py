"""Hierarchies in delimited text: as ARX writes them, and as edge lists.

ARX: one line per leaf, from the value up to the root. There is no header; cells are separated by ``;`` (or
``,``) and all lines are equally wide. Where depth is uneven, ARX repeats a label upwards (``a;a;*``): a run
of one label is one node.

Edge list: one ``child,parent`` line per link, with or without that header. A line with an empty parent names
the root, as many tools write it.

Every format ends in the same links, so that a second parent, a second root, a loop or a cycle is the same
error whatever the file looked like, with the line that holds it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.errors import InputError, Place, ResourceError, listed, shorten

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
    return delimited(_arx_lines(hierarchy, width), ";")


def _arx_lines(hierarchy: Hierarchy, width: int) -> Iterator[Sequence[str]]:
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
    return delimited(_edge_lines(hierarchy), ",")


def _edge_lines(hierarchy: Hierarchy) -> Iterator[tuple[str, str]]:
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


class Links:
    """Child → parent links gathered from one file, in the order in which they are told."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.parents: dict[str, str] = {}
        self.lines: dict[str, int] = {}
        self._alone: dict[str, int] = {}

    def add(self, child: str, parent: str, line: int) -> None:
        """``parent`` is the parent of ``child``; saying it twice is harmless, naming another is an error."""
        known = self.parents.get(child)
        if known is None:
            self.check_label(child, line)
            self.check_label(parent, line)
            self.parents[child] = parent
            self.lines[child] = line
        elif known != parent:
            raise InputError(
                f"{shorten(child)!r} has two parents: {shorten(known)!r} (line {self.lines[child]})"
                f" and {shorten(parent)!r}.",
                code="hierarchy-two-parents",
                where=self.place(line, child),
                hint="A node must have one parent; give one of the two nodes another label.",
            )

    def add_alone(self, label: str, line: int) -> None:
        """``label`` is a node, and this line says nothing of its parent."""
        self.check_label(label, line)
        self._alone.setdefault(label, line)

    def check_label(self, label: str, line: int) -> None:
        """Refuse an empty label, which nobody could tell from a missing one."""
        if not label:
            raise InputError(
                "A label is empty.",
                code="hierarchy-empty-label",
                where=self.place(line),
                hint="Write 'NaN' for the leaf that stands for a missing value, and '*' for the root.",
            )

    def place(self, line: int | None, value: str | None = None) -> Place:
        return Place(file=self.file, line=line, value=value)

    def to_hierarchy(self, name: str | None) -> Hierarchy:
        """The tree of these links, or the error that says why they are none."""
        linked = self.parents.keys() | set(self.parents.values())
        alone = [label for label in self._alone if label not in linked]
        if not linked and len(alone) == 1:
            return from_parents({}, name=name, root=alone[0])
        if alone:
            raise InputError(
                f"The hierarchy has several roots: nothing is linked to {listed(alone)}.",
                code="hierarchy-roots",
                where=self.place(self._alone[alone[0]], alone[0]),
                hint="Give every node but the root a parent.",
            )
        return from_parents(self.parents, name=name, file=self.file, lines=self.lines)


DELIMITERS = (";", ",", "\t")


def records(text: str, delimiter: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Each record that is not blank, with the number of the line it begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(
                f"The line cannot be read: {error}.",
                code="hierarchy-quote",
                where=Place(file=file, line=line),
                hint='A quoted label ends with a quote, and a quote inside it is written twice ("").',
            ) from None
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield line, cells


def find_delimiter(text: str) -> str | None:
    """The delimiter of the first record: the first of ``;``, ``,`` and tab found outside quotes."""
    bare = re.sub(r'"(?:[^"]|"")*"', "", _first_record(text))
    return next((delimiter for delimiter in DELIMITERS if delimiter in bare), None)


def first_cells(text: str, delimiter: str) -> list[str]:
    """The cells of the first record, as far as they can be read."""
    try:
        return next(csv.reader([_first_record(text)], delimiter=delimiter), [])
    except csv.Error:
        return []


def delimited(rows: Iterable[Iterable[str]], delimiter: str) -> str:
    """Rows as text; a label that any reader could misread is quoted."""
    return "".join(delimiter.join(map(_quoted, row)) + "\n" for row in rows)


def _first_record(text: str) -> str:
    found = re.search(r'(?:[^"\r\n]|"(?:[^"]|"")*"?)+', text)
    return found.group() if found else ""


# A leading brace would make the file look like JSON, a byte order mark there would be taken for one,
# and many tools cut spaces at the ends.
_AWKWARD = re.compile(r'[;,\t"\r\n]|^[\s{\ufeff]|\s$')


def _quoted(label: str) -> str:
    return '"' + label.replace('"', '""') + '"' if _AWKWARD.search(label) else label
