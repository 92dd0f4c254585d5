"""A reader who knows the method learns no more from two releases than they state, up to ε.

Every table of a few people is released twice under many keys: those who hold what in all runs with the same
outcome are what such a reader knows.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tacit.methods.bucketize.solve import signatures as solve
from tacit.methods.bucketize.solve.signatures import People, Signature, Signed, signed
from tacit.random.digests import value_digests
from tacit.random.key import Key
from tests.oracles.series import Outcome, aware_posteriors

VALUES = ("a", "b", "c")
EPSILON = 0.4


def people(
    held: tuple[str, ...],
    who: list[int],
    families: dict[int, tuple[Signature, ...]],
    barred: np.ndarray,
    key: Key,
) -> People:
    known = sorted(set(families.values()))
    return People(
        values=np.array([VALUES.index(held[person]) for person in who], dtype=np.int32),
        barred_of=np.array([person % len(barred) for person in who], dtype=np.int32),
        barred=barred,
        family_of=np.array(
            [known.index(families[one]) if one in families else -1 for one in who], dtype=np.int32
        ),
        families=tuple(known),
        digests=value_digests(key.subkey("person"), "", [str(person) for person in who]),
        names=VALUES,
    )


def outcome(found: Signed, who: list[int]) -> Outcome:
    """What is published: who shares a bucket, and its values."""
    members: dict[int, list[int]] = {}
    for person, bucket in zip(who, found.buckets.tolist(), strict=True):
        members.setdefault(bucket, []).append(person)
    return tuple(sorted((tuple(some), found.signatures[bucket]) for bucket, some in members.items()))


def twice(
    held: tuple[str, ...], seed: int, first: list[int], second: list[int], barred: np.ndarray, epsilon: float
) -> Outcome:
    key = Key.from_seed(seed)
    one = signed(people(held, first, {}, barred, key), 2, epsilon, key, label="1")
    had = {
        person: (one.signatures[bucket],) for person, bucket in zip(first, one.buckets.tolist(), strict=True)
    }
    had = {person: family for person, family in had.items() if person in second}
    other = signed(people(held, second, had, barred, key), 2, epsilon, key, label="2")
    return outcome(one, first), outcome(other, second)


def excess(first: list[int], second: list[int], keys: int, barred: np.ndarray, run: float = EPSILON) -> float:
    """By how much a posterior surely exceeds what ε allows, at most, of a method that is run with another."""
    n_people = max(*first, *second) + 1
    found = aware_posteriors(
        lambda held, seed: twice(held, seed, first, second, barred, run), n_people, VALUES, keys
    )
    worst = 0.0
    for (one, other), counts in found.items():
        stated = {person: set(values) for part in (one, other) for some, values in part for person in some}  # type: ignore[attr-defined]
        for person, candidates in stated.items():
            runs = {value: counts[person, value] for value in VALUES if counts[person, value]}
            total, size = sum(runs.values()), len(candidates)
            assert {VALUES.index(value) for value in runs} <= candidates
            allowed = math.exp(EPSILON) / (math.exp(EPSILON) + size - 1)
            top = max(runs.values()) / total
            worst = max(worst, top - 2.6 * math.sqrt(top * (1 - top) / total + 1 / total**2) - allowed)
    return worst


NOBODY = np.zeros((1, 3), dtype=np.bool_)


def test_two_releases_of_three_people_and_a_newcomer() -> None:
    assert excess([0, 1, 2], [1, 2, 3], 30, NOBODY) == 0.0


@pytest.mark.ci
def test_two_releases_with_newcomers_who_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "POOL", 1 / 3)
    monkeypatch.setattr(solve, "SAMPLE", 0.0)
    assert excess([0, 1, 2], [1, 2, 3, 4], 60, NOBODY) == 0.0


@pytest.mark.ci
def test_newcomers_who_are_used_whenever_they_fit_would_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "POOL", 1 / 3)
    monkeypatch.setattr(solve, "SAMPLE", 0.0)
    assert excess([0, 1, 2], [1, 2, 3, 4], 60, NOBODY, run=50.0) > 0
