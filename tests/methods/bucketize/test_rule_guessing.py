"""Guesses by the rules and counting alone."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from tacit.io.samples import load_sample
from tacit.methods.bucketize.judge.buckets import buckets_of
from tacit.methods.bucketize.judge.risks import rule_guesses
from tacit.mining.verbs import mine_negative_rules
from tests.methods.bucketize.test_judges import drawn, of_buckets
from tests.oracles import assignments as oracle


def test_guesses_are_the_likeliest_values_of_the_definition() -> None:
    generator = np.random.Generator(np.random.PCG64(60))
    for _ in range(20):
        table, buckets, rules = drawn(generator)
        least, most = Fraction(0), Fraction(0)  # ties may be guessed either way
        for _, values, forbidden in of_buckets(table, buckets, rules):
            for value, shares in zip(values, oracle.shares(values, forbidden), strict=True):
                best = [one for one, share in shares.items() if share == max(shares.values())]
                most += value in best
                least += best == [value]
        found = rule_guesses(buckets, rules)
        assert least <= round(found.accuracy * 25) <= most
        assert found.surest[0].right == pytest.approx(found.accuracy)  # fewer than a hundred rows


def test_one_bucket_of_everybody_still_tells_what_rules_leave() -> None:
    """In a bucket of 1,000 rows nothing is learned; the rules about wards leave a handful of diseases."""
    table = load_sample("hospital").with_roles(keep=("ward",))
    whole = buckets_of(table, np.ones(1000, dtype=np.int32))  # type: ignore[arg-type]
    rules = mine_negative_rules(table)  # type: ignore[arg-type]
    majority = Counter(table.column("disease").codes.tolist()).most_common(1)[0][1] / 1000  # type: ignore[union-attr]
    found = rule_guesses(whole, rules)
    assert found.accuracy > 5 * majority
    assert rule_guesses(whole, None).accuracy == pytest.approx(majority, abs=0.01)
