"""Carrying a cut out in memory: every item by the name it is published under, records left out left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacit.data.column import Column
from tacit.data.transactions import Transactions, from_rows
from tacit.engine.base import HeldSets
from tacit.engine.sanitizing import judged_rows
from tacit.typing import Counts


@dataclass(frozen=True, eq=False)
class LocalRecoded:
    """Transactions in memory and what is published of them; see :class:`tacit.engine.base.Recoded`."""

    original: Transactions
    published: Transactions
    merged: int
    left_out: Counts
    names: tuple[str, ...]
    rows: Counts

    def part(self, one_in: int) -> Transactions:
        if one_in == 1:
            return self.original
        return self.original.take(judged_rows(self.original, self.names, one_in))


def recoded_in_memory(transactions: Transactions, names: Sequence[str], left_out: HeldSets) -> LocalRecoded:
    """The transactions with item ``i`` called ``names[i]``, without those left out.

    A record stays a set, so items that share a name merge; an empty record stays empty. The records
    are sorted by their published text, item by item, so that their order says nothing.
    """
    held = left_out.rows(transactions)
    number = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = np.array([number[name] for name in names], dtype=np.int32)
    recoded = from_rows(transactions.indptr, codes[transactions.items], list(number))
    kept = recoded.take(~held) if held.any() else recoded
    sensitive = None if transactions.sensitive is None else transactions.sensitive.take(~held)
    order = _by_text(kept, sensitive)
    published = replace(
        kept.take(order),
        sensitive=None if sensitive is None else sensitive.take(order),
        origin=transactions.origin,
        format=transactions.format,
        notes=(),
    )
    return LocalRecoded(
        transactions,
        published,
        recoded.n_occurrences,
        np.flatnonzero(held),
        tuple(names),
        np.flatnonzero(~held)[order],
    )


def _by_text(published: Transactions, beside: Column | None) -> Counts:
    """The records in the order of their texts, and then of that of the value beside them."""
    from tacit.arrays.groups import row_order
    from tacit.engine.kernels.recoding import recoded_rows

    # Distinct records are sorted, then every record by the place of its distinct one; the empty come first.
    by_text = np.argsort(np.argsort(np.array(published.vocabulary, dtype=object))).astype(np.int32)
    distinct = recoded_rows(
        published.indptr,
        published.items,
        np.ones(len(published), dtype=np.int64),
        np.arange(published.n_items, dtype=np.int32),
    )
    place = np.argsort(row_order(distinct.indptr, by_text[distinct.items]))
    places = np.where(distinct.groups >= 0, place[distinct.groups] if len(place) else -1, -1)
    return np.lexsort((places,) if beside is None else (_ranks(beside), places))


def _ranks(column: Column) -> Counts:
    """The rank of each row's value by its text."""
    texts = np.array(["" if text is None else text for text in column.texts], dtype=object)
    return np.argsort(np.argsort(texts, kind="stable"))[column.codes]
