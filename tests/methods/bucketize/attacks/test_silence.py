"""Rules that are not listed name nobody: every pair that could have been listed keeps enough candidates."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.engine.local.engine import LocalEngine
from tacit.errors import InfeasibleError
from tacit.methods.bucketize.attacks import silence_attack
from tacit.methods.bucketize.judge.risks import vulnerable_rows
from tacit.methods.bucketize.solve import silence
from tacit.mining.silence import listing_level, unlisted_pairs
from tacit.random.key import Key
from tests.cases import parted
from tests.methods.bucketize.series import people
from tests.methods.bucketize.series import table as series_table
from tests.oracles.silence import candidates, conjunctions_from_definition, pairs_from_definition
from tests.oracles.unlisted import classed, fewest_values, mined
from tests.tally import Tally

MANY = 20_000
"""Buckets with more worlds are not looked at."""


@pytest.mark.parametrize(
    "max_length", [1, *(pytest.param(longer, marks=pytest.mark.ci) for longer in (2, 3))]
)
def test_nobody_is_named_by_what_is_not_listed(max_length: int, tally: Tally) -> None:
    for seed in range(3):
        table = tacit.load_sample("hospital:1000", seed=seed)
        rules = tacit.mine_negative_rules(table, max_length=max_length)
        release = tacit.bucketize(table, l=3, knowledge=rules, key=Key.from_seed(seed))
        named = silence_attack(release.buckets, rules)
        assert named is not None
        tally("attacks", "silence", wrong=named.people)
        assert named.people == 0
        assert vulnerable_rows(release.buckets, rules, 3) == 0


def test_the_attack_names_people_where_buckets_are_not_merged() -> None:
    named = right = 0
    for seed in range(3):
        table = tacit.load_sample("hospital:1000", seed=seed)
        rules = tacit.mine_negative_rules(table, max_length=2)
        release = tacit.bucketize(table, l=3, knowledge=rules, partners="any", key=Key.from_seed(seed))
        found = silence_attack(release.buckets, rules)
        assert found is not None
        named += found.people
        right += round(found.people * (found.right or 0))
    assert named > 5
    assert right == named  # who is named so holds the value: it is a deduction, not a guess


def test_every_pair_keeps_as_many_candidates_as_it_can() -> None:
    table = tacit.load_sample("hospital:400", seed=3)
    rules = tacit.mine_negative_rules(table, max_length=2)
    release = tacit.bucketize(table, l=3, knowledge=rules, key=Key.from_seed(2))
    checked = 0
    for inside, value, holders in pairs_from_definition(table, rules):
        now, ever = candidates(release.buckets, rules, inside, value)
        assert now >= min(3, ever)
        checked += holders < 3
    assert checked > 50


def small(seed: int) -> Any:
    """A small table in buckets, and who is in its rows; None where it cannot be made."""
    generator = np.random.default_rng(seed)
    frame = people(generator, int(generator.integers(7, 11)), values=int(generator.integers(3, 6)), ages=4)
    known = {"min_expectation": float(generator.choice([0.5, 0.7])), "max_length": 1 + seed % 2}
    l = int(generator.integers(2, 4))
    try:
        return tacit.bucketize(series_table(frame), l=l, knowledge=known, key=Key.from_seed(seed)), frame
    except InfeasibleError:
        return None


def fewest(seed: int) -> tuple[int, int] | None:
    """ℓ of a small table in buckets, and the fewest values of anybody in the worlds with the listed rules."""
    if (found := small(seed)) is None:
        return None
    made, frame = found
    names, held = frame["id"].to_list(), frame["disease"].to_list()
    home = dict(zip(made.buckets.rows.tolist(), made.buckets.groups.tolist(), strict=True))
    assert made.knowledge is not None
    says = mined(made.buckets.table, names, made.knowledge)
    worlds = list(islice(classed([{names[row]: (number, held[row]) for row, number in home.items()}]), MANY))
    if len(worlds) == MANY:
        return None
    return made.manifest.promise["l"], fewest_values(world for world in worlds if says.allows(world))


@parted(100)
def test_everybody_keeps_l_values_in_worlds_with_the_listed_rules(seeds: range) -> None:
    found = [one for one in map(fewest, seeds) if one is not None]
    assert len(found) > len(seeds) / 5
    assert all(values >= l for l, values in found)


@pytest.mark.parametrize("seed", [1363, 1368])
def test_a_draw_that_leaves_somebody_fewer_is_thrown_away(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made, _ = small(seed)
    assert made.plan.thrown > 0 and "thrown away for what rules leave out" in str(made)
    assert fewest(seed) == (2, 2)
    monkeypatch.setattr(silence, "silenced", lambda plan, *_, **__: plan)
    assert fewest(seed) == (2, 1)


@pytest.mark.parametrize("seed", [1363, 1368])
def test_buckets_are_merged_where_no_draw_will_do(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ε bounds, it does in the buckets that are not merged."""
    monkeypatch.setattr(silence, "MOST_DRAWS", 1)
    made, _ = small(seed)
    assert made.plan.bound_rows == len(made.buckets.rows) - np.bincount(made.buckets.groups).max()
    assert fewest(seed) == (2, 2)


