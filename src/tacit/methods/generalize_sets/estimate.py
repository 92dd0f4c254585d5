"""What generalizing will take, before it is begun: combinations to count, time and memory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for
from tacit.methods.generalize_sets.verb import generalize, with_hierarchy
from tacit.options import Asked, check_ranges, options_of
from tacit.typing import Progress

BYTES_PER_ITEM = 56
"""Held for each item of each transaction at the peak: several copies of the data, and an index."""
BYTES_PER_RECORD = 96
BASE = 250 << 20
"""The process itself, with its libraries and compiled kernels."""
LONG = 60.0
"""From so many seconds on, a job says how long it takes while it runs."""
BYTES_PER_CELL = 32
"""To guess items, each is counted with every published node; these are taken to be so many times as many as a
record has items."""
NODES = 4
SECONDS, SECONDS_PER_ITEM, SECONDS_PER_PAIR, SECONDS_PER_SET = 2.5, 1.3e-6, 2.7e-7, 7e-8
"""A whole command, measured on 100 to 515,597 transactions: all of its steps read items, and solving pairs
them; of long records it looks at all sets that there could be instead, and so does the verifier."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The size of a job: an upper bound on the sets to count, and what this process will hold."""

    transactions: int
    items: int
    occurrences: int
    combinations: int
    """The sets of up to m items, transaction by transaction; the solver counts fewer."""
    counted_records: int
    """Transactions in this process: all, or on Spark those that answer for all."""
    judged_records: int
    """Transactions that the release is judged by."""
    seconds: float
    bytes: int

    def __str__(self) -> str:
        return (
            f"{self.transactions:,} transactions, {self.items:,} items, {self.occurrences:,} occurrences; "
            f"at most {self.combinations:,} sets to count. In this process: {self.counted_records:,}"
            f" transactions to count, {self.judged_records:,} to judge the release by, about"
            f" {self.seconds:.0f} s and {self.bytes / (1 << 20):,.0f} MB. Nothing was done."
        )


def estimate(transactions: Transactions, *, k: int, m: int | Literal["auto"]) -> Estimate:
    """How large the job is; for ``m="auto"``, at m = 3."""
    from tacit.engine.kernels.combinations import told_by_bits
    from tacit.methods.generalize_sets.make import judged_one_in

    check_ranges("generalize", options_of(generalize), {"k": k, "m": m})
    size = 3 if m == "auto" else m
    combinations, pairs = _sets(transactions, size), _sets(transactions, 2)
    total, occurrences = len(transactions), transactions.n_occurrences
    counted, items = engine_for(transactions).gathered(transactions, k=k, size=size)
    judged = total // judged_one_in(total)
    part = max(counted, judged) / max(1, total)
    held = max(items, occurrences * judged // max(1, total))
    if told_by_bits(total, occurrences, transactions.n_items, k, size):
        solving = SECONDS_PER_SET * math.comb(transactions.n_items, size)
    else:
        solving = SECONDS_PER_PAIR * pairs * (size - 1)
    cells = transactions.n_items * min(transactions.n_items, NODES * occurrences // max(1, total))
    return Estimate(
        transactions=total,
        items=transactions.n_items,
        occurrences=occurrences,
        combinations=combinations,
        counted_records=counted,
        judged_records=judged,
        seconds=SECONDS + part * (SECONDS_PER_ITEM * occurrences + solving),
        bytes=BASE + BYTES_PER_ITEM * held + BYTES_PER_RECORD * max(counted, judged) + BYTES_PER_CELL * cells,
    )


def _sets(transactions: Transactions, size: int) -> int:
    """The sets of up to so many items, transaction by transaction."""
    return sum(
        number * sum(math.comb(length, taken) for taken in range(1, min(size, length) + 1))
        for length, number in enumerate(transactions.length_counts.tolist())
    )


def telling_how_long(
    report: Progress, transactions: Transactions, *, k: int, m: int | Literal["auto"]
) -> Progress:
    """The callback; where the job is a long one, it hears with every step how long all of them take."""
    if engine_for(transactions).session is not None:
        return report  # on Spark the estimate is a job of its own
    seconds = estimate(transactions, k=k, m=m).seconds
    if seconds < LONG:
        return report
    told = f"{seconds:.0f} s" if seconds < 2 * LONG else f"{seconds / 60:.0f} min"
    return lambda what, share: report(f"{what} (about {told} in all)", share)


def expected(asked: Asked) -> Estimate:
    """How large the job is that the checked arguments of :func:`tacit.generalize` ask for."""
    return estimate(with_hierarchy(asked), k=asked.k, m=asked.m)
