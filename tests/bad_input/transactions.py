"""Transactions as people hand them in: what is refused, with which words, and what is accepted."""

from __future__ import annotations

import gzip
from pathlib import Path

import zstandard

import tacit
from tacit.data.transactions import transactions_from_sets
from tests.bad_input.case import Case

DAT = b"1 2 3\n2 3\n1 3\n"
LONG = b"who,what,illness\nann,milk,flu\nann,bread,flu\nbob,milk,cold\n"


def read(
    name: str,
    content: bytes,
    code: str | None,
    *,
    case: str,
    exit_code: int = 3,
    says: tuple[str, ...] = (),
    **options: str,
) -> Case:
    """A case whose library call and command line read one file with the same options."""
    flags = tuple(part for option, value in options.items() for part in (f"--{option}", value))
    return Case(
        f"transactions: {case}",
        call=lambda folder: tacit.read_transactions(folder / name, **options),
        command=("profile", name, *flags),
        code=code,
        exit_code=0 if code is None else exit_code,
        files={name: content},
        says=says,
    )


def write(name: str, records: list[list[str]], code: str, *, case: str, says: tuple[str, ...] = ()) -> Case:
    """A case of writing, through the library alone."""
    return Case(
        f"transactions: {case}",
        call=lambda folder: tacit.write_transactions(transactions_from_sets(records), folder / name),
        command=None,
        code=code,
        exit_code=6,
        says=says,
    )


def make_folder(folder: Path) -> None:
    (folder / "x.dat").mkdir()


ACCEPTED = (
    read("x.dat", DAT, None, case="plain FIMI"),
    read("x.dat", b"1 1 2\n2 2 2\n1 2\n", None, case="duplicate items are collapsed and counted"),
    read("x.dat", b"1 2\n\n2 1\n", None, case="an empty transaction is kept and counted"),
    read("x.dat", b"1 2\n" * 500, None, case="all transactions identical"),
    read("x.dat", b"1 2\r\n2\r1 2\n", None, case="mixed line ends"),
    read("x.dat", b"\xef\xbb\xbf1 2\n2\n", None, case="a byte order mark"),
    read("x.dat", b"1 01 1.0\n1\n", None, case="three spellings of a number are three items"),
    read("x.dat", b"-5 3\n3\n", None, case="negative numbers in FIMI are names"),
    read(
        "x.dat", " ".join(map(str, range(1_000_000))).encode(), None, case="a transaction of a million items"
    ),
    read(
        "x.dat",
        "café thé\n".encode("latin-1"),
        None,
        case="another encoding that is named",
        encoding="latin-1",
    ),
    read("x.dat", b"Milk milk\nmilk\n", None, case="case twins kept", twins="keep"),
    read("x.dat", b"Milk milk\nmilk\n", None, case="case twins folded", twins="fold"),
    read("x.dat.gz", gzip.compress(DAT), None, case="gzip"),
    read("x.dat.zst", zstandard.compress(DAT), None, case="Zstandard"),
    read("x.basket", b'"salt, coarse",bread\nbread\n', None, case="a quoted item with the delimiter"),
    read("x.basket", b"milk,bread,,\nbread,,,\n", None, case="empty cells are no items"),
    read("x.basket", b"milk;bread\nbeer;milk\n", None, case="semicolons between items"),
    read("x.dat", "1 2\n3 4\n".encode("utf-16"), None, case="UTF-16"),
    read("x.dat", b"1 2\ncaf\xe9\n", None, case="Windows-1252"),
    read("x.spmf", b"@ITEM=1=apple pie\n% remark\n1 2\n2\n", None, case="SPMF names and remarks"),
    read("x.jsonl", b'["a", "b"]\n[]\n{"items": ["a"]}\n', None, case="JSON arrays and objects"),
    read("x.csv", LONG, None, case="a long table", format="long", record="who", item="what"),
)

