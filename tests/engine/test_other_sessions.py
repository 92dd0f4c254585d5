"""Releases by other sessions than the tests': on a cluster that loses an executor, and by Spark Connect."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.releasing import MAKING, baskets, people

REPOSITORY = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("method", MAKING)
def test_a_killed_executor_changes_nothing(method, tmp_path) -> None:
    same_release(method, "killed_executor", tmp_path, says="killed 1")


@pytest.mark.parametrize("method", MAKING)
def test_spark_connect_gives_the_same_release(method, tmp_path) -> None:
    pytest.importorskip("grpc", reason="Spark Connect's packages are not installed: pyspark[connect]")
    same_release(method, "connected", tmp_path, says="pyspark.sql.connect.session")


def same_release(method: str, script: str, folder: Path, *, says: str) -> None:
    """A script's release has the bytes of this process's; the script ends by saying what it did."""
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none here")
    whole, parts = people(folder) if method == "bucketize" else baskets(folder)
    MAKING[method](whole)().save(folder / "here", accept_weak=True)
    # A session of its own, in a process of its own: there is one Spark session in a process.
    done = subprocess.run(
        [sys.executable, "-m", f"tests.engine.{script}", method, str(parts), str(folder / "there")],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1:] == [says], done.stderr[-3000:]
    for file in (folder / "here").iterdir():
        assert (folder / "there" / file.name).read_bytes() == file.read_bytes(), file.name
