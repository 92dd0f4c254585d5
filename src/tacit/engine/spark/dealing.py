"""Dealing the rows of a table on Spark into the buckets of a plan, without bringing a row here.

Rows that look alike in everything published are interchangeable, so that a row is its content and a rank
among equals, and a grouping by content with counts says all there is to know. The steps:

1. rows → codes of their published values, grouped: (content, count);
2. every (content, rank) draws its keyed words, in Arrow batches on the workers, by the kernels that the
   local engine uses;
3. a window over each kind of rows, in the order of the words, gives a row its place, that is its bucket;
4. buckets are gathered, and numbered by the rank of their content (:mod:`tacit.engine.spark.buckets`).

Codes are ranks of text, so that Spark's order of numbers is the published order of texts. Subkeys reach
the workers inside the functions that need them, never as a value in a query. Nothing depends on how rows
are partitioned: a step that is run again, after a worker was lost, gives the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tacit.data.table import Table
from tacit.engine.base import Deal
from tacit.engine.spark.buckets import SparkBucketized, boundaries, gathered, numbered
from tacit.io.spark.session import kept_on_disk, on_worker, spark_errors
from tacit.io.spark.source import CountedColumn, SparkSource
from tacit.random.key import Key, Subkey
from tacit.typing import Codes, Counts, Words

CHUNK = 100_000
"""So many rows are made of a content and its count at a time."""
_TOP = np.uint64(1 << 63)


def deal_on_spark(
    table: Table, source: SparkSource, deal: Deal, key: Key, *, range_rows: int
) -> SparkBucketized:
    """Deal the rows of each kind out to its places, and number the buckets by what is published of them."""
    shown, sensitive = table.roles.known, table.roles.sensitive
    columns = [source.column(name) for name in (*shown, *sensitive)]
    ranks = [column.text_ranks for column in columns]
    content = content_of(columns, ranks, key.subkey("rows: content"))
    codes, counts = source.combinations(deal.names)
    at = [(*shown, *sensitive).index(name) for name in deal.names]
    ranked = np.column_stack([ranks[place][codes[:, number]] for number, place in enumerate(at)])
    finder = _KindFinder.of(content, at, ranked, deal.kind_of)
    with spark_errors(table.origin):
        grouped = _grouped_contents(source, columns, ranks)
        digest = _digest_of(grouped, content, key)
        dealt = _dealt(grouped, content, finder, deal, key)
        coded = [f"k{place}" for place in range(len(columns))]
        parts = coded[: len(shown)], coded[len(shown) :]
        buckets = gathered(dealt, *parts, permuted=deal.permuted)
        limits = boundaries(ranked[:, : len(table.roles.known)], counts, range_rows)
        made = numbered(buckets, limits, *parts, permuted=deal.permuted)
    return SparkBucketized(
        table=table, numbered=made, ranks=tuple(ranks), n_published=len(deal.places), digest=digest,
        permuted=deal.permuted,
    )  # fmt: skip


def content_of(columns: Sequence[CountedColumn], ranks: Sequence[Codes], subkey: Subkey) -> list[Words]:
    """Per column, the keyed digest of the value of each rank."""
    from tacit.random.digests import value_digests

    found = []
    for column, rank in zip(columns, ranks, strict=True):
        digests = np.empty((len(rank), 2), dtype=np.uint64)
        digests[rank] = value_digests(subkey, column.name, column.texts)
        found.append(digests)
    return found


@dataclass(frozen=True, eq=False)
class _KindFinder:
    """Finds the kind of a row by the digest of the columns that tell combinations apart."""

    at: tuple[int, ...]
    lane: int
    words: Words
    kinds: Codes

    @classmethod
    def of(cls, content: Sequence[Words], at: Sequence[int], ranked: Codes, kinds: Codes) -> _KindFinder:
        digests = _digests(content, at, [ranked[:, number] for number in range(len(at))])
        # Two combinations of equal word would be taken for one: the other half of the digest parts them.
        lane = 0 if len(np.unique(digests[:, 0])) == len(digests) else 1
        order = np.argsort(digests[:, lane], kind="stable")
        return cls(tuple(at), lane, digests[order, lane], kinds[order])

    def find(self, content: Sequence[Words], codes: Sequence[Codes]) -> Codes:
        words = _digests(content, self.at, [codes[place] for place in self.at])[:, self.lane]
        return self.kinds[np.searchsorted(self.words, words)]


def _digests(content: Sequence[Words], at: Sequence[int], codes: Sequence[Codes]) -> Words:
    from tacit.random.digests import record_digests

    return record_digests(
        [
            (np.ascontiguousarray(column, dtype=np.int32), content[place])
            for place, column in zip(at, codes, strict=True)
        ]
    )


def _grouped_contents(source: SparkSource, columns: Sequence[CountedColumn], ranks: Sequence[Codes]) -> Any:
    """The distinct contents of the published columns as ranks of text, with the number of rows of each."""
    from pyspark.sql import functions

    raws = [column.raw for column in columns]
    rank_of = [rank[column.code_of] for column, rank in zip(columns, ranks, strict=True)]

    def encode(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        from tacit.data.column import codes_among

        for batch in batches:
            coded = [
                pyarrow.array(ranks[codes_among(pl.Series(pl.from_arrow(cells)), raw)])
                for cells, raw, ranks in zip(batch.columns, raws, rank_of, strict=True)
            ]
            yield pyarrow.RecordBatch.from_arrays(coded, [f"k{place}" for place in range(len(coded))])

    places = [f"k{place}" for place in range(len(columns))]
    encoded = source.frame.select(*(source.place(column.name) for column in columns)).mapInArrow(
        on_worker(encode), ", ".join(f"{place} int" for place in places)
    )
    return kept_on_disk(encoded.groupBy(*places).agg(functions.count("*").alias("n")))


def _digest_of(grouped: Any, content: list[Words], key: Key) -> str:
    """A keyed digest of the records, whatever their order: sums of words, which every worker adds up."""
    subkey = key.subkey("rows: digest")

    def add(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        from tacit.random.keyed import draws

        for digests, rank, _ in _expanded(batches, content):
            marks = [int(draws(subkey, digests, rank, label=label).sum()) for label in (0, 1)]
            cells = [pyarrow.array([np.uint64(mark).astype(np.int64)]) for mark in marks]
            yield pyarrow.RecordBatch.from_arrays(cells, ["one", "two"])

    sums = grouped.mapInArrow(on_worker(add), "one bigint, two bigint").toArrow()
    both = [np.asarray(sums.column(name)).astype(np.uint64) for name in ("one", "two")]
    return "".join(f"{int(words.sum(dtype=np.uint64)):016x}" for words in both)


def _dealt(grouped: Any, content: list[Words], finder: _KindFinder, deal: Deal, key: Key) -> Any:
    """Every row with its bucket; rows for which no place is left are not there."""
    from pyspark.sql import Window, functions

    ends, places, permuted = deal.ends, deal.places, deal.permuted
    order_key, exchange_key = key.subkey("rows: places"), key.subkey("rows: exchange")
    coded = [f"k{place}" for place in range(len(content))]

    def draw(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        from tacit.random.keyed import draws

        for digests, rank, codes in _expanded(batches, content):
            words = [draws(order_key, digests, rank), digests[:, 0], digests[:, 1]]
            if permuted:
                words.append(draws(exchange_key, digests, rank))
            signed = [(word ^ _TOP).view(np.int64) for word in map(np.ascontiguousarray, words)]
            cells = [*codes, finder.find(content, codes), rank, *signed]
            yield pyarrow.RecordBatch.from_arrays(
                [pyarrow.array(cell) for cell in cells], [*coded, "kind", "r", *drawn]
            )

    def place(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            kinds = np.asarray(batch.column("kind"))
            slots = ends[kinds] + np.asarray(batch.column("position")) - 1
            inside = slots < ends[kinds + 1]
            buckets = pyarrow.array(places[slots[inside]])
            left = batch.filter(pyarrow.array(inside))
            yield pyarrow.RecordBatch.from_arrays(
                [*(left.column(name) for name in kept), buckets], [*kept, "bucket"]
            )

    drawn = ["w", "d0", "d1", "v"] if permuted else ["w", "d0", "d1"]
    kept = [*coded, "r", *drawn] if permuted else coded
    types = {**dict.fromkeys(coded, "int"), **dict.fromkeys(["r", "w", "d0", "d1", "v"], "bigint")}
    words = grouped.mapInArrow(
        on_worker(draw),
        ", ".join(
            [*(f"{name} int" for name in coded), "kind int, r bigint", *(f"{d} bigint" for d in drawn)]
        ),
    )
    ordered = Window.partitionBy("kind").orderBy("w", "d0", "d1", "r")
    return words.withColumn("position", functions.row_number().over(ordered)).mapInArrow(
        on_worker(place), ", ".join([*(f"{name} {types[name]}" for name in kept), "bucket int"])
    )


def _expanded(batches: Iterator[Any], content: list[Words]) -> Iterator[tuple[Words, Counts, list[Codes]]]:
    """Contents with counts as rows, some at a time: digest, rank among equals, codes."""
    for batch in batches:
        counts = np.asarray(batch.column("n"))
        codes = [np.asarray(batch.column(f"k{place}")) for place in range(len(content))]
        digests = _digests(content, range(len(content)), codes)
        ends = np.concatenate([[0], np.cumsum(counts)])
        for start in range(0, int(ends[-1]), CHUNK):
            rows = np.arange(start, min(start + CHUNK, int(ends[-1])))
            owner = np.searchsorted(ends, rows, side="right") - 1
            yield np.ascontiguousarray(digests[owner]), rows - ends[owner], [c[owner] for c in codes]
