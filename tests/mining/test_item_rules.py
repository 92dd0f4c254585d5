"""Itemsets and rules of transactions through the verbs, against the definitions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import chain, combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit.data.transactions import transactions_from_sets
from tacit.errors import ParameterError, ResourceError, TacitError
from tacit.mining import rules as listings
from tacit.mining.rules import MEASURES, in_pieces, write_listing
from tacit.mining.verbs import mine_itemsets, mine_rules
from tests.cases import parted


def _random_sets(seed: int) -> list[set[str]]:
    source = random.Random(seed)
    letters = "abcdef"[: source.randint(1, 6)]
    return [{letter for letter in letters if source.random() < 0.5} for _ in range(source.randint(1, 15))]


def _subsets(items: frozenset[str]) -> list[frozenset[str]]:
    return [
        frozenset(part)
        for part in chain.from_iterable(combinations(sorted(items), size) for size in range(1, len(items)))
    ]


@parted(300)
@pytest.mark.parametrize("max_consequent", [1, None])
def test_rules_are_all_splits_of_frequent_sets(max_consequent: int | None, seeds: range) -> None:
    compared = 0
    for seed in seeds:
        sets = _random_sets(seed)
        baskets = transactions_from_sets(sets)

        def support(items: frozenset[str], sets: list[set[str]] = sets) -> int:
            return sum(items <= basket for basket in sets)

        rules = mine_rules(baskets, min_support=2, min_confidence=0.6, max_consequent=max_consequent)
        names = frozenset(chain.from_iterable(sets))
        expected = set()
        for whole in [*_subsets(names), names]:
            if len(whole) < 2 or support(whole) < 2:
                continue
            for left in _subsets(whole):
                right = whole - left
                enough = Fraction(support(whole), support(left)) >= Fraction(3, 5)
                if enough and (max_consequent is None or len(right) <= max_consequent):
                    expected.add((left, right, support(whole), support(left), support(right)))
        found = {
            (
                frozenset(r.antecedent),
                frozenset(r.consequent),
                r.support,
                r.antecedent_support,
                r.consequent_support,
            )
            for r in rules
        }
        assert found == expected
        assert len(rules) == len(expected)
        compared += len(expected)
    assert 3 * compared > 10 * len(seeds)


def test_every_measure_from_the_counts() -> None:
    baskets = transactions_from_sets([{"a", "b"}] * 3 + [{"a"}] + [{"b"}] * 2 + [{"c"}] * 4)
    rules = mine_rules(baskets, min_support=1, min_confidence=0.1)
    place = [(rule.antecedent, rule.consequent) for rule in rules].index((("a",), ("b",)))
    values = {name: rules.measure(name)[place] for name in MEASURES}
    assert values == pytest.approx(
        {
            "support": 3 / 10,
            "confidence": 3 / 4,
            "lift": (3 / 10) / (4 / 10 * 5 / 10),
            "leverage": 3 / 10 - 4 / 10 * 5 / 10,
            "conviction": (1 - 5 / 10) / (1 - 3 / 4),
            "jaccard": 3 / 6,
        }
    )


def test_a_rule_without_exception_has_infinite_conviction() -> None:
    rules = mine_rules(transactions_from_sets([{"a", "b"}, {"b"}]), min_support=1, min_confidence=1.0)
    assert rules.measure("conviction").tolist() == [float("inf")]


def test_rules_are_filtered_sorted_and_framed() -> None:
    baskets = transactions_from_sets([set(text) for text in ("ab", "ab", "abc", "bc", "c", "ac")])
    rules = mine_rules(baskets, min_support=1, min_confidence=0.1)
    lift = rules.where(lift=1.0).sorted_by("lift").measure("lift")
    assert (lift >= 1.0).all() and (lift[:-1] >= lift[1:]).all()
    frame = rules.to_frame()
    assert frame.height == len(rules)
    assert frame.get_column("count").to_list() == [rule.support for rule in rules]


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_a_listing_in_pieces_is_the_listing(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    baskets = transactions_from_sets(_random_sets(3))
    for found in (
        mine_itemsets(baskets, min_support=1),
        mine_rules(baskets, min_support=1, min_confidence=0.1, max_consequent=None).sorted_by("lift"),
        mine_itemsets(baskets, min_support=len(baskets) + 1),
    ):
        whole, pieces = tmp_path / f"whole{suffix}", tmp_path / f"pieces{suffix}"
        write_listing([found.to_frame()], whole, overwrite=True)
        monkeypatch.setattr(listings, "PIECE", 3)
        write_listing(in_pieces(found), pieces, overwrite=True)
        if suffix == ".parquet":
            assert pl.read_parquet(whole).equals(pl.read_parquet(pieces))
        else:
            assert whole.read_bytes() == pieces.read_bytes()


def test_frames_name_the_items_of_each_set() -> None:
    baskets = transactions_from_sets(_random_sets(4))
    sets = mine_itemsets(baskets, min_support=1)
    mixed = sets.select(np.random.default_rng(1).permutation(len(sets)))
    assert mixed.to_frame()["items"].to_list() == [list(one.items) for one in mixed]
    rules = mine_rules(baskets, min_support=1, min_confidence=0.1, max_consequent=None).sorted_by("lift")
    frame = rules.to_frame()
    assert frame["antecedent"].to_list() == [list(rule.antecedent) for rule in rules]
    assert frame["consequent"].to_list() == [list(rule.consequent) for rule in rules]


def test_sides_can_be_restricted() -> None:
    baskets = transactions_from_sets([set("abc")] * 3)
    rules = mine_rules(baskets, min_support=1, min_confidence=0.1, antecedent=["a", "b"], consequent=["c"])
    assert {(r.antecedent, r.consequent) for r in rules} == {
        (("a",), ("c",)), (("b",), ("c",)), (("a", "b"), ("c",)),
    }  # fmt: skip


def test_thresholds_are_exact_at_the_boundary() -> None:
    baskets = transactions_from_sets([{"a"}] * 7 + [{"b"}] * 93)
    assert {s.items for s in mine_itemsets(baskets, min_support=0.07)} == {("a",), ("b",)}
    assert {s.items for s in mine_itemsets(baskets, min_support=8)} == {("b",)}


def test_results_are_sequences() -> None:
    itemsets = mine_itemsets(transactions_from_sets([{"a", "b"}]), min_support=1)
    rules = mine_rules(transactions_from_sets([{"a", "b"}]), min_support=1, min_confidence=0.5)
    for found in (itemsets, rules):
        assert found[-1] == found[len(found) - 1] == list(found)[-1]
        with pytest.raises(IndexError):
            found[len(found)]


def test_an_explosion_stops_with_a_threshold_that_fits() -> None:
    baskets = transactions_from_sets([{str(item) for item in range(25)}] * 2 + [{"0", "1"}] * 3)
    with pytest.raises(ResourceError) as caught:
        mine_itemsets(baskets, min_support=1, max_itemsets=1000)
    assert caught.value.code == "too-many-itemsets"
    assert caught.value.hint is not None and "support of 3" in caught.value.hint
    assert len(mine_itemsets(baskets, min_support=3, max_itemsets=1000)) == 3


@pytest.mark.parametrize(
    "options",
    [
        {"min_support": 0}, {"min_support": -1}, {"min_support": 1.5}, {"min_support": float("nan")},
        {"min_support": True}, {"min_support": 1, "max_length": 0}, {"min_support": 1, "min_length": 0},
        {"min_support": 1, "kind": "open"}, {"min_support": 1, "max_itemsets": 0},
        {"min_support": 1, "threads": 0},
    ],
)  # fmt: skip
def test_parameters_outside_their_range_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="parameter of mine_itemsets must be"):
        mine_itemsets(transactions_from_sets([{"a"}]), **options)  # type: ignore[arg-type]


def test_unknown_items_are_named() -> None:
    with pytest.raises(TacitError, match="'x'") as caught:
        mine_itemsets(transactions_from_sets([{"a"}]), min_support=1, containing=["x"])
    assert caught.value.code == "unknown-item"


def test_lengths_that_contradict_are_refused() -> None:
    with pytest.raises(TacitError, match="at least 3 and at most 2"):
        mine_itemsets(transactions_from_sets([{"a"}]), min_support=1, min_length=3, max_length=2)


def test_items_that_contradict_are_refused() -> None:
    with pytest.raises(TacitError, match="not among the items allowed"):
        mine_itemsets(transactions_from_sets([{"a", "b"}]), min_support=1, items=["a"], containing=["b"])


def test_itemsets_find_themselves_among_those_of_other_data() -> None:
    """Other data have other names in other places; an itemset is found by its names."""
    seeded = random.Random(9)
    met = 0
    for _ in range(60):
        both = [
            mine_itemsets(
                transactions_from_sets([set(seeded.sample(names, 3)) for _ in range(12)]), min_support=2
            )
            for names in ("abcdef", "bcdefgh")
        ]
        known = {itemset.items: itemset.support for itemset in both[1]}
        expected = [known.get(itemset.items, 0) for itemset in both[0]]
        assert both[0].supports_in(both[1]).tolist() == expected
        met += sum(map(bool, expected))
    assert met
