"""``tacit run``: carry a recipe out, say what it would do, or check what it made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.surface.cli.common import Shown, Source, progress_bar, say_notes

if TYPE_CHECKING:
    from tacit.random.key import Key


def run(
    recipe: Source | None = None,
    /,
    *,
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    check: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    dry_run: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    schema: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    acknowledge_composition: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    key_file: Path | None = None,
    shown: Shown = Shown(),
) -> Any:
    """Make every release that a recipe describes, and publish them if all its limits are kept.

    The recipe, its files, its folders and its data are checked before anything is made. The same
    recipe, key and data give the same bytes.

    Parameters
    ----------
    recipe
        The recipe, a TOML file; 'tacit init DATA' writes one to begin with.
    overwrite
        Replace releases that are there.
    check
        Make the releases again and compare those that are there with them; exit code 7 where they differ.
    dry_run
        Say what would be done, with an estimate for each release, and write nothing.
    schema
        Print the JSON Schema of recipes, for editors, and do nothing else.
    acknowledge_composition
        Publish releases of records that were released before; the manifests say what they tell together.
    key_file
        Key that drives every random choice, in place of the one that the recipe names.
    """
    _refuse_together(
        schema=schema,
        check=check,
        dry_run=dry_run,
        overwrite=overwrite,
        acknowledge_composition=acknowledge_composition,
    )
    if schema:
        from tacit.surface.recipe.write import recipe_schema

        return recipe_schema()
    if recipe is None:
        raise UsageError(
            "The command line does not say which recipe.",
            code="usage",
            hint="Write: tacit run recipe.toml; begin one with: tacit init DATA -o recipe.toml",
        )
    from tacit.surface.recipe import check_recipe, open_recipe, preview_recipe, run_recipe

    opened = open_recipe(recipe)
    given: dict[str, Any] = {"base": opened.base, "places": opened.places, "key": _key(key_file)}
    with progress_bar(shown) as progress:
        given["progress"] = progress
        if check:
            return check_recipe(opened.recipe, **given)
        given |= {"overwrite": overwrite, "acknowledge_composition": acknowledge_composition}
        result = (preview_recipe if dry_run else run_recipe)(opened.recipe, **given)
    say_notes(result, shown)
    return result


def _key(file: Path | None) -> Key | None:
    from tacit.random.key_files import load_key

    return None if file is None else load_key(file)


def _refuse_together(**flags: bool) -> None:
    """Refuse flags that contradict each other: a schema or a check writes nothing."""
    given = [f"--{name.replace('_', '-')}" for name, is_given in flags.items() if is_given]
    if len(given) > 1 and given[0] in ("--schema", "--check"):
        raise UsageError(
            f"The flags {given[0]} and {given[1]} do not go together.",
            code="flag-not-used",
            hint="Leave one of them out.",
        )
