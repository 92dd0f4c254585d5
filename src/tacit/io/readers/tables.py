"""Reading a table about people, from whatever holds it, with the roles of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from tacit.data.column import EncodedSource, encode, unnamed
from tacit.data.hierarchy import Hierarchy
from tacit.data.settling import Nulls, RowLocator, check_words
from tacit.data.spelling import Twins
from tacit.data.table import Roles, Table, as_names, settled_table, table_from_frame
from tacit.errors import InputError, Place, UsageError
from tacit.io.hierarchies import fill_ranges, read_hierarchies, read_hierarchy
from tacit.io.readers.csv import CsvForm, read_csv
from tacit.io.readers.database import read_database, without_password
from tacit.io.readers.detecting import written
from tacit.io.readers.excel import read_excel
from tacit.io.readers.formats import (
    DATABASES,
    TABLE_FORMATS,
    TEXT_FORMATS,
    TEXT_OPTIONS,
    Format,
    checked_format,
    named_format,
    read_binary,
)
from tacit.io.readers.json import json_table
from tacit.io.readers.opening import STANDARD_INPUT, Opened, is_spark_address, open_bytes
from tacit.io.readers.recognizing import Asked, DateOrder, DecimalSign, odd_rows, recognized, said
from tacit.io.readers.text import decoded
from tacit.io.samples import is_sample, sample_of_kind
from tacit.options import Says, verb
from tacit.ranges import FileOrObject, Letters, Names, Optional, Switch, Whole, Words

Hierarchies = str | Path | Mapping[str, Hierarchy | str | Path]
"""A folder with one file per attribute, named after it; or hierarchies or files by attribute."""

FORMAT = Says("Format", "Format of the data where the file name does not tell.")
HEADER = Says(
    "The first line names columns",
    "Whether the first line names columns; in a table it does by default, in a basket file it does not.",
    values=(("", "as usual"), ("yes", "yes"), ("no", "no")),
)
DELIMITER = Says(
    "Delimiter", r"Field delimiter, by default the one the text shows; \t is a tab.", empty="found"
)
ENCODING = Says("Encoding", "Text encoding, by default the one the bytes show.", empty="found")
TWINS = Says(
    "Values that differ only in case or invisible characters",
    "Values that differ only in case, spelling form or invisible characters: refuse, fold or keep.",
    values=(("refuse", "are refused"), ("fold", "are one value"), ("keep", "are different values")),
)
TABLE = Says("Table of a database", "Table to read from a database.")
QUERY = Says("Query", "Query to read from a database.")


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
    format: Annotated[Format | None, FORMAT] = None,
    header: Annotated[bool | None, Optional(Switch()), HEADER] = None,
    columns: Annotated[
        Iterable[str] | str,
        Names(),
        Says("Column names", "Column names, where there is no header line."),
    ] = (),
    delimiter: Annotated[str | None, Optional(Letters()), DELIMITER] = None,
    encoding: Annotated[str | None, Optional(Words()), ENCODING] = None,
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
    twins: Annotated[Twins, TWINS] = "refuse",
    sheet: Annotated[
        str | None, Optional(Words()), Says("Sheet of a workbook", "Sheet of a workbook.")
    ] = None,
    table: Annotated[str | None, Optional(Words()), TABLE] = None,
    query: Annotated[str | None, Optional(Words()), QUERY] = None,
    engine: Any = None,
) -> Table:
    """A table with roles, from a file, standard input (``-``), a database, a dataframe or ``sample:NAME``.

    The format follows from the name (``.csv``, ``.tsv``, ``.parquet``, ``.arrow``, ``.xlsx``, ``.jsonl``,
    ``.json``, ``.sqlite``, also with ``.gz`` or ``.zst``), or is given by ``format``. A database is given by
    its file or by an address, ``sqlite:///path`` or ``postgresql://user@host/name``, with a ``table`` or a
    ``query``.

    A column without a role is in the table but in no release. Of text all cells are text, and an empty
    cell is missing. ``hierarchies`` may also be a mapping of files or hierarchies.

    With ``engine=SparkEngine(...)`` the rows stay on Spark: of a folder of CSV or Parquet parts, of a table
    of its catalog (``spark:NAME``, which needs no engine named), or of a Spark data frame.

    {options}

    >>> table = read_table("sample:hospital", quasi="zip, age, sex", sensitive="disease")
    >>> len(table), table.roles.quasi
    (1000, ('zip', 'age', 'sex'))
    """
    request = Request(
        form=CsvForm(
            header,
            as_names(columns) or None,
            delimiter,
            encoding,
            quote,
            skip_rows,
            skip_last,
            skip_initial_space,
        ),
        asked=Asked(decimal, dates, recognize),
        roles=Roles(as_names(quasi), as_names(sensitive), as_names(identifiers), as_names(keep)),
        nulls=nulls,
        null_values=check_words(as_names(null_values)),
        twins=twins,
        given={"sheet": sheet, "table": table, "query": query},
    )
    session = None if engine is None else engine.session
    if session is not None or is_spark_address(source):
        read = _on_spark(source, session, format, request)
    else:
        read = replace(_read(source, format, request), null_values=request.null_values)
    return read if hierarchies is None else _with_hierarchies(read, hierarchies)


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for, apart from the source."""

    form: CsvForm
    asked: Asked
    roles: Roles
    nulls: str
    null_values: tuple[str, ...]
    twins: str
    given: Mapping[str, str | None]
    """The sheet of a workbook, the table or the query of a database."""

    @property
    def named(self) -> frozenset[str]:
        """The columns that have a role."""
        return frozenset((*self.roles.known, *self.roles.sensitive, *self.roles.identifiers))

    def refuse_unused(self, format: str, used: Iterable[str] = ()) -> None:
        """Raise for an option that says nothing to the format."""
        default = CsvForm(header=self.form.header or None)  # every format names its columns
        names = [field.name for field in fields(CsvForm)]
        given = [name for name in names if getattr(self.form, name) != getattr(default, name)]
        others = {"decimal": self.asked.decimal, "dates": self.asked.dates, **self.given}
        given += [name for name, value in others.items() if value is not None]
        unused = [name for name in given if name not in used]
        if unused:
            raise UsageError(
                f"The option {unused[0]!r} says nothing to the format {format!r}.",
                code="option-format",
                hint="Leave it out, or name the format the source is in.",
            )

    def table_of(
        self, frame: Any, *, origin: str | None = None, format: str | None = None, notes: tuple[str, ...] = ()
    ) -> Table:
        """The table that a frame holds."""
        return table_from_frame(
            frame,
            **asdict(self.roles),
            nulls=self.nulls,
            null_values=self.null_values,
            twins=self.twins,
            origin=origin,
            format=format,
            notes=notes,
        )


