"""``tacit hierarchy build|check|show``: make a hierarchy from data, check one against data, print one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import UsageError
from tacit.io.hierarchies import (
    BUILDERS,
    build_levels,
    check_hierarchy,
    hierarchy_text,
    read_hierarchy,
    show_hierarchy,
    write_hierarchy,
)
from tacit.io.hierarchies.showing import HierarchyCheck, Tree
from tacit.io.output import check_path
from tacit.io.readers.opening import open_bytes
from tacit.io.readers.text import checked_text
from tacit.io.readers.transactions import listed_items
from tacit.methods import TABLE, TRANSACTIONS
from tacit.options import Option, Says, options_of
from tacit.ranges import Optional, Words
from tacit.recoding.proposing import propose_hierarchy
from tacit.surface.cli.flags import (
    DataFlags,
    Outcome,
    OutputFlag,
    Overwrite,
    Shown,
    WholeText,
    group_of,
    misused,
    say,
)
from tacit.surface.reading import FROM_FILES, is_transactions, read

Builder = Literal["proposed", "intervals", "balanced", "prefixes", "dates", "flat", "levels"]
FileFormat = Literal["arx", "edges", "amnesia", "amnesia-json"]
NO_RULES = {"proposed": {"k": False}, "levels": {"levels_file": True}}
"""The ways of building that are no rules of a recipe: their flags, and whether each is needed."""

_RULES = {
    name: replace(option, default=None) if option.required else option
    for builder in BUILDERS.values()
    for name, option in options_of(builder).items()
}


class RuleFlags(group_of(_RULES, "Parameters")):  # type: ignore[misc]
    """What a rule builds a hierarchy by."""


_COLUMN = Option(
    "column",
    Optional(Words()),
    None,
    Says("Column", "The column of a table whose values are meant; none for transactions, whose items are."),
)
_DATA_FORMAT = replace(FROM_FILES["format"], says=replace(FROM_FILES["format"].says, flag="data_format"))


class ValueFlags(group_of({"column": _COLUMN, **FROM_FILES, "format": _DATA_FORMAT}, "Data")):  # type: ignore[misc]
    """How the data that hold the values are read."""


def build(
    data: str,
    /,
    *,
    by: Builder,
    rule: RuleFlags | None = None,
    k: Annotated[WholeText | None, Parameter(name=["--k", "-k"])] = None,
    levels_file: Path | None = None,
    output: OutputFlag = None,
    format: Literal["arx", "edges"] = "arx",
    overwrite: Overwrite = False,
    flags: ValueFlags | None = None,
    shown: Shown = Shown(),
) -> Outcome:
    """Build a hierarchy over the values of a column, or over the items of transactions.

    Parameters
    ----------
    data
        The data: a file, '-' for standard input, or sample:NAME.
    by
        What groups values: what Tacit proposes for them, numeric intervals, balanced groups of
        neighbours, common prefixes, the calendar, nothing (one level), or the levels of a sheet.
    k
        Of proposed groups of items: only what twice as many records hold together counts; 5 by default.
    levels_file
        A sheet with a row for each value and a column for each level, as a spreadsheet saves or copies it.
    output
        The file to write; by default the hierarchy is printed.
    format
        Format of the file: ARX lines, or child,parent lines.
    """
    options = vars(rule or RuleFlags()) | {"k": k, "levels_file": levels_file}
    given = {name: value for name, value in options.items() if value not in (None, ())}
    _check_flags(by, given)
    if output is not None:
        check_path(output, sources=[Path(data)])
    elif overwrite:
        raise misused("Nothing is written over without --output.")
    flags = flags or ValueFlags()
    hierarchy = _built(by, _loaded(data, flags, shown), flags.column, given)
    depth = int(hierarchy.heights[hierarchy.root])
    plain = {
        "file": None if output is None else str(output),
        "name": hierarchy.name,
        "values": hierarchy.n_leaves,
        "nodes": hierarchy.n_nodes,
        "depth": depth,
    }
    if output is None:
        text = hierarchy_text(hierarchy, format=format)
        return Outcome(text.removesuffix("\n"), plain | {"text": text})
    write_hierarchy(hierarchy, output, format=format, overwrite=overwrite)
    leaves, nodes = hierarchy.n_leaves, hierarchy.n_nodes
    return Outcome(f"{output}: leaves: {leaves}, nodes: {nodes}, levels above the leaves: {depth}", plain)


def check(
    file: str,
    /,
    *,
    data: str | None = None,
    format: FileFormat | None = None,
    flags: ValueFlags | None = None,
    shown: Shown = Shown(),
) -> HierarchyCheck:
    """Check that a file holds a hierarchy and, with --data, that every value of the data has a leaf.

    Parameters
    ----------
    file
        The hierarchy file.
    data
        Data whose values must have leaves: a table (with --column) or transactions.
    format
        Format of the hierarchy file; by default its beginning tells.
    """
    flags = flags or ValueFlags()
    hierarchy = read_hierarchy(file, format=format)
    if data is None and flags != ValueFlags():
        raise UsageError(
            "Flags that say how data are read need data.",
            code="flag-without-data",
            hint="Name the data with --data, or leave the flags out.",
        )
    values = None if data is None else _values(_loaded(data, flags, shown), flags.column)
    return check_hierarchy(hierarchy, values, file=file)


def show(
    file: str,
    /,
    *,
    depth: WholeText = 20,
    most: WholeText = 20,
    format: FileFormat | None = None,
    shown: Shown = Shown(),
) -> Tree:
    """Print a hierarchy as a tree.

    Parameters
    ----------
    file
        The hierarchy file.
    depth
        How many levels below the root to print.
    most
        How many children of a node to print.
    format
        Format of the hierarchy file; by default its beginning tells.
    """
    return show_hierarchy(read_hierarchy(file, format=format), depth=depth, most=most)


def _check_flags(by: Builder, given: dict[str, Any]) -> None:
    taken = NO_RULES | {
        way: {name: option.required for name, option in options_of(builder).items()}
        for way, builder in BUILDERS.items()
    }
    for name, needed in taken[by].items():
        if needed and name not in given:
            raise UsageError(f"Building by {by} needs --{name.replace('_', '-')}.", code="flag-missing")
    for name in given:
        if name not in taken[by]:
            right = next(way for way, flags in taken.items() if name in flags)
            raise misused(
                f"Building by {by} takes no --{name.replace('_', '-')}.", f"It belongs to --by {right}."
            )


def _built(by: Builder, loaded: Table | Transactions, column: str | None, given: dict[str, Any]) -> Hierarchy:
    if by == "proposed":
        return propose_hierarchy(loaded, column=column, **given)
    values = _values(loaded, column)
    if by == "levels":
        opened = open_bytes(given["levels_file"])
        sheet = checked_text(opened.data, file=opened.name, encoding=None).decode()
        return build_levels(values, sheet=sheet, name=column, file=opened.name)
    return BUILDERS[by](values, name=column, **given)


def _loaded(data: str, flags: ValueFlags, shown: Shown) -> Table | Transactions:
    given = {name: getattr(flags, name) for name in FROM_FILES if name != "format"}
    plain = DataFlags(
        quasi=() if flags.column is None else (flags.column,), format=flags.data_format, **given
    )
    told = {name: given[name] for name in ("delimiter", "encoding", "header")}
    loaded: Table | Transactions
    if flags.column is not None:
        loaded = read(TABLE, data, plain)
    elif is_transactions(data, plain) or (plain.format is None and listed_items(data, **told) is not None):
        loaded = read(TRANSACTIONS, data, plain)
    else:
        raise UsageError(
            f"{data!r} looks like a table, and a table has many columns.",
            code="flag-missing",
            hint="Name one with --column; for transactions name their --data-format.",
        )
    say(loaded.notes, shown)
    return loaded


def _values(loaded: Table | Transactions, column: str | None) -> list[str | None]:
    """The distinct values that the data hold: of one column, or the items."""
    if isinstance(loaded, Table):
        return list(loaded.column(str(column)).texts)
    return list(loaded.vocabulary)
