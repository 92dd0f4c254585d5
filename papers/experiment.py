"""What a reproduced paper is made of: figures with tidy data, charts of them, and findings.

A *finding* sets what a paper prints beside what is found here, and says plainly where they differ and
why. A *figure* holds the rows it is drawn from, so that the data, the charts and the findings cannot part
ways. Everything is frozen: an experiment gives a result object, writing it is somebody else's work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from string import ascii_lowercase
from typing import Any

from tacit.showing.chart import Cell, Chart
from tacit.showing.layout import count

OTHER_DATA = "The paper's data are not at hand, and these are others."
Tell = Callable[[str], None]
"""Says what is being done, for somebody who waits."""


@dataclass(frozen=True)
class Finding:
    """Something a paper prints or claims, beside what was found here.

    ``agrees`` is None where the two cannot be compared, because the data are others. Whatever does not
    agree says why. A finding holds ``anywhere`` when it does not depend on the data.
    """

    label: str
    printed: str
    ours: str
    agrees: bool | None
    why: str = ""
    anywhere: bool = False

    def __post_init__(self) -> None:
        if not self.agrees and not self.why:
            raise ValueError(f"the finding {self.label!r} differs from the paper and does not say why")

    @classmethod
    def number(cls, label: str, *, printed: float, ours: float, why: str, within: float = 0.0) -> Finding:
        """A printed number; it agrees when ours lies within a share ``within`` of it.

        ``why`` explains a difference, and is left out where there is none.
        """
        agrees = abs(ours - printed) <= within * abs(printed)
        return cls(label, shown(printed), shown(ours), agrees, "" if agrees else why)

    @classmethod
    def claim(
        cls, label: str, *, printed: str, ours: str, holds: bool, why: str, anywhere: bool = False
    ) -> Finding:
        """Something the paper says in words, such as a trend; ``ours`` are the figures that bear on it.

        ``why`` explains why it does not hold, and is left out where it does.
        """
        return cls(label, printed, ours, holds, "" if holds else why, anywhere)

    @property
    def reason(self) -> str:
        """Why it differs, where the verdict does not say it already."""
        return "" if self.why == OTHER_DATA else self.why

    @property
    def verdict(self) -> str:
        """One word: the same, different, or other data."""
        return {True: "agrees", False: "differs", None: "other data"}[self.agrees]


@dataclass(frozen=True)
class Rows:
    """Tidy data: one observation a row, one variable a column."""

    columns: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, records: Iterable[Any]) -> Rows:
        """The rows of frozen dataclass objects of one class, a column for each field."""
        found = list(records)
        if not found:
            raise ValueError("rows are made of at least one dataclass object")
        names = tuple(each.name for each in fields(found[0]))
        return cls(names, tuple(tuple(getattr(one, name) for name in names) for one in found))

    @classmethod
    def under(cls, columns: str, cells: Iterable[Iterable[Cell]]) -> Rows:
        """Rows below a heading, its names set apart by spaces."""
        return cls(tuple(columns.split()), tuple(tuple(row) for row in cells))

    def __len__(self) -> int:
        return len(self.cells)

    def column(self, name: str) -> tuple[Cell, ...]:
        """One variable, row by row."""
        place = self.columns.index(name)
        return tuple(row[place] for row in self.cells)

    def records(self, where: Mapping[str, Cell] | None = None) -> list[dict[str, Cell]]:
        """The rows that hold what ``where`` asks for, each by the names of its columns."""
        every = [dict(zip(self.columns, row, strict=True)) for row in self.cells]
        wanted = (where or {}).items()
        return [row for row in every if all(row[name] == value for name, value in wanted)]


@dataclass(frozen=True)
class Figure:
    """One figure, table or example of a paper, made again."""

    name: str
    """The name of its files: ``figure-5a``."""
    title: str
    words: str
    """What is to be seen, in a sentence or two."""
    rows: Rows
    charts: tuple[Chart, ...] = ()
    """Drawn from the rows; where there are several they are the panels (a), (b), …"""
    findings: tuple[Finding, ...] = ()

    @property
    def panels(self) -> tuple[tuple[str, Chart], ...]:
        """The charts with the names of their files: figure-3-a, figure-3-b, …"""
        if len(self.charts) == 1:
            return ((self.name, self.charts[0]),)
        return tuple(
            (f"{self.name}-{letter}", chart)
            for letter, chart in zip(ascii_lowercase, self.charts, strict=False)
        )

    def judged(self, *, published: bool) -> Figure:
        """The figure as it is for the paper's own data; for others what depends on them is not judged."""
        if published:
            return self
        findings = (
            each if each.anywhere else replace(each, agrees=None, why=OTHER_DATA) for each in self.findings
        )
        return replace(self, findings=tuple(findings))


@dataclass(frozen=True)
class Made:
    """What a paper's module makes; ``data`` says of each data set whether it is the paper's own."""

    data: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Reproduction:
    """A paper's figures made again, under its word on the command line."""

    name: str
    title: str
    citation: str
    data: tuple[str, ...]
    figures: tuple[Figure, ...]
    quick: bool
    seconds: float

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all figures."""
        return tuple(finding for figure in self.figures for finding in figure.findings)

    def figure(self, name: str) -> Figure:
        """The figure of this name."""
        return next(each for each in self.figures if each.name == name)

    def finding(self, label: str) -> Finding:
        """The finding of this label."""
        return next(each for each in self.findings if each.label == label)


def shown(number: float) -> str:
    """A number as a table shows it: whole numbers with thousands set apart, others to four digits."""
    return count(int(number)) if float(number).is_integer() and abs(number) < 1e15 else f"{number:.4g}"
