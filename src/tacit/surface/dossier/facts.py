"""What only the owner of a release can say of its dossier, declared once for flags, recipes and the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from tacit.options import Says, verb
from tacit.ranges import Optional, Words
from tacit.surface.catalogue import LANGUAGES, Language, catalogue_of


@dataclass(frozen=True)
class Facts:
    """The owner's facts; None for what was not said, which is never made up."""

    dataset: str | None = None
    releaser: str | None = None
    purpose: str | None = None
    recipient: str | None = None
    release_model: str | None = None
    date: str | None = None
    review: str | None = None
    knowledge: str | None = None
    language: Language | None = None


@verb
def facts(
    *,
    dataset: Annotated[
        str | None, Optional(Words()), Says("Data set", "The name of the data set, for the dossier.")
    ] = None,
    releaser: Annotated[
        str | None, Optional(Words()), Says("Released by", "Who releases the data: an office, a person.")
    ] = None,
    purpose: Annotated[
        str | None, Optional(Words()), Says("Purpose", "For what purpose the data are released.")
    ] = None,
    recipient: Annotated[
        str | None, Optional(Words()), Says("Recipient", "To whom the data are released.")
    ] = None,
    release_model: Annotated[
        str | None,
        Optional(Words()),
        Says("Release model", "How they are given out: to the public, under an agreement, in a safe room."),
    ] = None,
    date: Annotated[
        str | None,
        Optional(Words()),
        Says("Date", "The date of the release, as it is to stand in the dossier; no clock is asked."),
    ] = None,
    review: Annotated[
        str | None, Optional(Words()), Says("Review", "When the release is looked at again.")
    ] = None,
    knowledge: Annotated[
        str | None,
        Optional(Words()),
        Says("What recipients have", "What else recipients have or can get about the same people."),
    ] = None,
    language: Annotated[
        Language | None,
        Says(
            "Language",
            "The language of the dossier: en or de. What a method says of its own figures is in English.",
            values=tuple((one, catalogue_of(one)["page"]["language"]) for one in LANGUAGES),
        ),
    ] = None,
) -> Facts:
    """The facts of a dossier.

    {options}
    """
    return Facts(dataset, releaser, purpose, recipient, release_model, date, review, knowledge, language)


def facts_from(told: Any) -> Facts:
    """The facts of a recipe's table, or of a group of flags."""
    return facts(**{name: getattr(told, name) for name in Facts.__dataclass_fields__})
