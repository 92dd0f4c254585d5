"""Keyed digests of content: what a record holds, whatever its codes and its position.

Every distinct value of a column gets a 128-bit digest of its bytes (BLAKE2b, keyed), with the
column's name and the null marker kept apart from any text. The digest of a record is the sum of
its values' digests, lane by lane modulo 2^64, and so is that of a set of items. A sum needs no
order of columns or items, and for a secret subkey the digests of two different contents agree
with probability 2^-128: each value's digest is an independent uniform word, as in the additive
multiset hashes of [1]. Digests are secret too: the sums are linear, and only a keyed hash of them
(``tacit.random.keyed``) may drive anything that is published.

[1] D. Clarke, S. Devadas, M. van Dijk, B. Gassend, G. E. Suh. Incremental Multiset Hash Functions
    and Their Application to Memory Integrity Checking. ASIACRYPT 2003.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np

from tacit.random.key import Subkey
from tacit.typing import Codes, Counts, Offsets, Words

Column = tuple[Codes, Words]
"""The codes of one column, int32[n], and the digests of its values, uint64[v, 2]."""

_DIGEST_BYTES = 16
_BLOCK = 1 << 16  # sets whose digests are summed at a time
_NULL, _TEXT = b"\x00", b"\x01"


def value_digests(subkey: Subkey, column: str, values: Iterable[str | None]) -> Words:
    """The digest of each value of a vocabulary, uint64[v, 2]; None is the null, unlike any text.

    >>> from tacit.random.key import Key
    >>> subkey = Key.from_seed(1).subkey("content")
    >>> digests = value_digests(subkey, "city", ["Graz", "", None])
    >>> len({tuple(digest) for digest in digests.tolist()})
    3
    """
    name = column.encode()
    # The length before the name: no name and value run together into another name and value.
    prefix = blake2b(len(name).to_bytes(8, "little") + name, key=subkey.reveal(), digest_size=_DIGEST_BYTES)
    digests = bytearray()
    for value in values:
        digest = prefix.copy()
        # Text that is not valid Unicode (a lone surrogate) still has bytes of its own.
        digest.update(_NULL if value is None else _TEXT + value.encode("utf-8", "surrogatepass"))
        digests += digest.digest()
    return np.frombuffer(bytes(digests), dtype="<u8").astype(np.uint64, copy=False).reshape(-1, 2)


def record_digests(columns: Sequence[Column]) -> Words:
    """The digest of each record, uint64[n, 2], from one or more columns of equal length.

    Give every column whose values follow the record into the release: records of equal digest are
    treated as interchangeable. The order of the columns does not matter.
    """
    if not columns:
        raise ValueError("The digest of a record needs at least one column.")
    digests = np.zeros((len(columns[0][0]), 2), dtype=np.uint64)
    for codes, values in columns:
        if len(codes) != len(digests):
            raise ValueError(f"Columns differ in length: {len(codes)} and {len(digests)} rows.")
        _check_range(codes, values)
        digests += values[codes]
    return digests


def set_digests(
    indptr: Offsets, items: Codes, item_digests: Words, *, columns: Sequence[Column] = ()
) -> Words:
    """The digest of each set of items of a CSR layout, uint64[n, 2], with its record's ``columns`` if any."""
    _check_range(items, item_digests)
    digests = record_digests(columns) if columns else np.zeros((len(indptr) - 1, 2), dtype=np.uint64)
    if len(digests) != len(indptr) - 1:
        raise ValueError(f"Sets and columns differ in length: {len(indptr) - 1} and {len(digests)} rows.")
    for first in range(0, len(digests), _BLOCK):
        ends = indptr[first : first + _BLOCK + 1]
        for lane in (0, 1):
            # Sums wrap around: the difference of two running sums is the sum of what lies between.
            running = np.zeros(ends[-1] - ends[0] + 1, dtype=np.uint64)
            np.cumsum(item_digests[items[ends[0] : ends[-1]], lane], out=running[1:])
            digests[first : first + _BLOCK, lane] += np.diff(running[ends - ends[0]])
    return digests


def ranks(digests: Words) -> Counts:
    """The rank of each row among the rows of equal digest: 0, 1, 2, … in row order.

    Rows of equal digest are equal records, so which of them gets which rank changes nothing in
    the multiset of (record, rank).
    """
    order = np.argsort(digests[:, 0], kind="stable")
    one, other = digests[order, 0], digests[order, 1]
    new = np.ones(len(digests), dtype=np.bool_)
    new[1:] = one[1:] != one[:-1]
    if (~new[1:] & (other[1:] != other[:-1])).any():  # once in 2^64 pairs of different records
        order = np.lexsort((digests[:, 1], digests[:, 0]))
        new[1:] = (digests[order[1:]] != digests[order[:-1]]).any(axis=1)
    first = np.flatnonzero(new)
    result = np.empty(len(digests), dtype=np.int64)
    result[order] = np.arange(len(digests)) - np.repeat(first, np.diff(first, append=len(digests)))
    return result


def _check_range(codes: Codes, digests: Words) -> None:
    # A kernel does not check its indexes: a code without a digest would read foreign memory.
    if len(codes) and (int(codes.min()) < 0 or int(codes.max()) >= len(digests)):
        raise ValueError(f"A code lies outside the {len(digests)} values that have a digest.")
