"""What it tells that a deal was good: by how much rearranging one bucket changes how likely good deals are.

Deals that leave somebody fewer than ℓ valid values, or one that is too likely, are thrown away
(:mod:`tacit.methods.bucketize.solve.dealt`), so a release comes out with a probability proportional to
(1 - (1 - A)^N) / A, A being the share of good deals of the table. It is estimated for the owner, on the
table and on tables in which the values of one bucket have changed hands. Both are dealt alike: where a row
got the value of another, it takes its place in every deal. Only the buckets of such places need to be
looked at again.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.methods.bucketize.solve.areas import Ground
from tacit.methods.bucketize.solve.classes import Classes
from tacit.methods.bucketize.solve.dealt import TRIES, Deal, bad_buckets
from tacit.methods.bucketize.solve.plan import Plan
from tacit.random.key import Key
from tacit.typing import AnyArray, Bools

FEWEST_DEALS, MOST_DEALS, ROWS = 32, 128, 100_000
"""Deals of each table: so many that all of them together have about so many rows."""
FEWEST_GOOD, TIMES = 4, 8
"""Where fewer are good, up to so many times as many are dealt."""
BUCKETS = 24
"""Buckets whose values change hands."""


def acceptance(ground: Ground, deal: Deal, l: int, most: float, key: Key) -> float:
    """By how much ln P(release) changes with one bucket, at most of those tried.

    It is infinite where hardly a deal is good, so that none can be told from another.
    """
    generator = np.random.default_rng(key.subkey("bucketize: acceptance").words)
    people, n_buckets = _people(ground, deal), deal.n_buckets
    if n_buckets == 1:
        return 0.0
    some = max(FEWEST_DEALS, min(MOST_DEALS, ROWS // len(people)))
    places = np.empty((0, len(people)), dtype=np.int64)
    bad = np.empty((0, n_buckets), dtype=np.bool_)
    while (~bad.any(axis=1)).sum() < FEWEST_GOOD:
        if len(bad) == TIMES * some:
            return math.inf
        more = np.stack([_places(people, n_buckets, generator) for _ in range(some)])
        found = _bad(people, more, np.ones((some, n_buckets), dtype=np.bool_), l, most)
        places, bad = np.concatenate([places, more]), np.concatenate([bad, found])
    deals = len(bad)
    before = _log_probability(float((~bad.any(axis=1)).mean()), deals)
    largest = 0.0
    for bucket in generator.permutation(n_buckets)[:BUCKETS]:
        inside = np.flatnonzero(deal.buckets == bucket)
        source = _rearranged(people, inside, generator)
        moved, values = places.copy(), people.values.copy()
        moved[:, inside], values[inside] = places[:, source], people.values[source]
        touched = np.zeros_like(bad)
        touched[np.arange(deals)[:, None], places[:, inside]] = True
        now = np.where(touched, _bad(replace(people, values=values), moved, touched, l, most), bad)
        after = _log_probability(float((~now.any(axis=1)).mean()), deals)
        largest = max(largest, abs(after - before))
    return largest


def _people(ground: Ground, deal: Deal) -> Classes:
    """Every row of a deal as a class of its own."""
    classes, kinds = ground.classes, ground.class_of[deal.rows]
    return replace(
        classes,
        values=classes.values[kinds],
        forbidden=np.ascontiguousarray(classes.forbidden[kinds]),
        counts=np.ones(len(kinds), dtype=np.int64),
    )


def _places(people: Classes, n_buckets: int, generator: np.random.Generator) -> AnyArray:
    """The bucket of every row in a deal."""
    rank = generator.permutation(people.n_values)[people.values]
    places = np.empty(len(people), dtype=np.int64)
    places[np.lexsort((generator.random(len(people)), rank))] = np.arange(len(people)) % n_buckets
    return places


def _rearranged(people: Classes, inside: AnyArray, generator: np.random.Generator) -> AnyArray:
    """For each row of a bucket the one whose value it gets, by exchanges that rules allow."""
    may = ~unpack(people.forbidden[inside], people.n_values)
    held, source = people.values[inside], np.arange(len(inside))
    for first, second in generator.integers(0, len(inside), (8 * len(inside), 2)):
        if may[first, held[source[second]]] and may[second, held[source[first]]]:
            source[[first, second]] = source[[second, first]]
    return inside[source]


def _bad(people: Classes, places: AnyArray, looked_at: Bools, l: int, most: float) -> Bools:
    """Which of the buckets that are looked at are bad, deal by deal."""
    of_deal, rows = np.nonzero(np.take_along_axis(looked_at, places, axis=1))
    slots = of_deal * looked_at.shape[1] + places[of_deal, rows]
    order = np.argsort(slots, kind="stable")
    sizes = np.bincount(slots, minlength=looked_at.size)
    offsets = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64)
    found = np.zeros(looked_at.size, dtype=np.bool_)
    found[sizes > 0] = bad_buckets(
        Plan(people, offsets, rows[order].astype(np.int32), people.counts), l, most
    )
    return found.reshape(looked_at.shape)


def _log_probability(good: float, deals: int) -> float:
    """ln P(release), up to a constant, where this share of the deals is good; none counts as half of one."""
    share = max(good, 1 / (2 * deals))
    return math.log((1 - (1 - share) ** TRIES) / share)
