"""Releases side by side: as a table for a terminal, as a page, and as points in the plane of risk and use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.judging.figures import ERROR, SHARE, Figure
from tacit.release.kinds import kind_of
from tacit.showing.chart import Chart, scatter_chart
from tacit.showing.layout import count, facts, grid, share
from tacit.showing.page import DataTable, Page, Section, Words


def comparison(result: Any) -> str:
    """All releases, a column each."""
    header = ("", *(release.name for release in result.releases))
    table = grid(header, _rows(result), right=range(1, len(header)))
    promises = facts((release.name, release.promise) for release in result.releases)
    parts = ["What they promise:", promises, "", f"{_heading(result)}:", table]
    return "\n".join([*parts, *(f"note: {note}" for note in result.notes)])


def plane(result: Any) -> Chart:
    """Risk upwards, loss or use to the right."""
    risk, use = (_drawn(result, part) for part in ("risk", "utility"))
    points = [
        {
            "release": release.name,
            use.called(): release.utility[use.name],
            risk.called(): release.risk[risk.name],
        }
        for release in result.releases
        if _is_number(release.utility[use.name]) and _is_number(release.risk[risk.name])
    ]
    missing = len(result.releases) - len(points)
    caption = f"Each point is a release: {risk.called()} against {use.called()}, as its manifest states them."
    if missing:
        what = "1 release does" if missing == 1 else f"{missing} releases do"
        caption += f" {what} not state both, and {'is' if missing == 1 else 'are'} not drawn."
    return scatter_chart(
        points,
        x=use.called(),
        y=risk.called(),
        label="release",
        title="Risk and use",
        caption=caption,
        x_title=use.called(),
        y_title=risk.called(),
        x_format=".1%" if use.unit in (SHARE, ERROR) else "",
        y_format=".1%" if risk.unit in (SHARE, ERROR) else "",
    )


def comparison_page(result: Any) -> Page:
    """The comparison as one page, with the chart where the releases are of one kind."""
    header = ("", *(release.name for release in result.releases))
    promises = DataTable(("release", "promise"), [(one.name, one.promise) for one in result.releases])
    sections = [Section("What they promise", [promises])]
    if result.same_kind:
        sections.append(Section("Risk and use", [plane(result)]))
    sections.append(Section(_heading(result), [DataTable(header, list(_rows(result)))]))
    if result.notes:
        sections.append(Section("To know", [Words(note, tone="warning") for note in result.notes]))
    number = len(result.releases)
    return Page("A comparison of releases", f"{number} releases side by side", sections)


def _alike(result: Any) -> bool:
    return len({(release.kind, release.method) for release in result.releases}) == 1


def _heading(result: Any) -> str:
    """What stands above the table: the kind and method where they are the same for all."""
    first = result.releases[0]
    return f"Side by side ({first.kind}, {first.method})" if _alike(result) else "Side by side"


def _drawn(result: Any, part: str) -> Figure:
    """The first of the figures that most releases state as a number."""
    stated = [getattr(one, part) for one in result.releases]
    figures: list[Figure] = [figure for figure in result.figures if figure.name in stated[0]]
    return max(figures, key=lambda figure: sum(_is_number(one[figure.name]) for one in stated))


def _is_number(figure: object) -> bool:
    """Whether a figure can be drawn: some are not stated, of others only a range is."""
    return figure is not None and not isinstance(figure, str)


def _rows(result: Any) -> Iterator[tuple[str, ...]]:
    releases = result.releases
    yield ("verified", *("yes" if one.verified else "REFUSED" for one in releases))
    if not _alike(result):
        yield ("kind", *(one.kind for one in releases))
        yield ("method", *(one.method for one in releases))
    if all(kind_of(one.kind).counts_records for one in releases):
        yield ("records", *(count(one.records) for one in releases))
        yield ("suppressed", *(count(one.suppressed) for one in releases))
    for figure in result.figures:
        stated = [{**one.risk, **one.utility}[figure.name] for one in releases]
        yield (figure.called(), *(figure.text(value, none="not stated") for value in stated))
    if any(one.one_candidate is not None for one in releases):
        yield (
            "one candidate, with earlier releases",
            *("–" if one.one_candidate is None else share(one.one_candidate) for one in releases),
        )
    yield ("published bytes", *(count(one.bytes) for one in releases))
    if any(one.seconds is not None for one in releases):
        yield ("CPU seconds", *("–" if one.seconds is None else f"{one.seconds:.2f}" for one in releases))
