"""Keyed random choices: they follow a record's content and rank, never its position.

A draw is SipHash-2-4, under the subkey of a purpose, of the record's digest, its rank among equal
records and a label. The same key and the same multiset of records therefore give the same multiset
of (record, draw) whatever the order of rows, the number of threads or the size of chunks. From
draws come a uniform permutation and whole numbers below a bound.

SipHash [1] reads a message in 64-bit words; each is absorbed with two rounds, and four rounds finish the hash
(section 2). Its pieces are kernels of their own, to be inlined into the loop that needs them: a draw for a
row of words costs no array of messages.

    >>> import numpy as np
    >>> from tacit.random.digests import ranks, record_digests, value_digests
    >>> from tacit.random.key import Key
    >>> key = Key.from_seed(7)
    >>> values = value_digests(key.subkey("content"), "city", ["Graz", "Linz", "Wien"])
    >>> records = record_digests([(np.array([2, 0, 0, 1], dtype=np.int32), values)])
    >>> words = draws(key.subkey("order"), records, ranks(records))
    >>> sorted(keyed_order(words, records, ranks(records)).tolist())
    [0, 1, 2, 3]

[1] J.-P. Aumasson, D. J. Bernstein. SipHash: a fast short-input PRF. INDOCRYPT 2012.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.random.key import Subkey
from tacit.typing import Counts, Words

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


def digest_of_all(subkey: Subkey, digests: Words, ranks: Counts) -> str:
    """A keyed digest of all records together, whatever their order: two sums of draws."""
    sums = (draws(subkey, digests, ranks, label=label).sum() for label in (0, 1))
    return "".join(f"{int(one):016x}" for one in sums)


def keyed_order(draws: Words, digests: Words, ranks: Counts) -> Counts:
    """The permutation that sorts records by draw, ties by digest, then rank: uniform over keys.

    ``order[i]`` is the row that comes at place i. Two draws of n records agree with probability
    about n²/2^65; digest and rank settle even that independently of the order of rows.
    """
    order = np.argsort(draws)
    words = draws[order]
    if (words[1:] == words[:-1]).any():
        return np.lexsort((ranks, digests[:, 1], digests[:, 0], draws))
    return order


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
    # The high word of a 64 by 64 bit product, from its four 32-bit products.
    high, low = draws >> _HALF, draws & _LOW
    bound_high, bound_low = bounds.astype(np.uint64) >> _HALF, bounds.astype(np.uint64) & _LOW
    middle = high * bound_low + (low * bound_low >> _HALF)
    carry = low * bound_high + (middle & _LOW)
    below: Counts = (high * bound_high + (middle >> _HALF) + (carry >> _HALF)).astype(np.int64)
    return below


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


State = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""The four words v0..v3."""

# Every constant is typed: an untyped one would turn 64-bit unsigned arithmetic into floating point.
_V0 = np.uint64(0x736F6D6570736575)
_V1 = np.uint64(0x646F72616E646F6D)
_V2 = np.uint64(0x6C7967656E657261)
_V3 = np.uint64(0x7465646279746573)
_FINAL = np.uint64(0xFF)
_13, _16, _17, _21, _32 = np.uint64(13), np.uint64(16), np.uint64(17), np.uint64(21), np.uint64(32)
_51, _48, _47, _43 = np.uint64(51), np.uint64(48), np.uint64(47), np.uint64(43)


@kernel
def start(k0: np.uint64, k1: np.uint64) -> State:
    """The state of an empty message under the subkey (k0, k1)."""
    return k0 ^ _V0, k1 ^ _V1, k0 ^ _V2, k1 ^ _V3


@kernel
def absorb(state: State, word: np.uint64) -> State:
    """The state after one more whole word of the message."""
    v0, v1, v2, v3 = state
    v0, v1, v2, v3 = sip_round(v0, v1, v2, v3 ^ word)
    v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    return v0 ^ word, v1, v2, v3


@kernel
def finish(state: State, last: np.uint64) -> np.uint64:
    """The hash. ``last`` holds the message's length in its top byte and the left-over bytes below."""
    v0, v1, v2, v3 = absorb(state, last)
    v0, v1, v2, v3 = sip_round(v0, v1, v2 ^ _FINAL, v3)
    v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    v0, v1, v2, v3 = sip_round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@kernel
def sip_round(v0: np.uint64, v1: np.uint64, v2: np.uint64, v3: np.uint64) -> State:
    """One SipRound: additions, rotations, exclusive-ors ([1], figure 2.1)."""
    v0 = v0 + v1
    v2 = v2 + v3
    v1 = ((v1 << _13) | (v1 >> _51)) ^ v0
    v3 = ((v3 << _16) | (v3 >> _48)) ^ v2
    v0 = (v0 << _32) | (v0 >> _32)
    v2 = v2 + v1
    v0 = v0 + v3
    v1 = ((v1 << _17) | (v1 >> _47)) ^ v2
    v3 = ((v3 << _21) | (v3 >> _43)) ^ v0
    v2 = (v2 << _32) | (v2 >> _32)
    return v0, v1, v2, v3
