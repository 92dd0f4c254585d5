"""A cluster of two workers, one of which loses its executor in the middle: the same release."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tacit
from tests.engine.killed_executor import MAKING

REPOSITORY = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("method", MAKING)
def test_a_killed_executor_changes_nothing(method, tmp_path) -> None:
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none here")
    whole, parts = people(tmp_path) if method == "bucketize" else baskets(tmp_path)
    MAKING[method](whole)().save(tmp_path / "here")
    # A cluster of its own, in a process of its own: there is one Spark session in a process.
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.killed_executor", method, str(parts), str(tmp_path / "there")],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1:] == ["killed 1"], done.stderr[-3000:]
    for file in (tmp_path / "here").iterdir():
        assert (tmp_path / "there" / file.name).read_bytes() == file.read_bytes(), file.name


def people(folder: Path) -> tuple[Path, Path]:
    """A table of people, for this process and for Spark."""
    file = folder / "people.parquet"
    tacit.load_sample("hospital:5000").to_polars().write_parquet(file)
    return file, file


def baskets(folder: Path) -> tuple[Path, Path]:
    """Transactions in one file and in six parts, each beside their hierarchy and what is secret of them."""
    sample = tacit.load_sample("quest:3000")
    lines = [" ".join(sorted(names)) + "\n" for names in sample.sets()]
    whole, parts = folder / "whole.dat", folder / "parts.dat"
    whole.write_text("".join(lines))
    parts.mkdir()
    for part in range(6):
        (parts / f"part-{part}.dat").write_text("".join(lines[part::6]))
    groups = "".join(f"{item};tens-{item // 10};all\n" for item in range(1000))
    pairs = tacit.mine_itemsets(sample, min_support=40, min_length=2, max_length=2)
    secret = "".join(", ".join(pair.items) + "\n" for pair in list(pairs)[:5])
    for file in (whole, parts):
        file.with_suffix(".csv").write_text(groups)
        file.with_suffix(".txt").write_text(secret)
    return whole, parts
