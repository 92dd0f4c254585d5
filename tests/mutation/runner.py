"""Run a module's own tests against mutants of it, one after the other, each in a forked process.

``python -m tests.mutation.runner MODULE COUNT TEST...`` prints one line of JSON for each mutant: its
line, its change and whether the tests noticed it. The libraries are loaded once; the mutant takes the
place of the module when the tests import it, so that no file is changed.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import resource
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import hypothesis
import numba
import numpy
import polars
import pytest

from tests.mutation.mutants import sample

LOADED = (hypothesis, numba, numpy, polars)
"""What every process would load again."""
LONGEST = 60
"""Seconds that the unchanged module may take in its tests; a mutant that takes much longer hangs: noticed."""


class Changed(MetaPathFinder, SourceFileLoader):
    """Finds one module, with another source."""

    def __init__(self, name: str, path: str, source: str) -> None:
        SourceFileLoader.__init__(self, name, path)
        self.source = source

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.source, self.path, "exec", dont_inherit=True)


def notices(name: str, path: Path, source: str, tests: list[str], *, seconds: int) -> tuple[bool, float]:
    """Whether the tests fail, or hang, with this source in the module's place; and the time they took."""
    folder = tempfile.mkdtemp()
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        signal.alarm(10 * seconds)  # by the clock, where it waits instead
        sys.meta_path.insert(0, Changed(name, str(path), source))
        code = 1
        try:
            code = int(pytest.main(["-x", "-p", "no:cacheprovider", "--basetemp", f"{folder}/base", *tests]))
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it started and did not end
    shutil.rmtree(folder, ignore_errors=True)
    return os.waitstatus_to_exitcode(status) != 0, used.ru_utime + used.ru_stime


def main(name: str, count: int, tests: list[str]) -> int:
    """Print what becomes of a sample of a module's mutants; the unchanged module must pass."""
    path = Path("src", *name.split(".")).with_suffix(".py")
    source = path.read_text(encoding="utf-8")
    broken, usual = notices(name, path, source, tests, seconds=LONGEST)
    if broken:
        print(f"The tests fail with {name} as it is.", file=sys.stderr)
        return 1
    for mutant in sample(source, count, seed=len(name)):
        noticed, _ = notices(name, path, mutant.source, tests, seconds=5 + math.ceil(3 * usual))
        print(json.dumps({"line": mutant.line, "change": mutant.change, "noticed": noticed}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
