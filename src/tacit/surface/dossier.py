"""The dossier that somebody signs: the page to sign, who might try, the figures, a glossary, the annexes.

A dossier is about a release of ours, or about a table that was measured. Nothing is made up: what the owner
did not say is "not stated", and what was not measured says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from tacit.judging.risk.figures import Risk
from tacit.judging.risk.show import figure_blocks, standard_blocks, verdict_block
from tacit.options import Says, check_options, options_of
from tacit.ranges import Optional, Words
from tacit.release import Manifest
from tacit.release.kinds import kind_of
from tacit.showing import page
from tacit.showing.page import Block, DataTable, Page, Section, Signature, Verdict
from tacit.surface.catalogue import ENGLISH, LANGUAGES, Language, catalogue, catalogue_of, glossary, spoken


@dataclass(frozen=True)
class Facts:
    """What only the owner of a release can say of it; None for what was not said, which is never made up.

    Its fields are options: flags, keys of a recipe and fields of the page are made of them.
    """

    dataset: Annotated[
        str | None, Optional(Words()), Says("Data set", "The name of the data set, for the dossier.")
    ] = None
    releaser: Annotated[
        str | None, Optional(Words()), Says("Released by", "Who releases the data: an office, a person.")
    ] = None
    purpose: Annotated[
        str | None, Optional(Words()), Says("Purpose", "For what purpose the data are released.")
    ] = None
    recipient: Annotated[
        str | None, Optional(Words()), Says("Recipient", "To whom the data are released.")
    ] = None
    release_model: Annotated[
        str | None,
        Optional(Words()),
        Says("Release model", "How they are given out: to the public, under an agreement, in a safe room."),
    ] = None
    date: Annotated[
        str | None,
        Optional(Words()),
        Says("Date", "The date of the release, as it is to stand in the dossier; no clock is asked."),
    ] = None
    review: Annotated[
        str | None, Optional(Words()), Says("Review", "When the release is looked at again.")
    ] = None
    knowledge: Annotated[
        str | None,
        Optional(Words()),
        Says("What recipients have", "What else recipients have or can get about the same people."),
    ] = None
    language: Annotated[
        Language | None,
        Says(
            "Language",
            "The language of the dossier: en or de. What a method says of its own figures is in English.",
            values=tuple((one, catalogue_of(one)["page"]["language"]) for one in LANGUAGES),
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
class Columns:
    """What became of the columns; None for those dropped where the original is not known."""

    exact: tuple[str, ...] = ()
    generalized: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    dropped: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Dossier:
    """All that the pages of a dossier are made of."""

    name: str
    facts: Facts
    hash: str
    columns: Columns
    promise: str | None = None
    risk: Risk | None = None
    warnings: tuple[Block, ...] = ()
    verdict: Verdict | None = None
    """What the verifier found, where there is a release."""
    signable: bool = True
    sections: tuple[Section, ...] = ()
    """What a report says of a release besides."""
    annexes: tuple[Section, ...] = ()
    """What comes last."""


def dossier_page(dossier: Dossier, *, subtitle: str, footer: str) -> Page:
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
    return Page(title, subtitle, sections, footer, contents=True, language=spoken())


def promise_of(manifest: Manifest) -> str:
    """The promise of a release, in the language that is spoken."""
    return manifest.promise_words if spoken() == ENGLISH else kind_of(manifest.kind).german(manifest)


def _summary(dossier: Dossier) -> Iterable[Block]:
    say = catalogue()
    words: Mapping[str, Any] = say["summary"]
    facts, columns, risk = dossier.facts, dossier.columns, dossier.risk
    yield from dossier.warnings
    stated = [
        (words[name], getattr(facts, name) or say["not_said"])
        for name in ("dataset", "releaser", "purpose", "recipient", "release_model", "date")
    ]
    dropped = words["dropped_unknown"] if columns.dropped is None else _listed(columns.dropped)
    yield page.Facts(
        [
            *stated,
            (words["hash"], dossier.hash),
            (words["exact"], _listed(columns.exact)),
            (words["generalized"], _listed(columns.generalized)),
            (words["sensitive"], _listed(columns.sensitive)),
            (words["dropped"], dropped),
            (words["promise"], dossier.promise or words["no_promise"]),
            (words["residual"], _residual(risk)),
            (words["knowledge"], facts.knowledge or say["not_said"]),
            (words["review"], facts.review or say["not_said"]),
        ]
    )
    if risk is None or not risk.standards:
        yield page.Facts([(words["standard"], words["no_standard"])])
    else:
        for one in risk.standards:
            yield verdict_block(one)
    if dossier.verdict is not None:
        yield dossier.verdict
    if dossier.signable:
        yield page.Words(f"{say['to_sign']} {say['not_anonymous']}", "note")
        yield Signature(tuple(words["signature"]))
    if say["report"]["in_english"]:
        yield page.Words(say["report"]["in_english"], "note")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or catalogue()["summary"]["none"]


def _residual(risk: Risk | None) -> str:
    words = catalogue()["summary"]
    for kind in ("residual_table", "residual_sets"):
        if risk is not None:
            texts = {one.figure.name: one.text for one in risk.figures}
            texts["counted"] = words["counted"][risk.counted]
            try:
                return str(words[kind].format_map(texts))
            except KeyError:
                continue
    return str(words["residual_other"])


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
