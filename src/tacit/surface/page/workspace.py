"""The private folder of the page: a project that stays, or one that goes away with the page.

Either is open to its owner alone and to one page at a time. A page that was killed cannot clean up after
itself: the lock it held is free then, and the next page to start removes what it left of a temporary folder.

A folder as one file to download.
"""

from __future__ import annotations

import errno
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
PROJECT = "project.json"
"""What a project says of itself; a folder that has other things and not this is none."""

CANDIDATE = "candidate"
"""The folder of a run that holds what would be published."""
RELEASES = "releases"
"""Where a project's releases go where nothing else is said."""


@contextmanager
def lasting(folder: Path) -> Iterator[Path]:
    """The folder of a project, made where there is none, for this page alone."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = folder.resolve()
        inside = {path.name for path in folder.iterdir()}
        if inside - {LOCK} and PROJECT not in inside:
            raise OutputError(
                "This folder holds other things than a project of the page.",
                code="project-elsewhere",
                where=Place(file=str(folder)),
                hint="Name a folder with --folder that is empty or not there yet, or one that the page made.",
            )
        if any((folder / name).is_symlink() for name in inside):
            raise PermissionError(errno.EPERM, "it holds links to other places")
        folder.chmod(0o700)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise _not_made(folder, error) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OutputError(
                "Another page has this project open.",
                code="project-open",
                where=Place(file=str(folder)),
                hint="Go on there, or stop it with Ctrl-C first; --folder names another project.",
            ) from None
        yield folder
    finally:
        os.close(lock)


@contextmanager
def workspace(parent: Path | None = None) -> Iterator[Path]:
    """A folder of mode 0700 in ``parent`` (the temporary folder by default), removed at the end."""
    root = Path(tempfile.gettempdir()) if parent is None else parent
    _remove_abandoned(root)
    try:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=root))  # mode 0700
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _not_made(root, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def new_id() -> str:
    """A name for a data set or a job that nobody can guess; it is a folder's name and part of an address."""
    return secrets.token_hex(8)


def _not_made(folder: Path, error: OSError) -> OutputError:
    return OutputError(
        f"The page cannot make its private folder here: {error.strerror}.",
        code="workspace-not-made",
        where=Place(file=str(folder)),
        hint="Name a folder that you may write to with --folder.",
    )


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
