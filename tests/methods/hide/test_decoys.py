"""Decoys: every member of a block gives the same release, and shapes of secrets are kept."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit.errors import InfeasibleError
from tacit.methods.hide.solve.decoys import decoy_patterns, sharing_items
from tacit.methods.hide.solve.patterns import Pattern
from tacit.mining.itemsets import Itemsets
from tacit.random.key import Key
from tests.oracles.hiding import support

BASKETS = tacit.load_sample("supermarket:1500")
LEAST = 15
MINED = tacit.mine_itemsets(BASKETS, min_support=LEAST, min_length=2)
PAIRS = [itemset for itemset in MINED if len(itemset.items) == 2]


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


def hidden_with(secret: list[Pattern], itemsets: Itemsets, decoys: int, key: Key) -> set[Pattern]:
    supports = np.full(len(itemsets.vocabulary), 50, dtype=np.int64)
    return {*secret, *decoy_patterns(secret, itemsets, supports, least=10, decoys=decoys, key=key)}


def test_every_member_of_a_block_gives_the_same_block() -> None:
    draw = random.Random(1)
    for seed in range(60):
        n_pairs, decoys = draw.randint(8, 60), draw.randint(1, 6)
        itemsets = random_pairs(draw, 14, n_pairs)
        key = Key.from_seed(seed)
        pairs = [tuple(row) for row in itemsets.of_length(2)[0].tolist()]
        block = hidden_with([pairs[0]], itemsets, decoys, key)
        assert decoys < len(block) <= 2 * decoys + 1
        assert all(hidden_with([one], itemsets, decoys, key) == block for one in block)
        outside = [pair for pair in pairs if pair not in block]
        assert all(block.isdisjoint(hidden_with([one], itemsets, decoys, key)) for one in outside)


def test_several_secrets_of_a_kind_hide_as_many_blocks() -> None:
    """Two secrets in one block would be two of d + 1: a second block is hidden beside it."""
    draw = random.Random(2)
    together = 0
    for seed in range(200):
        itemsets = random_pairs(draw, 20, 40)
        pairs = [tuple(row) for row in itemsets.of_length(2)[0].tolist()]
        one = draw.choice(pairs)
        other = draw.choice([pair for pair in pairs if not set(pair) & set(one)])
        key = Key.from_seed(seed)
        together += other in hidden_with([one], itemsets, 3, key)
        assert len(hidden_with([one, other], itemsets, 3, key)) >= 8
    assert together > 5


def test_secrets_that_share_items_have_decoys_that_do() -> None:
    draw = random.Random(3)
    tried = 0
    for seed in range(60):
        itemsets = random_pairs(draw, 16, 40)
        pairs = [tuple(row) for row in itemsets.of_length(2)[0].tolist()]
        sharing = [both for both in combinations(pairs, 2) if len({*both[0], *both[1]}) == 3]
        secret = list(draw.choice(sharing))
        key = Key.from_seed(seed)
        try:
            hidden = hidden_with(secret, itemsets, 2, key)
        except InfeasibleError:  # all others of the block's would-be members share patterns with it
            continue
        tried += 1
        assert len(hidden) >= 6  # three such sets, no pattern in two of them
        assert len(hidden) % 2 == 0
        # The block can be put together from sets of two that share an item, each as good as the secret.
        alike = [set(both) for both in sharing if set(both) <= hidden]
        same = [both for both in alike if hidden_with(sorted(both), itemsets, 2, key) == hidden]
        assert set(secret) in same
        assert len(same) >= 3
        assert len({pattern for both in same for pattern in both}) == len(hidden)
    assert tried > 40


def test_patterns_that_share_items_are_gathered() -> None:
    assert sharing_items([(0, 1), (2, 3), (3, 4), (1, 4), (7,)]) == [
        ((0, 1), (1, 4), (2, 3), (3, 4)),
        ((7,),),
    ]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"policy": "exact"},
        *(pytest.param(one, marks=pytest.mark.ci) for one in ({"targets": "limit"}, {"algorithm": "swa"})),
    ],
)
def test_no_published_byte_tells_which_member_was_secret(asked: dict[str, object], tmp_path: Path) -> None:
    key = Key.from_seed(4)
    first = tacit.hide(BASKETS, patterns=[PAIRS[3]], min_support=LEAST, decoys=4, key=key, **asked)
    names = BASKETS.vocabulary
    block = [frozenset(names[item] for item in seed) for seed in first.proposal.plan.seeds]
    assert len(block) >= 5
    folder = first.save(tmp_path / "first").folder
    after = first.published.sets()
    assert all(support(after, member) < LEAST for member in block)
    for number, member in enumerate((block[0], block[-1])):
        other = tacit.hide(BASKETS, patterns=[member], min_support=LEAST, decoys=4, key=key, **asked)
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


def test_rules_hidden_by_confidence_have_decoys_that_are_rules() -> None:
    draw = random.Random(5)
    records = []
    for _ in range(2000):
        record = set()
        for number in range(12):
            if draw.random() < 0.12:
                record.add(f"a{number}")
                if draw.random() < 0.55 + 0.02 * number:
                    record.add(f"b{number}")
        records.append(record or {"x"})
    baskets = tacit.transactions_from_sets(records)
    asked = {"min_support": 20, "min_confidence": 0.5, "decoys": 3, "key": Key.from_seed(1)}
    first = tacit.hide(baskets, patterns=["a4 => b4"], **asked)
    rules = first.proposal.plan.thinned_rules
    assert len(rules) >= 4
    names = baskets.vocabulary
    for rule in rules:
        text = f"{names[rule.antecedent[0]]} => {names[rule.consequent[0]]}"
        other = tacit.hide(baskets, patterns=[text], **asked)
        assert other.published.sets() == first.published.sets()
    with pytest.raises(InfeasibleError) as caught:
        tacit.hide(baskets, patterns=["a4 => b4", "b4, a4"], **asked)
    assert caught.value.code == "decoys-shape"


def test_too_few_patterns_of_the_kind_are_refused() -> None:
    with pytest.raises(InfeasibleError) as caught:
        tacit.hide(BASKETS, patterns=[PAIRS[3]], min_support=LEAST, decoys=10_000, key=Key.from_seed(4))
    assert caught.value.code == "decoys-few"
    assert caught.value.hint is not None
    assert f"at most {len(PAIRS) - 1} decoys" in caught.value.hint
