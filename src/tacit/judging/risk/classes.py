"""The classes of a table: rows alike in their quasi-identifiers, and the sensitive values among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.arrays.groups import group_rows
from tacit.data.column import Column, told_apart
from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.engine.choice import engine_for
from tacit.typing import Bools, Codes, Counts, Floats


@dataclass(frozen=True, eq=False)
class Held:
    """The values of a sensitive column that each class holds, one entry for each pair of class and value."""

    name: str
    classes: Counts
    values: Counts
    counts: Counts
    """How many rows of the class hold the value."""
    whole: Counts
    """How many rows of the table hold each value, in the order of the column."""
    line: Floats | None
    """The numbers or days that the values are, in order, a missing one last; None where they are neither."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a table."""

    names: tuple[str, ...]
    texts: tuple[tuple[str | None, ...], ...]
    codes: tuple[Codes, ...]  # of each quasi-identifier: (classes,)
    sizes: Counts
    """How many rows each class has: f."""
    sensitive: tuple[Held, ...]
    members: tuple[Counts, Counts] | None = None
    """Where people are told apart, the class and the person of each pair: they may be in several classes."""

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def rows(self) -> int:
        """How many rows there are, or people where they are told apart."""
        return self.within(np.ones(len(self), dtype=np.bool_))

    def within(self, which: Bools) -> int:
        """How many rows some classes have, or people: who is in several of them is counted once."""
        if self.members is None:
            return int(self.sizes[which].sum())
        classes, people = self.members
        return len(np.unique(people[which[classes]]))

    def found(self, chances: Floats) -> float:
        """How many are found where those of a class are with a chance each; people in the worst of theirs."""
        if self.members is None:
            return float((self.sizes * chances).sum())
        classes, people = self.members
        worst = np.zeros(int(people.max(initial=-1)) + 1)
        np.maximum.at(worst, people, chances[classes])
        return float(worst.sum())


def classes_of(
    table: Table, quasi: Sequence[str], sensitive: Sequence[str], person: str | None = None
) -> Classes:
    """The classes of a table by some columns.

    Where ``person`` names the column that tells people apart, their sizes count people, not rows.
    """
    others = sensitive if person is None else [person]
    held = engine_for(table).combinations(table, [*quasi, *others])
    codes = [np.ascontiguousarray(held.codes[:, place]) for place in range(len(quasi))]
    groups, first = group_rows(codes, [len(texts) for texts in held.texts[: len(quasi)]])
    members = None if person is None else _members(held, groups)
    return Classes(
        names=tuple(quasi),
        texts=held.texts[: len(quasi)],
        codes=tuple(column[first] for column in codes),
        sizes=_summed(groups, held.counts, len(first))
        if members is None
        else np.bincount(members[0], minlength=len(first)).astype(np.int64),
        sensitive=tuple(
            _held(held, groups, name, table.column(name)) for name in (sensitive if person is None else ())
        ),
        members=members,
    )


def _members(held: Combinations, groups: Codes) -> tuple[Counts, Counts]:
    """The class and the person of each pair, by the last of the columns, which tells people apart."""
    names, number = told_apart(pl.Series(held.texts[-1], dtype=pl.String))
    pairs = np.unique(groups.astype(np.int64) * (len(names) + 1) + number[held.codes[:, -1]])
    return pairs // (len(names) + 1), pairs % (len(names) + 1)


def contributions(table: Table, quasi: Sequence[str], name: str, person: str) -> tuple[Counts, Floats]:
    """What each person adds up to in each class, in a column of numbers: ``(class, sum)``, by class."""
    held = engine_for(table).combinations(table, [*quasi, name, person])
    codes = [np.ascontiguousarray(held.codes[:, place]) for place in range(len(quasi))]
    groups, _ = group_rows(codes, [len(texts) for texts in held.texts[: len(quasi)]])
    names, number = told_apart(pl.Series(held.texts[-1], dtype=pl.String))
    keys = groups.astype(np.int64) * (len(names) + 1) + number[held.codes[:, -1]]
    pairs, which = np.unique(keys, return_inverse=True)
    line = _line(table.column(name))
    assert line is not None
    values = np.nan_to_num(line, nan=0.0)[held.codes[:, -2]] * held.counts
    sums: Floats = np.bincount(which, weights=values, minlength=len(pairs)).astype(np.float64)
    return pairs // (len(names) + 1), sums


def _held(held: Combinations, groups: Codes, name: str, column: Column) -> Held:
    place = held.place(name)
    width = len(held.texts[place])
    line, codes = _line(column), held.codes[:, place]
    if line is not None:  # "9" comes before "10"
        codes = np.argsort(np.argsort(line, kind="stable")).astype(np.int32)[codes]
        line = np.sort(line)
    pairs, which = np.unique(groups.astype(np.int64) * width + codes, return_inverse=True)
    return Held(
        name=name,
        classes=pairs // width,
        values=pairs % width,
        counts=_summed(which, held.counts, len(pairs)),
        whole=_summed(codes, held.counts, width),
        line=line,
    )


