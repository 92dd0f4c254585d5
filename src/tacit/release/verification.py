"""Having a release checked by somebody else: the independent verifier, in a fresh process.

The verifier is a package of its own that shares no code with the toolkit; it is started by
its folder with ``python -I``, so that neither the environment nor the current folder can change what it does.
Signatures are checked here, because the verifier uses the standard library alone.

What the verifier found, the manifest and figures counted elsewhere are all that a report is told: it computes
nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import InputError, Place, VerificationError
from tacit.notebook import InNotebook
from tacit.release import Manifest

if TYPE_CHECKING:
    from tacit.release.originals import Original


VERIFIER = Path(__file__).parents[2] / "tacit_verify"
"""The verifier that came with this toolkit, whatever else is installed."""

KEPT, BROKEN, NOT_CHECKED = "kept", "broken", "not checked"
MEANINGS = {
    KEPT: "The release keeps its promise.",
    BROKEN: "The release is refused.",
    NOT_CHECKED: "Nothing speaks against the release, but part of its promise was not checked.",
}
"""What each verdict means for a release."""

_MARKS = {KEPT: "ok  ", BROKEN: "FAIL", NOT_CHECKED: "?   "}
_EXIT_CODES = {KEPT: 0, BROKEN: 7, NOT_CHECKED: 8}
_NOTHING_TO_CHECK = 3
_SAME_OPTIONS = (
    "Every check that needs no original passes. Where the data were read with options for the release"
    " (--record and --item, --twins fold, --no-header, ...), give the same ones here."
)


@dataclass(frozen=True)
class VerifierCheck:
    """One clause the verifier looked at: kept, broken or not checked, and what was found."""

    name: str
    verdict: str
    detail: str


@dataclass(frozen=True)
class Verification(InNotebook):
    """What the verifier found, clause by clause.

    A promise is kept where every clause is. A clause that only the original or the private record can
    show, or that was looked at in part, is not checked where they are not at hand: it is never kept then.
    """

    checks: tuple[VerifierCheck, ...]
    note: str | None = None
    """What may explain a check that failed, where that need not be the release."""

    @property
    def verdict(self) -> str:
        """``kept``, ``broken`` or ``not checked``, over all clauses."""
        found = {check.verdict for check in self.checks}
        return next((one for one in (BROKEN, NOT_CHECKED) if one in found), KEPT)

    @property
    def broken(self) -> bool:
        """Whether a clause is broken."""
        return self.verdict == BROKEN

    @property
    def exit_code(self) -> int:
        """How ``tacit verify`` ends."""
        return _EXIT_CODES[self.verdict]

    def to_dict(self) -> dict[str, Any]:
        """The form ``--json`` prints."""
        return {
            "verdict": self.verdict,
            "checks": [asdict(check) for check in self.checks],
            "note": self.note,
        }

    def __str__(self) -> str:
        lines = [f"{_MARKS[check.verdict]}  {check.name}: {check.detail}" for check in self.checks]
        lines.append(MEANINGS[self.verdict])
        return "\n".join(lines if self.note is None else [*lines, self.note])


def verify(
    folder: str | Path,
    *,
    original: Original | None = None,
    public_key: str | Path | None = None,
    after: Sequence[Path] = (),
) -> Verification:
    """Have a release checked, against the data it was made from and a public key where they are given.

    ``after`` are the releases of its series before it, the last first.

    ``original`` is a file that the verifier reads by itself (UTF-8 text: CSV with a header, ``.dat``,
    ``.basket``, ``.jsonl``); or anything else that Tacit reads, or has read (a Table, Transactions), of
    which the verifier gets a plain copy. Raises InputError where the folder holds no release, or the
    original or the key cannot be read.
    """
    folder = Path(folder)
    found = _verified(folder, original, after)
    if public_key is None:
        return found
    from tacit.release.signing import signature_problem

    problem = signature_problem(folder, public_key)
    verdict = KEPT if problem is None else BROKEN
    signature = VerifierCheck("signature", verdict, problem or f"made with the key to {public_key}")
    return replace(found, checks=(*found.checks, signature))


def _verified(folder: Path, original: Original | None, after: Sequence[Path] = ()) -> Verification:
    """What the verifier finds, with the original where there is one."""
    if original is None:
        return _run(folder, after=after)
    from tacit.release.originals import as_plain_text, is_plain

    if is_plain(folder, original):
        found = _run(folder, Path(str(original)))
        return found if not found.broken or _run(folder).broken else replace(found, note=_SAME_OPTIONS)
    found = _run(folder)
    if not found.broken:
        with as_plain_text(folder, original) as path:
            found = _run(folder, path)
        found = replace(found, note=_SAME_OPTIONS) if found.broken else found
    return found


def _run(folder: Path, original: Path | None = None, after: Sequence[Path] = ()) -> Verification:
    """One run of the verifier, in a process of its own."""
    command = [sys.executable, "-I", str(VERIFIER), "--json", str(folder.absolute())]
    command += [part for earlier in after for part in ("--after", str(earlier.absolute()))]
    if original is not None:
        command += ["--original", str(original.absolute())]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if run.returncode not in (*_EXIT_CODES.values(), _NOTHING_TO_CHECK):
        raise VerificationError(
            f"The verifier broke off with exit code {run.returncode}, so nothing has been shown.",
            code="verifier-broke-off",
            where=Place(file=str(folder)),
            hint=f"Run it by hand to see why: {sys.executable} -I {VERIFIER} {folder}",
        )
    printed = json.loads(run.stdout)
    if run.returncode == _NOTHING_TO_CHECK:
        raise InputError(
            printed["error"]["message"],
            code=printed["error"]["code"],
            where=Place(file=str(folder)),
            hint="Name what the release was made from, with the options it was read with for the release."
            if printed["error"]["code"].startswith("original-")
            else "Name a folder that Tacit has published.",
        )
    return Verification(checks=tuple(VerifierCheck(**check) for check in printed["checks"]))


def verify_in_fresh_process(
    folder: Path, original: Path | None = None, *, after: Sequence[Path] = ()
) -> None:
    """Refuse a release that breaks its promise: what the store calls before publication.

    What only the original can show was shown by the method itself, and is not checked here.
    """
    refuse_broken(
        verify(folder, original=original, after=after),
        hint="Nothing was published. This is a defect of Tacit: please report it.",
    )


def refuse_broken(found: Verification, *, hint: str, where: Place | None = None) -> None:
    """Raise where the verifier found something broken."""
    failed = [check for check in found.checks if check.verdict == BROKEN]
    if failed:
        more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        raise VerificationError(
            f"The independent verifier refuses the release: {failed[0].name}: {failed[0].detail}{more}.",
            code="verification-failed",
            where=where,
            hint=hint,
        )


@dataclass(frozen=True)
class Told:
    """All that a report of one release shows."""

    name: str
    """The name of the release's folder."""
    manifest: Manifest
    checks: tuple[VerifierCheck, ...]
    points: Sequence[Mapping[str, Any]] = ()
    """Published rules with scores: ``support`` and ``confidence`` of each."""
    record: Mapping[str, Any] | None = None
    """The owner's record of the release, or None in a report for everybody."""

    @property
    def ok(self) -> bool:
        """Whether no clause is broken."""
        return not self.named("broken")

    def named(self, verdict: str) -> list[VerifierCheck]:
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
