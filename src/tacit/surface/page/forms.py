"""What the page's forms say, as a recipe: the one way in, so that errors and results are the same everywhere.

A form sends text. A number becomes a number here and nothing more is decided: whether it fits is for
the recipe to say, in the sentence that the command line uses.

A recipe that is opened on the page goes the other way: what it says fills the forms.

The fields of a form are the options of the readers and of the methods.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePath
from typing import Any

from tacit.errors import UsageError, listed, shorten
from tacit.io.readers.formats import SET_FORMATS
from tacit.io.readers.opening import plain_suffix
from tacit.methods import METHODS, TABLE, TRANSACTIONS, Method, knowledge_options
from tacit.options import Option
from tacit.ranges import Letters, Names, Share, Support, Unlimited, Whole, Words, parse_threshold
from tacit.surface.page.session import ITEMS, DataSet, HierarchyChoice
from tacit.surface.reading import MEANT_FOR, OPTIONS, ROLES, TREES
from tacit.surface.recipe.load import Places, recipe_from
from tacit.surface.recipe.model import Recipe, Source
from tacit.surface.recipe.prepare import check_consistent
from tacit.surface.recipe.text import said, value_text

KNOWN = "knowledge_"
"""What the names of the fields begin with that say what readers know."""
NOT_HERE = ("mapping", "max_itemsets", "spread")
"""Options that the page leaves to recipes: a file of an earlier release, limits of a machine."""
ELSEWHERE = (*ROLES, *TREES, "query")
"""Options of reading that the page has in another step, or leaves to recipes."""
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
        # A file that is said to hold baskets but is not named so: one with blanks between items, or commas.
        lines = [entry for entry in SET_FORMATS.values() if entry.read is not None]
        if plain_suffix(data.path) not in [one for entry in lines for one in (*entry.suffixes, *entry.also)]:
            values["format"] = "basket"
    values |= {role: data.columns_of(role) for role in ROLES if data.columns_of(role)}
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
    return source_recipe(source(data), away=(*ROLES, *TREES))


def confirmed_recipe(data: DataSet, *, trees: bool) -> Recipe:
    """A recipe that reads the data with their roles, and with hierarchies where these are to be tried."""
    return source_recipe(source(data), away=() if trees else TREES)


def source_recipe(values: Mapping[str, Any], *, away: Collection[str] = ()) -> Recipe:
    """A recipe of a source, of which a profile is asked for."""
    told = {name: value for name, value in values.items() if name not in away}
    return recipe_from({"source": told, "measure": [{"verb": "profile"}]})


def recipe(data: DataSet, method: str, fields: Mapping[str, Any], *, shown: bool = False) -> Recipe:
    """The recipe of one release; raises what ``tacit run`` would say of it."""
    by = METHODS.get(method)
    if by is None or by.takes != data.kind:
        raise UsageError(
            f"There is no method {shorten(method)!r}.",
            code="unknown-method",
            hint=f"The methods are {listed(METHODS)}.",
        )
    told, known = values_of(by, fields)
    read = source_for(data, method, shown=shown)
    if told.get("person") in read.get("drop", ()):  # dropped, it would tell nobody apart
        read["drop"] = [name for name in read["drop"] if name != told["person"]]
    release = {"method": method, "output": OUTPUT, **told}
    made = recipe_from({"source": read, "release": [release], "knowledge": known})
    check_consistent(made, Places())
    return made


def left_out(fields: Mapping[str, Any]) -> list[str]:
    """The rules that a form says readers do not know, a line each."""
    return [line for line in str(fields.get(LEFT_OUT, "")).splitlines() if line.strip()]


def asked_rules(data: DataSet, fields: Mapping[str, Any]) -> list[Any]:
    """What the rules that readers are taken to know depend on."""
    told = {name: text for name, text in fields.items() if name.startswith(KNOWN) and name != LEFT_OUT}
    return [data.state, sorted([name, text] for name, text in told.items() if text)]


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


def _number(text: str) -> Any:
    """A number as typed, exactly: ``5`` is a count and ``0.05`` a share; other text is left as it is."""
    try:
        return parse_threshold(text)
    except ValueError:
        return text


def open_recipe(data: DataSet, recipe: Recipe) -> None:
    """Let a recipe say everything about a data set that the user would say; its file must be looked at anew.

    A hierarchy file that was brought to the data set is found by its name. What the page has no field for is
    refused, because a run would silently do without it.
    """
    first = recipe.release[0]
    source = recipe.sources[recipe.source_of(first)]
    told, layout = said(source), "table"
    if METHODS[first.method].takes == TRANSACTIONS:
        layout = "long" if told.keys() & {"record", "item"} else "baskets"
    lost = set(told) - {"path", *TREES, *ROLES, *reading_options(layout)}
    choices = {}
    for release in recipe.release:
        if recipe.source_of(release) == recipe.source_of(first) and release.method not in choices:
            choices[release.method], more = _fields(recipe, release)
            lost |= more
    if lost:
        raise not_shown(lost)
    trees = _trees(data, source)
    data.layout, data.method, data.choices = layout, first.method, choices
    data.reading = {name: told[name] for name in told if name in reading_options(layout)}
    data.roles = {name: role for role in ROLES for name in getattr(source, role)} or None
    data.hierarchies, data.columns, data.seen = trees, [], None


def not_shown(lost: Iterable[str]) -> UsageError:
    """The error for what a recipe says and the page cannot."""
    return UsageError(
        f"The page has no field for what this recipe says of {listed(sorted(lost))}.",
        code="recipe-not-shown",
        hint="Take it out of the recipe, or carry the recipe out with 'tacit run'.",
    )


def _fields(recipe: Recipe, release: Any) -> tuple[dict[str, str], set[str]]:
    """What a release says as the fields of its form, and the keys that the form has not."""
    values = {name: value for name, value in said(release).items() if name not in ("output", "source")}
    known = values.pop("knowledge", None) or recipe.knowledge
    method = values.pop("method")
    values |= {KNOWN + name: value for name, value in said(known).items()}
    fields = {name: typed(value) for name, value in values.items() if name in options_in(METHODS[method])}
    again, then = values_of(METHODS[method], fields)
    back = again | {KNOWN + name: value for name, value in then.items()}
    return {"method": method, **fields}, {name for name in values if back.get(name) != values[name]}


def typed(value: Any, between: str = "\n") -> str:
    """A value as somebody would type it into its field."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return between.join(map(typed, value))
    return {"\t": "tab", " ": "blank"}.get(str(value), str(value))


