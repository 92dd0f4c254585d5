"""Hiding on Spark beside the engine in this process: time per million transactions, and the peak memory.

    python benchmarks/spark_hide.py                                   250,000 to 1,000,000 transactions
    python benchmarks/spark_hide.py --rows 20000000 --engines spark   one size, on Spark alone
    python benchmarks/spark_hide.py --policy exact

Transactions of the Quest generator are written as parts of text; each engine reads them, hides two pairs and
a rule and saves the release, verified, in a fresh process. Wall seconds of each step, with Spark in local
mode on all cores and a driver of 4 GB. The memory is the peak of the Python process and that of Spark's own;
the run fails where either takes more than it should, whatever the number of transactions.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from spark import java_peak, started_spark

import tacit
from tacit.data.samples.quest import quest_chunks

PART_ROWS = 250_000
MOST_PYTHON, MOST_JAVA = 1_500, 6_000
"""The peak memory in MB that a run on Spark may take, by this process and by Spark's own."""
SHARE = 0.02
STEPS = ("read", "hide", "save")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[250_000, 500_000, 1_000_000])
    parser.add_argument("--engines", nargs="*", default=["local", "spark"], choices=["local", "spark"])
    parser.add_argument("--policy", default="certified")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        print(json.dumps(run(given.run, Path(os.environ["TACIT_BENCHMARK"]), given.policy)))
        return
    steps = "".join(f"{step:>8}" for step in STEPS)
    print(f"{'engine':8}{'transactions':>14}{steps}{'per million':>13}{'Python MB':>11}{'Java MB':>9}")
    too_much = []
    with tempfile.TemporaryDirectory() as folder:
        for rows in given.rows:
            make_parts(Path(folder) / "parts", rows)
            for engine in given.engines:
                found = in_fresh_process(engine, folder, given.policy)
                seconds = sum(found[step] for step in STEPS)
                steps = "".join(f"{found[step]:>8.1f}" for step in STEPS)
                print(
                    f"{engine:8}{rows:>14,}{steps}{seconds / rows * 1e6:>13.1f}"
                    f"{found['python']:>11,.0f}{found['java']:>9,.0f}",
                    flush=True,
                )
                if engine == "spark" and (found["python"] > MOST_PYTHON or found["java"] > MOST_JAVA):
                    too_much.append(rows)
    if too_much:
        sys.exit(
            f"Spark took more memory than {MOST_PYTHON:,} MB here and {MOST_JAVA:,} MB there: {too_much}"
        )


def make_parts(folder: Path, rows: int) -> None:
    """Transactions of the generator as a folder of parts, and what is secret."""
    folder.mkdir(exist_ok=True)
    for number, part in enumerate(quest_chunks(rows, chunk=PART_ROWS, pattern_length=6, patterns=500)):
        if not number:
            pairs = tacit.mine_itemsets(part, min_support=SHARE, min_length=2, max_length=2)
            pairs = sorted(pairs, key=lambda pair: -pair.support)
            secret = [pairs[0], pairs[len(pairs) // 4]]
            lines = [", ".join(pair.items) for pair in secret] + [" => ".join(pairs[len(pairs) // 2].items)]
            (folder.parent / "secret.txt").write_text("\n".join(lines) + "\n")
        tacit.write_transactions(part, folder / f"part-{number:03}.dat", overwrite=True)


def in_fresh_process(engine: str, folder: str, policy: str) -> dict[str, float]:
    """What a run took, with nothing before it."""
    done = subprocess.run(
        [sys.executable, __file__, "--run", engine, "--policy", policy],
        env={**os.environ, "TACIT_BENCHMARK": folder, "PYSPARK_DRIVER_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run(engine: str, folder: Path, policy: str) -> dict[str, float]:
    """Read, hide and save with one engine."""
    spark = started_spark() if engine == "spark" else None
    clock = [time.perf_counter()]
    if spark is None:
        whole = folder / "whole.dat"
        with whole.open("wb") as file:
            for part in sorted((folder / "parts").iterdir()):
                file.write(part.read_bytes())
        clock = [time.perf_counter()]
        baskets = tacit.read_transactions(whole)
        whole.unlink()
    else:
        baskets = tacit.read_transactions(folder / "parts", engine=spark)
    clock.append(time.perf_counter())
    release = tacit.hide(
        baskets,
        patterns=folder / "secret.txt",
        min_support=SHARE,
        min_confidence=0.3,
        policy=policy,
        key=tacit.Key.from_seed(1),
        engine=spark,
    )
    clock.append(time.perf_counter())
    release.save(folder / "release", overwrite=True)
    clock.append(time.perf_counter())
    seconds = {step: clock[at + 1] - clock[at] for at, step in enumerate(STEPS)}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {**seconds, "python": peak, "java": 0.0 if spark is None else java_peak(spark)}


if __name__ == "__main__":
    main()
