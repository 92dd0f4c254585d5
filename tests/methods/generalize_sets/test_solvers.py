"""Every solver against the definitions: all sets counted, all cuts tried, on small random baskets."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from tacit.engine.sets import SetCounts
from tacit.methods.generalize_sets.solve.apriori import apriori, direct
from tacit.methods.generalize_sets.solve.cut import Cut, Draft
from tacit.methods.generalize_sets.solve.plan import Plan
from tacit.methods.generalize_sets.solve.refine import Refiner
from tacit.methods.generalize_sets.solve.solve import planned
from tacit.random.key import Key
from tests.cases import cases, parted
from tests.oracles import cuts as oracle
from tests.strategies.baskets import Baskets, random_baskets


def feasible(random: random.Random, **limits: int) -> tuple[Baskets, int, int]:
    """Random baskets with a k that they can meet, and an m."""
    while True:
        baskets = random_baskets(random, **limits)
        k = random.randint(2, 5)
        if sum(map(bool, baskets.records)) >= k:
            return baskets, k, random.randint(1, 4)


def holds(baskets: Baskets, plan: Plan) -> bool:
    return oracle.is_anonymous(oracle.published(baskets.records, plan.cut.mapping), plan.k, plan.m)


def exact_ncp(baskets: Baskets, cut: Cut) -> Fraction:
    return oracle.ncp(baskets.records, baskets.parents, cut.mapping)


@pytest.mark.parametrize("count", [500, pytest.param(2000, marks=pytest.mark.ci)])
def test_optimal_is_the_best_of_all_cuts_and_no_greedy_cut_is_below_it(count: int) -> None:
    seeded = random.Random(1)
    greedy_misses = 0
    for _ in range(cases(count)):
        baskets, k, m = feasible(seeded, most_records=16, most_items=8)
        lowest = oracle.lowest_ncp(baskets.records, baskets.parents, k, m)
        plan = planned(baskets.transactions, k=k, m=m, algorithm="optimal")
        assert plan.proven
        assert exact_ncp(baskets, plan.cut) == lowest
        assert plan.ncp == pytest.approx(float(lowest), abs=1e-12)
        counts = SetCounts(baskets.transactions)
        for greedy in (apriori(counts, k=k, m=min(m, 5)), direct(counts, k=k, m=min(m, 5))):
            assert exact_ncp(baskets, greedy.cut()) >= lowest
            greedy_misses += exact_ncp(baskets, greedy.cut()) > lowest
    assert greedy_misses, "the cases are too easy to tell a greedy cut from the best"


def test_greedy_cuts_are_always_valid() -> None:
    # The verifier's own tests count ten thousand more releases of both kinds.
    seeded = random.Random(2)
    for case in range(cases(3000)):
        baskets, k, m = feasible(seeded, most_records=20, most_items=9)
        plan = planned(baskets.transactions, k=k, m=m, algorithm="apriori" if case % 2 else "direct")
        assert holds(baskets, plan)
        assert plan.greedy_ncp is not None
        assert plan.ncp <= plan.greedy_ncp
        assert plan.cut.ncp(baskets.transactions) == pytest.approx(plan.ncp, abs=1e-12)


def test_refinement_never_worsens_and_leaves_nothing_to_split() -> None:
    seeded = random.Random(4)
    for _ in range(cases(500)):
        baskets, k, m = feasible(seeded, most_records=16)
        counts = SetCounts(baskets.transactions)
        coarse = Draft(counts.tree)
        coarse.climb(counts.tree.root)
        for start in (apriori(counts, k=k, m=m), coarse):
            refiner = Refiner(counts, k=k, m=m)
            refined = refiner.refine(start)
            assert refined.cost <= start.cost
            for above, below in zip(start.cut().of_leaf, refined.cut().of_leaf, strict=True):
                assert above == below or above in counts.tree.hierarchy.ancestors(int(below))
            for node in refined.inner_nodes():
                finer = refined.copy()
                finer.split(node)
                records = oracle.published(baskets.records, finer.cut().mapping)
                assert not oracle.is_anonymous(records, k, m)
            exchanged = refiner.exchange(refined)
            assert exchanged.cost <= refined.cost
            assert oracle.is_anonymous(oracle.published(baskets.records, exchanged.cut().mapping), k, m)


def test_the_papers_own_algorithms_give_the_same_guarantee_at_no_lower_cost_on_the_whole() -> None:
    seeded = random.Random(5)
    literal = fast = Fraction(0)
    for _ in range(cases(300)):
        baskets, k, m = feasible(seeded)
        cuts = {
            "apriori": oracle.apriori_anonymization(baskets.records, baskets.parents, k, m),
            "direct": oracle.direct_anonymization(baskets.records, baskets.parents, k, m),
        }
        for algorithm, cut in cuts.items():
            assert oracle.is_anonymous(oracle.published(baskets.records, cut), k, m)
            literal += oracle.ncp(baskets.records, baskets.parents, cut)
            plan = planned(baskets.transactions, k=k, m=m, algorithm=algorithm)
            fast += exact_ncp(baskets, plan.cut)
    assert fast <= literal


def test_nothing_depends_on_the_order_of_records() -> None:
    seeded = random.Random(6)
    key = Key.from_seed(1)
    for _ in range(cases(150)):
        baskets, k, m = feasible(seeded, most_records=20, most_items=9)
        order = np.array(seeded.sample(range(len(baskets.records)), len(baskets.records)))
        for algorithm in ("apriori", "direct", "optimal", "best"):
            asked = {"k": k, "m": m, "algorithm": algorithm, "key": key}
            one = planned(baskets.transactions, **asked)
            other = planned(baskets.transactions.take(order), **asked)
            assert one.cut.mapping == other.cut.mapping
            assert (
                one.apply(baskets.transactions).sets() == other.apply(baskets.transactions.take(order)).sets()
            )


@parted(100)
def test_best_is_never_dearer_than_one_start_and_repeats_itself(seeds: range) -> None:
    seeded = random.Random(7 + seeds.start)
    for _ in seeds:
        baskets, k, m = feasible(seeded, most_records=20, most_items=9)
        single = planned(baskets.transactions, k=k, m=m)
        asked = {"k": k, "m": m, "algorithm": "best", "restarts": 3}
        plan = planned(baskets.transactions, key=Key.from_seed(1), **asked)
        assert holds(baskets, plan)
        assert plan.ncp <= single.ncp
        assert plan.restarts == 3
        assert planned(baskets.transactions, key=Key.from_seed(1), **asked).cut.mapping == plan.cut.mapping


def test_a_short_time_still_gives_a_valid_cut_and_a_bound_below_it() -> None:
    seeded = random.Random(8)
    for _ in range(50):
        baskets, k, m = feasible(seeded, most_records=20, most_items=9)
        plan = planned(baskets.transactions, k=k, m=m, algorithm="optimal", time_budget=1e-6)
        assert holds(baskets, plan)
        assert plan.bound is not None
        assert plan.bound <= plan.ncp
