"""The words of reports: names of parameters in plain English, and numbers as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.showing.layout import count, share
from tacit.showing.page import Block, DataTable, Facts

_NAMES = {
    "l": "ℓ, the least number of values",
    "k": "k, the least number of records",
    "m": "m, the known items",
    "form": "form of the tables",
    "quasi": "quasi-identifiers",
    "keep": "other columns published",
    "sensitive": "sensitive",
    "nulls": "missing values",
    "null_values": "texts that mean a missing value",
    "group": "column of the bucket's number",
    "min_count": "least support, a count",
    "min_support": "least support",
    "min_confidence": "least confidence",
    "max_length": "longest antecedent",
    "transactions": "transactions",
    "targets": "targets",
    "confidence": "level of confidence",
    "ncp": "loss of detail (NCP)",
    "cut": "the cut",
}


OUTCOMES = {"kept": "kept", "broken": "BROKEN", "not checked": "not checked"}
"""How a table says what became of a check."""


def named(key: str) -> str:
    """A parameter's or figure's name in words."""
    return _NAMES.get(key, key.replace("_", " "))


def number(value: Any) -> str:
    """A figure of the manifest, letter for letter but for thousands set apart and six digits."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(number(part) for part in value) or "none"
    return str(value)


def of(part: int, whole: int) -> str:
    """``12 of 5,000``."""
    return f"{count(part)} of {count(whole)}"


def plural(number_: int, word: str) -> str:
    """``1 rule``, ``2 rules``."""
    return f"{count(number_)} {word}" if number_ == 1 else f"{count(number_)} {word}s"


def left_out(parameters: Mapping[str, Any], what: str = "row") -> list[str]:
    """What is not published and why, a sentence each."""
    out = parameters["suppressed"]
    found = [f"{plural(out, what)} had to be left out."] if out else []
    if "other_rows" in parameters:
        others = plural(parameters["other_rows"], "row")
        found.append(f"Of every person one row is published, drawn at random; left out so: {others}.")
    return found


def about(part: int | None, whole: int, *, rounded: bool) -> str:
    """``12 of 5,000``, ``at most 20 of 5,000`` where it was rounded, or that it is not stated."""
    if part is None:
        return f"not stated for {count(whole)}"
    return f"at most {of(part, whole)}" if rounded and part else of(part, whole)


def guessed(right: float | str | None) -> str:
    """A share of right guesses: exact, or the range that a manifest states, in percent."""
    if right is None:
        return "not stated"
    if not isinstance(right, str):
        return share(right)
    words = [word if word.isalpha() else f"{float(word):.0%}".replace("%", " %") for word in right.split()]
    return " ".join(words)


def percent(value: float | None) -> str:
    """A share as a percentage, or a dash where there is none."""
    return "–" if value is None else share(value)


def all_figures(title: str, figures: Mapping[str, Any], *, without: tuple[str, ...] = ()) -> list[Block]:
    """Every figure of one part of a manifest: single ones as facts, lists of figures as tables."""
    pairs: list[tuple[str, str]] = []
    tables: list[Block] = []
    _gather(figures, "", without, pairs, tables)
    return [*([Facts(pairs, title)] if pairs else []), *tables]


def _gather(
    figures: Mapping[str, Any],
    prefix: str,
    without: tuple[str, ...],
    pairs: list[tuple[str, str]],
    tables: list[Block],
) -> None:
    for key, value in figures.items():
        if key in without:
            continue
        name = f"{prefix}{named(key)}"
        if isinstance(value, Mapping):
            _gather(value, f"{name}: ", without, pairs, tables)
        elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            header = list(value[0])
            rows = [[number(one.get(column)) for column in header] for one in value]
            tables.append(DataTable([named(column) for column in header], rows, name.capitalize()))
        else:
            pairs.append((name, number(value)))


def kind_words(kind: str) -> str:
    """A kind of release as people say it.

    >>> kind_words("generalized_table")
    'generalized table'
    """
    return kind.replace("_", " ")


def surest_words(guesses: Mapping[str, Any] | None, who: str) -> list[str]:
    """For how many of those they are surest about some guesses are right; nothing where few people are."""
    # In a small table the surest 1 % and 5 % are the same hundred people.
    surest = (guesses or {}).get("surest", ())
    right = {one["people"]: one["right"] for one in surest if one["right"] is not None}
    each = [f"{guessed(share_)} of the {count(people)} people" for people, share_ in right.items()]
    return [f"{who} is right for {', '.join(each)} it is surest about."] if each else []
