"""What readers learn from a generalized table, and what it is still good for, by its published columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from tacit.arrays.compiled import Flag, interruptible
from tacit.arrays.groups import group_rows, group_sorted
from tacit.data.column import Column
from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.judging.learning import LearningAttack
from tacit.judging.queries import Seed, code_ends, counted, random_queries, relative_errors
from tacit.knowledge.reachability import valid_counts
from tacit.knowledge.row_classes import row_classes
from tacit.methods.generalize_tables.attacks import Minimality, Refinement
from tacit.mining.knowledge import NegativeRules
from tacit.notebook import InNotebook
from tacit.typing import AnyArray, Codes, Counts

SELECTIVITY = 0.05
DIMENSIONS = 2
QUERIES = 100
"""As for buckets, so that both can be compared."""
TINY = 1e-12
"""Bits of a table in which every column has one value, and nothing can be lost."""


@dataclass(frozen=True, slots=True)
class ValueRisk:
    """What the classes give away of one sensitive column."""

    column: str
    fewest: int
    """Different values in the class that has the fewest."""
    homogeneous: int
    """Rows in classes where all have the same value: whoever knows somebody there knows the value."""
    largest_share: float
    """The largest share of a class that has one value: how sure a reader may be of somebody's value."""


@dataclass(frozen=True, slots=True)
class TableRisks(InNotebook):
    """What readers could learn from a generalized table."""

    k: int
    rows: int
    classes: int
    smallest: int
    """Rows of the smallest class."""
    prosecutor: float
    """The chance to find the row of somebody known to be in the table, at its largest."""
    marketer: float
    """The share of all rows that a reader who knows everybody finds right on average."""
    values: tuple[ValueRisk, ...]
    unique: int = 0
    """Rows of the original that nobody else looks like, with the exact columns that readers may know."""
    vulnerable: int | None = None
    """Rows with fewer than ℓ values for a reader who knows the rules; None where no ℓ is promised."""
    vulnerable_longer: int | None = None
    """The same for a reader who knows more than the promise covers: longer and less certain rules."""
    joined: int | None = None
    """Rows in classes put together for what rules leave out; None where no reader knows rules."""
    learning: LearningAttack | None = None
    """What software learns from all classes together; None where there is nothing to learn."""
    refinement: Refinement | None = None
    """What a reader concludes who knows that classes are as fine as can be; None for other recodings."""
    minimality: Minimality | None = None
    """What a reader concludes who knows why nothing finer was published; None where ℓ was not the reason."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CountError:
    """The relative errors of counting queries; those whose true answer is 0 are left out and counted."""

    dimensions: int
    selectivity: float
    mean: float
    median: float
    queries: int
    skipped: int


@dataclass(frozen=True, slots=True)
class ColumnUtility:
    """What one quasi-identifier lost."""

    column: str
    loss: float
    entropy: float
    """Of what a cell told in bits, the share that is lost."""
    published_values: int


@dataclass(frozen=True, slots=True)
class TableUtility(InNotebook):
    """What detail a generalized table keeps."""

    loss: float
    """The mean loss of a cell, 0 for kept and 1 for nothing left; rows left out lose everything."""
    classes: int
    average_class: float
    discernibility: int
    """The sum over rows of the size of their class; rows left out count as large as the table."""
    entropy: float
    """Non-uniform entropy: of what the quasi-identifiers told in bits, the share that is lost."""
    count_queries: CountError
    columns: tuple[ColumnUtility, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def classes_of(quasi: Sequence[Column], times: Counts | None = None) -> tuple[Codes, Counts]:
    """The class of each published row, and the rows of each class; a row may stand for several."""
    run, heads = group_sorted([column.codes for column in quasi])  # rows alike mostly follow each other
    groups, first = group_rows(
        [column.codes[heads] for column in quasi], [len(column.values) for column in quasi]
    )
    groups = groups[run]
    return groups, np.bincount(groups, weights=times, minlength=len(first)).astype(np.int64)


def judge_table(
    known: Sequence[Column], sensitive: Sequence[Column], k: int, times: Counts | None = None
) -> TableRisks:
    """The risks of a published table; ``known`` are the columns that readers may know of a person."""
    groups, sizes = classes_of(known, times)
    values = tuple(_value_risk(column, groups, sizes, times) for column in sensitive)
    n_rows = int(sizes.sum())
    smallest = int(sizes.min(initial=n_rows))
    return TableRisks(
        k=k,
        rows=n_rows,
        classes=len(sizes),
        smallest=smallest,
        prosecutor=1 / max(1, smallest),
        marketer=len(sizes) / max(1, n_rows),
        values=values,
    )


def vulnerable_rows(
    table: Table, rows: AnyArray, classes: Codes, knowledge: NegativeRules, l: int, flag: Flag | None
) -> int:
    """How many of the ``rows`` published a reader with knowledge narrows to fewer than ℓ values."""
    columns = (*table.known, *table.sensitive)
    combination, _ = classes_of(columns)
    combinations = engine_for(table).combinations(table, [column.name for column in columns])
    kinds, kind_of = row_classes(combinations, table.roles.sensitive, knowledge)
    # Rows of one class and kind could have the same.
    pairs, pair_of = np.unique(
        classes.astype(np.int64) * len(kinds) + kind_of[combination[rows]], return_inverse=True
    )
    ends = np.arange(int(classes.max(initial=-1)) + 2) * len(kinds)
    found = interruptible(
        partial(valid_counts, enough=l),
        np.searchsorted(pairs, ends).astype(np.int64),
        (pairs % len(kinds)).astype(np.int32),
        kinds.values,
        kinds.forbidden,
        kinds.parts,
        flag=flag,
    )
    few = found[pair_of.reshape(-1)] < l
    return int(few.sum() if table.times is None else table.times[rows[few]].sum())


def _value_risk(column: Column, groups: Codes, sizes: Counts, times: Counts | None) -> ValueRisk:
    keys = groups.astype(np.int64) * len(column.values) + column.codes
    pairs, number = np.unique(keys, return_inverse=True)
    counts = np.bincount(number.reshape(-1), weights=times, minlength=len(pairs)).astype(np.int64)
    of_class = pairs // len(column.values)
    different = np.bincount(of_class, minlength=len(sizes))
    commonest = np.zeros(len(sizes), dtype=np.int64)
    np.maximum.at(commonest, of_class, counts)
    return ValueRisk(
        column=column.name,
        fewest=int(different.min(initial=len(column.values))),
        homogeneous=int(sizes[different == 1].sum()),
        largest_share=float((commonest / sizes).max(initial=0.0)),
    )


def measure_table(
    table: Table,
    shown: Sequence[Column],
    rows: AnyArray,
    trees: Mapping[str, Hierarchy],
    losses: Sequence[float],
    *,
    seed: Seed,
) -> TableUtility:
    """The utility of a published table; row i of ``shown`` is row ``rows[i]`` of the table."""
    times = None if table.times is None else table.times[rows]
    _, sizes = classes_of(shown, times)
    published = int(sizes.sum())
    suppressed = len(table) - published
    lost = [
        information_lost(exact, now, rows, trees[exact.name], table.times)
        for exact, now in zip(table.quasi, shown, strict=False)
    ]
    return TableUtility(
        loss=float(np.mean(losses)),
        classes=len(sizes),
        average_class=published / max(1, len(sizes)),
        discernibility=int((sizes**2).sum()) + suppressed * (published + suppressed),
        entropy=sum(bits for bits, _ in lost) / max(TINY, sum(most for _, most in lost)),
        count_queries=count_error(table, shown, rows, trees, seed=seed),
        columns=tuple(
            ColumnUtility(column.name, float(loss), bits / max(TINY, most), len(now.values))
            for column, now, loss, (bits, most) in zip(table.quasi, shown, losses, lost, strict=False)
        ),
    )


def count_error(
    table: Table,
    shown: Sequence[Column],
    rows: AnyArray,
    trees: Mapping[str, Hierarchy],
    *,
    seed: Seed,
    queries: int = QUERIES,
) -> CountError:
    """How wrong counts from the published table are; row i of ``shown`` is row ``rows[i]`` of the table."""
    exact = table.known
    values, n_values = np.zeros(len(exact[0]), dtype=np.int32), 1
    if table.roles.sensitive:
        values, sizes = classes_of(table.sensitive)
        n_values = len(sizes)
    wide = min(DIMENSIONS, len(exact))
    asked = random_queries(
        code_ends(exact), n_values, dimensions=wide, selectivity=SELECTIVITY, queries=queries, seed=seed
    )
    times = table.times
    shown_times = None if times is None else times[rows]
    truth = counted(exact, values, n_values, asked, times)
    estimate = counted(shown, values[rows], n_values, asked.of_nodes(exact, shown, trees), shown_times)
    errors = relative_errors(estimate, truth)
    return CountError(
        dimensions=wide,
        selectivity=SELECTIVITY,
        mean=float(errors.mean()) if len(errors) else 0.0,
        median=float(np.median(errors)) if len(errors) else 0.0,
        queries=len(errors),
        skipped=queries - len(errors),
    )


def information_lost(
    exact: Column, shown: Column, rows: AnyArray, tree: Hierarchy, times: Counts | None = None
) -> tuple[float, float]:
    """Non-uniform entropy: the bits lost of a column, and all that there were; rows left out lose theirs.

    A cell published as a node loses what it takes to tell its value from the others below the node, each as
    likely as it is in the original.
    """
    leaves = tree.leaves_of(exact.texts)
    order = np.argsort(leaves, kind="stable")
    upto = np.concatenate([[0], np.cumsum(exact.counts[order])])
    nodes = [tree.index[NULL_LABEL if text is None else text] for text in shown.texts]
    first, last = np.searchsorted(leaves[order], tree.leaf_ranges[nodes].T)
    below = (upto[last] - upto[first])[shown.codes]
    own = exact.counts[exact.codes]
    bits = np.log2(int(upto[-1]) / own)
    left_out = np.ones(len(exact), dtype=np.bool_)
    left_out[rows] = False
    lost = np.log2(below / own[rows])
    if times is not None:
        lost *= times[rows]
        bits *= times
    return float(lost.sum() + bits[left_out].sum()), float(bits.sum())
