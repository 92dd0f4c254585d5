"""A recipe as TOML text: what was said, and nothing that goes without saying.

The JSON Schema of recipes, by which editors complete and check them while they are written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from tacit.surface.recipe.model import Recipe

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"}
FIRST = ("method", "by", "path", "output", "source")
"""The keys that a table begins with."""


def to_toml(recipe: Recipe) -> str:
    """The recipe as text; loading it gives an equal recipe. Values at their defaults are left out."""
    parts = {name: getattr(recipe, name) for name in ("source", "knowledge", "key", "dossier")}
    blocks: list[str] = []
    for name, part in parts.items():
        if isinstance(part, Mapping):
            for source, model in part.items():
                blocks += _blocks(f"{name}.{key_text(source)}", said(model))
        elif said(part):
            blocks += _blocks(name, said(part))
    for release in recipe.release:
        blocks += _blocks("release", said(release), array=True)
    return "\n".join(blocks)


def said(model: BaseModel) -> dict[str, Any]:
    """The keys of a table that are not at their defaults, those that tell tables apart first."""
    values = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if name in ("method", "by") or value != field.default or type(value) is not type(field.default):
            values[name] = value
    first = [name for name in FIRST if name in values]
    return {name: values[name] for name in (*first, *(name for name in values if name not in first))}


def value_text(value: Any) -> str:
    """A value as TOML writes it; a whole share such as 1.0 keeps its point, because 1 is a count."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        text = str(value)
        return text if any(sign in text for sign in ".E") else f"{text}.0"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, BaseModel):
        pairs = ", ".join(f"{key_text(name)} = {value_text(part)}" for name, part in said(value).items())
        return f"{{ {pairs} }}"
    return quoted(str(value))


def key_text(name: str) -> str:
    """A key, in quotation marks where it needs them."""
    return name if _BARE.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """Text in quotation marks, with what TOML wants escaped."""
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x20 or letter == "\x7f" else letter


def _blocks(name: str, values: Mapping[str, Any], *, array: bool = False) -> Iterator[str]:
    """A table, and below it the tables inside it, each as a block of lines."""
    inner = {key: value for key, value in values.items() if _is_table(value)}
    lines = [f"[[{name}]]" if array else f"[{name}]"]
    lines += [f"{key_text(key)} = {value_text(value)}" for key, value in values.items() if key not in inner]
    yield "\n".join(lines) + "\n"
    for key, value in inner.items():
        below = value if isinstance(value, Mapping) else said(value)
        yield (
            "\n".join(
                [
                    f"[{name}.{key_text(key)}]",
                    *(f"{key_text(part)} = {value_text(entry)}" for part, entry in below.items()),
                ]
            )
            + "\n"
        )


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping | BaseModel)


DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class RecipeSchema:
    """The schema; as text it is the JSON that an editor reads."""

    schema: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return self.schema

    def __str__(self) -> str:
        return json.dumps(self.schema, ensure_ascii=False, indent=2)


def recipe_schema() -> RecipeSchema:
    """The schema of a recipe, made from its models and the ranges that the verbs declare."""
    schema = _for_toml(Recipe.model_json_schema(schema_generator=_Generator))
    return RecipeSchema({"$schema": DIALECT, **schema, "title": "A recipe of Tacit"})


def _for_toml(schema: Any) -> Any:
    """The schema of what is written: there is no null in TOML, and what tells tables apart must be said."""
    if isinstance(schema, list):
        return [_for_toml(part) for part in schema if part != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    cleaned = {
        name: _for_toml(part)
        for name, part in schema.items()
        if not (name == "default" and (part is None or isinstance(part, dict)))
    }
    properties = cleaned.get("properties", {})
    said = [name for name, part in properties.items() if isinstance(part, dict) and "const" in part]
    if said:
        cleaned["required"] = [*said, *cleaned.get("required", [])]
    return cleaned


class _Generator(GenerateJsonSchema):
    """Numbers stay numbers, and a key is not titled with its own name."""

    def encode_default(self, dft: Any) -> Any:
        return float(dft) if isinstance(dft, Decimal) else super().encode_default(dft)

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False
