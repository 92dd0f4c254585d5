"""Tables as people hand them in: what is refused, with which words, and what is accepted as what."""

from __future__ import annotations

import gzip
import io
import sqlite3
from pathlib import Path

import polars as pl
import xlsxwriter

import tacit
from tests.bad_input.case import Case

GOOD = b"zip,age,disease\n10115,41,flu\n10117,27,ulcer\n"
FLAGS = {"identifiers": "drop", "null_values": "null-values"}


def flags_of(options: dict[str, object]) -> tuple[str, ...]:
    """The options of the library as the command line writes them."""
    words: list[str] = []
    for option, value in options.items():
        if option == "header":
            words.append("--no-header")
        else:
            words += [f"--{FLAGS.get(option, option)}", str(value)]
    return tuple(words)


def refused(
    case: str,
    content: bytes | None,
    code: str,
    *says: str,
    name: str = "x.csv",
    exit_code: int = 3,
    files: dict[str, bytes] | None = None,
    **options: object,
) -> Case:
    """A table that is not taken."""
    return Case(
        f"tables: {case}",
        call=lambda folder: tacit.read_table(name, **options),  # type: ignore[arg-type]
        command=("profile", name, *flags_of(options)),
        code=code,
        exit_code=exit_code,
        files=files or ({} if content is None else {name: content}),
        says=says,
    )


def accepted(
    case: str,
    content: bytes,
    rows: list[tuple[str | None, ...]],
    *,
    note: str = "",
    name: str = "x.csv",
    **options: object,
) -> Case:
    """A table that is taken, with these rows as text, and a note that holds this piece."""

    def call(folder: Path) -> None:
        table = tacit.read_table(name, **options)  # type: ignore[arg-type]
        columns = [table.column(column) for column in table.names]
        found = [tuple(column.texts[column.codes[row]] for column in columns) for row in range(len(table))]
        assert found == rows
        assert (note in " ".join(table.notes)) if note else not table.notes, table.notes

    return Case(
        f"tables: {case}",
        call=call,
        command=("profile", name, *flags_of(options)),
        code=None,
        files={name: content},
    )


def workbook(*rows: list[object]) -> bytes:
    """A workbook with one sheet of these rows."""
    written = io.BytesIO()
    with xlsxwriter.Workbook(written, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row)
    return written.getvalue()


def parquet(**columns: object) -> bytes:
    """A Parquet file of these columns."""
    written = io.BytesIO()
    pl.DataFrame(columns).write_parquet(written)
    return written.getvalue()


