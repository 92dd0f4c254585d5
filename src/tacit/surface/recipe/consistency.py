"""What can be wrong with a recipe before any file is opened: names that nobody has, keys that do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from pydantic import BaseModel

from tacit.errors import UsageError
from tacit.ranges import as_fraction
from tacit.surface.recipe.mistakes import unknown_name
from tacit.surface.recipe.model import ONLY, Recipe
from tacit.surface.recipe.places import KeyPath, Places
from tacit.surface.recipe.releases import Bucketize, Generalize, Hide, Rules
from tacit.surface.recipe.source import Source

KINDS = {"bucketize": "table", "rules": "table", "generalize": "transactions", "hide": "transactions"}
"""What each method is made from."""


def check_consistent(recipe: Recipe, places: Places) -> dict[str, str]:
    """The kind of each source, by name; raises the first thing that contradicts another.

    Nothing is read: this is what can be said of the recipe alone.
    """
    kinds = _kinds(recipe, places)
    for name, source in recipe.sources.items():
        _check_options(recipe, name, source, kinds[name], places)
    for number, release in enumerate(recipe.release):
        for key, why in _useless(release):
            raise _error(
                f"{key!r} does nothing here: it belongs to {why}.",
                "recipe-key-unused",
                ("release", number, *key.split(".")),
                places,
                "Leave it out.",
            )
        if isinstance(release, Bucketize) and _suppresses(release) > _bounds_left_out(release):
            raise _error(
                "Rows are left out because of the values they hold, and a reader knows who is missing.",
                "suppression-unbounded",
                ("release", number, "on_infeasible"),
                places,
                "Say how frequent a value may be among them: max_posterior_suppressed = 0.5.",
            )
    if recipe.key.file is not None and recipe.key.seed is not None:
        raise _error(
            "A seed and a key file are both given.",
            "two-keys",
            ("key",),
            places,
            "Use file for a release, seed for an experiment.",
        )
    return kinds


def source_path(recipe: Recipe, name: str) -> KeyPath:
    """Where a source is written in the recipe."""
    return ("source",) if isinstance(recipe.source, Source) else ("source", name)


def _kinds(recipe: Recipe, places: Places) -> dict[str, str]:
    kinds: dict[str, str] = {}
    for number, release in enumerate(recipe.release):
        name = _source_name(recipe, release, number, places)
        kind = KINDS[release.method]
        if kinds.setdefault(name, kind) != kind:
            raise _error(
                f"One release reads the source {name!r} as a table, another as transactions.",
                "recipe-source-kind",
                ("release", number),
                places,
                "Describe it twice, under two names: as a table it needs roles, as transactions items.",
            )
    for name in recipe.sources:
        if name not in kinds:
            raise _error(
                f"No release is made from the source {name!r}.",
                "recipe-source-unused",
                ("source", name),
                places,
                f"Take it out, or say source = {name!r} in a release.",
            )
    return kinds


def _source_name(
    recipe: Recipe, release: Bucketize | Generalize | Hide | Rules, number: int, places: Places
) -> str:
    known = [] if isinstance(recipe.source, Source) else list(recipe.sources)
    if release.source is None:
        if len(recipe.sources) == 1:
            return next(iter(recipe.sources))
        raise _error(
            "The release does not say which source it is made from.",
            "recipe-source-unknown",
            ("release", number),
            places,
            f"Give source = one of {', '.join(map(repr, known))}.",
        )
    if release.source not in known:
        raise _error(
            f"There is no source {release.source!r}.",
            "recipe-source-unknown",
            ("release", number, "source"),
            places,
            unknown_name(release.source, known) if known else "There is one source; leave the key out.",
        )
    return release.source


def _check_options(recipe: Recipe, name: str, source: Source, kind: str, places: Places) -> None:
    """Refuse reading options that say nothing about this kind of data."""
    from tacit.surface.recipe.reading import options_of

    path = source_path(recipe, name)
    where = "The source" if name == ONLY and len(path) == 1 else f"The source {name!r}"
    given = [key for key in Source.model_fields if getattr(source, key) != Source.model_fields[key].default]
    unused = [key for key in given if key not in options_of(kind)]
    methods = {release.method for release in recipe.release if recipe.source_of(release) == name}
    if kind == "transactions" and "hierarchy" in given and "generalize" not in methods:
        unused.append("hierarchy")
    if unused:
        about = "hiding patterns" if unused[0] == "hierarchy" and kind == "transactions" else None
        what = about or ("a table" if kind == "table" else "transactions")
        raise _error(
            f"{where} has {unused[0]!r}, which says nothing about {what}.",
            "recipe-key-unused",
            (*path, unused[0]),
            places,
            f"Leave it out; {' and '.join(sorted(methods))} read {'a table' if kind == 'table' else kind}.",
        )
    if kind == "transactions" and len(source.sensitive) > 1:
        raise _error(
            "Transactions have one sensitive column at most.",
            "recipe-value",
            (*path, "sensitive"),
            places,
            "Name one.",
        )


def _suppresses(release: Bucketize) -> bool:
    return release.on_infeasible == "suppress"


def _bounds_left_out(release: Bucketize) -> bool:
    return release.max_posterior_suppressed is not None


def _has_no_areas(release: Bucketize) -> bool:
    return release.algorithm == "anatomy" or release.partners not in (None, "areas")


def _useless(release: BaseModel) -> Iterator[tuple[str, str]]:
    """Keys that are given and would do nothing beside the others, and what they belong to."""
    if isinstance(release, Bucketize) and _bounds_left_out(release) > _suppresses(release):
        yield "max_posterior_suppressed", "on_infeasible = 'suppress'"
    if isinstance(release, Bucketize) and release.join_values:
        if release.algorithm == "anatomy":
            yield "join_values", "the algorithm 'injector'"
        if _suppresses(release):
            yield "join_values", "on_infeasible = 'refuse'"
    if isinstance(release, Bucketize) and release.partners is not None:
        if release.algorithm == "anatomy":
            yield "partners", "the algorithm 'injector'"
        if release.max_posterior is not None and release.partners in ("near", "paper"):
            yield "partners", "a release without max_posterior"
    if isinstance(release, Bucketize) and _has_no_areas(release) and release.epsilon is not None:
        yield "epsilon", "partners = 'areas'"
    if isinstance(release, Generalize):
        if release.restarts is not None and release.algorithm != "best":
            yield "restarts", "the algorithm 'best'"
        if release.time_budget is not None and release.algorithm not in ("optimal", "best"):
            yield "time_budget", "the algorithms 'optimal' and 'best'"
        if _changed(release, "max_narrowed") and release.m != "auto":
            yield "max_narrowed", 'm = "auto"'
        for key in ("algorithm", "max_suppressed"):
            if release.mapping is not None and _changed(release, key):
                yield key, "records without a mapping"
    if isinstance(release, Hide):
        for key in ("policy", "targets"):
            if release.algorithm == "swa" and _changed(release, key):
                yield key, "the algorithm 'matrix'"
        if _changed(release, "confidence") and (release.algorithm == "swa" or release.policy == "exact"):
            yield "confidence", "the policies 'certified' and 'paper'"
        for key in ("disclosure", "window"):
            if release.algorithm == "matrix" and _changed(release, key):
                yield key, "the algorithm 'swa'"
    if isinstance(release, Rules) and release.k is None:
        if _changed(release, "channels"):
            yield "channels", "a release with k"
        if release.limits.max_channels is not None:
            yield "limits.max_channels", "a release with k"


def _changed(model: BaseModel, key: str) -> bool:
    value, usual = getattr(model, key), type(model).model_fields[key].default
    if isinstance(value, int | Decimal) and isinstance(usual, int | Decimal):
        return as_fraction(value) != as_fraction(usual)
    return bool(value != usual)


def _error(message: str, code: str, path: KeyPath, places: Places, hint: str) -> UsageError:
    return UsageError(message, code=code, where=places.at(path), hint=hint)