def test_pairs_are_those_of_the_definition() -> None:
    table = tacit.load_sample("hospital:200", seed=4)
    rules = tacit.mine_negative_rules(table, max_length=2, min_expectation=0.8)
    combinations = LocalEngine().combinations(table, (*table.roles.known, *table.roles.sensitive))
    rows = table.to_polars()
    found = set()
    for pairs in unlisted_pairs(combinations, rules, fewer_than=10**9):
        for number in range(len(pairs)):
            box = rules.matching(combinations)(pairs.nodes[number])
            inside = frozenset(np.flatnonzero(box).tolist())
            found.add((inside, int(pairs.values[number])))
    texts = [tuple(texts) for texts in combinations.texts]
    place = {
        tuple(texts[at][code] for at, code in enumerate(codes)): number
        for number, codes in enumerate(combinations.codes.tolist())
    }
    content = [place[tuple(map(str, row))] for row in rows.select(combinations.names).iter_rows()]
    expected = {
        (frozenset(content[row] for row in inside), value)
        for inside, value, _ in pairs_from_definition(table, rules)
    }
    assert found == expected


@pytest.mark.parametrize("correction", ["none", "bonferroni"])
def test_what_would_be_listed_is_what_is_listed(correction: Any) -> None:
    """Of what nobody has, by the level that a reader works out; all of it follows from the rules."""
    table = tacit.load_sample("hospital:1000", seed=4)
    rules = tacit.mine_negative_rules(table, max_length=2, min_expectation=0.5, correction=correction)
    combinations = LocalEngine().combinations(table, (*table.roles.known, *table.roles.sensitive))
    numbers = {tuple(row): place for place, row in enumerate(combinations.codes.tolist())}
    columns = [table.column(name).codes.tolist() for name in combinations.names]
    number = np.array([numbers[row] for row in zip(*columns, strict=True)])
    held, counts = np.array(columns[-1]), Counter(columns[-1])
    listed = [
        (frozenset(np.flatnonzero(rules.matching(combinations)(nodes)[number]).tolist()), value)
        for nodes, value in zip(rules.nodes, rules.values.tolist(), strict=True)
    ]
    level = listing_level(combinations, rules, "disease")

    def would_be(inside: frozenset[int], value: int) -> bool:
        return (1 - Fraction(counts[value], len(table))) ** len(inside) <= level

    assert listed and all(would_be(*rule) for rule in listed)
    rare = 0
    for inside in set(conjunctions_from_definition(table, rules)):
        for value in counts.keys() - set(held[list(inside)].tolist()) if inside else ():
            follows = any(inside <= about and value == of for about, of in listed)
            assert follows or not would_be(inside, value)
            rare += not follows
    assert rare > 100


def test_rules_that_go_round_one_person_are_refused() -> None:
    """Rules of two attributes leave one of 82 people aged 30 to 34 who can have what one of them has."""
    table = tacit.load_sample("hospital:1323", seed=16)
    rules = tacit.mine_negative_rules(table, max_length=2)
    with pytest.raises(InfeasibleError, match="The rules name somebody, whatever is published") as caught:
        tacit.bucketize(table, l=3, knowledge=rules, key=Key.from_seed(16))
    assert caught.value.code == "silence-names"
    assert "--max-length" in (caught.value.hint or "")
    named = silence_attack(
        tacit.bucketize(table, l=3, knowledge=rules, partners="any", key=Key.from_seed(16)).buckets, rules
    )
    assert named is not None and named.people > 0
