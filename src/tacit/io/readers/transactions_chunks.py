"""FIMI files larger than memory: two passes, the vocabulary first, then the transactions in pieces.

Every piece is numbered by the same vocabulary, so pieces can be counted and recoded one by one; the
transactions are those of the whole file, whatever the size of the pieces.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tacit.data.spelling import TWINS
from tacit.data.transactions import sorted_names
from tacit.errors import InputError, Place
from tacit.io.readers.blocks import whole_lines
from tacit.io.readers.opening import existing_file
from tacit.io.readers.text import checked_text, line_at
from tacit.io.readers.transactions_text import negative_notes, refuse_other_delimiter, split_dat
from tacit.io.readers.vocabulary import NamedRows, no_items, settle_names
from tacit.ranges import Range, Whole, check
from tacit.typing import Codes, Offsets

RANGES: Mapping[str, Range] = {"chunk_bytes": Whole(1), "twins": TWINS}


@dataclass(frozen=True, eq=False)
class TransactionChunks:
    """Transactions that are read again, piece by piece, each time they are iterated over.

    A piece is ``(indptr, items)``, its transactions ascending and without repeats, its items
    numbered by ``vocabulary``. A line is never cut, so a piece may be longer than ``chunk_bytes``.
    """

    vocabulary: tuple[str, ...]
    n_records: int
    origin: Path
    chunk_bytes: int
    notes: tuple[str, ...]
    numbers: Mapping[str, int]
    """The item each name in the file stands for; several where twins were folded."""

    def __iter__(self) -> Iterator[tuple[Offsets, Codes]]:
        from tacit.arrays.csr import as_sets

        for rows in _pieces(self.origin, self.chunk_bytes):
            renumbered = np.array([self.numbers[name] for name in rows.names], dtype=np.int32)
            indptr, items, _ = as_sets(rows.indptr, rows.codes, renumbered)
            yield indptr, items


def read_transactions_chunks(
    source: str | Path, *, chunk_bytes: int = 1 << 26, twins: str = "refuse"
) -> TransactionChunks:
    """The transactions of a FIMI file, plain or compressed, in pieces of about ``chunk_bytes`` of text."""
    check("read_transactions_chunks", RANGES, chunk_bytes=chunk_bytes, twins=twins)
    path = existing_file(source)
    seen: dict[str, int] = {}
    counts = np.zeros(0, dtype=np.int64)
    first: list[tuple[int, int]] = []  # each name's first piece, and its number in that piece
    n_records = longest = 0
    for number, rows in enumerate(_pieces(path, chunk_bytes)):
        first.extend((number, code) for code, name in enumerate(rows.names) if name not in seen)
        codes = np.array([seen.setdefault(name, len(seen)) for name in rows.names], dtype=np.int64)
        counts = np.concatenate([counts, np.zeros(len(seen) - len(counts), dtype=np.int64)])
        counts[codes] += np.bincount(rows.codes, minlength=len(codes))  # the names of a piece are distinct
        n_records += len(rows.indptr) - 1
        longest = max(longest, int(np.diff(rows.indptr).max(initial=0)))
    if not seen:
        raise no_items(n_records, str(source))

    def place(code: int) -> Place:
        number, token = first[code]
        return next(rows.place(token) for at, rows in enumerate(_pieces(path, chunk_bytes)) if at == number)

    names = list(seen)
    refuse_other_delimiter(names, longest, place)
    settled = settle_names(names, counts, twins=twins, place=place)
    vocabulary = sorted_names(settled.names)
    item = {name: number for number, name in enumerate(vocabulary)}
    numbers = {
        name: item[settled.names[code]] for name, code in zip(names, settled.codes.tolist(), strict=True)
    }
    notes = negative_notes(names) + settled.notes
    return TransactionChunks(tuple(vocabulary), n_records, path, chunk_bytes, notes, numbers)


def _pieces(path: Path, chunk_bytes: int) -> Iterator[NamedRows]:
    """The lines of the file in pieces, checked and split; places count lines from the top of the file."""
    lines = 0
    for piece in whole_lines(path, chunk_bytes):
        # Only the file as a whole may begin with a byte order mark; a blank keeps one here a character.
        text = b" " + piece if lines and piece.startswith(codecs.BOM_UTF8) else piece
        before = lines
        try:
            rows = split_dat(checked_text(text, file=str(path), encoding="utf-8"), file=str(path))
        except InputError as error:
            raise InputError(
                error.message,
                code=error.code,
                where=_shifted(error.where or Place(), before),
                hint=error.hint,
            ) from None
        lines += line_at(piece, len(piece)) - 1
        yield replace(rows, place=_Below(rows.place, before))


@dataclass(frozen=True, slots=True)
class _Below:
    """Places in a piece of a file, given as places in the file."""

    place: Callable[[int], Place]
    lines: int

    def __call__(self, code: int) -> Place:
        return _shifted(self.place(code), self.lines)


def _shifted(place: Place, lines: int) -> Place:
    return place if place.line is None else replace(place, line=place.line + lines)
