"""Reproduced papers as one page: each figure with its charts, what the paper prints, what is found here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from papers.experiment import Figure, Finding, Reproduction
from tacit.showing.chart import Cell
from tacit.showing.page import Block, Bullets, DataTable, Page, Section, Words

TABLE_ROWS = 30
"""A figure without charts shows so many of its rows; all of them are in its CSV file."""


def page_of(reproductions: Sequence[Reproduction]) -> Page:
    """The page of some papers: a summary, then their figures in order."""
    sections = [_summary(reproductions)]
    for one in reproductions:
        sections.append(_paper(one))
        sections += [_figure(one, figure) for figure in one.figures]
    return Page(
        "The papers reproduced",
        "Each figure made again, with what the paper prints beside what is found here",
        sections,
        contents=True,
    )


def tally(findings: Iterable[Finding]) -> str:
    """How many findings agree with their paper, as a sentence.

    >>> tally([Finding("rows", "3", "3", True), Finding("rules", "5", "4", False, "rounding")])
    '1 finding agrees, 1 differs.'
    """
    counts = Counter(finding.agrees for finding in findings)
    words = [
        f"{counts[True]} {'finding agrees' if counts[True] == 1 else 'findings agree'}",
        f"{counts[False]} {'differs' if counts[False] == 1 else 'differ'}",
    ]
    if counts[None]:
        words.append(f"{counts[None]} cannot be compared, because the data are others")
    return ", ".join(words) + "."


def _summary(reproductions: Sequence[Reproduction]) -> Section:
    rows: list[list[Cell]] = []
    for one in reproductions:
        counts = Counter(finding.agrees for finding in one.findings)
        verdicts = [counts[True], counts[False], counts[None]]
        rows.append([one.name, len(one.figures), *verdicts, round(one.seconds)])
    blocks: list[Block] = [
        DataTable(("paper", "figures", "agree", "differ", "other data", "CPU seconds"), rows),
        Words(
            "A finding sets a number or a claim that a paper prints beside what was measured here. Where the "
            "two differ, the reason stands below the figure. A paper's number for data that were not "
            "published, or are not at hand, is shown but not judged.",
            tone="note",
        ),
    ]
    if any(one.quick for one in reproductions):
        blocks.append(
            Words("This was a quick run: fewer points and smaller data than the papers'.", tone="lead")
        )
    return Section("What was found", blocks)


def _paper(one: Reproduction) -> Section:
    return Section(
        one.title, [Words(one.citation), Words(tally(one.findings), tone="lead"), Bullets(one.data)]
    )


def _figure(one: Reproduction, figure: Figure) -> Section:
    blocks: list[Block] = [Words(figure.words), *figure.charts]
    if not figure.charts:
        blocks.append(DataTable(figure.rows.columns, figure.rows.cells[:TABLE_ROWS]))
    if figure.findings:
        rows = [(each.label, each.printed, each.ours, each.verdict) for each in figure.findings]
        blocks.append(DataTable(("finding", "the paper", "here", "verdict"), rows))
    reasons = tuple(f"{each.label}: {each.reason}" for each in figure.findings if each.reason)
    if reasons:
        blocks += [Words("Where it differs, and why:"), Bullets(reasons)]
    blocks.append(Words(f"The data: {one.name}/{figure.name}.csv", tone="note"))
    return Section(figure.title, blocks)
