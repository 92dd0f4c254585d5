"""Comma-separated text: the reader against one that goes one character at a time."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import polars as pl
import pytest

from tacit.errors import InputError, UsageError
from tacit.io.readers import csv as reader
from tacit.io.readers.csv import LONGEST, CsvForm, CsvText
from tacit.io.readers.tables import read_table
from tacit.io.readers.text import checked_text, line_at
from tests.cases import cases
from tests.oracles.csv import RefusedError, line_of, parse

WIDTH = 3


def rows_of(data: bytes, *, width: int = WIDTH, **options: object) -> list[list[str | None]]:
    """The records of a text without a header, read as the toolkit reads it."""
    names = tuple(f"c{n}" for n in range(width))
    text = CsvText("x", data, CsvForm(**options).signs, (), 0, 0).below(names, 0)  # type: ignore[arg-type]
    read = reader.read_text(text, (), ())
    return [list(row) for row in zip(*(read.column(name).to_series() for name in names), strict=True)]


def _random_text(source: random.Random, alphabet: str) -> str:
    """Records that are mostly well-formed, so that reading gets far into them."""
    pieces = []
    for _ in range(source.randint(0, 6)):
        cells = []
        for _ in range(WIDTH if source.random() < 0.9 else source.randint(1, 5)):
            length = source.choice((0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 33))
            cell = "".join(source.choice(alphabet) for _ in range(length))
            if source.random() < 0.4:
                cell = '"' + cell.replace('"', '""') + '"'
            elif source.random() < 0.9:
                cell = cell.translate({ord(sign): "x" for sign in ',"\r\n'})
            cells.append(cell)
        pieces.append(",".join(cells))
        pieces.append(source.choice(("\n", "\r\n", "\r", "\n", "\n\n")))
    if pieces and source.random() < 0.3:
        pieces.pop()
    return "".join(pieces)


@pytest.mark.parametrize("skip_spaces", [False, pytest.param(True, marks=pytest.mark.ci)])
def test_random_texts_are_read_or_refused_as_the_definition_says(
    skip_spaces: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tacit.io.readers.delimited.PIECE", 24)  # so small that most texts have several
    source = random.Random(7)
    outcomes: dict[str, int] = {}
    for _ in range(cases(2400)):
        text = _random_text(source, 'ab ,"\n\ré')
        try:
            wanted: object = parse(text, width=WIDTH, skip_spaces=skip_spaces)
            outcome = "read"
        except RefusedError as refused:
            wanted = refused
            outcome = refused.code
        try:
            found: object = rows_of(text.encode(), skip_initial_space=skip_spaces)
        except InputError as error:
            assert error.where is not None and error.where.line is not None
            found = RefusedError(error.code, error.where.line)
        assert found == wanted, text
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    assert min(outcomes.values()) > cases(12), outcomes  # every outcome was met
    assert set(outcomes) == {"read", "csv-ragged", "csv-stray-quote", "csv-open-quote"}


@pytest.mark.parametrize("skip_spaces", [False, pytest.param(True, marks=pytest.mark.ci)])
@pytest.mark.parametrize("width", [1, 2])
def test_any_signs_in_any_order_are_read_or_refused_as_the_definition_says(
    skip_spaces: bool, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of so few signs, every neighbourhood occurs: blanks between two parts of a line end, for instance."""
    source = random.Random(width)
    refused = 0
    for number in range(cases(3000)):
        monkeypatch.setattr("tacit.io.readers.delimited.PIECE", 1 + number % 9)
        text = "".join(source.choice('a,"\n\r ') for _ in range(source.randint(1, 9)))
        try:
            wanted: object = parse(text, width=width, skip_spaces=skip_spaces)
        except RefusedError as error:
            wanted, refused = error, refused + 1
        try:
            found: object = rows_of(text.encode(), width=width, skip_initial_space=skip_spaces)
        except InputError as error:
            assert error.where is not None and error.where.line is not None
            found = RefusedError(error.code, error.where.line)
        assert found == wanted, text
    assert 300 < refused < 2900


def test_what_the_standard_library_writes_is_read(tmp_path: Path) -> None:
    source = random.Random(3)
    for number in range(cases(300)):
        rows = [
            [
                "".join(source.choice('ab,"\n\r\té\U0001f600') for _ in range(source.randint(0, 20)))
                for _ in range(4)
            ]
            for _ in range(source.randint(1, 5))
        ]
        written = io.StringIO(newline="")
        csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator=source.choice(("\n", "\r\n"))).writerows(
            rows
        )
        assert rows_of(written.getvalue().encode(), width=4) == rows, number


def test_many_values_of_every_length_get_codes_in_the_order_of_their_bytes(tmp_path: Path) -> None:
    source = random.Random(5)
    values = [
        source.choice("vvvvé") * source.randint(1, 3)
        + str(source.randint(0, 40_000))
        + "z" * source.randint(0, 14)
        for _ in range(60_000)
    ]
    (tmp_path / "x.csv").write_text(
        "v,w\n" + "".join(f"{value},{number % 7}\n" for number, value in enumerate(values))
    )
    column = read_table(tmp_path / "x.csv", identifiers="w", twins="keep").column("v")
    assert column.to_series().to_list() == values
    assert column.values.to_list() == sorted(set(values), key=str.encode)
    assert not column.codes.flags.writeable


