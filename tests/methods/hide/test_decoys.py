"""Decoys: every set of a block gives the same release, and each could have been the secret."""

from __future__ import annotations

import json
import random
from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit.errors import InfeasibleError
from tacit.methods.hide.solve.decoys import PATTERN, Thing, block_of, sharing_items
from tacit.methods.hide.solve.patterns import Frequent
from tacit.methods.hide.solve.rules import routed_rules
from tacit.mining.itemsets import Itemsets
from tacit.random.key import Key
from tests.oracles.hiding import alike, support, way_to_hide

BASKETS = tacit.load_sample("supermarket:1500")
LEAST = 15
MINED = tacit.mine_itemsets(BASKETS, min_support=LEAST, min_length=2)
PAIRS = [itemset for itemset in MINED if len(itemset.items) == 2]


def shop(draw: random.Random) -> list[frozenset[str]]:
    """Transactions of eighteen things that go with another, more or less, and some noise."""
    records = []
    for _ in range(500):
        record = {f"n{number}" for number in range(6) if draw.random() < 0.15}
        for number in range(18):
            if draw.random() < 0.1:
                record.add(f"a{number}")
                record |= {f"{letter}{number}" for letter in "bc" if draw.random() < 0.3 + 0.03 * number}
        records.append(frozenset(record or {"x"}))
    return records


SHOP = shop(random.Random(5))
SMALL = tacit.transactions_from_sets(SHOP)
RARE = 8
SURE = Fraction(1, 5)
FREQUENT = Frequent(
    tacit.mine_itemsets(SMALL, min_support=RARE, min_length=2), np.zeros(0, np.bool_), SMALL.supports, RARE
)


def patterns(length: int) -> list[Thing]:
    """All frequent patterns of a length."""
    if length == 1:
        return [Thing(PATTERN, ((item,),)) for item in np.flatnonzero(SMALL.supports >= RARE).tolist()]
    return [Thing(PATTERN, (tuple(row),)) for row in FREQUENT.itemsets.of_length(length)[0].tolist()]


def rules(way: str, sides: tuple[int, int] = (1, 1), min_confidence: Fraction | None = SURE) -> list[Thing]:
    """All rules with sides of these lengths that are hidden in this way."""
    lefts, rights, _ = routed_rules(way, sides, FREQUENT, min_confidence)
    both = zip(lefts.tolist(), rights.tolist(), strict=True)
    return [Thing(way, (tuple(left), tuple(right))) for left, right in both]


Draw = Callable[[random.Random], list[Thing]]


def some(*sorts: list[Thing], units: int) -> Draw:
    """One thing of each sort, so that those which share items are so many units."""

    def drawn(draw: random.Random) -> list[Thing]:
        while True:
            things = [draw.choice(sort) for sort in sorts]
            if len(set(things)) == len(things) and len(sharing_items(things)) == units:
                return things

    return drawn


def both_ways(draw: random.Random) -> list[Thing]:
    """A rule and the same turned around, both hidden by support."""
    found = set(rules("support"))
    both = [[one, Thing(one.way, one.sides[::-1])] for one in sorted(found)]
    return draw.choice([two for two in both if two[1] in found])


FORMS: dict[str, tuple[Draw, Fraction | None]] = {
    "a pair": (some(patterns(2), units=1), None),
    "three items": (some(patterns(3), units=1), None),
    "an item": (some(patterns(1), units=1), None),
    "a rule, no confidence": (some(rules("support", (1, 2), None), units=1), None),
    "a rule by support": (some(rules("support"), units=1), SURE),
    "a longer rule by support": (some(rules("support", (1, 2)), units=1), SURE),
    "a rule by confidence": (some(rules("confidence"), units=1), SURE),
    "a longer rule by confidence": (some(rules("confidence", (2, 1)), units=1), SURE),
    "two pairs": (some(patterns(2), patterns(2), units=2), None),
    "three pairs": (some(patterns(2), patterns(2), patterns(2), units=3), None),
    "an item, a pair and three items": (some(patterns(1), patterns(2), patterns(3), units=3), None),
    "two pairs that share an item": (some(patterns(2), patterns(2), units=1), None),
    "three pairs, two share an item": (some(patterns(2), patterns(2), patterns(2), units=2), None),
    "an item of a pair": (some(patterns(1), patterns(2), units=1), None),
    "a pair and three items that share": (some(patterns(2), patterns(3), units=1), None),
    "a rule and its reverse": (both_ways, SURE),
    "a rule by support and a pair": (some(rules("support"), patterns(2), units=2), SURE),
    "a rule by support that shares with a pair": (some(rules("support"), patterns(2), units=1), SURE),
    "a rule by confidence and a pair": (some(rules("confidence"), patterns(2), units=2), SURE),
    "a rule by confidence that shares with a pair": (some(rules("confidence"), patterns(2), units=1), SURE),
    "two rules by confidence": (some(rules("confidence"), rules("confidence"), units=2), SURE),
    "two rules by confidence that share": (some(rules("confidence"), rules("confidence"), units=1), SURE),
    "a rule in each way": (some(rules("support"), rules("confidence"), units=2), SURE),
}
WAYS: tuple[dict[str, object], ...] = (
    {},
    {"policy": "exact"},
    {"policy": "paper"},
    {"targets": "limit"},
    {"policy": "exact", "targets": "limit"},
    {"algorithm": "swa"},
    {"algorithm": "swa", "window": 60},
)


