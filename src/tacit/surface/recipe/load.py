"""Reading a recipe: TOML in, a checked recipe or an error with its line out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tacit.errors import InputError, Place
from tacit.io.samples import is_sample_table
from tacit.methods import METHODS
from tacit.surface.recipe.mistakes import first_mistake
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.places import Places, locate

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
    values = _with_tables(values)
    try:
        return Recipe.model_validate(values)
    except ValidationError as error:
        mistake = first_mistake(error, values, places or Places())
    raise mistake  # outside the handler: pydantic's error quotes values


def _with_tables(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same values, with ``generalize`` of a table under the name of its own signature.

    A table has quasi-identifiers, and its release no ``m``.
    """
    releases = values.get("release")
    if not isinstance(releases, list):
        return dict(values)
    return {**values, "release": [_with_table(one, values.get("source")) for one in releases]}


def _with_table(release: Any, sources: Any) -> Any:
    if not isinstance(release, dict) or not isinstance(sources, dict):
        return release
    sharing = [one for one in METHODS.values() if one.shares is not None]
    of_table = next((one for one in sharing if one.shares == release.get("method")), None)
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
    if found is not None and found.group(1):
        line, column = int(found.group(1)), int(found.group(2))
    elif found is not None:
        line = text.count("\n") + 1
    said = _AT.sub("", reason)
    plain = next((words for start, words in _REASONS.items() if said.startswith(start)), None)
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
