"""What a report is told: a release's manifest, what the verifier found, and figures counted elsewhere.

The report computes nothing. Whoever asks for it gathers these; what only the owner may see is in
``record`` and is None in a report for everybody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.release import Manifest


@dataclass(frozen=True)
class CheckLine:
    """One check of the independent verifier: its clause is kept, broken or not checked."""

    name: str
    verdict: str
    detail: str


@dataclass(frozen=True)
class Told:
    """All that a report of one release shows."""

    name: str
    """The name of the release's folder."""
    manifest: Manifest
    checks: tuple[CheckLine, ...]
    points: Sequence[Mapping[str, Any]] = ()
    """Published rules with scores: ``support`` and ``confidence`` of each."""
    record: Mapping[str, Any] | None = None
    """The owner's record of the release, or None in a report for everybody."""

    @property
    def ok(self) -> bool:
        """Whether no clause is broken."""
        return not self.named("broken")

    def named(self, verdict: str) -> list[CheckLine]:
        """The checks that ended so."""
        return [check for check in self.checks if check.verdict == verdict]

    @property
    def risks(self) -> Mapping[str, Any]:
        """The risks: to the owner exactly, to everybody as the manifest states them."""
        return {**self.manifest.risks, **self._exact("risks")}

    @property
    def utility(self) -> Mapping[str, Any]:
        """The utility, in the same way."""
        return {**self.manifest.utility, **self._exact("utility")}

    @property
    def parts(self) -> Mapping[str, Any]:
        """What figures are read from."""
        return {**self.manifest.parts, "risks": self.risks, "utility": self.utility}

    @property
    def rounded(self) -> Mapping[str, str]:
        """The figures that are shown rounded, and how: none to the owner who has the exact ones."""
        grids = [getattr(self.manifest, part).get("grid", {}) for part in ("risks", "utility")]
        return {} if self._exact("risks") else {**grids[0], **grids[1]}

    def _exact(self, part: str) -> Mapping[str, Any]:
        figures = (self.record or {}).get("figures") or {}
        return figures.get(part) or {}  # a record of an earlier version has none

    @property
    def for_owner(self) -> bool:
        return self.record is not None
