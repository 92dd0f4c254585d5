"""``tacit verify``: have a release checked by the independent verifier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.release.verification import Verification
from tacit.surface.cli.common import Shown, Source
from tacit.surface.cli.flags import group_of
from tacit.surface.reading import FROM_FILES

_Flags: Any = group_of("OriginalFlags", FROM_FILES.values(), group="Original")


class OriginalFlags(_Flags):  # type: ignore[misc]
    """How the original is read: the flags it was read with when the release was made."""

    def given(self) -> dict[str, Any]:
        """The flags that were given, as options of the readers."""
        values = {name: getattr(self, name) for name in FROM_FILES}
        return {name: value for name, value in values.items() if FROM_FILES[name].given(value)}


def verify(
    folder: Path,
    /,
    *,
    original: Source | None = None,
    public_key: Path | None = None,
    flags: OriginalFlags | None = None,
    shown: Shown | None = None,
) -> Verification:
    """Check a release against its promise; exit code 7 where it is broken, 8 where a part was not checked.

    Parameters
    ----------
    folder
        The release.
    original
        The data it was made from, where the release should also be checked against them. Plain text in
        UTF-8 is read by the verifier itself; of anything else it gets a plain copy.
    public_key
        The publisher's public key (PEM), where the signature of the release should also be checked.
    """
    from tacit.errors import UsageError
    from tacit.release.originals import read_original
    from tacit.release.verification import verify as run_verifier

    given = (flags or OriginalFlags()).given()
    if not given:
        return run_verifier(folder, original=original, public_key=public_key)
    if original is None:
        flag = next(iter(given)).replace("_", "-")
        raise UsageError(
            f"The flag --{flag} says how an original is read, and there is none.",
            code="flag-not-used",
            hint="Name the original with --original, or leave the flag out.",
        )
    found = run_verifier(folder, public_key=public_key)
    if found.broken:
        return found
    return run_verifier(folder, original=read_original(folder, original, given), public_key=public_key)
