"""Two runs on one output: one whole release, the other exits 6."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import BinaryIO

import pytest

from tacit.errors import OutputError
from tacit.release import publish, recover
from tests.faults.injection import exit_code, start_child
from tests.faults.releases import in_place, left_over, manifest, publish_small
from tests.tally import Tally


def test_the_second_is_refused_while_the_first_writes(tmp_path: Path) -> None:
    target = tmp_path / "out"
    other = tmp_path / "other" / "out"
    started, go = os.pipe(), os.pipe()

    def wait(folder: Path) -> None:
        os.write(started[1], b"!")
        os.read(go[0], 1)

    child = start_child(lambda: publish_small(target, "first", verify=wait))
    os.read(started[0], 1)
    try:
        for overwrite in (False, True):
            with pytest.raises(OutputError) as caught:
                publish_small(target, "second", overwrite=overwrite)
            assert (caught.value.code, caught.value.exit_code) == ("output-busy", 6)
        with pytest.raises(OutputError):  # nor may anybody tidy up under the first
            recover(target)
        publish_small(other, "elsewhere")  # another output is free
    finally:
        os.write(go[1], b"!")
    assert exit_code(child) == 0
    assert in_place(target) == "first"
    assert in_place(other) == "elsewhere"
    assert {path.name for path in tmp_path.iterdir()} == {"out", "out.private", "other"}


def test_many_start_at_once(tmp_path: Path, tally: Tally) -> None:
    for turn in range(10):
        tally("stops and clashes", "the store, six writers at once")
        target = tmp_path / f"{turn}" / "out"
        children = [
            start_child(lambda n=n, t=target: publish_small(t, f"run-{'abcdef'[n]}")) for n in range(6)
        ]
        codes = sorted(exit_code(child) for child in children)
        assert codes == [0, 6, 6, 6, 6, 6]
        assert str(in_place(target)).startswith("run-")
        assert left_over(target) == []


def test_many_replace_at_once(tmp_path: Path, tally: Tally) -> None:
    target = tmp_path / "out"
    publish_small(target, "old")
    for _ in range(10):
        tally("stops and clashes", "the store, six writers at once")
        children = [
            start_child(lambda n=n: publish_small(target, f"run-{'abcdef'[n]}", overwrite=True))
            for n in range(6)
        ]
        codes = {exit_code(child) for child in children}
        assert 0 in codes
        assert codes <= {0, 6}
        assert str(in_place(target)).startswith("run-")
        assert left_over(target) == []


def test_a_run_inside_its_own_verifier_is_refused(tmp_path: Path) -> None:
    """The lock holds between two writers in one process too."""
    target = tmp_path / "out"
    with pytest.raises(OutputError) as caught:
        publish(target, {}, manifest(), {}, verify=lambda folder: publish_small(target))
    assert caught.value.code == "output-busy"
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_removed_file_is_worth_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run ends and another begins between our opening the lock file and our locking it."""
    path = tmp_path / ".out.tacit-lock"
    real = fcntl.flock
    others: list[BinaryIO] = []

    def late(file: BinaryIO, operation: int) -> None:
        if not others:
            path.unlink()
            others.append(path.open("wb"))
            real(others[0], operation)
        real(file, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with pytest.raises(OutputError) as caught:
        publish_small(tmp_path / "out")
    assert caught.value.code == "output-busy"
    others[0].close()
    publish_small(tmp_path / "out")
    assert in_place(tmp_path / "out") == "new"
