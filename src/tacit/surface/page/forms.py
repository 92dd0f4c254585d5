"""What the page's forms say, as a recipe: the one way in, so that errors and results are the same everywhere.

A form sends text. A number becomes a number here and nothing more is decided: whether it fits is for
the recipe to say, in the sentence that the command line uses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tacit.errors import UsageError, shorten
from tacit.io.readers.formats import SET_FORMATS
from tacit.methods import METHODS, TABLE, TRANSACTIONS
from tacit.ranges import parse_threshold
from tacit.surface.page.fields import KNOWN, read_fields, reading_options, values_of
from tacit.surface.page.session import ITEMS, DataSet, HierarchyChoice, unknown_method
from tacit.surface.reading import ROLES as READ_AS
from tacit.surface.reading import TREES
from tacit.surface.recipe.consistency import check_consistent
from tacit.surface.recipe.load import recipe_from
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.places import Places

ROLES = (*READ_AS, "none")
LAYOUTS = ("table", "baskets", "long")
NUMBER_LISTS = ("nesting", "lengths")
PATTERN_CODES = ("unknown-item", "rule-sides")
"""Errors about what is to be hidden, beside those whose codes begin with the word."""
UNTOLD = ("method", "output", "patterns", "rules", "drop_rules", "knowledge", "limits")
"""What is not told of a run in a line: what is the same for all, and what is secret or long."""
OUTPUT = "release"
"""The folder of a release, beside its recipe."""
LEFT_OUT = f"{KNOWN}drop_rules"
"""The field that names mined rules which readers are taken not to know."""
COPIED = ("to", "delimiter", "encoding")
"""What a form says of copies of a release."""
REFUSED = ("weak-release", "composition")
"""What is refused until it is acknowledged, in the order in which it is looked at."""


def reading(layout: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """How a file is read, as a form says it; what the form leaves empty is left out."""
    if layout not in LAYOUTS:
        raise UsageError(
            f"A file holds a table, baskets or a long list, not {shorten(layout)!r}.", code="unknown-layout"
        )
    options = reading_options(layout)
    told = read_fields(options, {name: text for name, text in fields.items() if name in options})
    return {name: value for name, value in told.items() if options[name].given(value)}


def source(data: DataSet, *, shown: bool = False) -> dict[str, Any]:
    """The table ``[source]`` of a recipe; with ``shown`` files have the names that the user knows."""
    names = data.names() if shown else {}
    path = names.get(data.path, data.path)
    if shown and not data.sample and path.startswith(("-", "sample:")):
        path = f"./{path}"  # a file may be called so, and is no sample for it
    values: dict[str, Any] = {"path": path, **data.reading}
    if data.layout == "baskets" and "format" not in values and not data.sample:
        values |= _basket_format(data)
    for role in READ_AS:
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
    """The source as a method takes it, without options that say nothing to it."""
    unread = METHODS[method].unread
    return {name: value for name, value in source(data, shown=shown).items() if name not in unread}


def made_from(data: DataSet, method: str) -> dict[str, Any]:
    """The source of a run, to tell later whether it has changed; it may be told wherever the folder is."""
    text = json.dumps(source_for(data, method), default=str)
    found: dict[str, Any] = json.loads(text.replace(json.dumps(f"{data.folder}/")[1:-1], ""))
    return found


def bare_recipe(data: DataSet) -> Recipe:
    """A recipe that only reads the data: without roles and hierarchies, which a first look does not need."""
    away = (*READ_AS, *TREES)
    return source_recipe({name: value for name, value in source(data).items() if name not in away})


def confirmed_recipe(data: DataSet, *, trees: bool) -> Recipe:
    """A recipe that reads the data with their roles, and with hierarchies where these are to be tried."""
    away = () if trees else TREES
    return source_recipe({name: value for name, value in source(data).items() if name not in away})


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


def left_out(fields: Mapping[str, Any]) -> list[str]:
    """The rules that a form says readers do not know, a line each."""
    return [line for line in str(fields.get(LEFT_OUT, "")).splitlines() if line.strip()]


def asked_rules(data: DataSet, fields: Mapping[str, Any]) -> list[Any]:
    """What the rules that readers are taken to know depend on."""
    told = {name: text for name, text in fields.items() if name.startswith(KNOWN) and name != LEFT_OUT}
    return [data.state, sorted((name, text) for name, text in told.items() if text)]


def rule(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A rule to build a hierarchy, as a form says it; a field left empty says nothing."""
    found: dict[str, Any] = {}
    for name, told in fields.items():
        text = str(told).strip()
        if name in NUMBER_LISTS:
            found[name] = [_number(part) for part in re.split(r"[,\s]+", text) if part]
        elif text:
            found[name] = text if name == "date_format" else _number(text)
    return {name: value for name, value in found.items() if value != []}


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


def _number(text: str) -> Any:
    """A number as typed, exactly: ``5`` is a count and ``0.05`` a share; other text is left as it is."""
    try:
        return parse_threshold(text)
    except ValueError:
        return text
