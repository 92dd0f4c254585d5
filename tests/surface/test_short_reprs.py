"""What a notebook or a traceback prints of an object is short and holds nothing private."""

from __future__ import annotations

import pytest

import tacit
from tacit.random.key import Key


def objects() -> dict[str, object]:
    people = tacit.load_sample("hospital:120")
    baskets = tacit.load_sample("supermarket:60")
    key = Key.from_seed(4)
    return {
        "Table": people,
        "Transactions": baskets,
        "NegativeRules": tacit.mine_negative_rules(people),
        "BucketizedRelease": tacit.bucketize(people, l=2, key=key),
        "GeneralizedTable": tacit.generalize(people, k=3, key=key),
        "GeneralizedRelease": tacit.generalize(baskets, k=3, m=1),
    }


@pytest.fixture(scope="module")
def made() -> dict[str, object]:
    return objects()


@pytest.mark.parametrize(
    "name",
    ["Table", "Transactions", "NegativeRules", "BucketizedRelease", "GeneralizedTable", "GeneralizedRelease"],
)
def test_a_repr_is_short_and_holds_no_value(made: dict[str, object], name: str) -> None:
    shown = repr(made[name])
    assert shown.startswith(f"<{name}: ") and len(shown) < 300
    people, baskets = made["Table"], made["Transactions"]
    assert isinstance(people, tacit.Table) and isinstance(baskets, tacit.Transactions)
    values = {str(text) for column in ("zip", "disease") for text in people.column(column).texts}
    assert not any(value in shown for value in values | set(baskets.vocabulary))
