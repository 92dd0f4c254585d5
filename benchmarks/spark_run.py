"""One run of a benchmark on Spark, or beside it, in a fresh process: its steps, and its peak memory."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from spark_watch import Watch

import tacit
from tacit.release import published

DRIVER = os.environ.get("TACIT_DRIVER", "3g")
FOLDER = "TACIT_BENCHMARK"
"""The environment variable that tells a fresh process where the data are."""


def in_fresh_process(
    script: str, *flags: str, folder: Path, timeout: float | None = None
) -> dict[str, float] | None:
    """What a run took, with nothing before it; None where it takes longer than ``timeout`` seconds."""
    process = subprocess.Popen(
        [sys.executable, script, *flags],
        env={**os.environ, FOLDER: str(folder), "PYSPARK_DRIVER_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        text=True,
    )
    watch = Watch(process.pid)
    try:
        told, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()
        return None
    finally:
        seen = watch.stop()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, script)
    found: dict[str, float] = json.loads(told.splitlines()[-1])
    return seen | found


STEPS = ("read", "count", "solve", "apply", "judge", "save", "verify")
BEGUN = {
    "Counting": "count",
    "Mining": "count",
    "Making buckets": "solve",
    "Looking for": "solve",
    "Choosing victim pairs": "solve",
    "m =": "solve",
    "Dealing": "apply",
    "Carrying": "apply",
    "Taking items out": "apply",
    "Judging": "judge",
    "Measuring": "judge",
}
"""With what a verb says a step begins."""
HEADER = (
    "".join(f"{step:>8}" for step in STEPS)
    + f"{'seconds':>9}{'CPU s':>8}"
    + "".join(f"{kind:>10}" for kind in ("python", "java", "workers", "verifier"))
)


def line_of(found: dict[str, float]) -> str:
    """The steps of a run by the clock, all of it, the processor seconds, the peaks in MB."""
    seconds = [found.get(step, 0.0) for step in STEPS]
    peaks = [found.get(kind, 0.0) for kind in ("python", "java", "workers", "verifier")]
    steps = "".join(f"{one:>8.1f}" for one in seconds)
    return f"{steps}{sum(seconds):>9.1f}{found['cpu']:>8.0f}" + "".join(f"{one:>10,.0f}" for one in peaks)


class Run:
    """The run inside that process: the engine it is for, where the data are, and a clock."""

    def __init__(self, engine: str) -> None:
        self.folder = Path(os.environ[FOLDER])
        self.spark = None if engine == "local" else started_spark()
        self._steps: dict[str, float] = {}
        self._now = "count"
        self._last = time.perf_counter()

    def source(self) -> Path:
        """The transactions: the folder of parts for Spark; else one file, made outside the time taken."""
        parts = self.folder / "parts"
        if self.spark is not None:
            return parts
        whole = self.folder / "whole.dat"
        with whole.open("wb") as file:
            for part in sorted(parts.iterdir()):
                file.write(part.read_bytes())
        self._last = time.perf_counter()
        return whole

    def step(self, name: str) -> None:
        """A step is done."""
        now = time.perf_counter()
        self._steps[name] = self._steps.get(name, 0.0) + now - self._last
        self._last = now

    def progress(self, what: str, share: float | None) -> None:
        """What a verb says it is doing: a step is done where another begins."""
        begun = next((step for word, step in BEGUN.items() if what.startswith(word)), self._now)
        if begun != self._now:
            self.step(self._now)
            self._now = begun

    def save(self, release: Any) -> None:
        """The last steps: what is measured now, the files, the verifier."""
        self.step(self._now)
        release = release.complete()
        self.step("judge")
        checked = published.verify_in_fresh_process

        def verify(*given: Any, **named: Any) -> None:
            self.step("save")
            checked(*given, **named)
            self.step("verify")

        published.verify_in_fresh_process = verify
        release.save(self.folder / "release", overwrite=True)
        self.step("save")

    def tell(self, **figures: float) -> None:
        """Print what the process that started this one reads: seconds by step, peak memory in MB, figures."""
        python = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        java = 0.0 if self.spark is None else java_peak(self.spark)
        print(json.dumps({**self._steps, "python": python, "java": java, **figures}))


def started_spark() -> tacit.SparkEngine:
    """Spark in local mode, as Tacit starts it, with a driver of so many GB that its process stays below 4."""
    from pyspark.sql import SparkSession

    from tacit.io.spark.session import LOCAL

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[*]").config("spark.driver.memory", DRIVER)
    for name, value in LOCAL.items():
        builder = builder.config(name, value)
    return tacit.SparkEngine(builder.getOrCreate())


def java_peak(engine: tacit.SparkEngine) -> float:
    """The peak memory of Spark's own process, in MB."""
    process = engine.session._jvm.java.lang.ProcessHandle.current().pid()
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


def write_parts(folder: Path, chunks: Iterable[tacit.Transactions]) -> None:
    """Transactions as the files of a folder, a chunk in each, in place of those of an earlier size."""
    folder.mkdir(exist_ok=True)
    for part in folder.iterdir():
        part.unlink()
    for number, some in enumerate(chunks):
        tacit.write_transactions(some, folder / f"part-{number:03}.dat")


def add_mining(parser: argparse.ArgumentParser) -> None:
    """The options of :mod:`spark_mine`."""
    parser.add_argument("--mine", action="store_true", help="mine itemsets, beside FP-growth of Spark")
    parser.add_argument("--support", type=float, default=0.01, help="with --mine: the least share (0.01)")
    parser.add_argument("--timeout", type=int, default=600, help="with --mine: seconds for FP-growth (600)")
