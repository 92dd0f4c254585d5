"""The JSON Schema of recipes, by which editors complete and check them while they are written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from tacit.surface.recipe.model import Recipe

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
