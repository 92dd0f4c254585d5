"""What is told of a series: its releases one after the other, and what is measured of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tacit.showing.layout import count


@dataclass(frozen=True)
class Turn:
    """One release of a series."""

    folder: str
    number: int
    people: int
    came: int
    returned: int
    left: int
    promise: Mapping[str, Any]
    measured: Mapping[str, Any]
    """What readers of all releases so far are left with, and what the release costs, by name."""

    @property
    def stayed(self) -> int:
        return self.people - self.came - self.returned

    def to_dict(self) -> dict[str, Any]:
        found = {name: value for name, value in asdict(self).items() if name not in ("promise", "measured")}
        return found | {"stayed": self.stayed} | dict(self.measured)


@dataclass(frozen=True)
class Shown:
    """What is told of the releases of a kind: columns of a table, facts, and what they mean."""

    measure: Callable[[Sequence[Path]], Iterator[dict[str, Any]]]
    """What is measured of every release of a chain, the oldest first."""
    place: str
    """The column of ``people.csv`` that says where somebody is, above 0 in the release itself."""
    columns: tuple[tuple[str, Callable[[Turn], str]], ...]
    means: str
    compared: tuple[str, tuple[tuple[str, str], ...]]
    """What is drawn over the releases: a title, and names for some of what is measured."""
    facts: tuple[tuple[str, str], ...] = ()
    """Titles and names of what is measured of every release."""


def measured_as(name: str, words: Callable[[Any], str] = count) -> Callable[[Turn], str]:
    """A column that words one of the measures."""
    return lambda turn: "" if turn.measured[name] is None else words(turn.measured[name])
