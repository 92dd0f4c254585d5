"""Reading and writing hierarchy files, whatever tool wrote them.

The format is known by how the file begins, never by its name: ``{`` is Amnesia's JSON,
``distinct`` or ``range`` Amnesia's text, a ``child,parent`` header or two columns an edge list,
and three columns or more are ARX.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tacit.data.hierarchy import Hierarchy
from tacit.errors import InputError, Place, UsageError, option
from tacit.io.hierarchies.amnesia import is_amnesia, read_amnesia, read_amnesia_json
from tacit.io.hierarchies.delimited import (
    arx_text,
    edges_text,
    find_delimiter,
    first_cells,
    read_arx,
    read_edges,
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
        if path.is_file() and _plain_name(path).suffix.lower() in SUFFIXES:
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
    from tacit.io.readers.opening import STANDARD_INPUT

    if str(path) == STANDARD_INPUT:
        return None
    return _plain_name(path).stem


def _plain_name(path: str | Path) -> Path:
    from tacit.io.readers.opening import COMPRESSED

    named = Path(path)
    return named.with_suffix("") if named.suffix.lower() in COMPRESSED else named


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
