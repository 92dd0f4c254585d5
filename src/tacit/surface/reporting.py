"""Reports of releases: a published folder is read back, verified again, and laid out as one HTML file.

A report for everybody is made from the published folder alone. The owner's adds what the private record
beside it holds, and says so on its first page. The verifier is really run: on the folder as it is, which
lets it look at the private record where there is one. What it found there is the owner's too: in a report
for everybody only the outcome of such a check is told.

In a notebook results are shown as the blocks of a report, without its frame and without script.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from tacit import __version__
from tacit.errors import InputError, Place
from tacit.io.output import absolute, check_file, whole_file
from tacit.judging.figures import RISKS, UTILITY, lines
from tacit.judging.risk.figures import Risk
from tacit.release import MANIFEST_NAME, Manifest, private_record, read_manifest
from tacit.release.kinds import kind_of
from tacit.release.published import Release
from tacit.release.store import check_beside
from tacit.release.verification import Told, Verification, VerifierCheck, verify
from tacit.showing.layout import as_text, count, plural, shown_by
from tacit.showing.page import Block, DataTable, Facts, Page, Verdict, Words, fragment, print_pdf
from tacit.surface.catalogue import catalogue, speaking, spoken
from tacit.surface.counting import Counted, codebook, count_release, published_frames
from tacit.surface.dossier import Dossier, checks_table, dossier_page, release_page
from tacit.surface.dossier import Facts as OwnersFacts
from tacit.surface.risk import as_table, risk

RECORD_CHECKED = "checked with the publisher's private record"


@dataclass(frozen=True, eq=False)
class Report:
    """A report that is made and can be looked at or saved."""

    page: Page
    ok: bool
    """Whether the verifier found nothing broken."""
    for_owner: bool

    def to_html(self) -> str:
        """One self-contained file: it holds no script and fetches nothing."""
        return self.page.to_html()

    def save(self, file: str | Path, *, overwrite: bool = False) -> Path:
        """Write the report, whole or not at all; the owner's can be read by the owner alone.

        A file that ends in .pdf is printed by a browser that is installed.
        """
        target = Path(file)
        with whole_file(target, overwrite=overwrite) as path:
            path.touch(mode=0o600 if self.for_owner else 0o666)
            if target.suffix.lower() == ".pdf":
                path.write_bytes(print_pdf(self.to_html()))
            else:
                path.write_text(self.to_html(), encoding="utf-8")
        return absolute(target)

    def to_dict(self) -> dict[str, Any]:
        return {"title": self.page.title, "ok": self.ok, "for_owner": self.for_owner}

    def __str__(self) -> str:
        return f"A report of {self.page.title}: {self.page.subtitle}"

    def _repr_html_(self) -> str:
        return self.page._repr_html_()


@dataclass(frozen=True, eq=False)
class SavedRelease:
    """A release in its folder."""

    folder: Path
    manifest: Manifest

    def frames(self) -> dict[str, pl.DataFrame]:
        """The published tables by the name of their file; every cell is text, sets of items are lists."""
        return published_frames(self.folder, self.manifest)

    def count(self, where: Any) -> Counted:
        """How many people are so and so, with an error, from the published files alone.

        ``where`` gives for each column a value, a collection of values, or a pair ``(low, high)`` of numbers;
        of sets of items it is an item, or a collection of them that a record must hold.
        """
        return count_release(self.folder, self.manifest, where)

    def codebook(self) -> pl.DataFrame:
        """What is in the published files: each column, its role, how it is published."""
        return codebook(self.folder, self.manifest)

    def verify(self, *, original: str | Path | None = None) -> Verification:
        """Have it checked by the independent verifier."""
        return verify(self.folder, original=None if original is None else Path(original))

    def report(
        self,
        *,
        owner: bool = False,
        verified: Verification | None = None,
        facts: OwnersFacts = OwnersFacts(),
        standard: Any = (),
        original: str | Path | None = None,
    ) -> Report:
        """A report of it, for everybody; with ``owner`` also of what only its owner may see.

        The verifier is run for it, unless ``verified`` is what it has just found. ``facts`` are those that
        only the owner can state, ``standard`` names standards that it is held against, and the columns of
        ``original`` say which were dropped.
        """
        told = tell(self.folder, owner=owner, verified=verified)
        page = report_page(told, self.folder, facts, standard, original)
        return Report(page, told.ok, told.for_owner)

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.manifest.to_json())
        return found | {"folder": str(self.folder)}

    def __str__(self) -> str:
        return f"{self.folder}: {self.manifest.promise_words}"


def open_release(folder: str | Path) -> SavedRelease:
    """A published release, read back from its folder.

    Raises InputError where the folder holds none.
    """
    return SavedRelease(Path(folder), read_manifest(Path(folder)))


def risk_report(found: Risk, *, facts: OwnersFacts = OwnersFacts(), source: str | Path = "") -> Report:
    """A dossier of a table that was measured; ``source`` is its file, whose hash is told."""
    with speaking(facts.language or spoken()):
        words = catalogue()["measured"]
        dossier = Dossier(
            name=found.source or "Table",
            subtitle=words["subtitle"].format(rows=f"{found.rows:,}"),
            footer=words["footer"].format(version=__version__),
            facts=facts,
            hash=_hashed(Path(source)) if Path(source).is_file() else catalogue()["not_said"],
            columns={"exact": found.quasi, "generalized": (), "sensitive": found.sensitive},
            risk=found,
            warnings=[Words(text, "warning") for text in found.warnings],
        )
        return Report(dossier_page(dossier), found.ok, for_owner=True)


def _hashed(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def report_page(
    told: Told, folder: Path, facts: OwnersFacts, standard: Any, original: str | Path | None = None
) -> Page:
    """The report of a release; sets of items are measured only where a standard asks: it may take long."""
    kind = kind_of(told.manifest.kind)
    measured = bool(standard) or (kind.counts_records and kind.read_sets is None)
    return release_page(
        told,
        facts,
        hash=_hashed(folder / MANIFEST_NAME),
        risk=risk(folder, standard=standard) if measured else None,
        original=None if original is None else as_table(str(original)).names,
    )


def report_path(folder: Path, *, owner: bool = False) -> Path:
    """Where a report goes by default: beside the release, whose folder holds nothing but the release."""
    return folder.with_name(folder.name + (".owner.html" if owner else ".html"))


def check_report(file: Path, folder: Path, *, overwrite: bool = False) -> None:
    """Refuse a place for the report: before the work, and never inside the release."""
    check_file(file, overwrite=overwrite)
    check_beside(file, folder, "A report", hint=f"Name a file beside it, such as {report_path(folder)}.")


def tell(
    folder: Path, *, owner: bool = False, name: str | None = None, verified: Verification | None = None
) -> Told:
    """Gather what a report of a release shows; the verifier is run unless ``verified`` is given."""
    folder = absolute(Path(folder))
    manifest = read_manifest(folder)
    return Told(
        name=folder.name if name is None else name,
        manifest=manifest,
        checks=_checks(folder, manifest.kind, verified or verify(folder), owner=owner),
        points=kind_of(manifest.kind).points(folder),
        record=_record(folder, manifest.kind) if owner else None,
    )


def _record(folder: Path, kind: str) -> Mapping[str, Any]:
    place = private_record(folder)
    if place is None:
        raise InputError(
            "The private record of this release is not here.",
            code="record-not-found",
            where=Place(file=f"{folder}.private"),
            hint="Make the report for everybody, without --owner (owner=False).",
        )
    parts: dict[str, Any] = {}
    for file in (place / name for name in kind_of(kind).record):
        parts |= json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return parts


def _checks(folder: Path, kind: str, found: Verification, *, owner: bool) -> tuple[VerifierCheck, ...]:
    if owner or not kind_of(kind).checked_with_record or private_record(folder) is None:
        return found.checks
    with tempfile.TemporaryDirectory() as place:
        alone = Path(place) / folder.name  # the same files, with no private record beside them
        alone.symlink_to(folder)
        public = {(check.name, check.detail) for check in verify(alone).checks}
    return tuple(
        check if (check.name, check.detail) in public else replace(check, detail=RECORD_CHECKED)
        for check in found.checks
    )


_BLOCKS = {
    "TableProfile": "tacit.judging.show:table_blocks",
    "TransactionsProfile": "tacit.judging.show:transactions_blocks",
    "SetRisks": "tacit.methods.generalize_sets.show:risk_blocks",
    "Risk": "tacit.judging.risk.show:blocks",
    "ItemRules": "tacit.surface.reporting:rules",
    "TableRules": "tacit.surface.reporting:rules",
    "NegativeRules": "tacit.surface.reporting:negative_rules",
    "Itemsets": "tacit.surface.reporting:itemsets",
    "SeriesShown": "tacit.surface.series:blocks",
    "Verification": "tacit.surface.reporting:verification",
}
"""What makes the blocks of a result, by the name of its class; those of a method are in its room."""
FIRST = 20
"""A long list is shown up to here."""


def as_html(result: Any) -> str:
    """The result as a piece of HTML; one that has no layout of its own is shown as its text."""
    blocks = release if isinstance(result, Release) else shown_by(result, "BLOCKS", _BLOCKS)
    return fragment([Words(as_text(result))] if blocks is None else blocks(result))


def release(made: Any) -> list[Block]:
    """A release: its promise, its risks, what it does not protect against."""
    seeded = catalogue()["report"]["seeded"]
    found = made.risk()
    blocks = shown_by(found, "BLOCKS", _BLOCKS)
    told = [line for part in (RISKS, UTILITY) for line in lines(made.declared, part, made.parts)]
    return [
        Words(made.manifest.promise_words, "lead"),
        *([Words(seeded, "warning")] if made.manifest.not_for_publication else []),
        Words(made.manifest.reader_words),
        *([Facts(told)] if blocks is None else blocks(found)),
        Words(made.manifest.limits, "note"),
    ]


def rules(found: Any) -> list[Block]:
    rows = [
        (" & ".join(rule.antecedent), " & ".join(rule.consequent), rule.support, f"{rule.confidence:.3f}")
        for rule in islice(found, FIRST)
    ]
    return _listing(["if", "then", "support", "confidence"], rows, found, "rule")


def negative_rules(found: Any) -> list[Block]:
    rows = [
        (str(rule), rule.count, f"{rule.expectation:.3f}", "may be" if rule.may_be_chance else "hardly")
        for rule in (found[place] for place in found.firm_first[:FIRST])
    ]
    return _listing(["rule", "rows it is about", "expectation", "chance"], rows, found, "negative rule")


def itemsets(found: Any) -> list[Block]:
    rows = [(", ".join(itemset.items), itemset.support) for itemset in islice(found, FIRST)]
    return _listing(["items", "support"], rows, found, "itemset")


def verification(found: Any) -> list[Block]:
    said = str(found).splitlines()[len(found.checks)]
    return [Verdict({"kept": True, "broken": False}.get(found.verdict), said), checks_table(found.checks)]


def _listing(header: list[str], rows: Any, found: Any, what: str) -> list[Block]:
    more = [Words(f"… and {count(len(found) - FIRST)} more.", "note")] if len(found) > FIRST else []
    return [DataTable(header, rows, plural(len(found), what)), *more]
