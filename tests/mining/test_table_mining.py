"""Itemsets, rules and negative rules of tables, against the definitions."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from tacit.data.hierarchy import from_parents
from tacit.data.table import table_from_frame
from tacit.mining.conjunctions import _tally
from tacit.mining.mine import mine_table_itemsets, mine_table_rules
from tacit.mining.verbs import mine_negative_rules
from tests.cases import parted
from tests.oracles import conjunctions as oracle
from tests.strategies.tables import small_table

TABLES = 600


def _as_set(rules) -> set[tuple[frozenset[tuple[str, str]], str]]:
    return {(frozenset(rule.when), rule.value) for rule in rules}


@parted(TABLES)
@pytest.mark.parametrize("max_length", [1, 2, None])
def test_itemsets_are_all_conjunctions_with_their_counts(max_length: int | None, seeds: range) -> None:
    for seed in seeds:
        small = small_table(seed)
        found = mine_table_itemsets(
            small.table,
            min_support=1,
            max_length=max_length,
            hierarchies=True,
        )
        by_items = {frozenset(itemset.items): itemset for itemset in found}
        assert len(by_items) == len(found)
        assert set(by_items) == oracle.conjunctions(small.rows, small.trees, max_length)
        for items, itemset in by_items.items():
            expected = oracle.counts(small.rows, items, small.trees, "s")
            assert {value: count for value, count in itemset.by_value.items() if count} == expected


@parted(TABLES)
def test_rules_reach_both_thresholds_exactly(seeds: range) -> None:
    for seed in seeds:
        small = small_table(seed)
        least, confidence = 1 + seed % 3, Decimal("0.6")
        found = mine_table_rules(
            small.table,
            min_support=least,
            min_confidence=confidence,
            hierarchies=True,
        )
        expected = set()
        for items in oracle.conjunctions(small.rows, small.trees, None):
            counts = oracle.counts(small.rows, items, small.trees, "s")
            for value, count in counts.items():
                if count >= least and Fraction(count, sum(counts.values())) >= Fraction(confidence):
                    expected.add((frozenset(f"{n} = {v}" for n, v in items), f"s = {value}", count))
        assert {(frozenset(r.antecedent), r.consequent[0], r.support) for r in found} == expected


@parted(TABLES // 3)
@pytest.mark.parametrize("max_length", [1, 2, None])
@pytest.mark.parametrize("expectation", ["0.3", "0.5", "0.75"])
def test_negative_rules_are_the_most_general_ones(
    max_length: int | None, expectation: str, seeds: range
) -> None:
    found_any = 0
    for seed in seeds:
        small = small_table(seed, max_rows=24)
        found = mine_negative_rules(small.table, min_expectation=Decimal(expectation), max_length=max_length)
        expected = oracle.negative_rules(
            small.rows, small.trees, "s", min_expectation=Fraction(expectation), max_length=max_length
        )
        assert _as_set(found) == expected
        assert found.certain
        found_any += len(found)
    assert 10 * found_any > len(seeds)  # the comparison must have something to compare


@parted(TABLES // 3)
def test_exceptions_are_tolerated_when_looking_around(seeds: range) -> None:
    for seed in seeds:
        small = small_table(seed)
        found = mine_negative_rules(
            small.table, min_expectation=0.5, min_confidence=Decimal("0.7"), max_length=None
        )
        expected = oracle.negative_rules(
            small.rows, small.trees, "s", min_expectation=Fraction(1, 2), min_confidence=Fraction(7, 10)
        )
        assert _as_set(found) == expected


@parted(TABLES // 3)
def test_bonferroni_divides_the_level_by_all_pairs_tested(seeds: range) -> None:
    for seed in seeds:
        small = small_table(seed, max_rows=30, max_attributes=2, sensitive=2)
        found = mine_negative_rules(
            small.table, min_expectation=0.5, max_length=None, correction="bonferroni"
        )
        values = len({row["s"] for row in small.rows})
        tests = len(oracle.conjunctions(small.rows, small.trees, None)) * values
        expected = oracle.negative_rules(
            small.rows, small.trees, "s", min_expectation=Fraction(1, 2), tests_per_rule=tests
        )
        assert _as_set(found) == expected


@parted(TABLES // 3)
def test_alike_divides_the_level_by_the_rules_of_the_same_attributes(seeds: range) -> None:
    for seed in seeds:
        small = small_table(seed, max_rows=60, max_attributes=2, sensitive=2)
        values = {name: len({*tree, *tree.values()}) - 1 for name, tree in small.trees.items()}
        found = mine_negative_rules(small.table, min_expectation=0.5, max_length=None, correction="alike")
        alike = oracle.negative_rules(
            small.rows, small.trees, "s", min_expectation=Fraction(1, 2), values=values
        )
        assert _as_set(found) == alike
        every = mine_negative_rules(small.table, min_expectation=0.5, max_length=None)
        firm = [rule for rule in every if not rule.may_be_chance]
        assert [every[place] for place in every.firm_first[: len(firm)]] == firm
        assert {(frozenset(rule.when), rule.value) for rule in firm} <= alike


def test_benjamini_hochberg_lies_between_none_and_bonferroni() -> None:
    random = np.random.default_rng(3)
    columns = {f"q{number}": random.integers(0, 8, 1500) for number in range(3)}
    # Values of s near q0 never occur; the other attributes tell nothing.
    columns["s"] = (columns["q0"] + random.integers(1, 7, 1500)) % 8
    frame = pl.DataFrame({name: values.astype(str) for name, values in columns.items()})
    table = table_from_frame(frame, quasi=["q0", "q1", "q2"], sensitive="s")
    found = {
        correction: _as_set(mine_negative_rules(table, max_length=2, correction=correction))
        for correction in ("none", "bh", "bonferroni")
    }
    assert found["bonferroni"] <= found["bh"] <= found["none"]
    planted = {
        (frozenset({("q0", str(place))}), str((place + gap) % 8)) for place in range(8) for gap in (0, 7)
    }
    assert planted <= found["bonferroni"]
    assert len(found["none"]) > len(found["bonferroni"])


def test_fuzzy_membership_sums_to_the_definition() -> None:
    tree = {str(age): f"{age // 10 * 10}s" for age in range(20, 60)} | {
        f"{ten}s": "*" for ten in range(20, 60, 10)
    }
    ages = [20, 25, 29, 38, 40, 41, 45, 46, 55, 56, 57, 58]
    values = ["flu"] * 4 + ["cold"] * 8
    table = table_from_frame(
        pl.DataFrame({"age": [str(age) for age in ages], "disease": values}),
        quasi="age",
        sensitive="disease",
        hierarchies={"age": from_parents(tree)},
    )
    rules = mine_negative_rules(table, min_expectation=0.4, spread=0.5)
    counted = {rule.when[0][1]: rule.count for rule in rules if rule.value == "flu"}
    assert "50s" in counted and counted["50s"] > 4
    for label, count in counted.items():
        low = float(label.rstrip("s"))
        high = low + 9 if label.endswith("s") else low
        assert count == pytest.approx(oracle.fuzzy_count(ages, low, high, 0.5))
    crisp = mine_negative_rules(table, min_expectation=0.4)
    assert {rule.when[0][1] for rule in crisp if rule.value == "flu"} == {"40s", "50s"}
    assert "40s" not in counted, "a case at 38 belongs to the forties a little"


def test_a_support_exactly_at_the_share_is_in() -> None:
    rows = [{"q": "a" if place < 7 else "b", "s": "x"} for place in range(100)]
    table = table_from_frame(pl.DataFrame(rows), quasi="q", sensitive="s")
    found = mine_table_itemsets(table, min_support=0.07, max_length=None)
    assert {itemset.items for itemset in found} == {(("q", "a"),), (("q", "b"),)}


def test_conjunctions_too_rare_for_any_negative_rule_are_not_counted_by_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A birth date and an amount that are different in every row make a table of their pairs too large."""
    sizes: list[int] = []

    def tally(numbers, classes, weights, n_pairs, asked, n_classes):  # type: ignore[no-untyped-def]
        sizes.append(n_pairs * len(asked))
        return _tally(numbers, classes, weights, n_pairs, asked, n_classes)

    monkeypatch.setattr("tacit.mining.conjunctions._tally", tally)
    numbers = [str(number) for number in range(500)]
    frame = pl.DataFrame({"born": numbers, "sex": ["f", "m"] * 250, "pay": numbers})
    table = table_from_frame(frame, quasi=["born", "sex"], sensitive="pay")
    assert len(mine_negative_rules(table, min_expectation=0.9)) == 0
    assert not sum(sizes)  # a value of one row in 500 is missed by 250 rows too easily
    assert len(mine_negative_rules(table, min_expectation=0.3)) == 500
    assert sizes == [2 * 500]
