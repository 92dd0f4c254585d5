"""Releases side by side: as a table, as a page, and as points in the plane of risk and use."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count as count_up
from pathlib import Path
from typing import Any

from tacit.errors import InputError, Place, UsageError
from tacit.io.output import absolute
from tacit.judging.figures import ERROR, RISKS, SHARE, UTILITY, Figure, Value
from tacit.methods import BY_KIND
from tacit.release import Manifest, private_record, read_manifest
from tacit.release.kinds import kind_of
from tacit.release.verification import BROKEN, KEPT, MEANINGS, NOT_CHECKED, verify
from tacit.showing.chart import Chart, scatter_chart
from tacit.showing.layout import count, facts, grid, share
from tacit.showing.ledger import at_least
from tacit.showing.page import DataTable, Page, Section, Words


@dataclass(frozen=True)
class Compared:
    """One of the releases that are compared."""

    name: str
    folder: str
    kind: str
    method: str
    promise: str
    verified: bool
    """Whether the verifier found nothing broken."""
    verdict: str
    """What it found: kept, broken or not checked in full."""
    refused: str | None
    """What the verifier refused, where it did."""
    not_for_publication: bool
    records: int
    suppressed: int
    bytes: int
    seconds: float | None
    """CPU seconds it took to make; None where its private record is not here."""
    risk: Mapping[str, Value]
    utility: Mapping[str, Value]
    one_candidate: float | None
    """The share of records that earlier releases and this one leave with one candidate, at least."""


@dataclass(frozen=True)
class Comparison:
    """Releases side by side; ``notes`` say what cannot be compared."""

    releases: tuple[Compared, ...]
    figures: tuple[Figure, ...]
    """What the figures by these names are; none where the releases are of different kinds."""
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the verifier found every promise kept."""
        return all(release.verified for release in self.releases)

    @property
    def exit_code(self) -> int:
        return 0 if self.ok else 7

    @property
    def same_kind(self) -> bool:
        return len({release.kind for release in self.releases}) == 1

    def plane(self) -> Chart:
        """Risk upwards, loss or use to the right, a point for each release; only for releases of one kind."""
        if not self.same_kind:
            raise UsageError(
                "Releases of different kinds have no risk and no utility in common.",
                code="kinds-differ",
                hint="Draw releases of one kind.",
            )
        risk, use = (self._drawn(part) for part in ("risk", "utility"))
        x, y = use.called(), risk.called()
        points = [
            {"release": release.name, x: release.utility[use.name], y: release.risk[risk.name]}
            for release in self.releases
            if _is_number(release.utility[use.name]) and _is_number(release.risk[risk.name])
        ]
        missing = len(self.releases) - len(points)
        caption = f"Each point is a release: {y} against {x}, as its manifest states them."
        if missing:
            what = "1 release does" if missing == 1 else f"{missing} releases do"
            caption += f" {what} not state both, and {'is' if missing == 1 else 'are'} not drawn."
        formats = [".1%" if figure.unit in (SHARE, ERROR) else "" for figure in (use, risk)]
        axes = dict(zip(("x_format", "y_format"), formats, strict=True)) | {"x_title": x, "y_title": y}
        return scatter_chart(points, x=x, y=y, label="release", title="Risk and use", caption=caption, **axes)

    def _drawn(self, part: str) -> Figure:
        """The first of the figures that most releases state as a number."""
        stated = [getattr(one, part) for one in self.releases]
        figures = [figure for figure in self.figures if figure.name in stated[0]]
        return max(figures, key=lambda figure: sum(_is_number(one[figure.name]) for one in stated))

    def page(self) -> Page:
        """The comparison as one page, with the chart where the releases are of one kind."""
        promises = DataTable(("release", "promise"), [(one.name, one.promise) for one in self.releases])
        sections = [Section("What they promise", [promises])]
        if self.same_kind:
            sections.append(Section("Risk and use", [self.plane()]))
        sections.append(Section(self._heading, [DataTable(self._header, list(self._rows()))]))
        if self.notes:
            sections.append(Section("To know", [Words(note, tone="warning") for note in self.notes]))
        return Page("A comparison of releases", f"{len(self.releases)} releases side by side", sections)

    def to_dict(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "releases": [dict(vars(one)) for one in self.releases],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        table = grid(self._header, self._rows(), right=range(1, len(self._header)))
        promises = facts((release.name, release.promise) for release in self.releases)
        parts = ["What they promise:", promises, "", f"{self._heading}:", table]
        return "\n".join([*parts, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()

    @property
    def _header(self) -> tuple[str, ...]:
        return ("", *(release.name for release in self.releases))

    @property
    def _alike(self) -> bool:
        return len({(release.kind, release.method) for release in self.releases}) == 1

    @property
    def _heading(self) -> str:
        """What stands above the table: the kind and method where they are the same for all."""
        first = self.releases[0]
        return f"Side by side ({first.kind}, {first.method})" if self._alike else "Side by side"

    def _rows(self) -> Iterator[tuple[str, ...]]:
        """All releases, a column each."""
        releases = self.releases
        words = {KEPT: "kept", BROKEN: "REFUSED", NOT_CHECKED: "part not checked"}
        yield ("promise", *(words[one.verdict] for one in releases))
        if not self._alike:
            yield ("kind", *(one.kind for one in releases))
            yield ("method", *(one.method for one in releases))
        if all(kind_of(one.kind).counts_records for one in releases):
            yield ("records", *(count(one.records) for one in releases))
            yield ("suppressed", *(count(one.suppressed) for one in releases))
        for figure in self.figures:
            stated = [{**one.risk, **one.utility}[figure.name] for one in releases]
            yield (figure.called(), *(figure.text(value, none="not stated") for value in stated))
        if any(one.one_candidate is not None for one in releases):
            shares = ("–" if one.one_candidate is None else share(one.one_candidate) for one in releases)
            yield ("one candidate, with earlier releases, at least", *shares)
        yield ("published bytes", *(count(one.bytes) for one in releases))
        if any(one.seconds is not None for one in releases):
            yield ("CPU seconds", *("–" if one.seconds is None else f"{one.seconds:.2f}" for one in releases))


def _is_number(figure: object) -> bool:
    """Whether a figure can be drawn: some are not stated, of others only a range is."""
    return figure is not None and not isinstance(figure, str)


def compare(*folders: str | Path) -> Comparison:
    """Two or more published releases side by side.

    Raises InputError where a folder holds no release, UsageError where there is nothing to compare.
    """
    places = [absolute(Path(folder)) for folder in folders]
    if len(places) < 2:
        raise UsageError(
            "Comparing needs two releases or more.",
            code="nothing-to-compare",
            hint="Name their folders: tacit compare out/a out/b",
        )
    for place, folder in zip(places, folders, strict=True):
        if places.count(place) > 1:
            raise UsageError(
                "The same release is named twice.",
                code="same-release-twice",
                where=Place(file=str(folder)),
                hint="Name each folder once.",
            )
    # As short as tells them apart.
    tried = (["/".join(place.parts[-parts:]) for place in places] for parts in count_up(1))
    names = next(names for names in tried if len(set(names)) == len(names))
    manifests = [read_manifest(place) for place in places]
    same = len({manifest.kind for manifest in manifests}) == 1
    declared = BY_KIND[manifests[0].kind].figures if same else ()
    figures = tuple(figure for figure in declared if figure.public)
    releases = tuple(
        _compared(name, place, manifest, figures)
        for name, place, manifest in zip(names, places, manifests, strict=True)
    )
    return Comparison(releases, figures, tuple(_notes(releases)))


def _compared(name: str, folder: Path, manifest: Manifest, figures: tuple[Figure, ...]) -> Compared:
    found = verify(folder)
    failed = [check for check in found.checks if check.verdict == BROKEN]
    return Compared(
        name=name,
        folder=str(folder),
        kind=manifest.kind,
        method=manifest.method,
        promise=manifest.promise_words,
        verified=not failed,
        verdict=found.verdict,
        refused=f"{failed[0].name}: {failed[0].detail}" if failed else None,
        not_for_publication=manifest.not_for_publication,
        records=int(kind_of(manifest.kind).records(manifest) or 0),
        suppressed=int(manifest.parameters.get("suppressed", 0)),
        bytes=sum(file.bytes for file in manifest.files.values()),
        seconds=_seconds(folder, manifest.kind),
        risk=_stated(figures, RISKS, manifest, folder),
        utility=_stated(figures, UTILITY, manifest, folder),
        one_candidate=(at_least(manifest.risks.get("composition", {})) or (0, None))[1],
    )


def _stated(figures: tuple[Figure, ...], part: str, manifest: Manifest, folder: Path) -> dict[str, Value]:
    try:
        return {figure.name: figure.value(manifest.parts) for figure in figures if figure.part == part}
    except (KeyError, TypeError, IndexError, ZeroDivisionError) as error:
        raise InputError(
            "The manifest does not state the figures that releases of its kind state.",
            code="release-manifest",
            where=Place(file=str(folder)),
            hint="Publish the release again; a manifest is not edited by hand.",
        ) from error


def _seconds(folder: Path, kind: str) -> float | None:
    place = private_record(folder)
    file = None if place is None else place / kind_of(kind).record[0]
    if file is None or not file.is_file():
        return None
    found = json.loads(file.read_text(encoding="utf-8")).get("seconds")
    if isinstance(found, dict):
        return float(sum(found.values()))
    return None if found is None else float(found)


def _notes(releases: tuple[Compared, ...]) -> list[str]:
    notes = []
    if len({release.kind for release in releases}) > 1:
        notes.append(
            "The releases are of different kinds, so that only what all of them have is compared; their "
            "risks and utilities are different figures."
        )
    elif (
        kind_of(releases[0].kind).counts_records
        and len({one.records + one.suppressed for one in releases}) > 1
    ):
        notes.append("They do not have the same number of records, so they may not be of the same source.")
    for one in releases:
        if not one.verified:
            refused = f"{one.name} is refused by the verifier, so do not rely on its figures: {one.refused}."
            notes.append(refused)
    notes += [f"{one.name}: {MEANINGS[NOT_CHECKED]}" for one in releases if one.verdict == NOT_CHECKED]
    seeded = [one.name for one in releases if one.not_for_publication]
    return notes + [f"{name} was made with a seed: it is not for publication." for name in seeded]
