"""Recipes: a whole run written down, so that it can be checked, repeated and handed on."""

from tacit.recipe.load import RecipeFile, load_recipe, open_recipe, parse_recipe, recipe_from
from tacit.recipe.model import KeyChoice, Recipe
from tacit.recipe.releases import Bucketize, Generalize, Hide, Knowledge, Rules
from tacit.recipe.source import Source
from tacit.recipe.write import to_toml

__all__ = [
    "Bucketize",
    "Generalize",
    "Hide",
    "KeyChoice",
    "Knowledge",
    "Recipe",
    "RecipeFile",
    "Rules",
    "Source",
    "load_recipe",
    "open_recipe",
    "parse_recipe",
    "recipe_from",
    "to_toml",
]
