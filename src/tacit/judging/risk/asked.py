"""The figures that standards may ask for, each measured when one does.

Beside those of classes: cells of a table of counts, small ones and those that follow from totals; columns
that identify people or say too much of them, by their names and by the form of their values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from tacit.data.column import Column
from tacit.data.table import Table
from tacit.data.transactions import words_of
from tacit.errors import listed
from tacit.judging.risk.classes import Classes, classes_of, numbers_in
from tacit.judging.risk.figures import FIGURES, Risk
from tacit.judging.risk.standards import Ask, Standard
from tacit.judging.roles import BY_NAME, IDENTIFYING, guess_roles
from tacit.typing import Floats

Answer = tuple[int | float | None, str]
"""A figure with the columns it is about, or None with the reason."""


@dataclass(frozen=True, eq=False)
class Stand:
    """A table that is held against standards."""

    table: Table
    risk: Risk | None
    """What was measured of it, where it is a table of people."""
    counts: str | None = None
    """The column with the counts, where it is a table of counts."""
    person: str | None = None
    """The column that tells people apart, where several rows are one person's."""
    group: str | None = None
    """The column that names buckets."""
    guessed: bool = False
    """Whether the roles were guessed: then a column without one may be a quasi-identifier."""

    def answer(self, ask: Ask, standard: Standard) -> Answer:
        """The figure that a standard asks for; none that would pass for classes which tell nothing."""
        value, why = self._figure(ask, standard)
        if value is None or self.risk is None or ask.figure in OF_COLUMNS or self.naming is None:
            return value, why
        return (None, self.naming) if ask.holds(value) else (value, why)

    def _figure(self, ask: Ask, standard: Standard) -> Answer:
        if ask.figure in OF_COLUMNS:
            gone = {column.name for column in self.table.dropped}
            columns = [self.table.column(name) for name in self.table.names if name not in gone]
            names = [column.name for column in columns if OF_COLUMNS[ask.figure](column, standard)]
            return len(names), ", ".join(names)
        if ask.figure in _OF_CELLS:
            return _OF_CELLS[ask.figure](self, ask)
        if self.risk is None:
            return None, "this is a table of counts"
        if "columns" in ask.more:
            return self._among(ask)
        one = self.risk.get(ask.figure)
        if one is None:
            return None, "it is not measured of these data"
        if isinstance(one.value, str) or one.value is None:
            return None, one.why
        if "needs" in ask.more and one.why:
            return None, f"it needs {ask.more['needs']}"
        return one.value, one.why

    def _among(self, ask: Ask) -> Answer:
        """A figure of the classes by some columns alone, which are found by a word of their names."""
        named = []
        for word in ask.more["columns"]:
            found = [name for name in self.table.names if word in words_of(name)]
            if not found:
                return None, f"no column is called {word!r}"
            named.append(found[0])
        if ask.figure != "k":
            return None, "only k is measured by some columns"
        return int(classes_of(self.table, named, (), self.person).sizes.min()), ", ".join(named)

    @cached_property
    def naming(self) -> str | None:
        """Why classes of people tell nothing: another column may name people, or tell them apart."""
        if not self.table.is_here:
            return None
        roles = (*self.table.roles.known, *self.table.roles.sensitive, self.person, self.group)
        columns = [self.table.column(name) for name in self.table.names if name not in roles]
        if self.guessed and columns:
            rest = listed([column.name for column in columns])
            return f"roles were guessed, and {rest} got none: name what readers know with --quasi (quasi=)"
        named = [
            column.name
            for column, guess in zip(columns, guess_roles(columns), strict=True)
            if guess.role == "identifier" and guess.why == BY_NAME
        ]
        return f"{', '.join(named)} may name people: leave it out, or give it a role" if named else None

    @cached_property
    def cells(self) -> Cells | None:
        return None if self.counts is None else cells_of(self.table, self.counts)

    @cached_property
    def classes(self) -> Classes:
        assert self.risk is not None
        values = {name: self.table.column(name).values.drop_nulls() for name in self.risk.sensitive}
        numbers = [name for name, there in values.items() if numbers_in(there) is not None]
        return classes_of(self.table, self.risk.quasi, numbers)


def _small_cells(stand: Stand, ask: Ask) -> Answer:
    below = int(ask.more["below"])
    if stand.cells is not None:
        derived = sum(0 < count < below for count in stand.cells.derived.values())
        return stand.cells.small(below), f"{derived:,} of them follow from totals" if derived else ""
    cells = classes_of(stand.table, stand.classes.names, (), stand.person)
    return int((cells.sizes < below).sum()), "each class of people is a cell"


def _unrounded_cells(stand: Stand, ask: Ask) -> Answer:
    if stand.cells is None:
        return None, "this is no table of counts"
    return stand.cells.unrounded(int(ask.more["base"])), ""


