"""Rows that are alone with a few of their quasi-identifiers, and those that are so for no fewer: SUDA2 [1].

A row that is unique with some columns is unique with more of them, so it is dropped before the next column
is added: what is left to be told apart shrinks quickly. A set of columns is a *minimal sample unique* of a
row where the row is unique with it and with none of its parts.

[1] A. Manning, D. Haglin, J. Keane. A recursive search algorithm for statistical disclosure assessment.
    Data Mining and Knowledge Discovery 16, 2008.
[2] M. Elliot, A. Manning, K. Mayes, J. Gurd, M. Bane. SUDA: a program for detecting special uniques. 2005.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb, factorial

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.errors import ResourceError
from tacit.judging.risk.classes import Classes
from tacit.typing import Bools, Codes, Counts, Floats, Offsets

MOST = 4_000_000_000
"""So many bytes may say who is unique with what."""
Columns = tuple[int, ...]
"""Some quasi-identifiers, by their places in rising order."""


@dataclass(frozen=True, eq=False)
class Uniques:
    """The rows that are unique with some columns, for every set of up to ``size`` columns."""

    classes: Classes
    size: int
    alone: Counts
    """The classes of one row: nobody else can be unique with some of the columns."""
    found: dict[Columns, Bools]
    """For each set of columns, which of those rows are unique with it."""

    def share(self, columns: Columns) -> float:
        """The share of all people who are unique with some columns."""
        return self.people(self.found[columns]) / max(1, self.classes.rows)

    def people(self, unique: Bools) -> int:
        """How many people some of those rows are: one may be alone in several classes."""
        which = np.zeros(len(self.classes), dtype=np.bool_)
        which[self.alone[unique]] = True
        return self.classes.within(which)

    def minimal(self) -> Iterator[tuple[Columns, Bools]]:
        """For each set of columns, the rows of which it is a minimal sample unique."""
        for columns, unique in self.found.items():
            alone = unique.copy()
            for part in combinations(columns, len(columns) - 1):
                if part:
                    alone &= ~self.found[part]
            yield columns, alone


def find_uniques(classes: Classes, size: int) -> Uniques:
    """The unique rows for every set of up to ``size`` quasi-identifiers."""
    alone = np.flatnonzero(classes.sizes == 1)
    sets = sum(comb(len(classes.names), width) for width in range(1, size + 1))
    if sets * max(1, len(alone)) > MOST:
        raise ResourceError(
            f"There are {sets:,} sets of up to {size} of {len(classes.names)} quasi-identifiers.",
            code="too-many-sets",
            hint="Name fewer quasi-identifiers, or a smaller max_size (--max-size).",
            option="max_size",
        )
    place = np.full(len(classes), -1, dtype=np.int64)
    place[alone] = np.arange(len(alone))
    found: dict[Columns, Bools] = {}
    everybody = np.arange(len(classes), dtype=np.int32)
    _search(classes, place, size, (), everybody, np.array([0, len(classes)], dtype=np.int64), found)
    inside = {columns: found[columns] for columns in sorted(found, key=lambda one: (len(one), one))}
    return Uniques(classes, size, alone, inside)


def _search(
    classes: Classes,
    place: Counts,
    size: int,
    columns: Columns,
    rows: Codes,
    starts: Offsets,
    found: dict[Columns, Bools],
) -> None:
    """Add each further column to some columns; ``rows`` are those not unique yet, group after group."""
    for column in range(columns[-1] + 1 if columns else 0, len(classes.names)):
        more = (*columns, column)
        unique = found[columns].copy() if columns else np.zeros(int((place >= 0).sum()), dtype=np.bool_)
        left, parts, single = split_groups(
            rows, starts, classes.codes[column], len(classes.texts[column]), classes.sizes
        )
        unique[place[single]] = True
        found[more] = unique
        if len(more) < size:
            _search(classes, place, size, more, left, parts, found)


@kernel
def split_groups(
    rows: Codes, starts: Offsets, codes: Codes, width: int, sizes: Counts
) -> tuple[Codes, Offsets, Codes]:
    """Groups of rows parted by one more column: ``(rows in groups of more than one, starts, single rows)``.

    ``sizes`` says how many people each row stands for; a row that stands for several is never single.
    """
    held = np.zeros(width, dtype=np.int64)
    begin = np.zeros(width, dtype=np.int64)
    seen = np.empty(width, dtype=np.int64)
    left = np.empty(len(rows), dtype=np.int32)
    parts = np.empty(len(rows) + 1, dtype=np.int64)
    single = np.empty(len(rows), dtype=np.int32)
    n_left, n_parts, n_single = 0, 0, 0
    parts[0] = 0
    for group in range(len(starts) - 1):
        n_seen = 0
        for at in range(starts[group], starts[group + 1]):
            code = codes[rows[at]]
            if held[code] == 0:
                seen[n_seen] = code
                n_seen += 1
            held[code] += 1
        for number in range(n_seen):  # where the rows of each code go
            code = seen[number]
            begin[code] = n_left
            n_left += held[code]
        for at in range(starts[group], starts[group + 1]):
            row = rows[at]
            left[begin[codes[row]]] = row
            begin[codes[row]] += 1
        write = parts[n_parts]
        read = write
        for number in range(n_seen):
            code = seen[number]
            count = held[code]
            held[code] = 0
            if count == 1:
                if sizes[left[read]] == 1:
                    single[n_single] = left[read]
                    n_single += 1
                # several people who are alike in all columns: nobody to be told apart further
            else:
                for at in range(count):
                    left[write + at] = left[read + at]
                write += count
                n_parts += 1
                parts[n_parts] = write
            read += count
        n_left = write
    return left[:n_left].copy(), parts[: n_parts + 1].copy(), single[:n_single].copy()


def elliot(columns: int, size: int) -> float:
    """What a minimal sample unique of a size adds to a row's score [2]: (columns − size)!."""
    return float(factorial(columns - size))


