"""Digests of content: what they follow (the values) and what they do not (codes, order, position)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.random.digests import ranks, record_digests, set_digests, value_digests
from tacit.random.key import Key
from tests.oracles import keyed as oracle

SUBKEY = Key.from_seed(1).subkey("content")
texts = st.text(max_size=3)
rows_of_three = st.lists(st.tuples(*[st.none() | st.sampled_from(["", "a", "b", "ab"])] * 3), max_size=30)


def encoded(values, column):
    """One column as codes and value digests, its vocabulary in the order of first sight."""
    vocabulary = list(dict.fromkeys(values))
    codes = np.array([vocabulary.index(value) for value in values], dtype=np.int32)
    return codes, value_digests(SUBKEY, column, vocabulary)


def as_pairs(digests):
    return [tuple(digest) for digest in digests.tolist()]


@settings(deadline=None)  # the first example may wait for the compiler
@given(rows_of_three)
def test_a_record_has_the_digest_of_the_definition(rows):
    names = ("zip", "age", "sex")
    columns = [encoded([row[at] for row in rows], name) for at, name in enumerate(names)]
    expected = [oracle.record_digest(SUBKEY.reveal(), dict(zip(names, row, strict=True))) for row in rows]
    assert as_pairs(record_digests(columns)) == expected
    assert as_pairs(record_digests(columns[::-1])) == expected


@settings(deadline=None)
@given(st.lists(st.tuples(texts, st.none() | texts), unique=True, min_size=2, max_size=20))
def test_column_and_value_never_run_together(pairs):
    digests = [tuple(value_digests(SUBKEY, column, [value])[0].tolist()) for column, value in pairs]
    assert len(set(digests)) == len(pairs)


def test_the_null_is_no_text():
    digests = value_digests(SUBKEY, "city", [None, "", "\x00", "\x01", "null", "None"])
    assert len(set(as_pairs(digests))) == 6


def test_text_that_is_not_unicode_has_a_digest_of_its_own():
    digests = value_digests(SUBKEY, "city", ["\ud800", "\udfff", "?"])
    assert len(set(as_pairs(digests))) == 3


def test_another_subkey_gives_other_digests():
    mine = value_digests(SUBKEY, "city", ["Graz"])
    other = value_digests(Key.from_seed(2).subkey("content"), "city", ["Graz"])
    assert (mine != other).all()


def test_an_empty_vocabulary_has_no_digests():
    assert value_digests(SUBKEY, "city", []).shape == (0, 2)


@settings(deadline=None)
@given(st.lists(st.frozensets(st.integers(0, 9), max_size=5), max_size=20), st.permutations(range(10)))
def test_a_set_has_one_digest_whatever_the_numbers_of_its_items(sets, numbers):
    def digests(code_of):
        vocabulary = sorted(range(10), key=code_of.__getitem__)
        items = [sorted(code_of[item] for item in members) for members in sets]
        return set_digests(
            np.cumsum([0] + [len(members) for members in items], dtype=np.int64),
            np.array([item for members in items for item in members], dtype=np.int32),
            value_digests(SUBKEY, "item", [f"item {item}" for item in vocabulary]),
        )

    found = as_pairs(digests(list(range(10))))
    assert found == as_pairs(digests(numbers))
    assert len(set(found)) == len(set(sets))


def test_a_set_is_told_apart_by_its_columns():
    indptr, items = np.array([0, 2, 4], dtype=np.int64), np.array([0, 1, 0, 1], dtype=np.int32)
    item_digests = value_digests(SUBKEY, "item", ["beer", "bread"])
    disease = (np.array([0, 1], dtype=np.int32), value_digests(SUBKEY, "disease", ["flu", "cold"]))
    alone = as_pairs(set_digests(indptr, items, item_digests))
    mixed = as_pairs(set_digests(indptr, items, item_digests, columns=[disease]))
    assert alone[0] == alone[1]
    assert mixed[0] != mixed[1]


@pytest.mark.parametrize(
    "n, distinct", [(0, 1), (1, 1), (50, 7), (70_000, 1), (70_000, 300), (70_000, 70_000)]
)
def test_ranks_count_the_equal_rows_before(n, distinct):
    generator = np.random.default_rng(n + distinct)
    contents = generator.integers(0, 2**64, size=(distinct, 2), dtype=np.uint64)
    digests = contents[generator.integers(0, distinct, size=n)]
    assert ranks(digests).tolist() == oracle.ranks(as_pairs(digests))


def test_ranks_hold_where_digests_crowd_into_one_part():
    # Equal high words all fall into one part and overfill its first table; equal low words share a slot.
    digests = np.zeros((60_000, 2), dtype=np.uint64)
    digests[:, 0] = np.arange(60_000) // 2
    assert ranks(digests).tolist() == [0, 1] * 30_000
    collisions = np.array([[5, 1], [5, 2], [5, 1], [5, 3], [5, 2]], dtype=np.uint64)
    assert ranks(collisions).tolist() == [0, 0, 1, 0, 1]


def test_arrays_that_do_not_fit_together_are_refused():
    codes, values = np.array([0, 1], dtype=np.int32), value_digests(SUBKEY, "city", ["Graz", "Linz"])
    with pytest.raises(ValueError, match="at least one column"):
        record_digests([])
    with pytest.raises(ValueError, match="differ in length"):
        record_digests([(codes, values), (codes[:1], values)])
    for code in (-1, 2):
        with pytest.raises(ValueError, match="outside the 2 values"):
            record_digests([(np.array([code], dtype=np.int32), values)])
    with pytest.raises(ValueError, match="differ in length"):
        set_digests(np.array([0, 2], dtype=np.int64), codes, values, columns=[(codes, values)])
