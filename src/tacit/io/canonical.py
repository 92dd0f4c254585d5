"""One spelling for values that mean the same, however a file wrote them: to recognize, never to publish.

``34``, ``34.0`` and ``34,0`` are one number, ``2024-03-05`` and ``5 Mar 2024`` one day, ``Flu`` and ``flu``
with a blank behind it one text. A day is written as the number 20240305. What a comma, a point or the
first number of a date stands for is decided for the column as a whole: ``1,234`` is a fraction where
``0,5`` stands beside it.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from tacit.data.spelling import ZERO_WIDTH

MISSING = ("", "-", ".", "?", "na", "n/a", "#n/a", "nan", "null", "none")
"""What a missing value is written as, once case and blanks are gone."""

DIGITS = 12
"""So many digits of a fraction count: files and programs differ in the last ones."""

_LOOKED_AT = 200
"""So many values tell whether a column holds dates."""
_YEAR_FIRST = (
    r"^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})(?:[t ](?<time>[\d:.]+)(?:z|\+00:?00)?)?$"
)
_YEAR_LAST = (
    r"^(?<one>\d{1,2})(?<mark>[-/.])(?<two>\d{1,2})[-/.](?<year>\d{4}|\d{2})"
    r"(?:[t ](?<time>[\d:.]+)(?:z|\+00:?00)?)?$"
)
_NAMED = (
    r"^(?:(?<before>\d{1,2})\.?[- ])?(?<name>[a-zä]{3})[a-z]*\.?[- ]"
    r"(?:(?<after>\d{1,2}),? )?,?(?<year>\d{4}|\d{2})$"
)
_DATE = r"^\d{1,4}[-/.]\d{1,2}[-/.]\d|^(\d{1,2}\.?[- ])?[a-zä]{3,9}\.?[- ]\d"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = {name: number for number, name in enumerate(_MONTHS, 1)} | {"mär": 3, "mai": 5, "okt": 10, "dez": 12}
_CENTURY = 30
"""A year of two digits up to here is of this century."""

_GROUPED = r"^[+-]?\d{1,3}(?:%s\d{3})+$"
_NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$"
_WHOLE = r"^[+-]?\d+$"


def canonical(values: pl.Series) -> pl.Series:
    """The one spelling of each value, as text; a missing value is null.

    >>> canonical(pl.Series(["34.0", " 034", "3,4E1", "Flu ", "N/A"])).to_list()
    ['34', '34', '34', 'flu', None]
    >>> canonical(pl.Series(["5.3.2024", "31.12.1999"])).to_list()
    ['20240305', '19991231']
    >>> canonical(pl.Series([34.0, 0.1 + 0.2])).to_list()
    ['34', '0.3']
    """
    kind = values.dtype
    if kind.is_float() or kind.is_decimal():
        return _of_numbers(values)
    if kind in (pl.Date, pl.Datetime):
        time = pl.Series([""] * len(values)) if kind == pl.Date else values.dt.strftime("%H%M%S%.f")
        return _day(values.dt.year(), values.dt.month(), values.dt.day(), time)
    if kind != pl.String:
        return values.cast(pl.String).str.to_lowercase()
    texts = _folded(values)
    texts = texts.set(texts.is_in(MISSING), None)
    known = texts.drop_nulls()
    if known.is_empty():
        return texts
    looked_at = known.head(_LOOKED_AT)
    if int(looked_at.str.contains(_DATE).sum()) > 0.8 * len(looked_at):
        texts = _dates(texts)
    return _numbers(texts)


def _folded(values: pl.Series) -> pl.Series:
    """Each text in one case, form and width, without what is not seen and with single blanks."""
    if values.str.len_bytes().sum() != values.str.len_chars().sum():
        values = values.str.replace_all(ZERO_WIDTH, "").str.normalize("NFKC").str.to_uppercase()
        values = values.str.to_lowercase().str.normalize("NFKC")
    return values.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()


def _dates(texts: pl.Series) -> pl.Series:
    """The days among some texts as numbers; every other text stays."""
    found = texts.str.extract_groups(_YEAR_FIRST).struct
    first = _day(*(found.field(name) for name in ("year", "month", "day", "time")))
    found = texts.str.extract_groups(_YEAR_LAST).struct
    one, two = found.field("one").cast(pl.Int32), found.field("two").cast(pl.Int32)
    # 13 and more is no month; where no number of the column tells, slashes are read as in the United States.
    slashes = (found.field("mark") == "/").any()
    month_first = bool((two > 12).any()) or (slashes and not (one > 12).any())
    month, day = (one, two) if month_first else (two, one)
    last = _day(found.field("year"), month, day, found.field("time"))
    found = texts.str.extract_groups(_NAMED).struct
    month = found.field("name").replace_strict(_MONTH, default=None, return_dtype=pl.Int32)
    day = found.field("before").fill_null(found.field("after"))
    named = _day(found.field("year"), month, day, pl.Series([""] * len(texts)))
    return first.fill_null(last).fill_null(named).fill_null(texts)


def _day(year: pl.Series, month: pl.Series, day: pl.Series, time: pl.Series) -> pl.Series:
    """A day as the number yyyymmdd, with its time behind it unless that is midnight; null for no day."""
    frame = pl.DataFrame({"year": year, "month": month, "day": day}).cast(pl.Int32)
    short = pl.when(pl.col("year") > _CENTURY).then(1900).otherwise(2000)
    years = pl.col("year") + pl.when(pl.col("year") < 100).then(short).otherwise(0)
    number = years * 10000 + pl.col("month") * 100 + pl.col("day")
    real = pl.col("month").is_between(1, 12) & pl.col("day").is_between(1, 31)
    days = frame.select(pl.when(real).then(number).cast(pl.String)).to_series()
    times = time.fill_null("").str.replace_all(r"[:.]", "").str.strip_chars_end("0")
    return days + (" " + times).str.strip_chars_end()


def _numbers(texts: pl.Series) -> pl.Series:
    """The numbers among some texts in one spelling; every other text stays."""
    plain = texts.str.replace_all(r"^([+-]?)[ ]", "$1")
    if plain.str.contains(r"^[+-]?\d[\d .,'’]*[ .,'’]\d").any():
        plain = _without_groups(plain)
    whole = plain.str.contains(_WHOLE)
    if whole.any():
        short = plain.str.replace(r"^\+", "").str.replace(r"^(-?)0+(\d)", "$1$2").replace("-0", "0")
        texts = pl.select(pl.when(whole).then(short).otherwise(texts)).to_series()
    fraction = plain.str.contains(_NUMBER) & ~whole
    if fraction.any():
        numbers = plain.set(~fraction, None).cast(pl.Float64, strict=False)
        texts = _of_numbers(numbers).fill_null(texts)
    return texts


def _without_groups(texts: pl.Series) -> pl.Series:
    """Numbers without the marks between their thousands, and with a point before the fraction."""
    texts = pl.select(
        pl.when(texts.str.contains(r"^[+-]?\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?$"))
        .then(texts.str.replace_all(r"[ '’]", ""))
        .otherwise(texts)
    ).to_series()
    numbers = texts.filter(texts.str.contains(r"^[+-]?[\d.,]*\d[\d.,]*(?:e[+-]?\d+)?$"))
    commas = numbers.filter(numbers.str.contains(",") & ~numbers.str.contains(".", literal=True))
    point_groups = numbers.str.contains(r"\d\.\d{3},\d|\.\d{3}\.\d{3}$").any()
    comma_groups = numbers.str.contains(r"\d,\d{3}\.\d|,\d{3},\d{3}$").any() or (
        not point_groups and bool(commas.str.contains(_GROUPED % ",").all())
    )
    number = texts.str.contains(r"^[+-]?[\d.,]*\d[\d.,]*(?:e[+-]?\d+)?$")
    plain = texts.str.replace_all(".", "", literal=True) if point_groups else texts
    plain = plain.str.replace_all(",", "" if comma_groups else ".", literal=True)
    return pl.select(pl.when(number).then(plain).otherwise(texts)).to_series()


def _of_numbers(numbers: pl.Series) -> pl.Series:
    """Floats as text: whole numbers without a point, fractions to so many digits."""
    array = numbers.cast(pl.Float64).fill_null(np.nan).to_numpy()
    texts = [None if number != number else _shortest(number) for number in array.tolist()]
    return pl.Series(numbers.name, texts, dtype=pl.String)


def _shortest(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.{DIGITS}g}"