def _line(column: Column) -> Floats | None:
    """The numbers or days that values stand for, however they were read; a missing one is none."""
    there = column.values.drop_nulls()
    line = numbers_in(there)
    line = days_in(there) if line is None else line
    return None if line is None else np.append(line, [np.nan] * (len(column.values) - len(there)))


def numbers_in(values: pl.Series) -> Floats | None:
    """The values as numbers, where all of them are; codes that begin with a zero are none."""
    if values.dtype == pl.String and not values.str.contains(r"^-?0\d").any():
        values = values.cast(pl.Float64, strict=False)
    if not values.dtype.is_numeric() or values.null_count():
        return None
    return values.cast(pl.Float64).to_numpy()


def days_in(values: pl.Series) -> Floats | None:
    """Days as numbers, where all values are days of the calendar: typed so, or written as 2024-12-31."""
    if values.dtype == pl.String and len(values) and values.str.contains(r"^\d{4}-\d\d-\d\d$").all():
        values = values.str.to_date(strict=False)
    if not values.dtype.is_temporal() or values.dtype == pl.Time or values.null_count():
        return None
    return values.cast(pl.Date).cast(pl.Int32).cast(pl.Float64).to_numpy()


def _summed(groups: Codes | Counts, counts: Counts, n_groups: int) -> Counts:
    weights: Floats = counts.astype(np.float64)  # whole numbers below 2^53 stay exact
    return np.bincount(groups, weights=weights, minlength=n_groups).astype(np.int64)


def distinct(held: Held, sizes: Counts) -> Counts:
    """How many different values each class holds."""
    return np.bincount(held.classes, minlength=len(sizes)).astype(np.int64)


def entropy(held: Held, sizes: Counts) -> Floats:
    """The number of equally likely values that would leave as much doubt: e to the entropy of each class."""
    share = held.counts / sizes[held.classes]
    return np.exp(np.bincount(held.classes, weights=-share * np.log(share), minlength=len(sizes)))


def recursive(held: Held, sizes: Counts) -> Floats:
    """How much commoner the commonest value is than all others together: c of recursive (c, 2)-diversity."""
    commonest = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(commonest, held.classes, held.counts)
    with np.errstate(divide="ignore"):
        return commonest / (sizes - commonest)


def distance(held: Held, sizes: Counts) -> Floats:
    """How far the values of each class are from the whole table's, all values equally far apart."""
    share = held.counts / sizes[held.classes]
    more = np.maximum(share - _overall(held)[held.values], 0.0)  # half the L1 distance is the excess alone
    return np.bincount(held.classes, weights=more, minlength=len(sizes)).astype(np.float64)


def ordered_distance(held: Held, sizes: Counts) -> Floats:
    """The same where values lie on a line: neighbours are 1 / (m − 1) apart (Eq. 2 of [2])."""
    steps = len(held.whole) - 1
    if steps < 1:
        return np.zeros(len(sizes))
    overall = np.concatenate([[0.0], np.cumsum(_overall(held))])
    # Between two values that a class holds, its own sum stands still while the whole table's grows.
    still = np.concatenate([[0.0], np.cumsum(overall[1:])])
    starts = np.flatnonzero(np.diff(held.classes, prepend=-1))
    share = held.counts / sizes[held.classes]
    sums = np.cumsum(share)
    reached = sums - np.repeat(sums[starts] - share[starts], np.diff(np.append(starts, len(share))))
    last = np.append(starts[1:], len(share)) - 1
    until = np.append(held.values[1:], 0)
    until[last] = len(held.whole) - 1
    found = _area(overall, still, held.values, until, reached)
    before = still[held.values[starts]]  # before its first value a class has nothing
    distances: Floats = (np.bincount(held.classes, weights=found, minlength=len(sizes)) + before) / steps
    return distances


def _area(overall: Floats, still: Floats, begin: Counts, end: Counts, level: Floats) -> Floats:
    """Σ |level − overall[v + 1]| over the values v from ``begin`` up to, not including, ``end``."""
    cross = np.clip(np.searchsorted(overall[1:], level, side="right"), begin, end)
    below = level * (cross - begin) - (still[cross] - still[begin])
    above = (still[end] - still[cross]) - level * (end - cross)
    return np.maximum(below, 0.0) + np.maximum(above, 0.0)


def likeness(held: Held, sizes: Counts) -> Floats:
    """By how much a value is likelier in a class than in the table, relatively, at most: β."""
    share, overall = held.counts / sizes[held.classes], _overall(held)[held.values]
    most = np.zeros(len(sizes))
    np.maximum.at(most, held.classes, (share - overall) / overall)
    return most


def _overall(held: Held) -> Floats:
    shares: Floats = held.whole / held.whole.sum()
    return shares
