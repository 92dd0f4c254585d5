"""The dictionary of one column of a text: its cells numbered as they are read, its values decoded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tacit.data.column import Column, codes_among, frozen
from tacit.typing import Bytes, Codes, Offsets

FEW = 256
SMALLEST = 1 << 8
"""How many slots a table has before any cell is seen; a block of many rows gets more at once."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some records in a row: where the cells of each start, and how long they are."""

    starts: Offsets
    lengths: Codes
    n_columns: int
    rows: int


class Dictionary:
    """The distinct cells of a column, found block by block."""

    def __init__(self, text: Bytes) -> None:
        self._text = text
        self._table = np.zeros((SMALLEST, 3), dtype=np.uint64)
        self._firsts = np.empty(SMALLEST, dtype=np.int64)
        self._found = 0
        self._codes: list[Codes] = []

    def add(self, block: Block, column: int) -> None:
        """Number the cells of a column of the block."""
        from tacit.io.kernels.csv_encode import encode_cells, larger_table

        most = self._found + block.rows
        if 2 * most > len(self._table):
            slots = 1 << (4 * most - 1).bit_length()
            self._table = larger_table(self._table, slots)
            self._firsts = np.concatenate([self._firsts, np.empty(slots - len(self._firsts), dtype=np.int64)])
        codes = np.empty(block.rows, dtype=np.int32)
        self._found = encode_cells(
            self._text,
            block.starts,
            block.lengths,
            column,
            block.n_columns,
            block.rows,
            self._table,
            self._firsts,
            self._found,
            codes,
        )
        self._codes.append(codes)

    def column(self, name: str, *, quote: str | None, null_values: Sequence[str]) -> tuple[Column, Offsets]:
        """The column, and the place in the text where each of its values is first found (-1 for the null)."""
        order, values = self._sorted(quote)
        if null_values:
            there = ~values.is_in(null_values)
            order, values = order[there.to_numpy()], values.filter(there)
        null = len(order)
        # An empty cell has the code -1, which indexes the last place: that of the null.
        ranks = np.full(self._found + 1, null, dtype=np.int32)
        ranks[order] = np.arange(null, dtype=np.int32)
        codes = np.empty(sum(map(len, self._codes)), dtype=np.int32)
        start = 0
        for block in self._codes:
            np.take(ranks, block, out=codes[start : start + len(block)], mode="wrap")
            start += len(block)
        places = self._firsts[order]
        if (codes == null).any():
            values = values.extend_constant(None, 1)
            places = np.append(places, -1)
        return Column(name, frozen(codes), values.alias(name)), places

    def _sorted(self, quote: str | None) -> tuple[Offsets, pl.Series]:
        """The distinct cells, decoded and sorted by their bytes: the number of each, and its text."""
        from tacit.io.kernels.csv_encode import entry_lengths, gathered

        lengths = entry_lengths(self._table, self._found)
        # No text holds a NUL, so it may stand between the values.
        joined = gathered(self._text, self._firsts[: self._found], lengths)[:-1].tobytes().decode()
        escaped = quote is not None and quote in joined
        if self._found <= FEW:  # asking the frame library costs more than so few values do
            texts = joined.split("\0") if self._found else []
            if escaped and quote is not None:
                texts = [text.replace(quote + quote, quote) for text in texts]
            numbers = sorted(range(len(texts)), key=texts.__getitem__)
            values = pl.Series([texts[number] for number in numbers], dtype=pl.String)
            return np.array(numbers, dtype=np.int64), values
        series = pl.Series([joined]).str.split("\0").explode()
        if escaped and quote is not None:
            series = series.str.replace_all(quote + quote, quote, literal=True)
        values = series.sort()
        order = np.empty(self._found, dtype=np.int64)
        order[codes_among(series, values)] = np.arange(self._found)  # far faster than an argsort of text
        return order, values
