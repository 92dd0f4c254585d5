"""A kill, a full disk or an I/O error at every write point: never a torn release."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tacit.errors import OutputError
from tacit.release import recover
from tests.faults.injection import NEVER, exit_code, failing, fault, kill, start_child
from tests.faults.releases import in_place, left_over, publish_small, whole
from tests.tally import Tally

# What is there before the run, what the run publishes, and whether the disk can exchange folders.
SCENARIOS = {
    "first": (None, "new", True),
    "replace": ("old", "new", True),
    "replace-without-exchange": ("old", "new", False),
    "again": ("new", "new", True),
    "again-without-exchange": ("new", "new", False),
}


@pytest.fixture
def folders() -> Iterator[Callable[[], Path]]:
    """Fresh targets, in memory where the machine has such a disk: thousands of runs follow."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    root = Path(tempfile.mkdtemp(dir=memory))
    numbers = itertools.count()
    yield lambda: root / f"{next(numbers)}" / "below" / "out"
    shutil.rmtree(root)


def _prepare(target: Path, before: str | None) -> None:
    if before is not None:
        with fault(NEVER, kill):
            publish_small(target, before)


def _run(target: Path, scenario: str, at: int, strike: Callable[[], object]) -> list[str]:
    """One run with a fault; the points it met."""
    before, label, can_exchange = SCENARIOS[scenario]
    with fault(at, strike, can_exchange=can_exchange) as met:
        publish_small(target, label, overwrite=before is not None)
    return met


def _points(target: Path, scenario: str) -> list[str]:
    _prepare(target, SCENARIOS[scenario][0])
    met = _run(target, scenario, NEVER, kill)
    assert len(met) > 30
    assert in_place(target) == SCENARIOS[scenario][1]
    assert left_over(target) == []
    return met


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(name, marks=[] if name == "first" else [pytest.mark.ci]) for name in SCENARIOS],
)
def test_kill_at_every_point(scenario: str, folders: Callable[[], Path], tally: Tally) -> None:
    before, label, can_exchange = SCENARIOS[scenario]
    seen = set()
    for at in range(len(_points(folders(), scenario))):
        tally("crash points", "the store, kill")
        target = folders()
        _prepare(target, before)
        assert exit_code(start_child(lambda at=at, target=target: _run(target, scenario, at, kill))) == -9

        # The release in place is whole, and so is its record. Without an exchange each may be away
        # for an instant, but never torn.
        left_over(target)
        found = in_place(target) if can_exchange else whole(target)
        assert found in (before, label, None if not can_exchange else label)
        seen.add(found)

        if at % 2:  # the next run mends it, and so does asking for it
            recover(target)
            assert in_place(target) in (before, label)
        else:
            publish_small(target, "next", overwrite=True)
            assert in_place(target) == "next"
        assert left_over(target) == []
    assert seen >= {before, label}


@pytest.mark.ci
@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("scenario", ["replace", "replace-without-exchange"])
def test_kill_while_mending_after_a_kill(
    scenario: str, step: int, folders: Callable[[], Path], tally: Tally
) -> None:
    before, label, can_exchange = SCENARIOS[scenario]

    def mend(target: Path, at: int) -> None:
        with fault(at, kill, can_exchange=can_exchange):
            recover(target)

    for first in range(0, len(_points(folders(), scenario)), step):
        for second in itertools.count():
            tally("crash points", "the store, a second kill")
            target = folders()
            _prepare(target, before)
            start = start_child(lambda first=first, target=target: _run(target, scenario, first, kill))
            assert exit_code(start) == -9
            ended = exit_code(start_child(lambda second=second, target=target: mend(target, second)))
            left_over(target)
            recover(target)
            assert in_place(target) in (before, label)
            assert left_over(target) == []
            if ended == 0:
                break


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO], ids=["full-disk", "io-error"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_error_at_every_point(scenario: str, number: int, folders: Callable[[], Path], tally: Tally) -> None:
    before, label, _ = SCENARIOS[scenario]
    refusals = 0
    for at in range(len(_points(folders(), scenario))):
        tally("crash points", f"the store, {errno.errorcode[number]}")
        target = folders()
        _prepare(target, before)
        try:
            met = _run(target, scenario, at, failing(number))
        except OutputError as error:
            refusals += 1
            assert error.code == ("output-no-space" if number == errno.ENOSPC else "output-failed")
            assert in_place(target) in (before, label)
            if in_place(target) == before != label:
                assert left_over(target) == []
                assert target.parent.exists() == (before is not None)
        else:
            # Two things may fail without a word: to clean up, which the next run does, and to make a
            # folder that is there.
            assert met[at] in ("open", "unlink", "rmdir", "read", "mkdir")
            assert in_place(target) == label
        if target.parent.exists():
            recover(target)
        assert in_place(target) in (before, label)
        assert left_over(target) == []
    assert refusals > 25