def block(
    things: Sequence[Thing],
    min_confidence: Fraction | None,
    decoys: int,
    key: Key,
    frequent: Frequent = FREQUENT,
) -> set[frozenset[Thing]]:
    made = block_of(things, frequent, min_confidence, decoys=decoys, key=key)
    assert len(made) == len(set(map(frozenset, made)))
    return set(map(frozenset, made))


@pytest.mark.parametrize("form", FORMS)
def test_every_set_of_a_block_could_have_been_the_secret(form: str) -> None:
    """By the definitions: each is frequent, hidden in the same way, shares items alike; same block."""
    drawn, min_confidence = FORMS[form]
    draw = random.Random(form)
    names = SMALL.vocabulary
    made = 0
    for seed in range(6):
        things, key = drawn(draw), Key.from_seed(seed)
        try:
            found = block(things, min_confidence, 2, key)
        except InfeasibleError:
            continue
        made += 1
        assert frozenset(things) in found
        assert len(found) >= 3
        hidden = [{thing.items for thing in one} for one in found]
        assert len(set().union(*hidden)) == sum(map(len, hidden))  # no pattern in two of them
        for one in found:
            assert alike(things, list(one))
            for thing in one:
                sides = [{names[item] for item in side} for side in thing.sides]
                assert way_to_hide(SHOP, sides, RARE, min_confidence) == thing.way
            assert block(list(one), min_confidence, 2, key) == found
    assert made >= 4


@pytest.mark.parametrize(
    ("form", "asked"),
    [
        pytest.param(
            form,
            WAYS[(number + turn) % len(WAYS)],
            id=f"{form}, {turn}",
            marks=[pytest.mark.ci] if turn or number % 4 else [],
        )
        for number, form in enumerate(FORMS)
        for turn in range(3)
    ],
)
def test_every_set_of_a_block_gives_the_same_bytes(form: str, asked: dict[str, object]) -> None:
    """Transactions and manifest are the same whichever set of the block was the secret."""
    drawn, min_confidence = FORMS[form]
    draw = random.Random(form)
    names = SMALL.vocabulary
    rules_too = {} if min_confidence is None else {"min_confidence": float(min_confidence)}
    for seed in range(50):
        things, key = drawn(draw), Key.from_seed(seed)
        published, refused = [], 0
        try:
            found = block(things, min_confidence, 2, key)
        except InfeasibleError:
            continue
        for one in found:
            secret = [
                tuple({names[item] for item in side} for side in thing.sides)
                if len(thing.sides) == 2
                else {names[item] for item in thing.items}
                for thing in one
            ]
            try:
                release = tacit.hide(
                    SMALL, patterns=secret, min_support=RARE, decoys=2, key=key, **rules_too, **asked
                )
            except InfeasibleError:
                refused += 1
                continue
            published.append((release.published.sets(), release.manifest.to_json()))
        assert not (refused and published)
        if published:
            assert all(one == published[0] for one in published)
            return
    raise AssertionError("nothing was made")


def test_a_reader_does_not_find_a_rule_hidden_by_support() -> None:
    """Rules have rules as decoys. Of other patterns the reader knows that they were not meant."""
    draw = random.Random(7)
    could = rules("support")
    right, trials = 0, 200
    for seed in range(trials):
        thing = draw.choice(could)
        found = sorted(map(sorted, block([thing], SURE, 4, Key.from_seed(seed))))
        candidates = [one for one in found if {other.items for other in could} & {one[0].items}]
        right += draw.choice(candidates)[0].items == thing.items
    assert right <= 55  # one of five: 40, and more than 55 in one of two hundred times


