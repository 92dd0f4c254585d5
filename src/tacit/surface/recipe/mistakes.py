"""What is wrong with a recipe, in our words: one sentence, the line, what to write instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from tacit.errors import ParameterError, UsageError, nearest, shorten
from tacit.methods import METHODS
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.places import KeyPath, Places
from tacit.surface.recipe.releases import SECTIONS
from tacit.surface.recipe.source import Balanced, Dates, Flat, Intervals, Prefixes, Source
from tacit.surface.recipe.values import OUT_OF_RANGE, TAGS

BUILDERS: dict[str, type[BaseModel]] = {
    "intervals": Intervals,
    "balanced": Balanced,
    "prefixes": Prefixes,
    "dates": Dates,
    "flat": Flat,
}


def first_mistake(error: ValidationError, values: Mapping[str, Any], places: Places) -> UsageError:
    """The mistake that stands first in the file, as an error of ours."""
    errors = error.errors(include_url=False)
    if len(errors) > 1:  # a list whose only release is wrong is called too short as well
        errors = [entry for entry in errors if entry["type"] != "too_short"]
    found = [(_path(entry["loc"], values), entry) for entry in errors]
    # What is missing comes last: where a key is misspelt, the misspelling is the mistake.
    found.sort(key=lambda mistake: (mistake[1]["type"] == "missing", _position(mistake[0], places)))
    path, entry = found[0]
    made = _as_error(path, entry["type"], entry.get("ctx", {}), values)
    made.where = places.at(path)
    if len(found) > 1:
        more = f"{len(found) - 1} more {'mistake follows' if len(found) == 2 else 'mistakes follow'}."
        made.hint = f"{made.hint} {more}" if made.hint else more
    return made


def section_name(path: Sequence[str | int], values: Mapping[str, Any]) -> str:
    """What a table of the recipe is called: ``[source]``, ``[release.limits]``, ``the recipe``."""
    names = [str(part) for part in path if isinstance(part, str)]
    return f"[{'.'.join(names)}]" if names else "the recipe"


def unknown_name(name: str, known: Sequence[str]) -> str:
    """The hint for a name that is not known: the nearest that is, or all of them."""
    near = nearest(name, known)
    return f"Did you mean {near!r}?" if near else f"Known are {', '.join(map(repr, known))}."


def _as_error(path: KeyPath, kind: str, context: Mapping[str, Any], values: Mapping[str, Any]) -> UsageError:
    table, key = path[:-1], path[-1] if path else ""
    where = section_name(table, values)
    if kind == "extra_forbidden":
        model = _model_at(table, values)
        known = list(model.model_fields) if model is not None else []
        return UsageError(
            f"{where[0].upper()}{where[1:]} has no key {shorten(str(key))!r}.",
            code="recipe-key-unknown",
            hint=unknown_name(str(key), known),
        )
    if kind == "missing":
        named = "[[release]]" if table == () and key == "release" else repr(key)
        return UsageError(
            f"{where[0].upper()}{where[1:]} lacks {named}.",
            code="recipe-key-missing",
            option=str(key),
            hint=_example(str(key)),
        )
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        return _wrong_choice(path, values)
    value = _value_at(path, values)
    if kind == OUT_OF_RANGE:
        return _out_of_range(path, context, value, values)
    if kind == "too_short":
        return UsageError("The recipe makes no release.", code="recipe-key-missing", hint=_example("release"))
    wanted = "a table"
    if path == ("release",):
        wanted = "one or more tables [[release]]"
    elif {"hierarchies", "hierarchy"} & set(path):
        wanted = "the name of a file or folder in quotation marks, or a table"
    return UsageError(
        f"{section_name(path, values)} must be {wanted}, and is {_kind(value)}.",
        code="recipe-value",
        hint="See the reference of recipes, or begin with: tacit init DATA",
    )


def _wrong_choice(path: KeyPath, values: Mapping[str, Any]) -> UsageError:
    """A release whose method, or a rule whose way of building, is missing or unknown."""
    given = _value_at(path, values)
    name, choices = ("method", SECTIONS) if path[:1] == ("release",) else ("by", BUILDERS)
    chosen = given.get(name) if isinstance(given, dict) else None
    if chosen is None:
        return UsageError(
            f"{section_name(path, values)} lacks {name!r}.",
            code="recipe-key-missing",
            hint=f"It is one of {', '.join(map(repr, choices))}.",
        )
    return UsageError(
        f"There is no {'method' if name == 'method' else 'way to build a hierarchy'} "
        f"{shorten(str(chosen))!r}.",
        code="recipe-choice",
        hint=unknown_name(str(chosen), list(choices)),
    )


def _out_of_range(
    path: KeyPath, context: Mapping[str, Any], value: Any, values: Mapping[str, Any]
) -> UsageError:
    """The sentence that the verbs use; lists and long texts, which may be secret, are not repeated."""
    name = str(next(part for part in reversed(path) if isinstance(part, str)))
    table = path[: path.index(name) if name in path else -1]
    owner = _value_at(table, values)
    method = owner.get("method") if isinstance(owner, dict) and table[:1] == ("release",) else None
    verb = METHODS[method].verb.__name__ if method in METHODS else None
    if isinstance(value, bool):
        shown: Any = _Word("true" if value else "false")
    elif isinstance(value, int | Decimal | float) or (isinstance(value, str) and context["words"]):
        shown = value
    elif isinstance(value, list | tuple) and context["list"]:
        shown = _Word("a list with something else in it")
    else:
        shown = _Word(_kind(value))
    return ParameterError(
        name, verb if len(table) == 2 and verb else section_name(table, values), context["wanted"], shown
    )


class _Word(str):
    """Text that is shown without quotation marks."""

    def __repr__(self) -> str:
        return str(self)


def _path(loc: Sequence[str | int], values: Mapping[str, Any]) -> KeyPath:
    """The way to the key in the file: pydantic's, without the names of its choices."""
    path: list[str | int] = []
    here: Any = values
    for number, part in enumerate(loc):
        below = _value_at((part,), here)
        missing = number == len(loc) - 1 and isinstance(here, Mapping) and part not in TAGS
        if below is not None or missing:
            path.append(part)
            here = below
    return tuple(path)


