"""What the cells of text columns mean: numbers with a decimal comma, days in the order of a country, missing.

A column is read so only where every cell that is not missing fits, and fits in one way. It is then written
as everybody reads it (``1234.5``, ``2024-12-31``). Where two ways fit (``1,234``, ``03/04/2024``) another
column of the file may tell; if none does, the cells stay as they are and the owner is asked.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, get_args

import numpy as np
import polars as pl

from tacit.data.column import Column, encode, frozen
from tacit.errors import Place, Said, listed, option, shorten
from tacit.ranges import OneOf

DecimalSign = Literal[",", "."]
DateOrder = Literal["day-first", "month-first"]
DECIMALS, ORDERS = OneOf(get_args(DecimalSign)), OneOf(get_args(DateOrder))
"""What the options ``decimal`` and ``dates`` may be."""

MISSING = (
    "", "-", "--", ".", "..", "?", "na", "n/a", "n.a.", "#n/a", "nan", "null", "none", "missing", "k.a.",
    "k.a", "k. a.", "keine angabe", "unbekannt", "unknown", "fehlt", "not available", "not reported",
    "\\n",
)  # fmt: skip
"""What stands for a missing value among numbers or days, in small letters."""
MISSING_WORDS = ("\\N", "N/A", "n/a", "#N/A", "NaN", "NULL", "k.A.", "k. A.", "keine Angabe")
"""What stands for a missing value among words as well."""

_GROUP = "[ '’\u00a0\u202f]"
_PLAIN = r"^[+-]?\d+(?:\.\d+)?$"
_COMMA = rf"^[+-]?(?:\d+|\d{{1,3}}(?:\.\d{{3}})+|\d{{1,3}}(?:{_GROUP}\d{{3}})+)(?:,\d+)?$"
_POINT = rf"^[+-]?(?:\d+|\d{{1,3}}(?:,\d{{3}})+|\d{{1,3}}(?:{_GROUP}\d{{3}})+)(?:\.\d+)?$"
_MONEY = "[€$£¥]|EUR|USD|CHF|GBP"
_UNIT = re.compile(
    rf"(?P<before>{_MONEY})?{_GROUP}?[+-]?\d[\d.,]*(?:{_GROUP}\d+)*{_GROUP}?(?P<behind>{_MONEY}|%)?$"
)
_TIME = r"((?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?)"
_ISO = r"^\d{4}-\d\d-\d\d(?:[ T].*)?$"
_YEAR_FIRST = re.compile(rf"(?P<y>\d{{4}})(?P<sign>[./])(?P<m>\d{{1,2}})(?P=sign)(?P<d>\d{{1,2}}){_TIME}")
_DAY_FIRST = re.compile(rf"(?P<d>\d{{1,2}})(?P<sign>[./-])(?P<m>\d{{1,2}})(?P=sign)(?P<y>\d{{4}}){_TIME}")
_MONTH_FIRST = re.compile(rf"(?P<m>\d{{1,2}})(?P<sign>[/-])(?P<d>\d{{1,2}})(?P=sign)(?P<y>\d{{4}}){_TIME}")

TOTAL = re.compile(
    r"(grand |sub-?|zwischen|teil|sous-)?(total|totals|totale|summe|sum|gesamt|insgesamt|gesamtergebnis"
    r"|gesamtsumme|average|mean|mittelwert|durchschnitt|somme|suma|moyenne)\b"
    r"|[#(]?\s*\d+ (rows|records|zeilen|datensätze)\b",
    re.IGNORECASE,
)
"""How a row begins that sums the others up."""
FOUND = "Found and read so: "
"""How the sentence begins that tells what was found in a file."""
FEW_ROWS = 0.1
"""Rows that hold hardly a value are told of where their share is smaller."""
MORE_THAN_CHANCE = 3
"""And where there are so many times more of them than there would be by chance."""
SOME = 20
"""So many cells are looked at before all of them are."""
FEWEST = 8
"""A code for missing values is told only beside so many other numbers."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the owner says: the decimal sign, the order of days, or that cells mean what they are."""

    decimal: str | None = None
    dates: str | None = None
    recognize: bool = True


