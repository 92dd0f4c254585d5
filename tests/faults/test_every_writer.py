"""A kill, a full disk or an I/O error at every write point of everything that Tacit writes."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import tacit.release.published
from tacit.errors import OutputError, TacitError
from tacit.release import recover
from tacit_verify.verifying import verify
from tests.faults.injection import NEVER, Killed, die, failing, fault
from tests.faults.releases import left_over
from tests.faults.writers import CANARY, Save, file_writers, release_writers, verify_here
from tests.tally import Tally

KINDS = (
    "bucketize",
    pytest.param("bucketize, permuted", marks=pytest.mark.ci),
    "generalize",
    "hide",
    "rules",
)
FILES = (
    "mined.csv",
    "mined.json",
    "sample.csv",
    "sample.csv.gz",
    "sample.dat",
    "sample.jsonl",
    "hierarchy.csv",
)
ERRORS = (errno.ENOSPC, pytest.param(errno.EIO, marks=pytest.mark.ci))


@pytest.fixture(scope="module")
def writers() -> dict[str, Save]:
    return release_writers() | file_writers()


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Path]]:
    """Fresh folders, in memory where the machine has such a disk."""
    monkeypatch.setattr(tacit.release.published, "verify_in_fresh_process", verify_here)
    root = Path(tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    numbers = itertools.count()
    yield lambda: root / f"{next(numbers)}"
    shutil.rmtree(root)


def is_whole(target: Path) -> bool:
    """Whether a release is there; it must keep its promise, and name nobody."""
    if not target.exists():
        return False
    assert all(check.ok is not False for check in verify(target))
    assert not any(CANARY.encode() in path.read_bytes() for path in target.iterdir())
    return True


def points(save: Save, target: Path, **how: bool) -> list[str]:
    """The write points of a run without a fault; one before it loads and compiles what it needs."""
    save(target.with_name(f"first-{target.name}"), **how)
    with fault(NEVER, die) as met:
        save(target, **how)
    return met


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_is_killed_at_every_point(
    kind: str, writers: dict[str, Save], folders: Callable[[], Path], tally: Tally
) -> None:
    save = writers[kind]
    seen = set()
    for at in range(len(points(save, folders() / "out"))):
        tally("crash points", f"{kind}, kill")
        target = folders() / "out"
        with fault(at, die), pytest.raises(Killed):
            save(target)
        left_over(target)  # and nobody else can read it
        seen.add(is_whole(target))
        save(target, overwrite=True)  # the next run tidies up
        assert is_whole(target)
        assert left_over(target) == []
    assert seen == {False, True}


@pytest.mark.parametrize("number", ERRORS, ids=errno.errorcode.__getitem__)
@pytest.mark.parametrize("kind", KINDS)
def test_a_release_meets_an_error_at_every_point(
    kind: str, number: int, writers: dict[str, Save], folders: Callable[[], Path], tally: Tally
) -> None:
    save = writers[kind]
    refusals = 0
    for at, point in enumerate(points(save, folders() / "out")):
        tally("crash points", f"{kind}, {errno.errorcode[number]}")
        target = folders() / "out"
        try:
            with fault(at, failing(number)):
                save(target)
        except TacitError as error:
            refusals += 1
            said = "output-no-space" if number == errno.ENOSPC else "output-failed"
            # A temporary folder that cannot be removed from the release is refused by the verifier.
            tidying = point in ("open", "unlink", "rmdir")
            assert error.code in (said, "key-unreadable", *(["verification-failed"] if tidying else []))
            if not is_whole(target):
                assert list(target.parent.parent.glob("*/.*")) == []
                assert not target.parent.exists()  # it was made for the release
        else:
            assert point in ("open", "unlink", "rmdir", "mkdir", "read")  # what only tidies up
            assert is_whole(target)
        if target.parent.exists():
            recover(target)
            assert left_over(target) == []
    assert refusals > 20


# What is thrown away after a simulated kill is closed by newer Pythons, and nothing can be written then.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "strike", ["kill", *(pytest.param(name, marks=pytest.mark.ci) for name in ("ENOSPC", "EIO"))]
)
@pytest.mark.parametrize("name", FILES)
def test_a_file_at_every_point(
    name: str, strike: str, writers: dict[str, Save], folders: Callable[[], Path], tally: Tally
) -> None:
    """The old file or the new one, never a part of it; others cannot read what is left over."""
    save = writers[name]
    first = folders() / name
    new_points = points(save, first)
    content = first.read_bytes()
    assert len(new_points) > 4
    for before, count in ((None, len(new_points)), (b"old", len(points(save, first, overwrite=True)))):
        for at in range(count):
            tally("crash points", f"one file, {strike}")
            target = folders() / name
            if before is not None:
                target.parent.mkdir()
                target.write_bytes(before)
            how = {"overwrite": True} if before is not None else {}
            injected = die if strike == "kill" else failing(getattr(errno, strike))
            with fault(at, injected), suppress(Killed, OutputError):
                save(target, **how)
            found = target.read_bytes() if target.exists() else None
            assert found in (before, content)
            beside = [path for path in target.parent.glob("*") if path != target]
            beside += target.parent.glob(".*")
            assert all(stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 for path in beside)
            save(target, overwrite=True)
            assert target.read_bytes() == content
            assert list(target.parent.iterdir()) == [target]
