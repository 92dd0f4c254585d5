"""The verbs ``mine_itemsets`` and ``mine_rules``, for transactions and tables alike."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.base import Counting
from tacit.errors import UsageError
from tacit.mining.item_rules import rules_from_itemsets
from tacit.mining.itemsets import DEFAULT_MAX_ITEMSETS, Itemsets
from tacit.mining.rules import ItemRules, TableRules
from tacit.mining.tables import TableItemsets, mine_table_itemsets, mine_table_rules
from tacit.mining.transactions import mine_transactions
from tacit.ranges import OneOf, Optional, Range, Share, Support, Whole, check
from tacit.typing import Progress, Threshold

KINDS = ("complete", "closed", "maximal")

RANGES: dict[str, Range] = {
    "min_support": Support(),
    "min_confidence": Share(),
    "min_length": Whole(1),
    "max_length": Optional(Whole(1)),
    "max_consequent": Optional(Whole(1)),
    "max_itemsets": Whole(1),
    "kind": OneOf(KINDS),
    "threads": Optional(Whole(1)),
}


def mine_itemsets(
    data: Transactions | Table,
    *,
    min_support: Threshold,
    kind: str = "complete",
    min_length: int = 1,
    max_length: int | None = None,
    items: Iterable[str] | None = None,
    containing: Iterable[str] = (),
    max_itemsets: int = DEFAULT_MAX_ITEMSETS,
    threads: int | None = None,
    hierarchies: bool = True,
    engine: Counting | None = None,
    progress: Progress | None = None,
) -> Itemsets | TableItemsets:
    """Every set of items that enough records hold.

    Parameters
    ----------
    min_support
        A count (int) or a share (float, Decimal) of the records.
    kind
        ``complete``, ``closed`` (no superset has the same support) or ``maximal`` (no superset is
        frequent); transactions only.
    items, containing
        Only these items may occur; all of these must (transactions only).
    max_itemsets
        Stop with an error, and a threshold that would fit, when there are more.
    hierarchies
        Whether nodes above the leaves count as items (tables only).
    """
    check(
        "mine_itemsets",
        RANGES,
        min_support=min_support,
        kind=kind,
        min_length=min_length,
        max_length=max_length,
        max_itemsets=max_itemsets,
        threads=threads,
    )
    if max_length is not None and max_length < min_length:
        raise UsageError(
            f"No set has at least {min_length} and at most {max_length} items.",
            code="lengths-contradict",
            hint="Raise max_length, or lower min_length.",
        )
    if progress is not None:
        progress("Mining itemsets", None)
    if isinstance(data, Table):
        if kind != "complete" or items is not None or tuple(containing):
            raise UsageError(
                "The itemsets of a table are always complete and over its quasi-identifiers.",
                code="not-for-tables",
                hint="Leave out kind, items and containing.",
            )
        return mine_table_itemsets(
            data,
            min_support=min_support,
            max_length=max_length,
            min_length=min_length,
            max_itemsets=max_itemsets,
            hierarchies=hierarchies,
            engine=engine,
        )
    return mine_transactions(
        data,
        min_support=min_support,
        kind=kind,
        min_length=min_length,
        max_length=max_length,
        items=items,
        containing=containing,
        max_itemsets=max_itemsets,
        threads=threads,
        engine=engine,
        progress=progress,
    )


def mine_rules(
    data: Transactions | Table,
    *,
    min_support: Threshold,
    min_confidence: Threshold,
    max_length: int | None = None,
    max_consequent: int | None = 1,
    antecedent: Iterable[str] | None = None,
    consequent: Iterable[str] | None = None,
    max_itemsets: int = DEFAULT_MAX_ITEMSETS,
    threads: int | None = None,
    hierarchies: bool = False,
    engine: Counting | None = None,
    progress: Progress | None = None,
) -> ItemRules | TableRules:
    """Every rule whose support and confidence reach the thresholds.

    For a table, rules ``Q ⇒ x`` from its quasi-identifiers to a value of its sensitive attribute; for
    transactions, rules between sets of items. ``max_length`` bounds the items of both sides together
    (of Q, for a table), ``max_consequent`` those of the right side; ``antecedent`` and ``consequent``
    name the only items allowed on each side.
    """
    check(
        "mine_rules",
        RANGES,
        min_support=min_support,
        min_confidence=min_confidence,
        max_length=max_length,
        max_consequent=max_consequent,
        max_itemsets=max_itemsets,
        threads=threads,
    )
    if progress is not None:
        progress("Mining rules", None)
    if isinstance(data, Table):
        if antecedent is not None or consequent is not None or max_consequent != 1:
            raise UsageError(
                "A rule of a table goes from its quasi-identifiers to one sensitive value.",
                code="not-for-tables",
                hint="Choose the columns with quasi and sensitive.",
            )
        return mine_table_rules(
            data,
            min_support=min_support,
            min_confidence=min_confidence,
            max_length=max_length,
            max_itemsets=max_itemsets,
            hierarchies=hierarchies,
            engine=engine,
        )
    itemsets = mine_transactions(
        data,
        min_support=min_support,
        max_length=max_length,
        max_itemsets=max_itemsets,
        threads=threads,
        engine=engine,
        progress=progress,
    )
    return rules_from_itemsets(
        itemsets,
        min_confidence=min_confidence,
        max_consequent=max_consequent,
        antecedent=None if antecedent is None else data.codes_of(antecedent),
        consequent=None if consequent is None else data.codes_of(consequent),
    )