@dataclass(frozen=True, slots=True)
class Recognized:
    """The columns as they are meant, what was found in them, and what could not be told."""

    columns: Sequence[Column]
    found: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


def recognized(columns: Sequence[Column], asked: Asked) -> Recognized:
    """The columns of a text as they are meant."""
    if not asked.recognize:
        return Recognized(columns)
    seen = [_Seen.of(column) for column in columns]
    told = {way for one in seen for way in one.tells}
    answers = [asked.decimal, asked.dates, *_agreed(told, DECIMALS), *_agreed(told, ORDERS)]
    for one in seen:
        one.way = next((way for way in [*answers, *one.only] if way in one.ways), None)
    found: dict[str, list[str]] = {}
    for one in seen:
        for what in one.found():
            found.setdefault(what, []).append(one.column.name)
    told_of = tuple(f"{what} in {listed(names)}" for what, names in found.items())
    return Recognized([one.read() for one in seen], told_of, tuple(filter(None, map(_question, seen))))


def said(found: Sequence[str], questions: Sequence[str]) -> tuple[str, ...]:
    """What is told of how a file was read: one sentence, and one for each thing that could not be told."""
    return (f"{FOUND}{'; '.join(found)}.", *questions) if found else tuple(questions)


def odd_rows(columns: Sequence[Column], place: Callable[[int, str], Place]) -> tuple[str, ...]:
    """What is told of rows that seem to be no records: names or units again, totals, the name of a part.

    In a row of names or units two columns of numbers hold words. Other such rows hold two values at the most
    where nearly all hold more, and more often than gaps of each column by itself would bring them about;
    a blank one counts as a record, and so does a person of whom nothing is known.
    """
    width = len(columns)
    most = 2 if width > 4 else 1 if width > 2 else 0
    words = [(column, codes) for column in columns if (codes := _words_among_numbers(column))]
    holed = [column for column in columns if column.null_code is not None]
    told = []
    if len(words) > 1:
        strange = np.sum([np.isin(column.codes, codes) for column, codes in words], axis=0) > 1
        told.append((strange, "words in columns of numbers, as names of columns and units do"))
    if width > 1 and width - len(holed) <= most:
        missing = np.sum([column.codes == column.null_code for column in holed], axis=0)
        sparse = width - missing <= most
        chances = np.ones(1)  # of so many values in a row, whose gaps have nothing to do with each other
        for column in columns:
            gaps = 0.0 if column.null_code is None else float((column.codes == column.null_code).mean())
            chances = np.convolve(chances, [gaps, 1 - gaps])
        if MORE_THAN_CHANCE * chances[: most + 1].sum() < sparse.mean() < FEW_ROWS:
            told.append((sparse, "hardly a value, as totals, headings and blank lines do"))
    if holed and len(totals := _totals(columns[0])):
        summed = np.isin(columns[0].codes, totals)
        summed &= np.any([column.codes == column.null_code for column in holed], axis=0)
        summed &= ~np.any([rows for rows, _ in told], axis=0)
        if summed.mean() < FEW_ROWS:
            told.append((summed, "a word for a total at their beginning, and not all values"))
    return tuple(
        f"Rows that hold {what}: {int(rows.sum())}, the first in line"
        f" {place(int(np.argmax(rows)), columns[0].name).line}. They count as records: take out what is none."
        for rows, what in told
        if rows.any()
    )


def _totals(column: Column) -> list[int]:
    """The codes of the texts that begin as the first cell of a total does."""
    if column.values.dtype != pl.String:
        return []
    return column.values.str.contains(rf"(?i)^\s*({TOTAL.pattern})").arg_true().to_list()


def _words_among_numbers(column: Column) -> list[int]:
    """The codes of one or two texts in a column whose other values, many of them, are all numbers."""
    values = column.values.drop_nulls()
    if values.dtype != pl.String or len(values) <= FEWEST:
        return []
    if sum(re.match(_PLAIN, text) is None for text in values.head(SOME)) > 2 or _all(values, _PLAIN):
        return []
    words = (~values.str.contains(_PLAIN)).arg_true().to_list()
    return words if len(words) <= 2 else []


