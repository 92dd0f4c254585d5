"""What is left of transactions, put in published order: sorted by text, so that no place tells anything.

Items that occur no more have no name there, and the others are numbered anew, as they would be if what is
left were read from a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.data.column import Column
from tacit.data.transactions import Transactions, sorted_names
from tacit.typing import Bools, Codes, Counts, Offsets


@dataclass(frozen=True, eq=False)
class PublishedNames:
    """The names of the items that still occur, in their order.

    ``codes`` has the new number of each old one; ``ranks`` the rank of each new number's text, and
    ``by_text`` the new numbers by that rank.
    """

    vocabulary: tuple[str, ...]
    codes: Codes
    ranks: Codes
    by_text: Codes


def published_names(vocabulary: Sequence[str], present: Bools) -> PublishedNames:
    """The names of those items that are present."""
    names = [name for name, occurs in zip(vocabulary, present.tolist(), strict=True) if occurs]
    ordered = sorted_names(names)
    places = {name: place for place, name in enumerate(ordered)}
    codes = np.zeros(len(present), dtype=np.int32)
    codes[present] = [places[name] for name in names]
    by_text = np.argsort(np.array(ordered, dtype=object)).astype(np.int32)
    ranks = np.empty_like(by_text)
    ranks[by_text] = np.arange(len(by_text))
    return PublishedNames(tuple(ordered), codes, ranks, by_text)


def published_transactions(
    transactions: Transactions, rows: tuple[Offsets, Codes]
) -> tuple[Transactions, Counts]:
    """What is left of the transactions, sorted by their published text, and the original place of each.

    ``rows`` is used up: its arrays are written over, so that millions of transactions fit.
    """
    from tacit.arrays.csr import row_order, take_rows
    from tacit.engine.kernels.sanitizing import occurring, recode, rename

    indptr, items = rows
    names = published_names(transactions.vocabulary, occurring(items, transactions.n_items))
    recode(indptr, items, names.codes, names.ranks)  # ranks of text now, in the order of their codes
    first = _by_column(transactions.sensitive)
    if first is not None:
        indptr, items = take_rows(indptr, items, first)
    order = row_order(indptr, items)
    indptr, items = take_rows(indptr, items, order)
    rename(items, names.by_text)
    if first is not None:
        order = first[order]
    for array in (indptr, items):
        array.flags.writeable = False
    column = None if transactions.sensitive is None else transactions.sensitive.take(order)
    return Transactions(indptr, items, names.vocabulary, column, format=transactions.format), order


def _by_column(column: Column | None) -> Counts | None:
    """The rows by the text that goes along: the next sort keeps this order among equal sets."""
    if column is None:
        return None
    texts = np.array(["" if text is None else text for text in column.texts], dtype=object)
    return np.argsort(np.argsort(np.argsort(texts, kind="stable"))[column.codes], kind="stable")
