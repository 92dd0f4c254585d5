"""Random small inputs of every method: the verifier never finds a broken promise.

``make test`` runs a share; ``make soak`` a million in all, or as many as ``TACIT_SOAK`` says, divided
between the methods by the time they take.
"""

from __future__ import annotations

import itertools
import math
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import tacit
from tests.soak.random_releases import METHODS, verified
from tests.tally import GOAL, Tally

SHARES = {"bucketize": 0.28, "generalize": 0.36, "generalize_table": 0.02, "hide": 0.32, "rules": 0.02}
BATCHES = 20
FEW = {"bucketize": 150, "generalize": 250, "generalize_table": 300, "hide": 60, "rules": 12}


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


@pytest.mark.parametrize("method", METHODS)
def test_some_random_inputs(method: str, memory: Path, tally: Tally) -> None:
    check_many(method, FEW[method], 0, memory, tally)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("method", METHODS)
def test_many_random_inputs(method: str, batch: int, memory: Path, tally: Tally) -> None:
    wanted = int(os.environ.get("TACIT_SOAK", GOAL))
    count = math.ceil(wanted * SHARES[method] / BATCHES)
    check_many(method, count, 10_000_000 * (batch + 1), memory, tally)


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
