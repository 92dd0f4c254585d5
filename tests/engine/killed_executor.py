"""Make a release on a cluster of two workers on this machine, and kill an executor in the middle (a script).

python killed_executor.py PARQUET FOLDER        bucketize; the release goes to FOLDER
python killed_executor.py NAME.dat FOLDER       generalize transactions, under the hierarchy NAME.csv
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import tacit
from tests.engine.conftest import started

ROLES = {"quasi": "zip, age, sex", "sensitive": "disease"}


def main() -> None:
    source, folder = sys.argv[1:]
    session = started("local-cluster[2,1,1024]", **{"spark.executor.memory": "1g"})
    engine = tacit.SparkEngine(session, range_rows=500)
    key = tacit.Key.from_seed(11)
    make: Callable[[], Any]
    if Path(source).suffix == ".dat":
        hierarchy = Path(source).with_suffix(".csv")
        baskets = tacit.read_transactions(source, engine=engine, hierarchy=hierarchy)
        make, jobs = partial(tacit.generalize, baskets, k=5, m=2, key=key), 2
    else:
        table = tacit.read_table(source, engine=engine, **ROLES)
        make, jobs = partial(tacit.bucketize, table, l=3, key=key), 5
    killed: list[int] = []
    watching = threading.Thread(target=kill_one, args=(session, killed, jobs), daemon=True)
    watching.start()
    make().save(folder)
    watching.join()
    session.stop()
    print(f"killed {len(killed)}")


def kill_one(session: object, killed: list[int], jobs: int) -> None:
    """Kill an executor of this session as soon as so many jobs more have begun."""
    tracker = session.sparkContext.statusTracker()  # type: ignore[attr-defined]
    java = session._jvm.java.lang.ProcessHandle.current()  # type: ignore[attr-defined]
    before = set(tracker.getJobIdsForGroup(None))
    while len(set(tracker.getJobIdsForGroup(None)) - before) < jobs:
        time.sleep(0.02)
    executors = [
        process
        for process in java.descendants().toArray()
        if "CoarseGrainedExecutorBackend" in (Path(f"/proc/{process.pid()}/cmdline").read_text())
    ]
    os.kill(executors[0].pid(), signal.SIGKILL)
    killed.append(executors[0].pid())


if __name__ == "__main__":
    main()
