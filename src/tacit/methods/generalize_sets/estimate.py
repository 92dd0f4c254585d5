"""What generalizing will take, before it is begun: combinations to count, and memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from tacit.data.transactions import Transactions
from tacit.engine.coreset_sets import CoresetCounts
from tacit.errors import ParameterError, ResourceError
from tacit.methods.generalize_sets.solve.solve import RANGES
from tacit.ranges import check

BYTES_PER_ITEM = 56
"""Held for each item of each transaction at the peak: several copies of the data, and an index."""
BYTES_PER_RECORD = 96
BASE = 250 << 20
"""The process itself, with its libraries and compiled kernels."""

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


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
    check("generalize", RANGES, k=k, m=m)
    size = 3 if m == "auto" else m
    combinations = sum(
        number * sum(math.comb(length, taken) for taken in range(1, min(size, length) + 1))
        for length, number in enumerate(transactions.length_counts.tolist())
    )
    occurrences = transactions.n_occurrences
    needed = BASE + BYTES_PER_ITEM * occurrences + BYTES_PER_RECORD * len(transactions)
    return Estimate(len(transactions), transactions.n_items, occurrences, combinations, needed)


def check_memory(expected: Estimate | SparkEstimate, limit: str | None) -> None:
    """Refuse a job that would hold more memory than a limit such as ``4G``."""
    if limit is None:
        return
    allowed = parse_size(limit)
    if expected.bytes > allowed:
        raise ResourceError(
            f"This needs about {expected.bytes / (1 << 20):,.0f} MB, and {limit} are allowed.",
            code="memory-limit",
            hint="Allow more with --memory, or generalize a part of the records.",
        )


def parse_size(text: str) -> int:
    """A size in bytes: ``4G``, ``512M``, ``1.5G``."""
    number, unit = text.strip().upper().removesuffix("B"), ""
    if number and number[-1] in "KMGT":
        number, unit = number[:-1], number[-1]
    try:
        size = float(number) * _UNITS[unit]
    except ValueError:
        size = math.nan
    if not (math.isfinite(size) and size > 0):
        raise ParameterError("memory", "generalize", "a size such as 512M or 4G", text)
    return int(size)
