"""Faults at the i-th write point: a kill, or an error of the operating system.

A write point is any call through which something is changed or secured on the disk, also the
writing to an open file. A fault strikes before the call is carried out, so that the faults at all
points, and the run without a fault, together show every state the disk can be in. A write that
fails is carried out by half, as it is by a disk that becomes full.

A kill has two forms: :func:`kill` ends the process; :func:`die` leaves it alive, but from then on
nothing it does reaches the disk, which is the same to the disk and takes no process for each point.
"""

from __future__ import annotations

import builtins
import hashlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tacit.release import disk

NEVER = -1
_CALLS = ("open", "write", "rename", "replace", "link", "mkdir", "unlink", "rmdir", "chmod", "fsync")


class Killed(BaseException):
    """The process is as good as gone."""


@contextmanager
def fault(at: int, strike: Callable[[], object], *, can_exchange: bool = True) -> Iterator[list[str]]:
    """Run the block with a fault at one write point; gives the names of the points met so far."""
    met: list[str] = []
    real_open = io.open

    def point(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            if strike is die and len(met) > at >= 0:
                raise Killed
            met.append(name)
            if len(met) - 1 == at:
                if name == "write":
                    call(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                strike()
            return None if name == "fsync" else call(*arguments, **options)  # no power is cut here

        return counted

    def opened(file: Any, mode: str = "r", *options: Any, **named: Any) -> Any:
        if isinstance(file, int) or not set(mode) & set("wxa"):
            return real_open(file, mode, *options, **named)
        raw = _Counted(start(file, mode.replace("b", "").replace("t", "")), put)
        if "b" in mode:
            return raw
        return io.TextIOWrapper(
            io.BufferedWriter(raw), **{name: value for name, value in named.items() if name != "buffering"}
        )

    start = point("open", io.FileIO)
    put = point("write", lambda file, data: file.write(data))
    with pytest.MonkeyPatch.context() as patch:
        for name in _CALLS:
            patch.setattr(os, name, point(name, getattr(os, name)))
        patch.setattr(io, "open", opened)
        patch.setattr(builtins, "open", opened)
        patch.setattr(hashlib, "file_digest", point("read", hashlib.file_digest))
        swap = disk.exchange if can_exchange else lambda one, other: False
        patch.setattr(disk, "exchange", point("exchange", swap))
        yield met


class _Counted(io.RawIOBase):
    """A file open for writing; each write to it is a write point."""

    def __init__(self, file: io.FileIO, write: Callable[[io.FileIO, Any], int]) -> None:
        self._file = file
        self._write = write

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._write(self._file, data)

    def fileno(self) -> int:
        return self._file.fileno()

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._file.close()


def die() -> None:
    """From here on, nothing reaches the disk."""
    raise Killed


def kill() -> None:
    """End this process as ``kill -9`` does."""
    os.kill(os.getpid(), signal.SIGKILL)


def failing(number: int) -> Callable[[], None]:
    """Fail as the operating system does."""

    def strike() -> None:
        raise OSError(number, os.strerror(number))

    return strike


def start_child(work: Callable[[], object]) -> int:
    """Start the work in a process of its own, whose exit code is that of the error it raises."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except KeyboardInterrupt:
        code = 130
    except BaseException as error:
        code = getattr(error, "exit_code", 1)
        if code == 1:
            traceback.print_exc()
            sys.stderr.flush()
    finally:
        os._exit(code)


def exit_code(child: int) -> int:
    """Wait for a child; its exit code, negative where a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
