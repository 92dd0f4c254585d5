"""The private folder in which one run of the page keeps uploads and releases until it stops.

It is open to its owner alone and goes away with the page. A page that was killed cannot clean up
after itself: the lock it held is free then, and the next page to start removes what it left.

A folder as one file to download.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tacit.errors import OutputError, Place

PREFIX = "tacit-page-"
LOCK = "lock"


@contextmanager
def workspace(parent: Path | None = None) -> Iterator[Path]:
    """A folder of mode 0700 in ``parent`` (the temporary folder by default), removed at the end."""
    root = Path(tempfile.gettempdir()) if parent is None else parent
    _remove_abandoned(root)
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=root))  # mode 0700
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise OutputError(
            f"The page cannot make its private folder here: {error.strerror}.",
            code="workspace-not-made",
            where=Place(file=str(root)),
            hint="Name a folder that exists and that you may write to with --folder.",
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def new_id() -> str:
    """A name for a data set or a job that nobody can guess; it is a folder's name and part of an address."""
    return secrets.token_hex(8)


def _remove_abandoned(root: Path) -> None:
    """Remove the folders of pages that no longer run: nobody holds their lock."""
    for folder in root.glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else's, or not a folder of ours
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def zipped(folder: Path, target: Path, *, inside: str) -> None:
    """The files of a folder as a zip archive, inside a folder; the same files give the same bytes."""
    with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(f"{inside}/{path.relative_to(folder).as_posix()}")
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                with path.open("rb") as file, archive.open(entry, "w", force_zip64=True) as packed:
                    shutil.copyfileobj(file, packed, 1 << 20)
