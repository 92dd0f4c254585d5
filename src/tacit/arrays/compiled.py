"""Loops that are compiled when they are first called; and how long ones are run.

numba is imported then (:mod:`tacit.arrays.compiling`), so that what calls no kernel needs none of it. The
first run of a version compiles for some seconds: :func:`telling` says so. Two machine instructions that
kernels may use are here as well.

A long kernel runs in a worker thread (it releases the interpreter's lock) and polls a one-cell flag array
every few thousand steps; the calling thread waits, and raises the flag when it is interrupted, so that Ctrl-C
and a cancel request stop it within a second or two. A kernel that sees the flag returns early; what it
returns is then discarded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial, update_wrapper
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from tacit.errors import Cancelled
from tacit.typing import Counts, Progress

Function = TypeVar("Function", bound=Callable[..., Any])

_making = threading.RLock()


class Later:
    """What numba makes of a function or of a name, made when it is first used."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make, self._made = make, None

    def __call__(self, *arguments: Any) -> Any:
        return (self._made or self.made)(*arguments)

    @property
    def made(self) -> Any:
        if self._made is None:
            with _making:
                self._made = self._made or self._make()
        return self._made

    @property
    def _numba_type_(self) -> Any:
        """What it is to a kernel that names it."""
        from tacit.arrays.compiling import type_of

        return type_of(self.made)


def kernel(function: Function) -> Function:
    """A function that is compiled on first call: cached on disk, releasing the interpreter's lock."""

    def make() -> Any:
        from tacit.arrays.compiling import compiled

        return compiled(function)

    return cast(Function, update_wrapper(Later(make), function))


def _instruction(name: str) -> Any:
    from tacit.arrays import compiling

    return getattr(compiling, name)


popcount = cast(Callable[[np.uint64], int], Later(partial(_instruction, "popcount")))
"""The number of bits set in a word: one machine instruction inside a kernel."""
fetch_add = cast(Callable[[Counts, int, int], int], Later(partial(_instruction, "fetch_add")))
"""``fetch_add(counters, place, amount)``: add to one counter, return what it was before."""


@contextmanager
def telling(progress: Progress) -> Iterator[Progress]:
    """A callback that hands everything on to ``progress``, and tells it while something is being compiled."""
    from tacit.arrays.compiling import told_by

    with told_by(progress) as report:
        yield report


Result = TypeVar("Result")

Flag = npt.NDArray[np.uint8]
"""One cell: 0 while the work should go on, 1 once it should stop."""


def new_flag() -> Flag:
    """A flag that is not raised."""
    return np.zeros(1, dtype=np.uint8)


def interruptible(work: Callable[..., Result], *arguments: Any, flag: Flag | None = None) -> Result:
    """The result of ``work(*arguments, flag)``, computed in a thread that a Ctrl-C can stop.

    Pass ``flag`` to cancel from elsewhere (the page does): set its cell to 1.
    """
    flag = new_flag() if flag is None else flag
    outcome: list[Result] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work(*arguments, flag))
        except BaseException as error:  # handed to the calling thread below
            failure.append(error)

    worker = threading.Thread(target=run, name="tacit-kernel", daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(timeout=0.1)
    except KeyboardInterrupt:
        flag[0] = 1
        worker.join()
        raise
    if failure:
        raise failure[0]
    if flag[0]:
        raise Cancelled()
    return outcome[0]


def each(work: Callable[[int], Result], parts: Iterable[int], *, threads: int) -> list[Result]:
    """What ``work`` returns for each part, in the order of the parts."""
    if threads == 1:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, parts))