def _dominated_cells(stand: Stand, ask: Ask) -> Answer:
    largest, share = int(ask.more["largest"]), float(ask.more["share"])

    def dominated(ranked: Floats) -> bool:
        total = float(ranked.sum())
        return (float(ranked[:largest].sum()) / total if total else 0.0) >= share

    return _by_values(stand, dominated)


def _p_ratio_cells(stand: Stand, ask: Ask) -> Answer:
    share = float(ask.more["share"])
    return _by_values(stand, lambda ranked: ranked[2:].sum() < share * ranked[0])


def _by_values(stand: Stand, fails: Callable[[Floats], bool]) -> Answer:
    """How many cells fail by the values of the sensitive columns of numbers, largest first."""
    if stand.risk is None or not stand.classes.sensitive:
        return None, "no sensitive column of numbers"
    count = 0
    for held in stand.classes.sensitive:
        assert held.line is not None
        numbers = np.nan_to_num(held.line, nan=0.0)
        starts = np.flatnonzero(np.diff(held.classes, prepend=-1))
        for begin, end in pairwise([*starts.tolist(), len(held.classes)]):
            values = np.repeat(numbers[held.values[begin:end]], held.counts[begin:end])
            count += bool(fails(np.sort(values)[::-1]))
    return count, ", ".join(held.name for held in stand.classes.sensitive)


_OF_CELLS: dict[str, Callable[[Stand, Ask], Answer]] = {
    "small_cells": _small_cells,
    "unrounded_cells": _unrounded_cells,
    "dominated_cells": _dominated_cells,
    "p_ratio_cells": _p_ratio_cells,
}

TOTALS = {
    "total", "totals", "all", "both", "any", "persons", "sum", "overall", "insgesamt", "gesamt", "summe",
    "alle", "beide", "*",
}  # fmt: skip
"""A word of what a value is called that stands for all values of its column."""

Key = tuple[str | None, ...]


@dataclass(frozen=True)
class Cells:
    """The cells of a table of counts, by the values of its other columns; None where a count is withheld."""

    names: tuple[str, ...]
    counts: dict[Key, int | None]
    derived: dict[Key, int]
    """Withheld counts that follow from totals."""

    def small(self, below: int) -> int:
        """How many cells have a count from 1 up to, not including, a limit, stated or derived."""
        known = [*(count for count in self.counts.values() if count is not None), *self.derived.values()]
        return sum(0 < count < below for count in known)

    def unrounded(self, base: int) -> int:
        """How many stated counts are no multiple of a base."""
        return sum(count % base != 0 for count in self.counts.values() if count is not None)


def cells_of(table: Table, counts: str) -> Cells:
    """The cells of a table whose column ``counts`` holds the counts."""
    names = tuple(name for name in table.names if name != counts)
    columns = [table.column(name) for name in names]
    texts = [[column.texts[code] for code in column.codes] for column in columns]
    column = table.column(counts)
    keys: list[Key] = list(zip(*texts, strict=True)) if texts else [()] * len(table)
    found = {key: _whole(column.texts[code]) for key, code in zip(keys, column.codes, strict=True)}
    return Cells(names, found, _derived(found))


def _whole(text: str | None) -> int | None:
    """A count, or None where there is something else in its place: nothing, a star, '<11'."""
    plain = re.fullmatch(r"\+?(\d+)(\.0*)?", (text or "").strip())
    return int(plain[1]) if plain else None


def _derived(counts: dict[Key, int | None]) -> dict[Key, int]:
    """The withheld counts that follow, one after the other, from lines that have one unknown."""
    known: dict[Key, int] = {key: count for key, count in counts.items() if count is not None}
    lines = list(_lines(counts))
    found: dict[Key, int] = {}
    again = True
    while again:
        again = False
        for total, parts in lines:
            unknown = [key for key in (total, *parts) if key not in known]
            if len(unknown) != 1:
                continue
            if unknown[0] == total:
                value = sum(known[key] for key in parts)
            else:
                value = known[total] - sum(known[key] for key in parts if key in known)
            known[unknown[0]] = found[unknown[0]] = value
            again = True
    return found


def _lines(counts: dict[Key, int | None]) -> Iterator[tuple[Key, Sequence[Key]]]:
    """Each total with the cells that it is the sum of."""
    for place in range(len(next(iter(counts), ()))):
        lines = list(_lines_along(counts, place))
        if all(_adds_up(counts, total, parts) for total, parts in lines):
            yield from lines  # else not all values of the column are listed


def _adds_up(counts: dict[Key, int | None], total: Key, parts: Sequence[Key]) -> bool:
    """Whether a line whose counts are all stated has the sum that it says."""
    stated = [count for key in parts if (count := counts[key]) is not None]
    whole = counts[total]
    return whole is None or len(stated) < len(parts) or sum(stated) == whole


def _lines_along(counts: dict[Key, int | None], place: int) -> Iterator[tuple[Key, Sequence[Key]]]:
    by_line: dict[Key, list[Key]] = {}
    for key in counts:
        by_line.setdefault((*key[:place], *key[place + 1 :]), []).append(key)
    for keys in by_line.values():
        totals = [key for key in keys if TOTALS & {*(key[place] or "").lower().split()}]
        parts = [key for key in keys if key not in totals]
        if len(totals) == 1 and parts:
            yield totals[0], parts


