"""Rules that the user adds to what was mined, or takes out of it.

One rule a line, as it is printed or as it is easily typed::

    sex = male ⇒ ¬ disease = ovarian cancer
    age=40-49 & sex=male => not disease=flu
    sex=male => not ovarian cancer          # where there is one sensitive attribute

Blank lines and what follows ``#`` are passed over; a name that holds ``&``, ``=`` or ``#`` is put
in double quotes. An added rule that some row contradicts is refused: the truth would no longer be
one of the possible assignments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tacit.data.hierarchy import NULL_LABEL
from tacit.data.table import Table
from tacit.engine.base import Combinations, Engine
from tacit.engine.choice import engine_for
from tacit.errors import InputError, Place
from tacit.mining.knowledge import NegativeRules
from tacit.mining.negative import expectations, log_chance
from tacit.typing import Bools, Codes

_TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")*)"|(=>|⇒|&|=|¬)|([^"&=#⇒¬]+?(?==>|["&=⇒¬#]|$))|(#.*))')


@dataclass(frozen=True, slots=True)
class Line:
    """One rule as written: its items, the attribute (where named) and value it rules out, its place."""

    items: tuple[tuple[str, str], ...]
    attribute: str | None
    value: str
    place: Place


def read_lines(rules: Iterable[str] | str | Path) -> list[Line]:
    """The rules in a file (a path), in one string of lines, or in a list of lines."""
    if isinstance(rules, Path):
        from tacit.io.readers.opening import open_bytes
        from tacit.io.readers.text import checked_text

        file = str(rules)
        lines: Sequence[str] = checked_text(open_bytes(rules).data, file=file).decode().splitlines()
    else:
        file = None
        lines = rules.splitlines() if isinstance(rules, str) else list(rules)
    parsed = [_parse(line, Place(file=file, line=number)) for number, line in enumerate(lines, start=1)]
    return [line for line in parsed if line is not None]


def _parse(text: str, place: Place) -> Line | None:
    tokens = _tokens(text, place)
    if not tokens:
        return None
    arrows = [number for number, (kind, _) in enumerate(tokens) if kind == "⇒"]
    if len(arrows) != 1:
        raise _malformed(text, place)
    left, right = tokens[: arrows[0]], tokens[arrows[0] + 1 :]
    if right and right[0][0] == "¬":
        right = right[1:]
    elif right and right[0][0] == "word" and right[0][1].lower().startswith("not "):
        right = [("word", right[0][1][4:].strip()), *right[1:]]
    else:
        raise _malformed(text, place)
    items = _items(left, text, place)
    kinds = [kind for kind, _ in right]
    if kinds == ["word"]:
        return Line(items, None, right[0][1], place)
    if kinds == ["word", "=", "word"]:
        return Line(items, right[0][1], right[2][1], place)
    raise _malformed(text, place)


def _tokens(text: str, place: Place) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    position = 0
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _malformed(text, place)
        quoted, sign, word, comment = match.groups()
        if quoted is not None:
            found.append(("word", quoted.replace('""', '"')))
        elif sign is not None:
            found.append(("⇒" if sign == "=>" else sign, sign))
        elif word is not None and word.strip():
            found.append(("word", word.strip()))
        position = len(text) if comment is not None else match.end()
    return _not_before_quotes(found)


def _not_before_quotes(tokens: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """``not "a value"`` reads as ``¬ "a value"``."""
    merged: list[tuple[str, str]] = []
    for kind, word in tokens:
        if kind == "word" and merged and merged[-1][0] == "word" and merged[-1][1].lower() == "not":
            merged[-1] = ("¬", "¬")
        merged.append((kind, word))
    return merged


def _items(tokens: list[tuple[str, str]], text: str, place: Place) -> tuple[tuple[str, str], ...]:
    items = []
    for number in range(0, len(tokens), 4):
        part = tokens[number : number + 4]
        kinds = [kind for kind, _ in part]
        last = number + 4 >= len(tokens)
        if kinds != (["word", "=", "word"] if last else ["word", "=", "word", "&"]):
            raise _malformed(text, place)
        items.append((part[0][1], part[2][1]))
    if not items:
        raise InputError(
            "The rule has an empty left side.",
            code="rule-empty",
            where=place,
            hint="Say for whom it holds, as in: sex=male => not disease=ovarian cancer",
        )
    if len({name for name, _ in items}) < len(items):
        raise InputError("The rule names an attribute twice.", code="rule-attribute-twice", where=place)
    return tuple(items)


def _malformed(text: str, place: Place) -> InputError:
    return InputError(
        "This is not a negative rule.",
        code="rule-malformed",
        where=replace(place, value=text.strip()),
        hint="Write it as: age=40-49 & sex=male => not disease=flu",
    )


def drop_rules(rules: NegativeRules, dropped: Iterable[str] | str | Path) -> NegativeRules:
    """The rules without those named; naming one that is not there is an error."""
    keep = np.ones(len(rules), dtype=bool)
    gone: list[str] = []
    for line in read_lines(dropped):
        nodes, about, value = _placed(rules, line)
        same = (rules.nodes == nodes).all(axis=1) & (rules.about == about) & (rules.values == value)
        if not same.any():
            raise InputError(
                "The rule to drop is not among the rules mined.",
                code="rule-not-found",
                where=line.place,
                hint="List them with 'tacit mine negative'.",
            )
        keep &= ~same
        gone += [str(rules[int(place)]) for place in np.flatnonzero(same)]
    if keep.all():
        return rules
    return replace(rules.select(keep), dropped=(*rules.dropped, *gone))


def add_rules(
    rules: NegativeRules, table: Table, added: Iterable[str] | str | Path, engine: Engine | None = None
) -> NegativeRules:
    """The rules with the user's own; one that a row contradicts is refused."""
    engine = engine or engine_for(table)
    for line in read_lines(added):
        nodes, about, value = _placed(rules, line)
        same = (rules.nodes == nodes).all(axis=1) & (rules.about == about) & (rules.values == value)
        if same.any():
            if rules.given[same].any():
                raise InputError("The rule is given twice.", code="rule-duplicate", where=line.place)
            rules = rules.select(~same)
        name = list(rules.sensitive)[about]
        combinations = engine.combinations(table, [*table.roles.known, name])
        held = combinations.codes[:, combinations.place(name)]
        matching = rules.matching(combinations)(nodes)
        if (matching & (held == value)).any():
            raise _contradicted(combinations, matching & (held == value), line)
        count = int(combinations.counts[matching].sum())
        chance = log_chance(np.array([int(combinations.counts[held == value].sum())]), combinations.n_rows)
        counts = np.array([count])
        rules = rules.extended(
            name,
            nodes[None, :],
            np.array([value]),
            counts,
            np.zeros(1, dtype=np.int64),
            expectations(counts, chance),
            given=True,
        )
    return rules


