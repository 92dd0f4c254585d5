"""SipHash-2-4: a keyed pseudo-random 64-bit word for a short message.

The message is read in 64-bit words; each is absorbed with two rounds, and four rounds finish the
hash ([1], section 2). The pieces are kernels of their own, to be inlined into the loop that needs
them: a draw for a row of words costs no array of messages.

[1] J.-P. Aumasson, D. J. Bernstein. SipHash: a fast short-input PRF. INDOCRYPT 2012.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel

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
