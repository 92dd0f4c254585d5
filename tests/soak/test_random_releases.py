"""Random small inputs of every method: the verifier never finds a broken promise.

``make test`` runs a share; ``make soak`` a million over all its runs together (:mod:`tests.soak.running`).
"""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import tacit
from tests.soak.random_releases import METHODS, verified
from tests.soak.running import FIRST, RUNS, SERIES, Run, begun, read, written
from tests.tally import Tally

FEW = {"bucketize": 75, "generalize": 125, "generalize_table": 150, "hide": 30, "rules": 6}


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory, where the machine has such a disk."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    yield folder
    shutil.rmtree(folder)


def check_many(method: str, count: int, first: int, folder: Path, tally: Tally) -> None:
    """Verify releases of as many random inputs; what the data cannot meet is not counted."""
    done, broken = 0, []
    for seed in itertools.count(first):
        failed = verified(method, seed, folder)
        done += failed is not None
        if failed:
            broken.append((seed, failed))
        if done == count:
            break
    tally("random inputs verified", method, tried=done, wrong=len(broken))
    assert not broken


@pytest.mark.parametrize("first", [0, pytest.param(FIRST // 2, marks=pytest.mark.ci)])
@pytest.mark.parametrize("method", METHODS)
def test_some_random_inputs(method: str, first: int, memory: Path, tally: Tally) -> None:
    check_many(method, FEW[method], first, memory, tally)


def test_runs_go_on_where_earlier_ones_stopped(tmp_path: Path) -> None:
    runs = read(tmp_path / "runs.json")
    assert begun(runs["hide"], "one").end == FIRST
    runs["hide"][0] = Run("one", FIRST, FIRST + 60, verified=50, refused=10)
    written(runs, tmp_path / "runs.json")
    again = read(tmp_path / "runs.json")
    assert again == runs
    assert begun(again["hide"], "one") == runs["hide"][0]
    assert begun(again["hide"], "two") == Run("two", FIRST + 60, FIRST + 60)


def test_what_was_run_is_written_down() -> None:
    """Each seed is in one run at most, every seed of a run is counted, and no promise was broken."""
    runs = read(RUNS)
    assert {*runs} == {*METHODS, SERIES}
    for of_method in runs.values():
        ends = [FIRST, *(run.end for run in of_method)]
        assert [run.first for run in of_method] == ends[:-1]
        assert all(run.verified + run.refused == run.end - run.first for run in of_method)
        assert not any(run.broken for run in of_method)


@pytest.mark.parametrize("count", [2, pytest.param(25, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", METHODS)
def test_verified_in_fresh_processes(
    method: str, count: int, memory: Path, tally: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a person would: the verifier as a process of its own, which shares nothing with the toolkit."""

    def in_fresh_process(folder: Path, original: Path) -> object:
        return tacit.verify(folder, original=original).checks

    monkeypatch.setattr("tests.soak.random_releases.verify", in_fresh_process)
    check_many(method, count, 5_000_000, memory, tally)
