"""What the page's forms say, as a recipe: the one way in, so that errors and results are the same everywhere.

A form sends text. A number becomes a number here and nothing more is decided: whether it fits is for
the recipe to say, in the sentence that the command line uses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from tacit.errors import UsageError, shorten
from tacit.io.readers.set_formats import SET_FORMATS
from tacit.methods import METHODS, TABLE, TRANSACTIONS
from tacit.surface.page.fields import values_of
from tacit.surface.page.session import ITEMS, DataSet, HierarchyChoice, unknown_method
from tacit.surface.recipe import Places, Recipe, recipe_from
from tacit.surface.recipe.consistency import check_consistent

ROLES = ("quasi", "sensitive", "drop", "keep", "none")
LAYOUTS = ("table", "baskets", "long")
READING = {
    "table": (
        *("format", "delimiter", "quote", "encoding", "header", "columns", "nulls", "null_values", "twins"),
        *("sheet", "table", "skip_rows", "skip_initial_space"),
    ),
    "baskets": ("format", "delimiter", "encoding", "header", "twins"),
    "long": ("record", "item", "delimiter", "encoding", "header", "twins", "sheet", "table"),
}
"""The options of reading that a form may set, by layout."""
NAME_LISTS = ("columns", "null_values")
SWITCHES = ("header", "skip_initial_space")
NUMBER_LISTS = ("nesting", "lengths")
TEXTS = (
    "delimiter",
    "quote",
    "encoding",
    "sheet",
    "table",
    "record",
    "item",
    "date_format",
    "format",
)
PATTERN_CODES = ("unknown-item", "rule-sides")
"""Errors about what is to be hidden, beside those whose codes begin with the word."""
UNTOLD = ("method", "output", "patterns", "rules", "drop_rules", "knowledge", "limits")
"""What is not told of a run in a line: what is the same for all, and what is secret or long."""
OUTPUT = "release"
"""The folder of a release, beside its recipe."""


def reading(layout: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """How a file is read, as a form says it; what the form leaves empty is left out."""
    if layout not in LAYOUTS:
        raise UsageError(
            f"A file holds a table, baskets or a long list, not {shorten(layout)!r}.", code="unknown-layout"
        )
    return _values({name: text for name, text in fields.items() if name in READING[layout]})


def source(data: DataSet, *, shown: bool = False) -> dict[str, Any]:
    """The table ``[source]`` of a recipe; with ``shown`` files have the names that the user knows."""
    names = data.names() if shown else {}
    path = names.get(data.path, data.path)
    if shown and not data.sample and path.startswith(("-", "sample:")):
        path = f"./{path}"  # a file may be called so, and is no sample for it
    values: dict[str, Any] = {"path": path, **data.reading}
    if data.layout == "baskets" and "format" not in values and not data.sample:
        values |= _basket_format(data)
    for role in ("quasi", "sensitive", "drop", "keep"):
        chosen = [name for name, given in (data.roles or {}).items() if given == role]
        if chosen:
            values[role] = chosen
    if data.table:
        quasi = values.get("quasi", ())
        trees = {name: _tree(choice, names) for name, choice in data.hierarchies.items() if name in quasi}
        if trees:
            values["hierarchies"] = trees
    elif ITEMS in data.hierarchies:
        values["hierarchy"] = _tree(data.hierarchies[ITEMS], names)
    return values


def source_for(data: DataSet, method: str, *, shown: bool = False) -> dict[str, Any]:
    """The source as a method takes it: a hierarchy says nothing about patterns, nor about rules."""
    unused = {"hide": "hierarchy", "rules": "hierarchies"}.get(method)
    return {name: value for name, value in source(data, shown=shown).items() if name != unused}


def bare_recipe(data: DataSet) -> Recipe:
    """A recipe that only reads the data: without hierarchies, which a first look does not need."""
    values = {name: value for name, value in source(data).items() if name not in ("hierarchies", "hierarchy")}
    return source_recipe(values)


def source_recipe(values: Mapping[str, Any]) -> Recipe:
    """A recipe of a source alone: a recipe must make a release, and this one's is never made."""
    return recipe_from(
        {"source": dict(values), "release": [{"method": "bucketize", "l": 2, "output": OUTPUT}]}
    )


def recipe(data: DataSet, method: str, fields: Mapping[str, Any], *, shown: bool = False) -> Recipe:
    """The recipe of one release; raises what ``tacit run`` would say of it."""
    by = METHODS.get(method)
    if by is None or by.takes != (TABLE if data.table else TRANSACTIONS):
        raise unknown_method(method)
    told, known = values_of(by, fields)
    release = {"method": method, "output": OUTPUT, **told}
    values: dict[str, Any] = {"source": source_for(data, method, shown=shown), "release": [release]}
    if known:
        values["knowledge"] = known
    made = recipe_from(values)
    check_consistent(made, Places())
    return made


def rule(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A rule to build a hierarchy, as a form says it."""
    return _values(fields)


def said_parameters(recipe: Recipe) -> dict[str, str]:
    """What was asked for, as text, beside what goes without saying: to tell one run from another."""
    from tacit.surface.recipe.write import said, value_text

    told = {**said(recipe.release[0]), **said(recipe.knowledge)}
    return {name: value_text(value).strip('"') for name, value in told.items() if name not in UNTOLD}


def field_of(error: Mapping[str, Any]) -> str | None:
    """The field of a form that an error is about, where its option or its code tells."""
    code = str(error.get("code", ""))
    if code in PATTERN_CODES or code.startswith("pattern"):
        return "patterns"
    if error.get("option"):
        return str(error["option"])
    return code.removeprefix("infeasible-") if code.startswith("infeasible-") else None


def _tree(choice: HierarchyChoice, names: Mapping[str, str]) -> Any:
    if choice.rule is not None:
        return dict(choice.rule)
    return names.get(str(choice.file), str(choice.file))


def _basket_format(data: DataSet) -> dict[str, Any]:
    """A file that is said to hold baskets but is not named so: one with blanks between items, or commas."""
    lines = [entry for entry in SET_FORMATS.values() if entry.lines is not None]
    known = tuple(suffix for entry in lines for suffix in (*entry.suffixes, *entry.also))
    plain = data.path.removesuffix(".gz").removesuffix(".zst")
    return {} if plain.endswith(known) else {"format": "basket"}


def _values(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as values of a recipe; a field left empty says nothing."""
    found = {name: _value(name, told) for name, told in fields.items()}
    return {name: value for name, value in found.items() if value is not None}


def _value(name: str, told: Any) -> Any:
    if isinstance(told, bool) or not isinstance(told, str):
        return told if isinstance(told, bool) else str(told) if told is not None else None
    text = told.strip()
    if name == "delimiter":
        return {"tab": "\t", "blank": " ", "": None}.get(told.lower(), told)
    if not text:
        return None
    if name in SWITCHES:
        return {"yes": True, "no": False}.get(text.lower(), text)
    if name in NAME_LISTS:
        return [part.strip() for part in text.split(",") if part.strip()]
    if name in NUMBER_LISTS:
        return [_number(part) for part in re.split(r"[,\s]+", text) if part]
    return text if name in TEXTS else _number(text)


def _number(text: str) -> Any:
    """A number as typed, exactly: ``5`` is a count and ``0.05`` a share; other text is left as it is."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return Decimal(text)
    except InvalidOperation:
        return text
