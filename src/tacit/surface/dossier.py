"""The dossier that somebody signs: the page to sign, who might try, the figures, a glossary, the annexes.

A dossier is about a release of ours, or about a table that was measured. Nothing is made up: what the owner
did not say is "not stated", and what was not measured says why. The page to sign fits one sheet of paper.

Of a release it is also the report: what is told of it is the same for every method; ``page`` of its room says
what its figures mean. All of these are told a release:

    what         what was published, in a few words
    files        how the published files are read
    owner        what only the owner may see
    plainly      what whoever signs must have read, in plain sentences
    reader       what the assumed reader knows, beyond the sentence
    risks        what readers could learn, beyond the figures
    utility      what the release is good for, beyond the figures

Only the first three are in every room; ``KEY_FIGURES`` are the three figures that matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from tacit.judging.figures import RISKS, UTILITY, cards, named
from tacit.judging.risk.figures import Risk
from tacit.judging.risk.show import figure_blocks, standard_blocks, verdict_block
from tacit.methods import BY_KIND
from tacit.options import Says, check_options, options_of
from tacit.ranges import Optional, Words
from tacit.release.kinds import kind_of
from tacit.release.verification import Told, VerifierCheck
from tacit.showing import page
from tacit.showing.layout import OUTCOMES, count, number, plural, share
from tacit.showing.ledger import composition_stated
from tacit.showing.page import Block, DataTable, Page, Section, Verdict
from tacit.surface.catalogue import ENGLISH, LANGUAGES, Language, catalogue, glossary, speaking, spoken

Stated = Annotated[str | None, Optional(Words())]


@dataclass(frozen=True)
class Facts:
    """What only the owner of a release can say of it; None for what was not said, which is never made up.

    Its fields are options: flags, keys of a recipe and fields of the page are made of them.
    """

    dataset: Annotated[Stated, Says("Data set", "The name of the data set, for the dossier.")] = None
    releaser: Annotated[Stated, Says("Released by", "Who releases the data: an office, a person.")] = None
    purpose: Annotated[Stated, Says("Purpose", "For what purpose the data are released.")] = None
    recipient: Annotated[Stated, Says("Recipient", "To whom the data are released.")] = None
    release_model: Annotated[
        Stated,
        Says("Release model", "How they are given out: to the public, under an agreement, in a safe room."),
    ] = None
    date: Annotated[
        Stated, Says("Date", "The date of the release, as it is to stand in the dossier; no clock is asked.")
    ] = None
    review: Annotated[Stated, Says("Review", "When the release is looked at again.")] = None
    knowledge: Annotated[
        Stated, Says("What recipients have", "What else recipients have or can get about the same people.")
    ] = None
    language: Annotated[
        Language | None,
        Says(
            "Language",
            "The language of the dossier: en or de. What a method says of its own figures is in English.",
            values=tuple(LANGUAGES.items()),
        ),
    ] = None

    def __post_init__(self) -> None:
        check_options("facts", options_of(Facts), vars(self))

    @classmethod
    def told(cls, by: Any) -> Facts:
        """The facts of a recipe's table, or of a group of flags."""
        return cls(**{name: getattr(by, name) for name in options_of(Facts)})


GERMAN_FIGURES: Mapping[str, str] = {
    "k": "k: wenigste gleiche Personen",
    "prosecutor": "Prosecutor-Risiko, größtes",
    "journalist": "Journalist-Risiko, größtes",
    "marketer": "Marketer-Risiko",
    "unique_few": "Personen, die mit höchstens drei Spalten allein sind",
    "special": "Besonders einzige Personen",
    "l": "ℓ: wenigste verschiedene Werte",
    "t": "t: größter Abstand",
    "beta": "β: größter Zuwachs",
}
"""The titles of the figures that the pages to sign and of scenarios name."""


@dataclass(frozen=True)
class Dossier:
    """All that the pages of a dossier are made of."""

    name: str
    subtitle: str
    footer: str
    facts: Facts
    hash: str
    columns: Mapping[str, Sequence[str]]
    """What became of the columns; those dropped are missing where the original is not known."""
    promise: str | None = None
    risk: Risk | None = None
    warnings: Sequence[Block] = ()
    verdict: Verdict | None = None
    """What the verifier found, where there is a release."""
    signable: bool = True
    sections: Sequence[Section] = ()
    """What a report says of a release besides."""
    annexes: Sequence[Section] = ()
    """What comes last."""


