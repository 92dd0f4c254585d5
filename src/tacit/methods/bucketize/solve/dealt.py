"""Buckets dealt by values alone, for areas where rules matter.

A deal looks at rules as little as Anatomy does: how many rows of each value a bucket gets follows from
how often the values occur in the area, and the rows are drawn among all that hold them. So a deal is as
likely under any other table with the same values. Rules are looked at afterwards: a deal is *good* if
in every bucket every row has ℓ valid values, and none that is much likelier than the area makes it, which
anybody can tell from the published buckets. The key draws deals until one is good; where many are bad,
buckets are made larger.

What that tells is how likely a good deal was. With A(T) for that, the first good of N deals comes out
with a probability proportional to (1 - (1 - A(T))^N) / A(T), and rearranging the values of one bucket
changes A(T) by little if few deals have a bad bucket. So the size of buckets is chosen beforehand, from what
readers know (values' counts, forbidden sets), such that a bad bucket is unlikely
(docs/explanation/bucketize.md).

By how much it does change is estimated for the owner (:func:`acceptance`), on the table and on tables in
which the values of one bucket have changed hands. Both are dealt alike: where a row got the value of
another, it takes its place in every deal. Only the buckets of such places need to be looked at again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.arrays.compiled import interruptible, kernel
from tacit.knowledge.assignment_counts import scaled_posteriors
from tacit.methods.bucketize.solve.areas import Splitting
from tacit.methods.bucketize.solve.feasibility import diversity
from tacit.methods.bucketize.solve.ground import Area, Ground, drawn_rows, sums_at
from tacit.methods.bucketize.solve.plan import Classes, Plan, digests_of_values, make_plan
from tacit.random.key import Key
from tacit.random.keyed import draws, keyed_order
from tacit.typing import AnyArray, Bools, Counts, Floats, Words

TRIES = 64
"""So many deals are drawn of one size of buckets before larger ones are tried."""
SIZES = (1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 8)
"""Sizes of buckets that are tried, in multiples of ℓ; then twice the last, and so on."""
LIKELIER = 3
"""By so much the odds of a value may rise in a bucket. With 2, on real tables, many deals are thrown away."""
ROUNDING = 1e-9
"""So that the order in which a bucket's rows are added up decides nothing."""

Good = Callable[[Plan], bool]
"""Whether all buckets of a deal keep the promise."""


@dataclass(frozen=True, eq=False)
class Deal:
    """The rows of an area, as their combinations, with the bucket of each."""

    rows: AnyArray
    buckets: AnyArray
    chosen: bool = True
    """Whether the buckets have the size that was chosen beforehand."""

    @property
    def n_buckets(self) -> int:
        return int(self.buckets.max()) + 1


def dealt(
    ground: Ground, area: Area, digests: Words, splitting: Splitting, key: Key, good: Good
) -> Deal | None:
    """The first good deal; None where even one bucket of all rows is not good."""
    for number, n_buckets in enumerate(numbers_of_buckets(ground, area, splitting)):
        for deal in islice(deals(ground, area, digests, n_buckets, key), TRIES if n_buckets > 1 else 1):
            if good(dealt_plan(ground, deal)):
                return Deal(deal.rows, deal.buckets, chosen=number == 0)
    return None


def deals(ground: Ground, area: Area, digests: Words, n_buckets: int, key: Key) -> Iterator[Deal]:
    """Deals of an area's rows into so many buckets, without end."""
    classes = ground.classes
    value_of = classes.values[ground.class_of]
    held = np.flatnonzero(ground.held(area))
    names = digests_of_values(classes, key, "holds", held)
    once, rank = np.zeros(len(held), dtype=np.int64), np.empty(classes.n_values, dtype=np.int64)
    buckets = np.arange(area.n_rows) % n_buckets
    number = n_buckets * TRIES
    while True:
        words = draws(key.subkey("bucketize: order of values"), names, once, label=number)
        rank[held[keyed_order(words, names, once)]] = np.arange(len(held))
        rows = drawn_rows(area, digests, key, label=number)
        # Rows of a value are dealt one after another, so each bucket gets its share of them, to one row.
        yield Deal(rows[np.argsort(rank[value_of[rows]], kind="stable")], buckets)
        number += 1


def dealt_plan(ground: Ground, deal: Deal) -> Plan:
    """A deal as a plan by classes."""
    return make_plan(ground.classes, ground.class_of[deal.rows], deal.buckets.astype(np.int32))


def likeliest(ground: Ground, area: Area, l: int) -> float:
    """How likely a value may become in a bucket of an area: by odds, three times what it is there.

    That is one in ℓ, or the share of those who hold a value among all in the area who may, where that is
    more. Readers know who may, and can count who does.
    """
    of_set, held, share = ground.set_counts(area), ground.held(area), 1 / l
    for part, (sets, codes) in zip(ground.classes.parts.T, ground.forbids_parts, strict=True):
        holding = np.bincount(part, weights=held)
        able = area.n_rows - sums_at(codes, of_set[sets], len(holding))
        share = max(share, float((holding / np.maximum(1, able)).max()))
    return LIKELIER * share / (1 + (LIKELIER - 1) * share)


