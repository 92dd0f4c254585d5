"""Rules that somebody else wrote down: a published ``rules.json``, a listing, or plain lines.

Plain lines look as they are printed, with scores where there are any::

    education=Doctorate & gender=Female => salary=50K+  support=0.33 confidence=1

A whole-number support is a count of people; scores with a point are shares, rounded to the digits
that are given, so that they allow an interval of counts.

Facts a reader knows besides the rules, one a line::

sex=male => not ovarian cancer
P(flu | age=40-49 & sex=male) <= 0.2
P(flu) >= 0.05
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays.groups import keys_of
from tacit.data.hierarchy import NULL_LABEL
from tacit.errors import InputError, Place
from tacit.methods.disclose.solve.knowledge import Fact
from tacit.methods.disclose.solve.population import Population
from tacit.methods.disclose.solve.published import (
    Items,
    PublishedRules,
    coded,
    interval_of_scores,
    unknown_in_rule,
    with_extents,
)

_SCORE = re.compile(r"\s+\(?(support|confidence)\s*[=:]?\s*([0-9]*\.?[0-9]+)\)?[,)]?")


@dataclass(frozen=True)
class WrittenRule:
    """A rule as written down: scores are the texts that were given, so that their digits count."""

    items: Items
    value: str
    support: str | None
    confidence: str | None
    place: Place


def read_rules(path: Path) -> list[WrittenRule]:
    """The rules in a file."""
    text = _text(path)
    if text.lstrip().startswith(("{", "[")):
        return rules_from_json(text, str(path))
    lines = enumerate(text.splitlines(), start=1)
    return [
        written_rule(line, place=Place(file=str(path), line=number))
        for number, line in lines
        if line.strip() and not line.lstrip().startswith("#")
    ]


def _text(path: Path) -> str:
    from tacit.io.readers.opening import open_bytes
    from tacit.io.readers.text import checked_text

    return checked_text(open_bytes(path).data, file=str(path)).decode()


def written_rule(line: str, *, place: Place | None = None) -> WrittenRule:
    """One rule in a line.

    >>> rule = written_rule("education=Doctorate => salary=50K+  support=0.42 confidence=0.83")
    >>> rule.items, rule.value, rule.support, rule.confidence
    ((('education', 'Doctorate'),), '50K+', '0.42', '0.83')
    """
    place = place or Place()
    scores = dict(_SCORE.findall(line))
    left, arrow, right = re.sub(_SCORE, "", line).strip(" ()").replace("⇒", "=>").partition("=>")
    items = _items(left, lambda part: _malformed(part, place))
    if not arrow or not right.strip():
        raise _malformed(line, place)
    return WrittenRule(items, _value(right), scores.get("support"), scores.get("confidence"), place)


def rules_as_published(population: Population, written: Iterable[WrittenRule]) -> PublishedRules:
    """Written rules over a population; scores become the counts they allow."""
    rules = list(written)
    for rule in rules:
        if not rule.items:
            raise InputError("A rule has an empty left side.", code="rule-empty", where=rule.place)

    def unknown(line: int, what: str, found: str, known: Iterable[str]) -> InputError:
        return unknown_in_rule(what, found, known, rules[line].place)

    nodes, values = coded(population, [(rule.items, rule.value) for rule in rules], unknown)
    _, first = np.unique(keys_of(np.column_stack([nodes, values])), return_index=True)
    if len(first) < len(rules):
        again = int(np.setdiff1d(np.arange(len(rules)), first)[0])
        raise InputError("A rule is given twice.", code="rule-duplicate", where=rules[again].place)
    bare = with_extents(population, nodes, values, values, values)
    bounds = np.array(
        [_interval(rule, population.n_rows, int(bare.matching[line])) for line, rule in enumerate(rules)],
        dtype=np.int64,
    ).reshape(len(rules), 2)
    return with_extents(population, nodes, values, bounds[:, 0], bounds[:, 1])


def _interval(rule: WrittenRule, n_rows: int, matching: int) -> tuple[int, int]:
    support, confidence = rule.support, rule.confidence
    if confidence is not None and float(confidence) > 1:
        raise InputError(
            "The confidence of a rule is above 1.",
            code="rule-confidence",
            where=Place(rule.place.file, rule.place.line, value=confidence),
        )
    if support is not None and "." not in support:
        low, high = interval_of_scores(n_rows, matching, None, confidence)
        count = int(support)
        low, high = max(low, count), min(high, count)
    else:
        low, high = interval_of_scores(n_rows, matching, support, confidence)
    if low > high:
        raise InputError(
            f"The scores of a rule agree with no count of the {matching:,} people it is about.",
            code="rule-scores",
            where=Place(rule.place.file, rule.place.line, value=f"{support} {confidence}"),
            hint="The scores may be of other data, or contradict each other.",
        )
    return low, high


def rules_from_json(text: str, file: str) -> list[WrittenRule]:
    """The rules of a published ``rules.json``, or of a listing."""
    try:
        content = json.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise InputError("The rules are not JSON.", code="rules-json", where=Place(file=file)) from error
    found = content.get("rules") if isinstance(content, dict) else content
    if not isinstance(found, list):
        raise InputError(
            "The file holds no list of rules.", code="rules-json", where=Place(file=file),
            hint='Expected a list, or an object with a list called "rules".',
        )  # fmt: skip
    return [_from_entry(entry, Place(file=file, value=f"rule {n}")) for n, entry in enumerate(found, start=1)]


def _from_entry(entry: Any, place: Place) -> WrittenRule:
    if not isinstance(entry, dict) or "antecedent" not in entry:
        raise _malformed(str(entry), place)
    antecedent = entry["antecedent"]
    if isinstance(antecedent, dict):  # as published
        items = tuple((str(name), str(label)) for name, label in antecedent.items())
        value = str(entry.get("value", NULL_LABEL))
        support = entry.get("support")
        return WrittenRule(items, value, None if support is None else str(support), None, place)
    # As listed by `tacit mine rules`.
    items = _items(" & ".join(map(str, antecedent)), lambda part: _malformed(part, place))
    value = str(next(iter(entry.get("consequent", [""])))).partition("=")[2].strip()
    count = entry.get("count")
    return WrittenRule(items, value, None if count is None else str(count), None, place)


def _malformed(text: str, place: Place) -> InputError:
    return InputError(
        "This is not a rule.",
        code="rule-malformed",
        where=Place(place.file, place.line, value=text.strip()),
        hint="Write it as: age=40-49 & sex=male => disease=flu  support=0.12 confidence=0.9",
    )


_SHARE = re.compile(
    r"^P\((?P<value>[^|]+?)(?:\|(?P<where>.*))?\)\s*(?P<sign><=|>=|=|≤|≥)\s*(?P<share>[0-9.]+)$"
)
_NEVER = re.compile(r"^(?P<where>.*?)\s*(?:=>|⇒)\s*(?:not\s+|¬\s*)(?P<value>.+)$")


def read_facts(path: Path) -> list[Fact]:
    """The facts in a file; blank lines and what follows ``#`` are passed over."""
    lines = [
        (number, line.partition("#")[0].strip())
        for number, line in enumerate(_text(path).splitlines(), start=1)
    ]
    return [parse_fact(line, place=Place(file=str(path), line=number)) for number, line in lines if line]


