"""One spelling for values that mean the same, and different ones for those that do not."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.io.canonical import canonical


def spelled(*values: object) -> list[str | None]:
    return canonical(pl.Series(list(values))).to_list()


@settings(deadline=None, max_examples=50)
@given(st.integers(-(10**12), 10**12))
def test_whole_numbers(number: int) -> None:
    texts = [str(number), f" {number} ", f"{number}.0", f"{number}.", f"{number}.00"]
    assert set(spelled(*texts)) == {str(number)} == set(spelled(number))
    assert spelled(f"{number},0", "0,5")[0] == str(number)
    assert spelled(f"{number:,}".replace(",", " "))[0] == str(number)
    assert spelled(f"{number:,}.0", "1,000.5")[0] == str(number)


@settings(deadline=None, max_examples=12)
@given(st.dates(date(1931, 1, 1), date(2030, 12, 31)))
def test_days(day: date) -> None:
    number = day.strftime("%Y%m%d")
    sure = date(1999, 12, 31)  # tells which number is the month
    for how in (
        *("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%-d.%-m.%y", "%d-%m-%Y"),
        *("%d %b %Y", "%-d %B %Y", "%B %-d, %Y", "%d-%b-%y", "%Y-%m-%dT00:00:00", "%Y-%m-%d 00:00:00.000"),
    ):
        assert spelled(day.strftime(how), sure.strftime(how)) == [number, "19991231"], how
    assert spelled(day) == spelled(datetime(day.year, day.month, day.day)) == [number]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Flu", "cold"), ("flu ", "COLD")),
        (("Crohn disease",), ("crohn\u00a0 disease\u200b",)),
        (("Male",), ("Ｍａｌｅ",)),
        (("e\u0301",), ("É",)),
        (("Straße",), ("STRASSE",)),
        ((0.1 + 0.2,), ("0.3",)),
        ((Decimal("34.50"),), (34.5,)),
        ((None, "x"), ("N/A", "x")),
        ((True, False), ("TRUE", "false")),
        (("1.234,5", "7"), ("1234.5", "7.0")),
        (("1'234",), (1234,)),
        (("2024-03-05 13:30",), (datetime(2024, 3, 5, 13, 30),)),
        (("00123",), (123,)),
    ],
)
def test_alike(one: tuple[object, ...], other: tuple[object, ...]) -> None:
    assert spelled(*one) == spelled(*other)


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.one_of(st.none(), st.text(max_size=12), st.from_regex(r"[-+ 0-9.,/e:]{1,12}")), max_size=8)
)
def test_it_takes_every_text_and_settles_at_once(texts: list[str | None]) -> None:
    found = canonical(pl.Series(texts, dtype=pl.String))
    assert len(found) == len(texts)
    assert all(value is None for text, value in zip(texts, found, strict=True) if text is None)


@pytest.mark.parametrize(
    "values", [("flu", "cold"), ("12", "21"), ("1.5", "15"), ("2024-03-05", "2024-05-03")]
)
def test_different_stays_different(values: tuple[str, ...]) -> None:
    assert len(set(spelled(*values))) == len(values)
