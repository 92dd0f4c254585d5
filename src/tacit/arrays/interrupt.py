"""Run a long kernel so that Ctrl-C and a cancel request stop it within a second or two.

The kernel runs in a worker thread (it releases the interpreter's lock) and polls a one-cell
flag array every few thousand steps; the calling thread waits, and raises the flag when it is
interrupted. A kernel that sees the flag returns early; what it returns is then discarded.

The same work for several parts of the data, in threads: kernels do not hold the interpreter's lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tacit.errors import Cancelled

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
