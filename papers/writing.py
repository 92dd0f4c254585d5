"""Reproduced papers as files: the data of each figure as CSV, its charts as SVG, and one page.

Below the output each paper has a folder of its own; the page is named after what was asked for, so that
reproducing one paper leaves the page of another alone. Each file is written whole or not at all.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import fill

from papers.experiment import Figure, Finding, Reproduction
from papers.page import page_of, tally
from tacit.io.output import check_file, whole_file
from tacit.showing.chart import Cell
from tacit.showing.layout import heading

WIDTH = 110
"""Columns of the text on a terminal."""


@dataclass(frozen=True)
class Written:
    """Reproduced papers, and the files they were written to; as text, what was found."""

    reproductions: tuple[Reproduction, ...]
    folder: Path
    page: Path
    files: tuple[Path, ...] = field(repr=False)

    def __str__(self) -> str:
        parts = [_text(one) for one in self.reproductions]
        many = f"{len(self.files)} files of data and charts are below {self.folder}."
        return "\n\n".join([*parts, f"The page is {self.page}; {many}"])


def write(reproductions: Sequence[Reproduction], folder: Path, *, page: str) -> Written:
    """Write the data, the charts and the page ``page.html`` below the folder."""
    files = [
        file for one in reproductions for figure in one.figures for file in _write(folder / one.name, figure)
    ]
    target = folder / f"{page}.html"
    with whole_file(target, overwrite=True) as path:
        path.write_text(page_of(reproductions).to_html(), encoding="utf-8")
    return Written(tuple(reproductions), folder, target, tuple(files))


def check_output(folder: Path, *, page: str) -> None:
    """Refuse what :func:`write` would refuse: call it before the long part of a run."""
    check_file(folder / f"{page}.html", overwrite=True)


def _write(folder: Path, figure: Figure) -> list[Path]:
    """The files of one figure: its rows, and its charts."""
    target = folder / f"{figure.name}.csv"
    with whole_file(target, overwrite=True) as path, path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(figure.rows.columns)
        writer.writerows([_cell(cell) for cell in row] for row in figure.rows.cells)
    pictures = [folder / f"{name}.svg" for name, _ in figure.panels]
    for picture, (_, chart) in zip(pictures, figure.panels, strict=True):
        with whole_file(picture, overwrite=True) as path:
            path.write_text(chart.to_svg(), encoding="utf-8")
    return [target, *pictures]


def _cell(cell: Cell) -> str:
    """A cell as CSV holds it; floating-point numbers keep what a reader can use."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return "" if cell is None else f"{cell:.10g}" if isinstance(cell, float) else str(cell)


def _text(one: Reproduction) -> str:
    """A paper on a terminal: its findings by figure, and why they differ where they do."""
    title = f"{one.title} ({'quick, ' if one.quick else ''}{one.seconds:.0f} CPU seconds)"
    lines = [heading(title), fill(one.citation, WIDTH), tally(one.findings)]
    lines += [fill(words, WIDTH, initial_indent="  ", subsequent_indent="    ") for words in one.data]
    for figure in one.figures:
        lines += ["", figure.title, *(_finding(each) for each in figure.findings)]
    return "\n".join(lines)


def _finding(finding: Finding) -> str:
    words = f"{finding.verdict:<11} {finding.label}: {finding.ours}; the paper: {finding.printed}"
    lines = [fill(words, WIDTH, initial_indent="  ", subsequent_indent=" " * 14)]
    if finding.reason:
        lines.append(fill(finding.reason, WIDTH, initial_indent=" " * 14, subsequent_indent=" " * 14))
    return "\n".join(lines)
