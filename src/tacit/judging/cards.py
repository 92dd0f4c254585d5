"""A card for each column of a table: what it holds, and how far it singles people out."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import polars as pl

from tacit.arrays.groups import group_rows
from tacit.data.column import Column
from tacit.data.table import Table
from tacit.judging.risk.classes import Classes, classes_of, days_in, numbers_in
from tacit.judging.risk.uniques import find_uniques
from tacit.typing import Counts, Floats

BARS = 10
"""So many bars show how a column is distributed."""
EXAMPLES = 3
TOGETHER = 3
"""People are singled out by so many columns at most, as far as sets of them are counted."""
MOST_SETS = 200_000_000
"""Sets of columns times rows that are counted at most; beyond it, pairs are."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value, or numbers from one to the next bar, and the rows that hold it."""

    label: str
    rows: int


@dataclass(frozen=True, slots=True)
class ColumnCard:
    """One column as it is: its kind, how its values are distributed, a few of them."""

    name: str
    kind: str
    """``number``, ``date``, ``yes or no`` or ``text``."""
    bars: tuple[Bar, ...]
    others: int
    """The rows whose values have no bar."""
    examples: tuple[str, ...]
    alone: float
    """The share of rows that nobody else shares the value of."""
    commonest: int
    """The rows that hold the commonest value."""


@dataclass(frozen=True, slots=True)
class SetOfColumns:
    """Some quasi-identifiers and the share of people who are alone with them."""

    columns: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True)
class Singling:
    """Who is singled out: by all quasi-identifiers, by all but one, and by the few that do it best.

    ``without[name]`` is the share of people who are still alone where one column is left out; ``best`` has
    the set of one, of two, ... columns that singles out most people, the first where two are equal.
    """

    everything: float
    without: dict[str, float]
    best: tuple[SetOfColumns, ...]


def column_cards(table: Table) -> tuple[ColumnCard, ...]:
    """The cards of all columns."""
    return tuple(_card(table.column(name)) for name in table.names)


def singling(table: Table, quasi: Sequence[str]) -> Singling | None:
    """Who is singled out by some quasi-identifiers; None where there are none, or no rows."""
    if not quasi or not len(table):
        return None
    classes = classes_of(table, list(quasi), [])
    size = min(TOGETHER, len(quasi))
    while size > 1 and comb(len(quasi), size) * len(classes) > MOST_SETS:
        size -= 1
    uniques = find_uniques(classes, size)
    best = []
    for width in range(1, size + 1):
        columns = max((one for one in uniques.found if len(one) == width), key=uniques.share)
        best.append(SetOfColumns(tuple(classes.names[place] for place in columns), uniques.share(columns)))
    return Singling(
        everything=float((classes.sizes == 1).sum() / classes.rows),
        without={name: _alone_without(classes, place) for place, name in enumerate(classes.names)},
        best=tuple(best),
    )


def _alone_without(classes: Classes, left_out: int) -> float:
    kept = [place for place in range(len(classes.names)) if place != left_out]
    if not kept:
        return float(classes.rows == 1)
    codes = [np.ascontiguousarray(classes.codes[place]) for place in kept]
    groups, first = group_rows(codes, [len(classes.texts[place]) for place in kept])
    sizes = np.bincount(groups, weights=classes.sizes, minlength=len(first))
    return float((sizes == 1).sum() / classes.rows)


def _card(column: Column) -> ColumnCard:
    counts = column.counts if column.null_code is None else column.counts[:-1]
    values = column.values if column.null_code is None else column.values[:-1]
    numbers, days = numbers_in(values), days_in(values)
    kind = "yes or no" if values.dtype == pl.Boolean else "text"
    if numbers is not None:
        kind = "number"
    elif days is not None or values.dtype.is_temporal():
        kind = "date"
    if numbers is not None and len(numbers) > BARS:
        bars = _intervals(numbers, counts)
    elif days is not None and len(days) > BARS:
        first = datetime.date(1970, 1, 1)
        bars = tuple(
            Bar((first + datetime.timedelta(days=int(bar.label))).isoformat(), bar.rows)
            for bar in _intervals(days, counts, "{:.0f}")
        )
    else:
        bars = () if len(counts) > BARS and counts.max(initial=0) == 1 else _commonest(column, counts)
    order = np.argsort(-counts, kind="stable")[:EXAMPLES]
    return ColumnCard(
        name=column.name,
        kind=kind,
        bars=bars,
        others=int(counts.sum()) - sum(bar.rows for bar in bars),
        examples=tuple(column.texts[place] or "" for place in order.tolist()),
        alone=float((column.counts == 1).sum() / max(1, len(column))),
        commonest=int(column.counts.max(initial=0)),
    )


def _intervals(numbers: Floats, counts: Counts, form: str = "{:,.4g}") -> tuple[Bar, ...]:
    """Numbers in intervals of one width, from the smallest to the largest."""
    finite = np.isfinite(numbers)
    rows, edges = np.histogram(numbers[finite], bins=BARS, weights=counts[finite])
    return tuple(Bar(form.format(edge), int(held)) for edge, held in zip(edges, rows, strict=False))


def _commonest(column: Column, counts: Counts) -> tuple[Bar, ...]:
    order = np.argsort(-counts, kind="stable")[:BARS]
    if len(counts) <= BARS:
        order = np.sort(order)
    return tuple(Bar(column.texts[place] or "", int(counts[place])) for place in order.tolist())
