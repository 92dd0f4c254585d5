"""The report of one release: a page to sign, then everything it rests on.

The page to sign fits one sheet of paper. What follows is the same for every method; ``page`` of its room says
what its figures mean. All of these are told a release:

    what         what was published, in a few words
    files        how the published files are read
    key_figures  the three figures that matter
    plainly      what whoever signs must have read, in plain sentences
    reader       what the assumed reader knows, beyond the sentence
    risks        what readers could learn
    utility      what the release is good for
    owner        what only the owner may see
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.judging.risk.figures import Risk
from tacit.methods import BY_KIND
from tacit.release.kinds import kind_of
from tacit.release.verification import Told
from tacit.showing.layout import count
from tacit.showing.ledger import composition_stated
from tacit.showing.page import (
    Block,
    Bullets,
    Code,
    DataTable,
    Facts,
    Figures,
    Page,
    Section,
    Verdict,
    Words,
)
from tacit.showing.wording import OUTCOMES, all_figures, named, number
from tacit.surface.catalogue import ENGLISH, catalogue, speaking, spoken
from tacit.surface.dossier import Columns, Dossier, dossier_page, promise_of
from tacit.surface.dossier import Facts as OwnersFacts


@dataclass(frozen=True)
class Extras:
    """What a report is told besides the release: the owner's facts, what was measured, the original."""

    facts: OwnersFacts = OwnersFacts()
    risk: Risk | None = None
    hash: str = ""
    original: tuple[str, ...] | None = None


def release_page(told: Told, extras: Extras = Extras()) -> Page:
    """The report of a release: a dossier with all that is known of it, in the language that its facts say."""
    with speaking(extras.facts.language or spoken()):
        return _release_page(told, extras)


def _release_page(told: Told, extras: Extras) -> Page:
    method, say = method_page(told), catalogue()["report"]
    # What a method says of its own figures is in English, whatever the language of the dossier.
    theirs = "" if spoken() == ENGLISH else ENGLISH
    parts: list[tuple[str, list[Block]]] = [
        ("published", _published(told, method)),
        ("assumed", [Words(told.manifest.reader_words), *method.reader(told)]),
        ("learn", [*composed(told), *method.risks(told)]),
        ("good_for", method.utility(told)),
        ("not_protected", [Words(told.manifest.limits)]),
        ("made", _making(told)),
        ("verified", _verification(told)),
    ]
    owner = method.owner(told) if told.for_owner else []
    if owner:
        parts.insert(5, ("owner", [Words(say["for_owner"], "warning"), *owner]))
    sections = [
        Section(catalogue()["promised"]["title"], promised(told), own_page=True, language=theirs),
        *(Section(say[name], blocks, own_page=name == "owner", language=theirs) for name, blocks in parts),
    ]
    version = told.manifest.versions.get("tacit", "")
    stated = Section(catalogue()["annex"]["stated"], _every_figure(told), own_page=True, language=theirs)
    dossier = Dossier(
        name=say["name"].format(name=told.name),
        facts=extras.facts,
        hash=extras.hash,
        columns=_columns(told, extras.original),
        promise=promise_of(told.manifest),
        risk=extras.risk,
        warnings=tuple(_warnings(told)),
        verdict=verdict(told),
        signable=told.ok and not told.manifest.not_for_publication and not told.for_owner,
        sections=tuple(sections),
        annexes=(stated,),
    )
    return dossier_page(
        dossier,
        subtitle=method.what(told) + (f". {say['owner']}" if told.for_owner else ""),
        footer=say["footer"].format(version=version),
    )


def _columns(told: Told, original: tuple[str, ...] | None) -> Columns:
    parameters = told.manifest.parameters
    quasi, keep = tuple(parameters.get("quasi", ())), tuple(parameters.get("keep", ()))
    sensitive = tuple(parameters.get("sensitive", ()) or ())
    coarse = bool(quasi) and "group" not in parameters and kind_of(told.manifest.kind).counts_records
    exact = keep if coarse else (*quasi, *keep)
    dropped = None
    if original is not None:
        dropped = tuple(name for name in original if name not in (*quasi, *keep, *sensitive))
    return Columns(exact, quasi if coarse else (), sensitive, dropped)