def test_values_that_share_a_long_beginning_stay_apart() -> None:
    beginning = "x" * 100
    rows = [[beginning + str(number % 9), "a", "b"] for number in range(50)]
    assert rows_of("\n".join(",".join(row) for row in rows).encode()) == rows


def test_lines_are_counted_as_the_definition_says() -> None:
    source = random.Random(11)
    for _ in range(cases(2000)):
        text = "".join(source.choice("a\r\n") for _ in range(source.randint(1, 12)))
        for at in range(len(text)):
            assert line_at(text.encode(), at) == line_of(text, at), (text, at)


def test_a_cell_may_have_the_longest_length_and_no_more() -> None:
    assert rows_of(b"a,b," + b"x" * LONGEST)[0][2] == "x" * LONGEST
    for cell in (b"x" * (LONGEST + 1), b'"' + b"x" * (LONGEST + 1) + b'"'):
        with pytest.raises(InputError, match=str(LONGEST)) as caught:
            rows_of(b"a,b,c\na,b," + cell)
        assert caught.value.code == "csv-long-cell"
        assert caught.value.where is not None and caught.value.where.line == 2


def test_a_header_may_have_very_many_columns(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(cases(5000))]
    (tmp_path / "x.csv").write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    assert read_table(tmp_path / "x.csv").names == tuple(names)


def test_of_identifiers_numbers_alone_are_kept(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('name,age\n"Ann, A.",41\nBob,27\n,30\n')
    read = read_table(tmp_path / "x.csv", identifiers="name")
    assert read.names == ("age",)
    assert read.dropped[0].values.to_list() == [0, 1, None] and read.dropped[0].codes.tolist() == [0, 1, 2]
    # Not even their order: of people numbered from 1 on it would be the numbers.
    (tmp_path / "x.csv").write_text("id,age\n3,41\n,30\n1,27\n3,41\n2,27\n")
    read = read_table(tmp_path / "x.csv", identifiers="id")
    assert read.dropped[0].values.to_list() == [0, 1, 2, None]
    assert read.dropped[0].codes.tolist() == [0, 3, 1, 0, 2]


def test_other_quotes_and_none(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n'x,y',5\"\n")
    assert read_table(path, quote="'").to_polars().row(0) == ("x,y", '5"')
    path.write_text('a\tb\n"x\t5"\n')
    assert read_table(path, delimiter="\t", quote=None).to_polars().row(0) == ('"x', '5"')
    for wrong in (
        {"delimiter": ",,"},
        {"delimiter": "\n"},
        {"delimiter": "é"},
        {"quote": ""},
        {"skip_rows": -1},
    ):
        with pytest.raises(UsageError):
            read_table(path, **wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        read_table(path, delimiter='"')


def test_text_of_every_encoding_is_checked() -> None:
    text = "name\nZoë\r\nžluťoučký\n"
    assert checked_text(text.encode(), file="x") == text.encode()
    assert checked_text(b"\xef\xbb\xbf" + text.encode(), file="x") == text.encode()
    for encoding in ("utf-16", "utf-16-le", "utf-32", "cp1250"):
        assert checked_text(text.encode(encoding), file="x", encoding=encoding) == text.encode()
    for encoding in ("utf-16", "utf-16-be", "utf-16-le", "utf-32"):
        assert checked_text("a,b\n".encode(encoding), file="x") == b"a,b\n"
    for data, code, line in (
        (b"a\nb\xff\n", "text-utf8", 2),
        (b"a\r\nb\rc\xff", "text-utf8", 3),
        (b"a\nb\n\0", "text-nul", 3),
    ):
        with pytest.raises(InputError) as caught:
            checked_text(data, file="x")
        assert (caught.value.code, caught.value.where and caught.value.where.line) == (code, line)
    with pytest.raises(InputError) as caught:
        checked_text(b"a\nb\x81\n", file="x", encoding="cp1252")
    assert caught.value.code == "text-encoding" and caught.value.where and caught.value.where.line == 2
    for unknown in ("utf-99", "base64", "a\0b"):
        with pytest.raises(UsageError):
            checked_text(b"", file="x", encoding=unknown)


def test_invalid_bytes_are_found_behind_the_first_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.io.readers.text.PIECE", 16)
    good = "é,é\n".encode() * 20
    assert checked_text(good, file="x") == good
    with pytest.raises(InputError) as caught:
        checked_text(good + b"\xe9\n" + good, file="x")
    assert caught.value.where is not None and caught.value.where.line == 21


def test_polars_agrees_on_a_table_of_every_kind_of_cell(tmp_path: Path) -> None:
    source = random.Random(1)
    cells = ["a", "b,c", 'q"q', "line\nend", " x ", "1", "01", None]
    rows = [[source.choice(cells) for _ in range(5)] for _ in range(20_000)]
    frame = pl.DataFrame(rows, schema=[f"c{n}" for n in range(5)], orient="row")
    frame.write_csv(tmp_path / "x.csv")
    assert read_table(tmp_path / "x.csv", twins="keep").to_polars().equals(frame, null_equal=True)
