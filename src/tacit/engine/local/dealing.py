"""Dealing the rows of a table in memory into the buckets of a plan."""

from __future__ import annotations

import numpy as np

from tacit.data.column import Column, frozen
from tacit.data.table import Table
from tacit.engine.buckets import Deal
from tacit.engine.local.buckets import LocalBucketized, content, exchanged
from tacit.random.key import Key
from tacit.typing import Codes, Counts


def deal_in_memory(table: Table, deal: Deal, key: Key) -> LocalBucketized:
    """Deal the rows of each kind out to its places, and number the buckets by what is published of them."""
    from tacit.arrays.dealing import deal_out, exchange_inside
    from tacit.arrays.grouping import group_rows
    from tacit.random.digests import ranks, record_digests, value_digests
    from tacit.random.keyed import draws, keyed_order

    columns = [table.column(name) for name in deal.names]
    combination, _ = group_rows(
        [column.codes for column in columns], [len(column.values) for column in columns]
    )
    # Every column that is published takes part, so that records of equal digest look the same.
    subkey = key.subkey("rows: content")
    published = [table.column(name) for name in dict.fromkeys((*table.roles.known, *table.roles.sensitive))]
    digests = record_digests(
        [(column.codes, value_digests(subkey, column.name, column.texts)) for column in published]
    )
    rank = ranks(digests)
    words = draws(key.subkey("rows: places"), digests, rank)
    order = keyed_order(words, digests, rank)
    dealt = deal_out(order, deal.kind_of[combination], deal.ends, deal.places)
    others = draws(key.subkey("rows: exchange"), digests, rank)
    sources = exchange_inside(order, keyed_order(others, digests, rank), dealt)
    marks = [draws(key.subkey("rows: digest"), digests, rank, label=label).sum() for label in (0, 1)]
    digest = "".join(f"{int(mark):016x}" for mark in marks)
    shown = table.with_columns(
        Column(column.name, frozen(column.codes[combination]), column.values) for column in deal.shown
    )
    numbers = _numbered(shown, dealt, sources, permuted=deal.permuted)
    return LocalBucketized(table, numbers, sources, digest, shown if deal.shown else None)


def _numbered(table: Table, dealt: Codes, sources: Counts, *, permuted: bool) -> Codes:
    """The number of each row's bucket, from 1 by the rank of its content; 0 for a row without one."""
    from tacit.arrays.dealing import number_by_content

    everything = np.arange(len(table))
    apart = [list(table.known), list(table.sensitive)]
    parts = [[*table.known, *exchanged(table, sources)]] if permuted else apart
    n_buckets = int(dealt.max(initial=-1)) + 1
    numbers = number_by_content(dealt, n_buckets, [content(part, everything) for part in parts])
    return np.where(dealt >= 0, numbers[np.maximum(dealt, 0)], 0).astype(np.int32)
