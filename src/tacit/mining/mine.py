"""Mining itemsets and rules, of transactions or of a table, as the verbs ask for it."""

from __future__ import annotations

from typing import Any

from tacit.data.table import Table
from tacit.errors import UsageError
from tacit.mining.item_rules import rules_from_itemsets
from tacit.mining.itemsets import Itemsets
from tacit.mining.rules import ItemRules, TableRules
from tacit.mining.tables import TableItemsets, mine_table_itemsets, mine_table_rules
from tacit.mining.transactions import mine_transactions


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
