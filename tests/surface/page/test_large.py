"""A file of 200 MB through the page: neither the server nor its worker holds more than 2 GB."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import polars as pl
import pytest

pytestmark = pytest.mark.slow

BYTES = 200 << 20
LIMIT = 2 << 30
LONGEST = 1_800
"""Seconds that any step may take on a busy machine."""


def write_table(path: Path) -> None:
    """A table about people of at least 200 MB: identifiers, four quasi-identifiers, a disease."""
    rows = 4_900_000
    draw = np.random.default_rng(7)
    diseases = np.array([f"disease {number:02d}" for number in range(40)])
    wards = np.array(["surgery", "medicine", "children", "emergency", "psychiatry"])
    pl.DataFrame(
        {
            "patient_id": np.arange(10_000_000, 10_000_000 + rows),
            "zip": draw.integers(10_000, 10_900, rows),
            "age": draw.integers(0, 100, rows),
            "sex": np.array(["female", "male"])[draw.integers(0, 2, rows)],
            "ward": wards[draw.integers(0, len(wards), rows)],
            "disease": diseases[np.minimum(draw.geometric(0.08, rows) - 1, 39)],
        }
    ).write_csv(path)
    assert path.stat().st_size >= BYTES


class Watch(threading.Thread):
    """The most memory that a process, and any process it started, has held."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.process, self.own, self.workers, self.over = process, 0, 0, False

    def run(self) -> None:
        while not self.over:
            self.own = max(self.own, peak(self.process))
            tasks = Path(f"/proc/{self.process}/task/{self.process}/children")
            for worker in tasks.read_text().split() if tasks.exists() else ():
                self.workers = max(self.workers, peak(int(worker)))
            sleep(0.1)


def peak(process: int) -> int:
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return 0
    return int(found.group(1)) << 10 if found else 0


def test_a_large_file(browser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_table(tmp_path / "people.csv")
    command = [
        sys.executable,
        "-m",
        "tacit",
        "serve",
        "--no-browser",
        "--temporary",
        "--folder",
        str(tmp_path),
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = re.search(r"http://\S+", server.stdout.readline())
    assert address is not None
    watch = Watch(server.pid)
    watch.start()
    took = {}
    page = browser.new_page()
    page.set_default_timeout(LONGEST * 1000)
    try:
        started = monotonic()
        page.goto(address.group())
        page.locator(".drop input").set_input_files(tmp_path / "people.csv")
        page.wait_for_selector("#step-2 .tiles, .error")
        took["upload and look"] = monotonic() - started
        page.locator("#step-next").click()
        page.get_by_role("button", name="Confirm these roles").click()
        page.wait_for_selector("#step-4 form, .error", state="attached")
        page.locator("#step-next").click()
        started = monotonic()
        page.get_by_role("button", name="Make the release").click()
        page.wait_for_selector("#step-6 .promise, .error")
        took["make, judge and verify"] = monotonic() - started
        assert not page.locator(".error").all_inner_texts()
        started = monotonic()
        page.locator("#step-next").click()
        page.get_by_role("button", name="Publish").click()
        page.wait_for_selector("#step-7 .downloads, .error")
        took["publish and pack"] = monotonic() - started
        assert not page.locator(".error").all_inner_texts()
        size = (tmp_path / "people.csv").stat().st_size
    finally:
        page.close()
        server.terminate()
        server.wait(30)
        watch.over = True
    with capsys.disabled():
        held = f"server {watch.own / 2**20:.0f} MB, workers {watch.workers / 2**20:.0f} MB"
        print(f"\n{size / 2**20:.0f} MB: {held}")
        print(", ".join(f"{what} {seconds:.0f} s" for what, seconds in took.items()))
    assert watch.own < LIMIT
