"""Which transactions a release of very many is judged by: those of one published content in so many.

The time of judging grows with the square of the transactions. Those that look alike when published are taken
together or not at all; published names alone decide, so that every engine takes the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.arrays.csr import as_sets
from tacit.data.transactions import Transactions
from tacit.random.digests import set_digests, value_digests
from tacit.random.key import Key
from tacit.typing import Codes, Counts, Offsets, Words


def name_digests(names: Sequence[str]) -> Words:
    """What published names are told apart by; nothing about it is secret."""
    return value_digests(Key.from_seed(0).subkey("judged part"), "items", names)


def remainders(indptr: Offsets, items: Codes, codes: Codes, digests: Words, one_in: int) -> Counts:
    """For each transaction a number below ``one_in`` that follows from what is published of it.

    ``codes`` gives the published number of each item, and ``digests`` belong to the published numbers.
    """
    shown = as_sets(indptr, items, codes)
    return (set_digests(shown[0], shown[1], digests)[:, 0] % np.uint64(one_in)).astype(np.int64)


def judged_rows(transactions: Transactions, names: Sequence[str], one_in: int) -> Counts:
    """The numbers of the transactions to judge by, where item ``i`` is published as ``names[i]``."""
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = np.array([number[name] for name in names], dtype=np.int32)
    rest = remainders(transactions.indptr, transactions.items, codes, name_digests(list(number)), one_in)
    # Where there are few contents none may have the remainder 0: the least that one has.
    return np.flatnonzero(rest == rest.min())
