"""Reconstruction from published figures: of all tables that fit the files, those that give the same figures.

24 rows in 8 buckets of 3 different values are 6^8 = 1,679,616 tables. The true answer of a counting query
is a sum over the buckets, so each bucket's six arrangements are counted once, and the sums of the first four
buckets are met with those of the last four.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

import tacit
from tacit.judging.queries import Seed
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.methods.bucketize.judge.measured import QUERIES
from tacit.methods.bucketize.judge.utility import SELECTIVITY, answers, random_queries

ARRANGEMENTS = list(permutations(range(3)))
Picks = npt.NDArray[np.int64]
"""For each table a row with the arrangement of each of its buckets."""


@dataclass(frozen=True)
class Reader:
    """What a reader has: the two published tables."""

    quasi: tuple[str, ...]
    sensitive: str
    qit: pl.DataFrame
    st: pl.DataFrame

    @classmethod
    def of(cls, folder: Path, quasi: tuple[str, ...], sensitive: str) -> Reader:
        read = [pl.read_csv(folder / name, infer_schema=False) for name in ("qit.csv", "st.csv")]
        return cls(quasi, sensitive, read[0].sort("group", *quasi), read[1].sort("group", sensitive))

    @cached_property
    def held(self) -> list[list[str]]:
        """The values of each bucket, in its first arrangement."""
        groups = self.st.group_by("group", maintain_order=True).agg(self.sensitive, "count")
        return [
            [value for value, times in zip(values, counts, strict=True) for _ in range(int(times))]
            for _, values, counts in groups.iter_rows()
        ]

    @property
    def n_tables(self) -> int:
        return len(ARRANGEMENTS) ** len(self.held)

    def table(self, picks: npt.NDArray[np.int64] | None = None) -> Buckets:
        """One of the tables that fit, in its buckets."""
        chosen = [0] * len(self.held) if picks is None else picks.tolist()
        values = [
            held[place] for held, pick in zip(self.held, chosen, strict=True) for place in ARRANGEMENTS[pick]
        ]
        frame = self.qit.with_columns(pl.Series(self.sensitive, values))
        table = tacit.table_from_frame(frame.drop("group"), quasi=self.quasi, sensitive=self.sensitive)
        groups = frame["group"].rank("dense").to_numpy().astype(np.int32) - 1
        return Buckets(table, np.arange(len(frame)), groups)

    def errors(self, dimensions: int, seed: Seed) -> npt.NDArray[np.float64]:
        """For every table the mean error of the queries that the seed draws."""
        buckets = self.table()
        asked = random_queries(buckets, dimensions, SELECTIVITY, QUERIES, seed)
        _, expected = answers(buckets, asked, (None,))
        starts = np.cumsum([0, *(len(column.values) for column in buckets.table.quasi)])
        matches = np.ones((QUERIES, len(buckets)), dtype=bool)
        for place, column in enumerate(buckets.table.quasi):
            matches &= ~asked.asked[:, [place]] | asked.wanted[:, starts[place] + column.codes]
        values = buckets.table.column(self.sensitive).codes
        wanted = asked.wanted_values[
            :, _places(buckets)[values]
        ]  # (queries, rows): the row's value is wanted
        by_bucket = [
            sum(matches[:, 3 * number + row] & wanted[:, 3 * number + np.array(ARRANGEMENTS)[:, row]].T
                for row in range(3))
            for number in range(len(self.held))
        ]  # fmt: skip
        half = len(by_bucket) // 2
        first, second = _sums(by_bucket[:half]), _sums(by_bucket[half:])
        # The error of a query depends on the sum of two counts, and the total over all queries is a product
        # of matrices: by which count a table has in its first half, and what that makes of the other half.
        largest = int(second.max())
        has = (first[:, :, None] == np.arange(int(first.max()) + 1)).reshape(len(first), -1).astype(float)
        truth = np.arange(int(first.max()) + 1)[:, None] + np.arange(largest + 1)
        error = np.abs(expected[:, None, None] - truth) / np.maximum(truth, 1)
        error[:, truth == 0] = 0.0  # a query whose true answer is 0 does not count
        chosen = second.T[:, None, :]
        totals = has @ np.take_along_axis(error, chosen, axis=2).reshape(has.shape[1], -1)
        answered = has @ (np.arange(truth.shape[0])[None, :, None] + chosen > 0).reshape(has.shape[1], -1)
        return np.asarray(totals / np.maximum(answered, 1)).ravel()

    def fitting(self, figures: Mapping[int, float], seed: Seed, *, rounded: bool) -> Picks:
        """The tables that give the published mean errors; by how many quasi-identifiers are asked about."""
        left = np.ones(self.n_tables, dtype=bool)
        for dimensions, figure in figures.items():
            errors = self.errors(dimensions, seed)
            left &= np.abs((_two_digits(errors) if rounded else errors) - figure) < 1e-10
        numbers = np.flatnonzero(left)
        return np.column_stack(np.unravel_index(numbers, (len(ARRANGEMENTS),) * len(self.held)))


def _places(buckets: Buckets) -> npt.NDArray[np.int64]:
    """The number by which queries know each value of the sensitive column."""
    classes = buckets.entries(None).classes
    places = np.zeros(int(classes.parts[:, 0].max()) + 1, dtype=np.int64)
    places[classes.parts[:, 0]] = np.arange(len(classes.parts))
    return places


def _sums(by_bucket: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """(arrangements of all buckets, queries): their counts together, the last bucket changing fastest."""
    total = by_bucket[0]
    for one in by_bucket[1:]:
        total = (total[:, None, :] + one[None, :, :]).reshape(-1, total.shape[1])
    return total


def _two_digits(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Rounded to two significant digits, as a manifest states them."""
    exponent = np.floor(np.log10(np.maximum(values, 1e-300))) - 1
    step = 10.0**exponent
    return np.asarray(np.round(values / step) * step)
