"""What the itemset miners are made of: bitmaps, shared counters, codes put in order."""

from __future__ import annotations

import threading

import numpy as np

from tacit.arrays.bitmaps import intersect, renumber, words_for
from tacit.arrays.compiled import fetch_add, kernel, popcount
from tacit.arrays.csr import sort_codes
from tacit.typing import Counts, Words


@kernel
def popcounts(words: Words, counts: Counts) -> None:
    for at in range(len(words)):
        counts[at] = popcount(words[at])


@kernel
def count_up(counters: Counts, times: int) -> int:
    total = 0
    for _ in range(times):
        total += fetch_add(counters, 1, 3)
    return total


def bitmap(members: set[int], width: int) -> list[int]:
    whole = sum(1 << member for member in members)
    return [whole >> (64 * word) & (2**64 - 1) for word in range(width)]


def members_of(words: np.ndarray) -> set[int]:
    return {64 * at + bit for at, word in enumerate(words.tolist()) for bit in range(64) if word >> bit & 1}


def test_bits_are_counted() -> None:
    words = np.concatenate(
        (
            np.random.default_rng(1).integers(0, 2**64, 1000, dtype=np.uint64),
            np.array([0, 1, 2**63, 2**64 - 1], dtype=np.uint64),
        )
    )
    counts = np.empty(len(words), dtype=np.int64)
    popcounts(words, counts)
    assert counts.tolist() == [word.bit_count() for word in words.tolist()]


def test_intersections_and_renumbered_bitmaps_are_those_of_sets() -> None:
    random = np.random.default_rng(2)
    for _ in range(300):
        universe = int(random.integers(1, 700))
        width = words_for(universe)
        prefix, *others = (
            set(np.flatnonzero(random.random(universe) < random.random()).tolist())
            for _ in range(int(random.integers(2, 6)))
        )
        words = np.array(
            [word for members in (prefix, *others) for word in bitmap(members, width)], np.uint64
        )
        target = np.zeros(width * len(others), dtype=np.uint64)
        for number, members in enumerate(others):
            count = intersect(words, 0, (number + 1) * width, target, number * width, width)
            assert count == len(prefix & members)
            assert members_of(target[number * width : (number + 1) * width]) == prefix & members
        renumber(words, 0, target, 0, width, len(others), np.empty(universe, dtype=np.int32))
        places = {member: place for place, member in enumerate(sorted(prefix))}
        narrow = words_for(len(prefix))
        for number, members in enumerate(others):
            wanted = {places[member] for member in prefix & members}
            assert members_of(target[number * narrow : (number + 1) * narrow]) == wanted


def test_threads_advance_a_counter_without_losing_a_step() -> None:
    counters = np.zeros(2, dtype=np.int64)
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(count_up(counters, 200_000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    steps = 4 * 200_000
    assert counters.tolist() == [0, 3 * steps]
    assert sum(seen) == 3 * steps * (steps - 1) // 2  # each value was handed out exactly once


def test_codes_are_sorted_between_two_places() -> None:
    random = np.random.default_rng(4)
    for size in (0, 1, 2, 10, 1000, 100_000):
        codes = random.integers(0, 1000, size + 4).astype(np.int32)
        wanted = codes.copy()
        wanted[2 : size + 2].sort()
        sort_codes(codes, 2, size + 2)
        np.testing.assert_array_equal(codes, wanted)
