"""Opening a recipe on the page: what it says of reading, roles, hierarchies and releases fills the forms."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from tacit.errors import UsageError, listed
from tacit.methods import METHODS, TABLE, TRANSACTIONS
from tacit.surface.page.fields import KNOWN, options_in, reading_options, values_of
from tacit.surface.page.session import ITEMS, DataSet, HierarchyChoice
from tacit.surface.reading import ROLES
from tacit.surface.recipe.model import Recipe, Source
from tacit.surface.recipe.write import said


def open_recipe(data: DataSet, recipe: Recipe) -> None:
    """Let a recipe say everything about a data set that the user would say; its file must be looked at anew.

    A hierarchy file that was brought to the data set is found by its name. What the page has no field for is
    refused, because a run would silently do without it.
    """
    first = recipe.release[0]
    source = recipe.sources[recipe.source_of(first)]
    layout = _layout(source, METHODS[first.method].takes)
    told = said(source)
    lost = set(told) - {"path", "hierarchies", "hierarchy", *ROLES, *reading_options(layout)}
    choices = {}
    for release in recipe.release:
        if recipe.source_of(release) == recipe.source_of(first) and release.method not in choices:
            choices[release.method], more = _fields(recipe, release)
            lost |= more
    if lost:
        raise UsageError(
            f"The page has no field for what this recipe says of {listed(sorted(lost))}.",
            code="recipe-not-shown",
            hint="Take it out of the recipe, or carry the recipe out with 'tacit run'.",
        )
    trees = _trees(data, source)
    data.layout, data.method, data.choices = layout, first.method, choices
    data.reading = {name: told[name] for name in told if name in reading_options(layout)}
    data.roles = {name: role for role in ROLES for name in getattr(source, role)} or None
    data.hierarchies, data.columns, data.seen = trees, [], None


def named_by(recipe: Recipe) -> str:
    """The file that a recipe is about, or the sample."""
    path = recipe.sources[recipe.source_of(recipe.release[0])].path
    return path if path.startswith("sample:") else PurePath(path.replace("\\", "/")).name


def _layout(source: Source, takes: str) -> str:
    if takes == TABLE:
        return "table"
    assert takes == TRANSACTIONS
    return "long" if said(source).keys() & {"record", "item"} else "baskets"


def _fields(recipe: Recipe, release: Any) -> tuple[dict[str, str], set[str]]:
    """What a release says as the fields of its form, and the keys that the form has not."""
    values = {name: value for name, value in said(release).items() if name not in ("output", "source")}
    known = values.pop("knowledge", None) or recipe.knowledge
    method = values.pop("method")
    values |= {KNOWN + name: value for name, value in said(known).items()}
    fields = {name: _text(value) for name, value in values.items() if name in options_in(METHODS[method])}
    again, then = values_of(METHODS[method], fields)
    back = again | {KNOWN + name: value for name, value in then.items()}
    return {"method": method, **fields}, {name for name in values if back.get(name) != values[name]}


def _text(value: Any) -> str:
    """A value as somebody would type it into its field."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return "\n".join(map(_text, value))
    return str(value)


def _trees(data: DataSet, source: Source) -> dict[str, HierarchyChoice]:
    trees = source.hierarchies if isinstance(source.hierarchies, dict) else {}
    if source.hierarchy is not None:
        trees = {ITEMS: source.hierarchy}
    files = {choice.name: choice.file for choice in data.hierarchies.values() if choice.file is not None}
    missing = [told for told in trees.values() if isinstance(told, str) and PurePath(told).name not in files]
    if isinstance(source.hierarchies, str):
        missing.append(source.hierarchies)
    if missing:
        raise UsageError(
            f"The recipe needs the hierarchy in {PurePath(missing[0]).name!r}, which is not here.",
            code="recipe-needs-hierarchy",
            hint="Upload it for its column first (step 3), then open the recipe again.",
        )
    return {
        name: HierarchyChoice(file=files[PurePath(told).name], name=PurePath(told).name)
        if isinstance(told, str)
        else HierarchyChoice(rule=said(told))
        for name, told in trees.items()
    }
