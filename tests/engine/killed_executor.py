"""Bucketize on a cluster of two workers on this machine, and kill an executor in the middle (a script).

python killed_executor.py PARQUET FOLDER        the release goes to FOLDER
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

ROLES = {"quasi": "zip, age, sex", "sensitive": "disease"}


def main() -> None:
    source, folder = sys.argv[1:]
    session = started("local-cluster[2,1,1024]", **{"spark.executor.memory": "1g"})
    engine = tacit.SparkEngine(session, range_rows=500)
    table = tacit.read_table(source, engine=engine, **ROLES)
    killed: list[int] = []
    watching = threading.Thread(target=kill_one, args=(session, killed), daemon=True)
    watching.start()
    tacit.bucketize(table, l=3, key=tacit.Key.from_seed(11)).save(folder)
    watching.join()
    session.stop()
    print(f"killed {len(killed)}")


def kill_one(session: object, killed: list[int]) -> None:
    """Kill an executor of this session as soon as the second half of the jobs is running."""
    tracker = session.sparkContext.statusTracker()  # type: ignore[attr-defined]
    java = session._jvm.java.lang.ProcessHandle.current()  # type: ignore[attr-defined]
    before = set(tracker.getJobIdsForGroup(None))
    while len(set(tracker.getJobIdsForGroup(None)) - before) < 5:
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
