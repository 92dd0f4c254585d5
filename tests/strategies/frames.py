"""Small frames of every type, with nulls and any text, for round trips."""

from __future__ import annotations

from datetime import date, datetime

import polars as pl
from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
"""Any text that a text file may hold."""

PLAIN_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)

WHOLE = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False).map(lambda value: value + 0.0)
DAYS = st.dates(date(1900, 3, 1), date(9999, 12, 31))
TIMES = st.datetimes(datetime(1900, 3, 1), datetime(9999, 12, 31))

TYPES: dict[type[pl.DataType] | pl.DataType, st.SearchStrategy[object]] = {
    pl.String(): TEXT,
    pl.Int64(): WHOLE,
    pl.UInt64(): st.integers(0, 2**64 - 1),
    pl.Int8(): st.integers(-128, 127),
    pl.Float64(): FLOATS,
    pl.Boolean(): st.booleans(),
    pl.Date(): DAYS,
    pl.Datetime("us"): TIMES,
    pl.Decimal(20, 4): st.decimals(-(10**9), 10**9, places=4, allow_nan=False),
}


@st.composite
def frames(
    draw: st.DrawFn, types: dict[type[pl.DataType] | pl.DataType, st.SearchStrategy[object]] = TYPES
) -> pl.DataFrame:
    """A frame of one to three columns and one to six rows; a third of the values are null."""
    rows = draw(st.integers(1, 6))
    given_names = TEXT.filter(lambda name: name and name == name.strip())  # reading takes blanks away
    names = draw(st.lists(given_names, min_size=1, max_size=3, unique=True))
    columns = []
    for name in names:
        dtype = draw(st.sampled_from(list(types)))
        value = st.none() | types[dtype] | types[dtype]
        columns.append(pl.Series(name, draw(st.lists(value, min_size=rows, max_size=rows)), dtype=dtype))
    return pl.DataFrame(columns)