NUMBERED = IDENTIFYING | {
    "fax", "beneficiary", "licence", "license", "certificate", "vehicle", "plate", "vin", "device", "serial",
    "url", "web", "website", "fingerprint", "voice", "biometric", "photo", "image", "face", "record",
    "insurance",
}  # fmt: skip
"""The kinds of identifiers that 45 CFR § 164.514(b)(2) lists, as columns are called."""
PLACES = {
    "address", "street", "city", "town", "county", "precinct", "parish", "village", "municipality",
    "district", "latitude", "longitude", "geocode", "lat", "lon",
}  # fmt: skip
POSTAL = {"zip", "zipcode", "postcode", "postal", "plz", "postleitzahl"}
AGES = {"age", "alter", "edad"}
ADDRESS = re.compile(
    r"[^@\s]+@[^@\s]+\.[a-z]{2,}|https?://\S+|\d{1,3}(\.\d{1,3}){3}|\d{3}-\d{2}-\d{4}", re.IGNORECASE
)
"""Addresses of mail, web and network, and social security numbers: one of them is enough."""
TELEPHONE = re.compile(r"\+?\d[\d ()/-]{7,}\d")
"""Telephone numbers, which other numbers look like."""
MONTH = r"(jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-zä]*\.?"
DATE = re.compile(
    rf"\d{{4}}[./-](\d{{1,2}}|Q[1-4]|H[12])([./-]\d{{1,2}})?([T ].*)?|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}"
    rf"|(\d{{1,2}}\.?[ -])?{MONTH}[ -](\d{{1,2}},? )?\d{{2,4}}",
    re.IGNORECASE,
)
"""Days, months, quarters and halves of a year: one of them is enough."""
DIGITS = re.compile(r"(1[89]|20)\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])")
"""Days without anything between, which other numbers look like."""
AGE = re.compile(r"(?P<low>\d+)(\.\d+)?( ?([-–]|to|bis) ?(?P<high>\d+)|(?P<open> ?\+))?")
"""An age, a range of ages, or all from one on."""
HALF = 0.5
OLDEST, NOBODY = 89, 115
"""The last age that is told by itself, and one that nobody in a table reaches."""


def _identifies(column: Column, standard: Standard) -> bool:
    """Whether it looks like an identifier of a person."""
    by_form = _share(column, ADDRESS) > 0 or (
        _share(column, TELEPHONE) >= HALF > max(_share(column, DATE), _share(column, DIGITS))
    )
    return bool(words_of(column.name) & NUMBERED - PLACES) or by_form


def _has_fine_places(column: Column, standard: Standard) -> bool:
    """Whether it has a place smaller than a state; three digits of a postal code are none."""
    words = words_of(column.name)
    return bool(words & PLACES or (words & POSTAL and any(len(digits) > 3 for digits in _digits(column))))


def _has_small_places(column: Column, standard: Standard) -> bool:
    """Whether it is a postal column with an area in which few people live."""
    small = set(standard.more.get("small_postal_areas", ()))
    return bool(words_of(column.name) & POSTAL) and any(digits[:3] in small for digits in _digits(column))


def _has_fine_dates(column: Column, standard: Standard) -> bool:
    """Whether it has dates that are finer than a year."""
    dated = _share(column, DATE) > 0 or _share(column, DIGITS) >= HALF
    return column.values.dtype.is_temporal() or dated


def _has_old_ages(column: Column, standard: Standard) -> bool:
    """Whether it has ages that tell more of somebody above 89 than that."""
    return bool(words_of(column.name) & AGES) and any(_old(text.strip()) for text in column.texts if text)


def _old(text: str) -> bool:
    """Whether an age, or one end of a range of ages, tells people above 89 apart."""
    found = AGE.fullmatch(text)
    if found is None:
        return False
    low, high = int(found["low"]), int(found["high"] or found["low"])
    return low > OLDEST + 1 or (not found["open"] and OLDEST < high < NOBODY)


def _digits(column: Column) -> list[str]:
    return [re.sub(r"\D", "", text) for text in column.texts if text]


def _share(column: Column, form: re.Pattern[str]) -> float:
    """The share of the different values that have a form."""
    texts = [text.strip() for text in column.texts if text]
    return sum(form.fullmatch(text) is not None for text in texts) / max(1, len(texts))


OF_COLUMNS: dict[str, Callable[[Column, Standard], bool]] = {
    "identifier_columns": _identifies,
    "fine_places": _has_fine_places,
    "small_places": _has_small_places,
    "fine_dates": _has_fine_dates,
    "old_ages": _has_old_ages,
}
"""How many columns are so, each by itself, whatever classes there are."""
ASKABLE = (*(figure.name for figure in FIGURES), *_OF_CELLS, *OF_COLUMNS)
"""Every figure that a standard may name."""
