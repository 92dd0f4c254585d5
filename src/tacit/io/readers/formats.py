"""The formats of tables and of transactions: an entry each, from which suffixes, options and refusals follow.

A table's format is said by the option, by the name and by how the content begins. Name and content must
agree: a Parquet file called ``.csv`` is refused by name rather than read as damaged text. A name that says
nothing leaves it to the content, and text is taken for CSV.

==========  =====================================================================  ===================
sets        layout                                                                 known by
==========  =====================================================================  ===================
``dat``     FIMI: a line of items separated by blanks                              ``.dat``
``spmf``    SPMF text: the same, whole numbers that ``@ITEM`` lines may name       ``.spmf``
``basket``  a line of items separated by a delimiter, quoted as in CSV             ``.basket``, ``.csv``
``long``    a row for each (record, item): CSV, Parquet, Excel, SQL, a dataframe   ``record`` and ``item``
``jsonl``   a JSON array a line, or an object with ``items``                       ``.jsonl``, ``.ndjson``
==========  =====================================================================  ===================

A new one is an entry here, and a module that reads and writes it.
"""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal, get_args

import polars as pl

from tacit.data.transactions import LongForm, Transactions, listing
from tacit.errors import InputError, Place, UsageError, option
from tacit.io.readers.csv import SAMPLE, SEPARATORS, CsvForm
from tacit.io.readers.database import is_postgresql, is_sqlite_address
from tacit.io.readers.detecting import rows_of
from tacit.io.readers.json import json_layout, json_rows
from tacit.io.readers.opening import beginning, plain_suffix
from tacit.io.readers.recognizing import Asked as Meaning
from tacit.io.readers.text import encoding_of
from tacit.io.readers.transactions_text import (
    Layout,
    basket_layout,
    basket_rows,
    dat_layout,
    dat_rows,
    spmf_layout,
    spmf_rows,
)
from tacit.io.readers.vocabulary import Asked, NamedRows
from tacit.ranges import OneOf

Format = Literal["csv", "tsv", "parquet", "arrow", "xlsx", "json", "sqlite", "postgresql"]
FORMATS = get_args(Format)
TEXT_FORMATS = ("csv", "tsv")
LINES_OF_JSON = (".jsonl", ".ndjson")
DATABASES = ("sqlite", "postgresql")
ARROW_STREAM = b"\xff\xff\xff\xff"
MEANINGS = tuple(field.name for field in fields(Meaning))
TEXT_OPTIONS = tuple(field.name for field in fields(CsvForm))


@dataclass(frozen=True, slots=True)
class TableFormat:
    """A format of tables: how its files end and begin, and which options mean something to it."""

    name: Format
    suffixes: tuple[str, ...] = ()
    begins: tuple[bytes, ...] = ()
    options: tuple[str, ...] = ()


TABLE_FORMATS: Mapping[str, TableFormat] = {
    entry.name: entry
    for entry in (
        TableFormat("csv", (".csv", ".txt"), options=(*TEXT_OPTIONS, *MEANINGS)),
        TableFormat("tsv", (".tsv", ".tab"), options=(*TEXT_OPTIONS, *MEANINGS)),
        TableFormat("parquet", (".parquet", ".pq"), (b"PAR1",)),
        TableFormat("arrow", (".arrow", ".feather", ".ipc"), (b"ARROW1", ARROW_STREAM)),
        TableFormat(
            "xlsx",
            (".xlsx", ".xlsm"),
            (b"PK\x03\x04",),
            ("header", "columns", "skip_rows", "skip_last", "sheet", *MEANINGS),
        ),
        TableFormat("json", (".json", *LINES_OF_JSON), options=MEANINGS),
        TableFormat("sqlite", (".sqlite", ".sqlite3", ".db"), (b"SQLite format 3\0",), ("table", "query")),
        TableFormat("postgresql", options=("table", "query")),
    )
}
SUFFIXES = {suffix: entry.name for entry in TABLE_FORMATS.values() for suffix in entry.suffixes}


def named_format(source: str | Path, format: str | None) -> str | None:
    """The format that the option or the name says; None where neither does."""
    if is_postgresql(source):
        said = "postgresql"
    elif is_sqlite_address(source):
        said = "sqlite"
    else:
        return format or SUFFIXES.get(plain_suffix(source))
    if format not in (None, said):
        raise UsageError(
            f"The address is of a {said} database, and the format {format!r} is asked for.",
            code="format-conflict",
            hint="Leave the format out.",
        )
    return said


FOREIGN = {
    "a page of HTML or XML": re.compile(rb"\s*<(?:!doctype|html|table|\?xml)", re.IGNORECASE),
    "a workbook of an old Excel (.xls)": re.compile(rb"\xd0\xcf\x11\xe0"),
}
"""How files begin that are called tables and hold something else."""
OBJECTS = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*(?:\"|\}\s*(?:[],{]|\Z))")
"""How JSON begins that may hold a table."""


def foreign_content(data: bytes) -> str | None:
    """What a file holds that is none of the formats, if its beginning tells."""
    data = data.removeprefix(codecs.BOM_UTF8)
    return next((what for what, start in FOREIGN.items() if start.match(data)), None)


