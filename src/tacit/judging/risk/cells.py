"""The cells of a table of counts: what is stated of each, and which withheld counts follow from the others.

A total is the sum of the cells of its line. All lines together are a system of linear equations in the
withheld counts. One of them follows exactly where its unit vector lies in the row space: where the reduced
row that it leads has no other unknown. Counts are never negative, and ``<11`` is at most 10, so that one may
follow by its bounds as well; these are carried from line to line.

What cannot be read, or does not add up, is a doubt: such a table never passes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.column import Column
from tacit.data.table import Table
from tacit.data.transactions import words_of
from tacit.errors import listed
from tacit.judging.risk.classes import numbers_in
from tacit.judging.roles import measures
from tacit.typing import Bools, Codes

TOTALS = {
    "total", "totals", "all", "both", "any", "persons", "sum", "overall", "insgesamt", "gesamt", "summe",
    "alle", "beide", "tot", "grand", "subtotal", "combined", "everyone", "everybody", "zusammen", "totale",
    "ensemble", "tous", "toutes", "ambos", "todos", "todas", "tutti",
}  # fmt: skip
"""A word of what a value is called that stands for all values of its column."""
AMOUNTS = {
    "percent", "percentage", "pct", "share", "rate", "proportion", "ratio", "mean", "average", "prozent",
    "anteil", "mittelwert", "pourcentage", "porcentaje",
}  # fmt: skip
"""A word of the name of a column that tells counts in another way."""
WITHHELD = re.compile(
    r"|\*+|-+|[–—#?]|\.{1,3}|x+|s|c|n/?[ad]\.?|\[?\(?(redacted|suppressed|withheld|masked|censored|missing"
    r"|unknown|null|none|nan|not available|c|x|s|z)\]?\)?",
    re.IGNORECASE,
)
"""What stands in place of a count that is not told."""
WHOLE = re.compile(r"\+?(\d+|\d{1,3}(?:[,'’ \u00a0\u202f]\d{3})+)(?:\.0*)?")
LESS = re.compile(r"(<=|=<|≤|<|fewer than |less than |under |up to |at most )\s*(\d+)", re.IGNORECASE)
MORE = re.compile(r"(?:(>=|≥|>)\s*(\d+)|(\d+)\s*\+)")
RANGE = re.compile(r"(\d+)\s*(?:-|–|to|bis)\s*(\d+)", re.IGNORECASE)
LARGEST = 2**53
"""Sums of counts up to this are exact."""
MOST_STEPS = 3_000_000
"""So many coefficients are changed at most; beyond, what else follows is not known."""
MOST_ROUNDS = 20
"""Bounds are carried along all lines so many times at most."""

Key = tuple[str | None, ...]
Line = dict[int, int]
"""The unknown cells of a line with their coefficients: 1 for a part, -1 for a total."""
Bound = int | float


@dataclass(frozen=True)
class Cells:
    """The cells of a table of counts."""

    counts: Sequence[int]
    """Every count that is stated."""
    bounds: Sequence[tuple[Bound, Bound]]
    """What is told of the others: between what they are."""
    derived: Mapping[Key, int]
    """Withheld counts that follow from the others, by the values of the other columns."""
    perhaps: Mapping[Key, int] = field(default_factory=dict)
    """Those that would follow if a value were a total that is not called so."""
    unread: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    """Why more may follow than was found."""
    uneven: int = 0
    """How many lines do not add up."""

    def small(self, below: int) -> int:
        """How many cells have a count from 1 up to, not including, a limit, stated or derived."""
        return sum(0 < count < below for count in (*self.counts, *self.derived.values()))

    def unrounded(self, base: int) -> int:
        """How many stated counts are no multiple of a base."""
        return sum(count % base != 0 for count in self.counts)

    def doubt(self, below: int, base: int | None = None) -> str:
        """Why it is not known that no more cells are below a limit; nothing where it is.

        Counts that are all rounded to ``base`` need not add up.
        """
        found = [*filter(None, [self.doubt_of_reading]), *self.doubts]
        if any(high < below and (low > 1 or 0 < high < below - 1) for low, high in self.bounds):
            found.append(f"a range of counts says more than that one is below {below}")
        if self.uneven and (base is None or self.unrounded(base)):
            found.append(f"{self.uneven:,} lines do not add up to their total")
        if any(0 < count < below for count in self.perhaps.values()):
            found.append("a count below the limit follows if a value that is not called so is a total")
        return "; ".join(found)

    @property
    def doubt_of_reading(self) -> str:
        few = listed([repr(text) for text in self.unread[:3]])
        return f"{few} can be read neither as a count nor as a withheld one" if self.unread else ""


def cells_of(table: Table, counts: str) -> Cells:
    """The cells of a table whose column ``counts`` holds the counts."""
    column = table.column(counts)
    told = [_bounds(text) for text in column.texts]
    unread = tuple(text or "" for text, bounds in zip(column.texts, told, strict=True) if bounds is None)
    low = np.array([0 if one is None else one[0] for one in told], dtype=np.float64)[column.codes]
    high = np.array([math.inf if one is None else one[1] for one in told], dtype=np.float64)[column.codes]
    exact = low == high
    stated: list[int] = low[exact].astype(np.int64).tolist()
    if 0 in stated:  # where zero is told, '<11' is not zero
        low[np.isfinite(high) & ~exact] = np.maximum(low[np.isfinite(high) & ~exact], 1)
    ranges = np.unique(np.stack([low[~exact], high[~exact]]), axis=1).T.tolist()
    others = [table.column(name) for name in table.names if name != counts]
    dimensions, amounts = _dimensions(others)
    codes = [columns[0].codes for columns in dimensions]
    sizes = [len(columns[0].values) for columns in dimensions]
    groups, first = (
        group_rows(codes, sizes) if codes else (np.zeros(len(table), dtype=np.int32), np.zeros(1, int))
    )
    doubts = []
    if len(first) < len(table) and ((low != low[first][groups]).any() or (high != high[first][groups]).any()):
        doubts.append("cells are listed several times with different counts")
    if amounts and not exact.all():
        doubts.append(f"{listed(amounts)} may tell withheld counts: leave such columns out")
    system = _System(
        [column[first] for column in codes],
        sizes,
        low[first],
        high[first],
        [_names(one) for one in dimensions],
    )
    derived, perhaps = system.solved()
    doubts += system.doubts
    keys = [[one.texts[code] for code in one.codes[first[[*derived, *perhaps]]]] for one in others]
    called = dict(zip((*derived, *perhaps), zip(*keys, strict=True), strict=True)) if keys else {}
    return Cells(
        stated,
        [(start, end) for start, end in ranges],
        {called.get(cell, ()): value for cell, value in derived.items()},
        {called.get(cell, ()): value for cell, value in perhaps.items()},
        unread,
        tuple(doubts),
        system.uneven,
    )


def _bounds(text: str | None) -> tuple[Bound, Bound] | None:
    """Between what a count is; None where that cannot be read."""
    plain = (text or "").strip()
    if whole := WHOLE.fullmatch(plain):
        count = int(re.sub(r"\D", "", whole[1]))
        return (count, count) if count < LARGEST else None
    if WITHHELD.fullmatch(plain):
        return 0, math.inf
    if less := LESS.fullmatch(plain):
        within = less[1].strip().lower() not in ("<", "fewer than", "less than", "under")
        return 0, max(0, int(less[2]) - (not within))
    if more := MORE.fullmatch(plain):
        return int(more[2] or more[3]) + (more[1] == ">"), math.inf
    if (between := RANGE.fullmatch(plain)) and int(between[1]) < int(between[2]):
        return int(between[1]), int(between[2])
    return None


def _dimensions(columns: Sequence[Column]) -> tuple[list[list[Column]], list[str]]:
    """The columns that tell cells apart, those that say the same together; and those that hold amounts.

    A code and its label say the same. A column of numbers that cells are told apart without is an amount.
    """
    kinds: list[list[Column]] = []
    amounts = []
    for column in columns:
        if words_of(column.name) & AMOUNTS or "%" in column.name or _are_amounts(column):
            amounts.append(column.name)
            continue
        for kind in kinds:
            if _same(kind[0], column):
                kind.append(column)
                break
        else:
            kinds.append([column])
    whole = _different(kinds)
    for kind in [
        one for one in kinds if len(one) == 1 and numbers_in(one[0].values.drop_nulls()) is not None
    ]:
        rest = [one for one in kinds if one is not kind]
        if rest and len(kind[0].values) > 1 and _different(rest) == whole:
            amounts.append(kind[0].name)
            kinds = rest
    return kinds, amounts


def _are_amounts(column: Column) -> bool:
    return measures(column) or any("%" in text for text in column.texts if text)


def _same(one: Column, other: Column) -> bool:
    size = len(one.values)
    return size == len(other.values) and _different([[one], [other]]) == size


def _different(kinds: Sequence[Sequence[Column]]) -> int:
    columns = [kind[0] for kind in kinds]
    return len(group_rows([one.codes for one in columns], [len(one.values) for one in columns])[1])


def _names(columns: Sequence[Column]) -> list[list[str | None]]:
    """What each value of a dimension is called: by its code, by its label."""
    first = np.zeros(len(columns[0].values), dtype=np.int64)
    first[columns[0].codes] = np.arange(len(columns[0]))
    texts = [[column.texts[code] for code in column.codes[first]] for column in columns]
    return [list(names) for names in zip(*texts, strict=True)]


class _System:
    """The lines of a table of counts as equations in the withheld cells."""

    def __init__(
        self,
        codes: Sequence[Codes],
        sizes: Sequence[int],
        low: np.ndarray,
        high: np.ndarray,
        names: Sequence[Sequence[Sequence[str | None]]],
    ) -> None:
        self.codes, self.sizes, self.names = codes, sizes, names
        self.low, self.high, self.known = low, high, low == high
        self.uneven = 0
        self.doubts: list[str] = []

    def solved(self) -> tuple[dict[int, int], dict[int, int]]:
        """The cells that follow, and those that would if a value were a total."""
        lines: list[tuple[Line, int]] = []
        suspects = []
        for place in range(len(self.codes)):
            found = self._lines_along(place)
            lines += found[0]
            suspects += found[1]
        derived = self._follow(lines)
        perhaps: dict[int, int] = {}
        for more in suspects:
            uneven = self.uneven
            perhaps |= self._follow(lines + more)
            self.uneven = uneven  # what is no total need not add up
        return derived, {cell: value for cell, value in perhaps.items() if cell not in derived}

    def _lines_along(self, place: int) -> tuple[list[tuple[Line, int]], list[list[tuple[Line, int]]]]:
        """The lines along a dimension, and those along it if one more value were a total, value by value."""
        others = [number for number in range(len(self.codes)) if number != place]
        codes = self.codes[place]
        if others:
            line, _ = group_rows([self.codes[one] for one in others], [self.sizes[one] for one in others])
        else:
            line = np.zeros(len(codes), dtype=np.int32)
        n_lines = int(line.max(initial=-1)) + 1
        wholly = np.array([any(_is_total(name, every=True) for name in names) for names in self.names[place]])
        partly = np.array([any(_is_total(name) for name in names) for names in self.names[place]])
        # In a line, 'Total' is the total rather than 'All others'.
        is_whole, is_part = wholly[codes], partly[codes]
        wholes = np.bincount(line[is_whole], minlength=n_lines)
        parts = np.bincount(line[is_part], minlength=n_lines)
        total = np.where(wholes[line] == 1, is_whole, is_part & (wholes[line] == 0) & (parts[line] == 1))
        sure = self._lines(line, n_lines, total.astype(bool), named=wholly[codes])
        settled = np.bincount(line[total.astype(bool)], minlength=n_lines) > 0
        suspects = []
        if not self.known.all():
            for value in self._suspects(place, line, n_lines, settled, partly):
                found = self._lines(line, n_lines, (codes == value) & ~settled[line], named=None)
                if found:
                    suspects.append(found)
        return sure, suspects

    def _suspects(
        self, place: int, line: Codes, n_lines: int, settled: Bools, partly: Bools
    ) -> Iterator[int]:
        """The values that may be totals, in lines that have no other."""
        codes = self.codes[place]
        free = ~settled[line]
        size = np.bincount(line, minlength=n_lines)
        full = (np.bincount(line[self.known], minlength=n_lines) == size) & (size > 2)
        summed = np.bincount(line, weights=np.where(self.known, self.low, 0), minlength=n_lines)
        asked = free & full[line]
        adds = asked & (2 * self.low == summed[line]) & (self.low > 0)
        by_value = [np.bincount(codes[which], minlength=self.sizes[place]) for which in (asked, adds, free)]
        for value, names in enumerate(self.names[place]):
            evident = by_value[1][value] and by_value[0][value] == by_value[1][value]
            unnamed = any(not (name or "").strip() for name in names)  # as a database writes its totals
            if by_value[2][value] and (evident or partly[value] or unnamed):
                yield value

    def _lines(self, line: Codes, n_lines: int, total: Bools, named: Bools | None) -> list[tuple[Line, int]]:
        """The equations of lines with one total; lines without a withheld cell are only added up.

        ``named`` says which totals are certainly so: others are none where the sum is above them; with None,
        nothing is certain.
        """
        size = np.bincount(line, minlength=n_lines)
        right = (np.bincount(line[total], minlength=n_lines) == 1) & (size > 1)
        sign = np.where(total, -1.0, 1.0)
        known = np.bincount(line, weights=np.where(self.known, self.low * sign, 0), minlength=n_lines)
        unknown = np.bincount(line[~self.known], minlength=n_lines)
        if named is not None:
            sure = np.bincount(line[total & named], minlength=n_lines) > 0
            self.uneven += int((right & (unknown == 0) & (sure | (known < 0)) & (known != 0)).sum())
        cells = np.flatnonzero(~self.known & (right & (unknown > 0))[line])
        cells = cells[np.argsort(line[cells], kind="stable")]
        starts = np.flatnonzero(np.diff(line[cells], prepend=-1))
        signs = sign[cells].astype(np.int64).tolist()
        where = cells.tolist()
        return [
            (dict(zip(where[start:end], signs[start:end], strict=True)), -int(known[line[cells[start]]]))
            for start, end in pairwise([*starts.tolist(), len(cells)])
        ]

    def _follow(self, lines: Sequence[tuple[Line, int]]) -> dict[int, int]:
        """The cells that follow from some lines, by their bounds and by the whole system."""
        found, odd = bounded(
            lines, {cell: (self.low[cell], self.high[cell]) for one, _ in lines for cell in one}
        )
        exact, contradicted, finished = reduced(lines, found)
        if not finished:
            self.doubts = ["too many cells are withheld to find all that follow"]
        right = {}
        for cell, value in exact.items():
            if value != int(value) or not self.low[cell] <= value <= self.high[cell]:
                odd += 1
            else:
                right[cell] = int(value)
        self.uneven += odd + contradicted
        return right


def _is_total(name: str | None, *, every: bool = False) -> bool:
    """Whether a value is called a total: by one of its words, or by every."""
    plain = (name or "").strip().lower()
    words = set(re.findall(r"[^\W\d_]+", plain))
    return plain == "*" or (bool(words) and words <= TOTALS if every else bool(words & TOTALS))


def bounded(
    lines: Sequence[tuple[Line, int]], given: Mapping[int, tuple[Bound, Bound]]
) -> tuple[dict[int, int], int]:
    """The unknowns whose bounds meet when they are carried along lines; and how many contradict each other.

    >>> bounded([({0: 1, 1: 1}, 20)], {0: (0, 10), 1: (0, 10)})
    ({0: 10, 1: 10}, 0)
    """
    bounds, wrong = dict(given), set[int]()
    for _ in range(MOST_ROUNDS):
        before = dict(bounds)
        for number, (line, constant) in enumerate(lines):
            ends = [sorted((bounds[cell][0] * sign, bounds[cell][1] * sign)) for cell, sign in line.items()]
            least, most = _Sum([start for start, _ in ends]), _Sum([end for _, end in ends])
            for (cell, sign), (start, end) in zip(line.items(), ends, strict=True):
                told = sorted(
                    ((constant - most.without(end)) * sign, (constant - least.without(start)) * sign)
                )
                low, high = max(bounds[cell][0], told[0]), min(bounds[cell][1], told[1])
                if low > high:
                    wrong.add(number)
                else:
                    bounds[cell] = (low, high)
        if bounds == before:
            break
    return {cell: int(low) for cell, (low, high) in bounds.items() if low == high}, len(wrong)


class _Sum:
    """A sum of numbers, some of them infinite and of one sign."""

    def __init__(self, numbers: Sequence[Bound]) -> None:
        finite = [number for number in numbers if math.isfinite(number)]
        self.finite, self.infinite = sum(finite), len(numbers) - len(finite)
        self._endless = next((number for number in numbers if not math.isfinite(number)), 0)

    def without(self, number: Bound) -> Bound:
        if math.isfinite(number):
            return self.finite - number if not self.infinite else self._endless
        return self.finite if self.infinite == 1 else self._endless


Row = tuple[dict[int, int | Fraction], int | Fraction]


def reduced(
    lines: Sequence[tuple[Line, int]], known: Mapping[int, int]
) -> tuple[dict[int, int | Fraction], int, bool]:
    """The unknowns that follow, how many lines contradict the others, and whether the system was solved.

    Every row is led by an unknown that no other row holds; one that leads a row of nothing else follows.

    >>> reduced([({0: 1, 1: 1, 2: 1}, 5), ({1: 1, 2: 1}, 2), ({0: 1, 2: 1}, 4)], {})
    ({1: 1, 0: 3, 2: 1}, 0, True)
    """
    rows: dict[int, Row] = {cell: ({}, value) for cell, value in known.items()}
    holders: dict[int, set[int]] = {}
    steps = wrong = 0
    for line, constant in sorted(lines, key=lambda one: len(one[0])):
        left: dict[int, int | Fraction] = {}
        value: int | Fraction = constant
        for cell, factor in line.items():
            rest, told = rows.get(cell, ({cell: -1}, 0))
            value -= factor * told
            steps += _add(left, rest, -factor)
        if not left:
            wrong += value != 0
            continue
        lead = min(left, key=lambda cell: (abs(left[cell]) != 1, len(holders.get(cell, ()))))
        factor_of = left.pop(lead)
        scale = factor_of if abs(factor_of) == 1 else Fraction(1, 1) / factor_of
        left = {cell: one * scale for cell, one in left.items()}
        value *= scale
        for row in holders.pop(lead, ()):
            rest, told = rows[row]
            times = rest.pop(lead)
            held = set(rest)
            steps += _add(rest, left, -times)
            rows[row] = (rest, told - times * value)
            for cell in held - rest.keys():
                holders[cell].discard(row)
            for cell in rest.keys() - held:
                holders.setdefault(cell, set()).add(row)
        rows[lead] = (left, value)
        for cell in left:
            holders.setdefault(cell, set()).add(lead)
        if steps > MOST_STEPS:
            break
    found = {cell: value for cell, (rest, value) in rows.items() if not rest}
    return found, wrong, steps <= MOST_STEPS


def _add(to: dict[int, int | Fraction], row: Mapping[int, int | Fraction], times: int | Fraction) -> int:
    """Add a multiple of a row to another; returns how many coefficients that changed."""
    for cell, factor in row.items():
        new = to.get(cell, 0) + times * factor
        if new:
            to[cell] = new
        else:
            to.pop(cell, None)
    return len(row)
