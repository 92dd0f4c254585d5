"""``tacit series``: a chain of releases about the same people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.release.verification import Verification
from tacit.surface.cli.common import Shown


def show(folder: Path, /, *, shown: Shown | None = None) -> Any:
    """Show a series: who came, stayed and left, counterfeits, and what readers of all releases are left with.

    Parameters
    ----------
    folder
        The last release; its private record names those before it.
    """
    from tacit.surface.series import show_series

    return show_series(folder)


def verify(folder: Path, /, *earlier: Path, shown: Shown | None = None) -> Verification:
    """Check the promise over a whole chain; exit code 7 where it is broken, 8 where a part was not checked.

    Parameters
    ----------
    folder
        The last release.
    earlier
        The releases before it, the last first; by default those that its private record names.
    """
    from tacit.surface.series import verify_series

    return verify_series(folder, earlier)


def forget(folder: Path, person: str, /, *, key_file: Path | None = None, shown: Shown | None = None) -> Any:
    """Take a person off the private records of a series, who has asked for it.

    Parameters
    ----------
    folder
        The last release; its private record names those before it.
    person
        Their identifier, as the column of --person has it.
    key_file
        The key of the series, where it is not your own.
    """
    from tacit.random.key_files import load_key
    from tacit.surface.series import forget_in_series

    return forget_in_series(folder, person, load_key(key_file, create=False))