REFUSED_FILES = (
    read("x.dat", b"", "empty-file", case="an empty file", says=("x.dat",)),
    read("x.dat", b"\n\n \n", "no-items", case="only empty lines", says=("3 empty transactions",)),
    read("x.dat", b"1 2\n3 \x00 4\n", "text-nul", case="a NUL byte", says=("line 2",)),
    read("x.dat", b"1 2\ncaf\xff\n", "text-utf8", case="an encoding that is not told", says=("line 2",)),
    read("x.dat.gz", gzip.compress(DAT * 50)[:-9], "file-compressed", case="gzip cut short"),
    read("x.dat.zst", zstandard.compress(DAT * 50)[:-5], "file-compressed", case="Zstandard cut short"),
    Case(
        "transactions: no such file",
        call=lambda folder: tacit.read_transactions(folder / "absent.dat"),
        command=("profile", "absent.dat"),
        code="file-missing",
        exit_code=3,
        says=("absent.dat",),
    ),
    Case(
        "transactions: a folder instead of a file",
        call=lambda folder: tacit.read_transactions(folder / "x.dat"),
        command=("profile", "x.dat"),
        code="file-is-folder",
        exit_code=3,
        prepare=make_folder,
    ),
)

REFUSED_ITEMS = (
    read("x.dat", b"milk bread\nMilk\n", "text-case-twins", case="case twins", says=("Milk", "milk", "fold")),
    read("x.dat", "é\ne\u0301\n".encode(), "text-nfc-twins", case="two forms of an accent", says=("NFC",)),
    read("x.dat", "mi\u200blk bread\n".encode(), "text-zero-width", case="a zero-width character"),
    read(
        "x.dat",
        b"milk,bread\nmilk\nbeer,milk\n",
        "csv-delimiter",
        case="baskets in a FIMI file",
        says=("','",),
    ),
    read("x.basket", b'a,"b\nc,d\n', "csv-open-quote", case="a quote never closed", says=("line 1",)),
    read("x.basket", b'a,b\n"c"d,e\n', "csv-stray-quote", case="text after a quote", says=("line 2",)),
    read("x.basket", b'" ",a\n', "empty-item", case="an item of blanks", says=("line 1",)),
    read(
        "x.basket", b'a,b\nc, 7" plate\n', "csv-stray-quote", case="a quote inside an item", says=("line 2",)
    ),
    read("x.spmf", b"1 -1 2 -1 -2\n", "spmf-sequence", case="an SPMF sequence", says=("-1",)),
    read("x.spmf", b"1 2:9:4 5\n", "spmf-item", case="an SPMF utility file", says=("2:9:4",)),
    read(
        "x.spmf",
        b"1 2\nmilk 3\n",
        "spmf-item",
        case="an SPMF item that is no number",
        says=("line 2", "milk"),
    ),
    read(
        "x.spmf", b"@ITEM=1=a\n@ITEM=1=b\n1\n", "spmf-name", case="an SPMF item named twice", says=("line 2",)
    ),
    read("x.spmf", b"@ITEM=1=a\n@ITEM=2=a\n1 2\n", "spmf-name", case="two SPMF items of one name"),
)

