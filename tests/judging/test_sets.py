"""The judge of published sets against the definitions, on small random releases."""

from __future__ import annotations

import random
from itertools import combinations
from math import log

import numpy as np
import polars as pl
import pytest

from tacit.data.column import Column, encode
from tacit.data.hierarchy import from_parents
from tacit.data.transactions import transactions_from_sets
from tacit.io.samples.supermarket import supermarket
from tacit.judging.leaf_guessing import TRUST, guess_leaves
from tacit.judging.sets import Narrowed, SetRisks, judge_sets, spread
from tacit.methods.generalize_sets.solve.solve import planned
from tacit.methods.generalize_sets.utility import measure_sets
from tacit.showing.layout import as_text
from tests.cases import cases
from tests.oracles import cuts as oracle
from tests.oracles import readers
from tests.oracles.trees import ancestors
from tests.strategies.baskets import random_baskets


def test_every_reader_is_measured_as_defined() -> None:
    seeded = random.Random(1)
    for _ in range(250):
        baskets = random_baskets(seeded, most_records=14, most_items=6)
        records, k, m = baskets.records, seeded.randint(2, 4), seeded.randint(1, 2)
        found = judge_sets(baskets.transactions, k=k, m=m)
        expected = [
            [sum(readers.narrowed(records, least, m + more)) for least in (k, 2)] for more in (1, 2, 3)
        ]
        whole, exact = readers.with_whole_set(records), readers.with_exact_set(records)
        expected.append([sum(left < least for left in whole) for least in (k, 2)])
        expected.append([sum(readers.narrowed(records, least, m, absence=True)) for least in (k, 2)])
        expected.append([sum(left < least for left in exact) for least in (k, 2)])
        assert [[reader.below_k, reader.to_one] for reader in found.narrowed] == expected
        assert judge_sets(baskets.transactions, k=k, m=m, most_tried=10**9) == found
        assert {reader.records for reader in found.narrowed} == {len(records)}
        assert all(reader.error(len(records)) == 0 for reader in found.narrowed)
        assert found.diversity is None
        assert found.leaf_guessing is None


def test_a_release_keeps_its_promise_and_the_judge_agrees() -> None:
    seeded = random.Random(2)
    for _ in range(200):
        baskets = random_baskets(seeded, most_records=16, most_items=8)
        k, m = seeded.randint(2, 3), seeded.randint(2, 3)
        if sum(map(bool, baskets.records)) < k:
            continue
        published = planned(baskets.transactions, k=k, m=m).apply(baskets.transactions)
        # The reader with m items is the one with (m - 1) + 1.
        assert judge_sets(published, k=k, m=m - 1).narrowed[0].below_k == 0


def test_a_sample_is_spread_over_all_records_and_carries_its_error() -> None:
    baskets = transactions_from_sets([{"a"}] * 600 + [{"b", f"c{number}"} for number in range(200)])
    found = judge_sets(baskets, k=5, m=1, sample=80)
    known_two = found.narrowed[0]
    assert known_two.records == 80
    assert known_two.share_below_k == pytest.approx(0.25, abs=0.02)
    assert 0 < known_two.error(found.records) < 0.06
    assert judge_sets(baskets, k=5, m=1).narrowed[0].below_k == 200


def test_it_is_said_how_to_judge_all_records() -> None:
    few = Narrowed("some items", below_k=2, to_one=1, records=10)
    shown = " ".join(as_text(SetRisks(2, 1, 100, (few,) * 6, None, None)).split())
    assert "judge='full' (--judge full) looks at all." in shown


