"""The formats of transactions: an entry each, from which options, suffixes, choices and refusals follow.

==========  =====================================================================  ===================
format      layout                                                                 known by
==========  =====================================================================  ===================
``dat``     FIMI: a line of items separated by blanks                              ``.dat``
``spmf``    SPMF text: the same, whole numbers that ``@ITEM`` lines may name       ``.spmf``
``basket``  a line of items separated by a delimiter, quoted as in CSV             ``.basket``, ``.csv``
``long``    a row for each (record, item): CSV, Parquet, Excel, SQL, a dataframe   ``record`` and ``item``
``jsonl``   a JSON array a line, or an object with ``items``                       ``.jsonl``, ``.ndjson``
==========  =====================================================================  ===================

A new one is an entry here, and a module that reads it; how it is written stands in :mod:`tacit.io.layouts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from tacit.data.listing import LongForm, listing
from tacit.data.transactions import Transactions
from tacit.errors import UsageError
from tacit.io.layouts import ITEMS, Layout, basket_layout, dat_layout, json_layout, spmf_layout
from tacit.io.readers.detecting import DELIMITERS, rows_of
from tacit.io.readers.formats import SUFFIXES as TABLE_SUFFIXES
from tacit.io.readers.formats import TEXT_FORMATS
from tacit.io.readers.opening import beginning, plain_suffix
from tacit.io.readers.text import encoding_of
from tacit.io.readers.transactions_json import json_rows
from tacit.io.readers.transactions_text import basket_rows, dat_rows, spmf_rows
from tacit.io.readers.vocabulary import NamedRows
from tacit.ranges import OneOf

SetFormatName = Literal["dat", "spmf", "basket", "long", "jsonl"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for of a file of lines."""

    item: str | None
    sensitive: str | None
    delimiter: str
    header: bool


@dataclass(frozen=True, slots=True)
class Lines:
    """How a format with a record a line is read and written; the layout is given the delimiter."""

    read: Callable[[bytes, str, Asked], NamedRows]
    layout: Callable[[Transactions, str], Layout]


@dataclass(frozen=True, slots=True)
class SetFormat:
    """A format of transactions.

    ``suffixes`` end the names of files that hold it, ``also`` those of files that may hold a table as
    well. ``options`` are those of reading that mean something to it, ``written_with`` those of writing.
    ``lines`` is None where it is a table.
    """

    name: SetFormatName
    title: str
    lines: Lines | None
    suffixes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    written_with: tuple[str, ...] = ()
    on_spark: bool = False


SET_FORMATS: Mapping[str, SetFormat] = {
    entry.name: entry
    for entry in (
        SetFormat(
            "dat",
            "by blanks (FIMI)",
            Lines(lambda data, file, asked: dat_rows(data, file=file), lambda sets, _: dat_layout(sets)),
            suffixes=(".dat",),
            on_spark=True,
        ),
        SetFormat(
            "spmf",
            "SPMF",
            Lines(lambda data, file, asked: spmf_rows(data, file=file), lambda sets, _: spmf_layout(sets)),
            suffixes=(".spmf",),
        ),
        SetFormat(
            "basket",
            "by a delimiter",
            Lines(
                lambda data, file, asked: basket_rows(
                    data, file=file, delimiter=one_character(asked.delimiter), header=asked.header
                ),
                lambda sets, delimiter: basket_layout(sets, delimiter=one_character(delimiter)),
            ),
            suffixes=(".basket",),
            also=(".csv", ".tsv"),
            options=("delimiter", "header"),
            written_with=("delimiter",),
            on_spark=True,
        ),
        SetFormat(
            "long",
            "a row for each person and item",
            None,
            also=tuple(suffix for suffix, kind in TABLE_SUFFIXES.items() if kind not in TEXT_FORMATS),
            options=("record", "item", "sensitive", "delimiter", "header", "table", "query"),
            written_with=("table",),
            on_spark=True,
        ),
        SetFormat(
            "jsonl",
            "JSON lines",
            Lines(
                lambda data, file, asked: json_rows(
                    data, file=file, items=asked.item or ITEMS, sensitive=asked.sensitive
                ),
                lambda sets, _: json_layout(sets),
            ),
            suffixes=(".jsonl", ".ndjson"),
            options=("item", "sensitive"),
        ),
    )
}

FORMATS = OneOf(get_args(SetFormatName))
"""What the option ``format`` may be."""

FEWEST = 6
"""So many lines at least look like sets."""
USUAL = 0.9
"""So large a share of the lines of a table are as long as each other."""
LOOKED_AT = 1 << 16
"""So many bytes tell whether lines are sets."""

