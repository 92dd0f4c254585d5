"""Keyed random choices: they follow a record's content and rank, never its position.

A draw is SipHash-2-4, under the subkey of a purpose, of the record's digest, its rank among equal
records and a label. The same key and the same multiset of records therefore give the same multiset
of (record, draw) whatever the order of rows, the number of threads or the size of chunks. From
draws come a uniform permutation, Bernoulli trials and whole numbers below a bound.

    >>> import numpy as np
    >>> from tacit.random.digests import ranks, record_digests, value_digests
    >>> from tacit.random.key import Key
    >>> key = Key.from_seed(7)
    >>> values = value_digests(key.subkey("content"), "city", ["Graz", "Linz", "Wien"])
    >>> records = record_digests([(np.array([2, 0, 0, 1], dtype=np.int32), values)])
    >>> words = draws(key.subkey("order"), records, ranks(records))
    >>> sorted(keyed_order(words, records, ranks(records)).tolist())
    [0, 1, 2, 3]
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.errors import ParameterError
from tacit.random.key import Subkey
from tacit.random.parts import deal
from tacit.random.siphash import absorb, finish, start
from tacit.ranges import Share, as_fraction
from tacit.typing import AnyArray, Bools, Counts, Words

Probability = int | float | Decimal | Fraction
"""A float stands for the decimal number it prints as: 0.1 is one tenth."""

_RANGE = Share(open_low=False)
# A message of four words is 32 bytes: its length is the top byte of SipHash's last word.
_LAST = np.uint64(32 << 56)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


def draws(subkey: Subkey, digests: Words, ranks: Counts, *, label: int = 0) -> Words:
    """One uniform 64-bit word per record; another ``label`` gives an independent word.

    ``digests`` and ``ranks`` are those of ``tacit.random.digests``; a label is a whole number
    below 2^64, such as a counter of choices made for the same record.
    """
    if len(digests) != len(ranks):
        raise ValueError(f"Digests and ranks differ in length: {len(digests)} and {len(ranks)} rows.")
    k0, k1 = subkey.words
    return _draws(np.uint64(k0), np.uint64(k1), digests, ranks, np.uint64(label))


def keyed_order(draws: Words, digests: Words, ranks: Counts) -> Counts:
    """The permutation that sorts records by draw, ties by digest, then rank: uniform over keys.

    ``order[i]`` is the row that comes at place i. Two draws of n records agree with probability
    about n²/2^65; digest and rank settle even that independently of the order of rows.
    """
    order, ends = deal(draws)
    for first, end in pairwise(ends.tolist()):
        rows = order[first:end]
        words = draws[rows]
        places = np.argsort(words)
        words = words[places]
        if bool((words[1:] == words[:-1]).any()):
            places = np.lexsort((ranks[rows], digests[rows, 1], digests[rows, 0], draws[rows]))
        order[first:end] = rows[places]
    return order


def bernoulli(draws: Words, probability: Probability) -> Bools:
    """True with the given probability: where the draw is below floor(probability · 2^64).

    The probability met is within 2^-64 below the one asked for; 0 is never and 1 is always.
    For an exact share give a ``Fraction(numerator, denominator)``.
    """
    limit = _threshold(probability)
    if limit >> 64:
        return np.ones(len(draws), dtype=np.bool_)
    result: Bools = draws < np.uint64(limit)
    return result


def uniform_below(draws: Words, bound: int | Counts) -> Counts:
    """A whole number from 0 to bound - 1 per draw; ``bound`` is one number or one per draw.

    It is the top word of the 128-bit product draw · bound, so each number has a probability
    within 2^-64 of 1 / bound: a relative bias below bound / 2^64.
    """
    bounds = np.atleast_1d(np.asarray(bound, dtype=np.int64))
    if len(bounds) not in (1, len(draws)):
        raise ValueError(f"Bounds and draws differ in length: {len(bounds)} and {len(draws)} rows.")
    if len(bounds) and int(bounds.min()) < 1:
        raise ValueError("A bound must be at least 1: there is no whole number below 0 to choose from.")
    return _multiply_shift(draws, bounds.astype(np.uint64))


def _threshold(probability: Probability) -> int:
    """floor(probability · 2^64), in whole numbers."""
    exact: Fraction | None = None
    if isinstance(probability, Fraction):
        exact = probability
    elif _RANGE.holds(probability):
        exact = as_fraction(probability)
    if exact is None or not 0 <= exact <= 1:
        raise ParameterError("probability", "bernoulli", str(_RANGE), probability)
    return (exact.numerator << 64) // exact.denominator


@kernel
def _draws(k0: np.uint64, k1: np.uint64, digests: Words, ranks: Counts, label: np.uint64) -> Words:
    n = len(digests)
    result = np.empty(n, dtype=np.uint64)
    for row in range(n):
        state = absorb(start(k0, k1), digests[row, 0])
        state = absorb(state, digests[row, 1])
        state = absorb(state, np.uint64(ranks[row]))
        result[row] = finish(absorb(state, label), _LAST)
    return result


@kernel
def _multiply_shift(draws: Words, bounds: AnyArray) -> Counts:
    one = len(bounds) == 1
    result = np.empty(len(draws), dtype=np.int64)
    for row in range(len(draws)):
        bound = bounds[0] if one else bounds[row]
        # The high word of a 64 by 64 bit product, from its four 32-bit products.
        draw_low, draw_high = draws[row] & _LOW, draws[row] >> _HALF
        bound_low, bound_high = bound & _LOW, bound >> _HALF
        middle = draw_high * bound_low + (draw_low * bound_low >> _HALF)
        carry = draw_low * bound_high + (middle & _LOW)
        result[row] = np.int64(draw_high * bound_high + (middle >> _HALF) + (carry >> _HALF))
    return result
