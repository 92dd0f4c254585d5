"""What the tests tried and what went wrong, counted by the tests that ran and printed at the end.

A test counts through the fixture ``tally``, or is itself one thing tried, by the marker of that name::

    @pytest.mark.tally("planted faults", "hide")

The counts travel with the reports of the tests, so that those of several processes add up. A test
that fails has at least one thing wrong in everything that it counts.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any

import pytest

GOAL = 1_000_000
"""The random inputs of a full soak, all methods together."""

WRONG = {
    "random inputs verified": "violations",
    "planted faults": "not caught",
    "crash points": "torn",
    "stops and clashes": "not clean",
    "bad inputs": "not as stated",
    "canaries": "hits",
    "attacks": "people named",
    "same bytes": "different",
    "fuzzed inputs": "not refused in order",
    "mutants": "survived",
    "recognized again": "missed",
    "unrelated data": "noticed",
}
"""The sections of the summary, in their order, and what going wrong is called in each."""


@dataclass
class Count:
    """Things tried, things that went wrong, and the seconds of processor time that the tests took."""

    tried: int = 0
    wrong: int = 0
    seconds: float = 0.0


class Tally:
    """Counts what one test tries; it is the fixture ``tally``."""

    def __init__(self, properties: list[tuple[str, Any]]) -> None:
        self._properties = properties

    def __call__(self, section: str, part: str, *, tried: int = 1, wrong: int = 0) -> None:
        assert section in WRONG
        self._properties.append(("tally", [section, part, tried, wrong]))


class Summary:
    """Adds up the counts of the whole session, and prints them."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], Count] = {}
        self.started = monotonic()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        for marker in item.iter_markers("tally"):
            Tally(item.user_properties)(*marker.args)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        before = sum(os.times()[:4])  # with the processes that the test started
        try:
            return (yield)
        finally:
            item.user_properties.append(("processor", sum(os.times()[:4]) - before))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" or report.skipped:
            return
        tallied = [value for name, value in report.user_properties if name == "tally"]
        seconds = sum(value for name, value in report.user_properties if name == "processor")
        parts = set()
        for section, part, tried, wrong in tallied:
            count = self.counts.setdefault((section, part), Count())
            count.tried += tried
            count.wrong += wrong
            parts.add((section, part))
        for section, part in parts:
            count = self.counts[section, part]
            count.seconds += seconds / len(parts)
            if report.failed and not sum(wrong for *where, _, wrong in tallied if where == [section, part]):
                count.wrong += 1

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.counts:
            return
        terminalreporter.section("what was tried")
        for line in self.lines():
            terminalreporter.write_line(line)

    def lines(self) -> Iterator[str]:
        """The table: a line for each part, a total for each section of several parts."""
        for section, word in WRONG.items():
            counts = {part: count for (other, part), count in self.counts.items() if other == section}
            for part, count in sorted(counts.items()):
                yield _line(section, part, count, word)
            if len(counts) > 1:
                whole = Count(*(sum(getattr(one, name) for one in counts.values()) for name in vars(Count())))
                yield _line(section, "all", whole, word)
        yield from self._rate()
        elapsed = _duration(monotonic() - self.started)
        yield f"Seconds are of the processor, over all processes; by the clock it was {elapsed} in all."

    def _rate(self) -> Iterator[str]:
        counts = [count for (section, _), count in self.counts.items() if section == "random inputs verified"]
        tried, seconds = sum(count.tried for count in counts), sum(count.seconds for count in counts)
        if tried and seconds:
            whole = _duration(GOAL / tried * seconds)
            yield (
                f"Random inputs: {tried / seconds:,.0f} a second of processor time; "
                f"{GOAL:,} in this mixture would take {whole} of it."
            )


def _line(section: str, part: str, count: Count, word: str) -> str:
    return (
        f"{section:<24}{part:<40}{count.tried:>11,} tried {count.wrong:>5} {word:<22}"
        f"{_duration(count.seconds):>10}"
    )


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
