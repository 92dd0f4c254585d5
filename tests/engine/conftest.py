"""One Spark session for all tests of the engines, on this machine alone; skipped where Spark cannot run."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import tacit

SMALL = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.log.level": "OFF",
    "spark.driver.memory": "1g",
    # Queries are short and many: compiling them well costs more than running them.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
}


def started(master: str, **settings: str) -> Any:
    """A new session on this machine."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.appName("tacit tests").master(master)
    for name, value in {**SMALL, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none here")
    spark = started("local[2]")
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def engine(session: Any) -> tacit.SparkEngine:
    return tacit.SparkEngine(session, range_rows=40)