def parse_fact(line: str, *, place: Place | None = None) -> Fact:
    """A fact as a person writes it.

    >>> parse_fact("sex=male => not ovarian cancer")
    Fact(where=(('sex', 'male'),), value='ovarian cancer', low=0.0, high=0.0)
    >>> parse_fact("P(flu | age=41) <= 0.2")
    Fact(where=(('age', '41'),), value='flu', low=0.0, high=0.2)
    """
    place = place or Place()

    def wrong(part: str = "") -> InputError:
        return InputError(
            "This is not a fact.",
            code="fact-malformed",
            where=Place(place.file, place.line, value=line),
            hint="Write it as: sex=male => not ovarian cancer, or: P(flu | age=41) <= 0.2",
        )

    never = _NEVER.match(line)
    if never is not None:
        return Fact(_items(never["where"], wrong), _value(never["value"]), high=0.0)
    found = _SHARE.match(line)
    if found is None:
        raise wrong()
    try:
        share = float(found["share"])
    except ValueError:
        raise wrong() from None
    if not 0 <= share <= 1:
        raise wrong()
    low = share if found["sign"] in (">=", "≥", "=") else 0.0
    high = share if found["sign"] in ("<=", "≤", "=") else 1.0
    return Fact(_items(found["where"] or "", wrong), _value(found["value"]), low=low, high=high)


def _items(text: str, wrong: Callable[[str], InputError]) -> Items:
    """``age=41 & sex=male`` as pairs; ``wrong(part)`` is the error for a part that is none."""
    items = []
    for part in text.split("&") if text.strip() else []:
        name, equals, label = part.partition("=")
        if not equals or not name.strip() or not label.strip():
            raise wrong(part)
        items.append((name.strip(), label.strip()))
    return tuple(items)


def _value(text: str) -> str:
    return (text.partition("=")[2] if "=" in text else text).strip()
