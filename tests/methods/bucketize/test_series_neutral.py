"""A reader who knows the method learns no more from several releases than they state.

Every table of a few people is released again and again under many keys: those who hold what in all runs with
the same outcome are what such a reader knows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from tacit.errors import InfeasibleError
from tacit.methods.bucketize.solve.signatures import People, Signature, Signed, signed
from tacit.random.digests import value_digests
from tacit.random.key import Key
from tests.oracles.series import Outcome, aware_posteriors

VALUES = ("a", "b", "c")


def people(
    held: tuple[str, ...], who: list[int], families: dict[int, tuple[Signature, ...]], key: Key
) -> tuple[People, list[int]]:
    """As the tool has them: of all values those that somebody has or had; and which these are."""
    known = sorted(set(families.values()))
    had = {VALUES[value] for family in known for signature in family for value in signature}
    there = [value for value, name in enumerate(VALUES) if name in {*had, *(held[one] for one in who)}]
    found = People(
        values=np.array([there.index(VALUES.index(held[person])) for person in who], dtype=np.int32),
        barred_of=np.zeros(len(who), dtype=np.int32),
        barred=np.zeros((1, len(there)), dtype=np.bool_),
        family_of=np.array(
            [known.index(families[one]) if one in families else -1 for one in who], dtype=np.int32
        ),
        families=tuple(tuple((tuple(map(there.index, one)), 0) for one in family) for family in known),
        digests=value_digests(key.subkey("person"), "", [str(person) for person in who]),
        names=tuple(VALUES[value] for value in there),
    )
    return found, there


def outcome(found: Signed, who: list[int]) -> Outcome:
    """What is published: who shares a bucket, and its values."""
    members: dict[int, list[int]] = {}
    for person, bucket in zip(who, found.buckets.tolist(), strict=True):
        members.setdefault(bucket, []).append(person)
    return tuple(sorted((tuple(some), found.signatures[bucket]) for bucket, some in members.items()))


def released(
    held: tuple[str, ...], who: list[int], had: dict[int, tuple[Signature, ...]], seed: int, turn: int
) -> Signed:
    key = Key.from_seed(seed)
    here, there = people(held, who, had, key)
    return _shown(signed(here, 2, key, label=str(turn)), there)


def _shown(made: Signed, there: list[int]) -> Signed:
    """With the values by their places among all values."""
    return Signed(made.buckets, tuple((tuple(there[v] for v in one), part) for one, part in made.homes))


def chain(held: tuple[str, ...], seed: int, turns: list[list[int]]) -> Outcome:
    """What is published of these people in one release after the other, until one is refused."""
    had: dict[int, tuple[Signature, ...]] = {}
    found: list[Outcome] = []
    for turn, who in enumerate(turns, start=1):
        try:
            made = released(held, who, {one: had[one] for one in who if one in had}, seed, turn)
        except InfeasibleError:
            break
        had |= {
            one: (made.signatures[bucket],) for one, bucket in zip(who, made.buckets.tolist(), strict=True)
        }
        found.append(outcome(made, who))
    return tuple(found)


def excess(turns: list[list[int]], keys: int, run: Callable[..., Outcome] = chain) -> float:
    """By how much a posterior surely exceeds what is stated, at most."""
    n_people = 1 + max(one for who in turns for one in who)
    found = aware_posteriors(lambda held, seed: run(held, seed, turns), n_people, VALUES, keys)
    worst = 0.0
    for outcomes, counts in found.items():
        stated = {person: set(values) for part in outcomes for some, values in part for person in some}  # type: ignore[attr-defined]
        for person, candidates in stated.items():
            runs = {value: counts[person, value] for value in VALUES if counts[person, value]}
            total = sum(runs.values())
            assert {VALUES.index(value) for value in runs} <= candidates
            top = max(runs.values()) / total
            error = ERRORS * math.sqrt(top * (1 - top) / total + 1 / total**2)
            worst = max(worst, top - error - 1 / len(candidates))
    return worst


ERRORS = 4
"""So many standard errors are chance: hundreds of posteriors are looked at."""


def test_two_releases_of_three_people_and_a_newcomer() -> None:
    assert excess([[0, 1, 2], [1, 2, 3]], 30) == 0.0


@pytest.mark.ci
@pytest.mark.parametrize("turns", [[[0, 1, 2], [1, 2, 3, 4]], [[0, 1], [1, 2], [1, 3], [1, 4]]])
def test_releases_with_newcomers(turns: list[list[int]]) -> None:
    assert excess(turns, 30) == 0.0


@pytest.mark.ci
def test_newcomers_who_are_used_whenever_they_fit_would_tell() -> None:
    """Of a method that seats a newcomer beside somebody who is alone, if the values are not the same."""

    had = {0: ((0, 1),), 2: ((0, 2),)}

    def greedy(held: tuple[str, ...], seed: int, turns: list[list[int]]) -> Outcome:
        if held[0] not in "ab" or held[2] not in "ac":
            return ()
        (who,) = turns
        last = outcome(released(held, who, had, seed, 2), who)
        if {held[0], held[1]} != {"a", "b"}:
            return (last,)
        return ((((0, 1), (0, 1)), *(bucket for bucket in last if not {0, 1} & {*bucket[0]})),)  # type: ignore[misc]

    assert excess([[0, 1, 2]], 200, greedy) > 0.1


def test_what_newcomers_bring_in_release_after_release_tells_nothing() -> None:
    """Somebody of the signature a, b is alone; with newcomers who have b and c, she could get company as a.

    Whether she got some told what she has, and every further release told it again.
    """
    held = ("?", *"bbbbbbcccccc")
    for key in range(20):
        for value in "ab":
            for turn in range(2, 5):
                made = released((value, *held[1:]), [*range(13)], {0: ((0, 1),)}, key, turn)
                assert (made.buckets == made.buckets[0]).sum() == 1


@pytest.mark.ci
def test_a_value_that_few_may_hold() -> None:
    """Only two of five people may hold w: who does, and how many do, must not show."""
    found: dict[Outcome, Counter[tuple[int, int]]] = {}
    for number, world in enumerate(product(range(4), *[range(1, 4)] * 3, range(4))):
        there = sorted(set(world))
        barred = np.array([[False] * len(there), [value == 0 for value in there]])
        for seed in range(20):
            key = Key.from_seed(20 * number + seed)
            who = People(
                values=np.array([there.index(value) for value in world], dtype=np.int32),
                barred_of=np.array([0, 1, 1, 1, 0], dtype=np.int32),
                barred=barred,
                family_of=np.full(5, -1, dtype=np.int32),
                families=(),
                digests=value_digests(key.subkey("person"), "", list("01234")),
                names=tuple("wxyz"[value] for value in there),
            )
            try:
                made = signed(who, 2, key)
            except InfeasibleError:
                continue
            seen = outcome(_shown(made, there), [*range(5)])
            found.setdefault(seen, Counter()).update(enumerate(world))
    assert len(found) > 30
    for seen, counts in found.items():
        for some, values in seen:  # type: ignore[attr-defined]
            for person in some:
                runs = [counts[person, value] for value in values]
                even = 1 / len(values)
                error = (ERRORS + 1) * math.sqrt(even * (1 - even) / sum(runs))
                assert max(runs) / sum(runs) <= even + error
