"""What only the owner of a release can say of it, for its dossier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from tacit.options import Says, check_options, options_of
from tacit.ranges import Optional, Words
from tacit.surface.catalogue import LANGUAGES, Language

Stated = Annotated[str | None, Optional(Words())]


@dataclass(frozen=True)
class Facts:
    """What only the owner of a release can say of it; None for what was not said, which is never made up.

    Its fields are options: flags, keys of a recipe and fields of the page are made of them.
    """

    dataset: Annotated[Stated, Says("Data set", "The name of the data set, for the dossier.")] = None
    releaser: Annotated[Stated, Says("Released by", "Who releases the data: an office, a person.")] = None
    purpose: Annotated[Stated, Says("Purpose", "For what purpose the data are released.")] = None
    recipient: Annotated[Stated, Says("Recipient", "To whom the data are released.")] = None
    release_model: Annotated[
        Stated,
        Says("Release model", "How they are given out: to the public, under an agreement, in a safe room."),
    ] = None
    date: Annotated[
        Stated, Says("Date", "The date of the release, as it is to stand in the dossier; no clock is asked.")
    ] = None
    review: Annotated[Stated, Says("Review", "When the release is looked at again.")] = None
    knowledge: Annotated[
        Stated, Says("What recipients have", "What else recipients have or can get about the same people.")
    ] = None
    language: Annotated[
        Language | None,
        Says(
            "Language",
            "The language of the dossier: en or de. What a method says of its own figures is in English.",
            values=tuple(LANGUAGES.items()),
        ),
    ] = None

    def __post_init__(self) -> None:
        check_options("facts", options_of(Facts), vars(self))

    @classmethod
    def told(cls, by: Any) -> Facts:
        """The facts of a recipe's table, or of a group of flags."""
        return cls(**{name: getattr(by, name) for name in options_of(Facts)})
