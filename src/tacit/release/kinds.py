"""Kinds of release: what the manifest, the store and comparisons ask of each, and its method's room answers.

The rooms stand above this package, so the registry that knows them is found by its name, when a kind is
first asked for.

Words that the manifests of several kinds of release share.

A manifest holds terms alone, so that nothing stands in it that nobody checks. The rooms of the methods put
the terms into sentences; the independent verifier has words of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import InfeasibleError, option

if TYPE_CHECKING:
    from tacit.judging.composition import PublishedTable
    from tacit.judging.set_composition import PublishedSets
    from tacit.mining.knowledge import NegativeRules
    from tacit.release.manifest import Manifest
    from tacit.release.verification import Told
    from tacit.showing.page import Block

Columns = tuple[list[str], list[str], list[str]]
"""Quasi-identifiers, sensitive columns, others."""


@dataclass(frozen=True)
class Kind:
    """A kind of release: its manifest in words, what it counts, how its files are read back."""

    promise: Callable[[Manifest], str]
    german: Callable[[Manifest], str]
    """The promise in German."""
    reader: Callable[[Manifest], str]
    """Against whom the promise is made."""
    limits: Callable[[Manifest], str]
    """What it does not protect against."""
    records: Callable[[Manifest], int | None]
    """How many are published."""
    warnings: Callable[[Manifest], Sequence[str]] = lambda manifest: ()
    """Why nobody should want a release: nothing is left in it, or somebody is nearly given away."""
    notes: Callable[[Manifest], Sequence[str]] = lambda manifest: ()
    """What else whoever reads a release should be told loudly."""
    counts_records: bool = True
    """Whether what it publishes are records of people."""
    columns: Callable[[Path, Manifest], Columns] | None = None
    """The columns of the original that it speaks of; None where it is made from transactions."""
    read_table: Callable[[Path, Manifest], PublishedTable] | None = None
    """How its readers see it, where it can be read together with other releases of a table."""
    read_sets: Callable[[Path, Manifest], PublishedSets] | None = None
    """How its readers see it, where it can be read together with other releases of transactions."""
    points: Callable[[Path], Sequence[Mapping[str, Any]]] = lambda folder: ()
    """Published rules with scores, for a chart."""
    record: tuple[str, ...] = ("plan.json",)
    """The files of its private record that reports are told of; the first has the times."""
    checked_with_record: bool = False
    """Whether the verifier can check more with the private record."""


def kind_of(name: str) -> Kind:
    """What is known of a kind of release."""
    found: Kind = _registry()[name].part("kind").KIND
    return found


def kinds() -> tuple[str, ...]:
    """The names of all kinds."""
    return tuple(_registry())


def stated_columns(folder: Path, manifest: Manifest) -> Columns:
    """The columns that the parameters of a release name."""
    parameters = manifest.parameters
    return parameters["quasi"], parameters["sensitive"], parameters["keep"]


def stated_rows(manifest: Manifest) -> int | None:
    """The rows that the parameters of a release count."""
    return manifest.parameters.get("rows")


def _registry() -> Mapping[str, Any]:
    found: Mapping[str, Any] = import_module("tacit.methods").BY_KIND
    return found


Terms = Mapping[str, Any]

ALARMING = 0.8
"""From this chance of a value on, a release protects somebody hardly at all."""


def alarming_words(largest: float | None) -> list[str]:
    """A warning where somebody's value is nearly given away."""
    if largest is None or largest < ALARMING:
        return []
    return [f"A reader can be {largest:.0%} sure of somebody's sensitive value."]


def check_strong(manifest: Manifest) -> None:
    """Refuse a release of which its kind warns; a limit that was asked for has been thought about."""
    warnings = [] if "max_posterior" in manifest.promise else kind_of(manifest.kind).warnings(manifest)
    if warnings:
        other = "Try other settings"
        if "posterior" in manifest.risks:
            other = f"Try a larger {option('l')}, or ask for a limit with {option('max_posterior')}"
        raise InfeasibleError(
            " ".join(warnings),
            code="weak-release",
            hint=f"{other}, or publish it all the same with {option('accept_weak', True)}.",
        )


def left_out_words(suppressed: int, published: int, what: str) -> list[str]:
    """A note where records are not published."""
    return [f"{suppressed} of {published + suppressed} {what} are not published."] if suppressed else []


def known_rules_words(manifest: Manifest) -> str:
    """Which rules readers are taken to know: those stated, and of coarser ones those that can be mined."""
    reader = manifest.reader
    stated, mined = len(reader["rules"]), reader.get("mined")
    parts = [f"the {stated} stated rule{'s' * (stated > 1)}"] if stated else []
    if mined is not None and "k" in manifest.promise:
        parts = [f"the rules that mining its table gives{' but for some' * ('dropped' in mined)}", *parts]
    return f"{' and '.join(parts) or 'no rule'} about who cannot have what{_looked_for(manifest)}"


def _looked_for(manifest: Manifest) -> str:
    """How rules were looked for: up to a length and from an expectation on, and of whose rows they hold."""
    mined = manifest.reader.get("mined")
    if mined is None:
        return ""
    drawn = "; they hold for the published row of each person, and other rows may break them"
    drawn *= "other_rows" in manifest.parameters and bool(manifest.reader["rules"] or "k" in manifest.promise)
    length = "" if mined["max_length"] is None else f"of at most {mined['max_length']} attributes, "
    if mined["max_length"] == 1:
        length = "of one attribute, "
    return f" ({length}from an expectation of {mined['min_expectation']} on{drawn})"


def few_words(rules: NegativeRules | None, k: int | None) -> list[str]:
    """A warning where rules that the owner gave are about fewer than k rows: they are stated."""
    if rules is None or k is None:
        return []
    few = int((rules.given & (rules.counts > 0) & (rules.counts < k)).sum())
    told = f"Given rules about fewer than {k} rows: {few}. Who did not know them learns that these are there."
    return [told] if few else []


def fraction_words(text: str) -> str:
    """An exact fraction as people write it.

    >>> fraction_words("1/3")
    '0.333333'
    """
    upper, _, lower = text.partition("/")
    return f"{int(upper) / int(lower):g}"


def rule_words(rule: Terms) -> str:
    """A stated negative rule as a line.

    >>> rule_words({"when": {"sex": "male"}, "attribute": "disease", "value": "ovarian cancer"})
    'sex = male ⇒ ¬ disease = ovarian cancer'
    """
    when = " & ".join(f"{name} = {label}" for name, label in rule["when"].items())
    return f"{when} ⇒ ¬ {rule['attribute']} = {rule['value']}"


SHOWN_RULES = 12


def rule_blocks(told: Told) -> list[Block]:
    """The rules in a report, to the owner those on record too: the first, and how many there are besides."""
    from tacit.showing.layout import plural
    from tacit.showing.page import Bullets, Words

    rules = [*told.manifest.reader["rules"], *(told.record or {}).get("rules", ())]
    if not rules:
        return []
    more = len(rules) - SHOWN_RULES
    return [
        Words("Rules that the reader is assumed to know, and that the release withstands:"),
        Bullets(tuple(rule_words(rule) for rule in rules[:SHOWN_RULES])),
        *([Words(f"… and {plural(more, 'more rule')}.", "note")] * (more > 0)),
    ]


def decimal(number: str) -> str:
    """A number with a decimal comma."""
    return number.replace(".", ",")


def german_share(exact: str) -> str:
    """An exact share in words, with a decimal comma."""
    return decimal(fraction_words(exact))
