"""What running a recipe gave, and what it would give: its data, its releases, an estimate for each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from tacit.data.table import Table
from tacit.methods import METHODS
from tacit.options import asked_of
from tacit.random.key import Key
from tacit.showing.layout import facts, grid, heading, prose
from tacit.showing.text import as_text, to_plain
from tacit.surface.recipe.model import OneRelease, Recipe
from tacit.surface.recipe.places import Places
from tacit.surface.recipe.prepare import Prepared, prepare_recipe
from tacit.typing import Progress


@dataclass(frozen=True)
class Limit:
    """A limit, what was found, and whether it is kept."""

    name: str
    bound: int | Decimal
    found: int | float | None
    met: bool

    def __str__(self) -> str:
        if self.found is None:
            return f"{self.name} = {self.bound} cannot be judged: the figure was not measured"
        text = f"{self.name} = {self.bound}, and it is {self.found:.6g}"
        if self.met:
            return text
        by = abs(float(self.found) - float(self.bound))
        return f"{text}: {by:.6g} too {'much' if self.name.startswith('max_') else 'little'}"


@dataclass(frozen=True)
class ReleaseResult:
    """One release: ``folder`` is where it was published, None where it was only made."""

    method: str
    kind: str
    source: str
    promise: str
    folder: str | None
    figures: Mapping[str, Any]
    limits: tuple[Limit, ...]
    seconds: float
    not_for_publication: bool

    def __str__(self) -> str:
        lines = [heading(f"{self.method}: {self.folder or self.source}"), prose(self.promise), ""]
        rows = [
            (one.name, one.text(self.figures[one.name]), one.meaning())
            for one in METHODS[self.method].figures
        ]
        lines.append(grid(("figure", "value", "what it is"), rows, right=(1,), ends_in_prose=True))
        lines += [f"  {'kept' if limit.met else 'MISSED'}: {limit}" for limit in self.limits]
        if self.not_for_publication:
            lines.append("  Made with a seed: not for publication.")
        return "\n".join(lines)


@dataclass(frozen=True)
class RecipeResult:
    """Every release of a recipe, in its order."""

    releases: tuple[ReleaseResult, ...]
    notes: tuple[str, ...] = ()

    @property
    def folders(self) -> tuple[str, ...]:
        """Where the releases are."""
        return tuple(release.folder for release in self.releases if release.folder is not None)

    def to_dict(self) -> dict[str, Any]:
        """The form ``--json`` prints."""
        return {field.name: to_plain(getattr(self, field.name)) for field in fields(self)}

    def __str__(self) -> str:
        count = len(self.folders)
        end = (
            f"Verified and published: {count} {'release' if count == 1 else 'releases'}. "
            "What only you may see is in the folders that end in .private."
        )
        return "\n\n".join([*map(str, self.releases), prose(end)])


@dataclass(frozen=True)
class SourcePreview:
    """A source as it was read."""

    name: str
    kind: str
    records: int
    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]

    def __str__(self) -> str:
        if self.kind == "transactions":
            return f"{self.records:,} transactions"
        roles = f"quasi-identifiers {', '.join(self.quasi)}; sensitive {', '.join(self.sensitive)}"
        return f"{self.records:,} rows; {roles}"


@dataclass(frozen=True)
class ReleasePreview:
    """A release that would be made: where, whether it would replace one, and what it would cost."""

    method: str
    source: str
    folder: str
    replaces: bool
    estimate: Any

    def __str__(self) -> str:
        end = " (replaces the release there)" if self.replaces else ""
        return f"{heading(f'{self.method}: {self.folder}{end}')}\n{as_text(self.estimate)}"


@dataclass(frozen=True)
class RecipePreview:
    """What a recipe would do."""

    sources: tuple[SourcePreview, ...]
    releases: tuple[ReleasePreview, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The form ``--json`` prints."""
        return {field.name: to_plain(getattr(self, field.name)) for field in fields(self)}

    def __str__(self) -> str:
        sources = facts((source.name, str(source)) for source in self.sources)
        end = "The recipe can be carried out; nothing was written."
        return "\n\n".join([sources, *map(str, self.releases), end])


def preview_recipe(
    recipe: Recipe,
    *,
    base: str | Path = ".",
    key: Key | None = None,
    overwrite: bool = False,
    acknowledge_composition: bool = False,
    places: Places | None = None,
    progress: Progress | None = None,
) -> RecipePreview:
    """Check a recipe as :func:`run_recipe` does, and say what it would do; nothing is written."""
    prepared = prepare_recipe(
        recipe,
        base=Path(base),
        key=key,
        overwrite=overwrite,
        acknowledge_composition=acknowledge_composition,
        places=places,
        progress=progress,
    )
    return RecipePreview(
        sources=tuple(_source(prepared, name) for name in recipe.sources),
        releases=tuple(
            ReleasePreview(
                release.method,
                recipe.source_of(release),
                str(prepared.folder_of(release)),
                os.path.lexists(prepared.folder_of(release)),
                _expected(prepared, release, progress),
            )
            for release in recipe.release
        ),
        notes=prepared.notes,
    )


def _source(prepared: Prepared, name: str) -> SourcePreview:
    data = prepared.data[name]
    if isinstance(data, Table):
        return SourcePreview(name, "table", len(data), data.names, data.roles.quasi, data.roles.sensitive)
    return SourcePreview(name, "transactions", len(data), (), (), ())


def _expected(prepared: Prepared, release: OneRelease, progress: Progress | None) -> Any:
    """What the method itself says about time and memory."""
    given = prepared.arguments(release)
    data = given.pop(next(iter(given)))
    return release.by.expected(asked_of(release.by.verb, data, given | {"progress": progress}))
