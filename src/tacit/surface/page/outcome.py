"""What a run of the page comes to: a release that is made, judged and verified, and later published.

Trying parameters is not publishing. A run leaves a *candidate* in the job's private folder: the files
that would be published, verified in a fresh process like any release, with all that was measured on
them. Publishing puts the same files through the ledger, which is asked whether the records were
released before, into the place that the user said and into the archive that is downloaded. The folder of the
page may go, so the ledger keeps a copy, with which later releases can be read together.
"""

from __future__ import annotations

import pickle
import resource
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tacit.errors import TacitError, UsageError
from tacit.judging.risk.standards import find_standards
from tacit.release import Content, Manifest, publish
from tacit.release.composing import identity
from tacit.release.ledger import Ledger
from tacit.release.manifest import MANIFEST_NAME
from tacit.release.published import Release
from tacit.release.records import Records
from tacit.release.verification import Told, Verification, verify, verify_in_fresh_process
from tacit.showing.ledger import composition_stated
from tacit.showing.page import fragment
from tacit.surface.dossier.facts import Facts
from tacit.surface.page.examples import examples
from tacit.surface.page.forms import OUTPUT, REFUSED
from tacit.surface.page.sealing import read_sealed, write_sealed
from tacit.surface.page.wording import on_the_page
from tacit.surface.page.workspace import CANDIDATE, zipped
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.prepare import prepare_recipe
from tacit.surface.recipe.run import make_releases
from tacit.surface.release_page import method_page, release_page
from tacit.surface.reporting import extras_of, tell
from tacit.typing import Progress

RECORDS = "records.pickle"
KeptRecords = tuple[Manifest, Records | None, str | None]


def make_candidate(recipe: Recipe, folder: Path, progress: Progress) -> dict[str, Any]:
    """Carry a recipe of one release out as far as the candidate, and say what was measured on it."""

    def report(what: str, share: float | None) -> None:
        progress(what.removeprefix(f"{OUTPUT}: "), share)

    report("Reading the data", None)
    prepared = prepare_recipe(recipe, base=folder)
    (made,) = make_releases(prepared, progress=report)
    release = made.release.complete()
    report("Writing and verifying", None)
    verified: list[Verification] = []

    def check(staged: Path) -> None:
        verified.append(verify(staged))
        if verified[0].broken:
            verify_in_fresh_process(staged)  # raises, and says what is wrong

    published = publish(folder / CANDIDATE, release.files, release.manifest, release.private, verify=check)
    _keep(release, published.private, folder)
    report("Drawing the figures", None)
    told = tell(folder / CANDIDATE, verified=verified[0], owner=published.private is not None)
    write_sealed(folder / "result.html", _drawn(told).encode())
    return {
        "promise": release.manifest.promise_words,
        "reader": release.manifest.reader_words,
        "limits": release.manifest.limits,
        "figures": made.figures,
        "notes": [on_the_page(note) for note in (*prepared.notes, *release.manifest.notes)],
        "examples": examples(
            getattr(release, "original", None), folder / CANDIDATE, published.private, release.manifest
        ),
        "checks": [asdict(check) for check in told.checks],
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


@dataclass(frozen=True, eq=False)
class Kept(Release):
    """A candidate from the private folder, as the release it is."""

    kept: Records | None

    def records(self) -> Records | None:
        return self.kept


def publish_candidate(
    candidate: Path,
    folder: Path,
    name: str,
    progress: Progress,
    *,
    acknowledged: str,
    reason: str = "",
    acknowledged_by: str = "",
    place: Path | None = None,
    facts: Facts = Facts(),
    standard: str = "",
) -> dict[str, Any]:
    """Put a candidate through the ledger and into its place, and pack it for download.

    Without a place it lies in ``folder``, the job's own. What only the owner may see is packed apart.
    """
    find_standards([standard] if standard else [])  # one that is not there is refused before anything is done
    progress("Asking the ledger, writing and verifying", None)
    manifest, records, origin = _kept_records(candidate)
    kept = Kept(
        manifest=manifest,
        files=_contents(candidate / CANDIDATE, leave_out=MANIFEST_NAME),
        private=_contents(candidate / f"{CANDIDATE}-private"),
        origin=origin,
        kept=records,
    )
    published = kept.save(
        place or folder / OUTPUT,
        acknowledge_composition=acknowledged == REFUSED[-1],
        accept_weak=acknowledged in REFUSED,
        reason=reason or None,
        acknowledged_by=acknowledged_by or None,
    )
    with suppress(TacitError):  # without a copy, a later release is not read together with this one
        Ledger().keep_copy(identity(published.manifest), published.folder)
    progress("Packing", None)
    zipped(published.folder, folder / "release.zip", inside=name)
    if published.private is not None:
        zipped(published.private, folder / "private.zip", inside=f"{name}.private")
    extras = extras_of(published.folder, facts, standard)
    report = release_page(tell(published.folder, name=name), extras).to_html()
    (folder / "report.html").write_text(report, encoding="utf-8")
    stated = published.manifest.risks.get("composition")
    return {
        "composition": composition_stated(stated) if stated else None,
        "place": None if place is None else str(published.folder),
    }


def _drawn(told: Told) -> str:
    """The risks and the utility as the report shows them, as a piece of the page."""
    method = method_page(told)
    return fragment([*method.risks(told), *method.utility(told), *method.reader(told)], style=False)


def _keep(release: Release, private: Path | None, folder: Path) -> None:
    """Keep what publishing needs beside the files: the manifest, the records, the private record."""
    kept: KeptRecords = release.manifest, release.records(), release.origin
    content = pickle.dumps(kept)
    write_sealed(folder / RECORDS, content)
    if private is not None:
        shutil.copytree(private, folder / f"{CANDIDATE}-private")


def _kept_records(folder: Path) -> KeptRecords:
    """What was kept for publishing; only what this account wrote itself is unpickled."""
    content = read_sealed(folder / RECORDS)
    if content is None:
        raise UsageError(
            "This run was made by another account or was changed since.",
            code="run-not-sealed",
            hint="Make the release again here, then publish it.",
        )
    kept: KeptRecords = pickle.loads(content)
    return kept


def _contents(folder: Path, leave_out: str = "") -> dict[str, Content]:
    if not folder.is_dir():
        return {}
    return {
        path.name: partial(shutil.copyfile, path)
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != leave_out
    }
