"""Every benchmark in one run, as one table: what ``make bench`` does.

    python benchmarks/run.py               all of it, under twenty minutes on two cores
    python benchmarks/run.py --quick       smaller data, nothing written: to see that everything runs
    python benchmarks/run.py --only mining generalize
    python benchmarks/run.py --accept      write the table even where something has become slower

Writes RESULTS.md and results.json beside this file. Before that it compares ratios with the results.json
that is there, never seconds: a ratio of more than SLACK times the former one (and by more than 0.02), or a
slope steeper by more than STEEPER, is a regression; the run then writes nothing and ends with 1.
Every benchmark also runs by itself, as ``python benchmarks/NAME.py``, and prints more than the table holds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from table import RATIO, SLOPE, Row
from writing import Circumstances, as_markdown, circumstances

FOLDER = Path(__file__).resolve().parent
BENCHMARKS: dict[str, tuple[str, ...]] = {  # the words that the full run gives each
    "keyed": ("5000000",),
    "reading": (),
    "reading_transactions": (),
    "mining": (),
    "mining_tables": (),
    "checking": (),
    "bucketize": ("--table",),
    "generalize": (),
    "tables": (),
    "hide": ("--table", "--large"),
    "disclose": (),
    "first_use": (),
}
QUICK: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(BENCHMARKS, ("--quick",)),
    "keyed": ("500000",),
    "bucketize": ("--table", "--quick"),
    "hide": ("--table", "--quick"),
}
SLACK = 1.6
STEEPER = 0.3


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="smaller data; nothing is written")
    parser.add_argument(
        "--only", nargs="+", choices=list(BENCHMARKS), help="some of them; nothing is written"
    )
    parser.add_argument("--accept", action="store_true", help="write the table in spite of a regression")
    given = parser.parse_args()
    started, load = time.perf_counter(), os.getloadavg()[0]
    rows, failed = collected(given.only or list(BENCHMARKS), QUICK if given.quick else BENCHMARKS)
    about = circumstances(seconds=time.perf_counter() - started, load_before=load)
    worse = regressions(rows, former())
    text = as_markdown(rows, about, failed, slack=SLACK, steeper=STEEPER)
    print(f"\n{text}")
    for line in worse:
        print(f"REGRESSION {line}")
    if given.quick or given.only:
        print("Nothing was written: this was not the full run.")
    elif failed or (worse and not given.accept):
        print("Nothing was written: the former table stays (--accept writes it in spite of a regression).")
    else:
        write(rows, about, text)
    return 1 if failed or (worse and not given.accept) else 0


def collected(names: list[str], words: dict[str, tuple[str, ...]]) -> tuple[list[Row], list[str]]:
    """The rows of every benchmark, one after the other, and the names of those that ended badly."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "rows.jsonl"
        target.touch()
        for name in names:
            print(f"== {name}", flush=True)
            begun = time.perf_counter()
            command = [sys.executable, str(FOLDER / f"{name}.py"), *words[name]]
            if subprocess.run(command, env={**os.environ, "TACIT_BENCH_ROWS": str(target)}).returncode:
                failed.append(name)
            print(f"   ({time.perf_counter() - begun:.0f} s)", flush=True)
        lines = target.read_text(encoding="utf-8").splitlines()
    return [Row(**json.loads(line)) for line in lines], failed


def former() -> list[Row]:
    """The rows of the table that is there."""
    file = FOLDER / "results.json"
    if not file.exists():
        return []
    return [Row(**row) for row in json.loads(file.read_text(encoding="utf-8"))["rows"]]


def regressions(rows: list[Row], before: list[Row]) -> list[str]:
    """What has become clearly worse than it was, told in a line each."""
    was = {row.name: row.value for row in before}
    told = []
    for row in rows:
        old = was.get(row.name)
        if row.value is None or old is None:
            continue
        steeper = row.figure == SLOPE and row.value > old + STEEPER
        slower = row.figure == RATIO and row.value > SLACK * old and row.value > old + 0.02
        if steeper or slower:
            told.append(
                f"{row.area}: {row.what} {row.size} {row.peer}: {row.figure} {row.value:.3f}, was {old:.3f}"
            )
    return told


def write(rows: list[Row], about: Circumstances, text: str) -> None:
    """Put the table in place, for people and for the next run."""
    (FOLDER / "RESULTS.md").write_text(text, encoding="utf-8")
    data = {"circumstances": asdict(about), "rows": [asdict(row) for row in rows]}
    (FOLDER / "results.json").write_text(
        json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    print("Written: benchmarks/RESULTS.md and benchmarks/results.json")


if __name__ == "__main__":
    raise SystemExit(main())
