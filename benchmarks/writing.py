"""The table of ``make bench`` as a page: the rows by area, what is not met first, and the circumstances."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from table import RATIO, Row, peers_python

HERE = (
    "tacit",
    "numpy",
    "scipy",
    "numba",
    "polars",
    "pyfim",
    "mlxtend",
    "efficient-apriori",
    "cvxpy",
    "clarabel",
)
APART = ("pami", "pycanon", "anjana")


@dataclass(frozen=True)
class Circumstances:
    """Where, when and with what the table was measured."""

    date: str
    machine: str
    python: str
    versions: dict[str, str]
    minutes: float
    load_before: float
    load_after: float


def circumstances(*, seconds: float, load_before: float) -> Circumstances:
    """Those of the run that has just ended."""
    versions = {name: found for name in HERE if (found := _version(name))}
    if python := peers_python():
        code = (
            "import json\nfrom importlib.metadata import version, PackageNotFoundError\nfound = {}\n"
            f"for name in {APART!r}:\n    try:\n        found[name] = version(name)\n"
            "    except PackageNotFoundError:\n        pass\nprint(json.dumps(found))"
        )
        versions |= json.loads(
            subprocess.run([str(python), "-c", code], capture_output=True, check=True).stdout
        )
    return Circumstances(
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        machine=f"{_processor()}, {os.cpu_count()} cores, {_gigabytes():.0f} GB, {platform.system()}",
        python=platform.python_version(),
        versions=versions,
        minutes=seconds / 60,
        load_before=load_before,
        load_after=os.getloadavg()[0],
    )


def as_markdown(
    rows: list[Row], about: Circumstances, failed: list[str], *, slack: float, steeper: float
) -> str:
    """The page."""
    asked = [row for row in rows if row.met is not None]
    missed = [row for row in asked if not row.met]
    absent = [row for row in rows if row.bound is not None and row.value is None]
    load = f"{about.load_before:.1f} before, {about.load_after:.1f} after"
    parts = [
        "# What was measured\n",
        f"One run on one machine: {about.machine}; Python {about.python}; {about.date}; "
        f"{about.minutes:.0f} minutes; load of the machine {load}. Made by `make bench`; nothing here is "
        "typed in, except where a row says that it is quoted.\n",
        "Versions: " + ", ".join(f"{name} {number}" for name, number in about.versions.items()) + ".\n",
        f"**{len(asked) - len(missed)} of {len(asked)} bounds are met.**\n",
    ]
    if missed or absent or failed:
        parts += ["## Not met\n", *(f"- {_told(row)}" for row in missed)]
        parts += [
            f"- {row.area}: {row.what} {row.size}: not measured, {row.peer or row.quality}" for row in absent
        ]
        parts += [
            f"- the benchmark of {name} ended badly; its rows are missing or incomplete" for name in failed
        ]
        parts.append("")
    parts += [
        "## How to read it\n",
        "Seconds are CPU seconds, the least of several runs after one that compiles, so that other work on\n"
        "the machine matters little; wall seconds beside them. `ours ÷ peer` is the ratio of CPU seconds in\n"
        "this run: less is better, 0.1 is ten times faster. A slope is the power of the size with which\n"
        "seconds grow: 1 is linear. A `>` marks a peer that was stopped, so that the true ratio is smaller\n"
        "still. The last column is what came out, not how long it took.\n",
        f"`make bench` fails where a ratio is more than {slack} times the one of the table that is here, or\n"
        f"a slope steeper by more than {steeper}. Seconds are never compared between runs.\n",
    ]
    for area in dict.fromkeys(row.area for row in rows):
        parts += [f"## {area.capitalize()}\n", *_table([row for row in rows if row.area == area]), ""]
    return "\n".join(parts)


def _table(rows: list[Row]) -> list[str]:
    heads = (
        "what",
        "size",
        "CPU s",
        "wall s",
        "peak MB",
        "peer",
        "its CPU s",
        "figure",
        "",
        "asked for",
        "met",
        "quality",
    )
    lines = ["| " + " | ".join(heads) + " |", "|---|---|--:|--:|--:|---|--:|---|--:|--:|---|---|"]
    for row in rows:
        met = {None: "", True: "yes", False: "**no**"}[row.met]
        beside = f"{'> ' if row.peer_stopped else ''}{_number(row.peer_cpu)}"
        shown = f"{'< ' if row.peer_stopped and row.figure == RATIO else ''}{_number(row.value)}"
        figure = row.figure if row.value is not None else ""
        cells = (row.what, row.size, _number(row.cpu), _number(row.wall), _number(row.peak_mb), row.peer,
                 beside, figure, shown, _asked(row), met, row.quality)  # fmt: skip
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return lines


def _told(row: Row) -> str:
    beside = f" beside {row.peer}" if row.peer else ""
    found = f"{row.figure} {_number(row.value)}, asked for {_asked(row)}"
    return f"{row.area}: {row.what}, {row.size}{beside}: {found}"


def _asked(row: Row) -> str:
    return "" if row.bound is None else f"{'≥' if row.at_least else '≤'} {_number(row.bound)}"


def _number(value: float | None) -> str:
    """Three figures, and no more digits than that."""
    if value is None:
        return ""
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 0.001 else f"{value:.1e}"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    if file.exists():
        for line in file.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def _gigabytes() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
