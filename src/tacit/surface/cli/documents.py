"""What is written down: recipes (``tacit init``, ``run``), reports of releases, comparisons and copies."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.errors import UsageError
from tacit.io.output import check_file, whole_file
from tacit.options import options_of
from tacit.random.key import load_key
from tacit.release.published import Release
from tacit.surface.cli.flags import (
    Data,
    DataFlags,
    Flag,
    Outcome,
    OutputFlag,
    Overwrite,
    Shown,
    Source,
    group_of,
    misused,
    progress_bar,
    say,
    split_commas,
)
from tacit.surface.compare import Comparison
from tacit.surface.dossier import Facts
from tacit.surface.export import Exported
from tacit.surface.export import export as export_release
from tacit.surface.reading import kind_of_data, read


def init(
    data: Data,
    /,
    *,
    output: Annotated[str | None, Parameter(name=["--output", "-o"], allow_leading_hyphen=True)] = None,
    overwrite: Flag = False,
    flags: DataFlags = DataFlags(),
    shown: Shown = Shown(),
) -> Outcome:
    """Write a recipe to begin with: the method that fits, roles where they are clear, every line explained.

    Parameters
    ----------
    output
        The recipe to write; without it, or with -, the recipe is printed.
    overwrite
        Write over a recipe that is there.
    """
    from tacit.surface.recipe.text import GUESS, NEEDED, starter_recipe

    file = None if output in (None, "-") else Path(str(output))
    if file is None and overwrite:
        raise misused("Nothing is written over without --output.")
    sources = [Path(data)] if Path(data).exists() else []
    if file is not None:
        check_file(file, overwrite=overwrite, sources=sources)
    loaded = read(kind_of_data(data, flags), data, flags)
    say(loaded.notes, shown)
    source = _as_source(data, flags, Path() if file is None else file.parent)
    name = "recipe.toml" if file is None else str(file)
    recipe = starter_recipe(loaded, source, name=_name(data), file=name)
    plain = {"file": None if file is None else str(file), "recipe": recipe}
    if file is None:
        return Outcome(recipe.removesuffix("\n"), plain)
    with whole_file(file, overwrite=overwrite, sources=sources) as path:
        path.write_text(recipe, encoding="utf-8")
    said = [f"{file} is written."]
    for mark, one, several in (
        (NEEDED, "One line is needed from you.", "{} lines are needed from you."),
        (GUESS, "One line is a guess: look at it first.", "{} lines are guesses: look at them first."),
    ):
        count = recipe.count(mark)
        said += [one if count == 1 else several.format(count)] * bool(count)
    return Outcome(f"{' '.join(said)}\nThen: tacit run {shlex.quote(str(file))} --dry-run", plain)


def _as_source(data: str, flags: DataFlags, folder: Path) -> Any:
    """The flags as a recipe's source; files are named as seen from the recipe, passwords are left out."""
    from tacit.io.readers.database import without_password
    from tacit.surface.reading import TREES
    from tacit.surface.recipe.model import Source as RecipeSource

    def seen_from(path: Path) -> str:
        return str(path) if path.is_absolute() else os.path.relpath(path, folder)

    given = vars(flags) | {name: seen_from(vars(flags)[name]) for name in TREES if vars(flags)[name]}
    source = RecipeSource(path=without_password(data), **given)
    return source if source.file is None else RecipeSource(**vars(source) | {"path": seen_from(source.file)})


def _name(data: str) -> str:
    """What a release of these data is called: the first word of the file's name."""
    last = data.removeprefix("sample:").partition(":")[0].rstrip("/").rpartition("/")[2]
    word = "".join(letter for letter in last.partition(".")[0] if letter.isalnum() or letter in "-_")
    return word if word[:1].isalnum() else "release"


_SAVING = {name: option for name, option in options_of(Release.save).items() if name != "accept_weak"}


class SavingFlags(group_of(_SAVING, "Release")):  # type: ignore[misc]
    """What holds for every release of a recipe."""


def run(
    recipe: Source | None = None,
    /,
    *,
    check: Flag = False,
    dry_run: Flag = False,
    schema: Flag = False,
    key_file: Path | None = None,
    saving: SavingFlags = SavingFlags(),
    shown: Shown = Shown(),
) -> Any:
    """Make every release that a recipe describes, and publish them if all its limits are kept.

    Parameters
    ----------
    recipe
        The recipe, a TOML file; 'tacit init DATA' writes one to begin with.
    check
        Make the releases again and compare those that are there with them; exit code 7 where they differ.
    dry_run
        Say what would be done, with an estimate for each release, and write nothing.
    schema
        Print the JSON Schema of recipes, for editors, and do nothing else.
    key_file
        Key that drives every random choice, in place of the one that the recipe names.
    """
    how = {name: getattr(saving, name) for name in ("overwrite", "acknowledge_composition")}
    flags = {"--schema": schema, "--check": check, "--dry-run": dry_run, "--overwrite": saving.overwrite}
    flags["--acknowledge-composition"] = saving.acknowledge_composition
    given = [name for name, is_given in flags.items() if is_given]
    if len(given) > 1 and given[0] in ("--schema", "--check"):  # which write nothing
        raise misused(f"The flags {given[0]} and {given[1]} do not go together.", "Leave one of them out.")
    if schema:
        from tacit.surface.recipe.text import recipe_schema

        told = recipe_schema()
        return Outcome(json.dumps(told, ensure_ascii=False, indent=2), told)
    if recipe is None:
        raise UsageError(
            "The command line does not say which recipe.",
            code="usage",
            hint="Write: tacit run recipe.toml; begin one with: tacit init DATA -o recipe.toml",
        )
    from tacit.surface.recipe.check import check_recipe
    from tacit.surface.recipe.load import open_recipe
    from tacit.surface.recipe.run import preview_recipe, run_recipe

    opened = open_recipe(recipe)
    asked: dict[str, Any] = {"base": opened.base, "places": opened.places}
    asked["key"] = None if key_file is None else load_key(key_file)
    with progress_bar(shown) as progress:
        asked["progress"] = progress
        if check:
            return check_recipe(opened.recipe, **asked)
        if dry_run:
            result: Any = preview_recipe(opened.recipe, **asked, **how)
        else:
            result = run_recipe(opened.recipe, **asked, **vars(saving))
    say(result.notes, shown)
    return result


