"""Compiled kernels are kept on disk, apart for every version of their sources."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.caching import NullCache

from tacit.arrays import compiled, compiling

USE = """
import numpy
from tacit.arrays.bitmaps import size
size(numpy.zeros((1, 1), numpy.uint64), 0)
print(sum(size.made.stats.cache_misses.values()))
"""


def test_of_two_processes_at_once_one_compiles_and_a_later_one_does_not(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = str(tmp_path)

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", USE], env=environment, stdout=subprocess.PIPE, text=True
        )

    both = [start(), start()]
    assert sorted(one.communicate()[0] for one in both) == ["0\n", "1\n"]
    assert start().communicate()[0] == "0\n"


def test_other_sources_have_another_folder(tmp_path: Path, monkeypatch) -> None:
    before = compiling.cache_folder()
    (tmp_path / "compiling.py").write_text("# another version")
    monkeypatch.setattr(compiling, "__file__", str(tmp_path / "compiling.py"))
    assert compiling.cache_folder().parent == before.parent
    assert compiling.cache_folder() != before


def test_progress_says_that_a_kernel_is_being_compiled_and_then_what_went_on() -> None:
    said: list[str] = []

    def double(number: int) -> int:
        return 2 * number

    fresh = compiling.njit(double)
    with compiled.telling(lambda what, share: said.append(what)) as progress:
        progress("Counting", 0.5)
        assert fresh(2) == 4
        assert fresh(3) == 6  # compiled already
    fresh(2.0)  # nobody asked
    assert said == ["Counting", compiling.COMPILING, "Counting"]


def test_what_other_threads_report_does_not_hide_that_a_kernel_is_being_compiled() -> None:
    said: list[tuple[str, float | None]] = []
    told = compiling.Telling(lambda what, share: said.append((what, share)))
    told.report("Mining", 0.0)
    told.on_start(None)
    told.report("Mining", 0.1)
    assert said == [("Mining", 0.0), (compiling.COMPILING, None)]
    told.on_end(None)
    assert said[-1] == ("Mining", 0.1)


@compiled.kernel
def _room(size: int) -> np.ndarray:
    return np.empty(size, dtype=np.uint16)


def _more_room(size: int) -> int:
    return len(_room(size)) + len(np.empty(size, dtype=np.uint16))


def test_what_kernels_call_of_numpy_is_compiled_once() -> None:
    begun: list[str] = []

    class Begun(compiling.event.Listener):
        def on_start(self, event: Any) -> None:
            begun.append(event.data["dispatcher"].py_func.__qualname__)

        def on_end(self, event: Any) -> None:
            """Nothing is to be done."""

    fresh: Any = compiled.kernel(_more_room)
    fresh.made._cache = NullCache()  # an earlier run's is not taken
    with compiling.event.install_listener("numba:compile", Begun()):
        assert fresh(3) == 6
    assert begun[0] == "_more_room" and begun.count("_room") == 1
    assert sum("np_empty" in name for name in begun) == 1


@compiled.kernel
def _add(numbers: np.ndarray, by: int) -> int:
    return numbers[0] + by


def _add_often(numbers: np.ndarray) -> int:
    return _add(numbers, 1) + _add(numbers, 2) + _add(numbers, np.int32(3)) + _add(numbers, numbers[0])


def test_a_part_of_a_kernel_is_compiled_once_whatever_numbers_it_is_given() -> None:
    kinds: list[str] = []

    class Listener(compiling.event.Listener):  # type: ignore[misc]
        def on_start(self, event) -> None:
            kinds.append(event.data["dispatcher"].py_func.__name__)

        def on_end(self, event) -> None:
            pass

    with compiling.event.install_listener("numba:compile", Listener()):
        found = compiling.njit(_add_often)(np.array([5], dtype=np.int32))
    assert found == 6 + 7 + 8 + 10
    assert kinds == ["_add_often", "_add"]
