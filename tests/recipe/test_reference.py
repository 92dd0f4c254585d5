"""The reference page says what the models say."""

from __future__ import annotations

from tests.recipe.reference import PAGE, page


def test_the_reference_page_is_that_of_the_models() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: python -m tests.recipe.reference"
