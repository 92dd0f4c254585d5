"""Cells numbered while a column is read: the texts come back, however numbers are spelled."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data.column import encode, folded, numbered, unnamed
from tacit.io.readers import vocabulary
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
