"""What running a recipe gave: each release with its figures, its limits and where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacit.methods import METHODS
from tacit.showing.layout import grid, heading, prose
from tacit.surface.recipe.limits import Limit


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
        return {
            "releases": [
                {
                    "method": release.method,
                    "kind": release.kind,
                    "source": release.source,
                    "promise": release.promise,
                    "folder": release.folder,
                    "figures": dict(release.figures),
                    "limits": list(release.limits),
                    "seconds": release.seconds,
                    "not_for_publication": release.not_for_publication,
                }
                for release in self.releases
            ],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        count = len(self.folders)
        end = (
            f"Verified and published: {count} {'release' if count == 1 else 'releases'}. "
            "What only you may see is in the folders that end in .private."
        )
        return "\n\n".join([*map(str, self.releases), prose(end)])