def _agreed(told: set[str], ways: OneOf) -> list[str]:
    """The way that columns tell, where they do not tell two."""
    found = [way for way in ways.words if way in told]
    return found if len(found) == 1 else []


@dataclass(slots=True)
class _Seen:
    """A column, its cells that mean missing, the ways in which the others can be read, and the one chosen."""

    column: Column
    missing: list[str] = field(default_factory=list)
    ways: dict[str, Callable[[str], str]] = field(default_factory=dict)
    tells: tuple[str, ...] = ()
    """The ways that its cells prove."""
    example: str = ""
    unit: str = ""
    """What stands beside every number, and is left out."""
    way: str | None = None

    @classmethod
    def of(cls, column: Column) -> _Seen:
        if column.values.dtype != pl.String:
            return cls(column)
        values = column.values.drop_nulls().alias("cell")
        text, word = pl.col("cell").str.strip_chars(), pl.col("cell").is_in((*MISSING_WORDS, "NA"))
        cells = values.to_frame().select(
            text.alias("text"), text.str.to_lowercase().is_in(MISSING).alias("absent"), word.alias("word")
        )
        absent = cells["absent"]
        unit, held = _without_unit(cells["text"].filter(~absent))
        ways = _ways(held) if len(held) else None
        if unit and ways is not None:
            ways = {way: partial(_bare, unit, read) for way, read in (ways or {"unit": str}).items()}
        if ways is None:
            words = values.filter(cells["word"]).to_list()
            if "NA" in words and (held.is_empty() or held.str.len_chars().median() <= 3):  # type: ignore[operator]
                words.remove("NA")  # which is Namibia among short codes
            return cls(column, words)
        missing = values.filter(absent).to_list()
        plain = _all(held, _PLAIN)
        if plain:
            missing += _codes(column, absent)
        fraction = plain and not _all(held, r"^[^.]*$|\.\d{3}$")
        tells = tuple(ways) if len(ways) == 1 else (".",) if fraction else ()
        return cls(column, missing, ways, tells, held[0], unit)

    @property
    def only(self) -> tuple[str, ...]:
        return tuple(self.ways) if len(self.ways) == 1 else ()

    def found(self) -> list[str]:
        """What is said of the column, without its name."""
        without = f" without {self.unit!r}" if self.unit else ""
        told = [f"{WAYS[self.way]}{without}"] if self.way is not None else []
        return [*told, *([f"{listed(self.missing)} as missing"] if self.missing else [])]

    def read(self) -> Column:
        """The column with its cells read in the way that was chosen."""
        if self.way is None and not self.missing:
            return self.column
        missing, read = set(self.missing), self.ways.get(self.way or "", str)

        def meant(text: str | None) -> str | None:
            return None if text is None or text in missing else read(text.strip() if self.way else text)

        name, codes = self.column.name, self.column.codes
        values = encode(pl.Series(name, [meant(text) for text in self.column.texts], dtype=pl.String))
        return Column(name, frozen(values.codes[codes]), values.values)


WAYS = {
    ",": "decimal commas",
    ".": "commas between thousands",
    "day-first": "days before months",
    "month-first": "months before days",
    "year-first": "years before months",
    "unit": "numbers",
    "as written": "numbers",
}
"""What is said of each way to read a column."""


def _without_unit(texts: pl.Series) -> tuple[str, pl.Series]:
    """The unit that every number of a column has before or behind it, if it is one and the same; the rest."""
    found = _UNIT.match(texts[0]) if len(texts) else None
    unit = found and (found["before"] or found["behind"])
    if not unit or not _all(texts, rf"^{re.escape(unit)}{_GROUP}?[+-]?\d|\d{_GROUP}?{re.escape(unit)}$"):
        return "", texts
    return unit, texts.str.replace(unit, "", literal=True).str.strip_chars()


