"""What a table or a release gives away: the result of ``risk``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tacit.judging.risk.criteria import Criterion
from tacit.judging.risk.figures import Measured
from tacit.judging.risk.standards import Judged
from tacit.notebook import InNotebook


@dataclass(frozen=True)
class Subset:
    """How many people are alone with some quasi-identifiers."""

    columns: tuple[str, ...]
    people: int
    share: float

    def to_dict(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "people": self.people, "share": self.share}


@dataclass(frozen=True)
class Risk(InNotebook):
    """The risks of a table or a release, as it stands."""

    source: str | None
    rows: int
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    threshold: int
    figures: tuple[Measured, ...]
    subsets: tuple[Subset, ...] = ()
    """Every set of up to three quasi-identifiers, those that single out most people first."""
    minimal: tuple[int, ...] = ()
    """How many minimal sample uniques of 1, 2, ... columns there are."""
    contributions: tuple[tuple[str, float], ...] = ()
    """What each column adds to the scores of special uniques."""
    criteria: tuple[Criterion, ...] = ()
    """Singling out, linkability and inference, where the original was given."""
    standards: tuple[Judged, ...] = ()
    warnings: tuple[str, ...] = ()
    """What comes before all figures: attacks on releases of an earlier version."""
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it passes against every standard that was asked for, and no criterion fails."""
        return all(one.ok for one in self.standards) and all(one.ok is not False for one in self.criteria)

    def __getitem__(self, name: str) -> Any:
        """The value of a figure by its name."""
        return self.figure(name).value

    def figure(self, name: str) -> Measured:
        """A figure by its name."""
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def get(self, name: str) -> Measured | None:
        """A figure by its name, or None where it is none of these data."""
        return next((one for one in self.figures if one.figure.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        told = vars(self) | {"contributions": dict(self.contributions)}
        for name in ("figures", "subsets", "criteria", "standards"):
            told[name] = [one.to_dict() for one in told[name]]
        called = {"minimal": "minimal_sample_uniques"}
        return {
            called.get(name, name): list(value) if isinstance(value, tuple) else value
            for name, value in told.items()
        }

    def to_markdown(self) -> str:
        """The result as Markdown, for a pull request or a wiki."""
        from tacit.judging.risk.show import as_markdown

        return as_markdown(self)