def test_records_that_are_not_tried_count_as_narrowed_and_are_in_the_error() -> None:
    seeded = random.Random(7)
    untried = 0
    for _ in range(cases(150)):
        baskets = random_baskets(seeded, most_records=14, most_items=6)
        k, m = seeded.randint(2, 4), seeded.randint(1, 2)
        exact = judge_sets(baskets.transactions, k=k, m=m)
        quick = judge_sets(baskets.transactions, k=k, m=m, most_tried=seeded.randint(0, 3000))
        for one, other in zip(exact.narrowed, quick.narrowed, strict=True):
            assert other.records == one.records
            assert one.below_k <= other.below_k <= one.below_k + other.untried
            assert one.to_one <= other.to_one
            assert other.error(other.records) == other.untried / max(1, other.records)
            untried += other.untried
    assert untried


def test_long_records_are_judged_by_fewer_of_them() -> None:
    seeded = random.Random(8)
    letters = [f"i{number}" for number in range(30)]
    baskets = transactions_from_sets([set(seeded.sample(letters, 12)) for _ in range(3000)])
    exact = judge_sets(baskets, k=5, m=2).narrowed
    quick = judge_sets(baskets, k=5, m=2, most_tried=50_000_000).narrowed
    for reader, truth in zip(quick, exact, strict=True):
        assert reader.records >= 250 and not reader.untried
        assert abs(reader.share_below_k - truth.share_below_k) <= 4 * reader.error(3000)
    assert quick[0].records < 3000


def test_the_first_of_a_sample_are_spread_over_all_records() -> None:
    for records in (0, 1, 2, 5, 100, 4096, 75_025):
        places = spread(records, 50)
        assert len(set(places.tolist())) == len(places) == min(records, 50)
        for few in range(5, len(places)):
            gaps = np.diff(np.sort(np.append(places[:few], [0, records - 1])))
            assert gaps.max() <= 3 * records / few


def column(values: list[str]) -> Column:
    return encode(pl.Series("illness", values))


def test_diversity_is_the_fewest_values_behind_any_known_items() -> None:
    seeded = random.Random(3)
    for _ in range(300):
        baskets = random_baskets(seeded, most_records=12, most_items=5)
        values = [seeded.choice("xyz") for _ in baskets.records]
        m = seeded.randint(1, 3)
        behind: dict[frozenset[str], set[str]] = {}
        for record, value in zip(baskets.records, values, strict=True):
            for size in range(1, m + 1):
                for chosen in combinations(sorted(record), size):
                    behind.setdefault(frozenset(chosen), set()).add(value)
        given_away = sum(
            any(len(found) == 1 and chosen <= record for chosen, found in behind.items())
            for record in baskets.records
        )
        data = transactions_from_sets(baskets.records, sensitive=column(values))
        found = judge_sets(data, k=2, m=m).diversity
        assert found is not None
        assert found.column == "illness"
        assert found.fewest == min(map(len, behind.values()), default=0)
        assert found.given_away == given_away


def test_utility_is_the_loss_and_the_steps_up() -> None:
    seeded = random.Random(4)
    for _ in range(200):
        baskets = random_baskets(seeded)
        if not any(baskets.records):
            continue
        cut = seeded.choice(list(oracle.all_cuts(baskets.parents)))
        hierarchy = from_parents(baskets.parents)
        found = measure_sets(baskets.transactions, cut, hierarchy)
        published = oracle.published(baskets.records, cut)
        assert found.ncp == pytest.approx(float(oracle.ncp(baskets.records, baskets.parents, cut)))
        items = sorted(set().union(*baskets.records))
        steps = {item: [item, *ancestors(baskets.parents, item)].index(cut[item]) for item in items}
        times = {item: sum(item in record for record in baskets.records) for item in items}
        assert [(level.steps, level.items, level.occurrences) for level in found.levels] == [
            (step, sum(s == step for s in steps.values()), sum(times[i] for i in items if steps[i] == step))
            for step in sorted(set(steps.values()))
        ]
        assert found.items == len(items)
        assert found.published_items == len(set().union(*published))
        assert found.average_length == pytest.approx(sum(map(len, baskets.records)) / len(baskets.records))
        assert found.published_average_length == pytest.approx(sum(map(len, published)) / len(published))


