"""Reading a recipe: TOML in, a checked recipe or an error with its line out.

What is wrong with a recipe is said in our words: one sentence, the line, what to write instead.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from tacit.errors import InputError, Place, UsageError
from tacit.io.samples import is_sample_table
from tacit.methods import METHODS
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.section import MISSING, KeyPath, Mistakes
from tacit.surface.recipe.text import Places, locate

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
    values, places = dict(values), places or Places()
    if isinstance(values.get("release"), list):
        values["release"] = [_of_its_kind(one, values.get("source")) for one in values["release"]]
    found: Mistakes = []
    recipe = Recipe.read(values, (), found)
    if found:
        raise _first(found, places)
    return recipe


def _first(found: Mistakes, places: Places) -> UsageError:
    """The mistake that stands first in the file, and how many more there are."""

    def order(mistake: tuple[KeyPath, UsageError]) -> tuple[bool, int, int, int]:
        # What is missing comes last: where a key is misspelt, the misspelling is the mistake.
        place = places.at(mistake[0])
        return mistake[1].code == MISSING, place.line or 0, int(place.column or 0), -len(mistake[0])

    path, error = min(found, key=order)
    error.where = places.at(path)
    if len(found) > 1:
        more = f"{len(found) - 1} more {'mistake follows' if len(found) == 2 else 'mistakes follow'}."
        error.hint = f"{error.hint} {more}" if error.hint else more
    return error


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
    asked = release.get("source") or next(iter(named), "")
    source = named.get(asked) if isinstance(asked, str) else None
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