def _placed(rules: NegativeRules, line: Line) -> tuple[Codes, int, int]:
    """The rule's nodes, sensitive attribute and value, as the arrays have them."""
    nodes = np.full(len(rules.attributes), -1, dtype=np.int32)
    names = [attribute.name for attribute in rules.attributes]
    for name, label in line.items:
        if name not in names:
            raise _unknown("attribute", name, names, line.place)
        attribute = rules.attributes[names.index(name)]
        node = attribute.hierarchy.index.get(label, -1)
        if node < 0 or node == attribute.hierarchy.root:
            raise _unknown(
                f"value or node of {name!r}", label, list(attribute.hierarchy.labels[:-1]), line.place
            )
        nodes[names.index(name)] = node
    known = list(rules.sensitive)
    if line.attribute is None and len(known) > 1:
        raise _unknown("sensitive attribute", "(not named)", known, line.place)
    about = line.attribute or known[0]
    if about not in known:
        raise _unknown("sensitive attribute", about, known, line.place)
    texts = [NULL_LABEL if text is None else text for text in rules.sensitive[about]]
    if line.value not in texts:
        raise _unknown(f"value of {about!r}", line.value, texts, line.place)
    return nodes, known.index(about), texts.index(line.value)


def _unknown(what: str, found: str, known: list[str], place: Place) -> InputError:
    shown = ", ".join(repr(name) for name in known[:10]) + (", …" if len(known) > 10 else "")
    return InputError(
        f"The rule names an unknown {what}.",
        code="rule-unknown",
        where=replace(place, value=found),
        hint=f"Known are {shown}.",
    )


def _contradicted(combinations: Combinations, wrong: Bools, line: Line) -> InputError:
    """Say what a row that contradicts a rule holds, and how many there are."""
    others = int(combinations.counts[wrong].sum()) - 1
    first = combinations.codes[wrong][0].tolist()
    held = (
        f"{name}={NULL_LABEL if (text := texts[code]) is None else text}"
        for name, texts, code in zip(combinations.names, combinations.texts, first, strict=True)
    )
    return InputError(
        f"A row with {', '.join(held)} contradicts the rule, and so do {others:,} others.",
        code="rule-contradicted",
        where=line.place,
        hint="A rule that the data contradict cannot be a reader's knowledge; correct it or take it out.",
    )
