"""The fields of the step in which a release is asked for: the options of the methods, as a form has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.methods import METHODS, Method, knowledge_options
from tacit.options import Option
from tacit.ranges import Share, Support, Unlimited, Whole

KNOWN = "knowledge_"
"""What the names of the fields begin with that say what readers know."""
IN_SENTENCES = {
    "bucketize": ("l", "algorithm"),
    "rules": ("min_support", "min_confidence", "max_posterior"),
    "generalize": ("k", "m"),
    "hide": ("patterns", "min_support"),
}
"""Options that the page puts into a sentence of its own."""
NOT_HERE = ("mapping", "max_itemsets", "spread")
"""Options that the page leaves to recipes: a file of an earlier release, limits of a machine."""


def options_in(method: Method) -> dict[str, Option]:
    """Every option that a form of the method may set, by the name of its field."""
    known = {KNOWN + name: option for name, option in knowledge_options().items()}
    return method.options | (known if method.knowledge else {})


def fields_of(method: Method) -> list[dict[str, Any]]:
    """The fields that are shown one below the other."""
    away = (*IN_SENTENCES[method.name], *NOT_HERE, *(KNOWN + name for name in NOT_HERE))
    return [field(name, option) for name, option in options_in(method).items() if name not in away]


def field(name: str, option: Option) -> dict[str, Any]:
    """A field of a form, as the templates show it."""
    inner = getattr(option.range, "inner", option.range)
    is_list = "array" in str(option.range.schema())
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
    given = {
        name: options[name].range.read(text.strip()) if name in options else text
        for name, text in fields.items()
        if isinstance(text, str) and text.strip()
    }
    known = {name.removeprefix(KNOWN): value for name, value in given.items() if name.startswith(KNOWN)}
    return {name: value for name, value in given.items() if not name.startswith(KNOWN)}, known


def titles() -> dict[str, tuple[str, int]]:
    """The label of each option's field, and its step."""
    return {
        option.name: (option.says.title, 4)
        for method in METHODS.values()
        for option in options_in(method).values()
        if option.name not in NOT_HERE
    }


def choices() -> dict[tuple[str, str], str]:
    """What a field offers for a value that an option has."""
    written = {"yes": "True", "no": "False"}
    return {
        (option.name, written.get(value, value)): words
        for method in METHODS.values()
        for option in options_in(method).values()
        for value, words in option.says.values
    }