def dossier_page(dossier: Dossier) -> Page:
    """The dossier as a page; every section begins where it is asked for in the annexes."""
    say = catalogue()
    risk, theirs = dossier.risk, "" if spoken() == ENGLISH else ENGLISH
    sections = [Section(say["summary"]["title"], list(_summary(dossier)))]
    sections += [Section(say["scenarios"]["title"], _scenarios(risk, dossier.facts), own_page=True)]
    if risk is not None and risk.standards:
        blocks = [block for one in risk.standards for block in standard_blocks(one)]
        sections.append(Section(say["standards"]["title"], blocks, language=theirs))
    if risk is not None:
        sections.append(Section(say["figures"]["title"], figure_blocks(risk), language=theirs))
    sections += dossier.sections
    sections.append(Section(say["glossary"]["title"], [page.Facts(tuple(glossary().items()))], own_page=True))
    there = {one.title for one in sections}
    sections += [_annex(name, there, risk, own_page=name == "expert") for name in ("expert", "dpia")]
    sections += dossier.annexes
    title = dossier.facts.dataset or dossier.name
    return Page(title, dossier.subtitle, sections, dossier.footer, contents=True, language=spoken())


def _summary(dossier: Dossier) -> Iterable[Block]:
    say = catalogue()
    words: Mapping[str, Any] = say["summary"]
    facts, risk = dossier.facts, dossier.risk
    stated = ("dataset", "releaser", "purpose", "recipient", "release_model", "date", "knowledge", "review")
    owners = [(words[name], getattr(facts, name) or say["not_said"]) for name in stated]
    columns = {name: ", ".join(told) or words["none"] for name, told in dossier.columns.items()}
    columns.setdefault("dropped", words["dropped_unknown"])
    yield from dossier.warnings
    yield page.Facts(
        [
            *owners[:6],
            (words["hash"], dossier.hash),
            *((words[name], columns[name]) for name in ("exact", "generalized", "sensitive", "dropped")),
            (words["promise"], dossier.promise or words["no_promise"]),
            (words["residual"], _residual(risk)),
            *owners[6:],
        ]
    )
    if risk is None or not risk.standards:
        yield page.Facts([(words["standard"], words["no_standard"])])
    else:
        yield from map(verdict_block, risk.standards)
    if dossier.verdict is not None:
        yield dossier.verdict
    if dossier.signable:
        yield page.Words(f"{say['to_sign']} {say['not_anonymous']}", "note")
        yield page.Signature(tuple(words["signature"]))
    if say["report"]["in_english"]:
        yield page.Words(say["report"]["in_english"], "note")


def _residual(risk: Risk | None) -> str:
    words = catalogue()["summary"]
    if risk is None or not risk.figures:
        return str(words["residual_other"])
    texts = {one.figure.name: one.text for one in risk.figures}
    texts |= {"counted": words["counted"][risk.counted], "sensitive": ", ".join(risk.sensitive)}
    beside = risk.get("unique_values")
    if beside is None:
        return str(words["residual_sets"].format_map(texts))
    kinds = ["residual_table"]
    if beside.people is not None:
        kinds, texts["alone"] = [*kinds, "residual_values"], count(beside.people)
    values = risk.get("l")
    if values is not None and values.value == 1 and values.people is not None and values.share is not None:
        given = {
            "given": count(values.people),
            "given_share": share(values.share),
            "given_column": values.why,
        }
        kinds, texts = [*kinds, "residual_given"], texts | given
    return " ".join(words[kind].format_map(texts) for kind in kinds)


LEARNS = {
    "prosecutor": ("prosecutor", "k"),
    "journalist": ("journalist",),
    "marketer": ("marketer",),
    "neighbour": ("unique_few", "special"),
    "inference": ("l", "t", "beta"),
}
"""What each reader learns, in figures."""


def _scenarios(risk: Risk | None, facts: Facts) -> list[Block]:
    say = catalogue()["scenarios"]
    rows = []
    for name, figures in LEARNS.items():
        learned = [_figure_words(risk, one) for one in figures] if risk is not None else []
        rows.append((*say[name], "; ".join(filter(None, learned)) or catalogue()["not_said"]))
    blocks: list[Block] = [page.Words(say["says"]), DataTable(say["header"], rows)]
    stated = facts.knowledge or catalogue()["not_said"]
    return [*blocks, page.Facts([(catalogue()["summary"]["knowledge"], stated)])]


def _figure_words(risk: Risk, name: str) -> str:
    one = risk.get(name)
    if one is None:
        return ""
    if one.value is None:
        return str(catalogue()["scenarios"]["not_measured"]).format(why=one.why)
    titles = {} if spoken() == ENGLISH else GERMAN_FIGURES
    return f"{titles.get(name, one.figure.title)}: {one.text}"


