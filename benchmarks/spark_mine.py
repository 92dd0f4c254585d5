"""Frequent itemsets on Spark: Tacit's partitioned mining beside the FP-growth that Spark has (``--mine``).

    python benchmarks/spark.py --mine --rows 20000 100000                 Quest, patterns of 4 items
    python benchmarks/spark_hide.py --mine --rows 100000 --support 0.005  Quest, patterns of 6 items

Each miner reads the same parts of text in a fresh process, and the itemsets must be as many and have the same
supports in all. Wall seconds, with Spark in local mode on all cores and a driver of 4 GB. FP-growth is given
up on after ``--timeout`` seconds, the start of Spark among them, and its line then says ``> N s``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from spark_run import Run, in_fresh_process

import tacit

FPGROWTH = "fpgrowth"


def compare(
    folder: Path,
    make: Callable[[Path, int], None],
    sizes: Sequence[int],
    engines: Sequence[str],
    *,
    support: float,
    timeout: int,
) -> None:
    """Print what each miner takes for each number of transactions that ``make`` writes."""
    print(f"{'miner':10}{'transactions':>14}{'least':>8}{'seconds':>10}{'itemsets':>10}{'Python MB':>11}"
          f"{'Java MB':>9}")  # fmt: skip
    for rows in sizes:
        make(folder / "parts", rows)
        least = math.ceil(support * rows)
        answers = set()
        for miner in (*engines, FPGROWTH):
            limit = timeout if miner == FPGROWTH else None
            found = in_fresh_process(__file__, miner, str(least), folder=folder, timeout=limit)
            if found is None:
                print(f"{miner:10}{rows:>14,}{least:>8,}{f'> {timeout} s':>10}", flush=True)
                continue
            print(
                f"{miner:10}{rows:>14,}{least:>8,}{found['read'] + found['mine']:>10.1f}"
                f"{found['itemsets']:>10,}{found['python']:>11,.0f}{found['java']:>9,.0f}",
                flush=True,
            )
            answers.add((found["itemsets"], found["supports"]))
        assert len(answers) == 1, "the miners disagree"


def mine(miner: str, least: int) -> None:
    """Read and mine the transactions; the sum of the supports is told as well."""
    run = Run(miner)
    source = run.source()
    if miner == FPGROWTH:
        n_sets, supports = _fpgrowth(run, source, least)
    else:
        baskets = tacit.read_transactions(source, engine=run.spark)
        run.step("read")
        found = tacit.mine_itemsets(baskets, min_support=least)
        n_sets, supports = len(found), int(found.supports.sum())
        run.step("mine")
    run.tell(itemsets=n_sets, supports=supports)


def _fpgrowth(run: Run, source: Path, least: int) -> tuple[int, int]:
    from pyspark.ml.fpm import FPGrowth
    from pyspark.sql import functions

    assert run.spark is not None
    words = functions.filter(functions.split("value", " "), lambda word: word != "")
    baskets = run.spark.session.read.text(str(source)).select(functions.array_distinct(words).alias("items"))
    rows = baskets.count()
    run.step("read")
    # It rounds the share of the rows up: with half a transaction less that gives the count, exactly.
    model = FPGrowth(itemsCol="items", minSupport=(least - 0.5) / rows).fit(baskets)
    total = model.freqItemsets.agg(functions.count("*"), functions.sum("freq")).first()
    run.step("mine")
    return total[0], total[1]


if __name__ == "__main__":
    mine(sys.argv[1], int(sys.argv[2]))
