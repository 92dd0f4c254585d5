"""The verbs ``mine_itemsets`` and ``mine_rules``, for transactions and tables alike."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated

from tacit.mining.limits import DEFAULT_MAX_ITEMSETS
from tacit.options import Says, verb
from tacit.ranges import OneOf, Optional, Share, Strings, Support, Whole
from tacit.typing import Progress, Threshold

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.data.transactions import Transactions
    from tacit.engine.base import Counting
    from tacit.mining.itemsets import Itemsets
    from tacit.mining.rules import ItemRules, TableRules
    from tacit.mining.tables import TableItemsets

MIN_SUPPORT = Says("Least support", "A count such as 25, or a share such as 0.01.")
MAX_ITEMSETS = Says(
    "Most itemsets", "Stop with an error, and a threshold that would fit, when there are more itemsets."
)
THREADS = Says("Threads", "How many threads to mine with (transactions).")


@verb
def mine_itemsets(
    data: Transactions | Table,
    *,
    min_support: Annotated[Threshold, Support(), MIN_SUPPORT],
    kind: Annotated[
        str,
        OneOf(("complete", "closed", "maximal")),
        Says(
            "Kind",
            "complete, closed (no superset has the same support) or maximal (no superset is frequent);"
            " transactions only.",
        ),
    ] = "complete",
    min_length: Annotated[int, Whole(1), Says("Fewest items", "The fewest items.")] = 1,
    max_length: Annotated[int | None, Optional(Whole(1)), Says("Most items", "The most items.")] = None,
    items: Annotated[
        Iterable[str] | None,
        Optional(Strings()),
        Says("Only these items", "Only these items may occur (transactions)."),
    ] = None,
    containing: Annotated[
        Iterable[str],
        Strings(),
        Says("Items in every set", "Items that every set must hold (transactions)."),
    ] = (),
    max_itemsets: Annotated[int, Whole(1), MAX_ITEMSETS] = DEFAULT_MAX_ITEMSETS,
    threads: Annotated[int | None, Optional(Whole(1)), THREADS] = None,
    hierarchies: bool = True,
    engine: Counting | None = None,
    progress: Progress | None = None,
) -> Itemsets | TableItemsets:
    """Every set of items that enough records hold.

    {options}
    hierarchies
        Whether nodes above the leaves count as items (tables only).
    """
    asked = SimpleNamespace(**locals())
    from tacit.mining.mine import itemsets

    return itemsets(asked)


@verb
def mine_rules(
    data: Transactions | Table,
    *,
    min_support: Annotated[Threshold, Support(), MIN_SUPPORT],
    min_confidence: Annotated[Threshold, Share(), Says("Least confidence", "A share such as 0.8.")],
    max_length: Annotated[
        int | None,
        Optional(Whole(1)),
        Says("Most items", "The most items of both sides together (for a table: of the left side)."),
    ] = None,
    max_consequent: Annotated[
        int | None,
        Optional(Whole(1)),
        Says("Most items on the right", "The most items on the right side (transactions)."),
    ] = 1,
    antecedent: Annotated[
        Iterable[str] | None,
        Optional(Strings()),
        Says("Only these on the left", "The only items allowed on the left side (transactions)."),
    ] = None,
    consequent: Annotated[
        Iterable[str] | None,
        Optional(Strings()),
        Says("Only these on the right", "The only items allowed on the right side (transactions)."),
    ] = None,
    max_itemsets: Annotated[int, Whole(1), MAX_ITEMSETS] = DEFAULT_MAX_ITEMSETS,
    threads: Annotated[int | None, Optional(Whole(1)), THREADS] = None,
    hierarchies: bool = False,
    engine: Counting | None = None,
    progress: Progress | None = None,
) -> ItemRules | TableRules:
    """Every rule whose support and confidence reach the thresholds.

    For a table, rules ``Q ⇒ x`` from its quasi-identifiers to a value of its sensitive attribute; for
    transactions, rules between sets of items.

    {options}
    hierarchies
        Whether nodes above the leaves count as items (tables only).
    """
    asked = SimpleNamespace(**locals())
    from tacit.mining.mine import rules

    return rules(asked)
