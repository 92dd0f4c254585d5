"""What a notebook or a traceback prints of an object is short and holds nothing private."""

from __future__ import annotations

import pytest

import tacit
from tacit.random.key import Key


def objects() -> dict[str, object]:
    people = tacit.load_sample("hospital:120")
    baskets = tacit.load_sample("supermarket:60")
    key = Key.from_seed(4)
    released = tacit.generalize(people, k=3, key=key)
    return {
        "Column": people.column("disease"),
        "Hierarchy": people.hierarchies["zip"],
        "Itemsets": tacit.mine_itemsets(baskets, min_support=5),
        "ItemRules": tacit.mine_rules(baskets, min_support=5, min_confidence=0.5),
        "TableRules": tacit.mine_rules(people, min_support=5, min_confidence=0.5),
        "Disclosure": tacit.disclose(people, min_support=20, min_confidence=0.2),
        "Risk": tacit.risk(people),
        "TableProfile": tacit.profile(people),
        "TransactionsProfile": tacit.profile(baskets),
        "TableRisks": released.risks,
        "TableUtility": released.utility(),
        "Table": people,
        "Transactions": baskets,
        "NegativeRules": tacit.mine_negative_rules(people),
        "BucketizedRelease": tacit.bucketize(people, l=2, key=key),
        "GeneralizedTable": released,
        "GeneralizedRelease": tacit.generalize(baskets, k=3, m=1),
    }


@pytest.fixture(scope="module")
def made() -> dict[str, object]:
    return objects()


def test_reprs_are_short_and_hold_no_value(made: dict[str, object]) -> None:
    people, baskets = made["Table"], made["Transactions"]
    assert isinstance(people, tacit.Table) and isinstance(baskets, tacit.Transactions)
    values = {str(text) for column in ("zip", "disease") for text in people.column(column).texts}
    values |= set(baskets.vocabulary)
    for name, one in made.items():
        shown = repr(one)
        assert shown.startswith(f"<{name}: ") and len(shown) < 300
        assert not any(value in shown for value in values), name