class FactFlags(group_of(options_of(Facts), "Dossier")):  # type: ignore[misc]
    """What only the owner can say of a release."""


class CopyFlags(group_of(options_of(export_release), "Copy")):  # type: ignore[misc]
    """How a copy of a release is written."""


def stated_facts(flags: Any, recipe: Path | None) -> Facts:
    """The facts of the flags; what they do not say is taken from a recipe."""
    stated = Facts.told(flags)
    if recipe is None:
        return stated
    from tacit.surface.recipe.load import load_recipe

    given = {name: value for name, value in vars(stated).items() if value is not None}
    return replace(Facts.told(load_recipe(recipe).dossier), **given)


def report(
    folder: Path,
    /,
    *others: Path,
    output: OutputFlag = None,
    overwrite: Overwrite = False,
    owner: Flag = False,
    standard: Annotated[
        tuple[str, ...], Parameter(consume_multiple=False, negative="", converter=split_commas)
    ] = (),
    original: Path | None = None,
    recipe: Path | None = None,
    stated: FactFlags = FactFlags(),
    shown: Shown = Shown(),
) -> Outcome:
    """Write a report of a release, which is verified again for it; exit code 7 where it is refused.

    Parameters
    ----------
    folder
        The release.
    others
        More releases of the same source: the report then sets them all side by side.
    output
        The file to write; by default it is called like the release, or comparison.html, and lies beside it.
    owner
        Add what only the owner of the release may see, from its private record; for nobody else.
    standard
        Named standards that the release is held against; 'tacit risk --standards' lists them.
    original
        The original table, whose columns say which were dropped.
    recipe
        A recipe whose table [dossier] states the owner's facts; flags go before it.
    """
    from tacit.release import read_manifest
    from tacit.surface.compare import compare as compare_releases
    from tacit.surface.reporting import Report, check_report, open_release, report_path

    if others and owner:
        raise misused(
            "Releases side by side have no part for the owner only.",
            "Leave --owner out, or name one release.",
        )
    if others and (standard or original or recipe or stated != FactFlags()):
        raise misused(
            "Releases side by side have no page to sign, and no facts and standards on it.",
            "Leave these flags out, or name one release.",
        )
    folders = (folder, *others)
    usual = folder.with_name("comparison.html") if others else report_path(folder, owner=owner)
    file = usual if output is None else output
    for one in folders:
        read_manifest(one)  # a folder without a release is the first thing to say
        check_report(file, one, overwrite=overwrite)
    if others:
        found = compare_releases(*folders)
        made = Report(found.page(), found.ok, for_owner=False)
    else:
        facts = stated_facts(stated, recipe)
        made = open_release(folder).report(owner=owner, standard=standard, original=original, facts=facts)
    place = made.save(file, overwrite=overwrite)
    refused = f"The verifier refuses {'a release' if others else 'the release'}."
    words = [
        "The verifier found nothing broken." if made.ok else refused,
        f"The report is in {file}; open it in a browser or print it.",
        *(["It holds what only you may see: do not pass it on."] if made.for_owner else []),
    ]
    plain = {"file": str(file), "releases": [str(one) for one in folders], "ok": made.ok}
    plain |= {"for_owner": made.for_owner, "bytes": place.stat().st_size}
    # A report of a release that is refused is written all the same, and says so in its exit code.
    return Outcome(" ".join(words), plain, 0 if made.ok else 7)


def compare(
    *folders: Path, plot: Path | None = None, overwrite: Overwrite = False, shown: Shown = Shown()
) -> Comparison:
    """Compare releases, which are verified again; exit code 7 where one is refused.

    Parameters
    ----------
    folders
        The releases, two or more.
    plot
        File for the plane of risk and utility: a picture (.svg) or a page with the whole comparison (.html).
    """
    from tacit.release.store import check_beside
    from tacit.surface.compare import compare as run

    if plot is None:
        if overwrite:
            raise misused(
                "Nothing is replaced without a plot.", "Name its file with --plot, or leave --overwrite out."
            )
        return run(*folders)
    if plot.suffix.lower() not in (".svg", ".html"):
        raise UsageError(
            f"A plot is a picture (.svg) or a page (.html), which {plot.name!r} is not.",
            code="plot-format",
            hint="Name a file that ends in .svg or .html.",
        )
    for folder in folders:
        check_beside(plot, folder, "A plot", hint="Choose a file beside it.")
    check_file(plot, overwrite=overwrite, sources=folders)
    found = run(*folders)
    drawn = found.plane().to_svg() if plot.suffix.lower() == ".svg" else found.page().to_html()
    with whole_file(plot, overwrite=overwrite, sources=folders) as file:
        file.write_text(drawn, encoding="utf-8")
    return found


def export(
    folder: Path,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    copy: CopyFlags,
    overwrite: Flag = False,
    shown: Shown = Shown(),
) -> Exported:
    """Write a published table, transactions or rules in another format, beside the release.

    Parameters
    ----------
    folder
        The release.
    output
        The file to write.
    overwrite
        Replace the file if it is there.
    """
    return export_release(folder, output, **vars(copy), overwrite=overwrite)
