"""Make a release on a cluster of two workers on this machine, and kill an executor in the middle (a script).

python killed_executor.py bucketize PEOPLE.parquet FOLDER      the release goes to FOLDER
python killed_executor.py generalize BASKETS.dat FOLDER        under the hierarchy BASKETS.csv
python killed_executor.py hide BASKETS.dat FOLDER              the patterns of BASKETS.txt
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import tacit
from tests.engine.conftest import started
from tests.engine.releasing import MAKING

JOBS = {"bucketize": 5, "generalize": 2, "hide": 6}
"""So many jobs after reading, a release of each method is in the middle."""


def main() -> None:
    method, source, folder = sys.argv[1:]
    session = started("local-cluster[2,1,1024]", **{"spark.executor.memory": "1g"})
    engine = tacit.SparkEngine(session, range_rows=500)
    make = MAKING[method](Path(source), engine)
    killed: list[int] = []
    watching = threading.Thread(target=kill_one, args=(session, killed, JOBS[method]), daemon=True)
    watching.start()
    make().save(folder, accept_weak=True)
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
