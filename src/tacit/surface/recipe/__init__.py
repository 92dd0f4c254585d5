"""Recipes: a whole run written down, so that it can be checked, repeated and handed on.

What runs a recipe is resolved when it is first used, because the verbs it calls take time to load.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tacit.surface.recipe.load import RecipeFile, load_recipe, open_recipe, parse_recipe, recipe_from
from tacit.surface.recipe.model import KeyChoice, Recipe
from tacit.surface.recipe.places import Places
from tacit.surface.recipe.releases import SECTIONS, Knowledge, OneRelease
from tacit.surface.recipe.source import Source
from tacit.surface.recipe.write import to_toml

if TYPE_CHECKING:
    from tacit.surface.recipe.check import check_recipe
    from tacit.surface.recipe.prepare import prepare_recipe
    from tacit.surface.recipe.preview import preview_recipe
    from tacit.surface.recipe.result import RecipeResult, ReleaseResult
    from tacit.surface.recipe.run import make_releases, run_recipe
    from tacit.surface.recipe.starter import starter_recipe
    from tacit.surface.recipe.write import recipe_schema

__all__ = [
    "SECTIONS",
    "KeyChoice",
    "Knowledge",
    "OneRelease",
    "Places",
    "Recipe",
    "RecipeFile",
    "RecipeResult",
    "ReleaseResult",
    "Source",
    "check_recipe",
    "load_recipe",
    "make_releases",
    "open_recipe",
    "parse_recipe",
    "prepare_recipe",
    "preview_recipe",
    "recipe_from",
    "recipe_schema",
    "run_recipe",
    "starter_recipe",
    "to_toml",
]

_LATER = {
    "RecipeResult": "result",
    "ReleaseResult": "result",
    "check_recipe": "check",
    "make_releases": "run",
    "prepare_recipe": "prepare",
    "preview_recipe": "preview",
    "recipe_schema": "schema",
    "run_recipe": "run",
    "starter_recipe": "starter",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'tacit.surface.recipe' has no attribute {name!r}")
    value = getattr(import_module(f"tacit.surface.recipe.{_LATER[name]}"), name)
    globals()[name] = value  # also where a module of that name was imported in between
    return value
