"""``tacit init``: write a commented recipe for a data set, from its profile."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.surface.cli.common import Shown, Source, say_notes
from tacit.surface.cli.data import DataFlags, is_transactions, load_table, load_transactions


@dataclass(frozen=True)
class WrittenRecipe:
    """A recipe, and the file it was written to, if any."""

    file: str | None
    text: str

    def to_dict(self) -> dict[str, Any]:
        return {"file": self.file, "recipe": self.text}

    def __str__(self) -> str:
        from tacit.surface.recipe.starter import GUESS, NEEDED

        if self.file is None:
            return self.text.removesuffix("\n")
        guesses, needed = self.text.count(GUESS), self.text.count(NEEDED)
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
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
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
    from tacit.errors import UsageError
    from tacit.io.output import check_file, whole_file
    from tacit.surface.recipe.starter import starter_recipe

    file = None if output in (None, "-") else Path(str(output))
    if file is None and overwrite:
        raise UsageError("Nothing is written over without --output.", code="flag-not-used")
    sources = [Path(data)] if Path(data).exists() else []
    if file is not None:
        check_file(file, overwrite=overwrite, sources=sources)
    transactions = is_transactions(data, flags)
    loaded = load_transactions(data, flags) if transactions else load_table(data, flags)
    say_notes(loaded, shown)
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
    from tacit.io.readers.formats import without_password
    from tacit.surface.recipe.source import Source as RecipeSource
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
