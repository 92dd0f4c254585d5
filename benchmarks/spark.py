"""Bucketizing and generalizing on Spark beside the engine in this process: time, and the peak memory here.

    python benchmarks/spark.py                                    100,000, 200,000 and 400,000 rows
    python benchmarks/spark.py --rows 2000000 --spark             one size, on Spark alone
    python benchmarks/spark.py --generalize --rows 2000000        Quest transactions, k = 5, m = 2
    python benchmarks/spark.py --mine --rows 100000               itemsets, beside Spark's FP-growth

Rows of the hospital sample are written as Parquet parts, Quest transactions as parts of text; each engine
reads them, makes a release and saves it, verified, in a fresh process. Wall seconds of each step, with
Spark in local mode on all cores; processor seconds of all processes, and the peak memory of each kind: the
Python process, where counts, plan and judges are, Spark's own, its workers, the verifier. Spark pays where
the rows do not fit: below that, the engine in this process is faster. ``--no-save`` stops before the release
is written. ``--folder`` says where the parts are, or are made and stay. For ``--mine`` see spark_mine.py.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import spark_mine
from spark_run import HEADER, STEPS, Run, add_mining, in_fresh_process, line_of, write_parts

import tacit

PARTS = 8
FIELDS = {"quasi": "zip, age, sex", "sensitive": "disease"}
CHUNK = 500_000
"""So many Quest transactions are one part."""
ITEMS = 1_000
"""Quest items, under a hierarchy of tens and hundreds."""
MOST_PYTHON_MB = 4_096
"""No run on Spark may hold more than this in Python's process."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[100_000, 200_000, 400_000])
    parser.add_argument("--spark", action="store_true", help="leave the engine in this process out")
    parser.add_argument("--generalize", action="store_true", help="transactions instead of tables")
    parser.add_argument("--no-save", action="store_true", help="leave writing and verifying out")
    parser.add_argument("--folder", type=Path, help="where the parts are, or are made and stay")
    add_mining(parser)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        run(given.run, generalize=given.generalize, save=not given.no_save)
        return
    engines = ["spark"] if given.spark else ["local", "spark"]
    flags = [name for name in ("--generalize", "--no-save") if getattr(given, name[2:].replace("-", "_"))]
    taken: dict[str, list[float]] = {engine: [] for engine in engines}
    with tempfile.TemporaryDirectory() as name:
        folder = given.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        if given.mine:
            spark_mine.compare(
                folder, make_baskets, given.rows, engines, support=given.support, timeout=given.timeout
            )
            return
        print(f"{'engine':8}{'rows':>12}{HEADER}")
        for rows in given.rows:
            if given.folder is None or not (folder / "parts").exists():
                (make_baskets if given.generalize else make_parts)(folder / "parts", rows)
            for engine in engines:
                found = in_fresh_process(__file__, "--run", engine, *flags, folder=folder)
                assert found is not None
                seconds = sum(found.get(step, 0.0) for step in STEPS)
                taken[engine].append(seconds)
                print(f"{engine:8}{rows:>12,}{line_of(found)}", flush=True)
                assert engine == "local" or found["python"] < MOST_PYTHON_MB, (
                    "too much came into this process"
                )
    if len(given.rows) > 1:
        for engine, seconds in taken.items():
            slope = math.log(seconds[-1] / seconds[0]) / math.log(given.rows[-1] / given.rows[0])
            print(f"{engine}: time grows with the rows to the power {slope:.2f}")


def make_parts(folder: Path, rows: int) -> None:
    """The hospital sample as a folder of Parquet parts."""
    folder.mkdir(exist_ok=True)
    for number in range(PARTS):
        some = tacit.load_sample(f"hospital:{rows // PARTS}", seed=number).to_polars()
        some.select("zip", "age", "sex", "disease").write_parquet(folder / f"part-{number}.parquet")


def make_baskets(folder: Path, rows: int) -> None:
    """Transactions of the Quest generator as a folder of lines, and a hierarchy of their items."""
    starts = enumerate(range(0, rows, CHUNK))
    write_parts(
        folder, (tacit.load_sample(f"quest:{min(CHUNK, rows - start)}", seed=seed) for seed, start in starts)
    )
    lines = [f"{item};tens {item // 10};hundreds {item // 100};all" for item in range(ITEMS)]
    (folder.parent / "items.csv").write_text("\n".join(lines) + "\n")


def run(engine: str, *, generalize: bool, save: bool) -> None:
    """Read, make a release and save it with one engine."""
    run = Run(engine)
    release = generalized(run) if generalize else bucketized(run)
    if save:
        run.save(release)
    else:
        run.step("apply")
    run.tell()


def bucketized(run: Run) -> Any:
    parts = run.folder / "parts"
    if run.spark is None:
        table = tacit.read_table(pl.read_parquet(parts / "*.parquet"), **FIELDS)
    else:
        table = tacit.read_table(parts, engine=run.spark, **FIELDS)
    run.step("read")
    return tacit.bucketize(table, l=3, key=tacit.Key.from_seed(1), progress=run.progress)


def generalized(run: Run) -> Any:
    source = run.source()
    hierarchy = tacit.read_hierarchy(run.folder / "items.csv")
    baskets = tacit.read_transactions(source, engine=run.spark, hierarchy=hierarchy)
    run.step("read")
    # A sample of a generator is nobody's: the key of an experiment keeps it off the ledger.
    return tacit.generalize(baskets, k=5, m=2, key=tacit.Key.from_seed(1), progress=run.progress)


if __name__ == "__main__":
    main()
