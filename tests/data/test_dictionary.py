"""Cells numbered while a column is read: the texts come back, however numbers are spelled."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data.column import encode, folded, numbered, unnamed
from tacit.io.readers import vocabulary
from tacit.io.readers.delimited import Signs, pieces
from tacit.io.readers.vocabulary import Dictionary

CELLS = st.one_of(
    st.none(),
    st.integers(-50, 50).map(str),
    st.integers(-500, 500).map(lambda number: f"{number / 100:.2f}"),
    st.integers(-500, 500).map(lambda number: str(number / 100)),
    st.sampled_from(["01", "+1", "1e2", "-0", "-0.0", "1.", ".5", "nan", "inf", " 1", "", "x", "9" * 30]),
)


def read_back(pieces: list[list[str | None]]) -> list[str | None]:
    """The cells as their numbers and the texts of these give them."""
    found = Dictionary()
    for piece in pieces:
        found.add(pl.Series(piece, dtype=pl.String))
    codes, texts = found.codes()
    assert texts.n_unique() == len(texts)
    return [None if code < 0 else texts[int(code)] for code in codes]


@given(st.lists(st.lists(CELLS, min_size=1, max_size=12), max_size=4))
@settings(max_examples=100)
def test_cells_come_back_to_the_letter(pieces: list[list[str | None]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "SOME", 4)  # so few that short columns are looked at as numbers
        assert read_back(pieces) == [cell for piece in pieces for cell in piece]


@pytest.mark.parametrize("written", ["{:.2f}", "{!r}", "{:g}"])
def test_many_numbers_of_one_spelling_need_no_text(written: str) -> None:
    cells = [written.format(number / 100) for number in range(-3000, 3000)]
    piece = Dictionary()
    piece.add(pl.Series(cells))
    assert piece._spelling is not None
    assert read_back([cells, [None, "0.001"], cells[:7]]) == [*cells, None, "0.001", *cells[:7]]


@given(st.lists(st.lists(CELLS, min_size=1, max_size=12), max_size=4))
@settings(max_examples=100)
def test_identifiers_have_the_numbers_of_the_rows_they_are_first_in(pieces: list[list[str | None]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabulary, "SOME", 4)
        found = Dictionary()
        for piece in pieces:
            found.add(pl.Series(piece, dtype=pl.String))
        column = numbered("patient", found.names())
    cells = [cell for piece in pieces for cell in piece]
    names = [None if cell is None else folded(cell) for cell in cells]
    order = list(dict.fromkeys(name for name in names if name is not None))
    assert column.to_series().to_list() == [None if name is None else order.index(name) for name in names]
    assert (
        unnamed(encode(pl.Series("patient", cells, dtype=pl.String))).codes.tolist() == column.codes.tolist()
    )


WHOLE = st.one_of(
    st.none(),
    st.integers(-(2**31) - 1, 2**31).map(str),
    st.integers(-9, 9).map(str),
    st.sampled_from(["01", "+1", "-0", " 1", "1 ", "", '""', '"', "1,2", "x", "7\n8"]),
)


@given(st.lists(st.tuples(WHOLE, WHOLE, st.sampled_from(["a", 'b "c" d', "", None])), min_size=1, max_size=9))
@settings(max_examples=200)
def test_numbers_read_as_numbers_are_those_of_the_text(rows: list[tuple[str | None, ...]]) -> None:
    quoted = [[cell and '"' + cell.replace('"', '""') + '"' for cell in row] for row in rows]
    written = [
        ",".join("" if cell is None else cell if cell.isdigit() else quote or '""' for cell, quote in pairs)
        for pairs in (zip(row, quotes, strict=True) for row, quotes in zip(rows, quoted, strict=True))
    ]
    data = "".join(f"{line},.\n" for line in written).encode()
    (piece,) = pieces(data, Signs(b",", b'"'))
    kinds = [pl.Int32, pl.Int32, pl.String, pl.String]
    frame = piece.frame(kinds)
    texts = frame.with_columns(pl.all().cast(pl.String))
    assert texts.rows() == [(*row, ".") for row in rows]
    plain = all(cell is None or str_of(cell) == cell for row in rows for cell in row[:2])
    if plain and not any(cell == "" for row in rows for cell in row):
        assert frame.dtypes == kinds  # and they are read so wherever they can be


def str_of(cell: str) -> str | None:
    """The number that a cell is, as it is written in the shortest way; None where it is none."""
    number = int(cell) if re.fullmatch(r"-?[0-9]+", cell) else None
    return None if number is None or not -(2**31) < number < 2**31 else str(number)
