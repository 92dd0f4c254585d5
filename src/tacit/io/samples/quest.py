"""Transactions in the manner of the Quest generator of Agrawal and Srikant [1].

Transactions are put together from *potentially maximal patterns*, sets of items that tend to be
bought together:

- A pattern has 1 + Poisson items, of the mean asked for. A share of them, exponential of mean
  ``correlation``, comes from the pattern before it; the others are drawn by the items' weights.
  (Drawn twice, an item counts once.)
- Patterns are drawn with exponential weights, normalized to 1. Each has its own corruption level,
  normal and cut to [0, 1]: an item is dropped while a uniform number is below it.
- A transaction is wanted with 1 + Poisson items, of the mean asked for. A pattern that does not
  fit is put in all the same in half the cases, else moved to the next transaction.

The paper says that items are chosen at random. Here they have exponential weights, because the
published output T10I4D100K leaves 130 of its 1,000 items out, which equal weights would not do.
Sizes are 1 + Poisson so that no pattern and no transaction is empty and the mean is the one named.

[1] R. Agrawal, R. Srikant. Fast Algorithms for Mining Association Rules. VLDB 1994, section 2.4.3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacit.arrays.compiled import Flag, kernel
from tacit.arrays.csr import larger, sort_codes
from tacit.data.transactions import Transactions
from tacit.io.samples import SCALE, SEED, Draws, poisson_table, without_gaps
from tacit.ranges import Range, Share, Whole, check
from tacit.typing import Codes, Offsets, Words

CHUNK = 1_000_000
"""How many transactions are drawn at a time; the sample does not depend on it."""

RANGES: dict[str, Range] = {
    "transactions": Whole(1),
    "items": Whole(1, 2**31 - 1),
    "average_length": Share(1, 10_000, open_low=False),
    "patterns": Whole(1, 1_000_000),
    "pattern_length": Share(1, 1_000, open_low=False),
    "correlation": Share(0, 1, open_low=False),
    "corruption": Share(0, 1, open_low=False),
    "corruption_variance": Share(0, 1, open_low=False),
    "chunk": Whole(1),
    "seed": SEED,
}


@dataclass(frozen=True, slots=True)
class Shape:
    """What shapes the sample, whatever its size."""

    items: int = 1000
    average_length: float = 15
    patterns: int = 2000
    pattern_length: float = 4
    correlation: float = 0.25
    corruption: float = 0.5
    corruption_variance: float = 0.1
    seed: int = 0


def quest(transactions: int = 100_000, **shape: Any) -> Transactions:
    """Seeded transactions of items named 0, 1, 2, …; items that no transaction holds are left out.

    The other arguments are the fields of :class:`Shape`.

    >>> sample = quest(1000, items=50, average_length=6, seed=1)
    >>> len(sample), bool(5 < sample.lengths.mean() < 7)
    (1000, True)
    """
    parameters = Shape(**shape)
    pieces = list(_pieces(parameters, transactions, CHUNK))
    starts = np.cumsum([0, *(indptr[-1] for indptr, _ in pieces)])
    shifted = [indptr[1:] + start for (indptr, _), start in zip(pieces, starts[:-1], strict=True)]
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), *shifted])
    return _named(indptr, np.concatenate([drawn for _, drawn in pieces]), parameters.items)


def quest_chunks(transactions: int, *, chunk: int = CHUNK, **shape: Any) -> Iterator[Transactions]:
    """The same transactions as :func:`quest`, ``chunk`` at a time, for samples larger than memory."""
    parameters = Shape(**shape)
    for indptr, drawn in _pieces(parameters, transactions, chunk):
        yield _named(indptr, drawn, parameters.items)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Pattern p is ``items[indptr[p] : indptr[p + 1]]``; probabilities are on the scale of 2^32."""

    indptr: Offsets
    items: Codes
    cumulative: Words
    corruption: Words


def _pieces(parameters: Shape, transactions: int, chunk: int) -> Iterator[tuple[Offsets, Codes]]:
    """The transactions in pieces of at most ``chunk``, items by the number drawn."""
    check("quest", RANGES, transactions=transactions, chunk=chunk, **asdict(parameters))
    from tacit.arrays.compiled import interruptible

    made = _patterns(parameters)
    lengths = poisson_table(parameters.average_length - 1)
    # The random state, and 1 + the pattern moved on to the next transaction: both outlive a piece.
    state = np.array([Draws(parameters.seed, "quest transactions").words(1)[0], 0], dtype=np.uint64)
    for start in range(0, transactions, chunk):
        yield interruptible(
            fill_sets,
            min(chunk, transactions - start),
            made.indptr,
            made.items,
            made.cumulative,
            made.corruption,
            lengths,
            parameters.items,
            state,
        )


