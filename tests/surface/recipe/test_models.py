"""The models have what the verbs and the builders have: no more, no less."""

from __future__ import annotations

import inspect
from decimal import Decimal
from typing import Any

import pytest

import tacit
from tacit.errors import ParameterError, TacitError
from tacit.surface.recipe.model import SECTIONS, Balanced, Dates, Flat, Intervals, Prefixes
from tacit.surface.recipe.text import recipe_schema

BUILDERS: dict[str, tuple[Any, Any]] = {
    "intervals": (tacit.build_intervals, Intervals),
    "balanced": (tacit.build_balanced, Balanced),
    "prefixes": (tacit.build_prefixes, Prefixes),
    "dates": (tacit.build_dates, Dates),
    "flat": (tacit.build_flat, Flat),
}


@pytest.mark.parametrize("name", BUILDERS)
def test_every_parameter_of_a_builder_is_a_key_with_its_default(name: str) -> None:
    builder, model = BUILDERS[name]
    found = inspect.signature(builder).parameters.values()
    keyed = {one.name: one for one in found if one.kind is one.KEYWORD_ONLY and one.name != "name"}
    assert set(model.model_fields) == {*keyed, "by"}
    for parameter in keyed.values():
        field = model.model_fields[parameter.name]
        assert (
            field.is_required()
            if parameter.default is parameter.empty
            else field.default == parameter.default
        )


@pytest.mark.parametrize(
    ("model", "key", "wrong"),
    [(Intervals, "width", 0), (Intervals, "width", -1), (Balanced, "fanout", 1), (Prefixes, "lengths", (0,))],
)
def test_rules_for_hierarchies_refuse_what_the_builders_refuse(model: Any, key: str, wrong: Any) -> None:
    builder = BUILDERS[model.model_fields["by"].default][0]
    with pytest.raises(ParameterError):
        builder(["1", "2", "3"], **{key: wrong})
    with pytest.raises(ValueError, match=r"in the range|a list such as"):
        model(**{key: wrong})
    nested = {"width": 1, "nesting": (1,)} if model is Intervals else None
    if nested:
        with pytest.raises(ParameterError):
            builder(["1", "2"], **nested)
        with pytest.raises(ValueError, match="a list such as"):
            model(**nested)


def test_models_are_frozen_and_take_floats_as_they_are_written() -> None:
    release = SECTIONS["hide"](output="o", patterns=["a"], min_support=0.07)
    assert release.min_support == Decimal("0.07")
    assert hash(release) == hash(SECTIONS["hide"](output="o", patterns=("a",), min_support=Decimal("0.07")))
    with pytest.raises(ValueError, match="frozen"):
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
    schema = recipe_schema().to_dict()
    parts = schema["$defs"]
    assert parts["Bucketize"]["properties"]["l"]["minimum"] == 2
    assert parts["Bucketize"]["properties"]["algorithm"]["enum"] == ["injector", "anatomy"]
    assert "method" in parts["Hide"]["required"]
    assert parts["Generalize"]["properties"]["m"]["anyOf"][1]["enum"] == ["auto"]
    assert described(schema) and all(described(part) for part in parts.values())
    assert '"null"' not in str(recipe_schema())
