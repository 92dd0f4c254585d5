"""Ctrl-C, a request to end, kills at random moments: within 2 s, and nothing is left behind."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from tacit.errors import VerificationError
from tacit.release import recover
from tests.faults.injection import exit_code, start_child
from tests.faults.releases import in_place, left_over, publish_small
from tests.tally import Tally


@pytest.mark.tally("stops and clashes", "the store, stopped by a signal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("before", [None, "old"])
def test_stopped_in_the_middle(number: signal.Signals, before: str | None, tmp_path: Path) -> None:
    target = tmp_path / "below" / "out"
    if before is not None:
        publish_small(target, before)
    started = os.pipe()

    def dawdle(folder: Path) -> None:
        os.write(started[1], b"!")
        for _ in range(600):  # a signal just before a long sleep would be noticed after it
            time.sleep(0.1)

    def run() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored where the tests run under nohup
        publish_small(target, "new", overwrite=True, verify=dawdle)

    child = start_child(run)
    os.read(started[0], 1)
    sent = time.monotonic()
    os.kill(child, number)
    assert exit_code(child) == 130
    assert time.monotonic() - sent < 2
    assert in_place(target) == before
    assert left_over(target) == []
    assert target.parent.exists() == (before is not None)


def test_signals_are_given_back(tmp_path: Path) -> None:
    publish_small(tmp_path / "out")
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_refused_by_the_verifier(tmp_path: Path) -> None:
    target = tmp_path / "out"
    publish_small(target, "old")

    def refuse(folder: Path) -> None:
        assert {path.name for path in folder.iterdir()} == {"qit.csv", "st.csv", "release.json"}
        assert folder.parent.stat().st_mode & 0o077 == 0  # nobody else can look at it meanwhile
        raise VerificationError("It lies.", code="verification-failed")

    with pytest.raises(VerificationError):
        publish_small(target, "new", overwrite=True, verify=refuse)
    assert in_place(target) == "old"
    assert left_over(target) == []


def test_killed_at_random_moments(tmp_path: Path, tally: Tally) -> None:
    target = tmp_path / "out"
    publish_small(target, "run")
    moments = random.Random(7)

    def run() -> None:
        while True:
            publish_small(target, f"run-{''.join(moments.choices('abcdefgh', k=8))}", overwrite=True)

    for _ in range(60):
        tally("crash points", "the store, kill at a random moment")
        child = start_child(run)
        time.sleep(moments.uniform(0.0, 0.03))
        os.kill(child, signal.SIGKILL)
        assert exit_code(child) == -9
        assert str(in_place(target)).startswith("run")
        left_over(target)
    recover(target)
    assert left_over(target) == []