def database(statements: str) -> bytes:
    """An SQLite database made by these statements."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(statements)
    content = connection.serialize()
    connection.close()
    return content


TEXT_FORM = (
    refused("a row with a cell too few", b"a,b\n1,2\n3\n", "csv-ragged", "line 3", "Expected 2", "found 1"),
    refused("a row with a cell too many", b"a,b\n1,2,\n", "csv-ragged", "line 2", "found 3"),
    refused("a blank line between rows", b"a,b\n1,2\n\n3,4\n", "csv-ragged", "line 3", "blank"),
    accepted("blank lines after the last row", b"a,b\n1,2\n\n\n", [("1", "2")]),
    refused("a quote that is never closed", b'a,b\n1,2\n3,"4\n5,6\n', "csv-open-quote", "line 3", "'b'"),
    refused("a quote inside a cell", b'a,b\n1,5"\n', "csv-stray-quote", "line 2", "'b'"),
    refused("text after a closing quote", b'a,b\n"1"x,2\n', "csv-stray-quote", "line 2", "'a'"),
    accepted(
        "line ends, delimiters and quotes inside quotes", b'a,b\n"1\r\n2","x,""y"""\n', [("1\r\n2", 'x,"y"')]
    ),
    refused("a NUL byte", b"a,b\n1,2\n3,\x004\n", "text-nul", "line 3"),
    accepted("a byte order mark", b"\xef\xbb\xbfa,b\n1,2\n", [("1", "2")]),
    accepted("mixed line ends", b"a,b\r\n1,2\n3,4\r5,6", [("1", "2"), ("3", "4"), ("5", "6")]),
    refused("two columns of one name", b"a,b,a\n1,2,3\n", "duplicate-column", "line 1", "'a'"),
    refused("two names that differ in blanks", b"a,b, a \n1,2,3\n", "duplicate-column", "line 1", "'a'"),
    refused("a column without a name", b"a,,c\n1,2,3\n", "empty-column-name", "line 1", "column 2"),
    refused("a column named by spaces", b"a,  \n1,2\n", "empty-column-name", "column 2"),
    refused("a header and no rows", b"a,b\n", "no-rows", "x.csv"),
    refused("an empty file", b"", "empty-file", "x.csv"),
    refused("a file of blank lines", b"\n\r\n  \n", "empty-file"),
    accepted("semicolons where commas are usual", b"a;b\n1;2\n", [("1", "2")], note="';' between cells"),
    accepted("decimal commas between semicolons", b"a;b\n1,5;2\n", [("1.5", "2")], note="decimal commas"),
    refused("two delimiters that fit", b"a;b,c\n1;2,x\n3;4,y\n", "csv-delimiter", "--delimiter"),
    refused("commas where semicolons are asked for", GOOD, "csv-delimiter", "','", delimiter=";"),
    accepted("semicolons by option", b"a;b\n1;2,5\n", [("1", "2.5")], note="decimal commas", delimiter=";"),
    accepted("one column alone", b"a\n1\n\n2\n", [("1",), (None,), ("2",)]),
    refused("a very long cell", b"a,b\n1," + b"x" * 1_100_000 + b"\n", "csv-long-cell", "line 2", "1048576"),
    accepted("no header", b"1,2\n3,4\n", [("1", "2"), ("3", "4")], header=False, columns="a,b"),
    refused("a name too few", b"1,2\n", "csv-columns", "1 column names", header=False, columns="a"),
    refused(
        "a delimiter of two characters", GOOD, "parameter-range", "'delimiter'", exit_code=2, delimiter="::"
    ),
    refused("a workbook named as text", workbook(["a"], [1]), "file-format", "'xlsx'"),
    refused("text named as Parquet", GOOD, "file-format", "'parquet'", name="x.parquet"),
    refused("a damaged Parquet file", b"PAR1 damaged PAR1", "file-damaged", name="x.parquet"),
    refused("a damaged workbook", b"PK\x03\x04 damaged", "file-damaged", name="x.xlsx"),
    refused("a compressed file cut short", gzip.compress(GOOD)[:-9], "file-compressed", name="x.csv.gz"),
    refused("text named as compressed", GOOD, "file-compressed", name="x.csv.gz"),
    refused("no such file", None, "file-missing", "x.csv"),
    refused("a folder", None, "file-is-folder", "here", name="here", files={"here/x.csv": GOOD}),
    refused("a name too long", None, "file-unreadable", name="x" * 300 + ".csv"),
    refused("an unknown format", GOOD, "parameter-range", "'format'", exit_code=2, format="ods"),
    refused("a table of a text file", GOOD, "option-format", "'table'", exit_code=2, table="t"),
    refused("a role for no column", GOOD, "unknown-column", "'wage'", "'zip'", exit_code=2, quasi="wage"),
    refused(
        "a role for a column misspelled",
        GOOD,
        "unknown-column",
        "Did you mean 'disease'?",
        exit_code=2,
        quasi="Desease",
    ),
    refused(
        "a role for no column among a thousand",
        ",".join(f"c{number}" for number in range(1000)).encode() + b"\n" + b"1," * 999 + b"1\n",
        "unknown-column",
        "'c19' and 980 more",
        exit_code=2,
        quasi="wage",
    ),
    refused(
        "an open quote under a name of thousands of letters",
        b"a," + b"b" * 5000 + b'\n1,"x\n',
        "csv-open-quote",
        "never closed",
    ),
    refused("a column with two roles", GOOD, "two-roles", "'age'", exit_code=2, quasi="age", keep="age"),
)