def _trees(data: DataSet, source: Source) -> dict[str, HierarchyChoice]:
    trees = source.hierarchies if isinstance(source.hierarchies, dict) else {}
    if source.hierarchy is not None:
        trees = {ITEMS: source.hierarchy}
    files = {choice.name: choice.file for choice in data.hierarchies.values() if choice.file is not None}
    missing = [told for told in trees.values() if isinstance(told, str) and PurePath(told).name not in files]
    if isinstance(source.hierarchies, str):
        missing.append(source.hierarchies)
    if missing:
        raise UsageError(
            f"The recipe needs the hierarchy in {PurePath(missing[0]).name!r}, which is not here.",
            code="recipe-needs-hierarchy",
            hint="Upload it for its column first (step 3), then open the recipe again.",
        )
    return {
        name: HierarchyChoice(file=files[PurePath(told).name], name=PurePath(told).name)
        if isinstance(told, str)
        else HierarchyChoice(rule=said(told))
        for name, told in trees.items()
    }


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
    formats = [entry for entry in SET_FORMATS.values() if (entry.read is None) == (layout == "long")]
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
    given = read_fields(options_in(method), fields)
    known = {name.removeprefix(KNOWN): value for name, value in given.items() if name.startswith(KNOWN)}
    return {name: value for name, value in given.items() if not name.startswith(KNOWN)}, known
