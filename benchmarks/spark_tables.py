"""Generalizing tables on Spark beside this process: seconds of each step, peak memory of every process.

    python benchmarks/spark_tables.py                                          250,000 to 1,000,000 rows
    python benchmarks/spark_tables.py --rows 20000000 --engines spark          one size, on Spark alone
    python benchmarks/spark_tables.py --recodings cells --folder /tmp/made     parts that stay

Made-up people of 8 quasi-identifiers (:func:`tables.made_up`) are written as Parquet parts; each engine reads
them, makes a release with k = 11 and saves it, verified, in a fresh process. Seconds are by the clock, with
the processor seconds of all processes beside them; Spark runs in local mode.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import polars as pl
from spark_run import HEADER, Run, in_fresh_process, line_of
from tables import made_up

import tacit

PART_ROWS = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[250_000, 500_000, 1_000_000])
    parser.add_argument("--engines", nargs="*", default=["local", "spark"], choices=["local", "spark"])
    parser.add_argument("--recodings", nargs="*", default=["global", "cells"])
    parser.add_argument("--folder", type=Path, help="where the parts are, or are made and stay")
    parser.add_argument("--timeout", type=int, help="seconds for a run")
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        run(*given.run)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = given.folder or Path(name)
        print(f"{'engine':7}{'recoding':>9}{'rows':>12}{HEADER}{'loss':>8}{'classes':>10}")
        for rows in given.rows:
            make_parts(folder / f"parts-{rows}", rows)
            for recoding in given.recodings:
                for engine in given.engines:
                    found = in_fresh_process(
                        __file__, "--run", f"{engine}:{rows}", recoding, folder=folder, timeout=given.timeout
                    )
                    told = f"{engine:7}{recoding:>9}{rows:>12,}"
                    if found is None:
                        print(f"{told}  not done after {given.timeout} s", flush=True)
                        continue
                    classes = f"{int(found['classes']):>10,}"
                    print(f"{told}{line_of(found)}{found['loss']:>8.4f}{classes}", flush=True)


def make_parts(folder: Path, rows: int) -> None:
    """The people as a folder of Parquet parts, unless it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, start in enumerate(range(0, rows, PART_ROWS)):
        part = folder / f"part-{number:03}.parquet"
        if not part.exists():
            made_up(min(PART_ROWS, rows - start), seed=number + 1).to_polars().write_parquet(part)


def run(what: str, recoding: str) -> None:
    """Read, generalize and save with one engine."""
    engine, _, rows = what.partition(":")
    run = Run(engine)
    parts = run.folder / f"parts-{rows}"
    quasi = pl.read_parquet_schema(next(parts.iterdir()))
    if run.spark is None:
        table = tacit.read_table(pl.read_parquet(parts / "*.parquet"), quasi=list(quasi))
    else:
        table = tacit.read_table(parts, engine=run.spark, quasi=list(quasi))
    run.step("read")
    release = tacit.generalize(
        table, k=11, recoding=recoding, key=tacit.Key.from_seed(1), progress=run.progress
    )
    run.save(release)
    run.tell(loss=release.solution.loss, classes=release.risks.classes)


if __name__ == "__main__":
    main()
