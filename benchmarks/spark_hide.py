"""Hiding on Spark beside the engine in this process: time per million transactions, and the peak memory.

    python benchmarks/spark_hide.py                                   250,000 to 1,000,000 transactions
    python benchmarks/spark_hide.py --rows 20000000 --engines spark   one size, on Spark alone
    python benchmarks/spark_hide.py --policy exact
    python benchmarks/spark_hide.py --mine --rows 100000              itemsets, beside Spark's FP-growth

Transactions of the Quest generator are written as parts of text; each engine reads them, hides two pairs and
a rule and saves the release, verified, in a fresh process. Wall seconds of each step, with Spark in local
mode on all cores; processor seconds of all processes, and the peak memory of each kind. The run fails where
Python's process or Spark's own takes more than it should, whatever the number of transactions. ``--folder``
says where the parts are, or are made and stay. For ``--mine`` see spark_mine.py.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import chain
from pathlib import Path

import spark_mine
from spark_run import HEADER, Run, add_mining, in_fresh_process, line_of, write_parts

import tacit
from tacit.io.samples.quest import quest_chunks

PART_ROWS = 250_000
MOST_PYTHON, MOST_JAVA = 1_500, 6_000
"""The peak memory in MB that a run on Spark may take, by this process and by Spark's own."""
SHARE = 0.02


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[250_000, 500_000, 1_000_000])
    parser.add_argument("--engines", nargs="*", default=["local", "spark"], choices=["local", "spark"])
    parser.add_argument("--policy", default="certified")
    parser.add_argument("--folder", type=Path, help="where the parts are, or are made and stay")
    add_mining(parser)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        run(given.run, given.policy)
        return
    too_much = []
    with tempfile.TemporaryDirectory() as name:
        folder = given.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        if given.mine:
            spark_mine.compare(
                folder, make_parts, given.rows, given.engines, support=given.support, timeout=given.timeout
            )
            return
        print(f"{'engine':8}{'transactions':>14}{HEADER}")
        for rows in given.rows:
            if given.folder is None or not (folder / "parts").exists():
                make_parts(folder / "parts", rows)
            for engine in given.engines:
                flags = ("--run", engine, "--policy", given.policy)
                found = in_fresh_process(__file__, *flags, folder=folder)
                assert found is not None
                print(f"{engine:8}{rows:>14,}{line_of(found)}", flush=True)
                if engine == "spark" and (found["python"] > MOST_PYTHON or found["java"] > MOST_JAVA):
                    too_much.append(rows)
    if too_much:
        sys.exit(
            f"Spark took more memory than {MOST_PYTHON:,} MB here and {MOST_JAVA:,} MB there: {too_much}"
        )


def make_parts(folder: Path, rows: int) -> None:
    """Transactions of the generator as a folder of parts, and what is secret."""
    chunks = quest_chunks(rows, chunk=PART_ROWS, pattern_length=6, patterns=500)
    first = next(chunks)
    pairs = tacit.mine_itemsets(first, min_support=SHARE, min_length=2, max_length=2)
    pairs = sorted(pairs, key=lambda pair: -pair.support)
    secret = [pairs[0], pairs[len(pairs) // 4]]
    lines = [", ".join(pair.items) for pair in secret] + [" => ".join(pairs[len(pairs) // 2].items)]
    (folder.parent / "secret.txt").write_text("\n".join(lines) + "\n")
    write_parts(folder, chain([first], chunks))


def run(engine: str, policy: str) -> None:
    """Read, hide and save with one engine."""
    run = Run(engine)
    baskets = tacit.read_transactions(run.source(), engine=run.spark)
    run.step("read")
    release = tacit.hide(
        baskets,
        patterns=run.folder / "secret.txt",
        min_support=SHARE,
        min_confidence=0.3,
        policy=policy,
        key=tacit.Key.from_seed(1),
        engine=run.spark,
        progress=run.progress,
    )
    run.save(release)
    run.tell()


if __name__ == "__main__":
    main()
