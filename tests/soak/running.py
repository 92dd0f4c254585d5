"""Many random inputs of every method through the verifier, going on where earlier runs stopped.

    python -m tests.soak.running                       until a million are verified, all runs together
    python -m tests.soak.running --more 20000 hide     so many more, of these methods

``runs.json`` beside this file is committed: for each method and commit the seeds that were tried, how many
releases of them were verified, how many promises their data could not meet, and the seeds of broken ones. A
plus after the commit says that the sources had changes that were not committed.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.soak.random_releases import METHODS, verified
from tests.soak.random_series import broken_chain
from tests.tally import GOAL

RUNS = Path(__file__).with_name("runs.json")
SERIES = "series"
SHARES = {
    "bucketize": 0.275, "generalize": 0.36, "generalize_table": 0.02, "hide": 0.32, "rules": 0.02,
    SERIES: 0.005,
}  # fmt: skip
"""How a soak is divided between the methods, by the time they take."""
FIRST = 10_000_000
"""Seeds below are those of ``make test``."""
STEP = 20
"""So many seeds are tried by a process before the file is written."""
ONE_THREAD = dict.fromkeys(("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Each process keeps one core busy: on small tables the threads of libraries cost a third of the time."""


@dataclass
class Run:
    """What was tried of a method on one commit: the seeds from ``first`` to before ``end``."""

    commit: str
    first: int
    end: int
    verified: int = 0
    refused: int = 0
    broken: list[int] = field(default_factory=list)


Runs = dict[str, list[Run]]


def read(file: Path) -> Runs:
    """The runs of each method so far."""
    found = json.loads(file.read_text()) if file.exists() else {}
    return {method: [Run(**run) for run in found.get(method, [])] for method in SHARES}


def written(runs: Runs, file: Path) -> None:
    """Write the runs, a line for each; whole, whenever it is stopped."""
    lines = [
        f" {json.dumps(method)}: [\n"
        + ",\n".join(f"  {json.dumps(asdict(run))}" for run in of_method)
        + "\n ]"
        for method, of_method in runs.items()
        if of_method
    ]
    new = file.with_suffix(".new")
    new.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    new.replace(file)


def begun(runs: list[Run], commit: str) -> Run:
    """The run that goes on from the last seed that was tried: that of this commit, or a new one."""
    if not runs or runs[-1].commit != commit:
        end = runs[-1].end if runs else FIRST
        runs.append(Run(commit, end, end))
    return runs[-1]


def tried(method: str, first: int) -> Run:
    """What the next seeds give, in a process of its own."""
    found = Run("", first, first + STEP)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as place:
        for seed in range(first, first + STEP):
            folder = Path(place)
            failed = broken_chain(seed, folder) if method == SERIES else verified(method, seed, folder)
            found.verified += failed is not None
            found.refused += failed is None
            found.broken += [seed] if failed else []
    return found


def soak(runs: Runs, method: str, more: int, commit: str, processes: int) -> Iterator[None]:
    """Try seeds until so many more releases are verified; gives control back after every few of them."""
    run = begun(runs[method], commit)
    wanted, begin = run.verified + more, run.end
    # Fresh processes: a thread pool of polars does not survive a fork.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        while run.verified < wanted:
            begin = run.end
            waiting = [pool.submit(tried, method, begin + STEP * part) for part in range(processes)]
            for part in as_completed(waiting):
                found = part.result()
                run.verified += found.verified
                run.refused += found.refused
                run.broken = sorted([*run.broken, *found.broken])
            run.end = begin + STEP * processes
            yield


def lines(runs: Runs) -> Iterator[str]:
    """What was tried in all, method by method."""
    for method, of_method in runs.items():
        counts = [sum(getattr(run, name) for run in of_method) for name in ("verified", "refused")]
        broken = sum(len(run.broken) for run in of_method)
        yield (
            f"{method:<20}{counts[0]:>11,} verified {counts[1]:>9,} could not be met {broken:>5} violations,"
            f" on {len(of_method)} commits"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("methods", nargs="*", choices=[[], *SHARES], help="these, in this order; else all")
    parser.add_argument("--more", type=int, help="releases to verify; else what is missing to a million")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    assert {*SHARES} == {*METHODS, SERIES}
    os.environ |= ONE_THREAD
    runs = read(RUNS)
    commit = _git("log", "-1", "--format=%h", "--abbrev=12") + ("+" if _git("status", "-s", "src") else "")
    methods = given.methods or list(SHARES)
    whole = sum(SHARES[method] for method in methods)
    for method in methods:
        if given.more is None:
            more = math.ceil(GOAL * SHARES[method]) - sum(run.verified for run in runs[method])
        else:
            more = math.ceil(given.more * SHARES[method] / whole)
        if more > 0:
            for _ in soak(runs, method, more, commit, given.processes):
                written(runs, RUNS)
    print(*lines(runs), sep="\n")
    return int(any(run.broken for of in runs.values() for run in of if run.commit == commit))


def _git(*words: str) -> str:
    command = ["git", "-C", str(RUNS.parents[2]), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
