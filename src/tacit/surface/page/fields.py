"""The fields of the step in which a release is asked for: the options of the methods, as a form has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.io.readers.formats import SET_FORMATS
from tacit.methods import METHODS, TABLE, TRANSACTIONS, Method, knowledge_options
from tacit.options import Option
from tacit.ranges import Letters, Names, Range, Share, Support, Unlimited, Whole, Words
from tacit.surface.reading import MEANT_FOR, OPTIONS, ROLES, TREES

KNOWN = "knowledge_"
"""What the names of the fields begin with that say what readers know."""
NOT_HERE = ("mapping", "max_itemsets", "spread")
"""Options that the page leaves to recipes: a file of an earlier release, limits of a machine."""
ELSEWHERE = (*ROLES, *TREES, "query")
"""Options of reading that the page has in another step, or leaves to recipes."""


def options_in(method: Method) -> dict[str, Option]:
    """Every option that a form of the method may set, by the name of its field."""
    known = {KNOWN + name: option for name, option in knowledge_options().items()}
    return method.options | (known if method.knowledge else {})


def fields_of(method: Method) -> list[dict[str, Any]]:
    """The fields that are shown one below the other."""
    away = (*method.in_sentences, *NOT_HERE, *(KNOWN + name for name in NOT_HERE))
    return [field(name, option) for name, option in options_in(method).items() if name not in away]


def reading_options(layout: str) -> dict[str, Option]:
    """The options of reading that a form may set, where a file holds a table, baskets or a long list."""
    if layout == "table":
        return {name: option for name, option in MEANT_FOR[TABLE].items() if name not in ELSEWHERE}
    formats = [entry for entry in SET_FORMATS.values() if (entry.lines is None) == (layout == "long")]
    meant = {name for entry in formats for name in entry.options}
    others = {name for entry in SET_FORMATS.values() for name in entry.options} - meant
    away = (*ELSEWHERE, *others, *(("format",) if layout == "long" else ("item",)))
    return {name: option for name, option in MEANT_FOR[TRANSACTIONS].items() if name not in away}


def reading_fields() -> list[dict[str, Any]]:
    """The fields that say how a file is read, each with what a file may hold where it is shown."""
    shown = {layout: reading_options(layout) for layout in ("table", "baskets", "long")}
    return [
        field(name, option) | {"when": " ".join(layout for layout in shown if name in shown[layout])}
        for name, option in OPTIONS.items()
        if name != "format" and any(name in options for options in shown.values())
    ]


def read_fields(options: Mapping[str, Option], fields: Mapping[str, Any]) -> dict[str, Any]:
    """What a form says of options; a field left empty says nothing."""
    found = {}
    for name, text in fields.items():
        wanted = options[name].range if name in options else Words()
        given = str(text) if isinstance(getattr(wanted, "inner", wanted), Letters) else str(text).strip()
        if given:
            found[name] = wanted.read(given)
    return found


def field(name: str, option: Option) -> dict[str, Any]:
    """A field of a form, as the templates show it."""
    inner = getattr(option.range, "inner", option.range)
    is_list = "array" in str(option.range.schema()) and not isinstance(inner, Names)
    usual: Any = "" if option.required or option.default in (None, ()) else option.default
    if isinstance(usual, bool):
        usual = "yes" if usual else "no"
    words = [choice for choice, _ in option.says.values]
    return {
        "name": name,
        "label": option.says.title,
        "hint": "" if option.says.values else option.says.help,
        "kind": "pick" if words else "lines" if is_list else "text",
        "number": isinstance(inner, Whole | Share | Support) or isinstance(option.range, Unlimited),
        "choices": option.says.values,
        "usual": usual if words else "",
        "empty": option.says.empty,
    }


def values_of(method: Method, fields: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options and what readers know, as a form says them; a field left empty says nothing."""
    options = options_in(method)
    given = read_fields(options, fields)
    known = {name.removeprefix(KNOWN): value for name, value in given.items() if name.startswith(KNOWN)}
    return {name: value for name, value in given.items() if not name.startswith(KNOWN)}, known


def titles() -> dict[str, tuple[str, int]]:
    """The label of each option's field, and its step."""
    read = {one["name"]: (one["label"], 1) for one in reading_fields()}
    return read | {
        option.name: (option.says.title, 4)
        for method in METHODS.values()
        for option in options_in(method).values()
        if option.name not in NOT_HERE
    }


def _every_option() -> list[Option]:
    """The options of reading and of releases."""
    asked = [option for method in METHODS.values() for option in options_in(method).values()]
    return [*MEANT_FOR[TABLE].values(), *MEANT_FOR[TRANSACTIONS].values(), *asked]


def ranges() -> dict[str, str]:
    """What a field takes, in words, by the name of its option, where all of this name take the same."""
    found: dict[str, set[str]] = {}
    for option in _every_option():
        found.setdefault(option.name, set()).add(_range_words(getattr(option.range, "inner", option.range)))
    return {name: min(words) for name, words in found.items() if len(words) == 1 and words != {""}}


def _range_words(wanted: Range) -> str:
    if isinstance(wanted, Whole):
        below = "" if wanted.high is None else f" and {wanted.high:,} at most"
        return f"a whole number, {wanted.low:,} or more{below}"
    if isinstance(wanted, Share):
        low = f"{'above' if wanted.open_low else 'from'} {wanted.low:g}"
        high = f"{'below' if wanted.open_high else 'at most'} {wanted.high:g}"
        return f"a number {low}" + ("" if wanted.high == float("inf") else f" and {high}")
    if isinstance(wanted, Support):
        return "a count such as 25, or a share such as 0.01"
    return ""


def usual() -> dict[str, str]:
    """What a field has where nobody says anything, by the name of its option."""
    return {option.name: str(field(option.name, option)["usual"]) for option in _every_option()}


def choices() -> dict[tuple[str, str], str]:
    """What a field offers for a value that an option has."""
    written = {"yes": "True", "no": "False"}
    return {
        (option.name, written.get(value, value)): words
        for option in _every_option()
        for value, words in option.says.values
    }
