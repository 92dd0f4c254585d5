"""The coach: technical terms explained where they stand, and what ℓ, k and m might be for these data.

A term is a button that shows its sentence of the glossary on hover, on focus and at a tap. It is one the
first time it stands in a step; after that it is a word like others.
"""

from __future__ import annotations

import re
from functools import cache
from math import ceil
from typing import Any

from markupsafe import Markup, escape

from tacit.judging.risk.standards import all_standards
from tacit.surface.catalogue import catalogue, catalogue_of, spoken
from tacit.surface.page.numbers import count, share, spelled
from tacit.surface.page.session import DataSet

START = {"l": 3, "k": 11, "m": 2}
"""Where to begin, as docs/explanation/choosing.md says."""
LETTERS = {"l": "ℓ", "k": "k", "m": "m"}
_BUTTON = Markup('<button type="button" class="term{mark}" aria-describedby="term-{name}">{shown}</button>')


class Coach:
    """Marks the terms of one page; a term that was explained in a step is not marked there again."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._finds, self._names = _spellings(spoken())

    def begin(self) -> str:
        """A step begins: its terms are new."""
        self._told.clear()
        return ""

    def __call__(self, text: str) -> Markup:
        """A sentence, in which every term that is new is a button."""
        parts, end = [], 0
        for found in self._finds.finditer(text):
            name = self._new(found[0])
            if name is not None:
                shown = _BUTTON.format(mark="", name=name, shown=found[0])
                parts += [escape(text[end : found.start()]), shown]
                end = found.end()
        return Markup("").join([*parts, escape(text[end:])])

    def beside(self, label: str) -> Markup:
        """A button beside a label, which must not hold one, for each new term in it."""
        ask = catalogue()["page"]["what_is"]
        names = [(self._new(found[0]), found[0]) for found in self._finds.finditer(label)]
        shown = Markup('<span aria-hidden="true">?</span><span class="unseen">{}</span>')
        return Markup("").join(
            _BUTTON.format(mark=" mark", name=name, shown=shown.format(ask.format(term=term)))
            for name, term in names
            if name is not None
        )

    def _new(self, spelled: str) -> str | None:
        name = self._names[spelled.casefold()]
        if name in self._told:
            return None
        self._told.add(name)
        return name


@cache
def _spellings(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds the terms of a language in a sentence, and the term of each spelling.

    A letter is a term in brackets alone, or in a class of letters that nothing else has: ℓ, ε, β.
    """
    words: dict[str, list[str]] = catalogue_of(language)["glossary"]["words"]
    names = {
        spelled.casefold(): name for name, (term, _, *more) in words.items() for spelled in (term, *more)
    }
    known = sorted(names, key=len, reverse=True)
    letters = "|".join(re.escape(one) for one in known if len(one) == 1)
    longer = "|".join(re.escape(one) for one in known if len(one) > 1)
    rare = "".join(one for one in known if len(one) == 1 and not one.isascii())
    return re.compile(rf"(?<=\()(?:{letters})(?=\))|[{rare}]|\b(?:{longer})\b", re.IGNORECASE), names


def advice(data: DataSet, method: str, name: str) -> dict[str, Any] | None:
    """What an option of a method might be: where to begin, what standards ask, what the data allow."""
    say: dict[str, str] = catalogue()["page"]["advice"]
    profile = (data.seen or {}).get("profile")
    if profile is None or name not in START:
        return None
    told = [say[f"{name}_start"]]
    value = START[name]
    if name == "l":
        most, sentence = _largest_l(data, say)
        told += [sentence] if sentence else []
        value = min(value, most)
    elif name == "k":
        told += _asked_by_standards(say)
        records = profile["rows" if data.table else "transactions"]
        value = min(value, records)
        key = "k_table" if data.table else "k_sets"
        told.append(say[key].format(rows=count(records), groups=count(records // max(1, value)), k=value))
    else:
        told.append(
            say["m_length"].format(
                average=spelled(f"{profile['average']:.1f}"), most=count(profile["longest"])
            )
        )
        told += [
            say["m_single"].format(items=size, share=share(alone))
            for size, alone in enumerate(profile["unique_by"], start=1)
            if alone is not None
        ]
    fields = {name: str(value)}
    use = {"step": 4, "fields": fields, "only_fill": True}
    possible = value >= (1 if name == "m" else 2)
    return {
        "question": say["question"].format(letter=LETTERS[name]),
        "told": told,
        "use": {"cure": use, "label": say["use"].format(value=value)} if possible else None,
    }


def _largest_l(data: DataSet, say: dict[str, str]) -> tuple[int, str]:
    """The most values that are possible for everybody, by the commonest value of a sensitive column."""
    rows = data.seen["profile"]["rows"] if data.seen else 0
    held = [
        (rows // column["card"]["commonest"], column["name"], column["card"]["commonest"])
        for column in data.columns
        if (data.roles or {}).get(column["name"]) == "sensitive" and column["card"].get("commonest")
    ]
    if not held:
        return START["l"], ""
    most, name, commonest = min(held)
    return most, say["l_most"].format(most=count(most), column=name, held=count(commonest), rows=count(rows))


def _asked_by_standards(say: dict[str, str]) -> list[str]:
    """What named standards ask of k, each once, the least first."""
    asked = {}
    for standard in all_standards():
        for ask in standard.asks:
            if ask.figure == "k" and not ask.more:
                asked[standard.title] = ceil(ask.limit)
    ordered = sorted(asked.items(), key=lambda one: (one[1], one[0]))
    return [say["k_standard"].format(title=title, k=count(k)) for title, k in ordered]
