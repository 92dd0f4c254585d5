"""A whole run written down: ``tacit init`` writes a recipe, ``tacit run`` carries it out or checks what it
made.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.random.key import load_key
from tacit.surface.cli.common import Flag, Shown, Source, misused, progress_bar, say
from tacit.surface.cli.data import DataFlags, load


@dataclass(frozen=True)
class WrittenRecipe:
    """A recipe, and the file it was written to, if any."""

    file: str | None
    recipe: str

    def __str__(self) -> str:
        from tacit.surface.recipe.starter import GUESS, NEEDED

        if self.file is None:
            return self.recipe.removesuffix("\n")
        guesses, needed = self.recipe.count(GUESS), self.recipe.count(NEEDED)
        said = [f"{self.file} is written."]
        if needed:
            said.append(
                "One line is needed from you." if needed == 1 else f"{needed} lines are needed from you."
            )
        if guesses:
            said.append(f"{'One line is a guess' if guesses == 1 else f'{guesses} lines are guesses'}:")
            said.append(f"look at {'it' if guesses == 1 else 'them'} first.")
        return f"{' '.join(said)}\nThen: tacit run {shlex.quote(self.file)} --dry-run"


def init(
    data: Source,
    /,
    *,
    output: Annotated[str | None, Parameter(name=["--output", "-o"], allow_leading_hyphen=True)] = None,
    overwrite: Flag = False,
    flags: DataFlags = DataFlags(),
    shown: Shown = Shown(),
) -> WrittenRecipe:
    """Write a recipe to begin with: the method that fits, roles where they are clear, every line explained.

    Roles that are not given are guessed and marked so.

    Parameters
    ----------
    data
        A file, - for standard input, a database address, or sample:NAME.
    output
        The recipe to write; without it, or with -, the recipe is printed.
    overwrite
        Write over a recipe that is there.
    """
    from tacit.io.output import check_file, whole_file
    from tacit.surface.recipe.starter import starter_recipe

    file = None if output in (None, "-") else Path(str(output))
    if file is None and overwrite:
        raise misused("Nothing is written over without --output.")
    sources = [Path(data)] if Path(data).exists() else []
    if file is not None:
        check_file(file, overwrite=overwrite, sources=sources)
    loaded = load(data, flags, shown)
    text = starter_recipe(
        loaded,
        _as_source(data, flags, Path() if file is None else file.parent),
        name=_name(data),
        file="recipe.toml" if file is None else str(file),
    )
    if file is not None:
        with whole_file(file, overwrite=overwrite, sources=sources) as path:
            path.write_text(text, encoding="utf-8")
    return WrittenRecipe(None if file is None else str(file), text)


def _as_source(data: str, flags: DataFlags, folder: Path) -> Any:
    """The flags as a recipe's source; files are named as seen from the recipe, passwords are left out."""
    from tacit.io.readers.database import without_password
    from tacit.surface.recipe.model import Source as RecipeSource
    from tacit.surface.recipe.starter import relative_to

    given = {field.name: getattr(flags, field.name) for field in fields(flags)}
    for name in ("hierarchies", "hierarchy"):
        if given[name] is not None:
            given[name] = relative_to(given[name], folder)
    source = RecipeSource(path=without_password(data), **given)
    if source.file is None:
        return source
    return source.model_copy(update={"path": relative_to(source.file, folder)})


def _name(data: str) -> str:
    """What a release of these data is called: the first word of the file's name."""
    last = data.removeprefix("sample:").partition(":")[0].rstrip("/").rpartition("/")[2]
    word = "".join(letter for letter in last.partition(".")[0] if letter.isalnum() or letter in "-_")
    return word if word[:1].isalnum() else "release"


def run(
    recipe: Source | None = None,
    /,
    *,
    overwrite: Flag = False,
    check: Flag = False,
    dry_run: Flag = False,
    schema: Flag = False,
    acknowledge_composition: Flag = False,
    reason: str | None = None,
    acknowledged_by: str | None = None,
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
    reason
        Why they are published all the same: for the ledger and the private records, never published.
    acknowledged_by
        Who says so: for the ledger and the private records, never published.
    key_file
        Key that drives every random choice, in place of the one that the recipe names.
    """
    flags = {"--schema": schema, "--check": check, "--dry-run": dry_run, "--overwrite": overwrite}
    flags["--acknowledge-composition"] = acknowledge_composition
    given = [name for name, is_given in flags.items() if is_given]
    if len(given) > 1 and given[0] in ("--schema", "--check"):  # which write nothing
        raise misused(f"The flags {given[0]} and {given[1]} do not go together.", "Leave one of them out.")
    if schema:
        from tacit.surface.recipe.write import recipe_schema

        return recipe_schema()
    if recipe is None:
        raise UsageError(
            "The command line does not say which recipe.",
            code="usage",
            hint="Write: tacit run recipe.toml; begin one with: tacit init DATA -o recipe.toml",
        )
    from tacit.surface.recipe.check import check_recipe
    from tacit.surface.recipe.load import open_recipe
    from tacit.surface.recipe.result import preview_recipe
    from tacit.surface.recipe.run import run_recipe

    opened = open_recipe(recipe)
    asked: dict[str, Any] = {"base": opened.base, "places": opened.places}
    asked["key"] = None if key_file is None else load_key(key_file)
    with progress_bar(shown) as progress:
        asked["progress"] = progress
        if check:
            return check_recipe(opened.recipe, **asked)
        asked |= {"overwrite": overwrite, "acknowledge_composition": acknowledge_composition}
        if dry_run:
            result: Any = preview_recipe(opened.recipe, **asked)
        else:
            result = run_recipe(opened.recipe, reason=reason, acknowledged_by=acknowledged_by, **asked)
    say(result.notes, shown)
    return result
