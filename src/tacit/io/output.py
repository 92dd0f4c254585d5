"""Where output may go: checked before any work is done, and every refusal said in one way.

A release must never land on its own input, follow a link to somewhere else, or take the place of
a folder that Tacit did not write. What the operating system refuses (a full disk, a folder that
may not be written) becomes an :class:`~tacit.errors.OutputError` with a stable code.
"""

from __future__ import annotations

import errno
import fcntl
import gzip
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from tacit.errors import OutputError, Place, TacitError

PRIVATE_SUFFIX = ".private"
"""The private record of the release ``DIR`` is the folder ``DIR.private``."""

_NO_LINKS = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK)
"""What disks without hard links answer."""


def check_path(target: Path, *, sources: Iterable[Path] = ()) -> None:
    """Refuse a path that no release may be written to, whether or not something is there.

    ``sources`` are the files and folders the release is made from.
    """
    with writing_to(target):  # a name that is too long shows here already
        _check_path(absolute(target), sources)


@contextmanager
def writing_to(target: Path) -> Iterator[None]:
    """Turn what the operating system refuses while the block writes into an OutputError."""
    try:
        yield
    except Exception as error:
        number = _error_number(error)
        if number is None or isinstance(error, TacitError):
            raise
        raise _refusal(target, number) from error


@contextmanager
def whole_file(target: Path, *, overwrite: bool = False, sources: Iterable[Path] = ()) -> Iterator[Path]:
    """Write one file whole or not at all.

    The block writes the path it is given, which is called like the target and then takes its place. It
    lies in a folder beside the target that is closed to others; what a killed run left of such a folder,
    the next run removes. Of two runs that both write a new file, one is refused.
    """
    check_file(target, overwrite=overwrite, sources=sources)
    target = absolute(target)
    with writing_to(target), made_parents(target):
        _remove_left_over(target)
        folder = Path(tempfile.mkdtemp(prefix=_beside(target), dir=target.parent))
        with _locked(folder):
            try:
                yield folder / target.name
                _put_in_place(folder / target.name, target, overwrite=overwrite)
            finally:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """A new file to write to, compressed where its name ends in ``.gz`` or ``.zst``."""
    with path.open("xb") as file:
        if path.suffix.lower() == ".gz":
            # neither the name nor the time goes into the file, so that the same data give the same bytes
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                yield cast("IO[bytes]", packed)
        elif path.suffix.lower() == ".zst":
            import zstandard

            with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as packed:
                yield packed
        else:
            yield file


def check_file(target: Path, *, overwrite: bool = False, sources: Iterable[Path] = ()) -> None:
    """Refuse what :func:`whole_file` would refuse: call it before the long part of a run."""
    check_path(target, sources=sources)
    if target.exists() and not (overwrite and target.is_file()):  # never a folder, never a device
        raise _exists(target)


@contextmanager
def made_parents(target: Path) -> Iterator[None]:
    """Make the folders above the target; they go again where the block fails."""
    missing = [folder for folder in target.parents if not folder.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with suppress(OSError):
            for folder in missing:
                folder.rmdir()
        raise


def absolute(target: Path) -> Path:
    """The path with its folder resolved and its last part as it is, a link or not."""
    target = Path(target)
    if target.name in ("", ".."):
        return _resolved(target)
    return _resolved(target.parent) / target.name


def private_root(target: Path) -> Path:
    """The folder beside the target, open to its owner alone, that holds its private record."""
    return target.with_name(target.name + PRIVATE_SUFFIX)


def refused(target: Path, message: str, *, code: str, hint: str) -> OutputError:
    """The error for an output that is not taken."""
    return OutputError(message, code=code, where=Place(file=str(target)), hint=hint)


def _beside(target: Path) -> str:
    """How the names of the folders begin in which a file is written."""
    return f".{target.name}.tacit-file-"


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder, which goes with the process; whether it was free."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # somebody holds it, or this disk has no locks
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _remove_left_over(target: Path) -> None:
    """Remove what runs that were killed left behind: folders whose lock nobody holds."""
    for entry in list(target.parent.iterdir()):
        if entry.name.startswith(_beside(target)) and entry.is_dir():
            with suppress(OSError), _locked(entry) as free:
                if free:
                    shutil.rmtree(entry)


def _put_in_place(file: Path, target: Path, *, overwrite: bool) -> None:
    """Let a finished file take its place; without ``overwrite`` never that of another."""
    if overwrite:
        file.replace(target)
        return
    try:
        target.hardlink_to(file)  # unlike a rename this fails where another run was faster
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        file.rename(target)


def _exists(target: Path) -> OutputError:
    return refused(
        target,
        "The output exists.",
        code="output-exists",
        hint="Choose another name, or write over a file with --overwrite (overwrite=True).",
    )


def _check_path(target: Path, sources: Iterable[Path]) -> None:
    if target.is_symlink():
        raise refused(
            target,
            "The output is a symbolic link.",
            code="output-symlink",
            hint="Name the folder it points to, or another folder.",
        )
    if not target.name or target.name.endswith(PRIVATE_SUFFIX):
        raise refused(
            target,
            f"A release needs a name, and not one that ends in {PRIVATE_SUFFIX!r}, as private records do.",
            code="output-name",
            hint="Choose another name for the output.",
        )
    for source in sources:
        read = _resolved(Path(source))
        if any(read == written or written in read.parents for written in (target, private_root(target))):
            raise refused(
                target,
                f"The output is, or holds, the input {source}.",
                code="output-is-input",
                hint="Choose an output folder apart from the input.",
            )
    folder = target.parent  # or the nearest one above it that exists: what lies between would be made
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise refused(
            target,
            f"The output would lie below {folder}, which is not a folder.",
            code="output-not-writable",
            hint="Choose an output below a folder.",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _not_writable(target, f"The folder {folder} may not be written to.")


def _resolved(path: Path) -> Path:
    """The path without links; unlike ``Path.resolve`` it takes a link to itself as it is."""
    return Path(os.path.realpath(path))


def _error_number(error: Exception) -> int | None:
    """The errno of an error of the operating system, also where a library carries it as text."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = re.search(r"\(os error (\d+)\)|\[Errno (\d+)\]", str(error))  # polars words its own errors
    return int(found.group(1) or found.group(2)) if found else None


def _refusal(target: Path, number: int) -> OutputError:
    why = os.strerror(number)
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        hint = "Make room, or choose an output on another disk."
        return refused(target, f"There is no room for the output: {why}.", code="output-no-space", hint=hint)
    if number in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.ELOOP):
        return _not_writable(target, f"The output may not be written here: {why}.")
    if number == errno.ENAMETOOLONG:
        message = "The name of the output is too long for this disk."
        return refused(target, message, code="output-name", hint="Choose a shorter name.")
    hint = "Check the disk, or choose an output on another one."
    return refused(target, f"The output could not be written: {why}.", code="output-failed", hint=hint)


def _not_writable(target: Path, message: str) -> OutputError:
    hint = "Choose another output, or change the permissions."
    return refused(target, message, code="output-not-writable", hint=hint)