def _ways(texts: pl.Series) -> dict[str, Callable[[str], str]] | None:
    """The ways to read texts other than as they are; {} where none is needed, None where they are words."""
    if _all(texts, _PLAIN):
        # All could be thousands, if another column tells that a comma comes before the fraction.
        grouped = _all(texts, r"^[+-]?[1-9]\d{0,2}(?:\.\d{3})?$") and not _all(texts, r"^[^.]*$")
        return {",": _from_comma, "as written": str} if grouped else {}
    if _all(texts, _ISO):
        return {}
    if not _all(texts.head(SOME), r"^[+-]?\d"):
        return None
    readers: dict[str, Callable[[str], str]] = {
        way: read
        for way, pattern, read in ((",", _COMMA, _from_comma), (".", _POINT, _from_point))
        if _all(texts, pattern)
    }
    days = (("day-first", _DAY_FIRST), ("month-first", _MONTH_FIRST), ("year-first", _YEAR_FIRST))
    readers |= {order: _DayReader(form) for order, form in days if _are_days(texts, form)}
    return readers or None


def _all(texts: pl.Series, pattern: str) -> bool:
    """Whether a pattern is in every text; the first few mostly tell, and looking at them costs nothing."""
    few = all(re.search(pattern, text) for text in texts.head(SOME))
    return few and (len(texts) <= SOME or texts.str.contains(pattern).all())


def _question(one: _Seen) -> str | None:
    if one.way is not None or len(one.ways) < 2 or "as written" in one.ways:
        return None
    about, what = repr(shorten(one.column.name)), repr(shorten(one.example))
    if "day-first" in one.ways:
        return Said(
            f"Column {about} holds days such as {what}, and nothing tells whether the day or the month comes"
            f" first: they are kept as text. Say it with {option('dates', 'day-first')}, or 'month-first'."
        )
    return Said(
        f"Column {about} holds numbers such as {what}, and nothing tells whether the comma parts thousands or"
        f" comes before the fraction: they are kept as text. Say it with {option('decimal', ',')}, or '.'."
    )


def _codes(column: Column, absent: pl.Series) -> list[str]:
    """Whole numbers that mean missing: repeated, of nines or negative, and far from all others."""
    values = column.values.drop_nulls().filter(~absent)
    if len(values) <= FEWEST or not _all(values, r"^\s*-?\d{1,15}\s*$"):
        return []
    candidates = values.str.contains(r"^\s*(9{3,}|-(1|9+))\s*$").arg_true().to_numpy()
    if not len(candidates):
        return []
    numbers = values.str.strip_chars().cast(pl.Int64).to_numpy()
    counts = column.counts[column.values.is_not_null().to_numpy()][~absent.to_numpy()]
    often = 2 * np.partition(counts, len(counts) // 2)[len(counts) // 2]
    found: list[str] = []
    for place in candidates[counts[candidates] >= max(2, often)].tolist():
        number = int(numbers[place])
        others = numbers[numbers != number]
        low, high = int(others.min()), int(others.max())
        if low >= 0 if number < 0 else number > high + 2 * max(high - low, high):
            found.append(values[place])
    return found


@dataclass(frozen=True, slots=True)
class _DayReader:
    """Days written in one order, as years, months and days."""

    form: re.Pattern[str]

    def __call__(self, text: str) -> str:
        found = self.form.fullmatch(text)
        assert found is not None
        return f"{found['y']}-{int(found['m']):02}-{int(found['d']):02}{found[5]}"


def _are_days(texts: pl.Series, form: re.Pattern[str]) -> bool:
    """Whether every text is a day of the calendar when it is read so."""
    read = _DayReader(form)
    try:
        for text in texts:
            if form.fullmatch(text) is None:
                return False
            datetime.date.fromisoformat(read(text)[:10])
    except ValueError:
        return False
    return True


def _bare(unit: str, read: Callable[[str], str], text: str) -> str:
    """A number without its unit, read in a way."""
    return read(text.replace(unit, "", 1).strip())


def _from_comma(text: str) -> str:
    return re.sub(rf"\.|{_GROUP}", "", text).replace(",", ".")


def _from_point(text: str) -> str:
    return re.sub(rf",|{_GROUP}", "", text)