def test_units_that_leave_no_choice_are_refused() -> None:
    """All pairs but one hold an item: a pair without it is in every set of two that have no common item."""
    pairs = sorted([(0, number) for number in range(3, 40)] + [(1, 2)])
    itemsets = Itemsets(
        tuple(f"i{item:02d}" for item in range(40)),
        np.arange(0, 2 * len(pairs) + 1, 2, dtype=np.int64),
        np.array(pairs, dtype=np.int32).ravel(),
        np.full(len(pairs), 20, dtype=np.int64),
        1000,
    )
    frequent = Frequent(itemsets, np.zeros(0, np.bool_), np.full(40, 50, dtype=np.int64), 10)
    secret = [Thing(PATTERN, ((0, 7),)), Thing(PATTERN, ((1, 2),))]
    for seed in range(5):
        with pytest.raises(InfeasibleError) as caught:
            block(secret, None, 1, Key.from_seed(seed), frequent)
        assert caught.value.code == "decoys-few"


def test_a_rule_that_would_be_raised_is_refused_with_decoys() -> None:
    """It has no decoys, so nothing may be done for it; without decoys it is hidden again."""
    records = [{"x", "y"}] * 10 + [{"x", "z", "w"}] * 12 + [{"z", "w"}] * 2
    records += [{"p", "q", "r"}] * 12 + [{"q", "r"}] * 2 + [{"p", "s"}] * 10
    baskets = tacit.transactions_from_sets(records)
    asked = {"patterns": [{"x", "z"}, "x => y"], "min_support": 5, "min_confidence": 0.5, "policy": "exact"}
    plain = tacit.hide(baskets, **asked, key=Key.from_seed(1))
    after = plain.published.sets()
    assert support(after, {"x", "y"}) < 10  # raised, and taken care of
    with pytest.raises(InfeasibleError) as caught:
        tacit.hide(baskets, **asked, decoys=1, key=Key.from_seed(1))
    assert caught.value.code == "rule-raised"


def random_pairs(draw: random.Random, n_items: int, n_pairs: int) -> Itemsets:
    """So many frequent pairs, with supports that nothing else explains."""
    pairs = draw.sample(list(combinations(range(n_items), 2)), n_pairs)
    matrix = np.array(sorted(pairs), dtype=np.int32)
    return Itemsets(
        tuple(f"i{item:02d}" for item in range(n_items)),
        np.arange(0, 2 * n_pairs + 1, 2, dtype=np.int64),
        matrix.ravel(),
        np.array([draw.randint(10, 40) for _ in pairs], dtype=np.int64),
        1000,
    )


def pairs_of(itemsets: Itemsets) -> list[Thing]:
    return [Thing(PATTERN, (tuple(row),)) for row in itemsets.of_length(2)[0].tolist()]


def hidden_with(secret: Sequence[Thing], itemsets: Itemsets, decoys: int, key: Key) -> set[frozenset[Thing]]:
    supports = np.full(len(itemsets.vocabulary), 50, dtype=np.int64)
    return block(secret, None, decoys, key, Frequent(itemsets, np.zeros(0, np.bool_), supports, 10))


def test_blocks_of_single_patterns_are_no_larger_than_they_must() -> None:
    draw = random.Random(1)
    for seed in range(30):
        n_pairs, decoys = draw.randint(8, 60), draw.randint(1, 6)
        itemsets = random_pairs(draw, 14, n_pairs)
        key = Key.from_seed(seed)
        pairs = pairs_of(itemsets)
        found = hidden_with(pairs[:1], itemsets, decoys, key)
        assert decoys < len(found) <= 2 * decoys + 1
        assert all(hidden_with(list(one), itemsets, decoys, key) == found for one in found)
        outside = [[pair] for pair in pairs if {pair} not in found]
        assert all(found.isdisjoint(hidden_with(one, itemsets, decoys, key)) for one in outside)


