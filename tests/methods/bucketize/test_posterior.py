"""Posteriors are shares of assignments: counted, bounded, sampled."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from tacit.arrays.bitmaps import pack, unpack
from tacit.arrays.compiled import new_flag
from tacit.errors import InfeasibleError
from tacit.knowledge.assignment_counts import Ways, sampled_shares, scaled_posteriors
from tacit.knowledge.assignments import count_ways, shares
from tacit.methods.bucketize.solve.bounded import bounded_plan, largest_posterior, least_bound
from tacit.methods.bucketize.solve.feasibility import largest_feasible
from tacit.methods.bucketize.solve.plan import Classes
from tacit.random.key import Key
from tests.methods.bucketize.random_classes import random_classes, rows_of
from tests.oracles import assignments as oracle
from tests.oracles.swap_neutral import largest_scaled

KEY = Key.from_seed(6)


def by_definition(classes: Classes, bucket: np.ndarray) -> Fraction:
    largest = Fraction(0)
    for mine in oracle.shares(*rows_of(classes, bucket)):
        for place in range(len(classes.attributes)):
            chance: dict[int, Fraction] = {}
            for value, share in mine.items():
                code = int(classes.parts[value, place])
                chance[code] = chance.get(code, Fraction(0)) + share
            largest = max(largest, *chance.values())
    return largest


def test_the_largest_posterior_is_exact() -> None:
    generator = np.random.Generator(np.random.PCG64(30))
    for number in range(400):
        classes = random_classes(generator, most_rows=6, attributes=1 + number % 2)
        bucket = np.repeat(np.arange(len(classes), dtype=np.int32), classes.counts)
        assert largest_posterior(classes, bucket) == by_definition(classes, bucket)


def by_whole_numbers(classes: Classes, bucket: np.ndarray) -> Fraction:
    """The largest posterior of one attribute, row after row taking what is left, in Python's numbers."""
    held, barred = rows_of(classes, bucket)
    counts = tuple(held.count(value) for value in range(classes.n_values))

    @cache
    def ways(row: int, left: tuple[int, ...], last: int) -> int:
        if row == len(order):
            return 1
        return sum(
            left[value] * ways(row + 1, (*left[:value], left[value] - 1, *left[value + 1 :]), last)
            for value in range(len(left))
            if left[value]
            and value not in barred[order[row]]
            and (row < len(order) - 1 or last in (-1, value))
        )

    largest = Fraction(0)
    for row in {frozenset(barred[row]): row for row in range(len(held))}.values():
        order = [*(other for other in range(len(held)) if other != row), row]
        ways.cache_clear()
        every = ways(0, counts, -1)
        largest = max(largest, *(Fraction(ways(0, counts, value), every) for value in range(len(counts))))
    return largest


def test_the_largest_posterior_of_many_rows_is_bounded_from_above() -> None:
    generator = np.random.Generator(np.random.PCG64(34))
    counted = 0
    while counted < 12:
        classes = random_classes(generator, most_rows=28)
        bucket = np.repeat(np.arange(len(classes), dtype=np.int32), classes.counts)
        found = largest_posterior(classes, bucket) if len(bucket) > 20 else None
        if found is not None:
            counted += 1
            assert 0 <= found - by_whole_numbers(classes, bucket) <= Fraction(2, 10**9)


def test_shares_of_many_buckets_at_once() -> None:
    generator = np.random.Generator(np.random.PCG64(31))
    for _ in range(60):
        classes = random_classes(generator, most_rows=14)
        rows = generator.permutation(np.repeat(np.arange(len(classes), dtype=np.int32), classes.counts))
        offsets = np.array([*range(0, len(rows), 5), len(rows)])
        ones = np.ones(len(rows), dtype=np.int64)
        ends, values, starts, found, errors = shares(
            offsets, rows, ones, classes.values, classes.forbidden, classes.n_values, new_flag()
        )
        assert not errors.any()
        for bucket in range(len(offsets) - 1):
            own = values[ends[bucket] : ends[bucket + 1]]
            expected = oracle.shares(*rows_of(classes, rows[offsets[bucket] : offsets[bucket + 1]]))
            for row, mine in zip(range(offsets[bucket], offsets[bucket + 1]), expected, strict=True):
                got = found[starts[row] : starts[row + 1]]
                assert got == pytest.approx([float(mine[int(value)]) for value in own], abs=1e-12)


