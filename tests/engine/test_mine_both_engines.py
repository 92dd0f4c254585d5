"""Frequent itemsets on both engines: the same sets in the same order, however records are partitioned."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.data.transactions import Transactions, transactions_from_sets
from tacit.engine import spark_itemsets

pytestmark = pytest.mark.xdist_group("spark")

PARTITIONS = (1, 2, 7, 64)


def random_transactions(seed: int) -> Transactions:
    """Records some of whose items keep company, with empty ones and repeats among them."""
    random = np.random.default_rng(seed)
    n_items = int(random.integers(3, 12))
    company = random.random((3, n_items)) ** 2
    rows = company[random.integers(0, 3, int(random.integers(20, 90)))] > random.random(n_items)
    return transactions_from_sets([np.flatnonzero(row).tolist() for row in rows])


def on_spark(here: Transactions, engine: tacit.SparkEngine, partitions: int) -> Transactions:
    rows = [(sorted(names),) for names in here.sets()]
    frame = engine.session.createDataFrame(rows, "items array<string>").repartition(partitions)
    return tacit.read_transactions(frame, engine=engine)


def wishes(seed: int, here: Transactions) -> dict[str, Any]:
    names = here.vocabulary
    return {
        "min_support": 2 + seed % 5,
        "kind": ("complete", "closed", "maximal")[seed % 3],
        "min_length": 1 + seed % 2,
        "max_length": None if seed % 4 else 3,
        "items": None if seed % 5 else names[: max(2, len(names) - 1)],
        "containing": () if seed % 3 != 1 else names[:1],
    }


def same_itemsets(seed: int, engine: tacit.SparkEngine, monkeypatch) -> int:
    monkeypatch.setattr(spark_itemsets, "LEAST", 1)  # so that small parts are mined apart
    here = random_transactions(seed)
    there = on_spark(here, engine, PARTITIONS[seed % 4])
    wish = wishes(seed, here)
    one, other = (tacit.mine_itemsets(data, **wish) for data in (here, there))
    for name in ("offsets", "items", "supports"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.n_rows == other.n_rows
    return len(one)


@pytest.mark.parametrize("seed", range(10))
def test_itemsets_are_the_same(seed, engine, monkeypatch) -> None:
    same_itemsets(seed, engine, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 310, 10))
def test_many_itemsets_are_the_same(first, engine, monkeypatch) -> None:
    assert sum(same_itemsets(seed, engine, monkeypatch) for seed in range(first, first + 10))


def test_rules_and_too_many_itemsets_are_the_same(engine) -> None:
    here = random_transactions(3)
    both = here, on_spark(here, engine, 2)
    rules = [tacit.mine_rules(data, min_support=3, min_confidence=0.5) for data in both]
    assert len(rules[0]) and rules[0].to_frame().equals(rules[1].to_frame())
    for data in both:
        with pytest.raises(tacit.ResourceError) as caught:
            tacit.mine_itemsets(data, min_support=2, max_itemsets=9)
        assert caught.value.code == "too-many-itemsets"
        # The threshold that it names gives as many sets as it says.
        fitting, number = re.search(r"support of (\d+) .* gives (\d+) of them", str(caught.value)).groups()
        assert len(tacit.mine_itemsets(here, min_support=int(fitting))) == int(number) <= 9