def checked_format(data: bytes, *, name: str, said: str | None) -> str:
    """The format of this content, once it agrees with the one that was said."""
    foreign = foreign_content(data) if said in (None, *TEXT_FORMATS) else None
    if foreign is not None:
        raise InputError(
            f"Expected a table, but the content is {foreign}.",
            code="file-format",
            where=Place(file=name),
            hint="Open it in the program it is from, and save it as CSV or as .xlsx.",
        )
    found = next((entry.name for entry in TABLE_FORMATS.values() if data.startswith(entry.begins)), None)
    if OBJECTS.match(data) and not (said in TEXT_FORMATS and data.strip() == b"{}"):  # a name, and no value
        found = "json"
    if said is None:
        return found or "csv"
    if found != (None if said in TEXT_FORMATS else said):
        wanted = "text" if said in TEXT_FORMATS else f"a file of the format {said!r}"
        shown = "text or damaged" if found is None else f"a file of the format {found!r}"
        if not data:
            shown = "empty"
        raise InputError(
            f"Expected {wanted}, but the content is {shown}.",
            code="empty-file" if not data else "file-format",
            where=Place(file=name),
            hint=f"Name the format it is in with {option('format')}, or check the file.",
        )
    return said


def read_binary(data: bytes, *, file: str, format: str) -> pl.DataFrame:
    """The table in a Parquet file, an Arrow file (also called Feather) or an Arrow stream, with its types."""
    read = pl.read_ipc_stream if data.startswith(ARROW_STREAM) else pl.read_ipc
    try:
        return pl.read_parquet(io.BytesIO(data)) if format == "parquet" else read(io.BytesIO(data))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            f"The {format.title()} file cannot be read: {str(error).splitlines()[0]}.",
            code="file-damaged",
            where=Place(file=file),
            hint="It may be cut short; write it again.",
        ) from error


SetFormatName = Literal["dat", "spmf", "basket", "long", "jsonl"]


@dataclass(frozen=True, slots=True)
class SetFormat:
    """A format of transactions.

    With a record a line it is read by ``read`` and written by ``layout``, given the delimiter asked for; both
    are None where it is a table. ``suffixes`` end the names of files that hold it, ``also`` those of files
    that may hold a table as well. ``options`` are those of reading that mean something to it,
    ``written_with`` those of writing.
    """

    name: SetFormatName
    title: str
    read: Callable[[bytes, str, Asked], NamedRows] | None = None
    layout: Callable[[Transactions, str], Layout] | None = None
    suffixes: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    written_with: tuple[str, ...] = ()
    on_spark: bool = False


SET_FORMATS: Mapping[str, SetFormat] = {
    entry.name: entry
    for entry in (
        SetFormat("dat", "by blanks (FIMI)", dat_rows, dat_layout, (".dat",), on_spark=True),
        SetFormat("spmf", "SPMF", spmf_rows, spmf_layout, (".spmf",)),
        SetFormat(
            "basket",
            "by a delimiter",
            basket_rows,
            basket_layout,
            suffixes=(".basket",),
            also=(".csv", ".tsv"),
            options=("delimiter", "header"),
            written_with=("delimiter",),
            on_spark=True,
        ),
        SetFormat(
            "long",
            "a row for each person and item",
            also=tuple(
                suffix
                for suffix, kind in SUFFIXES.items()
                if kind not in TEXT_FORMATS and suffix not in LINES_OF_JSON
            ),
            options=("record", "item", "sensitive", "delimiter", "header", "table", "query"),
            written_with=("table",),
            on_spark=True,
        ),
        SetFormat(
            "jsonl",
            "JSON lines",
            json_rows,
            json_layout,
            suffixes=LINES_OF_JSON,
            options=("item", "sensitive"),
        ),
    )
}

SET_NAMES = OneOf(get_args(SetFormatName))
"""What the option ``format`` may be."""

FEWEST = 6
"""So many lines at least look like sets."""
USUAL = 0.9
"""So large a share of the lines of a table are as long as each other."""

OWN_SUFFIXES = tuple(suffix for entry in SET_FORMATS.values() for suffix in entry.suffixes)
"""Names that end so hold transactions and no table."""

SET_SUFFIXES: Mapping[str, str] = {
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


def holds_rows(file: Path) -> bool:
    """Whether a file of JSON holds a table: its first object has no array of items."""
    data = beginning(file, SAMPLE)
    first = data[data.find(b"{") :].partition(b"}")[0]
    return OBJECTS.match(data) is not None and re.search(rb"\"\s*:\s*\[", first) is None


def lists_items(file: Path) -> LongForm | None:
    """The columns of a text file that lists an item a line below a header, if it looks like one."""
    text = _beginning(file)
    for sign in SEPARATORS:
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
    data = beginning(file, SAMPLE)
    if foreign_content(data) or OBJECTS.match(data):
        return ""
    text = data.decode(encoding_of(data) or "latin-1", errors="replace")
    return (
        text
        if len(data) < SAMPLE and plain_suffix(file) == file.suffix.lower()
        else text[: text.rfind("\n") + 1]
    )


def looks_like_sets(file: Path) -> str | None:
    """The format of a text file that holds a set of items a line, if it looks like one.

    Lines are of many lengths and repeat their items: separated by blanks alone, or by one delimiter. A sheet
    fills short lines up with empty cells; a table with missing values has them between others as well.
    """
    text = _beginning(file)
    lines = text.splitlines()
    used = [sign for sign in SEPARATORS if sum(sign in line for line in lines) > len(lines) // 4]
    if not used and not any(sign in text for sign in SEPARATORS):
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
    used = [sign for sign in SEPARATORS if sign in text.partition("\n")[0]]
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