OWN_SUFFIXES = tuple(suffix for entry in SET_FORMATS.values() for suffix in entry.suffixes)
"""Names that end so hold transactions and no table."""

SUFFIXES: Mapping[str, str] = {
    suffix: entry.name for entry in SET_FORMATS.values() for suffix in (*entry.suffixes, *entry.also)
}
"""The format that a file's name says, where no option says more."""


def refuse_unmeant(format: str, given: Mapping[str, object], *, writing: bool = False) -> None:
    """Refuse an option that is given and means nothing to the format."""
    for name, value in given.items():
        meant_for = [
            entry.name
            for entry in SET_FORMATS.values()
            if name in (entry.written_with if writing else entry.options)
        ]
        if value is not None and format not in meant_for:
            raise UsageError(
                f"The option {name!r} does not apply to the format {format!r}.",
                code="option-format",
                hint=f"It is meant for {' and '.join(map(repr, meant_for))};"
                " leave it out, or name the format.",
            )


def one_character(delimiter: str) -> str:
    """The delimiter, once it is known to be one that cells can be told apart by."""
    if len(delimiter) == 1 and delimiter.isascii() and delimiter not in '"\r\n\0':
        return delimiter
    raise UsageError(
        f"The delimiter must be one ASCII character, not a quote or a line end. Got {delimiter!r} instead.",
        code="parameter-range",
        hint="Common ones are ',', ';', '|' and a tab.",
    )


def lists_items(file: Path) -> LongForm | None:
    """The columns of a text file that lists an item a line below a header, if it looks like one."""
    text = _beginning(file)
    for sign in DELIMITERS:
        header, *rows = rows_of(text, sign, '"') or [[]]
        if len(header) > 1 and rows and all(len(row) == len(header) for row in rows):
            columns = dict(zip(header, zip(*rows, strict=True), strict=True))
            return listing(
                len(rows),
                {name: len(set(cells)) for name, cells in columns.items()},
                lambda record, item, cells=columns: len(set(zip(cells[record], cells[item], strict=True))),  # type: ignore[misc]
            )
    return None


def _beginning(file: Path) -> str:
    """The first lines of a text file, whole ones; nothing where it cannot be read."""
    data = beginning(file, LOOKED_AT)
    text = data.decode(encoding_of(data) or "latin-1", errors="replace")
    return (
        text
        if len(data) < LOOKED_AT and plain_suffix(file) == file.suffix.lower()
        else text[: text.rfind("\n") + 1]
    )


def looks_like_sets(file: Path) -> str | None:
    """The format of a text file that holds a set of items a line, if it looks like one.

    Lines are of many lengths and repeat their items: separated by blanks alone, or by one delimiter. A sheet
    fills short lines up with empty cells; a table with missing values has them between others as well.
    """
    text = _beginning(file)
    lines = text.splitlines()
    used = [sign for sign in DELIMITERS if sum(sign in line for line in lines) > len(lines) // 4]
    if not used and not any(sign in text for sign in DELIMITERS):
        lengths = {len(line.split()) for line in lines}
        return "dat" if len(lengths) > 2 and max(lengths) > 2 else None
    if len(used) != 1:
        return None
    lines_of_cells = [[cell.strip() for cell in row] for row in rows_of(text, used[0], '"')]
    if _is_rectangle(lines_of_cells):
        return None
    rows = [[cell for cell in row if cell] for row in lines_of_cells]
    cells = [cell for row in rows for cell in row]
    usual = max(Counter(map(len, rows)).values(), default=0)
    ragged = len(rows) >= FEWEST and 2 * usual < len(rows) and '"' not in "".join(cells)
    return "basket" if ragged and 2 * len(set(cells)) < len(cells) else None


def looks_like_table(file: Path) -> bool:
    """Whether a text file has lines as long as each other below names of columns, or gaps between cells."""
    text = _beginning(file)
    used = [sign for sign in DELIMITERS if sign in text.partition("\n")[0]]
    return len(used) == 1 and _is_rectangle(
        [[cell.strip() for cell in row] for row in rows_of(text, used[0], '"')]
    )


def _is_rectangle(rows: Sequence[Sequence[str]]) -> bool:
    """Whether lines are as long as each other and tell columns: by their names, or by gaps between cells."""
    width, often = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
    if often < USUAL * len(rows):  # a few lines may be titles and totals
        return False
    names, *others = (row for row in rows if len(row) == width)
    below = {cell for row in others for cell in row}
    named = all(names) and len(set(names)) == width and below.isdisjoint(names)
    filled = [[cell != "" for cell in row] for row in others]
    return named or any(cells != sorted(cells, reverse=True) for cells in filled)
