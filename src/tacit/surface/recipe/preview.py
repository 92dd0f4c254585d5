"""What a recipe would do, before it does anything: its data, its releases, an estimate for each."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.data.table import Table
from tacit.options import asked_of
from tacit.random.key import Key
from tacit.showing.layout import facts, heading
from tacit.showing.text import as_text, to_plain
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.places import Places
from tacit.surface.recipe.prepare import Prepared, prepare_recipe
from tacit.surface.recipe.releases import OneRelease
from tacit.typing import Progress


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
        return {
            "sources": list(self.sources),
            "releases": [
                {
                    "method": release.method,
                    "source": release.source,
                    "folder": release.folder,
                    "replaces": release.replaces,
                    "estimate": to_plain(release.estimate),
                }
                for release in self.releases
            ],
            "notes": list(self.notes),
        }

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
