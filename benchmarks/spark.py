"""Bucketizing on Spark beside the engine in this process: time per million rows, and the peak memory here.

    python benchmarks/spark.py                          100,000, 200,000 and 400,000 rows
    python benchmarks/spark.py --rows 2000000 --spark   one size, on Spark alone

Rows of the hospital sample are written as Parquet parts; each engine reads them, bucketizes and saves the
release, verified, in a fresh process. Wall seconds, reading included, with Spark in local mode on all cores
and a driver of 4 GB; the memory is the peak of the Python process, where counts, plan and judges are, and
that of Spark's own process beside it. Spark pays where the rows do not fit: below that, the engine in this
process is faster.
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
from pathlib import Path

import polars as pl

import tacit

PARTS = 8
FIELDS = {"quasi": "zip, age, sex", "sensitive": "disease"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[100_000, 200_000, 400_000])
    parser.add_argument("--spark", action="store_true", help="leave the engine in this process out")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        print(json.dumps(run(given.run, Path(os.environ["TACIT_BENCHMARK"]))))
        return
    engines = ["spark"] if given.spark else ["local", "spark"]
    print(f"{'engine':8}{'rows':>12}{'seconds':>10}{'per million':>13}{'Python MB':>11}{'Java MB':>9}")
    taken: dict[str, list[float]] = {engine: [] for engine in engines}
    with tempfile.TemporaryDirectory() as folder:
        for rows in given.rows:
            make_parts(Path(folder) / "parts", rows)
            for engine in engines:
                found = in_fresh_process(engine, folder)
                taken[engine].append(found["seconds"])
                per_million = found["seconds"] / rows * 1e6
                print(
                    f"{engine:8}{rows:>12,}{found['seconds']:>10.1f}{per_million:>13.1f}"
                    f"{found['python']:>11,.0f}{found['java']:>9,.0f}",
                    flush=True,
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


def in_fresh_process(engine: str, folder: str) -> dict[str, float]:
    """What a run took, with nothing before it."""
    done = subprocess.run(
        [sys.executable, __file__, "--run", engine],
        env={**os.environ, "TACIT_BENCHMARK": folder, "PYSPARK_DRIVER_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(engine: str, folder: Path) -> dict[str, float]:
    """Read, bucketize and save with one engine."""
    spark = None
    if engine == "spark":
        from pyspark.sql import SparkSession

        from tacit.data.spark.session import LOCAL

        os.environ["PYSPARK_PYTHON"] = sys.executable
        builder = SparkSession.builder.master("local[*]").config("spark.driver.memory", "4g")
        for name, value in LOCAL.items():
            builder = builder.config(name, value)
        spark = tacit.SparkEngine(builder.getOrCreate())
    started = time.perf_counter()
    if spark is None:
        rows = pl.read_parquet(folder / "parts" / "*.parquet")
        table = tacit.read_table(rows, **FIELDS)
    else:
        table = tacit.read_table(folder / "parts", engine=spark, **FIELDS)
    release = tacit.bucketize(table, l=3, key=tacit.Key.from_seed(1))
    release.save(folder / "release", overwrite=True)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "python": peak, "java": 0.0 if spark is None else java_peak(spark)}


def java_peak(engine: tacit.SparkEngine) -> float:
    """The peak memory of Spark's own process, in MB."""
    process = engine.session._jvm.java.lang.ProcessHandle.current().pid()
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main()
