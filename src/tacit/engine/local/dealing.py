"""Dealing the rows of a table in memory into the buckets of a plan."""

from __future__ import annotations

import numpy as np
import polars as pl

from tacit.data.column import Column, frozen
from tacit.data.table import Table
from tacit.engine.base import Deal
from tacit.engine.local.buckets import Counterfeits, LocalBucketized, content, exchanged
from tacit.random.key import Key
from tacit.typing import Codes, Counts, Words


def deal_in_memory(table: Table, deal: Deal, key: Key) -> LocalBucketized:
    """Deal the rows of each kind out to its places, and number the buckets by what is published of them."""
    from tacit.arrays.groups import deal_out, exchange_inside, group_rows
    from tacit.random.keyed import draws, keyed_order

    columns = [table.column(name) for name in deal.names]
    combination, _ = group_rows(
        [column.codes for column in columns], [len(column.values) for column in columns]
    )
    digests, rank = _records(table, key)
    words = draws(key.subkey("rows: places"), digests, rank)
    order = keyed_order(words, digests, rank)
    dealt = deal_out(order, deal.kind_of[combination], deal.ends, deal.places)
    others = draws(key.subkey("rows: exchange"), digests, rank)
    sources = exchange_inside(order, keyed_order(others, digests, rank), dealt)
    shown = table.with_columns(
        Column(column.name, frozen(column.codes[combination]), column.values) for column in deal.shown
    )
    numbers = _numbered(shown, dealt, sources, permuted=deal.permuted)
    return LocalBucketized(
        table, numbers, sources, _digest(digests, rank, key), shown if deal.shown else None
    )


def place_in_memory(
    table: Table, buckets: Codes, fakes: Codes, texts: pl.Series, key: Key
) -> LocalBucketized:
    """Rows in buckets that were chosen for them, beside counterfeits in the buckets ``fakes``."""
    beside = Counterfeits(fakes, texts).beside(table, buckets)
    everybody = np.concatenate([buckets, fakes])
    known = content(table.known, np.arange(len(table)))
    held = content(beside.sensitive, np.arange(len(beside)))
    n_buckets = int(buckets.max()) + 1
    lists = [_lists(codes, of, n_buckets) for codes, of in ((known, buckets), (held, everybody))]
    numbers = np.empty(n_buckets, dtype=np.int32)
    numbers[sorted(range(n_buckets), key=list(zip(*lists, strict=True)).__getitem__)] = np.arange(
        1, n_buckets + 1
    )
    return LocalBucketized(
        table,
        numbers[buckets],
        np.arange(len(table)),
        _digest(*_records(table, key), key),
        counterfeits=Counterfeits(numbers[fakes], texts),
    )


def _lists(codes: Codes, buckets: Codes, n_buckets: int) -> list[list[int]]:
    """The sorted codes of every bucket."""
    order = np.lexsort((codes, buckets))
    ends = np.cumsum(np.bincount(buckets, minlength=n_buckets))[:-1]
    return [part.tolist() for part in np.split(codes[order], ends)]


def _records(table: Table, key: Key) -> tuple[Words, Counts]:
    """The digest of each record, and its rank among equal ones."""
    from tacit.random.digests import ranks, record_digests, value_digests

    # Every column that is published takes part, so that records of equal digest look the same.
    subkey = key.subkey("rows: content")
    published = [table.column(name) for name in dict.fromkeys((*table.roles.known, *table.roles.sensitive))]
    digests = record_digests(
        [(column.codes, value_digests(subkey, column.name, column.texts)) for column in published]
    )
    return digests, ranks(digests)


def _digest(digests: Words, rank: Counts, key: Key) -> str:
    """A keyed digest of all records, whatever their order."""
    from tacit.random.keyed import digest_of_all

    return digest_of_all(key.subkey("rows: digest"), digests, rank)


def _numbered(table: Table, dealt: Codes, sources: Counts, *, permuted: bool) -> Codes:
    """The number of each row's bucket, from 1 by the rank of its content; 0 for a row without one."""
    from tacit.arrays.groups import number_by_content

    everything = np.arange(len(table))
    apart = [list(table.known), list(table.sensitive)]
    parts = [[*table.known, *exchanged(table, sources)]] if permuted else apart
    n_buckets = int(dealt.max(initial=-1)) + 1
    numbers = number_by_content(dealt, n_buckets, [content(part, everything) for part in parts])
    return np.where(dealt >= 0, numbers[np.maximum(dealt, 0)], 0).astype(np.int32)
