"""The same work for several parts of the data, in threads: kernels do not hold the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


def each(work: Callable[[int], Result], parts: Iterable[int], *, threads: int) -> list[Result]:
    """What ``work`` returns for each part, in the order of the parts."""
    if threads == 1:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, parts))
