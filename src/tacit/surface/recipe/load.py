"""Reading a recipe: TOML in, a checked recipe or an error with its line out.

What is wrong with a recipe is said in our words: one sentence, the line, what to write instead.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from tacit.errors import InputError, ParameterError, Place, UsageError, nearest, shorten
from tacit.io.samples import is_sample_table
from tacit.methods import METHODS
from tacit.surface.reading import TREES
from tacit.surface.recipe.model import BUILDERS, OUT_OF_RANGE, SECTIONS, TAGS, Recipe, Source
from tacit.surface.recipe.text import KeyPath, Places, locate

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class RecipeFile:
    """A recipe with the file it was read from: where its keys stand, and what its paths are relative to."""

    recipe: Recipe
    places: Places
    base: Path


def load_recipe(path: str | Path) -> Recipe:
    """The recipe in a file.

    Raises UsageError, with the line, for a key that is unknown or missing or a value out of its range;
    InputError for a file that is not there or is not TOML.
    """
    return open_recipe(path).recipe


def open_recipe(path: str | Path) -> RecipeFile:
    """The recipe in a file (``-`` for standard input), with the places of its keys."""
    from tacit.io.readers.opening import open_bytes
    from tacit.io.readers.text import checked_text

    opened = open_bytes(path)
    text = checked_text(opened.data, file=opened.name).decode()
    recipe, places = _parsed(text, file=opened.name)
    base = Path() if str(path) == "-" else Path(path).parent
    return RecipeFile(recipe, places, base)


def parse_recipe(text: str, *, file: str | None = None) -> Recipe:
    """The recipe in a TOML text; ``file`` is what errors call it.

    >>> recipe = parse_recipe('''
    ... source.path = "sample:hospital"
    ... [[release]]
    ... method = "bucketize"
    ... l = 3
    ... output = "out/patients"
    ... ''')
    >>> recipe.release[0].l
    3
    """
    return _parsed(text, file=file)[0]


def recipe_from(values: Mapping[str, Any], *, places: Places | None = None) -> Recipe:
    """The recipe in plain values, such as those of a form; errors are those of :func:`load_recipe`."""
    values = dict(values)
    if isinstance(values.get("release"), list):
        values["release"] = [_of_its_kind(one, values.get("source")) for one in values["release"]]
    try:
        return Recipe.model_validate(values)
    except ValidationError as error:
        mistake = first_mistake(error, values, places or Places())
    raise mistake  # outside the handler: pydantic's error quotes values


def _of_its_kind(release: Any, sources: Any) -> Any:
    """A release as it is written, but ``generalize`` of a table under the name of its own signature.

    A table has quasi-identifiers, and its release no ``m``.
    """
    if not isinstance(release, dict) or not isinstance(sources, dict) or "method" not in release:
        return release
    of_table = next((one for one in METHODS.values() if one.shares == release["method"]), None)
    if of_table is None:
        return release
    named = {"": sources} if "path" in sources else sources
    source = named.get(release.get("source") or next(iter(named), ""))
    is_table = isinstance(source, dict) and ("quasi" in source or is_sample_table(source.get("path")))
    return {**release, "method": of_table.name} if is_table and "m" not in release else release


def _parsed(text: str, *, file: str | None) -> tuple[Recipe, Places]:
    text = text.replace("\r\n", "\n")
    try:
        values = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(str(error), text, file) from None
    except RecursionError:
        raise _not_toml("Brackets are nested too deeply", text, file) from None
    places = locate(text, file=file)
    return recipe_from(values, places=places), places


def _not_toml(reason: str, text: str, file: str | None) -> InputError:
    """The error for a text that is not TOML; the reader's reason is kept where it is a plain sentence."""
    found = _AT.search(reason)
    line = column = None
    if found is not None:  # else it ends before it should
        line, column = (int(found[1]), int(found[2])) if found[1] else (text.count("\n") + 1, None)
    plain = next((words for start, words in _REASONS.items() if reason.startswith(start)), None)
    return InputError(
        f"This is not TOML: {plain or 'something is out of place'}.",
        code="recipe-toml",
        where=Place(file=file, line=line, column=column),
        hint='A line reads: key = value, with text in quotation marks, as in path = "patients.csv".',
    )


