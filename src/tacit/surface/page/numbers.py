"""Numbers and names as the language that is spoken writes them: 1,000 and 0.5 %, or 1.000 and 0,5 %."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.showing import layout
from tacit.surface.catalogue import catalogue


def spelled(number: str) -> str:
    """A number with the marks of the language.

    >>> from tacit.surface.catalogue import speaking
    >>> with speaking("de"):
    ...     print(spelled("1,234.5"))
    1.234,5
    """
    return number.translate(str.maketrans(",.", catalogue()["page"]["marks"]))


def count(number: int) -> str:
    """A whole number with thousands set apart."""
    return spelled(layout.count(number))


def share(number: float) -> str:
    """A share as a percentage."""
    return spelled(layout.share(number))


def few(names: Sequence[str], most: int) -> str:
    """The first names, and how many are left out."""
    more = str(catalogue()["page"]["more"]).format(count=count(len(names) - most))
    return ", ".join(names[:most]) + (more if len(names) > most else "")


def named(names: Sequence[str], last: str = "both") -> str:
    """Names as a sentence has them: with "and" before the last, or with "or" (``either``)."""
    return str(catalogue()["page"][last]).join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