def nodes_of(record: frozenset[str], mapping: dict[str, str]) -> set[str]:
    return {mapping[item] for item in record}


def guess_by_definition(
    learned: list[frozenset[str]], guessed: list[frozenset[str]], mapping: dict[str, str], trust: float
) -> tuple[int, int, int, float]:
    """Guesses, right ones, right ones by frequency, expected right ones at random."""
    vocabulary = sorted(mapping)
    alone = {item: sum(item in record for record in learned) for item in vocabulary}

    def company(item: str, other: str) -> float:
        below = [leaf for leaf in vocabulary if mapping[leaf] == mapping[item]]
        with_other = {
            leaf: sum(leaf in record and other in nodes_of(record, mapping) for record in learned)
            for leaf in below
        }
        usual = (sum(with_other.values()) + 1) / (sum(alone[leaf] for leaf in below) + 2)
        return (with_other[item] + trust * usual) / (alone[item] + trust)

    guesses = right = frequent = 0
    blind = 0.0
    for record in guessed:
        for node in nodes_of(record, mapping):
            below = [item for item in vocabulary if mapping[item] == node]
            if len(below) < 2:
                continue
            scores = [
                log(alone[item] + 1)
                + sum(log(company(item, other)) for other in sorted(nodes_of(record, mapping) - {node}))
                for item in below
            ]
            best = 0
            for place, score in enumerate(scores):
                best = place if score > scores[best] + 1e-9 else best
            guesses += 1
            right += below[best] in record
            frequent += max(below, key=lambda item: alone[item]) in record
            blind += len(record & set(below)) / len(below)
    return guesses, right, frequent, blind


def test_leaves_are_guessed_as_defined() -> None:
    seeded = random.Random(5)
    better = 0
    for _ in range(cases(150)):
        baskets = random_baskets(seeded, most_records=25, most_items=8)
        if not any(baskets.records):
            continue
        cut = seeded.choice(list(oracle.all_cuts(baskets.parents)))
        found = guess_leaves(baskets.transactions, cut)
        assert found is not None
        present = {item: cut[item] for item in baskets.transactions.vocabulary}
        ordered = sorted(baskets.records, key=sorted)
        learned, guessed = ordered[::2], ordered[1::2]
        trials = [guess_by_definition(learned[::2], learned[1::2], present, trust)[1] for trust in TRUST]
        trust = TRUST[trials.index(max(trials))]
        guesses, right, frequent, blind = guess_by_definition(learned, guessed, present, trust)
        assert found.guesses == guesses
        assert found.right_by_frequency == frequent
        assert found.expected_at_random == pytest.approx(blind)
        assert found.right == right
        better += found.right != found.right_by_frequency
    assert better


def test_company_gives_a_leaf_away() -> None:
    records = [{"tea", "milk"}] * 100 + [{"coffee", "sugar"}] * 90
    parents = {"tea": "drink", "coffee": "drink", "milk": "ALL", "sugar": "ALL", "drink": "ALL"}
    data = transactions_from_sets(records, hierarchy=from_parents(parents))
    found = guess_leaves(data, {"tea": "drink", "coffee": "drink", "milk": "milk", "sugar": "sugar"})
    assert found is not None
    assert found.accuracy == 1.0
    assert found.baseline == pytest.approx(100 / 190, abs=0.01)
    assert found.at_random == 0.5


def test_the_attack_does_not_fall_behind_the_guess_by_frequency() -> None:
    baskets = supermarket(2000)
    found = guess_leaves(baskets, planned(baskets, k=5, m=2).cut.mapping)
    assert found is not None
    assert found.accuracy > 0.98 * found.baseline


def test_figures_have_names() -> None:
    data = transactions_from_sets([{"a"}, {"b"}])
    assert set(judge_sets(data, k=2, m=1).to_dict()) == {"records", "narrowed", "diversity", "leaf_guessing"}
