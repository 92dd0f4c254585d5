"""Records of tokens in a batch of Spark's rows: arrays of items, or lines of text. Run by the workers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.data.column import encode, text_of
from tacit.errors import InputError
from tacit.io.readers.transactions_text import split_baskets, split_dat
from tacit.io.spark.transactions import ITEMS
from tacit.io.spark.transactions_coding import Tokens, as_rows, as_series

NULL_RECORD, NULL_ITEM, VARIES, NOT_UTF8, NUL, QUOTE = range(1, 7)
"""What may be wrong with some rows."""
WRONG = "wrong"
"""The column that says so."""


def split_lists(batch: Any) -> Tokens:
    """Records of a batch of rows: arrays of items, and whether something is wrong with them."""
    indptr, cells = as_rows(batch.column(ITEMS))
    column = encode(as_series(cells))
    wrong = int(np.asarray(batch.column(WRONG)).max(initial=0))
    return Tokens(indptr, column.codes, [text or "" for text in text_of(column.values)], wrong)


class LineSplit:
    """Records of a batch of lines."""

    def __init__(self, layout: str, delimiter: str) -> None:
        self._layout, self._delimiter = layout, delimiter

    def __call__(self, batch: Any) -> Tokens:
        lines = batch.column(0).to_pylist()
        data = b"\n".join([*lines, b""])
        if b"\0" in data:
            return _wrong(NUL)
        try:
            data.decode()
        except UnicodeDecodeError:
            return _wrong(NOT_UTF8)
        try:
            if self._layout == "dat":
                rows = split_dat(data, file="")
            else:
                rows = split_baskets(data, file="", delimiter=self._delimiter)
        except InputError:
            return _wrong(QUOTE)
        if len(rows.indptr) - 1 != len(lines):
            return _wrong(QUOTE)
        return Tokens(rows.indptr, rows.codes, rows.names)


def _wrong(what: int) -> Tokens:
    return Tokens(np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int32), [], what)
