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
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("method", ["bucketize", "generalize"])
def test_a_killed_executor_changes_nothing(method, tmp_path) -> None:
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none here")
    key = tacit.Key.from_seed(11)
    if method == "bucketize":
        source = tmp_path / "people.parquet"
        tacit.load_sample("hospital:5000").to_polars().write_parquet(source)
        here = tacit.read_table(source, quasi="zip, age, sex", sensitive="disease")
        tacit.bucketize(here, l=3, key=key).save(tmp_path / "here")
    else:
        source = tmp_path / "baskets.dat"
        source.mkdir()
        lines = [" ".join(sorted(names)) + "\n" for names in tacit.load_sample("quest:3000").sets()]
        for part in range(6):
            (source / f"part-{part}.dat").write_text("".join(lines[part::6]))
        (tmp_path / "all.dat").write_text("".join(lines))
        groups = "".join(f"{item};tens-{item // 10};all\n" for item in range(1000))
        (tmp_path / "baskets.csv").write_text(groups)
        whole = tacit.read_transactions(tmp_path / "all.dat", hierarchy=tmp_path / "baskets.csv")
        tacit.generalize(whole, k=5, m=2, key=key).save(tmp_path / "here")
    script = [sys.executable, "-m", "tests.engine.killed_executor"]
    # A cluster of its own, in a process of its own: there is one Spark session in a process.
    done = subprocess.run(
        [*script, str(source), str(tmp_path / "there")],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1:] == ["killed 1"], done.stderr[-3000:]
    for file in (tmp_path / "here").iterdir():
        assert (tmp_path / "there" / file.name).read_bytes() == file.read_bytes(), file.name
