"""The itemset miners against the definition, on thousands of small inputs and some larger ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.arrays.compiled import Flag, new_flag
from tacit.engine.base import WantedItemsets
from tacit.engine.itemsets.few import few_itemsets
from tacit.engine.itemsets.mine import FoundItemsets, TooManyItemsets
from tacit.engine.itemsets.mine import frequent_itemsets as wanted_itemsets
from tacit.errors import Cancelled
from tests.oracles import itemsets as oracle

KINDS = ("complete", "closed", "maximal")


def as_arrays(rows: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    indptr = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    return indptr, np.array([item for row in rows for item in row], dtype=np.int32)


def listed(found: FoundItemsets | TooManyItemsets) -> oracle.Found:
    assert isinstance(found, FoundItemsets)
    ends = zip(found.offsets[:-1].tolist(), found.offsets[1:].tolist(), strict=True)
    sets = [tuple(found.items[begin:end].tolist()) for begin, end in ends]
    return list(zip(sets, found.supports.tolist(), strict=True))


def rows_of(held: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in held]


def random_rows(random: np.random.Generator) -> tuple[list[list[int]], int]:
    """Rows of every density: empty ones, equal ones, items in all rows, rare items among many rows."""
    n_items = int(random.integers(1, 9))
    n_rows = int(random.integers(60, 250) if random.random() < 0.15 else random.integers(0, 25))
    held = random.random((n_rows, n_items)) < random.random(n_items) ** random.choice([0.3, 1, 3])
    if n_rows and random.random() < 0.3:
        held[:, random.integers(n_items)] = True
    return rows_of(held), n_items


def query(random: np.random.Generator, n_rows: int, n_items: int) -> dict[str, Any]:
    """The parameters of a search as the oracle takes them."""
    allowed = [item for item in range(n_items) if random.random() < 0.8] or list(range(n_items))
    min_length = int(random.integers(1, 4))
    return {
        "min_count": int(random.integers(1, max(2, n_rows // 2 + 1))),
        "kind": random.choice(KINDS),
        "min_length": min_length,
        "max_length": int(random.integers(min_length, 10)),
        "allowed": list(range(n_items)) if random.random() < 0.7 else allowed,
        "required": random.choice(allowed, size=int(random.integers(0, 3))) if random.random() < 0.3 else [],
    }


def frequent_itemsets(
    indptr: np.ndarray, items: np.ndarray, *, n_items: int, threads: int = 1, flag: Flag | None = None,
    progress: Callable[[float], None] | None = None, **wanted: Any,
) -> FoundItemsets | TooManyItemsets:  # fmt: skip
    asked = WantedItemsets(**wanted)
    return wanted_itemsets(indptr, items, n_items, asked, threads=threads, flag=flag, progress=progress)


def mine(rows: Sequence[Sequence[int]], n_items: int, threads: int, asked: dict[str, Any]) -> oracle.Found:
    allowed = np.zeros(n_items, dtype=np.bool_)
    allowed[asked["allowed"]] = True
    required = np.array(asked["required"], dtype=np.int32)
    options = {**asked, "allowed": allowed, "required": required, "kind": str(asked["kind"])}
    found = listed(frequent_itemsets(*as_arrays(rows), n_items=n_items, threads=threads, **options))
    few = few_itemsets(*as_arrays(rows), n_items, WantedItemsets(**options, max_itemsets=1_000_000))
    assert few is None or listed(few) == found
    return found


@pytest.mark.parametrize("count", [50, pytest.param(3000, marks=pytest.mark.ci)])
def test_many_small_inputs_are_mined_as_defined(count: int) -> None:
    random = np.random.default_rng(1)
    for number in range(count):
        rows, n_items = random_rows(random)
        asked = query(random, len(rows), n_items)
        wanted = oracle.itemsets(rows, **asked)
        assert mine(rows, n_items, 1, asked) == wanted, (rows, asked)
        if number % 3 == 0:
            assert mine(rows, n_items, 2, asked) == wanted, (rows, asked)


@given(
    rows=st.lists(st.sets(st.integers(0, 6)).map(sorted), max_size=20),
    min_count=st.integers(1, 8),
    kind=st.sampled_from(KINDS),
)
def test_any_rows_are_mined_as_defined(rows: list[list[int]], min_count: int, kind: str) -> None:
    bounds = {"min_length": 1, "max_length": 7, "allowed": range(7), "required": []}
    asked = {"min_count": min_count, "kind": kind, **bounds}
    assert mine(rows, 7, 1, asked) == oracle.itemsets(rows, **asked)


@pytest.mark.parametrize("kind", KINDS)
def test_many_rows_with_common_and_rare_items(kind: str) -> None:
    """Long bitmaps, lists and bitmaps side by side, bitmaps renumbered to the rows of rare prefixes."""
    random = np.random.default_rng(2)
    for shares in (
        [0.9, 0.6, 0.5, 0.5, 0.4, 0.2, 0.1, 0.05, 0.02, 0.02],
        [0.02] * 7 + [0.03] * 3,
        [0.3] * 10,
    ):
        held = random.random((4000, 10)) < np.array(shares)
        held[:40, 3:8] = True
        rows = rows_of(held)
        bounds = {"min_length": 1, "max_length": 10, "allowed": range(10), "required": []}
        for min_count in (3, 30, 300):
            asked = {"min_count": min_count, "kind": kind, **bounds}
            assert mine(rows, 10, 1, asked) == oracle.itemsets(rows, **asked)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_that_help_each_other_give_the_same_arrays(kind: str) -> None:
    """Most sets begin with one of the first items, so that threads run out of tasks and take from others'."""
    held = np.random.default_rng(3).random((40_000, 17)) < 0.75
    indptr = np.concatenate(([0], np.cumsum(held.sum(axis=1))))
    items = np.nonzero(held)[1].astype(np.int32)
    alone = frequent_itemsets(indptr, items, n_items=17, min_count=600, kind=kind)
    assert isinstance(alone, FoundItemsets)
    for threads in (2, 3, 8):
        together = frequent_itemsets(indptr, items, n_items=17, min_count=600, kind=kind, threads=threads)
        assert isinstance(together, FoundItemsets)
        for name in ("offsets", "items", "supports"):
            np.testing.assert_array_equal(getattr(alone, name), getattr(together, name))


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_sets_come_with_a_minimum_that_fits(kind: str) -> None:
    random = np.random.default_rng(4)
    for _ in range(60):
        n_items = int(random.integers(5, 12))
        rows = rows_of(random.random((int(random.integers(10, 60)), n_items)) < random.uniform(0.3, 0.8))
        arrays, limit = as_arrays(rows), int(random.integers(1, 60))
        whole = frequent_itemsets(*arrays, n_items=n_items, min_count=2, kind=kind)
        found = frequent_itemsets(*arrays, n_items=n_items, min_count=2, kind=kind, max_itemsets=limit)
        assert isinstance(whole, FoundItemsets)
        if len(whole.supports) <= limit:
            assert listed(found) == listed(whole)
            continue
        assert isinstance(found, TooManyItemsets)
        if found.fitting_count is None:
            assert limit < n_items
            continue
        fitting = frequent_itemsets(*arrays, n_items=n_items, min_count=found.fitting_count, kind=kind)
        assert found.fitting_itemsets <= limit
        if kind == "maximal":
            assert len(listed(fitting)) <= found.fitting_itemsets
        else:
            assert len(listed(fitting)) == found.fitting_itemsets


