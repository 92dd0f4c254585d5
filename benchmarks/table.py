"""The one way in which the benchmarks record what they measured: rows of the table of ``make bench``.

Every benchmark prints its own figures as it goes and calls :func:`record` for each that belongs into the
table. The row is appended, as a line of JSON, to the file that TACIT_BENCH_ROWS names; run.py collects them.

A row's ``value`` is what its ``bound`` is about, named by ``figure``: by default ``RATIO``, our CPU seconds
divided by the peer's in the same run, so that less is better everywhere and "ten times faster" is 0.1.
"""

from __future__ import annotations

import json
import math
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # for the experiments of papers/

RATIO = "ours ÷ peer"
SLOPE = "slope"
SECONDS = "CPU s"
WALL = "wall s"
MEMORY = "MB"
NOT_INSTALLED = "not installed"
STOPPED = "stopped"
PEERS = Path(__file__).resolve().parents[1] / ".venv-peers" / "bin" / "python"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: what ran on how much, what it took, who stands beside it, and what was asked for."""

    area: str
    what: str
    size: str = ""
    cpu: float | None = None
    wall: float | None = None
    peak_mb: float | None = None
    peer: str = ""
    peer_cpu: float | None = None
    peer_stopped: bool = False
    """The peer was stopped after ``peer_cpu`` seconds, so the ratio is at most the one shown."""
    figure: str = RATIO
    value: float | None = None
    bound: float | None = None
    at_least: bool = False
    """The bound is a least value; otherwise it is a largest one."""
    quality: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the bound is met; None where there is none, or where nothing was measured."""
        if self.bound is None or self.value is None:
            return None
        return self.value >= self.bound if self.at_least else self.value <= self.bound

    @property
    def name(self) -> tuple[str, str, str, str, str]:
        """What makes two rows of different runs the same row."""
        return (self.area, self.what, self.size, self.peer, self.figure)


@dataclass(frozen=True)
class Taken:
    """The least seconds of several runs."""

    cpu: float
    wall: float


def record(row: Row) -> None:
    """Add a row to the table; a ratio that was not given is worked out."""
    if row.figure == RATIO and row.value is None and row.cpu is not None and row.peer_cpu:
        row = Row(**{**asdict(row), "value": row.cpu / row.peer_cpu})
    if target := os.environ.get("TACIT_BENCH_ROWS"):
        with Path(target).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")


def best(work: Callable[[], object], repeats: int = 3, *, warm: bool = True) -> Taken:
    """The least CPU and wall seconds of several runs, after one that may compile."""
    if warm:
        work()
    cpus, walls = [], []
    for _ in range(repeats):
        begun, started = time.perf_counter(), time.process_time()
        work()
        cpus.append(time.process_time() - started)
        walls.append(time.perf_counter() - begun)
    return Taken(max(min(cpus), 1e-9), max(min(walls), 1e-9))


def slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The growth from the smallest size to the largest, as a power of the size: 1 is linear."""
    return math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])


def record_slope(
    area: str, what: str, sizes: Sequence[int], seconds: Sequence[float], bound: float | None = None
) -> float:
    """Add the row of a slope over several sizes, with the seconds at each."""
    found = slope(sizes, seconds)
    told = ", ".join(f"{size:,}: {each:.3g} s" for size, each in zip(sizes, seconds, strict=True))
    record(
        Row(
            area=area,
            what=what,
            size=f"{sizes[0]:,} to {sizes[-1]:,}",
            cpu=seconds[-1],
            figure=SLOPE,
            value=found,
            bound=bound,
            quality=told,
        )
    )
    return found


def peak_mb() -> float:
    """The most memory this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_at_most(
    cpu_seconds: int, command: Sequence[str], environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a process that the system stops (SIGXCPU) after so many seconds of CPU, however busy it is."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))

    return subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, env=environment)


def peers_python() -> Path | None:
    """The python of the environment in which the peers live that pin old packages, where there is one."""
    python = Path(os.environ.get("TACIT_PEERS") or PEERS)
    return python if python.exists() else None


def ask_peer(script: str, *words: str, patience: int = 120) -> dict[str, float] | str:
    """What a script of this folder prints as JSON when run by that python; a word where it does not."""
    python = peers_python()
    if python is None:
        return NOT_INSTALLED
    command = [str(python), str(Path(__file__).with_name(script)), *words]
    run = run_at_most(patience, command)
    if run.returncode == -signal.SIGXCPU:
        return STOPPED
    if run.returncode:
        last = (run.stderr.strip().splitlines() or ["no message"])[-1]
        return NOT_INSTALLED if "ModuleNotFoundError" in last else f"failed: {last}"
    answer: dict[str, float] = json.loads(run.stdout.strip().splitlines()[-1])
    return answer
