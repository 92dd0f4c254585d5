"""A recipe: sources, what readers know, and the releases to make of them.

The models hold what is written in the file and nothing else; relative paths are those of the file.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, create_model

from tacit.options import options_of
from tacit.ranges import Optional, Whole
from tacit.surface.dossier.facts import facts
from tacit.surface.recipe.releases import Knowledge, OneRelease, Release, fields_of
from tacit.surface.recipe.source import Source
from tacit.surface.recipe.values import ONE, SEVERAL, OptionalText, Section, Within


class KeyChoice(Section):
    """What drives every random choice: the user's own key, unless said otherwise."""

    file: OptionalText = None
    """A key file, open to its owner alone; the user's own by default."""
    seed: Annotated[int | None, Within(Optional(Whole(0)))] = None
    """A number instead of a key, for experiments: the releases are marked not for publication."""


Dossier: Any = create_model(
    "Dossier",
    __base__=Section,
    __doc__="What only the owner can say of a release.",
    **fields_of(options_of(facts)),
)


def _one_or_several(value: Any) -> str:
    """Whether ``[source]`` is one source or a table of named ones."""
    if isinstance(value, Source) or not isinstance(value, dict):
        return ONE
    if any(not isinstance(part, dict | Source) for part in value.values()):
        return ONE
    return ONE if value.keys() <= Source.model_fields.keys() else SEVERAL


Sources = Annotated[
    Annotated[Source, Tag(ONE)] | Annotated[dict[str, Source], Tag(SEVERAL)],
    Discriminator(_one_or_several),
]

ONLY = "source"
"""The name that the only source goes by where it has none."""


class Recipe(Section):
    """What to publish, from what, and what must hold of it."""

    source: Sources
    """The data: one source, or several by name ([source.patients], [source.baskets])."""
    release: Annotated[tuple[Release, ...], Field(min_length=1)]
    """The releases to make, one table for each."""
    knowledge: Knowledge = Knowledge()
    """What readers of bucketized tables are assumed to know."""
    key: KeyChoice = KeyChoice()
    """What drives every random choice."""
    dossier: Dossier = Dossier()
    """What only the owner can say of the releases, for their dossiers: tacit report --recipe."""

    @property
    def sources(self) -> dict[str, Source]:
        """The sources by name; the only one, where it has no name, as ``"source"``."""
        return {ONLY: self.source} if isinstance(self.source, Source) else dict(self.source)

    def source_of(self, release: OneRelease) -> str:
        """The name of the source that a release is made from; validation has shown that there is one."""
        return release.source if release.source is not None else next(iter(self.sources))