def test_a_result_that_explodes_is_stopped_with_a_minimum_that_fits() -> None:
    rows = [list(range(60)) for _ in range(20)] + [[item] for item in range(60) for _ in range(item)]
    found = frequent_itemsets(*as_arrays(rows), n_items=60, min_count=5, max_itemsets=100_000)
    assert found == TooManyItemsets(fitting_count=found.fitting_count, fitting_itemsets=59)
    assert found.fitting_count == 21  # all 2^60 sets have a support of 20, items of up to 79


def test_a_raised_flag_stops_the_search() -> None:
    rows = [list(range(64)) for _ in range(5)] + [[item] for item in range(64)]
    flag = new_flag()
    threading.Timer(0.2, lambda: flag.__setitem__(0, 1)).start()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        frequent_itemsets(
            *as_arrays(rows), n_items=64, min_count=5, max_itemsets=2**31 - 1, threads=2, flag=flag
        )
    assert time.monotonic() - begun < 2


def test_a_very_long_row_is_one_closed_and_maximal_set() -> None:
    rows = [list(range(200_000)), [5, 7], [7]]
    arrays = as_arrays(rows)
    closed = listed(frequent_itemsets(*arrays, n_items=200_000, min_count=1, kind="closed"))
    assert closed == [((7,), 3), ((5, 7), 2), (tuple(range(200_000)), 1)]
    maximal = listed(frequent_itemsets(*arrays, n_items=200_000, min_count=1, kind="maximal"))
    assert maximal == closed[-1:]


def test_an_itemset_at_the_minimum_is_in() -> None:
    arrays = as_arrays([[0, 1]] * 7 + [[0]] * 93)
    assert listed(frequent_itemsets(*arrays, n_items=2, min_count=7)) == [((0,), 100), ((1,), 7), ((0, 1), 7)]
    assert listed(frequent_itemsets(*arrays, n_items=2, min_count=8)) == [((0,), 100)]


def test_arrays_that_cannot_be_written_to_and_other_types_are_taken() -> None:
    indptr, items = as_arrays([[0, 1], [0, 1], [1]])
    wanted = listed(frequent_itemsets(indptr, items, n_items=2, min_count=2))
    indptr.flags.writeable = items.flags.writeable = False
    assert listed(frequent_itemsets(indptr, items, n_items=2, min_count=2)) == wanted
    assert (
        listed(frequent_itemsets(indptr.astype(np.int32), items.astype(np.int64), n_items=2, min_count=2))
        == wanted
    )


def test_progress_is_told_from_zero_to_one() -> None:
    random = np.random.default_rng(5)
    arrays = as_arrays(rows_of(random.random((3000, 20)) < 0.7))
    shares: list[float] = []
    frequent_itemsets(*arrays, n_items=20, min_count=30, threads=2, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] == 1


@pytest.mark.parametrize("rows", [[[1, 0]], [[0, 0]], [[0, 2]], [[-1, 0]]])
def test_malformed_rows_are_refused(rows: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="ascending codes in range"):
        frequent_itemsets(*as_arrays(rows), n_items=2, min_count=1)


@pytest.mark.parametrize(
    "wrong",
    [{"min_count": 0}, {"min_length": 0}, {"threads": 0}, {"max_itemsets": 0}, {"max_itemsets": 2**31}],
)
def test_numbers_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        frequent_itemsets(*as_arrays([[0]]), **{"n_items": 1, "min_count": 1, **wrong})


def test_a_required_item_that_is_not_allowed_is_refused() -> None:
    with pytest.raises(ValueError, match="not allowed"):
        frequent_itemsets(
            *as_arrays([[0]]),
            n_items=1,
            min_count=1,
            allowed=np.array([False]),
            required=np.array([0], dtype=np.int32),
        )
