"""The coach: terms explained where they stand, a profile in words, what ℓ, k and m might be for these data.

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
from tacit.surface.catalogue import catalogue, catalogue_of, count, named, share, spelled, spoken
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
        average, longest = spelled(f"{profile['average']:.1f}"), count(profile["longest"])
        told.append(say["m_length"].format(average=average, most=longest))
        told += [
            say["m_single"].format(items=size, share=share(alone))
            for size, alone in enumerate(profile["unique_by"], start=1)
            if alone is not None
        ]
    use = {"step": 4, "fields": {name: str(value)}, "only_fill": True}
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
        if column["name"] in data.columns_of("sensitive") and column["card"].get("commonest")
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


def profile_view(data: DataSet) -> dict[str, Any]:
    """The figures of the last look, each with what it means."""
    profile = (data.seen or {})["profile"]
    return _table(data, profile) if data.table else _baskets(profile)


def _table(data: DataSet, profile: dict[str, Any]) -> dict[str, Any]:
    say, confirmed = catalogue()["page"]["profile"], data.roles is not None
    rows = count(profile["rows"])
    figures = [_figure(say["rows"], value=rows), _figure(say["columns"], value=count(len(data.columns)))]
    unique, k, l, t = (profile[name] for name in ("unique_share", "k", "l", "t"))
    if unique is not None and k is not None:
        who = "rows" if profile["person"] is None else "people"
        figures.append(_figure(*say["unique"][who], value=share(unique), alarming=unique > 0))
        figures.append(_figure(*say["k"][who], value=count(k), alarming=k == 1))
    if l is not None and t is not None:
        figures.append(_figure(*say["l"], value=count(l), alarming=l == 1))
        figures.append(_figure(*say["t"], value=spelled(f"{t:.2f}")))
    verdict = say["none_known"]
    if unique is not None:
        words = say["picked_out" if unique > 0 else "nobody_alone"]
        verdict = words.format(share=share(unique), names=named(profile["quasi"]))
    advice = [say["bucketize"]]
    listed = None if confirmed else profile["long_form"]
    if listed:
        verdict = say["listed"][0].format(record=listed["record"], item=listed["item"])
        advice = [say["listed"][1]]
    elif not confirmed:
        advice.append(say["guesses"])
        may_be = profile["may_be_sensitive"]
        if not profile["sensitive"]:
            advice.append(say["may_be"].format(names=named(may_be, "either")) if may_be else say["unknown"])
    return {
        "figures": figures,
        "notes": profile["notes"],
        "verdict": verdict,
        "summary": say["rows_summary" if unique is None else "alone_summary"].format(
            rows=rows, share=share(unique or 0)
        ),
        "advice": " ".join(advice),
        "listed": listed,
        "preview": profile["preview"],
        "names": [column["name"] for column in profile["columns"]],
    }


def _baskets(profile: dict[str, Any]) -> dict[str, Any]:
    say = catalogue()["page"]["profile"]
    baskets, different = count(profile["transactions"]), count(profile["items"])
    name, meaning = say["in_basket"]
    meaning, average = meaning.format(most=count(profile["longest"])), spelled(f"{profile['average']:.1f}")
    figures = [
        _figure(say["baskets"], value=baskets),
        _figure(say["different"], value=different),
        _figure(name, meaning, value=average),
        _figure(say["rare"], value=count(profile["rare_items"])),
    ]
    known = [(size, value) for size, value in enumerate(profile["unique_by"], start=1) if value is not None]
    one, several, of = say["singled_by"]
    for size, value in known:
        name = one if size == 1 else several.format(size=size)
        figures.append(_figure(name, of, value=share(value), alarming=value > 0))
    verdict = say["too_long"]
    if known:
        size, value = known[-1]
        verdict = say["single_out" if value else "none_single_out"].format(size=size, share=share(value))
    return {
        "figures": figures,
        "notes": profile["notes"],
        "verdict": verdict,
        "summary": say["baskets_summary"].format(baskets=baskets, different=different),
        "listed": None,
        "advice": say["generalize"],
        "preview": (),
    }


def _figure(name: str, meaning: str = "", *, value: str, alarming: bool = False) -> dict[str, Any]:
    return {"name": name, "value": value, "meaning": meaning, "alarming": alarming}
