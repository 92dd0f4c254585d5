"""A cluster of two workers, one of which loses its executor in the middle: the same release."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tacit

REPOSITORY = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


def test_a_killed_executor_changes_nothing(tmp_path) -> None:
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none here")
    sample = tacit.load_sample("hospital:5000")
    sample.to_polars().write_parquet(tmp_path / "people.parquet")
    here = tacit.read_table(tmp_path / "people.parquet", quasi="zip, age, sex", sensitive="disease")
    tacit.bucketize(here, l=3, key=tacit.Key.from_seed(11)).save(tmp_path / "here")
    script = [sys.executable, "-m", "tests.engine.killed_executor"]
    # A cluster of its own, in a process of its own: there is one Spark session in a process.
    done = subprocess.run(
        [*script, str(tmp_path / "people.parquet"), str(tmp_path / "there")],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1:] == ["killed 1"], done.stderr[-3000:]
    for file in (tmp_path / "here").iterdir():
        assert (tmp_path / "there" / file.name).read_bytes() == file.read_bytes(), file.name