@pytest.mark.parametrize("n_secrets", [2, 3, pytest.param(5, marks=pytest.mark.ci)])
def test_several_secrets_are_hidden_in_sets_of_as_many(n_secrets: int) -> None:
    """Each set has no common items either, so that leaving out those that do helps no reader."""
    draw = random.Random(n_secrets)
    made = 0
    for seed in range(3):
        itemsets = random_pairs(draw, 60, 120)
        secret = some(*[pairs_of(itemsets)] * n_secrets, units=n_secrets)(draw)
        try:
            found = hidden_with(secret, itemsets, 3, Key.from_seed(seed))
        except InfeasibleError:
            continue
        made += 1
        assert len(found) >= 4
        assert all(len(sharing_items(sorted(one))) == n_secrets for one in found)
        assert len({thing for one in found for thing in one}) == n_secrets * len(found)
        assert all(hidden_with(list(one), itemsets, 3, Key.from_seed(seed)) == found for one in found)
    assert made == 3


def test_a_shape_is_refused_for_all_its_sets_or_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be refused cannot have been the secret: a limit must not depend on the names of items."""
    draw = random.Random(9)
    itemsets = random_pairs(draw, 14, 24)
    pairs = {frozenset(pair.items) for pair in pairs_of(itemsets)}
    # Three pairs that share an item, and one more at the end of one of them: some orders begin with the
    # three, others with a chain.
    sets = [
        [Thing(PATTERN, (tuple(sorted(pair)),)) for pair in ((a, b), (a, c), (a, d), (d, e))]
        for a, b, c, d, e in permutations(range(14), 5)
        if b < c and {frozenset(pair) for pair in ((a, b), (a, c), (a, d), (d, e))} <= pairs
    ]
    sets = draw.sample(sets, 8)

    def is_refused(one: list[Thing], limit: int) -> bool:
        monkeypatch.setattr("tacit.methods.hide.solve.decoys.MOST_TRIED", limit)
        try:
            hidden_with(one, itemsets, 1, Key.from_seed(1))
        except InfeasibleError as error:
            return error.code == "decoys-shape"
        return False

    least = bisect_left(range(100_000), True, key=lambda limit: not is_refused(sets[0], limit))
    assert 1 < least < 100_000
    assert all(is_refused(one, least - 1) for one in sets)
    assert not any(is_refused(one, least) for one in sets)


def test_patterns_that_share_items_are_gathered() -> None:
    things = [Thing(PATTERN, (items,)) for items in [(0, 1), (2, 3), (3, 4), (1, 4), (7,)]]
    assert [[thing.items for thing in unit] for unit in sharing_items(things)] == [
        [(0, 1), (1, 4), (2, 3), (3, 4)],
        [(7,)],
    ]


def test_no_saved_byte_tells_which_member_was_secret(tmp_path: Path) -> None:
    key = Key.from_seed(4)
    first = tacit.hide(BASKETS, patterns=[PAIRS[3]], min_support=LEAST, decoys=4, key=key)
    names = BASKETS.vocabulary
    block = [frozenset(names[item] for item in seed) for seed in first.proposal.plan.seeds]
    assert len(block) >= 5
    folder = first.save(tmp_path / "first").folder
    after = first.published.sets()
    assert all(support(after, member) < LEAST for member in block)
    for number, member in enumerate((block[0], block[-1])):
        other = tacit.hide(BASKETS, patterns=[member], min_support=LEAST, decoys=4, key=key)
        there = other.save(tmp_path / f"{number}", acknowledge_composition=True).folder
        assert (there / "transactions.dat").read_bytes() == (folder / "transactions.dat").read_bytes()
        texts = [json.loads((place / "release.json").read_text()) for place in (folder, there)]
        for name in ("promise", "parameters", "risks", "utility", "reader"):
            assert texts[0][name] == texts[1][name]
    assert not tacit.verify(folder).broken


def test_the_owner_learns_what_decoys_cost() -> None:
    plain, with_decoys = (
        tacit.hide(BASKETS, patterns=[PAIRS[3]], min_support=LEAST, decoys=decoys, key=Key.from_seed(4))
        for decoys in (0, 4)
    )
    assert plain.to_dict()["decoys"] == 0
    assert with_decoys.to_dict()["decoys"] >= 4
    assert with_decoys.utility().misses_cost > plain.utility().misses_cost
    assert with_decoys.risk().sensitive == plain.risk().sensitive  # decoys are no secrets
    assert with_decoys.manifest.parameters["decoys"] == 4


def test_too_few_patterns_of_the_kind_are_refused() -> None:
    with pytest.raises(InfeasibleError) as caught:
        tacit.hide(BASKETS, patterns=[PAIRS[3]], min_support=LEAST, decoys=10_000, key=Key.from_seed(4))
    assert caught.value.code == "decoys-few"
    assert caught.value.hint is not None
    assert f"at most {len(PAIRS) - 1} decoys" in caught.value.hint