REFUSED_JSON = (
    read("x.jsonl", b'["a"]\n["b",]\n', "json-malformed", case="malformed JSON", says=("line 2",)),
    read(
        "x.jsonl", b'["a"]\n\n["b"]\n', "json-malformed", case="an empty line of JSON", says=("line 2", "[]")
    ),
    read("x.jsonl", b'"a"\n', "json-malformed", case="a JSON line that is a text"),
    read("x.jsonl", b"[" * 100_000 + b"\n", "json-malformed", case="brackets without end", says=("line 1",)),
    read(
        "x.jsonl", b"[" * 90_000 + b"]" * 90_000 + b"\n", "json-malformed", case="arrays nested 90,000 deep"
    ),
    read("x.jsonl", b"[" + b"9" * 9_000 + b"}\n", "json-malformed", case="a number of 9,000 digits, broken"),
    read("x.jsonl", b'["a", ["b"]]\n', "json-nested", case="a nested JSON item", says=("line 1",)),
    read(
        "x.jsonl",
        b'["a"]\n["b", true]\n',
        "json-item",
        case="a JSON item that is no text",
        says=("line 2", "true"),
    ),
    read("x.jsonl", b'["a", 1.5]\n', "json-item", case="a JSON item with a fraction", says=("1.5",)),
    read("x.jsonl", b'["a", null]\n', "json-item", case="a JSON item that is null", says=("null",)),
    read("x.jsonl", b'["1", 2]\n[1]\n', "json-two-kinds", case="a number and a text alike", says=("line 2",)),
    read("x.jsonl", b'["a", ""]\n', "empty-item", case="an item without a name", says=("line 1",)),
    read("x.jsonl", b'["\\ud800"]\n', "text-surrogate", case="half of a character"),
    read(
        "x.jsonl", b'{"goods": ["a"]}\n', "json-no-items", case="a JSON object without items", says=("items",)
    ),
    read(
        "x.jsonl",
        b'{"items": ["a"], "ill": "flu"}\n{"items": ["b"]}\n',
        "json-no-sensitive",
        case="a JSON object without the sensitive field",
        says=("line 2", "ill"),
        sensitive="ill",
    ),
)

REFUSED_LONG = (
    read(
        "x.csv", LONG, "unknown-column", case="no such record column", exit_code=2, says=("whom", "who"),
        format="long", record="whom", item="what",
    ),
    read(
        "x.csv", LONG, "unknown-column", case="no item column named", exit_code=2, says=("'item'", "what"),
        format="long", record="who",
    ),
    read(
        "x.csv", LONG + b"bob,,cold\n", "null-item", case="a row without an item", says=("line 5",),
        format="long", record="who", item="what",
    ),
    read(
        "x.csv", LONG + b",beer,cold\n", "null-record", case="a row without a record", says=("line 5",),
        format="long", record="who", item="what",
    ),
    read(
        "x.csv", LONG + b"ann,beer,cold\n", "sensitive-varies", case="two sensitive values in a record",
        says=("line 5", "illness"), format="long", record="who", item="what", sensitive="illness",
    ),
)  # fmt: skip

REFUSED_CALLS = (
    read("x.dat", DAT, "parameter-range", case="an unknown format", exit_code=2, format="xml"),
    read("x.txt", DAT, "unknown-format", case="a name that tells no format", exit_code=2, item="a"),
    read("x.dat", DAT, "option-format", case="a delimiter for FIMI", exit_code=2, delimiter=","),
    read("x.dat", DAT, "unknown-encoding", case="an unknown encoding", exit_code=2, encoding="klingon"),
    read("x.dat", DAT, "parameter-range", case="an unknown choice for twins", exit_code=2, twins="merge"),
    write("x.dat", [["apple pie"]], "item-has-delimiter", case="a blank in a FIMI item", says=("apple pie",)),
    write("x.spmf", [["a\nb"]], "item-has-delimiter", case="a line end in an SPMF item"),
    write("x.parquet", [["a"], []], "empty-record", case="an empty transaction in a long table"),
    write("x.jsonl", [["a", ""]], "item-not-text", case="writing an item without a name"),
    Case(
        "transactions: writing over what is there",
        call=lambda folder: tacit.write_transactions(transactions_from_sets([["a"]]), folder / "x.dat"),
        command=None,
        code="output-exists",
        exit_code=6,
        files={"x.dat": DAT},
        says=("x.dat", "overwrite"),
    ),
)

CASES = (*ACCEPTED, *REFUSED_FILES, *REFUSED_ITEMS, *REFUSED_JSON, *REFUSED_LONG, *REFUSED_CALLS)
