"""SipHash-2-4 against its published vectors, and against the definition on random messages."""

import random

import numpy as np
import pytest

from tacit.random.key import Subkey
from tacit.random.keyed import absorb, draws, finish, start
from tests.oracles.keyed import draw
from tests.oracles.siphash import siphash

# The authors' vectors: key 00 01 … 0f, message 00 01 … of the given length, hash in memory order.
PUBLISHED = {
    0: "310e0edd47db6f72",
    1: "fd67dc93c539f874",
    2: "5a4fa9d909806c0d",
    3: "2d7efbd796666785",
    4: "b7877127e09427cf",
    5: "8da699cd64557618",
    6: "cee3fe586e46c9cb",
    7: "37d1018bf50002ab",
    8: "6224939a79f5f593",
    9: "b0e4a90bdf82009e",
    10: "f3b9dd94c5bb5d7a",
    11: "a7ad6b22462fb3f4",
    12: "fbe50e86bc8f1e75",
    13: "903d84c02756ea14",
    14: "eef27a8e90ca23f7",
    15: "e545be4961ca29a1",
    16: "db9bc2577fcc2a3f",
    32: "ce7cf2722f512771",
    63: "724506eb4c328a95",
}
KEY = bytes(range(16))


def compiled(key: bytes, message: bytes) -> int:
    """The hash of any message, by the pieces that the draws are made of."""

    def typed(state):  # a compiled function hands plain ints back to Python
        return tuple(map(np.uint64, state))

    words = [np.uint64(int.from_bytes(key[at : at + 8], "little")) for at in (0, 8)]
    state = start(*words)
    whole = len(message) // 8 * 8
    for at in range(0, whole, 8):
        state = absorb(typed(state), np.uint64(int.from_bytes(message[at : at + 8], "little")))
    last = len(message) % 256 << 56 | int.from_bytes(message[whole:], "little")
    return int(finish(typed(state), np.uint64(last)))


@pytest.mark.parametrize("function", [siphash, compiled])
def test_the_published_vectors(function):
    for length, digest in PUBLISHED.items():
        assert function(KEY, bytes(range(length))) == int.from_bytes(bytes.fromhex(digest), "little"), length


def test_the_kernel_is_the_definition_on_random_messages():
    generator = random.Random(2)
    for length in range(300):
        key, message = generator.randbytes(16), generator.randbytes(length)
        assert compiled(key, message) == siphash(key, message)


def test_a_draw_is_the_hash_of_digest_rank_and_label():
    generator = np.random.default_rng(3)
    digests = generator.integers(0, 2**64, size=(200, 2), dtype=np.uint64)
    ranks = generator.integers(0, 2**63, size=200, dtype=np.int64)
    for label in (0, 1, 2**64 - 1):
        key = generator.bytes(16)
        expected = [
            draw(key, tuple(digest), rank, label)
            for digest, rank in zip(digests.tolist(), ranks.tolist(), strict=True)
        ]
        assert draws(Subkey(key), digests, ranks, label=label).tolist() == expected
