"""The kernels that count sets: rare combinations, supports of node sets, narrowed rows, order of rows."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np

from tacit.arrays.compiled import new_flag
from tacit.arrays.csr import recoded_rows
from tacit.arrays.groups import row_order
from tacit.engine.kernels import combinations as combinations_kernel
from tacit.engine.kernels.combinations import next_whole, rare_combinations
from tacit.engine.kernels.item_ranges import (
    cheapest_lift,
    highest_rare,
    indexed,
    rows_in_ranges,
    rows_with_sets,
    weight_in_ranges,
)
from tacit.engine.kernels.narrowing import left_by_all, narrowed_greedily, narrowed_rows
from tacit.engine.kernels.overlaps import narrowed_by_absences, narrowed_by_overlaps
from tests.oracles import readers

Weighted = list[tuple[tuple[int, ...], int]]


def random_rows(seeded: random.Random, n_items: int, n_rows: int = 12) -> Weighted:
    """Distinct non-empty sets with weights from 1 to 3."""
    sets = {tuple(sorted(seeded.sample(range(n_items), seeded.randint(1, n_items)))) for _ in range(n_rows)}
    return [(items, seeded.randint(1, 3)) for items in sorted(sets, key=lambda _: seeded.random())]


def as_arrays(rows: Weighted) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    indptr = np.cumsum([0, *(len(items) for items, _ in rows)]).astype(np.int64)
    items = np.array([item for items, _ in rows for item in items], dtype=np.int32)
    return indptr, items, np.array([weight for _, weight in rows], dtype=np.int64)


def weight_of(rows: Weighted, chosen: tuple[int, ...]) -> int:
    return sum(weight for items, weight in rows if set(chosen) <= set(items))


def rare_by_definition(
    rows: Weighted, n_items: int, first: int, least: int, size: int
) -> list[tuple[int, ...]]:
    """Rare sets in lexicographic order, without those a beginning of which is rare already."""
    found = []
    for length in range(1, size + 1):
        for chosen in combinations(range(n_items), length):
            begins_rare = any(weight_of(rows, chosen[:n]) < least for n in range(1, length))
            if chosen[0] < first and 0 < weight_of(rows, chosen) < least and not begins_rare:
                found.append(chosen)
    return sorted(found)


def test_rare_combinations_are_those_of_the_definition(monkeypatch) -> None:
    seeded = random.Random(1)
    for case in range(1500):
        # Few places at once, now and then, so that smallest items are taken in several blocks.
        monkeypatch.setattr(combinations_kernel, "_AT_ONCE", 8 if case % 3 else 1 << 24)
        monkeypatch.setattr(combinations_kernel, "_SURELY", 4 if case % 2 else -1)  # as bits, one and all
        n_items, size, least = seeded.randint(1, 7), seeded.randint(1, 5), seeded.randint(1, 8)
        rows, first = random_rows(seeded, n_items), seeded.randint(0, n_items)
        expected = rare_by_definition(rows, n_items, first, least, size)
        sets, done = rare_combinations(*as_arrays(rows), range(first), least, size, 10**9, new_flag())
        assert [tuple(item for item in line if item >= 0) for line in sets.tolist()] == expected
        assert done == first
        limit = seeded.randint(1, 5)
        sets, done = rare_combinations(*as_arrays(rows), range(first), least, size, limit, new_flag())
        assert [tuple(item for item in line if item >= 0) for line in sets.tolist()] == [
            chosen for chosen in expected if chosen[0] < done
        ]
        assert done == first or len(sets) >= limit


def test_next_whole_skips_sets_with_an_absent_item() -> None:
    sets = np.array([[0, 1], [1, 2], [2, -1]], dtype=np.int32)
    present = np.array([True, False, True])
    assert next_whole(sets, present, 0) == 2
    assert next_whole(sets, present, 3) == 3


def test_rows_are_recoded_merged_and_weighed() -> None:
    seeded = random.Random(2)
    for _ in range(500):
        rows = random_rows(seeded, seeded.randint(1, 6))
        rows = [(items, seeded.randint(0, 2)) for items, _ in rows]
        table = np.array([seeded.randint(-1, 3) for _ in range(6)], dtype=np.int32)
        which = np.array(seeded.sample(range(len(rows)), seeded.randint(0, len(rows))), dtype=np.int32)
        expected: dict[tuple[int, ...], int] = {}
        renamed = [tuple(sorted({int(table[item]) for item in items} - {-1})) for items, _ in rows]
        for row in which:
            if renamed[row] and rows[row][1]:
                expected[renamed[row]] = expected.get(renamed[row], 0) + rows[row][1]
        found = recoded_rows(*as_arrays(rows), table, which)
        parts = [tuple(part.tolist()) for part in np.split(found.items, found.indptr[1:-1])][
            : len(found.weights)
        ]
        assert dict(zip(parts, found.weights.tolist(), strict=True)) == expected
        for row, group in zip(which, found.groups.tolist(), strict=True):
            kept = renamed[row] and rows[row][1]
            assert parts[group] == renamed[row] if kept else group == -1


def test_long_rows_are_sorted_too() -> None:
    table = np.random.default_rng(1).permutation(200).astype(np.int32)
    found = recoded_rows(
        np.array([0, 150], dtype=np.int64), np.arange(150, dtype=np.int32), np.ones(1, dtype=np.int64), table
    )
    assert found.items.tolist() == sorted(table[:150].tolist())


# A tree over six items: ((0 1) 2) (3 (4 5)); nodes 6 = (0 1), 7 = (0 1 2), 8 = (4 5), 9 = (3 4 5), 10 = all.
PARENTS = np.array([6, 6, 7, 9, 8, 8, 7, 10, 9, 10, -1], dtype=np.int32)
RANGES = np.array(
    [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [0, 2], [0, 3], [4, 6], [3, 6], [0, 6]], dtype=np.int32
)


def below(node: int) -> set[int]:
    return set(range(*RANGES[node]))


def node_weight(rows: Weighted, nodes: list[int]) -> int:
    return sum(weight for items, weight in rows if all(below(node) & set(items) for node in nodes))


def test_supports_of_node_sets() -> None:
    seeded = random.Random(3)
    for _ in range(500):
        rows = random_rows(seeded, 6)
        data = indexed(*as_arrays(rows), 6)
        nodes = seeded.sample(range(11), seeded.randint(1, 4))
        cap = seeded.randint(1, 20)
        ranges = RANGES[nodes]
        found = weight_in_ranges(data, RANGES, np.array(nodes, dtype=np.int32), cap)
        assert found == min(cap, node_weight(rows, nodes))
        assert rows_in_ranges(data, ranges[:, 0], ranges[:, 1]).tolist() == [
            row for row, (items, _) in enumerate(rows) if any(below(node) & set(items) for node in nodes)
        ]
        sets = np.array([[*nodes, -1], [nodes[0]] + [-1] * len(nodes)], dtype=np.int32)
        assert rows_with_sets(data, RANGES, sets).tolist() == [
            row for row, (items, _) in enumerate(rows) if below(nodes[0]) & set(items)
        ]
        assert rows_with_sets(data, RANGES, sets[:1]).tolist() == [
            row for row, (items, _) in enumerate(rows) if all(below(node) & set(items) for node in nodes)
        ]


def path(node: int) -> list[int]:
    return [node, *path(int(PARENTS[node]))] if PARENTS[node] >= 0 else [node]


def uncovered(nodes: tuple[int, ...]) -> frozenset[int]:
    return frozenset(node for node in nodes if not any(node != top and top in path(node) for top in nodes))


def test_lifts_are_the_cheapest_and_conflicts_the_highest() -> None:
    from itertools import product

    seeded = random.Random(4)
    for _ in range(700):
        rows = random_rows(seeded, 6)
        data = indexed(*as_arrays(rows), 6)
        nodes = sorted(seeded.sample(range(6), seeded.randint(1, 3)))
        least = seeded.randint(1, node_weight(rows, [10]))
        prices = np.array([0] * 6 + [seeded.randint(1, 50) for _ in range(5)], dtype=np.int64)
        start = np.array(nodes, dtype=np.int32)
        choices = {uncovered(tops) for tops in product(*map(path, nodes))}
        reached = [tops for tops in choices if node_weight(rows, list(tops)) >= least]
        lifted = cheapest_lift(data, PARENTS, RANGES, prices, start, least, 1000)
        assert frozenset(lifted.tolist()) in reached
        assert prices[lifted].sum() == min(sum(int(prices[node]) for node in tops) for tops in reached)
        stepwise = cheapest_lift(data, PARENTS, RANGES, prices, start, least, 1)
        assert frozenset(stepwise.tolist()) in reached
        if node_weight(rows, nodes) < least:
            high = highest_rare(data, PARENTS, RANGES, start, least, seeded.randint(0, 3)).tolist()
            assert high == sorted(uncovered(tuple(high)))
            assert node_weight(rows, high) < least
            assert all(any(top in path(node) for top in high) for node in nodes)
            for node in high:
                if PARENTS[node] >= 0:
                    higher = uncovered((*(other for other in high if other != node), int(PARENTS[node])))
                    assert node_weight(rows, list(higher)) >= least


def test_narrowed_rows_are_those_of_the_definition() -> None:
    seeded = random.Random(5)
    for _ in range(600):
        n_items = seeded.randint(1, 5)
        rows = random_rows(seeded, n_items, 8)
        records = [frozenset(map(str, items)) for items, weight in rows for _ in range(weight)]
        places = np.cumsum([0, *(weight for _, weight in rows)])[:-1]
        least, size = seeded.randint(1, 6), seeded.randint(1, 4)
        wanted = np.array([seeded.random() < 0.7 for _ in rows])
        for absence in (False, True):
            expected = np.array(readers.narrowed(records, least, size, absence=absence))[places]
            found = narrowed_rows(*as_arrays(rows), least, size, wanted, absence, new_flag())
            assert found.tolist() == (expected & wanted).tolist()
        data = indexed(*as_arrays(rows), n_items)
        easily = narrowed_greedily(data, least, size, wanted, new_flag())
        narrowed = np.array(readers.narrowed(records, least, size))[places]
        assert not (easily & ~(narrowed & wanted)).any()
        expected_whole = np.where(wanted, np.array(readers.with_whole_set(records))[places], len(records))
        order = row_order(data.indptr, data.items)
        found = left_by_all(data, order, wanted, new_flag())
        assert found.tolist() == expected_whole.tolist()


def test_quick_readers_find_what_the_definitions_say_or_leave_it_open() -> None:
    seeded = random.Random(7)
    n_open = 0
    for _ in range(300):
        n_items, size = seeded.randint(1, 7), seeded.randint(1, 3)
        rows, leasts = random_rows(seeded, n_items), (seeded.randint(2, 6), 2)
        records = [frozenset(map(str, items)) for items, weight in rows for _ in range(weight)]
        places = np.cumsum([0, *(weight for _, weight in rows)])[:-1]
        data = indexed(*as_arrays(rows), n_items)
        wholes = np.array(readers.with_whole_set(records))[places]
        by_all = np.stack([wholes < least for least in leasts], axis=1)
        turns = np.array([-1, *seeded.sample(range(len(rows)), len(rows)), 0], dtype=np.int32)
        expected = [
            np.array([np.array(readers.narrowed(records, least, more))[places] for least in leasts]).T
            for more in range(size, size + 3)
        ]
        absent = np.array(
            [np.array(readers.narrowed(records, n, size, absence=True))[places] for n in leasts]
        )
        for most in (10**6, 5, 400):
            told = np.array(leasts), most, len(turns), new_flag()
            found, taken = narrowed_by_overlaps(data, turns, size, size + 3, told[0], by_all, *told[1:])
            lacks, also = narrowed_by_absences(data, turns, size, *told)
            assert taken == also == len(turns)
            for seen, truth in ((found, np.stack(expected, axis=1)), (lacks, absent.T)):
                assert (seen == truth)[seen >= 0].all()
                n_open += int((seen < 0).sum())
                assert most < 10**6 or (seen >= 0).all()
    assert n_open


def test_rows_of_more_than_64_items_are_left_open_where_their_rarest_do_not_tell() -> None:
    """One row alone holds two common items together; another alone holds a rare one."""
    long = list(range(70))
    rows = [(tuple(long[1:69]), 5), ((*long[1:68], 69), 5), (tuple(long[1:70]), 1), (tuple(long), 1)]
    data = indexed(*as_arrays(rows), 70)
    wholes = np.array([sum(w for other, w in rows if set(items) <= set(other)) for items, _ in rows])
    by_all = np.stack([wholes < least for least in (3, 2)], axis=1)
    turns, leasts = np.arange(4, dtype=np.int32), np.array([3, 2])
    found, _ = narrowed_by_overlaps(data, turns, 2, 3, leasts, by_all, 10**7, 4, new_flag())
    assert found[:, 0].tolist() == [[0, 0], [0, 0], [-1, 0], [1, 1]]


def test_rows_are_sorted_like_tuples() -> None:
    seeded = random.Random(6)
    for _ in range(300):
        rows = [tuple(seeded.choices(range(4), k=seeded.randint(0, 4))) for _ in range(seeded.randint(0, 20))]
        indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        items = np.array([item for row in rows for item in row], dtype=np.int32)
        order = row_order(indptr, items)
        assert order.tolist() == sorted(range(len(rows)), key=lambda row: rows[row])
