"""The reference page says what the models say."""

from __future__ import annotations

import re

from tacit.surface.recipe.load import Places, parse_recipe
from tacit.surface.recipe.prepare import check_consistent
from tests.surface.recipe.reference import PAGE, page


def test_the_reference_page_is_that_of_the_models() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it: python -m tests.surface.recipe.reference"


def test_recipes_shown_in_the_documentation_are_recipes() -> None:
    text = (PAGE.parents[1] / "how-to" / "recipes.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert shown
    for recipe in shown:
        check_consistent(parse_recipe(recipe), Places())