def bad_buckets(plan: Plan, l: int, most: float) -> Bools:
    """Which buckets have a row with fewer than ℓ valid values, or one value likelier than this."""
    bad = np.logical_or.reduceat(diversity(plan, enough=l) < l, plan.offsets[:-1])
    if most < 1.0:
        bad |= interruptible(scaled_posteriors, *plan.groups) > most + ROUNDING
    return np.asarray(bad)


def keeps_values(plan: Plan, l: int, most: float) -> bool:
    """Whether no bucket is bad and no value is in more than one row of ℓ of a bucket.

    What is commoner than that in the whole area may be so in its buckets.
    """
    if bad_buckets(plan, l, most).any():
        return False
    classes, sizes = plan.classes, np.diff(plan.offsets)
    slots = np.repeat(np.arange(len(plan)), sizes)
    for part in classes.parts.T:
        held = part[classes.values[plan.members]]
        if l * int(np.bincount(held).max()) > len(held):
            continue
        _, first, times = np.unique(
            slots * (int(part.max()) + 1) + held, return_index=True, return_counts=True
        )
        if (l * times > sizes[slots[first]]).any():
            return False
    return True


def numbers_of_buckets(ground: Ground, area: Area, splitting: Splitting) -> Iterator[int]:
    """How many buckets an area is dealt into, the number chosen beforehand first, then fewer, down to one.

    It is chosen from what readers know, or can count in the release: how often values occur in the area.
    """
    chosen = False
    previous = area.n_rows + 1
    for n_buckets in _tried(ground.held(area), area.n_rows, splitting.l):
        chosen = chosen or n_buckets == 1 or _likely_good(ground, area, n_buckets, splitting)
        if chosen and n_buckets < previous:
            previous = n_buckets
            yield n_buckets


def _tried(held: Counts, n_rows: int, l: int) -> Iterator[int]:
    """Numbers of buckets for which no value gets commoner in a bucket than one in ℓ."""
    times = iter(SIZES)
    size = 0.0
    while True:
        size = next(times, 2 * size)
        numbers = np.arange(math.ceil(n_rows / (size * l)), 0, -1)
        if l * int(held.max()) <= n_rows:
            numbers = numbers[l * -(-int(held.max()) // numbers) <= n_rows // numbers]
        yield int(numbers[0])
        if numbers[0] == 1:
            return


def _likely_good(ground: Ground, area: Area, n_buckets: int, splitting: Splitting) -> bool:
    """Whether few rows are expected without ℓ valid values, in all and each by itself."""
    worst, expected = _chances(ground, area, n_buckets, splitting.l)
    return worst <= splitting.bad_row and expected <= splitting.bad_rows


def bad_rows(ground: Ground, area: Area, n_buckets: int, l: int) -> float:
    """About how many rows are without ℓ valid values if an area is dealt into so many buckets."""
    return _chances(ground, area, n_buckets, l)[1]


def _chances(ground: Ground, area: Area, n_buckets: int, l: int) -> tuple[float, float]:
    """How likely a row is without ℓ valid values, at most; and how many such rows are expected.

    A bucket has too few values that a forbidden set allows, or nobody else for a value.
    """
    of_set, held = ground.set_counts(area), ground.held(area)
    sets = np.flatnonzero(of_set)
    short = np.zeros(len(of_set))
    short[sets] = _too_few(ground, sets, held, n_buckets, l)
    others = np.maximum(0, area.n_rows // n_buckets - -(-held // n_buckets))
    alone = np.where(held > 0, (1 - ground.able(of_set) / area.n_rows) ** others, 0.0)
    return float(max(short.max(), alone.max())), float(of_set @ short + held @ alone)


def _too_few(ground: Ground, sets: AnyArray, held: Counts, n_buckets: int, l: int) -> AnyArray:
    """Per forbidden set, how likely a bucket has fewer than ℓ of the values that it allows.

    A value is in a bucket with probability min(1, its rows / buckets), each by itself; at least this
    is the probability that a row, whose own value is there, has fewer than ℓ.
    """
    absent = np.log1p(-np.minimum(held / n_buckets, 1 - 1e-12))
    allowed, there = ~ground.masks[sets], np.flatnonzero(held)
    worst = np.zeros(len(sets))
    for part in ground.classes.parts.T:
        codes, values = np.unique(part[there], return_index=True)
        if len(codes) == len(there):  # no two values have the same code
            logs = np.where(allowed[:, there[values]], absent[there[values]], 0.0)
        else:
            logs = np.column_stack([allowed[:, part == code] @ absent[part == code] for code in codes])
        present = -np.expm1(logs)
        fewer = np.zeros((len(sets), l))
        fewer[:, 0] = 1.0
        _count_different(present, fewer)
        worst = np.maximum(worst, fewer.sum(axis=1))
    return worst


@kernel
def _count_different(present: Floats, fewer: Floats) -> None:
    """How likely j different values are there: of none at first, then of one more after the other."""
    for row in range(len(present)):
        for code in range(present.shape[1]):
            chance = present[row, code]
            for number in range(fewer.shape[1] - 1, -1, -1):
                before = fewer[row, number - 1] if number > 0 else 0.0
                fewer[row, number] = fewer[row, number] * (1 - chance) + before * chance


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
        touched[(bad & ~touched).any(axis=1)] = False  # such a deal stays bad, whatever changes hands
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