def _annex(name: str, there: set[str], risk: Risk | None, *, own_page: bool) -> Section:
    """What somebody else asks for, each with the section that answers it."""
    say: Any = catalogue()
    annex, words = say["annex"], say["annex"][name]
    titles = {
        place: say[place]["title"] for place in ("summary", "scenarios", "standards", "figures", "promised")
    }
    titles["verifier"] = annex["verifier"]
    if risk is not None and risk.criteria:
        titles["criteria"] = say["figures"]["title"]
    rows = []
    for asked, place in words["rows"]:
        title = titles.get(place, annex["not_tried"] if place == "criteria" else annex.get(place))
        answered = title in there or place in ("owner", "criteria")
        rows.append((asked, title if answered else annex["unanswered"]))
    return Section(
        words["title"], [page.Words(words["says"]), DataTable(annex["header"], rows)], own_page=own_page
    )


def release_page(told: Told, facts: Facts, **besides: Any) -> Page:
    """The report of a release: a dossier with all that is known of it, in the language that its facts say.

    ``besides`` are the hash of its manifest, what was measured on it, and the columns of its original.
    """
    with speaking(facts.language or spoken()):
        return dossier_page(_released(told, facts, **besides))


def _released(
    told: Told, facts: Facts, *, hash: str, risk: Risk | None, original: Sequence[str] | None
) -> Dossier:
    manifest, method, say = told.manifest, BY_KIND[told.manifest.kind].page, catalogue()["report"]
    # What a method says of its own figures is in English, whatever the language of the dossier.
    theirs = "" if spoken() == ENGLISH else ENGLISH
    seeded, owners = manifest.not_for_publication, [page.Words(say["for_owner"], "warning")]
    stated = manifest.risks.get("composition")
    composed = [page.Words(composition_stated(stated), "warning")] if stated else []
    accepted = [
        page.Words(say["accepted"].format(name=name, reason=reason), "warning")
        for name, reason in manifest.parameters.get("accepted", {}).items()
    ]
    owner = method.owner(told) if told.for_owner else []
    files = [(name, file.bytes, file.sha256) for name, file in sorted(manifest.files.items())]
    listed = DataTable(["file", "bytes", "SHA-256"], files, "Published files, beside release.json")
    parts: dict[str, list[Block]] = {
        say["published"]: [page.Words(method.files(told)), listed],
        say["assumed"]: [page.Words(manifest.reader_words), *said_besides("reader", told)],
        say["learn"]: [*composed, *measured(RISKS, told)],
        say["good_for"]: measured(UTILITY, told),
        say["not_protected"]: [page.Words(manifest.limits)],
        **({say["owner"]: [*owners, *owner]} if owner else {}),
        say["made"]: _making(told),
        say["verified"]: _verification(told),
    }
    promised = Section(catalogue()["promised"]["title"], _promised(told), own_page=True, language=theirs)
    figures = Section(catalogue()["annex"]["stated"], _every_figure(told), own_page=True, language=theirs)
    return Dossier(
        name=say["name"].format(name=told.name),
        subtitle=method.what(told) + (f". {say['owner']}" if told.for_owner else ""),
        footer=say["footer"].format(version=manifest.versions.get("tacit", "")),
        facts=facts,
        hash=hash,
        columns=_columns(told, original),
        promise=manifest.promise_words if not theirs else kind_of(manifest.kind).german(manifest),
        risk=risk,
        warnings=[
            *([page.Words(say["seeded"], "warning")] if seeded else []),
            *composed,
            *accepted,
            *(owners if told.for_owner else []),
        ],
        verdict=_verdict(told),
        signable=told.ok and not seeded and not told.for_owner,
        sections=[
            promised,
            *(
                Section(title, blocks, own_page=title == say["owner"], language=theirs)
                for title, blocks in parts.items()
            ),
        ],
        annexes=[figures],
    )


def _columns(told: Told, original: Sequence[str] | None) -> dict[str, Sequence[str]]:
    parameters = told.manifest.parameters
    quasi, keep, sensitive = (tuple(parameters.get(role) or ()) for role in ("quasi", "keep", "sensitive"))
    coarse = bool(quasi) and "group" not in parameters and kind_of(told.manifest.kind).counts_records
    found = {"exact": keep, "generalized": quasi} if coarse else {"exact": (*quasi, *keep), "generalized": ()}
    published = (*quasi, *keep, *sensitive)
    dropped = {} if original is None else {"dropped": [name for name in original if name not in published]}
    return {**found, "sensitive": sensitive, **dropped}


