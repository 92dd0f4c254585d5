"""Which checks belong to which kind of release, and how they are run.

A kind of release has a module of its own, named in :data:`KINDS`, with one function::

    def checks(release: Release, original: Path | None) -> Iterator[Check]

It yields one check for each part of the promise, from the definitions. It need not catch
anything: what goes wrong inside it (a missing column, a number that is none) fails the release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from tacit_verify.manifest import manifest_checks
from tacit_verify.release import CannotVerify, Check, Release, open_release

Checks = Callable[[Release, Path | None], Iterator[Check]]

KINDS: dict[str, str] = {
    "generalized": "tacit_verify.generalized",
    "bucketized": "tacit_verify.bucketized",
    "hidden": "tacit_verify.hidden",
    "rules": "tacit_verify.rules",
}
"""The module of each kind of release that this verifier knows."""

UNREAD = (".zst", ".parquet", ".arrow", ".feather", ".xlsx", ".xls", ".db", ".sqlite", ".zip", ".bz2", ".xz")
"""Originals that the standard library cannot read as text: this is no fault of the release."""


def verify(folder: Path, original: Path | None = None) -> list[Check]:
    """Every check of the release in a folder; it is good when all of them are ok.

    The promise is looked at only where the manifest and the files are sound. Raises CannotVerify
    where there is no release, or no such original.
    """
    if original is not None and not original.is_file():
        raise CannotVerify(f"There is no original {original}.", code="original-not-found")
    if original is not None and original.suffix.lower() in UNREAD:
        raise CannotVerify(
            f"The verifier reads plain text, also with .gz, and no {original.suffix} files.",
            code="original-not-text",
        )
    try:
        release = open_release(folder)
    except (ValueError, RecursionError) as error:
        return [Check("manifest", False, f"it cannot be read: {error}")]
    found = [Check("manifest", True, "read"), *manifest_checks(release)]
    if all(check.ok for check in found):
        found.extend(_promise_checks(release, original))
    return found


def _promise_checks(release: Release, original: Path | None) -> Iterator[Check]:
    """The checks of the release's own kind; there must be some, and none may break off."""
    if release.kind not in KINDS:
        yield Check("kind", False, f"this verifier does not know the kind {release.kind!r}")
        return
    yield Check("kind", True, release.kind)
    try:
        checks: Checks = import_module(KINDS[release.kind]).checks
        found = list(checks(release, original))
    except Exception as error:  # whatever it is, the promise has not been shown to be kept
        yield Check("promise", False, f"the checks stopped: {type(error).__name__}: {error}")
        return
    yield from found or [Check("promise", False, "nothing was checked")]
