"""``tacit verify``: have a release checked by the independent verifier."""

from __future__ import annotations

from pathlib import Path

from tacit.cli.common import Shown
from tacit.publish.verification import Verification


def verify(folder: Path, /, *, original: Path | None = None, shown: Shown | None = None) -> Verification:
    """Check a release against the promise in its manifest; exit code 7 where it is refused.

    Parameters
    ----------
    folder
        The release.
    original
        The data it was made from, where the release should also be checked against them.
    """
    from tacit.publish.verification import verify as run_verifier

    return run_verifier(folder, original=original)