@dataclass(frozen=True, eq=False)
class Special:
    """The special uniques of a table: rows with a minimal sample unique, and their scores."""

    size: int
    """The largest minimal sample uniques that were searched for."""
    scores: Floats
    """Elliot's score of each row that is unique with all columns."""
    risks: Floats
    """The same on the scale of the Data Intrusion Simulation: the chance that a match is right."""
    rows: Counts
    """The class of each of those rows."""
    by_size: tuple[int, ...]
    """How many minimal sample uniques of 1, 2, ... columns there are."""
    by_column: tuple[float, ...]
    """The share of the sum of all scores that sets with each column add."""


def special_uniques(
    uniques: Uniques, *, fraction: float = 0.01, score: Callable[[int, int], float] = elliot
) -> Special:
    """The minimal sample uniques, scored as sdcMicro's ``suda2(original_scores=TRUE)`` does."""
    width = len(uniques.classes.names)
    scores = np.zeros(len(uniques.alone))
    by_size = [0] * min(uniques.size, width)
    by_column = np.zeros(width)
    for columns, minimal in uniques.minimal():
        count = int(np.count_nonzero(minimal))
        by_size[len(columns) - 1] += count
        weight = score(width, len(columns))
        scores[minimal] += weight
        by_column[list(columns)] += weight * count
    total = float(scores.sum())
    return Special(
        size=len(by_size),
        scores=scores,
        risks=intrusion(scores, uniques.classes.sizes, width, fraction),
        rows=uniques.alone,
        by_size=tuple(by_size),
        by_column=tuple((by_column / total).tolist()) if total else (0.0,) * width,
    )


def intrusion(scores: Floats, sizes: Counts, columns: int, fraction: float) -> Floats:
    """The file's risk by Data Intrusion Simulation, dealt out by score as sdcMicro does.

    U unique rows and P rows in pairs give the file π U / (π U + (1 − π) P).
    """
    alone, pairs = int((sizes == 1).sum()), 2 * int((sizes == 2).sum())
    positive = scores > 0
    found = np.zeros(len(scores))
    if not positive.any():
        return found
    file = alone * fraction / (alone * fraction + pairs * (1 - fraction))
    power = scores[positive] ** (1 + (8 - columns) / 20)
    found[positive] = 1 / (1 + (alone / file - alone) / (power * (1 / power).sum()))
    return found