def test_a_second_row_of_a_value_makes_it_likelier() -> None:
    """{a, b, c} gives one in three, a second a makes it one in two: the posterior is not monotone."""
    classes = Classes(
        ("value",),
        (("a", "b", "c"),),
        np.arange(3, dtype=np.int32)[:, None],
        np.arange(3, dtype=np.int32),
        pack(np.zeros((3, 3), dtype=bool)),
        np.array([2, 1, 1]),
    )
    assert largest_posterior(classes, np.array([0, 1, 2], dtype=np.int32)) == Fraction(1, 3)
    assert largest_posterior(classes, np.array([0, 0, 1, 2], dtype=np.int32)) == Fraction(1, 2)


def test_a_bound_holds_for_every_row_of_every_bucket() -> None:
    generator = np.random.Generator(np.random.PCG64(32))
    kept = refused = 0
    for number in range(1_000):
        classes = random_classes(generator, most_rows=10, attributes=1 + number % 2)
        bound = Fraction(1, int(generator.integers(2, 5)))
        if largest_feasible(classes) < max(2, bound.denominator):
            continue
        none = np.zeros(len(classes), dtype=np.int64)
        plan = None
        try:
            plan = bounded_plan(classes, 2, bound, KEY, suppressed=none, suppress=False)
            kept += 1
            assert plan.n_suppressed == 0
            assert least_bound(classes)[0] <= bound
        except InfeasibleError as error:
            refused += 1
            assert error.code == "infeasible-posterior"
            try:
                plan = bounded_plan(classes, 2, bound, KEY, suppressed=none, suppress=True)
                assert plan.n_suppressed > 0
            except InfeasibleError:
                continue
        placed = np.bincount(plan.members, minlength=len(classes)) + plan.suppressed
        assert placed.tolist() == classes.counts.tolist()
        for place in range(len(plan)):
            if len(plan.bucket(place)) <= 7:
                assert by_definition(classes, plan.bucket(place)) <= bound
    assert kept > 40 and refused > 40


def component(generator: np.random.Generator, n_kinds: int, n_values: int) -> tuple[np.ndarray, ...]:
    """Members of each class, the values that they may take, and how many there are of each value."""
    tokens = generator.integers(1, 4, size=n_values)
    waiting = generator.multinomial(tokens.sum() - n_kinds, np.full(n_kinds, 1 / n_kinds)) + 1
    may = generator.random((n_kinds, n_values)) < 0.7
    may[0] = True
    return waiting, may, tokens


def counted_by_states(waiting: np.ndarray, may: np.ndarray, tokens: np.ndarray) -> np.ndarray | None:
    """The shares of members, counted with every class in the state; None where there is no way."""
    states, ways = int(np.prod(waiting + 1)), np.zeros(may.shape)
    every = count_ways(np.zeros(states), np.zeros(states), waiting, may, tokens, ways)
    return None if every == 0 else ways / every * tokens / waiting[:, None]


def test_the_largest_class_needs_no_place_in_the_state() -> None:
    generator = np.random.Generator(np.random.PCG64(36))
    fewer, turned = 0, 0
    for _ in range(200):
        waiting, may, tokens = component(generator, int(generator.integers(2, 6)), 5)
        exact = counted_by_states(waiting, may, tokens)
        if exact is not None:
            ways = Ways(waiting, may, tokens)
            assert np.abs(ways.shares() - exact).max() < 1e-12
            fewer += len(ways.held) < len(tokens)
            turned += np.sort(ways.held + 1)[:-1].prod() < np.sort(waiting + 1)[:-1].prod()
    assert fewer > 20 and turned > 20


def test_thousands_of_members_are_counted() -> None:
    """2,000 members, 3 of whom may take one value alone: what is left of it is shared by the others."""
    waiting, tokens = np.array([3, 1997]), np.array([5, 1995])
    found = Ways(waiting, np.array([[True, False], [True, True]]), tokens).shares()
    assert found == pytest.approx(np.array([[1, 0], [2 / 1997, 1995 / 1997]]), rel=1e-12)


