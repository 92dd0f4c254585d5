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
from itertools import pairwise

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.random.key import Subkey
from tacit.random.parts import PART_ROWS, deal
from tacit.typing import Codes, Counts, Offsets, Words

Column = tuple[Codes, Words]
"""The codes of one column, int32[n], and the digests of its values, uint64[v, 2]."""

_DIGEST_BYTES = 16
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
    _add_sets(digests, indptr, items, item_digests)
    return digests


def ranks(digests: Words) -> Counts:
    """The rank of each row among the rows of equal digest: 0, 1, 2, … in row order.

    Rows of equal digest are equal records, so which of them gets which rank changes nothing in
    the multiset of (record, rank).
    """
    result = np.empty(len(digests), dtype=np.int64)
    rows, ends = deal(np.ascontiguousarray(digests[:, 1]))
    for start, end in pairwise(ends.tolist()):
        _rank_part(digests, rows[start:end], result)
    return result


def _check_range(codes: Codes, digests: Words) -> None:
    # A kernel does not check its indexes: a code without a digest would read foreign memory.
    if len(codes) and (int(codes.min()) < 0 or int(codes.max()) >= len(digests)):
        raise ValueError(f"A code lies outside the {len(digests)} values that have a digest.")


@kernel
def _add_sets(digests: Words, indptr: Offsets, items: Codes, values: Words) -> None:
    for row in range(len(indptr) - 1):
        low, high = digests[row, 0], digests[row, 1]
        for at in range(indptr[row], indptr[row + 1]):
            low += values[items[at], 0]
            high += values[items[at], 1]
        digests[row, 0], digests[row, 1] = low, high


@kernel
def _rank_part(digests: Words, rows: Counts, result: Counts) -> None:
    # An open-addressed table from digest to (a row that has it, how many came so far). A digest is
    # uniform already, so its low bits are the slot. The table doubles when it is half full.
    size = 2 * PART_ROWS
    first = np.full(size, -1, dtype=np.int64)
    seen = np.zeros(size, dtype=np.int64)
    distinct = 0
    for row in rows:
        slot = np.int64(digests[row, 0]) & (size - 1)
        while first[slot] >= 0 and (
            digests[first[slot], 0] != digests[row, 0] or digests[first[slot], 1] != digests[row, 1]
        ):
            slot = (slot + 1) & (size - 1)
        if first[slot] < 0:
            first[slot] = row
            distinct += 1
        result[row] = seen[slot]
        seen[slot] += 1
        if 2 * distinct > size:
            size *= 2
            first, seen = _grown(digests, first, seen, size)


@kernel
def _grown(digests: Words, first: Counts, seen: Counts, size: int) -> tuple[Counts, Counts]:
    new_first = np.full(size, -1, dtype=np.int64)
    new_seen = np.zeros(size, dtype=np.int64)
    for old in range(len(first)):
        if first[old] >= 0:
            slot = np.int64(digests[first[old], 0]) & (size - 1)
            while new_first[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            new_first[slot], new_seen[slot] = first[old], seen[old]
    return new_first, new_seen
