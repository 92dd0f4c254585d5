"""Run a module's tests against another source of it, in a forked process.

The libraries are loaded once; the other source takes the place of the module when the tests import it, so
that no file is changed. Failures that hypothesis finds are neither made smaller nor remembered, and it draws
the same examples every time.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import numpy
import polars
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import HealthCheck, Phase, settings

from tacit.arrays import compiled

LOADED = (compiled, numpy, polars, scipy.optimize, scipy.sparse)
"""What every process would load again."""
INDEPENDENT = "tacit_verify"
"""Mutants of it leave the modules of tacit as they are, which can be loaded once as well."""
KERNEL = "@kernel"
PROFILE = "mutants"
ARGUMENTS = ("-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", "--hypothesis-profile", PROFILE)
settings.register_profile(
    PROFILE,
    phases=(Phase.explicit, Phase.generate),
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=[*HealthCheck],
)


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


def notices(name: str, path: Path, source: str, tests: Sequence[str], *, seconds: int) -> tuple[bool, float]:
    """Whether the tests fail, or hang, with this source in the module's place; and the time they took.

    Kernels are not compiled, where the module has some: what is compiled is taken from a cache. The one
    instruction that Python does not have is then replaced.
    """
    import numba  # not before tacit has said where compiled kernels are kept

    folder = tempfile.mkdtemp()
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        signal.alarm(10 * seconds)  # by the clock, where it waits instead
        sys.dont_write_bytecode = False  # or every process would compile all sources again
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["POLARS_MAX_THREADS"] = "1"  # read when it begins to work; more only wait for each other
        if not name.startswith(INDEPENDENT):
            for module in [one for one in sys.modules if one.partition(".")[0] == "tacit"]:
                del sys.modules[module]  # or tests would find what was loaded for the verifier
        sys.meta_path.insert(0, Changed(name, str(path), source))
        if KERNEL in source:
            numba.config.DISABLE_JIT = True
            popcount = importlib.import_module("tacit.arrays.compiled").popcount
            popcount._made = lambda word: int(word).bit_count()
        code = 1
        try:
            code = int(pytest.main([*ARGUMENTS, "--basetemp", f"{folder}/base", *tests]))
            Path(folder, "loaded").write_text("\n".join(sys.modules))
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it started and did not end
    if name.startswith(INDEPENDENT) and (loaded := Path(folder, "loaded")).exists():
        for module in loaded.read_text().split():
            if module.startswith("tacit."):
                importlib.import_module(module)
    shutil.rmtree(folder, ignore_errors=True)
    return os.waitstatus_to_exitcode(status) != 0, used.ru_utime + used.ru_stime
