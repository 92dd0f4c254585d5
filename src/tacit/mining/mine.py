"""Mining itemsets and rules, of transactions or of a table, as the verbs ask for it.

Frequent itemsets of transactions: the kernel's miner, with names and errors for people.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, Literal, cast

import numpy as np

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.base import Engine, WantedItemsets
from tacit.engine.choice import engine_for
from tacit.errors import ResourceError, UsageError
from tacit.mining.itemsets import Itemsets, rules_from_itemsets
from tacit.mining.rules import ItemRules, TableRules
from tacit.mining.tables import TableItemsets, mine_table_itemsets, mine_table_rules
from tacit.mining.verbs import DEFAULT_MAX_ITEMSETS
from tacit.ranges import support_count
from tacit.typing import Progress, Threshold


def itemsets(asked: Any) -> Itemsets | TableItemsets:
    """Mine what was asked for: the checked arguments of :func:`tacit.mine_itemsets`."""
    if asked.max_length is not None and asked.max_length < asked.min_length:
        raise UsageError(
            f"No set has at least {asked.min_length} and at most {asked.max_length} items.",
            code="lengths-contradict",
            option="max_length",
            hint="Raise max_length, or lower min_length.",
        )
    _say(asked, "Mining itemsets")
    reach = _picked(asked, "min_support", "min_length", "max_length", "max_itemsets", "engine")
    if not isinstance(asked.data, Table):
        more = _picked(asked, "kind", "items", "containing", "threads", "progress")
        return mine_transactions(asked.data, **reach, **more)
    if asked.kind != "complete" or asked.items is not None or tuple(asked.containing):
        raise UsageError(
            "The itemsets of a table are always complete and over its quasi-identifiers.",
            code="not-for-tables",
            hint="Leave out kind, items and containing.",
        )
    return mine_table_itemsets(asked.data, **reach, hierarchies=asked.hierarchies)


def rules(asked: Any) -> ItemRules | TableRules:
    """Mine what was asked for: the checked arguments of :func:`tacit.mine_rules`."""
    _say(asked, "Mining rules")
    data = asked.data
    reach = _picked(asked, "min_support", "max_length", "max_itemsets", "engine")
    if not isinstance(data, Table):
        found = mine_transactions(data, **reach, threads=asked.threads, progress=asked.progress)
        return rules_from_itemsets(
            found,
            min_confidence=asked.min_confidence,
            max_consequent=asked.max_consequent,
            antecedent=None if asked.antecedent is None else data.codes_of(asked.antecedent),
            consequent=None if asked.consequent is None else data.codes_of(asked.consequent),
        )
    if asked.antecedent is not None or asked.consequent is not None or asked.max_consequent != 1:
        raise UsageError(
            "A rule of a table goes from its quasi-identifiers to one sensitive value.",
            code="not-for-tables",
            hint="Choose the columns with quasi and sensitive.",
        )
    return mine_table_rules(data, **reach, min_confidence=asked.min_confidence, hierarchies=asked.hierarchies)


def _picked(asked: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in names}


def _say(asked: Any, what: str) -> None:
    if asked.progress is not None:
        asked.progress(what, None)


LARGE = 200_000
"""From so many items in all the transactions on, every core is used unless told otherwise."""


def mine_transactions(
    transactions: Transactions,
    *,
    min_support: Threshold,
    kind: str = "complete",
    min_length: int = 1,
    max_length: int | None = None,
    items: Iterable[str] | None = None,
    containing: Iterable[str] = (),
    max_itemsets: int = DEFAULT_MAX_ITEMSETS,
    threads: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Itemsets:
    """Every set of items that enough transactions hold; see :func:`tacit.mine_itemsets`."""
    from tacit.engine.itemsets.mine import TooManyItemsets

    required = np.array(transactions.codes_of(containing), dtype=np.int32)
    allowed = None
    if items is not None:
        allowed = np.zeros(transactions.n_items, dtype=np.bool_)
        allowed[list(transactions.codes_of(items))] = True
        if not allowed[required].all():
            raise UsageError(
                "An item that every set must hold is not among the items allowed.",
                code="items-contradict",
                hint="Name it among the items as well, or leave it out of containing.",
            )
    least = support_count(min_support, len(transactions))
    if threads is None:
        threads = (os.cpu_count() or 1) if transactions.n_occurrences >= LARGE else 1
    chosen = cast(Literal["complete", "closed", "maximal"], kind)
    wanted = WantedItemsets(least, chosen, min_length, max_length, allowed, required, max_itemsets)
    found = (engine or engine_for(transactions)).frequent_itemsets(
        transactions, wanted, threads=threads, progress=_share_of(progress)
    )
    if isinstance(found, TooManyItemsets):
        raise _too_many(max_itemsets, least, found.fitting_count, found.fitting_itemsets, len(transactions))
    return Itemsets(transactions.vocabulary, found.offsets, found.items, found.supports, len(transactions))


def _share_of(progress: Progress | None) -> Callable[[float], None] | None:
    if progress is None:
        return None
    return lambda share: progress("Mining itemsets", share)


def _too_many(limit: int, least: int, fitting: int | None, number: int, total: int) -> ResourceError:
    if fitting is None:
        hint = "No support makes them few enough: raise max_itemsets, or bound their length with max_length."
    else:
        share = fitting / max(1, total)
        hint = f"A minimum support of {fitting} ({share:.3g} of the records) gives {number:,} of them."
    return ResourceError(
        f"More than {limit:,} itemsets have a support of at least {least}.",
        code="too-many-itemsets",
        hint=hint,
    )
