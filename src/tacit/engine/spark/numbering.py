"""Buckets on Spark gathered from their rows, and numbered by the rank of their content.

Ranges of first contents, which the counts of combinations give, are numbered side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tacit.io.spark.keeping import kept
from tacit.typing import Codes, Counts

MOST_RANGES = 200


def gathered(dealt: Any, n_shown: int, n_columns: int, *, permuted: bool) -> Any:
    """One row per bucket: its true rows, and what is published of it, sorted."""
    from pyspark.sql import functions

    seen = [f"k{place}" for place in range(n_shown)]
    held = [f"k{place}" for place in range(n_shown, n_columns)]

    def part(names: Sequence[str]) -> Callable[[Any], Any]:
        return lambda row: functions.struct(*(row[name].alias(name) for name in names))

    def parts(names: Sequence[str]) -> Any:
        return functions.sort_array(functions.transform("rows", part(names)))

    whole = functions.collect_list(functions.struct(*(name for name in dealt.columns if name != "bucket")))
    buckets = dealt.groupBy("bucket").agg(whole.alias("rows"))
    truth = parts([*seen, *held]).alias("truth")
    if not permuted:
        return buckets.select(truth, parts(seen).alias("shown"), parts(held).alias("held"))
    # The first taker takes from the first giver, and so on.
    givers = parts(["w", "d0", "d1", "r", *held]).alias("givers")
    takers = parts(["v", "d0", "d1", "r", *seen]).alias("takers")

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


def numbered(buckets: Any, limits: list[list[int]], *, permuted: bool) -> Any:
    """The buckets with their numbers, from 1, in the order of their contents."""
    from pyspark.sql import Window, functions

    content = ["shown"] if permuted else ["shown", "held"]
    if limits:
        first = functions.get("shown", functions.lit(0))
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
    ranged = kept(buckets.withColumn("range", below))
    sizes = dict.fromkeys(range(len(limits) + 1), 0)
    for row in ranged.groupBy("range").count().collect():
        sizes[row["range"]] = row["count"]
    before = np.cumsum([0, *sizes.values()])[:-1].tolist()
    offsets = functions.array(*(functions.lit(number) for number in before))
    # Buckets that look the same differ at most in who holds what, which settles the order for good.
    ordered = Window.partitionBy("range").orderBy(*content, "truth")
    number = functions.get(offsets, functions.col("range")) + functions.row_number().over(ordered)
    made = kept(ranged.select(number.cast("int").alias("group"), "truth", *content))
    made.count()  # before what it is made of is forgotten
    return made
