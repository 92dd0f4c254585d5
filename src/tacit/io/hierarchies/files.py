"""Reading and writing hierarchy files, whatever tool wrote them.

The format is known by how the file begins, never by its name: ``{`` is Amnesia's JSON,
``distinct`` or ``range`` Amnesia's text, a ``child,parent`` header or two columns an edge list,
and three columns or more are ARX.

People also keep hierarchies in spreadsheets (:func:`build_levels`): a row for each value, a column for each
level. The values are in the first column with wider and wider groups after them, or in the last one with the
widest group first: the column that holds values of the data. A header is passed over, empty cells leave a
level out, and where groups come first an empty cell means the one above it, as in merged cells. Where several
groups are widest, a root is put above them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.errors import InputError, Place, UsageError, listed, option, shorten
from tacit.io.hierarchies.amnesia import is_amnesia, read_amnesia, read_amnesia_json
from tacit.io.hierarchies.build import Namer, distinct_texts
from tacit.io.hierarchies.delimited import (
    DELIMITERS,
    Links,
    arx_text,
    edges_text,
    find_delimiter,
    first_cells,
    read_arx,
    read_edges,
    records,
)
from tacit.io.output import whole_file
from tacit.ranges import OneOf, Optional, check

READ_FORMATS = ("arx", "edges", "amnesia", "amnesia-json")
WRITE_FORMATS = ("arx", "edges")
SUFFIXES = (".csv", ".txt", ".json", ".tsv")


def read_hierarchy(
    path: str | Path, *, name: str | None = None, format: str | None = None, encoding: str | None = None
) -> Hierarchy:
    """The hierarchy in a file (or ``-``, standard input; ``.gz`` and ``.zst`` are read as they are).

    ``format`` is one of ``"arx"``, ``"edges"``, ``"amnesia"`` and ``"amnesia-json"``; by default
    the file's beginning tells it. ``name`` is the attribute it is for; by default what the file
    says, or the file's name.
    """
    # The readers of tables read hierarchies too, so their package cannot be imported above.
    from tacit.io.readers.opening import open_bytes
    from tacit.io.readers.text import checked_text

    check("read_hierarchy", {"format": Optional(OneOf(READ_FORMATS))}, format=format)
    opened = open_bytes(path)
    text = checked_text(opened.data, file=opened.name, encoding=encoding).decode()
    file = opened.name
    if not text.strip():
        raise InputError(
            "The hierarchy file is empty.",
            code="hierarchy-empty",
            where=Place(file=file),
            hint=f"Build one {option('hierarchy build')}.",
        )
    found = format or _format_of(text, file)
    named_after = attribute_of(path)
    if found == "amnesia":
        return read_amnesia(text, file=file, name=name, default_name=named_after)
    if found == "amnesia-json":
        return read_amnesia_json(text, file=file, name=name, default_name=named_after)
    name = name or named_after
    delimiter = find_delimiter(text) or ";"
    if found == "edges":
        return read_edges(text, file=file, delimiter=delimiter, name=name)
    return read_arx(text, file=file, delimiter=delimiter, name=name)


def read_hierarchies(folder: str | Path, names: Iterable[str]) -> dict[str, Hierarchy]:
    """The hierarchies of these attributes that a folder holds, one file each, named after its attribute.

    An attribute without a file is left out; two files for one attribute are an error.
    """
    from tacit.io.readers.opening import plain_suffix

    root = Path(folder)
    if not root.is_dir():
        raise InputError(
            f"There is no folder {str(folder)!r}.",
            code="folder-missing",
            where=Place(file=str(folder)),
            hint="Name a folder with one hierarchy file per attribute, for example age.csv.",
        )
    files: dict[str | None, list[Path]] = {}
    for path in sorted(root.iterdir()):
        if path.is_file() and plain_suffix(path) in SUFFIXES:
            files.setdefault(attribute_of(path), []).append(path)
    found: dict[str, Hierarchy] = {}
    for name in names:
        candidates = files.get(name, [])
        if len(candidates) > 1:
            raise UsageError(
                f"There are {len(candidates)} hierarchy files for {name!r}:"
                f" {', '.join(repr(path.name) for path in candidates)}.",
                code="hierarchy-ambiguous",
                where=Place(file=str(folder)),
                hint="Leave one of them in the folder.",
            )
        if candidates:
            found[name] = read_hierarchy(candidates[0], name=name)
    return found


def write_hierarchy(
    hierarchy: Hierarchy, path: str | Path, *, format: str = "arx", overwrite: bool = False
) -> None:
    """Write a hierarchy whole or not at all, in ARX form (``"arx"``) or as an edge list (``"edges"``)."""
    content = hierarchy_text(hierarchy, format=format).encode()
    with whole_file(Path(path), overwrite=overwrite) as file:
        file.write_bytes(content)


def hierarchy_text(hierarchy: Hierarchy, *, format: str = "arx") -> str:
    """The text of a hierarchy file in ARX form or as an edge list."""
    check("write_hierarchy", {"format": OneOf(WRITE_FORMATS)}, format=format)
    if "" in hierarchy.index:
        raise InputError(
            "A label is empty, which no hierarchy file can tell from a missing one.",
            code="hierarchy-empty-label",
            where=Place(file=hierarchy.name),
            hint="Turn empty values into missing ones (nulls), which get a leaf of their own.",
        )
    return arx_text(hierarchy) if format == "arx" else edges_text(hierarchy)


def attribute_of(path: str | Path) -> str | None:
    """The attribute a file is named after: ``age`` for ``age.csv.gz``; None for standard input."""
    from tacit.io.readers.opening import STANDARD_INPUT, plain_name

    return None if str(path) == STANDARD_INPUT else plain_name(path).stem


def _format_of(text: str, file: str) -> str:
    start = text.lstrip()
    if start.startswith("{"):
        return "amnesia-json"
    if is_amnesia(re.split(r"[\r\n]", start, maxsplit=1)[0]):
        return "amnesia"
    delimiter = find_delimiter(start)
    if delimiter is None:
        raise InputError(
            "The file is not a hierarchy: its first line has one column only.",
            code="hierarchy-format",
            where=Place(file=file, line=1 + len(re.findall(r"\r\n|\r|\n", text[: len(text) - len(start)]))),
            hint="Expected ARX lines (value;group;*), child,parent lines, or an Amnesia file.",
        )
    # An ARX file of two columns is a tree of one level, and as an edge list the same tree.
    return "edges" if len(first_cells(start, delimiter)) == 2 else "arx"


Rows = list[tuple[int, list[str]]]
"""The number of each line, and its cells."""


def build_levels(
    values: Iterable[object], *, sheet: str, name: str | None = None, file: str = "sheet"
) -> Hierarchy:
    """The hierarchy that the text of a sheet tells, with a leaf for each of these values.

    Cells are set apart by tabs, as a spreadsheet copies them, by semicolons or by commas. ``file`` is what
    errors call the sheet.

    >>> tree = build_levels(["ale", "rye"], sheet="item,kind,group\\nale,beer,drinks\\nrye,bread,food\\n")
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["ale"])]
    ['beer', 'drinks', '*']
    """
    texts, null = distinct_texts(values)
    known = {*texts, NULL_LABEL} if null else set(texts)
    rows = _rows(sheet, file)
    place = _column_of_values(rows, known, file)
    rows = _without_header(rows, place, known)
    paths = [(line, _upwards(cells, place)) for line, cells in _filled(rows, place)]
    _refuse_missing(known, paths, file)
    return _tree(paths, file, name)


def _rows(sheet: str, file: str) -> Rows:
    text = sheet.removeprefix("\ufeff")
    first = text.strip("\r\n").splitlines()[:1]
    found = "\t" if "\t" in text else next((sign for sign in DELIMITERS if first and sign in first[0]), None)
    rows = [(line, [cell.strip() for cell in cells]) for line, cells in records(text, found or ";", file)]
    rows = [(line, cells) for line, cells in rows if any(cells)]
    if not rows:
        raise InputError(
            "There is nothing to make a hierarchy of.",
            code="hierarchy-empty",
            where=Place(file=file),
            hint="Copy the rows in the spreadsheet, with a column for the values and one for each level.",
        )
    width = max(len(cells) for _, cells in rows)
    if width < 2:
        raise InputError(
            "There is one column only: no value has a group.",
            code="hierarchy-format",
            where=Place(file=file, line=rows[0][0]),
            hint="Copy the column of the values together with those of their groups.",
        )
    return [(line, cells + [""] * (width - len(cells))) for line, cells in rows]


def _column_of_values(rows: Rows, known: set[str], file: str) -> int:
    """The place of the values: the first column or the last, whichever has more of those that are known."""
    width = len(rows[0][1])
    found = [len({cells[place] for _, cells in rows} & known) for place in range(width)]
    best = max(range(width), key=lambda place: (found[place], -place))
    if not found[best]:
        raise InputError(
            "None of the columns holds values of the data.",
            code="hierarchy-missing-leaf",
            where=Place(file=file, line=rows[0][0], value=rows[0][1][0]),
            hint=f"One column must hold {listed(sorted(known), 3)}, spelled as in the data.",
        )
    if 0 < best < width - 1:
        raise InputError(
            f"The values are in column {best + 1} of {width}, between their groups.",
            code="hierarchy-format",
            where=Place(file=file, line=rows[0][0], column=best + 1),
            hint="Put them into the first column, with wider and wider groups after them, or the last.",
        )
    return best


def _without_header(rows: Rows, place: int, known: set[str]) -> Rows:
    """The rows but for a header: a first row without a value and without a group that other rows have."""
    first, below = rows[0][1], {cell for _, cells in rows[1:] for cell in cells if cell}
    return rows[1:] if first[place] not in known and not below & set(first) else rows


def _filled(rows: Rows, place: int) -> Rows:
    """The rows with the group above in the place of an empty one, where groups come first."""
    if place == 0:
        return rows
    filled: Rows = []
    before: list[str] = [""] * (place + 1)
    for line, cells in rows:
        # Only up to the first cell that is told: after it, an empty one leaves a level out.
        told = next((number for number, cell in enumerate(cells) if cell), 0)
        filled.append((line, [*before[:told], *cells[told:]]))
        before = filled[-1][1]
    return filled


def _upwards(cells: list[str], place: int) -> list[str]:
    """The labels of a row from the value up; a label that is repeated upwards is one node."""
    value, *above = cells if place == 0 else reversed(cells)
    path = [value]
    path += [label for label in above if label]
    return [label for number, label in enumerate(path) if number == 0 or label != path[number - 1]]


def _refuse_missing(known: set[str], paths: list[tuple[int, list[str]]], file: str) -> None:
    for line, path in paths:
        if not path[0]:
            raise InputError(
                "The row has groups and no value.",
                code="hierarchy-empty-label",
                where=Place(file=file, line=line, value=path[1]),
                hint="Write the value, or take the row out; a missing value is written 'NaN'.",
            )
    missing = known - {path[0] for _, path in paths}
    if missing:
        unknown = [path[0] for _, path in paths if path[0] not in known]
        raise InputError(
            f"{len(missing)} of the values have no row: {listed(sorted(missing))}.",
            code="hierarchy-missing-leaf",
            where=Place(file=file),
            hint=f"Add them. The data do not have {listed(unknown, 5)}; is one of them misspelled?"
            if unknown
            else "Add a row for each of them.",
        )


def _tree(paths: list[tuple[int, list[str]]], file: str, name: str | None) -> Hierarchy:
    links = Links(file)
    values = {path[0] for _, path in paths}
    groups = {label for _, path in paths for label in path[1:]}
    for line, path in paths:
        if path[0] in groups:
            raise InputError(
                f"{shorten(path[0])!r} is a value here and a group of values in another row.",
                code="hierarchy-label-levels",
                where=links.place(line, path[0]),
                hint=f"Call the group otherwise, for example {shorten(path[0]) + ' (group)'!r}.",
            )
    tops = {path[-1] for _, path in paths}
    one_root = len(tops) == 1 and not tops & values
    namer = Namer(values | groups)
    for line, path in paths:
        path = path if one_root else [*path, namer.root()]
        for child, parent in pairwise(path):
            links.add(child, parent, line)
    return links.to_hierarchy(name)
