"""What sets of items give away: how many people share a few items, and who is alone with a few.

k^m-anonymity [1] asks that any m items of somebody are shared by at least k people.

[1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving anonymization of set-valued data. VLDB 2008.
"""

from __future__ import annotations

from typing import Any

from tacit.data.transactions import Transactions
from tacit.judging.figures import COUNT, RISKS, SHARE, Figure
from tacit.judging.risk.figures import Measured
from tacit.judging.risk.result import Risk
from tacit.judging.risk.standards import Ask, Standard, judge
from tacit.judging.sets import narrowed_share, unique_shares

SIZES = (1, 2, 3)
SHARED = {
    size: Figure(
        f"k{size}",
        f"Fewest people who share {'an item' if size == 1 else f'{size} items'}",
        f"The k of k^{size}-anonymity, searched up to the threshold.",
        COUNT,
        RISKS,
        less=False,
    )
    for size in SIZES
}
ALONE = {
    size: Figure(
        f"unique{size}",
        f"People alone with {'one item' if size == 1 else f'{size} items'}",
        "Some so many of their items are nobody else's.",
        SHARE,
        RISKS,
    )
    for size in SIZES
}
FIGURES = (*SHARED.values(), *ALONE.values())


def measure_sets(transactions: Transactions, *, threshold: int, standards: tuple[Standard, ...] = ()) -> Risk:
    """The risks of sets of items as they stand."""
    rows = len(transactions)
    alone = unique_shares(transactions, sizes=SIZES)
    figures = [
        *(_shared(transactions, size, threshold) for size in SIZES),
        *(_alone(size, share, rows) for size, share in zip(SIZES, alone, strict=True)),
    ]
    measured = {one.figure.name: one.value for one in figures}

    def answer(ask: Ask, standard: Standard) -> tuple[Any, str]:
        return measured.get(
            ask.figure
        ), "" if ask.figure in measured else "it is not measured of sets of items"

    return Risk(
        transactions.origin,
        rows,
        ("items",),
        (),
        threshold,
        tuple(figures),
        standards=tuple(judge(one, answer) for one in standards),
        notes=transactions.notes,
    )


def _shared(transactions: Transactions, size: int, threshold: int) -> Measured:
    """The fewest people who share some items of somebody, and how many have items that fewer share."""
    rows = len(transactions)

    def below(k: int) -> int:
        return round(narrowed_share(transactions, k=k, size=size) * rows)

    most = below(threshold)
    if not most:
        return Measured(SHARED[size], threshold, 0, rows, why="or more")
    low, high = 1, threshold  # fewer than ``high`` people share some items, and no fewer than ``low``
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if below(middle) else (middle, high)
    return Measured(SHARED[size], low, most, rows, why=f"counted are people below {threshold}")


def _alone(size: int, share: float | None, rows: int) -> Measured:
    if share is None:
        return Measured(ALONE[size], None, rows=rows, why="too many sets to count")
    return Measured(ALONE[size], share, round(share * rows), rows)
