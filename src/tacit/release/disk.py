"""What the store asks of the disk: durable files, folders put in place in one step, one writer.

A folder takes another's place by ``renameat2(..., RENAME_EXCHANGE)``, so that at no instant is
there neither. Where the system or the disk has no such call, it is done by three renames, and
:func:`finish_replacing` mends what a kill between them leaves.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from tacit.errors import Cancelled
from tacit.io.output import refused

Content = bytes | Callable[[Path], object]
"""What a file holds: its bytes, or a function that writes the file it is given."""

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2
_ASIDE = ".aside"


def write_durably(path: Path, content: Content, *, mode: int) -> None:
    """Write one new file and wait until it is on the disk."""
    if callable(content):
        content(path)
        path.chmod(path.stat().st_mode & mode)
        synchronize(path)
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def synchronize(path: Path) -> None:
    """Wait until a file, or the list of names in a folder, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def put_in_place(new: Path, place: Path) -> None:
    """Move a folder to its place; a folder that was there is afterwards where the new one was."""
    if not os.path.lexists(place):
        new.rename(place)
    elif not exchange(new, place):
        aside = new.with_name(new.name + _ASIDE)
        place.rename(aside)
        new.rename(place)
        aside.rename(new)


def finish_replacing(new: Path, place: Path) -> None:
    """Mend a :func:`put_in_place` that stopped half-way: back, unless the new one is in place."""
    aside = new.with_name(new.name + _ASIDE)
    if os.path.lexists(aside):
        aside.rename(new if os.path.lexists(place) else place)


def exchange(one: Path, other: Path) -> bool:
    """Let two folders change places in one step; False where this system or disk cannot."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        return False
    if call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), str(other))


@contextmanager
def only_writer(target: Path) -> Iterator[None]:
    """Hold the target's lock, or raise: of two runs on one output, one goes on.

    The lock is a file beside the target, and it is gone afterwards: whoever gets the lock of a
    file that has been removed meanwhile looks again.
    """
    path = target.with_name(f".{target.name}.tacit-lock")
    with _locked(path, target):
        try:
            yield
        finally:
            with suppress(OSError):  # an empty file that stays behind does no harm
                path.unlink()


@contextmanager
def stopped_in_order() -> Iterator[None]:
    """Let a request to end the process (SIGTERM, SIGHUP) clean up first, as Ctrl-C does.

    Only where the caller has not said what such a request means, and only in the main thread.
    """
    taken = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                taken[number] = signal.signal(number, _cancel)
    try:
        yield
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)


def _cancel(number: int, frame: FrameType | None) -> None:
    raise Cancelled()


def _locked(path: Path, target: Path) -> BinaryIO:
    """The lock file, open and locked; closing it gives the lock back."""
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise refused(
                target,
                "Another run is writing this output.",
                code="output-busy",
                hint="Wait until it has finished, or choose another output.",
            ) from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.lstat()):
                return file
        file.close()
