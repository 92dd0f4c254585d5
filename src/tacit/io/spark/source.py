"""Where the columns of a table on Spark come from: groupings of its rows, which stay where they are.

Of a column its distinct values and their supports come into this process, and of several columns their
distinct combinations with counts. Columns go by their place (``c0``, ``c1``, …) in every query, so that no
name of a column needs quoting and none that differ only in case are mixed up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
import polars as pl

from tacit.data.column import Column, EncodedSource, Source, codes_among, frozen
from tacit.errors import Place, ResourceError, UsageError
from tacit.io.spark.session import on_worker, spark_errors
from tacit.typing import Codes, Counts

MOST_VALUES = 20_000_000
"""The most distinct values of a column that are brought into this process."""
MOST_TOGETHER = 32
"""So many columns are counted in one pass; Spark groups by 64 at the most."""
MOST_COMBINATIONS = 50_000_000
"""The most distinct combinations of columns that are brought into this process."""
TOO_MANY = "columns of more distinct combinations"
MANY_ROWS = 200_000
"""Of so many rows combinations are counted as numbers, into which workers put the values of each row."""
FEW_VALUES = 200_000
"""As long as the columns have no more values than this together, since every worker gets them."""
ON_SPARK = (
    "profile, mine negative, disclose and bucketize on tables, hide on transactions, and generalize, mine"
    " rules and itemsets on both"
)
"""What works on data that stay on Spark."""


class CountedColumn(Column):
    """A column whose rows are on Spark: here are its values, and how many rows hold each.

    ``raw`` are the values as Spark has them, without the null, and ``code_of`` the code of each, that of
    the null, if there is one, last: values whose spelling was made one share a code.
    """

    raw: pl.Series
    code_of: Codes

    def __init__(self, name: str, values: pl.Series, counts: Counts, raw: pl.Series, code_of: Codes) -> None:
        # Frozen, like every column: set here once.
        self.__dict__.update(name=name, values=values, counts=counts, raw=raw, code_of=code_of)

    @property
    def codes(self) -> Codes:
        raise rows_needed()

    def __len__(self) -> int:
        return int(self.counts.sum())

    def recoded(self, values: pl.Series, codes: Codes) -> CountedColumn:
        counts = np.bincount(codes, weights=self.counts, minlength=len(values)).astype(np.int64)
        return CountedColumn(self.name, values, counts, self.raw, frozen(codes[self.code_of]))

    def codes_of(self, cells: pl.Series) -> Codes:
        """The code of each cell that came from Spark."""
        return np.asarray(self.code_of[codes_among(cells, self.raw)], dtype=np.int32)


class SparkSource(Source):
    """The columns of a Spark frame; ``frame`` has them under the names ``c0``, ``c1``, …"""

    def __init__(
        self,
        frame: Any,
        names: Sequence[str],
        *,
        origin: str | None,
        columns: Mapping[str, CountedColumn] | None = None,
        n_rows: int | None = None,
    ) -> None:
        self.frame = frame
        self._names = tuple(names)
        self._origin = origin
        self._columns = dict(columns or {})
        self._n_rows = n_rows
        self._combinations: dict[tuple[str, ...], tuple[Codes, Counts]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    @property
    def n_rows(self) -> int:
        if self._n_rows is None:
            if self._columns:
                self._n_rows = len(next(iter(self._columns.values())))
            else:
                with spark_errors(self._origin):
                    self._n_rows = int(self.frame.count())
        return self._n_rows

    def column(self, name: str) -> CountedColumn:
        if name not in self._columns:
            self.count_columns([name])
        return self._columns[name]

    def first(self, count: int) -> list[tuple[str | None, ...]]:
        return []  # rows of a cluster have no order

    def place(self, name: str) -> str:
        """The name a column goes by in queries."""
        return f"c{self._names.index(name)}"

    def count_columns(self, names: Iterable[str]) -> None:
        """Count the values of all these columns, many in one pass over the rows."""
        wanted = [name for name in dict.fromkeys(names) if name not in self._columns]
        for start in range(0, len(wanted), MOST_TOGETHER):
            some = wanted[start : start + MOST_TOGETHER]
            try:
                self._count_together(some)
            except ResourceError as error:
                if error.code != "spark-too-many" or len(some) == 1:
                    raise
                for name in some:  # so many values are too many at a time, and not of one column
                    self._count_together([name])

    def _count_together(self, wanted: Sequence[str]) -> None:
        from pyspark.sql import functions

        places = [self.place(name) for name in wanted]
        with spark_errors(self._origin):
            grouped = self.frame.groupingSets([[place] for place in places], *places).agg(
                functions.count("*").alias("rows"), functions.grouping_id().alias("grouping")
            )
        found = self._fetched(grouped, MOST_VALUES, "columns of more distinct values")
        for at, (name, place) in enumerate(zip(wanted, places, strict=True)):
            # A bit is set for every column that a row is not grouped by, the highest for the first column.
            own = ((1 << len(wanted)) - 1) ^ (1 << (len(wanted) - 1 - at))
            mine = found.filter(pl.col("grouping") == own).select(place, "rows").sort(place, nulls_last=True)
            values, counts = mine.get_column(place).alias(name), mine.get_column("rows").to_numpy()
            code_of = frozen(np.arange(len(values)))
            raw = values.drop_nulls()
            self._columns[name] = CountedColumn(name, values, counts.astype(np.int64), raw, code_of)

    def combinations(self, names: Sequence[str]) -> tuple[Codes, Counts]:
        """The distinct combinations of these columns as codes, in their order, and the rows of each."""
        wanted = tuple(names)
        if wanted not in self._combinations:
            columns, counts = self._counted(wanted)
            codes = np.column_stack(columns) if columns else np.zeros((1, 0))
            self._combinations[wanted] = np.ascontiguousarray(codes, dtype=np.int32), counts
        return self._combinations[wanted]

    def _counted(self, names: Sequence[str]) -> tuple[list[Codes], Counts]:
        """The same, column by column."""
        from pyspark.sql import functions

        from tacit.arrays.groups import group_rows

        self.count_columns(names)
        columns = [self._columns[name] for name in names]
        places = [self.place(name) for name in names]
        if columns and self.n_rows >= MANY_ROWS and sum(len(column.raw) for column in columns) <= FEW_VALUES:
            with spark_errors(self._origin):
                words, plan = packed(self.frame.select(*places), columns)
                grouped = words.groupBy(*words.columns).agg(functions.count("*").alias("rows"))
            return unpacked(self._fetched(grouped, MOST_COMBINATIONS, TOO_MANY, bound=self.n_rows), plan)
        grouped = self.frame.groupBy(*places).agg(functions.count("*").alias("rows"))
        found = self._fetched(grouped, MOST_COMBINATIONS, TOO_MANY, bound=self.n_rows)
        codes = [
            column.codes_of(found.get_column(place)) for column, place in zip(columns, places, strict=True)
        ]
        # Spellings made one and the order of codes are settled here: the groups once more, merged.
        groups, first = group_rows(codes, [len(column.values) for column in columns])
        rows = found.get_column("rows").to_numpy()
        counts = np.bincount(groups, weights=rows, minlength=len(first)).astype(np.int64)
        return [column[first] for column in codes], counts

    def settled(self, columns: Mapping[str, Column]) -> SparkSource:
        counted = {name: cast(CountedColumn, column) for name, column in columns.items()}
        return SparkSource(
            self.frame,
            self._names,
            origin=self._origin,
            columns={**self._columns, **counted},
            n_rows=self._n_rows,
        )

    def in_memory(self, names: Sequence[str], most: int) -> EncodedSource | None:
        """These columns in this process, rows in the order of their codes; None where they are too many."""
        if self.n_rows > most:
            return None
        codes, counts = self._counted(names)
        columns = [
            Column(name, np.repeat(own, counts), self.column(name).values)
            for name, own in zip(names, codes, strict=True)
        ]
        return EncodedSource(columns, self.n_rows)

    def distinct(self, names: Sequence[str], most: int) -> EncodedSource | None:
        """The distinct rows of these columns, in the order of their codes; None where they are too many."""
        codes, counts = self._counted(names)
        if len(counts) > most:
            return None
        columns = [
            Column(name, frozen(own), self.column(name).values).standing_for(counts)
            for name, own in zip(names, codes, strict=True)
        ]
        return EncodedSource(columns, self.n_rows, counts)

    def _fetched(self, frame: Any, most: int, what: str, bound: int | None = None) -> pl.DataFrame:
        hint = "Give a column with few values its role, or group its values by a hierarchy beforehand."
        return fetched(frame, most, what, origin=self._origin, hint=hint, bound=bound)


def fetched(
    frame: Any, most: int, what: str, *, origin: str | None, hint: str, bound: int | None = None
) -> pl.DataFrame:
    """The rows of a Spark frame, brought into this process; an error where they are more than ``most``.

    Where they are known to be at most ``bound``, and that is not too many, none of them is counted.
    """
    with spark_errors(origin):
        # A limit would bring all of them into one task.
        table = (frame if bound is not None and bound <= most else frame.limit(most + 1)).toArrow()
    if table.num_rows > most:
        raise ResourceError(
            f"Counting would bring {what} than {most:,} into this process.",
            code="spark-too-many",
            where=Place(file=origin),
            hint=hint,
        )
    return cast(pl.DataFrame, pl.from_arrow(table))


def rows_needed() -> UsageError:
    """The error for what only works on rows in this process."""
    return UsageError(
        "This works on rows in memory, and they are on Spark.",
        code="rows-on-spark",
        hint=f"On Spark work {ON_SPARK}; for the rest read the data with the engine local.",
    )


LARGEST = 1 << 62
"""Numbers stay below this."""
AT_ONCE = 100_000
"""About so many rows are looked up at a time."""


Packing = Sequence[tuple[int, ...]]
"""Which columns go into which number: for each number, how many values its columns have."""


def packed(frame: Any, columns: Sequence[CountedColumn]) -> tuple[Any, Packing]:
    """Whole numbers instead of the columns of a frame, so that Spark groups and sends no texts; how.

    A number holds the codes of as many columns as fit, the first in its highest digits: numbers in their
    order are rows in the order of their codes.
    """
    plan = list(_shared([len(column.values) for column in columns]))
    raws, code_of = [column.raw for column in columns], [column.code_of for column in columns]
    names = [f"w{place}" for place in range(len(plan))]

    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for table in _some_at_once(batches):
            codes = iter(
                codes[codes_among(pl.Series(pl.from_arrow(cells)), raw)]
                for cells, raw, codes in zip(table.columns, raws, code_of, strict=True)
            )
            words = []
            for sizes in plan:
                word = np.zeros(table.num_rows, dtype=np.int64)
                for size in sizes:
                    word *= size
                    word += next(codes)
                words.append(pyarrow.array(word))
            yield pyarrow.RecordBatch.from_arrays(words, names)

    return frame.mapInArrow(on_worker(pack), ", ".join(f"{name} bigint" for name in names)), plan


def unpacked(found: pl.DataFrame, plan: Packing) -> tuple[list[Codes], Counts]:
    """The codes of each column in the order of the rows, and the column ``rows`` along them."""
    words = [found.get_column(f"w{place}").to_numpy() for place in range(len(plan))]
    order = np.lexsort(words[::-1])
    counts = found.get_column("rows").to_numpy()[order].astype(np.int64)
    codes: list[Codes] = []
    for word, sizes in zip(words, plan, strict=True):
        rest, own = word[order], []
        for size in reversed(sizes):
            rest, code = np.divmod(rest, size)
            own.append(code.astype(np.int32))
        codes += reversed(own)
    return codes, counts


def _shared(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The sizes of columns, as many together as fit into a number."""
    some: list[int] = []
    room = LARGEST
    for size in sizes:
        if some and size > room:
            yield tuple(some)
            some, room = [], LARGEST
        some.append(size)
        room //= size
    yield tuple(some)


def _some_at_once(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches as tables of many rows."""
    import pyarrow

    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(part.num_rows for part in waiting) >= AT_ONCE:
            yield pyarrow.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pyarrow.Table.from_batches(waiting)