def _warnings(told: Told) -> list[Block]:
    """What stands above everything else on the first page."""
    blocks: list[Block] = []
    if told.manifest.not_for_publication:
        blocks.append(Words(catalogue()["report"]["seeded"], "warning"))
    blocks += [*composed(told), *accepted(told)]
    if told.for_owner:
        blocks.append(Words(catalogue()["report"]["for_owner"], "warning"))
    return blocks


def promised(told: Told) -> list[Block]:
    """What whoever signs must have read: the promise, against whom, what is not protected, what matters."""
    manifest, method = told.manifest, method_page(told)
    return [
        Words(manifest.promise_words, "lead"),
        Facts(
            [
                ("Published", f"{method.what(told)}: {', '.join(sorted(manifest.files))}"),
                ("Promised against", manifest.reader_words),
                ("Not protected", manifest.limits),
            ]
        ),
        Figures(method.key_figures(told)),
        *([Bullets(tuple(plain))] if (plain := method.plainly(told)) else []),
    ]


def composed(told: Told) -> list[Block]:
    """A warning where earlier releases show the same records."""
    stated = told.manifest.risks.get("composition")
    return [Words(composition_stated(stated), "warning")] if stated else []


def accepted(told: Told) -> list[Block]:
    """The columns that were published against advice, each with its owner's reason."""
    reasons = told.manifest.parameters.get("accepted", {})
    say = catalogue()["report"]["accepted"]
    return [Words(say.format(name=name, reason=reason), "warning") for name, reason in reasons.items()]


def verdict(told: Told) -> Verdict:
    """What the verifier found, in a sentence."""
    failed, open_ones, say = told.named("broken"), told.named("not checked"), catalogue()["report"]
    if failed:
        first = failed[0]
        return Verdict(False, say["refused"].format(name=first.name, detail=first.detail))
    names = ", ".join(check.name for check in open_ones)
    said = say["not_checked"] if open_ones else say["kept"]
    return Verdict(None if open_ones else True, said.format(checks=count(len(told.checks)), names=names))


def method_page(told: Told) -> Any:
    return BY_KIND[told.manifest.kind].page


def _published(told: Told, method: Any) -> list[Block]:
    rows = [(name, file.bytes, file.sha256) for name, file in sorted(told.manifest.files.items())]
    return [
        Words(method.files(told)),
        DataTable(["file", "bytes", "SHA-256"], rows, "Published files, beside release.json"),
    ]


def _making(told: Told) -> list[Block]:
    manifest = told.manifest
    parameters = [(named(key), number(value)) for key, value in manifest.parameters.items()]
    versions = [(name, version) for name, version in manifest.versions.items()]
    blocks: list[Block] = [Facts([("method", manifest.method), *parameters], "Method and parameters")]
    blocks += [Words(note, "note") for note in manifest.notes]
    return [*blocks, Facts(versions, "Versions")]


def _verification(told: Told) -> list[Block]:
    rows = [(OUTCOMES[check.verdict], check.name, check.detail) for check in told.checks]
    return [
        Words(
            "The verifier is a program of its own that shares no code with the toolkit. It was run on the "
            "published files when this report was made. Anybody who has them can run it again:"
        ),
        Code(f"tacit verify {told.name}"),
        Words(
            "What only the original or the private record can show is not checked without them. Whoever has "
            "the original names it with --original. Figures of utility are outside the verdict."
        ),
        verdict(told),
        DataTable(["outcome", "check", "what was found"], rows, f"{count(len(rows))} checks"),
    ]


def _every_figure(told: Told) -> list[Block]:
    manifest = told.manifest
    blocks: list[Block] = [Words("As they stand in release.json, which is part of the release.", "note")]
    for title, figures in (
        ("Promise", manifest.promise),
        ("Risks", manifest.risks),
        ("Utility", manifest.utility),
        ("Verification", manifest.verification),
    ):
        blocks += all_figures(title, figures, without=("cut",))
    return blocks
