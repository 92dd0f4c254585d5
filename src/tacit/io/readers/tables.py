"""Reading a table about people, from whatever holds it, with the roles of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from tacit.data.column import encode
from tacit.data.hierarchy import Hierarchy
from tacit.data.settling import Nulls, RowLocator
from tacit.data.sources import EncodedSource
from tacit.data.spelling import Twins
from tacit.data.table import Roles, Table, as_names, settled_table, table_from_frame
from tacit.errors import InputError, Place, UsageError
from tacit.io.hierarchies import fill_ranges, read_hierarchies, read_hierarchy
from tacit.io.readers import words
from tacit.io.readers.csv import CsvForm, read_csv
from tacit.io.readers.database import read_postgresql, read_sqlite
from tacit.io.readers.detecting import written
from tacit.io.readers.excel import Sheet, read_excel
from tacit.io.readers.formats import (
    DATABASES,
    TEXT_FORMATS,
    Format,
    checked_format,
    named_format,
    read_arrow,
    read_parquet,
    without_password,
)
from tacit.io.readers.opening import STANDARD_INPUT, is_spark_address, open_bytes
from tacit.io.readers.recognizing import Asked, DateOrder, DecimalSign, recognized, said
from tacit.io.samples import is_sample, sample_table
from tacit.options import Says, verb
from tacit.ranges import FileOrObject, Letters, Names, Optional, Switch, Whole, Words

Hierarchies = str | Path | Mapping[str, Hierarchy | str | Path]
"""A folder with one file per attribute, named after it; or hierarchies or files by attribute."""


@verb
def read_table(
    source: Any,
    *,
    quasi: Annotated[
        Iterable[str] | str,
        Names(),
        Says("Known of a person", "Quasi-identifiers: columns a reader may know from elsewhere."),
    ] = (),
    sensitive: Annotated[
        Iterable[str] | str,
        Names(),
        Says("Not to be learned", "Sensitive columns: what must not be learned about a person."),
    ] = (),
    identifiers: Annotated[
        Iterable[str] | str,
        Names(),
        Says("Left out", "Identifiers: columns dropped on reading.", flag="drop"),
    ] = (),
    keep: Annotated[
        Iterable[str] | str, Names(), Says("Published as well", "Other columns to publish, knowingly.")
    ] = (),
    hierarchies: Annotated[
        Hierarchies | None,
        Optional(FileOrObject()),
        Says("Hierarchies", "Folder with one hierarchy file per quasi-identifier, named after it."),
    ] = None,
    format: Annotated[Format | None, words.FORMAT] = None,
    header: Annotated[bool | None, Optional(Switch()), words.HEADER] = None,
    columns: Annotated[
        Iterable[str] | str,
        Names(),
        Says("Column names", "Column names, where there is no header line."),
    ] = (),
    delimiter: Annotated[str | None, Optional(Letters()), words.DELIMITER] = None,
    encoding: Annotated[str | None, Optional(Words()), words.ENCODING] = None,
    quote: Annotated[
        str | None,
        Optional(Letters()),
        Says("Quotation mark", "Quote around a field that holds the delimiter.", empty='"'),
    ] = '"',
    skip_rows: Annotated[
        int | None,
        Optional(Whole(0)),
        Says(
            "Rows above the table",
            "Lines to pass over before the header, such as titles; found by default.",
            empty="found",
        ),
    ] = None,
    skip_last: Annotated[
        int | None,
        Optional(Whole(0)),
        Says(
            "Rows below the table",
            "Lines to pass over at the end, such as totals; found by default.",
            empty="found",
        ),
    ] = None,
    skip_initial_space: Annotated[
        bool,
        Switch(),
        Says(
            "Blanks after a delimiter",
            "Pass over blanks after a delimiter.",
            values=(("no", "belong to the value"), ("yes", "are passed over")),
        ),
    ] = False,
    nulls: Annotated[
        Nulls,
        Says(
            "A missing value",
            "A missing value: own (a value of its own), reject (an error) or suppress (its row is dropped).",
            values=(
                ("own", "is a value of its own"),
                ("reject", "is an error"),
                ("suppress", "leaves its row out"),
            ),
        ),
    ] = "own",
    null_values: Annotated[
        Iterable[str] | str,
        Names(),
        Says(
            "Texts that mean “missing”",
            "Texts that mean a missing value, beside the empty cell.",
            empty="NA, ?",
        ),
    ] = (),
    decimal: Annotated[
        DecimalSign | None,
        Says(
            "Decimal sign",
            "What comes before the fraction of numbers whose cells do not tell it: , or a point.",
            values=(("", "as the cells show"), (",", "a comma"), (".", "a point")),
        ),
    ] = None,
    dates: Annotated[
        DateOrder | None,
        Says(
            "Days such as 03/04/2024",
            "What comes first in days whose cells do not tell it: day-first or month-first.",
            values=(("", "as the cells show"), ("day-first", "day first"), ("month-first", "month first")),
        ),
    ] = None,
    recognize: Annotated[
        bool,
        Switch(),
        Says(
            "Numbers, days and codes for “missing” in text",
            "Recognize numbers with commas, days and codes for a missing value, or take cells as written.",
            values=(("yes", "are recognized"), ("no", "stay as written")),
        ),
    ] = True,
    twins: Annotated[Twins, words.TWINS] = "refuse",
    sheet: Annotated[
        str | None, Optional(Words()), Says("Sheet of a workbook", "Sheet of a workbook.")
    ] = None,
    table: Annotated[str | None, Optional(Words()), words.TABLE] = None,
    query: Annotated[str | None, Optional(Words()), words.QUERY] = None,
    engine: Any = None,
) -> Table:
    """A table with roles, from a file, standard input (``-``), a database, a dataframe or ``sample:NAME``.

    The format follows from the name (``.csv``, ``.tsv``, ``.parquet``, ``.arrow``, ``.xlsx``, ``.sqlite``,
    also with ``.gz`` or ``.zst``), or is given by ``format``. A database is given by its file or by an
    address, ``sqlite:///path`` or ``postgresql://user@host/name``, with a ``table`` or a ``query``.

    A column without a role is in the table but in no release. Of text all cells are text, and an empty
    cell is missing. ``hierarchies`` may also be a mapping of files or hierarchies.

    With ``engine=SparkEngine(...)`` the rows stay on Spark: of a folder of CSV or Parquet parts, of a table
    of its catalog (``spark:NAME``, which needs no engine named), or of a Spark data frame.

    {options}

    >>> table = read_table("sample:hospital", quasi="zip, age, sex", sensitive="disease")
    >>> len(table), table.roles.quasi
    (1000, ('zip', 'age', 'sex'))
    """
    form = CsvForm(
        header,
        as_names(columns) or None,
        delimiter,
        encoding,
        quote,
        skip_rows,
        skip_last,
        skip_initial_space,
    )
    request = _Request(
        asked=Asked(decimal, dates, recognize),
        roles=Roles(as_names(quasi), as_names(sensitive), as_names(identifiers), as_names(keep)),
        nulls=nulls,
        null_values=as_names(null_values),
        twins=twins,
        form=form,
        sheet=sheet,
        table=table,
        query=query,
    )
    session = None if engine is None else engine.session
    if session is not None or is_spark_address(source):
        read = _on_spark(source, session, format, request)
    else:
        read = replace(_read(source, format, request), null_values=request.null_values)
    return read if hierarchies is None else _with_hierarchies(read, hierarchies)


@dataclass(frozen=True, slots=True)
class _Request:
    """What was asked for, apart from the source."""

    asked: Asked
    roles: Roles
    nulls: str
    null_values: tuple[str, ...]
    twins: str
    form: CsvForm
    sheet: str | None
    table: str | None
    query: str | None

    @property
    def named(self) -> frozenset[str]:
        """The columns that have a role."""
        return frozenset((*self.roles.known, *self.roles.sensitive, *self.roles.identifiers))

    def refuse_unused(self, format: str, used: Iterable[str]) -> None:
        """Raise for an option that says nothing to the format."""
        default = CsvForm(header=self.form.header or None)  # every format names its columns
        given = [
            field.name
            for field in fields(CsvForm)
            if getattr(self.form, field.name) != getattr(default, field.name)
        ]
        answers = {"decimal": self.asked.decimal, "dates": self.asked.dates}
        given += [name for name, answer in answers.items() if answer is not None]
        given += [name for name in ("sheet", "table", "query") if getattr(self, name) is not None]
        unused = [name for name in given if name not in used]
        if unused:
            raise UsageError(
                f"The option {unused[0]!r} says nothing to the format {format!r}.",
                code="option-format",
                hint="Leave it out, or name the format the source is in.",
            )


TEXT_OPTIONS = tuple(field.name for field in fields(CsvForm))
MEANINGS = tuple(field.name for field in fields(Asked))
OPTIONS = {
    "csv": (*TEXT_OPTIONS, *MEANINGS),
    "tsv": (*TEXT_OPTIONS, *MEANINGS),
    "xlsx": ("header", "columns", "skip_rows", "skip_last", "sheet", *MEANINGS),
    "sqlite": ("table", "query"),
    "postgresql": ("table", "query"),
}
"""The options that each format knows; the others know none."""


def _read(source: Any, format: str | None, request: _Request) -> Table:
    if is_sample(source):
        request.refuse_unused("sample", ())
        return _of_sample(source, request)
    if not isinstance(source, str | Path):
        request.refuse_unused("dataframe", ())
        return _of_frame(source, request, origin=None, format=None)
    said = named_format(source, format)
    if said in DATABASES:
        return _of_database(source, said, request)
    opened = open_bytes(source)
    found = checked_format(opened.data, name=opened.name, said=said)
    if found == "sqlite":
        return _of_database(source, found, request)
    request.refuse_unused(found, OPTIONS.get(found, ()))
    if found in TEXT_FORMATS:
        return _of_text(opened.data, opened.name, found, request)
    if found == "xlsx":
        sheet = read_excel(
            opened.data, file=opened.name, sheet=request.sheet, form=request.form, named=request.named
        )
        return _of_sheet(sheet, request, origin=opened.name)
    read = read_parquet if found == "parquet" else read_arrow
    frame = read(opened.data, file=opened.name)
    return _of_frame(frame, request, origin=opened.name, format=found)


def _of_sheet(sheet: Sheet, request: _Request, *, origin: str) -> Table:
    texts = [series for series in sheet.frame if series.dtype == pl.String]
    meaning = recognized([encode(series) for series in texts], request.asked)
    frame = sheet.frame.with_columns([column.to_series() for column in meaning.columns])
    notes = said((*sheet.told, *meaning.found), (*sheet.questions, *meaning.questions))
    return _of_frame(frame, request, origin=origin, format="xlsx", notes=notes)


def _on_spark(source: Any, session: Any, format: str | None, request: _Request) -> Table:
    """A table whose rows stay on Spark."""
    from tacit.io.spark.reading import spark_table  # it builds on these readers

    if is_sample(source) or source == STANDARD_INPUT:
        raise UsageError(
            f"Spark cannot read {source!r}: it is made or read in this process.",
            code="spark-format",
            hint="Write it to a file first, or leave the engine out.",
        )
    request.refuse_unused("spark", TEXT_OPTIONS)
    return spark_table(
        source,
        request.roles,
        session=session,
        format=format,
        form=request.form,
        nulls=request.nulls,
        null_values=request.null_values,
        twins=request.twins,
    )


def _of_text(data: bytes, file: str, format: str, request: _Request) -> Table:
    usual = "\t" if format == "tsv" else ","
    found = written(data, file=file, form=request.form, usual=usual, named=request.named)
    read = read_csv(
        found.data,
        file=file,
        form=found.form,
        separator=found.delimiter,
        roles=request.roles,
        null_values=request.null_values,
    )
    meaning = recognized([read.source.column(name) for name in read.source.names], request.asked)
    told = (*found.told, *read.locator.text.told)
    return settled_table(
        EncodedSource(list(meaning.columns), read.source.n_rows),
        request.roles,
        hierarchies={},
        nulls=request.nulls,
        twins=request.twins,
        locator=read.locator,
        origin=file,
        notes=said((*told, *meaning.found), (*found.questions, *meaning.questions)),
        format=format,
    )


def _of_database(source: str | Path, format: str, request: _Request) -> Table:
    request.refuse_unused(format, OPTIONS[format])
    read = read_postgresql if format == "postgresql" else read_sqlite
    frame = read(source, table=request.table, query=request.query)
    return _of_frame(frame, request, origin=without_password(source), format=format)


def _of_frame(
    frame: Any,
    request: _Request,
    *,
    origin: str | None,
    format: str | None,
    notes: tuple[str, ...] = (),
) -> Table:
    return table_from_frame(
        frame,
        quasi=request.roles.quasi,
        sensitive=request.roles.sensitive,
        identifiers=request.roles.identifiers,
        keep=request.roles.keep,
        nulls=request.nulls,
        null_values=request.null_values,
        twins=request.twins,
        origin=origin,
        notes=notes,
        format=format,
    )


def _of_sample(name: str, request: _Request) -> Table:
    """The sample with the roles asked for; it has its own where none are."""
    sample = sample_table(name)
    asked = request.roles
    asked.check(sample.names, where=name)
    roles = asked if asked.quasi or asked.sensitive or asked.keep else sample.roles
    left = [sample.column(column) for column in sample.names if column not in asked.identifiers]
    return settled_table(
        EncodedSource(left, len(sample)),
        roles,
        hierarchies={
            column: tree for column, tree in sample.hierarchies.items() if column not in asked.identifiers
        },
        nulls=request.nulls,
        twins=request.twins,
        locator=RowLocator(name),
        origin=name,
        notes=sample.notes,
        format=None,
    )


def _with_hierarchies(table: Table, hierarchies: Hierarchies) -> Table:
    """The table with these hierarchies; ranges of numbers are filled with the values that are there."""
    found: dict[str, Hierarchy]
    if isinstance(hierarchies, str | Path):
        wanted = (*table.roles.quasi, *table.roles.sensitive) if table.roles.quasi else table.names
        found = read_hierarchies(hierarchies, wanted)
        if not found:
            raise InputError(
                f"The folder holds no hierarchy for any of {', '.join(map(repr, wanted))}.",
                code="hierarchy-none",
                where=Place(file=str(hierarchies)),
                hint="A hierarchy file is named after its column, for instance age.csv.",
            )
    else:
        found = {
            name: given if isinstance(given, Hierarchy) else read_hierarchy(given, name=name)
            for name, given in hierarchies.items()
        }
    return table.with_hierarchies(
        {name: fill_ranges(tree, table.column(name).texts) for name, tree in found.items()}
    )
