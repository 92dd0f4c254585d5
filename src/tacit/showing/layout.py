"""Plain-text layout: headings, facts and small tables that look alike everywhere; numbers in words.

Results as text for a terminal, found by their class without importing what is not asked for; and as plain
values: what ``--json`` prints and what the manifest holds.
"""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

WIDEST = 100
"""Lines of prose are no longer than this, however wide the terminal is."""
NARROWEST = 24
"""A column of prose is no narrower than this, however narrow the terminal is."""


def prose(text: str, *, indent: int = 0, hanging: int | None = None) -> str:
    """Text in lines that fit the terminal, or 80 columns where there is none.

    Lines are indented by ``indent`` spaces, those after the first by ``hanging``. Words are never
    broken, nor is a figure parted from its percent sign. Paths and commands, which are to be copied,
    are printed as they are instead.
    """
    first, others = " " * indent, " " * (indent if hanging is None else hanging)
    wide = max(_width(), len(others) + NARROWEST)
    lines = textwrap.wrap(
        text.replace(" %", "\N{NO-BREAK SPACE}%"),
        wide,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}%", " %")


def told(result: object) -> str:
    """A result that says itself in sentences."""
    return prose(str(result))


def _width() -> int:
    return min(shutil.get_terminal_size((80, 24)).columns, WIDEST)


def heading(text: str) -> str:
    """A heading with a rule under it."""
    return f"{text}\n{'─' * len(text)}"


def facts(pairs: Iterable[tuple[str, str]], *, as_they_are: Collection[str] = ()) -> str:
    """Names and values, one pair a line, the values aligned; a long value goes on below itself.

    Values to be copied, those of the names in ``as_they_are``, stay on their line.

    >>> print(facts([("rows", "1,000"), ("columns", "6")]))
      rows     1,000
      columns  6
    """
    rows = list(pairs)
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(
        f"  {name:<{width}}  " + (value if name in as_they_are else _beside(value, width + 4))
        for name, value in rows
    )


def _beside(text: str, place: int) -> str:
    """Prose that begins at a place of its line and goes on below it; a line that fits is left alone."""
    if place + len(text) <= max(_width(), place + NARROWEST):
        return text
    return prose(text, indent=place)[place:]


def grid(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Sequence[int] = (),
    ends_in_prose: bool = False,
) -> str:
    """A small table; the columns numbered in ``right`` are aligned right, a last one of prose is wrapped."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(header))]
    if ends_in_prose:
        before = sum(width + 2 for width in widths[:-1]) + 2
        widths[-1] = min(widths[-1], max(_width() - before, NARROWEST))
        for line in lines:
            line[-1] = _beside(line[-1], before)

    def shape(line: Sequence[str]) -> str:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  " + "  ".join(cells).rstrip()

    rule = "  " + "  ".join("─" * width for width in widths)
    return "\n".join([shape(lines[0]), rule, *(shape(line) for line in lines[1:])])


def count(number: int) -> str:
    """A whole number with thousands set apart."""
    return f"{number:,}"


def share(number: float) -> str:
    """A share as a percentage; small ones keep a digit that says something.

    >>> share(0.5), share(0.0312), share(0.00004), share(0)
    ('50.0 %', '3.1 %', '0.004 %', '0.0 %')
    """
    percent = 100 * number
    if percent and abs(percent) < 0.05:
        return f"{percent:.1g} %"
    return f"{percent:.1f} %"


OUTCOMES = {"kept": "kept", "broken": "BROKEN", "not checked": "not checked"}
"""How a table says what became of a check."""


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


def joined(names: Sequence[str], last: str) -> str:
    """Names as a sentence has them.

    >>> joined(["zip", "age", "sex"], " and ")
    'zip, age and sex'
    """
    return last.join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


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


_RENDERERS = {
    "TableProfile": "tacit.judging.show:table_profile",
    "TransactionsProfile": "tacit.judging.show:transactions_profile",
    "SetRisks": "tacit.methods.generalize_sets.show:risks_text",
    "Risk": "tacit.judging.risk.show:as_text",
    "Composition": "tacit.showing.ledger:composition",
    "LedgerList": "tacit.showing.ledger:ledger",
    "LedgerEntry": "tacit.showing.ledger:entry",
}
"""What puts a result into text, by the name of its class; those of a method are in its room."""


def as_text(result: Any) -> str:
    """The result as a person reads it on a terminal."""
    text = result if isinstance(result, str) else shown(result)
    return str(result) if text is None else text


def shown(result: Any) -> str | None:
    """The result as what shows its kind puts it; None where nothing does."""
    render = shown_by(result, "TEXTS", _RENDERERS)
    return None if render is None else render(result)


def shown_by(result: Any, form: str, known: Mapping[str, str]) -> Callable[[Any], Any] | None:
    """What shows a result in some form: a table of that name in the ``show`` of its room, or known here."""
    name, parts = type(result).__name__, type(result).__module__.split(".")
    if name in known:
        module, _, function = known[name].partition(":")
        found: Callable[[Any], Any] = getattr(import_module(module), function)
        return found
    if parts[:2] != ["tacit", "methods"]:
        return None
    own: Mapping[str, Callable[[Any], Any]] = getattr(import_module(".".join([*parts[:3], "show"])), form, {})
    return own.get(name)


def to_plain(result: Any) -> Any:
    """The result as dictionaries, lists, numbers and text.

    An object with a ``to_dict`` says itself what it prints; other dataclasses print their fields.
    """
    if isinstance(result, float):
        return result if math.isfinite(result) else None  # JSON has no infinity
    if result is None or isinstance(result, bool | int | str):
        return result
    if hasattr(result, "to_dict"):
        return to_plain(result.to_dict())
    if is_dataclass(result) and not isinstance(result, type):
        return {field.name: to_plain(getattr(result, field.name)) for field in fields(result)}
    if isinstance(result, Mapping):
        return {str(name): to_plain(value) for name, value in result.items()}
    if isinstance(result, set | frozenset):
        return sorted(to_plain(value) for value in result)
    if isinstance(result, list | tuple):
        return [to_plain(value) for value in result]
    if isinstance(result, Decimal):
        return float(result)
    if isinstance(result, Path):
        return str(result)
    if hasattr(result, "tolist"):  # a numpy array or number
        return to_plain(result.tolist())
    raise TypeError(f"{type(result).__name__} has no plain form")
