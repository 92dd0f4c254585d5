"""Make a release by a session of Spark Connect, whose server runs on this machine (a script).

python connected.py METHOD SOURCE FOLDER        as for killed_executor.py
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import tacit
from tests.engine.releasing import MAKING


def main() -> None:
    from pyspark.sql import SparkSession

    method, source, folder = sys.argv[1:]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.remote("local[2]").getOrCreate()
    MAKING[method](Path(source), tacit.SparkEngine(session, range_rows=500))().save(folder, accept_weak=True)
    session.stop()
    print(type(session).__module__)


if __name__ == "__main__":
    main()
