"""Carrying a cut out: the transactions as they are published."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacit.data.column import Column
from tacit.data.transactions import Transactions, from_rows
from tacit.methods.generalize_sets.solve.cut import Cut
from tacit.typing import Bools, Counts


def generalized(transactions: Transactions, cut: Cut, *, suppressed: Bools | None = None) -> Transactions:
    """The records with every item replaced by its node of the cut, without those that are suppressed.

    A record stays a set, so items that share a node merge; an empty record stays empty. The records
    are sorted by their published text, item by item, so that their order says nothing.
    """
    from tacit.arrays.row_order import row_order
    from tacit.engine.kernels.recoding import recoded_rows

    kept = transactions if suppressed is None or not suppressed.any() else transactions.take(~suppressed)
    nodes, codes = np.unique(cut.of_leaf[cut.hierarchy.leaves_of(kept.vocabulary)], return_inverse=True)
    labels = [cut.hierarchy.labels[node] for node in nodes]
    published = from_rows(kept.indptr, codes.astype(np.int32)[kept.items], labels)
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
    sensitive = kept.sensitive
    order = np.lexsort((places,) if sensitive is None else (_by_text(sensitive), places))
    return replace(
        published.take(order),
        sensitive=None if sensitive is None else sensitive.take(order),
        origin=transactions.origin,
        format=transactions.format,
        notes=(),
    )


def _by_text(column: Column) -> Counts:
    """The rank of each row's value by its text."""
    texts = np.array(["" if text is None else text for text in column.texts], dtype=object)
    return np.argsort(np.argsort(texts, kind="stable"))[column.codes]