LETTERS = (
    refused("a byte that is not UTF-8", b"a,b\n1,2\n3,\xe9\n", "text-utf8", "line 3", "0xe9", "latin-1"),
    accepted("Latin-1 by option", b"a,b\n1,\xe9\n", [("1", "é")], encoding="latin-1"),
    accepted("UTF-16", "a,b\n1,2\n".encode("utf-16"), [("1", "2")], note="UTF-16 text"),
    accepted("UTF-16 without a mark", "a,b\n1,2\n".encode("utf-16-be"), [("1", "2")], note="UTF-16 text"),
    accepted("Windows-1252", b"a,b\n1,caf\xe9\n", [("1", "caf\u00e9")], note="Windows-1252 text"),
    accepted("UTF-16 by option", "a,b\n1,é\n".encode("utf-16"), [("1", "é")], encoding="utf-16"),
    refused("an unknown encoding", GOOD, "unknown-encoding", "'utf-9'", exit_code=2, encoding="utf-9"),
    refused("bytes of another encoding", b"a,b\n1,\x81\n", "text-encoding", "line 2", encoding="cp1252"),
    refused(
        "two spellings of one accent",
        "a,b\né,1\ne\u0301,2\n".encode(),
        "text-nfc-twins",
        "'a'",
        "NFC",
        "fold",
        quasi="a",
    ),
    accepted(
        "two spellings of one accent folded",
        "a,b\né,1\ne\u0301,2\n".encode(),
        [("é", "1"), ("é", "2")],
        note="folded",
        quasi="a",
        twins="fold",
    ),
    refused(
        "a zero-width character",
        "a,b\nflu,1\nulcer\u200b,2\n".encode(),
        "text-zero-width",
        "line 3",
        "\\u200b",
        sensitive="a",
    ),
    accepted(
        "a zero-width character kept",
        "a,b\nulcer\u200b,2\n".encode(),
        [("ulcer\u200b", "2")],
        note="zero-width",
        sensitive="a",
        twins="keep",
    ),
    refused(
        "case twins", b"a,b\nFlu,1\nflu,2\n", "text-case-twins", "line 3", "'Flu'", "'flu'", sensitive="a"
    ),
    refused("values that differ in spaces around", b"a,b\nflu ,1\nflu,2\n", "text-space-twins", quasi="a"),
    accepted(
        "case twins folded into the more frequent",
        b"a,b\nFlu,1\nflu,2\nflu,3\n",
        [("flu", "1"), ("flu", "2"), ("flu", "3")],
        note="folded",
        sensitive="a",
        twins="fold",
    ),
    accepted(
        "case twins kept",
        b"a,b\nFlu,1\nflu,2\n",
        [("Flu", "1"), ("flu", "2")],
        note="apart",
        quasi="a",
        twins="keep",
    ),
    accepted(
        "case twins without a role are noted",
        b"a,b\nFlu,1\nflu,2\n",
        [("Flu", "1"), ("flu", "2")],
        note="apart",
    ),
    accepted(
        "values that look alike",
        "a,b\nCrohn's,1\nCrohn\u2019s,2\n".encode(),
        [("Crohn's", "1"), ("Crohn\u2019s", "2")],
        note="\\u2019",
        quasi="a",
    ),
    accepted(
        "values that look alike folded",
        "a,b\n20-30,1\n20\u201330,2\n20-30,3\n".encode(),
        [("20-30", "1"), ("20-30", "2"), ("20-30", "3")],
        note="folded",
        quasi="a",
        twins="fold",
    ),
    refused("an option that is none", GOOD, "parameter-range", "'twins'", exit_code=2, twins="merge"),
)