def test_all_groups_share_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups with too many assignments: each of ten gets a tenth of the draws that one gets."""
    generator = np.random.Generator(np.random.PCG64(37))
    monkeypatch.setattr("tacit.knowledge.assignments.ALL_STEPS", 0)
    barred = generator.random((30, 12)) < 0.25
    barred[:, 0] = False
    held = np.array([generator.choice(np.flatnonzero(~mine)) for mine in barred], dtype=np.int32)
    ones, errors = np.ones(300, dtype=np.int64), []
    for groups in (1, 10):
        members = np.tile(np.argsort(held, kind="stable").astype(np.int32), groups)
        offsets = 30 * np.arange(groups + 1)
        monkeypatch.setattr("tacit.knowledge.assignment_counts.STEPS", 30 * 12 * 2_000)
        found = shares(offsets, members, ones[: 30 * groups], held, pack(barred), 12, new_flag())
        errors.append(np.median(found[-1][found[-1] > 0]))
    assert 2.2 < errors[1] / errors[0] < 4.5  # √10


def test_samples_are_within_their_errors() -> None:
    """Sampled shares against counted ones, on components that can be counted as well."""
    generator = np.random.Generator(np.random.PCG64(33))
    scores = []
    for _ in range(40):
        waiting, may, tokens = component(generator, 4, 5)
        exact = counted_by_states(waiting, may, tokens)
        if exact is None:
            continue
        table, errors = sampled_shares(waiting, may, tokens)
        known = errors > 0
        assert np.abs(table[~known] - exact[~known]).max(initial=0.0) < 1e-9
        scores += ((table[known] - exact[known]) / errors[known]).tolist()
    scores_array = np.array(scores)
    assert len(scores_array) > 200
    # Standard scores of estimates that state their error rightly have a spread of about one.
    assert 0.7 < scores_array.std() < 1.4
    assert np.abs(scores_array).max() < 6


@pytest.mark.parametrize("count", [100, pytest.param(300, marks=pytest.mark.ci)])
def test_scaled_posteriors_are_near_the_exact_ones(count: int) -> None:
    generator = np.random.Generator(np.random.PCG64(34))
    apart = []
    for number in range(count):
        classes = random_classes(generator, most_rows=8, attributes=1 + number % 2)
        bucket = np.repeat(np.arange(len(classes), dtype=np.int32), classes.counts)
        scaled = scaled_posteriors(
            np.array([0, len(bucket)]), bucket, classes.values, classes.forbidden, classes.parts, new_flag()
        )
        kinds = tuple(
            (tuple(map(str, classes.parts[value].tolist())), barred)
            for value, barred in _by_texts(classes, bucket)
        )
        assert scaled[0] == pytest.approx(largest_scaled(kinds), abs=1e-12)
        apart.append(scaled[0] - float(by_definition(classes, bucket)))
    assert np.mean(np.abs(apart)) < 0.02


def _by_texts(classes: Classes, bucket: np.ndarray) -> list[tuple[int, frozenset[tuple[str, ...]]]]:
    """The value of each row, and what it may not have, in the words of the oracle."""
    barred = unpack(classes.forbidden, classes.n_values)
    return [
        (
            int(classes.values[kind]),
            frozenset(tuple(map(str, classes.parts[at].tolist())) for at in np.flatnonzero(barred[kind])),
        )
        for kind in bucket
    ]


def test_what_is_sampled_does_not_follow_who_holds_what() -> None:
    """Thirty people with rules of their own: the same shares to the last digit, whoever holds what."""
    generator = np.random.Generator(np.random.PCG64(35))
    barred = generator.random((30, 12)) < 0.25
    barred[:, 0] = False
    held = np.zeros(30, dtype=np.int32)
    for row in range(30):
        held[row] = generator.choice(np.flatnonzero(~barred[row]))
    found = []
    for _ in range(5):
        members = np.argsort(held, kind="stable").astype(np.int32)  # rows stand in the order of their values
        ends, values, starts, chances, errors = shares(
            np.array([0, 30]), members, np.ones(30, dtype=np.int64), held, pack(barred), 12, new_flag()
        )
        assert errors.any()
        found.append(
            {
                (int(row), int(value)): chance
                for place, row in enumerate(members)
                for value, chance in zip(
                    values[ends[0] : ends[1]],
                    chances[starts[place] : starts[place + 1]],
                    strict=True,
                )
            }
        )
        for one, other in generator.integers(0, 30, (200, 2)):
            if not barred[one, held[other]] and not barred[other, held[one]]:
                held[[one, other]] = held[[other, one]]
    assert all(one == found[0] for one in found)


def test_twenty_rows_are_counted_in_whole_numbers() -> None:
    """20 rows of two kinds: 20! over all, and a share known in closed form."""
    tokens = np.array([10, 10])
    waiting = np.array([5, 15])
    may = np.array([[True, False], [True, True]])
    ways = np.zeros((2, 2), dtype=np.int64)
    cells = np.zeros((2, 6 * 16), dtype=np.int64)
    every = int(count_ways(cells[0], cells[1], waiting, may, tokens, ways))
    # The five rows take five of the ten first tokens; the other fifteen rows take the rest in any order.
    assert every == 10 * 9 * 8 * 7 * 6 * 1_307_674_368_000
    assert Fraction(int(ways[1, 0]) * 10, every * 15) == Fraction(5, 15)