def _promised(told: Told) -> list[Block]:
    """What whoever signs must have read: the promise, against whom, what is not protected, what matters."""
    manifest, method = told.manifest, BY_KIND[told.manifest.kind]
    return [
        page.Words(manifest.promise_words, "lead"),
        page.Facts(
            [
                ("Published", f"{method.page.what(told)}: {', '.join(sorted(manifest.files))}"),
                ("Promised against", manifest.reader_words),
                ("Not protected", manifest.limits),
            ]
        ),
        page.Figures(cards(named(method.figures, *method.page.KEY_FIGURES), told)),
        *([page.Bullets(tuple(plain))] if (plain := said_besides("plainly", told)) else []),
    ]


def _verdict(told: Told) -> Verdict:
    """What the verifier found, in a sentence."""
    failed, open_ones, say = told.named("broken"), told.named("not checked"), catalogue()["report"]
    if failed:
        first = failed[0]
        return Verdict(False, say["refused"].format(name=first.name, detail=first.detail))
    names = ", ".join(check.name for check in open_ones)
    said = say["not_checked"] if open_ones else say["kept"]
    return Verdict(None if open_ones else True, said.format(checks=count(len(told.checks)), names=names))


def measured(part: str, told: Told) -> list[Block]:
    """The figures of a part, and what its method shows beside them."""
    figures = BY_KIND[told.manifest.kind].figures
    return [page.Figures(cards(figures, told, part=part)), *said_besides(part, told)]


def said_besides(part: str, told: Told) -> list[Any]:
    """What a method says in a part that not every method has."""
    method = BY_KIND[told.manifest.kind].page
    return getattr(method, part)(told) if hasattr(method, part) else []


def _making(told: Told) -> list[Block]:
    manifest = told.manifest
    parameters = [(_named(key), number(value)) for key, value in manifest.parameters.items()]
    return [
        page.Facts([("method", manifest.method), *parameters], "Method and parameters"),
        *(page.Words(note, "note") for note in manifest.notes),
        page.Facts(list(manifest.versions.items()), "Versions"),
    ]


def checks_table(checks: Sequence[VerifierCheck]) -> DataTable:
    """What the verifier looked at, and what it found."""
    rows = [(OUTCOMES[check.verdict], check.name, check.detail) for check in checks]
    return DataTable(["outcome", "check", "what was found"], rows, plural(len(rows), "check"))


def _verification(told: Told) -> list[Block]:
    return [
        page.Words(
            "The verifier is a program of its own that shares no code with the toolkit. It was run on the "
            "published files when this report was made. Anybody who has them can run it again:"
        ),
        page.Code(f"tacit verify {told.name}"),
        page.Words(
            "What only the original or the private record can show is not checked without them. Whoever has "
            "the original names it with --original. Figures of utility are outside the verdict."
        ),
        _verdict(told),
        checks_table(told.checks),
    ]


def _every_figure(told: Told) -> list[Block]:
    manifest = told.manifest
    blocks: list[Block] = [page.Words("As they stand in release.json, which is part of the release.", "note")]
    for part in ("promise", "risks", "utility", "verification"):
        pairs, tables = _figures(getattr(manifest, part))
        blocks += [*([page.Facts(pairs, part.title())] if pairs else []), *tables]
    return blocks


_NAMES = {
    "l": "ℓ, the least number of values", "k": "k, the least number of records", "m": "m, the known items",
    "form": "form of the tables", "quasi": "quasi-identifiers", "keep": "other columns published",
    "nulls": "missing values", "null_values": "texts that mean a missing value",
    "group": "column of the bucket's number", "min_count": "least support, a count",
    "min_support": "least support", "min_confidence": "least confidence", "max_length": "longest antecedent",
    "confidence": "level of confidence", "ncp": "loss of detail (NCP)", "cut": "the cut",
}  # fmt: skip
"""What parameters and figures are called, where that is not their name in words."""


def _named(key: str) -> str:
    """A parameter's or figure's name in words."""
    return _NAMES.get(key, key.replace("_", " "))


def _figures(figures: Mapping[str, Any], prefix: str = "") -> tuple[list[tuple[str, str]], list[Block]]:
    """Every figure of one part of a manifest but the cut: single ones, and lists of figures as tables."""
    pairs: list[tuple[str, str]] = []
    tables: list[Block] = []
    for key, value in figures.items():
        name = f"{prefix}{_named(key)}"
        if key == "cut":
            continue
        if isinstance(value, Mapping):
            below = _figures(value, f"{name}: ")
            pairs += below[0]
            tables += below[1]
        elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            rows = [[number(one.get(column)) for column in value[0]] for one in value]
            tables.append(DataTable(map(_named, value[0]), rows, name.capitalize()))
        else:
            pairs.append((name, number(value)))
    return pairs, tables
