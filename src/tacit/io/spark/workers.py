"""How Spark's workers run functions of ours."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any


def on_worker(run: Callable[[Iterator[Any]], Iterator[Any]]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function of batches as a worker runs it.

    After every task a worker collects its garbage, and looking through all that it has imported takes many
    times as long as a small task. So what is there when a task begins is left out of that.
    """

    def running(batches: Iterator[Any]) -> Iterator[Any]:
        gc.freeze()
        return run(batches)

    return running