_REASONS = {
    "Expected '=' after a key": "an equals sign is missing after a key",
    "Invalid value": "a value cannot be read; text needs quotation marks",
    "Invalid initial character for a key part": "a key cannot begin like this",
    "Invalid statement": "a line cannot begin like this",
    "Expected newline or end of document": "something follows a value on its line",
    "Cannot overwrite a value": "a key is given twice",
    "Cannot declare": "a table is given twice",
    "Duplicate inline table key": "a key is given twice",
    "Unclosed array": "a list is not closed with ]",
    "Unclosed inline table": "a table is not closed with }",
    "Unterminated string": "a quotation mark is not closed",
    "Illegal character": "a quotation mark is not closed, or a character is not allowed here",
    "Expected ']' at the end of a table": "the bracket of a table is not closed",
    "Expected ']]' at the end of an array": "the brackets of a table are not closed",
    "Brackets are nested": "brackets are nested too deeply",
}
"""What the reader says, by its first words, and what that means."""


def first_mistake(error: ValidationError, values: Mapping[str, Any], places: Places) -> UsageError:
    """The mistake that stands first in the file, as an error of ours."""
    errors = error.errors(include_url=False)
    if len(errors) > 1:  # a list whose only release is wrong is called too short as well
        errors = [entry for entry in errors if entry["type"] != "too_short"]
    found = [(_path(entry["loc"], values), entry) for entry in errors]

    def order(mistake: tuple[KeyPath, Any]) -> tuple[bool, int, int, int]:
        # What is missing comes last: where a key is misspelt, the misspelling is the mistake.
        place = places.at(mistake[0])
        return mistake[1]["type"] == "missing", place.line or 0, int(place.column or 0), -len(mistake[0])

    path, entry = min(found, key=order)
    made = _as_error(path, entry["type"], entry.get("ctx", {}), values)
    made.where = places.at(path)
    if len(found) > 1:
        more = f"{len(found) - 1} more {'mistake follows' if len(found) == 2 else 'mistakes follow'}."
        made.hint = f"{made.hint} {more}" if made.hint else more
    return made


def section_name(path: KeyPath) -> str:
    """What a table of the recipe is called: ``[source]``, ``[release.limits]``, ``The recipe``."""
    names = [part for part in path if isinstance(part, str)]
    return f"[{'.'.join(names)}]" if names else "The recipe"


def unknown_name(name: str, known: Sequence[str]) -> str:
    """The hint for a name that is not known: the nearest that is, or all of them."""
    near = nearest(name, known)
    return f"Did you mean {near!r}?" if near else f"Known are {', '.join(map(repr, known))}."


def _as_error(path: KeyPath, kind: str, context: Mapping[str, Any], values: Mapping[str, Any]) -> UsageError:
    table, key = path[:-1], path[-1] if path else ""
    where = section_name(table)
    if kind == "extra_forbidden":
        model = _model_at(table, values)
        known = list(model.model_fields) if model is not None else []
        return UsageError(
            f"{where} has no key {shorten(str(key))!r}.",
            code="recipe-key-unknown",
            hint=unknown_name(str(key), known),
        )
    if kind == "missing":
        named = "[[release]]" if table == () and key == "release" else repr(key)
        return UsageError(
            f"{where} lacks {named}.",
            code="recipe-key-missing",
            option=str(key),
            hint=EXAMPLES.get(str(key), "See the reference of recipes for what it may be."),
        )
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        return _wrong_choice(path, values)
    value = _value_at(path, values)
    if kind == OUT_OF_RANGE:
        return _out_of_range(path, context, value, values)
    if kind == "too_short":
        return UsageError("The recipe makes no release.", code="recipe-key-missing", hint=EXAMPLES["release"])
    wanted = "one or more tables [[release]]" if path == ("release",) else "a table"
    if {*TREES} & set(path):
        wanted = "the name of a file or folder in quotation marks, or a table"
    return UsageError(
        f"{section_name(path)} must be {wanted}, and is {_kind(value)}.",
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
            f"{section_name(path)} lacks {name!r}.",
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
        name, verb if len(table) == 2 and verb else section_name(table), context["wanted"], shown
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


EXAMPLES = {
    "source": 'Name the data: [source] with path = "patients.csv".',
    "release": 'Say what to make: [[release]] with method = "bucketize", l = 3, output = "out/patients".',
    "path": 'Name the data: path = "patients.csv".',
    "output": 'Name the folder of the release: output = "out/patients".',
    "patterns": 'Name what is secret: patterns = ["beer, diapers"], or a file.',
}
"""How a missing key may be written."""