def _position(path: KeyPath, places: Places) -> tuple[int, int, int]:
    place = places.at(path)
    column = place.column if isinstance(place.column, int) else 0
    return place.line or 0, column, -len(path)


def _value_at(path: Sequence[str | int], values: Any) -> Any:
    for part in path:
        try:
            values = values[part]
        except (KeyError, IndexError, TypeError):
            return None
    return values


def _model_at(path: Sequence[str | int], values: Mapping[str, Any]) -> type[BaseModel] | None:
    """The model of a table, found by walking the recipe's models along the way to it."""
    if not path:
        return Recipe
    table = _value_at(path, values)
    if path[0] == "source":
        if isinstance(table, Mapping) and isinstance(table.get("by"), str):
            return BUILDERS.get(table["by"])
        return Source
    if path[0] == "release":
        release = _value_at(path[:2], values)
        model = SECTIONS.get(release.get("method", "")) if isinstance(release, Mapping) else None
        return model if len(path) == 2 or model is None else _part(model, str(path[2]))
    return _part(Recipe, str(path[0]))


def _part(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    annotation = model.model_fields[name].annotation
    parts = [annotation, *get_args(annotation)]
    return next((part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)), None)


def _kind(value: Any) -> str:
    """What kind of value was found, without the value."""
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "text" if value.strip() else "blank text"
    if isinstance(value, int | float | Decimal):
        return "a number"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, datetime | date | time):
        return "a date"
    return "a table" if isinstance(value, Mapping) else "nothing"


def _example(key: str) -> str:
    """How a missing key may be written."""
    examples = {
        "source": 'Name the data: [source] with path = "patients.csv".',
        "release": 'Say what to make: [[release]] with method = "bucketize", l = 3, output = "out/patients".',
        "path": 'Name the data: path = "patients.csv".',
        "output": 'Name the folder of the release: output = "out/patients".',
        "patterns": 'Name what is secret: patterns = ["beer, diapers"], or a file.',
    }
    return examples.get(key, "See the reference of recipes for what it may be.")
