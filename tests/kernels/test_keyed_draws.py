"""Draws and choices: they follow content and rank, and their arithmetic is exact."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.random.digests import ranks, record_digests, value_digests
from tacit.random.key import Key
from tacit.random.keyed import draws, keyed_order, uniform_below

KEY = Key.from_seed(11)
WORDS = np.array([0, 1, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1], dtype=np.uint64)


def digests_of(records):
    """The records' digests, with each vocabulary in the order of first sight: codes depend on row order."""
    columns = []
    for at, name in enumerate(("zip", "sex")):
        values = [record[at] for record in records]
        vocabulary = list(dict.fromkeys(values))
        codes = np.array([vocabulary.index(value) for value in values], dtype=np.int32)
        columns.append((codes, value_digests(KEY.subkey("content"), name, vocabulary)))
    return record_digests(columns)


@st.composite
def records_and_another_order(draw):
    record = st.tuples(st.sampled_from(["1010", "8010", None]), st.sampled_from(["f", "m"]))
    records = draw(st.lists(record, min_size=1, max_size=40))
    return records, draw(st.permutations(records))


@settings(deadline=None)  # the first example may wait for the compiler
@given(records_and_another_order())
def test_the_order_of_rows_changes_nothing(both):
    found = []
    for records in both:
        digests = digests_of(records)
        rank = ranks(digests)
        words = draws(KEY.subkey("order"), digests, rank)
        order = keyed_order(words, digests, rank)
        found.append(
            (
                [records[row] for row in order],
                Counter(zip(records, words.tolist(), strict=True)),
                Counter(zip(records, uniform_below(words, 6).tolist(), strict=True)),
            )
        )
    assert found[0] == found[1]


def test_equal_records_draw_apart():
    digests = digests_of([("1010", "f")] * 1000)
    assert len(set(draws(KEY.subkey("order"), digests, ranks(digests)).tolist())) == 1000


def test_label_purpose_and_key_each_give_other_draws():
    digests = digests_of([("1010", "f"), ("8010", "m")])
    rank = ranks(digests)
    found = [
        draws(KEY.subkey("order"), digests, rank),
        draws(KEY.subkey("order"), digests, rank, label=1),
        draws(KEY.subkey("hide"), digests, rank),
        draws(Key.from_seed(12).subkey("order"), digests, rank),
    ]
    assert len({word for words in found for word in words.tolist()}) == 8


def test_order_settles_equal_draws_by_digest_then_rank():
    words = np.array([7, 7, 3, 7, 7], dtype=np.uint64)
    digests = np.array([[2, 0], [1, 9], [5, 5], [1, 8], [1, 8]], dtype=np.uint64)
    order = keyed_order(words, digests, np.array([0, 0, 0, 1, 0]))
    assert order.tolist() == [2, 4, 3, 1, 0]
    assert keyed_order(words[:0], digests[:0], np.zeros(0, dtype=np.int64)).tolist() == []


def test_order_is_that_of_a_full_sort_also_over_many_parts():
    generator = np.random.default_rng(4)
    for n, below in ((100_000, 2**64), (100_000, 1000), (100_000, 1), (1 << 14, 2**64)):
        words = generator.integers(0, below, size=n, dtype=np.uint64)
        words[::2] <<= np.uint64(20)  # crowded and empty parts, and equal draws where below is small
        digests = generator.integers(0, 50, size=(n, 2), dtype=np.uint64)
        rank = generator.permutation(n)
        expected = np.lexsort((rank, digests[:, 1], digests[:, 0], words))
        assert (keyed_order(words, digests, rank) == expected).all()


@settings(deadline=None)
@given(st.integers(1, 2**63 - 1), st.integers(0, 2**64 - 1))
def test_a_number_below_is_the_high_word_of_the_product(bound, word):
    words = np.array([*WORDS.tolist(), word], dtype=np.uint64)
    expected = [each * bound >> 64 for each in words.tolist()]
    assert uniform_below(words, bound).tolist() == expected
    assert uniform_below(words, np.full(len(words), bound)).tolist() == expected


def test_each_draw_has_its_own_bound():
    words = np.full(4, 2**64 - 1, dtype=np.uint64)
    assert uniform_below(words, np.array([1, 2, 10, 2**40])).tolist() == [0, 1, 9, 2**40 - 1]


def test_arrays_that_do_not_fit_together_are_refused():
    with pytest.raises(ValueError, match="at least 1"):
        uniform_below(WORDS, 0)
    with pytest.raises(ValueError, match="differ in length"):
        uniform_below(WORDS, np.array([1, 2]))
    with pytest.raises(ValueError, match="differ in length"):
        draws(KEY.subkey("order"), np.zeros((2, 2), dtype=np.uint64), np.zeros(1, dtype=np.int64))