TYPES = (
    accepted("a column of text and numbers in text", b"a,b\n1,x\nx,y\n", [("1", "x"), ("x", "y")], quasi="a"),
    accepted(
        "three spellings of a number",
        b"a,b\n1,x\n1.0,x\n01,x\n",
        [("1", "x"), ("1.0", "x"), ("01", "x")],
        note="different values",
        quasi="a",
    ),
    accepted("dates in text", b"a\n2020-02-30\n2020-01-01\n", [("2020-02-30",), ("2020-01-01",)], quasi="a"),
    accepted("booleans in text", b"a,b\ntrue,0\nfalse,1\n", [("true", "0"), ("false", "1")], quasi="a"),
    accepted(
        "whole numbers above 2^53 in text",
        b"a\n9007199254740992\n9007199254740993\n",
        [("9007199254740992",), ("9007199254740993",)],
        quasi="a",
    ),
    accepted(
        "whole numbers above 2^53 in Parquet",
        parquet(a=[2**53, 2**53 + 1]),
        [("9007199254740992",), ("9007199254740993",)],
        name="x.parquet",
        quasi="a",
    ),
    accepted("nan and inf in text", b"a\nnan\ninf\n", [("nan",), ("inf",)], note="'nan'", quasi="a"),
    accepted(
        "nan and inf in Parquet",
        parquet(a=[float("nan"), float("inf")]),
        [(None,), ("inf",)],
        note="not a number",
        name="x.parquet",
        quasi="a",
    ),
    accepted(
        "days, truth and whole numbers in Excel",
        workbook(["a", "b"], [1, True], [2, False]),
        [("1", "true"), ("2", "false")],
        name="x.xlsx",
        quasi="a,b",
    ),
    refused(
        "text and numbers in Excel", workbook(["a"], [1], ["x"]), "mixed-types", name="x.xlsx", quasi="a"
    ),
    refused(
        "text and numbers in SQLite",
        database("CREATE TABLE t (a); INSERT INTO t VALUES (1), ('x');"),
        "mixed-types",
        "'a'",
        name="x.db",
        table="t",
        quasi="a",
    ),
    refused(
        "lists in Parquet", parquet(a=[[1], [2]]), "unsupported-type", "'a'", name="x.parquet", quasi="a"
    ),
    refused(
        "no such table",
        database("CREATE TABLE t (a); INSERT INTO t VALUES (1);"),
        "database-query",
        name="x.db",
        table="u",
    ),
    refused(
        "a database and no table", database("CREATE TABLE t (a);"), "database-query", name="x.db", exit_code=2
    ),
)

NULLS = (
    accepted("an empty cell is missing", b"a,b\n,1\nx,2\n", [(None, "1"), ("x", "2")], quasi="a"),
    accepted("empty quotes are the empty text", b'a,b\n"",1\n,2\n', [("", "1"), (None, "2")], quasi="a"),
    accepted("NA is text", b"a,b\nNA,1\nx,2\n", [("NA", "1"), ("x", "2")], note="'NA'", quasi="a"),
    accepted(
        "NA is missing by option",
        b"a,b\nNA,1\nx,2\n",
        [(None, "1"), ("x", "2")],
        quasi="a",
        null_values="NA,?",
    ),
    refused(
        "a sentence as a word for missing",
        b"a,b\nNA,1\nx,2\n",
        "null-values",
        "'Zaphod has the flu'",
        quasi="a",
        null_values="NA,Zaphod has the flu",
        exit_code=2,
    ),
    refused(
        "a missing quasi-identifier, rejected",
        b"a,b\nx,1\n,2\n",
        "null-value",
        "line 3",
        "'a'",
        quasi="a",
        nulls="reject",
    ),
    refused(
        "a missing sensitive value, rejected",
        b'a,b\n"x\ny",1\nz,\n',
        "null-value",
        "line 4",
        "'b'",
        quasi="a",
        sensitive="b",
        nulls="reject",
    ),
    accepted(
        "a row with a missing value, suppressed",
        b"a,b\nx,1\n,2\n",
        [("x", "1")],
        note="1 of 2",
        quasi="a",
        nulls="suppress",
    ),
    refused(
        "a missing sensitive value, suppressed",
        b"a,b\nx,1\ny,\n",
        "null-sensitive",
        "'b'",
        quasi="a",
        sensitive="b",
        nulls="suppress",
    ),
    refused(
        "every row with a missing value, suppressed", b"a,b\n,1\n,2\n", "no-rows", quasi="a", nulls="suppress"
    ),
    accepted(
        "a missing value without a role",
        b"a,b\nx,\ny,2\n",
        [("x", None), ("y", "2")],
        quasi="a",
        nulls="reject",
    ),
    accepted(
        "a column of missing values",
        b"a,b\n,1\n,2\n",
        [(None, "1"), (None, "2")],
        note="nothing but",
        quasi="a",
    ),
    accepted("a row of missing values", b"a,b\n,\nx,2\n", [(None, None), ("x", "2")], quasi="a,b"),
    refused("an option of nulls that is none", GOOD, "parameter-range", "'nulls'", exit_code=2, nulls="drop"),
)

CASES = (*TEXT_FORM, *LETTERS, *TYPES, *NULLS)
