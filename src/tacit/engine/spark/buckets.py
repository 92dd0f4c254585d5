"""Dealing the rows of a table on Spark into the buckets of a plan, without bringing a row here.

Rows that look alike in everything published are interchangeable, so that a row is its content and a rank
among equals, and a grouping by content with counts says all there is to know. The steps:

1. rows → codes of their published values, grouped: (content, count);
2. every (content, rank) draws its keyed words, in Arrow batches on the workers, by the kernels that the
   local engine uses;
3. a window over each kind of rows, in the order of the words, gives a row its place, that is its bucket;
4. buckets are gathered, and numbered by the rank of their content; ranges of first contents, which the counts
   of combinations give, are numbered side by side;
5. files are written in the published order: Spark sorts, workers turn their part into lines of text, and the
   parts are fetched one after the other, the next while one is appended, so that this process holds one at a
   time.

Codes are ranks of text, so that Spark's order of numbers is the published order of texts. Subkeys reach
the workers inside the functions that need them, never as a value in a query. Nothing depends on how rows
are partitioned: a step that is run again, after a worker was lost, gives the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column, EncodedSource
from tacit.data.table import Table
from tacit.engine.base import COUNT, GROUP, Deal
from tacit.io.spark.session import kept_on_disk, on_worker, spark_errors
from tacit.io.spark.source import CountedColumn, SparkSource, rows_needed
from tacit.io.spark.transactions import PART_ROWS
from tacit.io.writers import cells_and_header
from tacit.random.key import Key, Subkey
from tacit.typing import Codes, Counts, Words


class SparkBucketized:
    """The buckets of a table: which rows each has, and what is published of it.

    ``numbered`` has one row per bucket: its ``group`` number from 1, the ``truth`` (all its rows, whole), of
    which rows and values are published apart, and, permuted, the rows that are published, ``shown``. Values
    are ranks of text; ``ranks`` has the rank of each code, per published column. Spark keeps them.
    """

    shown: None = None
    """Quasi-identifiers are published as they are."""

    def __init__(
        self,
        *,
        table: Table,
        numbered: Any,
        ranks: tuple[Codes, ...],
        n_published: int,
        digest: str,
        permuted: bool,
    ) -> None:
        self.table = table
        self.n_published = n_published
        self.n_counterfeits = 0
        self.digest = digest
        self._numbered = numbered
        self._ranks = ranks
        self._permuted = permuted

    @property
    def names(self) -> tuple[str, ...]:
        """The published columns: shown beside the group, then sensitive."""
        return (*self.table.roles.known, *self.table.roles.sensitive)

    def occurring(self, name: str) -> Codes:
        place = self.names.index(name)
        if self.n_published == len(self.table):
            return np.arange(len(self._ranks[place]), dtype=np.int32)
        from pyspark.sql import functions

        with spark_errors(self.table.origin):
            rows = self._numbered.select(functions.explode("truth").alias("row"))
            found = rows.select(f"row.k{place}").distinct().toArrow().column(0)
        return np.sort(np.argsort(self._ranks[place])[np.asarray(found)]).astype(np.int32)

    def part(self, table: Table, most: int) -> tuple[Table, Codes, int]:
        from pyspark.sql import functions

        one_in = max(1, -(-self.n_published // most))
        with spark_errors(self.table.origin):
            chosen = self._numbered.where((functions.col(GROUP) - 1) % one_in == 0)
            rows = (
                chosen.select(GROUP, functions.explode("truth").alias("row")).select(GROUP, "row.*").toArrow()
            )
        frame = pl.DataFrame(pl.from_arrow(rows)).sort(pl.all())
        columns = [
            Column(name, np.argsort(ranks).astype(np.int32)[frame.get_column(f"k{place}").to_numpy()],
                   table.column(name).values)
            for place, (name, ranks) in enumerate(zip(self.names, self._ranks, strict=True))
        ]  # fmt: skip
        groups = (frame.get_column(GROUP).to_numpy() - 1) // one_in + 1
        part = Table(EncodedSource(columns, len(groups)), table.roles, table.hierarchies, table.origin)
        return part, groups.astype(np.int32), one_in

    def columns(self, name: str) -> list[Column]:
        raise rows_needed()

    def row_files(self) -> dict[str, Callable[[Path], object]]:
        return {}

    def write(self, name: str, file: Path) -> None:
        from pyspark.sql import functions

        n_shown = len(self.table.roles.known)
        seen = [f"k{place}" for place in range(n_shown)]
        held = [f"k{place}" for place in range(n_shown, len(self.names))]
        places: list[int | None]  # None for a number as it is
        published = functions.explode("shown" if self._permuted else "truth").alias("row")
        rows = self._numbered.select(GROUP, published).select(GROUP, "row.*")
        if name == "st":
            rows = rows.groupBy(GROUP, *held).agg(functions.count("*").alias(COUNT))
            order, shown = [GROUP, *held], [GROUP, *held, COUNT]
        else:
            order = [*seen, GROUP, *held] if self._permuted else [*seen, GROUP]
            shown = order
        places = [int(column[1:]) if column.startswith("k") else None for column in shown]
        titles = [
            column if place is None else self.names[place]
            for column, place in zip(shown, places, strict=True)
        ]
        with spark_errors(self.table.origin):
            # Each part fits into the memory of a worker, however many rows there are.
            n_parts = max(1, -(-self.n_published // PART_ROWS))
            ordered = rows.repartitionByRange(n_parts, *order).sortWithinPartitions(*order)
            self._write(ordered.select(*shown), places, titles, file)

    def _write(self, rows: Any, places: Sequence[int | None], titles: Sequence[str], file: Path) -> None:
        texts = [None if place is None else self._texts(place) for place in places]
        header, cells = cells_and_header(titles, texts, file, separator=",")

        def lines(batches: Iterator[Any]) -> Iterator[Any]:
            import io

            import pyarrow

            for batch in batches:
                columns = [
                    (pl.Series(np.asarray(codes)) if text is None else text.gather(np.asarray(codes))).alias(
                        str(at)
                    )
                    for at, (codes, text) in enumerate(zip(batch.columns, cells, strict=True))
                ]
                written = io.BytesIO()
                pl.DataFrame(columns).write_csv(written, include_header=False, quote_style="never")
                yield pyarrow.RecordBatch.from_arrays([pyarrow.array([written.getvalue()])], ["lines"])

        with file.open("wb") as stream:
            stream.write(header)
            written = rows.mapInArrow(on_worker(lines), "lines binary")
            for row in written.toLocalIterator(prefetchPartitions=True):
                stream.write(row["lines"])

    def _texts(self, place: int) -> list[str | None]:
        """The text of each rank of a column."""
        texts = self.table.column(self.names[place]).texts
        return [texts[code] for code in np.argsort(self._ranks[place]).tolist()]


MOST_RANGES = 200


def _parts(rows: str, names: Sequence[str]) -> Any:
    """Some columns of the rows of a bucket, sorted."""
    from pyspark.sql import functions

    def part(row: Any) -> Any:
        return functions.struct(*(row[name].alias(name) for name in names))

    return functions.sort_array(functions.transform(rows, part))


def gathered(dealt: Any, seen: Sequence[str], held: Sequence[str], *, permuted: bool) -> Any:
    """One row per bucket: its true rows, sorted; permuted, also the rows that are published of it."""
    from pyspark.sql import functions

    whole = functions.collect_list(functions.struct(*(name for name in dealt.columns if name != "bucket")))
    buckets = dealt.groupBy("bucket").agg(whole.alias("rows"))
    truth = _parts("rows", [*seen, *held]).alias("truth")
    if not permuted:
        return buckets.select(truth)
    # The first taker takes from the first giver, and so on.
    givers = _parts("rows", ["w", "d0", "d1", "r", *held]).alias("givers")
    takers = _parts("rows", ["v", "d0", "d1", "r", *seen]).alias("takers")

    def exchanged(taker: Any, place: Any) -> Any:
        giver = functions.get("givers", place)
        return functions.struct(
            *(taker[name].alias(name) for name in seen), *(giver[name].alias(name) for name in held)
        )

    swapped = functions.sort_array(functions.transform("takers", exchanged))
    return buckets.select(truth, givers, takers).select("truth", swapped.alias("shown"))


def boundaries(quasi: Codes, counts: Counts, range_rows: int) -> list[list[int]]:
    """Combinations of quasi-identifiers that part the rows into ranges of about equal size."""
    n_ranges = min(MOST_RANGES, int(counts.sum()) // range_rows + 1)
    order = np.lexsort(quasi.T[::-1])
    wanted = np.arange(1, n_ranges) * int(counts.sum()) // n_ranges
    cuts = np.searchsorted(np.cumsum(counts[order]), wanted)
    return np.unique(quasi[order[cuts]], axis=0).tolist() if len(cuts) else []


def numbered(
    buckets: Any, limits: list[list[int]], seen: Sequence[str], held: Sequence[str], *, permuted: bool
) -> Any:
    """The buckets with their numbers, from 1, in the order of their contents."""
    from pyspark.sql import Window, functions

    # What is published apart is made of the true rows wherever it is needed: it is not kept beside them.
    content = [functions.col("shown")] if permuted else [_parts("truth", seen), _parts("truth", held)]
    if limits:
        first = functions.get("shown" if permuted else "truth", functions.lit(0))
        start = functions.struct(*(first[f"k{at}"].alias(f"k{at}") for at in range(len(limits[0]))))
        firsts = functions.array(
            *(
                functions.struct(
                    *(functions.lit(code).cast("int").alias(f"k{at}") for at, code in enumerate(limit))
                )
                for limit in limits
            )
        )
        below = functions.size(functions.filter(firsts, lambda limit: limit <= start))
    else:
        below = functions.lit(0)
    ranged = kept_on_disk(buckets.withColumn("range", below))
    sizes = dict.fromkeys(range(len(limits) + 1), 0)
    for row in ranged.groupBy("range").count().collect():
        sizes[row["range"]] = row["count"]
    before = np.cumsum([0, *sizes.values()])[:-1].tolist()
    offsets = functions.array(*(functions.lit(number) for number in before))
    # Buckets that look the same differ at most in who holds what, which settles the order for good.
    ordered = Window.partitionBy("range").orderBy(*content, "truth")
    number = functions.get(offsets, functions.col("range")) + functions.row_number().over(ordered)
    made = kept_on_disk(ranged.select(number.cast("int").alias("group"), *buckets.columns))
    made.count()  # before what it is made of is forgotten
    return made


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
