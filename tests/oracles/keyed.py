"""Digests, ranks and draws of records straight from their definition, one record at a time."""

from collections import Counter
from hashlib import blake2b

from tests.oracles.siphash import MASK, siphash

Record = dict[str, str | None]
Digest = tuple[int, int]


def record_digest(subkey: bytes, record: Record) -> Digest:
    """The sum, lane by lane, of the keyed digests of (column, value)."""
    low = high = 0
    for column, value in record.items():
        name = column.encode()
        text = b"\x00" if value is None else b"\x01" + value.encode()
        digest = blake2b(len(name).to_bytes(8, "little") + name + text, key=subkey, digest_size=16).digest()
        low = (low + int.from_bytes(digest[:8], "little")) & MASK
        high = (high + int.from_bytes(digest[8:], "little")) & MASK
    return low, high


def ranks(contents: list[Digest]) -> list[int]:
    """How many equal ones came before, for each."""
    seen: Counter[Digest] = Counter()
    result = []
    for content in contents:
        result.append(seen[content])
        seen[content] += 1
    return result


def draw(subkey: bytes, digest: Digest, rank: int, label: int) -> int:
    """SipHash-2-4 of the four words, each in eight bytes, least significant first."""
    return siphash(subkey, b"".join(word.to_bytes(8, "little") for word in (*digest, rank, label)))