def _read(source: Any, format: str | None, request: Request) -> Table:
    """A table whose rows come into this process."""
    if is_sample(source):
        request.refuse_unused("sample")
        return _of_sample(source, request)
    if not isinstance(source, str | Path):
        request.refuse_unused("dataframe")
        return request.table_of(source)
    found = named_format(source, format)
    opened = Opened(without_password(source), b"")
    if found not in DATABASES:
        opened = open_bytes(source)
        found = checked_format(opened.data, name=opened.name, said=found)
    request.refuse_unused(found, TABLE_FORMATS[found].options)
    if found in TEXT_FORMATS:
        return _of_text(opened, found, request)
    if found == "xlsx":
        return _of_workbook(opened, request)
    if found == "json":
        data, told = decoded(opened, None)
        return _recognized(json_table(data, opened.name), opened, found, request, told)
    if found in DATABASES:
        frame = read_database(source, table=request.given["table"], query=request.given["query"])
    else:
        frame = read_binary(opened.data, file=opened.name, format=found)
    return request.table_of(frame, origin=opened.name, format=found)


def _of_workbook(opened: Opened, request: Request) -> Table:
    sheet = read_excel(opened, sheet=request.given["sheet"], form=request.form, named=request.named)
    return _recognized(sheet.frame, opened, "xlsx", request, sheet.told, sheet.questions)


def _recognized(
    frame: pl.DataFrame,
    opened: Opened,
    format: str,
    request: Request,
    told: Sequence[str],
    questions: Sequence[str] = (),
) -> Table:
    """The table of a frame, with numbers and days recognized in its texts."""
    texts = [series for series in frame if series.dtype == pl.String]
    meaning = recognized([encode(series) for series in texts], request.asked)
    frame = frame.with_columns([column.to_series() for column in meaning.columns])
    notes = said((*told, *meaning.found), (*questions, *meaning.questions))
    return request.table_of(frame, origin=opened.name, format=format, notes=notes)


def _on_spark(source: Any, session: Any, format: str | None, request: Request) -> Table:
    """A table whose rows stay on Spark."""
    from tacit.io.spark.reading import spark_table  # it builds on these readers

    if is_sample(source) or source == STANDARD_INPUT:
        raise UsageError(
            f"Spark cannot read {source!r}: it is made or read in this process.",
            code="spark-format",
            hint="Write it to a file first, or leave the engine out.",
        )
    request.refuse_unused("spark", TEXT_OPTIONS)
    return spark_table(source, request, session, format)


def _of_text(opened: Opened, format: str, request: Request) -> Table:
    usual = "\t" if format == "tsv" else ","
    found = written(
        opened, form=request.form, usual=usual, named=request.named, recognize=request.asked.recognize
    )
    source, text = read_csv(
        found.data, file=opened.name, form=found.form, roles=request.roles, null_values=request.null_values
    )
    identifiers = request.roles.identifiers
    kept = [source.column(name) for name in source.names if name not in identifiers]
    meaning = recognized(kept, request.asked)
    odd = odd_rows(meaning.columns, text.row)
    notes = said((*found.told, *text.told, *meaning.found), (*found.questions, *meaning.questions, *odd))
    return settled_table(
        EncodedSource(meaning.columns, source.n_rows),
        request.roles,
        nulls=request.nulls,
        twins=request.twins,
        locator=text,
        origin=opened.name,
        notes=notes,
        format=format,
        dropped=[source.column(name) for name in identifiers],
    )


def _of_sample(name: str, request: Request) -> Table:
    """The sample with the roles asked for; it has its own where none are."""
    sample: Table = sample_of_kind(name, "table")
    asked = request.roles
    asked.check(sample.names, where=name)
    roles = asked if asked.quasi or asked.sensitive or asked.keep else sample.roles
    left = [sample.column(column) for column in sample.names if column not in asked.identifiers]
    trees = sample.hierarchies.items()
    return settled_table(
        EncodedSource(left, len(sample)),
        roles,
        hierarchies={column: tree for column, tree in trees if column not in asked.identifiers},
        nulls=request.nulls,
        twins=request.twins,
        locator=RowLocator(name),
        origin=name,
        notes=sample.notes,
        dropped=[unnamed(sample.column(column)) for column in asked.identifiers],
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
    filled = {name: fill_ranges(tree, table.column(name).texts) for name, tree in found.items()}
    return table.with_hierarchies(filled)
