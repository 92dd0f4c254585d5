"""Bucketizing and generalizing on Spark beside the engine in this process: time, and the peak memory here.

    python benchmarks/spark.py                                    100,000, 200,000 and 400,000 rows
    python benchmarks/spark.py --rows 2000000 --spark             one size, on Spark alone
    python benchmarks/spark.py --generalize --rows 2000000        Quest transactions, k = 5, m = 2

Rows of the hospital sample are written as Parquet parts, Quest transactions as parts of text; each engine
reads them, makes a release and saves it, verified, in a fresh process. Wall seconds, reading included, with
Spark in local mode on all cores and a driver of 4 GB; the memory is the peak of the Python process, where
counts, plan and judges are, and that of Spark's own process beside it. Spark pays where the rows do not fit:
below that, the engine in this process is faster. ``--no-save`` stops before the release is written: the
independent verifier goes through every published record, in plain Python.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

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
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        folder = Path(os.environ["TACIT_BENCHMARK"])
        print(json.dumps(run(given.run, folder, generalize=given.generalize, save=not given.no_save)))
        return
    engines = ["spark"] if given.spark else ["local", "spark"]
    print(f"{'engine':8}{'rows':>12}{'seconds':>10}{'per million':>13}{'Python MB':>11}{'Java MB':>9}")
    taken: dict[str, list[float]] = {engine: [] for engine in engines}
    with tempfile.TemporaryDirectory() as folder:
        for rows in given.rows:
            (make_baskets if given.generalize else make_parts)(Path(folder) / "parts", rows)
            for engine in engines:
                found = in_fresh_process(engine, folder, generalize=given.generalize, save=not given.no_save)
                taken[engine].append(found["seconds"])
                per_million = found["seconds"] / rows * 1e6
                print(
                    f"{engine:8}{rows:>12,}{found['seconds']:>10.1f}{per_million:>13.1f}"
                    f"{found['python']:>11,.0f}{found['java']:>9,.0f}",
                    flush=True,
                )
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
    folder.mkdir(exist_ok=True)
    for part in folder.glob("*.dat"):
        part.unlink()
    for number, start in enumerate(range(0, rows, CHUNK)):
        some = tacit.load_sample(f"quest:{min(CHUNK, rows - start)}", seed=number)
        tacit.write_transactions(some, folder / f"part-{number:03}.dat")
    lines = [f"{item};tens {item // 10};hundreds {item // 100};all" for item in range(ITEMS)]
    (folder.parent / "items.csv").write_text("\n".join(lines) + "\n")


def in_fresh_process(engine: str, folder: str, *, generalize: bool, save: bool) -> dict[str, float]:
    """What a run took, with nothing before it."""
    flags = [*(["--generalize"] if generalize else []), *([] if save else ["--no-save"])]
    done = subprocess.run(
        [sys.executable, __file__, "--run", engine, *flags],
        env={**os.environ, "TACIT_BENCHMARK": folder, "PYSPARK_DRIVER_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(engine: str, folder: Path, *, generalize: bool, save: bool) -> dict[str, float]:
    """Read, make a release and save it with one engine."""
    spark = started_spark() if engine == "spark" else None
    started = time.perf_counter()
    steps: list[tuple[str, float]] = []

    def step(name: str) -> None:
        steps.append((name, time.perf_counter() - started - sum(taken for _, taken in steps)))

    release = generalized(spark, folder, step) if generalize else bucketized(spark, folder)
    step("make")
    if save:
        release.save(folder / "release", overwrite=True)
        step("save")
    seconds = time.perf_counter() - started
    print(", ".join(f"{name} {taken:.1f} s" for name, taken in steps), file=sys.stderr)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "python": peak, "java": 0.0 if spark is None else java_peak(spark)}


def bucketized(spark: tacit.SparkEngine | None, folder: Path) -> Any:
    if spark is None:
        table = tacit.read_table(pl.read_parquet(folder / "parts" / "*.parquet"), **FIELDS)
    else:
        table = tacit.read_table(folder / "parts", engine=spark, **FIELDS)
    return tacit.bucketize(table, l=3, key=tacit.Key.from_seed(1))


def generalized(spark: tacit.SparkEngine | None, folder: Path, step: Callable[[str], None]) -> Any:
    hierarchy = tacit.read_hierarchy(folder / "items.csv")
    if spark is None:
        whole = folder / "all.dat"
        with whole.open("wb") as file:
            for part in sorted((folder / "parts").glob("*.dat")):
                file.write(part.read_bytes())
        baskets = tacit.read_transactions(whole, hierarchy=hierarchy)
    else:
        baskets = tacit.read_transactions(folder / "parts", engine=spark, hierarchy=hierarchy)
    step("read")
    # A sample of a generator is nobody's: the key of an experiment keeps it off the ledger.
    return tacit.generalize(baskets, k=5, m=2, key=tacit.Key.from_seed(1))


def started_spark() -> tacit.SparkEngine:
    """Spark in local mode, as Tacit starts it, with a driver of 4 GB."""
    from pyspark.sql import SparkSession

    from tacit.data.spark.session import LOCAL

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[*]").config("spark.driver.memory", "4g")
    for name, value in LOCAL.items():
        builder = builder.config(name, value)
    return tacit.SparkEngine(builder.getOrCreate())


def java_peak(engine: tacit.SparkEngine) -> float:
    """The peak memory of Spark's own process, in MB."""
    process = engine.session._jvm.java.lang.ProcessHandle.current().pid()
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main()