def _patterns(parameters: Shape) -> _Patterns:
    """The potentially maximal patterns."""
    draws = Draws(parameters.seed, "quest patterns")
    count = parameters.patterns
    item_ends = _cumulative(draws, parameters.items)
    sizes = 1 + draws.poisson(parameters.pattern_length - 1, count)
    shared = np.floor(sizes * draws.exponential(count) * parameters.correlation + 0.5).astype(np.int64)
    drawn = np.searchsorted(item_ends, draws.words(int(sizes.sum())) >> np.uint64(32), side="right")
    order = draws.words(int(sizes.sum()))  # which items of a pattern the next one shares
    made = [np.unique(drawn[: sizes[0]])]
    begin = 0
    for size, wanted in zip(sizes[1:], shared[1:], strict=True):
        previous = made[-1]
        common = min(int(wanted), int(size), len(previous))
        chosen = previous[np.argsort(order[begin : begin + len(previous)])[:common]]
        begin += int(sizes[len(made) - 1])
        made.append(np.unique(np.concatenate([chosen, drawn[begin + common : begin + size]])))
    spread = math.sqrt(parameters.corruption_variance)
    levels = np.clip(parameters.corruption + spread * draws.normal(count), 0.0, 1.0)
    return _Patterns(
        indptr=np.cumsum([0, *map(len, made)]).astype(np.int64),
        items=np.concatenate(made).astype(np.int32),
        cumulative=_cumulative(draws, count),
        corruption=np.floor(levels * SCALE).astype(np.uint64),
    )


def _cumulative(draws: Draws, count: int) -> Words:
    """The cumulative probabilities of ``count`` choices of exponential weight, on the scale of 2^32."""
    ends = np.cumsum(draws.exponential(count))
    cumulative: Words = np.floor(ends / ends[-1] * SCALE).astype(np.uint64)
    return cumulative


def _named(indptr: Offsets, drawn: Codes, items: int) -> Transactions:
    """The transactions with the items that occur renumbered without gaps; names are the numbers drawn."""
    packed, present = without_gaps(drawn, items)
    indptr.flags.writeable = False
    vocabulary = tuple(map(str, np.flatnonzero(present).tolist()))
    return Transactions(indptr, packed, vocabulary, origin="sample:quest")


_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(1 << 31)


@kernel
def fill_sets(
    count: int,
    indptr: Offsets,
    members: Codes,
    cumulative: Words,
    dropped: Words,
    sizes: Words,
    n_members: int,
    state: Words,
    flag: Flag,
) -> tuple[Offsets, Codes]:
    """``count`` sets in compressed sparse row form, members ascending.

    Group g is ``members[indptr[g] : indptr[g + 1]]``, drawn with the
    cumulative probability ``cumulative[g]`` / 2^32; a member of it is dropped with probability
    ``dropped[g]`` / 2^32, again and again until one is not. A set is wanted with at most 1 + i
    members with probability ``sizes[i]`` / 2^32. ``state`` holds the random state and
    1 + the group that was moved to the next set (0: none), and is brought up to date.
    """
    longest = 0
    for group in range(len(indptr) - 1):
        longest = max(longest, indptr[group + 1] - indptr[group])
    hand = np.empty(longest, dtype=np.int32)
    owner = np.full(n_members, -1, dtype=np.int64)
    found = np.empty(count * (len(sizes) // 2 + 1) + longest, dtype=np.int32)
    offsets = np.zeros(count + 1, dtype=np.int64)
    end = 0
    for number in range(count):
        if number & 4095 == 0 and flag[0]:
            break
        start = end
        wanted = min(n_members, 1 + int(np.searchsorted(sizes, _word(state) >> np.uint64(32), side="right")))
        if end + wanted + longest > len(found):
            found = larger(found, 2 * len(found) + wanted + longest)
        # Groups may have nothing new to give: a set is given up as full after many of them.
        for _ in range(100 + 10 * wanted):
            if end - start >= wanted:
                break
            if state[1]:
                group = int(state[1]) - 1
                state[1] = np.uint64(0)
            else:
                group = int(np.searchsorted(cumulative, _word(state) >> np.uint64(32), side="right"))
            first = indptr[group]
            size = indptr[group + 1] - first
            kept = size
            while kept > 0 and (_word(state) >> np.uint64(32)) < dropped[group]:
                kept -= 1
            # A group that does not fit is put in all the same in half the cases, else moved to the next set.
            if end - start + kept > wanted and end > start and (_word(state) >> np.uint64(32)) < _HALF:
                state[1] = np.uint64(group + 1)
                break
            for place in range(size):
                hand[place] = members[first + place]
            for place in range(kept):
                other = place + np.int64(_below(state, np.uint64(size - place)))
                member = hand[other]
                hand[other] = hand[place]
                if owner[member] != number:
                    owner[member] = number
                    found[end] = member
                    end += 1
        sort_codes(found, start, end)
        offsets[number + 1] = end
    return offsets, found[:end].copy()


@kernel
def _word(state: Words) -> np.uint64:
    """The next 64 uniform bits (SplitMix64: Steele, Lea and Flood, OOPSLA 2014)."""
    state[0] += _STEP
    word: np.uint64 = state[0]
    word = (word ^ (word >> np.uint64(30))) * _MIX1
    word = (word ^ (word >> np.uint64(27))) * _MIX2
    return word ^ (word >> np.uint64(31))


@kernel
def _below(state: Words, bound: np.uint64) -> np.uint64:
    """A whole number in [0, bound), for a bound of at most 2^32."""
    return ((_word(state) >> np.uint64(32)) * bound) >> np.uint64(32)
