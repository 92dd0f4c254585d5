"""What may be replaced: nothing but a release, so that ``--overwrite`` never costs a person's folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from tacit.errors import InputError
from tacit.io.output import absolute, check_path, private_root, refused, writing_to
from tacit.release.manifest import MANIFEST_NAME, SIGNATURE_NAME, read_manifest

_RECORD = re.compile(r"[0-9a-f]{16}")


def check_output(target: Path, *, overwrite: bool = False, sources: Iterable[Path] = ()) -> None:
    """Refuse what the store would refuse: call it before the long part of a run."""
    check_path(target, sources=sources)
    with writing_to(target):
        check_place(absolute(target), overwrite=overwrite)


def check_place(target: Path, *, overwrite: bool) -> None:
    """Refuse to replace anything, or, with ``overwrite``, anything but a release."""
    if os.path.lexists(target) and not overwrite:
        raise refused(
            target,
            "The output exists.",
            code="output-exists",
            hint="Choose another output, or replace the release there with --overwrite (overwrite=True).",
        )
    root = private_root(target)
    for folder, foreign in ((target, _foreign_to_release), (root, _foreign_to_private)):
        found = foreign(folder) if os.path.lexists(folder) else None
        if found is not None:
            raise refused(
                target,
                f"Only a release of Tacit is ever replaced, and {found}.",
                code="output-not-a-release",
                hint="Choose another output, or move away what is there.",
            )


def _foreign_to_release(folder: Path) -> str | None:
    """What shows that a folder is not a release, or None; an empty folder has nothing to lose."""
    if folder.is_symlink() or not folder.is_dir():
        return f"{folder} is not a folder"
    present = {entry.name for entry in folder.iterdir()}
    if not present:
        return None
    try:
        named = {MANIFEST_NAME, SIGNATURE_NAME, *read_manifest(folder).files}
    except InputError:
        return f"{folder} has no manifest of one"
    others = sorted(present - named)
    return f"{folder} holds {others[0]!r}, which its manifest does not name" if others else None


def _foreign_to_private(folder: Path) -> str | None:
    """What shows that a folder is not one of private records, or None."""
    if folder.is_symlink() or not folder.is_dir():
        return f"{folder} is not a folder"
    others = sorted(entry.name for entry in folder.iterdir() if not _RECORD.fullmatch(entry.name))
    return f"{folder} holds {others[0]!r}, which is no private record" if others else None
