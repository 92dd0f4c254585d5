"""Having a release checked by somebody else: the independent verifier, in a fresh process.

The verifier is a package of its own that shares no code with the toolkit; it is started with
``python -I``, so that neither the environment nor the current folder can change what it does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tacit.exceptions import InputError, Place, VerificationError
from tacit.notebook import InNotebook

_PASSED, _FAILED, _NOTHING_TO_CHECK = 0, 7, 3


@dataclass(frozen=True)
class VerifierCheck:
    """One thing the verifier looked at, whether it is as promised, and what was found."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True)
class Verification(InNotebook):
    """What the verifier found; the release keeps its promise where every check is ok."""

    checks: tuple[VerifierCheck, ...]

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.ok for check in self.checks)

    @property
    def exit_code(self) -> int:
        """How ``tacit verify`` ends."""
        return _PASSED if self.ok else _FAILED

    def to_dict(self) -> dict[str, Any]:
        """The form ``--json`` prints."""
        return {"ok": self.ok, "checks": [asdict(check) for check in self.checks]}

    def __str__(self) -> str:
        lines = [f"{'ok  ' if check.ok else 'FAIL'}  {check.name}: {check.detail}" for check in self.checks]
        return "\n".join([*lines, "The release keeps its promise." if self.ok else "The release is refused."])


def verify(folder: Path, *, original: Path | None = None) -> Verification:
    """Have a release checked, against the data it was made from where they are given.

    Raises InputError where the folder holds no release or there is no such original.
    """
    command = [sys.executable, "-I", "-m", "tacit_verify", "--json", str(Path(folder).absolute())]
    if original is not None:
        command += ["--original", str(Path(original).absolute())]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if run.returncode not in (_PASSED, _FAILED, _NOTHING_TO_CHECK):
        raise VerificationError(
            f"The verifier broke off with exit code {run.returncode}, so nothing has been shown.",
            code="verifier-broke-off",
            where=Place(file=str(folder)),
            hint=f"Run it by hand to see why: {sys.executable} -I -m tacit_verify {folder}",
        )
    printed = json.loads(run.stdout)
    if run.returncode == _NOTHING_TO_CHECK:
        raise InputError(
            printed["error"]["message"],
            code=printed["error"]["code"],
            where=Place(file=str(folder)),
            hint="Name a folder that Tacit has published, and an original that exists.",
        )
    return Verification(checks=tuple(VerifierCheck(**check) for check in printed["checks"]))


def verify_in_fresh_process(folder: Path, original: Path | None = None) -> None:
    """Refuse a release that does not keep its promise: what the store calls before publication."""
    failed = [check for check in verify(folder, original=original).checks if not check.ok]
    if failed:
        more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        raise VerificationError(
            f"The independent verifier refuses the release: {failed[0].name}: {failed[0].detail}{more}.",
            code="verification-failed",
            hint="Nothing was published. This is a defect of Tacit: please report it.",
        )
