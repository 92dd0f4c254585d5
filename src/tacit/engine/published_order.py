"""What is left of transactions, put in published order: sorted by text, so that no place tells anything.

Items that occur no more have no name there, and the others are numbered anew, as they would be if what is
left were read from a file.

A release of very many transactions is judged by those of one published content in so many, because the time
of judging grows with their square. Those that look alike when published are taken together or not at all;
published names alone decide, so that every engine takes the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.groups import row_order, take_rows
from tacit.data.column import Column
from tacit.data.transactions import Transactions, sorted_names
from tacit.random.digests import set_digests, value_digests
from tacit.random.key import Key
from tacit.typing import Bools, Codes, Counts, Offsets, Words


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
    """What is left of the transactions, sorted by their published text, and the original place of each."""
    from tacit.arrays.csr import as_sets

    indptr, items = rows
    present = np.zeros(transactions.n_items, dtype=np.bool_)
    present[items] = True
    names = published_names(transactions.vocabulary, present)
    indptr, items, _ = as_sets(indptr, items, names.codes)
    items = names.ranks[items]  # ranks of text now, in the order of their codes
    first = _by_column(transactions.sensitive)
    if first is not None:
        indptr, items = take_rows(indptr, items, first)
    order = row_order(indptr, items)
    indptr, items = take_rows(indptr, items, order)
    items = names.by_text[items]
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


def name_digests(names: Sequence[str]) -> Words:
    """What published names are told apart by; nothing about it is secret."""
    return value_digests(Key.from_seed(0).subkey("judged part"), "items", names)


def remainders(indptr: Offsets, items: Codes, codes: Codes, digests: Words, one_in: int) -> Counts:
    """For each transaction a number below ``one_in`` that follows from what is published of it.

    ``codes`` gives the published number of each item, and ``digests`` belong to the published numbers.
    """
    from tacit.arrays.csr import as_sets

    shown = as_sets(indptr, items, codes)
    return (set_digests(shown[0], shown[1], digests)[:, 0] % np.uint64(one_in)).astype(np.int64)


def judged_rows(transactions: Transactions, names: Sequence[str], one_in: int) -> Counts:
    """The numbers of the transactions to judge by, where item ``i`` is published as ``names[i]``."""
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = np.array([number[name] for name in names], dtype=np.int32)
    rest = remainders(transactions.indptr, transactions.items, codes, name_digests(list(number)), one_in)
    # Where there are few contents none may have the remainder 0: the least that one has.
    return np.flatnonzero(rest == rest.min())
