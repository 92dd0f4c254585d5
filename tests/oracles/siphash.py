"""SipHash-c-d straight from its definition, on Python's whole numbers and any bytes."""

MASK = (1 << 64) - 1


def siphash(key: bytes, message: bytes, *, c: int = 2, d: int = 4) -> int:
    """The 64-bit hash of ``message`` under a 16-byte key."""
    halves = [int.from_bytes(key[at : at + 8], "little") for at in (0, 8)]
    text = b"somepseudorandomlygeneratedbytes"
    v = [int.from_bytes(text[at : at + 8], "big") ^ halves[at // 8 % 2] for at in range(0, 32, 8)]
    padded = message + bytes(7 - len(message) % 8) + bytes([len(message) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v[3] ^= word
        for _ in range(c):
            _round(v)
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(d):
        _round(v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _round(v: list[int]) -> None:
    def half_round(a: int, b: int, c: int, d: int, s: int, t: int) -> None:
        v[a] = (v[a] + v[b]) & MASK
        v[c] = (v[c] + v[d]) & MASK
        v[b] = _rotate(v[b], s) ^ v[a]
        v[d] = _rotate(v[d], t) ^ v[c]
        v[a] = _rotate(v[a], 32)

    half_round(0, 1, 2, 3, 13, 16)
    half_round(2, 1, 0, 3, 17, 21)


def _rotate(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & MASK
