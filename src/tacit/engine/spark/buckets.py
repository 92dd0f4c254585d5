"""A table in numbered buckets on Spark; see :mod:`tacit.engine.base`.

Files are written in the published order: Spark sorts, workers turn their part into lines of text, and the
parts are fetched one after the other, the next while one is appended, so that this process holds one at a
time.

Buckets on Spark gathered from their rows, and numbered by the rank of their content.

Ranges of first contents, which the counts of combinations give, are numbered side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column, EncodedSource
from tacit.data.table import Table
from tacit.engine.base import COUNT, GROUP
from tacit.io.spark.session import kept_on_disk, on_worker, spark_errors
from tacit.io.spark.source import rows_needed
from tacit.io.spark.transactions import PART_ROWS
from tacit.io.writers import cells_and_header
from tacit.typing import Codes, Counts


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
