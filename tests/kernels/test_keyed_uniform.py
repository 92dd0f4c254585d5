"""Draws, permutations and trials are uniform over records and over keys, by chi-square.

Keys come from fixed seeds, so a result never changes from run to run. Every test is run on the
keyed generator, which must pass, and on one with a small planted bias, which it must reject.
"""

from functools import cache
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from tacit.random.digests import ranks, record_digests, value_digests
from tacit.random.key import Key
from tacit.random.keyed import draws, keyed_order, uniform_below

N_RECORDS, N_KEYS = 100_000, 20_000
PASSES, REJECTS = 1e-3, 1e-9


def fair(words):
    return words


def biased(words):
    """A generator that halves one word in eight: small words, and low bytes of one kind, come too often."""
    leaning = words % np.uint64(8) == 0
    return np.where(leaning, words >> np.uint64(1), words)


def digests_of(n):
    values = value_digests(
        Key.from_seed(5).subkey("content"), "name", [f"record {at // 2}" for at in range(n)]
    )
    return record_digests([(np.arange(n, dtype=np.int32), values)])


def many_records(generator):
    """The draws of many records, half of them with an equal twin, under one key."""
    digests = digests_of(N_RECORDS)
    return generator(draws(Key.from_seed(6).subkey("order"), digests, ranks(digests)))


@cache
def many_keys(generator):
    """The draws of four records, two of them equal, under many keys: one row per key."""
    digests = digests_of(4)
    rank = ranks(digests)
    return np.array(
        [generator(draws(Key.from_seed(seed).subkey("order"), digests, rank)) for seed in range(N_KEYS)]
    )


def share_by_chance(counts, expected=None):
    """The probability of counts at least as uneven, were the generator uniform."""
    return chisquare(counts, expected).pvalue


def high_byte(words):
    return share_by_chance(np.bincount((words >> np.uint64(56)).astype(np.int64), minlength=256))


def low_byte(words):
    return share_by_chance(np.bincount((words & np.uint64(255)).astype(np.int64), minlength=256))


def numbers_below_six(words):
    return share_by_chance(np.bincount(uniform_below(words, 6), minlength=6))


TESTS = [high_byte, low_byte, numbers_below_six]


@pytest.mark.parametrize("test", TESTS)
def test_over_records(test):
    assert test(many_records(fair)) > PASSES
    assert test(many_records(biased)) < REJECTS


@pytest.mark.parametrize("test", TESTS)
def test_over_keys(test):
    for record in range(4):
        assert test(many_keys(fair)[:, record]) > PASSES
        assert test(many_keys(biased)[:, record]) < REJECTS


def permutation_test(words):
    """Each of the 24 orders of four records should come equally often over keys."""
    digests = digests_of(4)
    rank = ranks(digests)
    number = {order: at for at, order in enumerate(permutations(range(4)))}
    found = [number[tuple(keyed_order(row, digests, rank).tolist())] for row in words]
    return share_by_chance(np.bincount(found, minlength=24))


def test_every_order_of_records_is_as_likely():
    def coarse(words):  # eight different draws only: ties then fall to the digest, the same for every key
        return words >> np.uint64(61)

    assert permutation_test(many_keys(fair)) > PASSES
    assert permutation_test(many_keys(coarse)) < REJECTS


def test_a_record_lands_anywhere():
    def place_of_first_rows(words):
        digests = digests_of(N_RECORDS)
        place = np.argsort(keyed_order(words, digests, ranks(digests)))
        return share_by_chance(np.bincount(place[:2000] * 10 // N_RECORDS, minlength=10))

    def drifting(words):  # the position leaks into the draw: early rows come a little earlier
        high = words >> np.uint64(1)
        return high + np.linspace(0, 2**62, len(words)).astype(np.uint64)

    assert place_of_first_rows(many_records(fair)) > PASSES
    assert place_of_first_rows(many_records(drifting)) < REJECTS


def agreement(first, second):
    """Whether two rows of draws are above the middle independently of each other."""
    above = (first >> np.uint64(63)) * np.uint64(2) + (second >> np.uint64(63))
    return share_by_chance(np.bincount(above.astype(np.int64), minlength=4))


def test_labels_purposes_and_twins_are_independent():
    digests = digests_of(N_RECORDS)
    rank = ranks(digests)
    key = Key.from_seed(6)
    words = draws(key.subkey("order"), digests, rank)
    assert agreement(words, draws(key.subkey("order"), digests, rank, label=1)) > PASSES
    assert agreement(words, draws(key.subkey("hide"), digests, rank)) > PASSES
    assert agreement(words, draws(Key.from_seed(7).subkey("order"), digests, rank)) > PASSES
    assert agreement(words[0::2], words[1::2]) > PASSES
    # The negative control: one draw in twenty is the same word again.
    copied = draws(key.subkey("order"), digests, rank, label=1)
    copied[::20] = words[::20]
    assert agreement(words, copied) < REJECTS
