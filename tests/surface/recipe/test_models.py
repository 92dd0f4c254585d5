"""The models have what the verbs and the builders have: no more, no less."""

from __future__ import annotations

import inspect
import json
from decimal import Decimal
from typing import Any

import pytest

import tacit
from tacit.errors import ParameterError, TacitError
from tacit.options import REQUIRED
from tacit.surface.recipe.model import RULES, SECTIONS
from tacit.surface.recipe.text import recipe_schema


@pytest.mark.parametrize("name", RULES)
def test_every_parameter_of_a_builder_is_a_key_with_its_default(name: str) -> None:
    found = inspect.signature(getattr(tacit, f"build_{name}")).parameters.values()
    keyed = {one.name: one for one in found if one.kind is one.KEYWORD_ONLY and one.name != "name"}
    assert set(RULES[name].keys) == {*keyed, "by"}
    for parameter in keyed.values():
        key = RULES[name].keys[parameter.name]
        assert key.default == (REQUIRED if parameter.default is parameter.empty else parameter.default)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("intervals", {"width": 0}),
        ("intervals", {"width": -1}),
        ("intervals", {"width": 1, "nesting": (1,)}),
        ("balanced", {"fanout": 1}),
        ("prefixes", {"lengths": (0,)}),
    ],
)
def test_rules_for_hierarchies_refuse_what_the_builders_refuse(name: str, wrong: Any) -> None:
    with pytest.raises(ParameterError):
        getattr(tacit, f"build_{name}")(["1", "2", "3"], **wrong)
    with pytest.raises(ParameterError, match=r"in the range|a list such as"):
        RULES[name](**wrong)


def test_models_are_frozen_and_take_floats_as_they_are_written() -> None:
    release = SECTIONS["hide"](output="o", patterns=["a"], min_support=0.07)
    assert release.min_support == Decimal("0.07")
    assert release == SECTIONS["hide"](output="o", patterns=("a",), min_support=Decimal("0.07"))
    with pytest.raises(AttributeError, match="as it is"):
        release.min_support = 1


def test_a_recipe_from_plain_values_has_our_errors() -> None:
    from tacit.surface.recipe.load import recipe_from

    values = {"source": {"path": "a"}, "release": [{"method": "bucketize", "l": 3, "output": "o"}]}
    assert recipe_from(values).release[0].l == 3
    with pytest.raises(TacitError, match="'l' parameter of bucketize"):
        recipe_from(values | {"release": [{"method": "bucketize", "l": 1, "output": "o"}]})


def described(schema: Any) -> bool:
    """Whether every property of an object says what it is."""
    return all("description" in part or "const" in part for part in schema.get("properties", {}).values())


def test_the_schema_knows_ranges_and_says_what_keys_are() -> None:
    schema = recipe_schema()
    parts = schema["$defs"]
    assert parts["Bucketize"]["properties"]["l"]["minimum"] == 2
    assert parts["Bucketize"]["properties"]["algorithm"]["enum"] == ["injector", "anatomy"]
    assert "method" in parts["Hide"]["required"]
    assert parts["Generalize"]["properties"]["m"]["anyOf"][1]["enum"] == ["auto"]
    assert described(schema) and all(described(part) for part in parts.values())
    assert '"null"' not in json.dumps(recipe_schema())
