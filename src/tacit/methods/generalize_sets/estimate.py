"""What generalizing will take, before it is begun: combinations to count, and memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from tacit.data.transactions import Transactions
from tacit.engine.coreset_sets import CoresetCounts
from tacit.engine.spark.engine import SparkEngine
from tacit.io.spark.transactions import SparkTransactions
from tacit.methods.generalize_sets.verb import generalize
from tacit.options import check_ranges, options_of

BYTES_PER_ITEM = 56
"""Held for each item of each transaction at the peak: several copies of the data, and an index."""
BYTES_PER_RECORD = 96
BASE = 250 << 20
"""The process itself, with its libraries and compiled kernels."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The size of a job: an upper bound on the sets to count, and the memory it will hold."""

    transactions: int
    items: int
    occurrences: int
    combinations: int
    """The sets of up to m items, transaction by transaction; the solver counts fewer."""
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.transactions:,} transactions, {self.items:,} items, {self.occurrences:,} occurrences; "
            f"at most {self.combinations:,} sets to count, about {self.bytes / (1 << 20):,.0f} MB of memory. "
            "Nothing was done."
        )


@dataclass(frozen=True, slots=True)
class SparkEstimate:
    """The size of a job whose records stay on Spark: what comes into this process."""

    transactions: int
    items: int
    occurrences: int
    combinations: int
    """The sets of up to m items, transaction by transaction; workers look at each once."""
    coreset_records: int
    """Transactions that are brought here to be counted: they answer for all."""
    judged_records: int
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.transactions:,} transactions, {self.items:,} items, {self.occurrences:,} occurrences"
            f" stay on Spark; at most {self.combinations:,} sets are looked at there. Into this process"
            f" come {self.coreset_records:,} transactions that answer for all, and {self.judged_records:,}"
            f" to judge the release by: about {self.bytes / (1 << 20):,.0f} MB of memory. Nothing was done."
        )


def spark_estimate(
    transactions: Transactions, counts: CoresetCounts, *, k: int, m: int | Literal["auto"], judged: int
) -> SparkEstimate:
    """How large the job is, with the coreset gathered; for ``m="auto"``, at m = 3."""
    whole = estimate(transactions, k=k, m=m)
    records, items = counts.gathered(k=k, size=3 if m == "auto" else m)
    here = max(items, whole.occurrences * judged // max(1, len(transactions)))
    return SparkEstimate(
        transactions=len(transactions),
        items=transactions.n_items,
        occurrences=whole.occurrences,
        combinations=whole.combinations,
        coreset_records=records,
        judged_records=judged,
        bytes=BASE + BYTES_PER_ITEM * here + BYTES_PER_RECORD * max(records, judged),
    )


def estimate(transactions: Transactions, *, k: int, m: int | Literal["auto"]) -> Estimate:
    """How large the job is; for ``m="auto"``, at m = 3."""
    check_ranges("generalize", options_of(generalize), {"k": k, "m": m})
    size = 3 if m == "auto" else m
    combinations = sum(
        number * sum(math.comb(length, taken) for taken in range(1, min(size, length) + 1))
        for length, number in enumerate(transactions.length_counts.tolist())
    )
    occurrences = transactions.n_occurrences
    needed = BASE + BYTES_PER_ITEM * occurrences + BYTES_PER_RECORD * len(transactions)
    return Estimate(len(transactions), transactions.n_items, occurrences, combinations, needed)


def expected(asked: Any) -> Estimate | SparkEstimate:
    """How large the job is; where the records are on Spark, what comes into this process."""
    from tacit.methods.generalize_sets.make import judged_one_in

    loaded, k, m = asked.transactions, asked.k, asked.m
    if not isinstance(loaded, SparkTransactions):
        return estimate(loaded, k=k, m=m)
    counts = SparkEngine(loaded.frame.sparkSession).set_counts(loaded)
    return spark_estimate(loaded, counts, k=k, m=m, judged=len(loaded) // judged_one_in(len(loaded)))
