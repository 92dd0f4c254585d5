"""Small faults put into the code on purpose: the tests of the area must notice them.

The sample is fixed. ``make test`` takes a few mutants of the modules whose tests are quickest, ``make
soak`` a sample of every module that is named here. Deciding modules are those whose answer is the promise
of a release. Modules of kernels are mutated with compilation off.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY
from tests.tally import Tally

FAULTS = {kind: f"tests/verify/test_{kind}_faults.py" for kind in ("bucketized", "hidden", "rules")}
GROUND = ("tests/verify/test_ground.py", "tests/verify/test_statements.py")
NO_CLEAN = ("--deselect", "tests/verify/test_hidden_faults.py::test_clean_releases_are_not_accused")
NO_RANDOM = ("--deselect", "tests/verify/test_generalized.py::test_random_releases_pass")

DECIDING: dict[str, tuple[str, ...]] = {
    "tacit.ranges": ("tests/test_parameters.py",),
    "tacit.methods.bucketize.solve.feasibility": (
        "tests/methods/bucketize/test_matching.py",
        "tests/methods/bucketize/test_feasibility.py",
    ),
    "tacit.methods.generalize_sets.solve.check": (
        "tests/methods/generalize_sets/test_limits.py",
        "tests/publish/test_generalize.py",
    ),
    "tacit.methods.hide.solve.matrix": (
        "tests/methods/hide/test_probabilities.py",
        "tests/methods/hide/test_matrix.py",
    ),
    "tacit.methods.disclose.solve.inference": ("tests/methods/disclose/test_inference.py",),
    "tacit_verify.assignments": ("tests/verify/test_assignments.py",),
    "tacit_verify.bucketized": (FAULTS["bucketized"],),
    "tacit_verify.generalized": ("tests/verify/test_generalized.py", *NO_RANDOM),
    "tacit_verify.hidden": ("tests/verify/test_hidden_edges.py", FAULTS["hidden"], *NO_CLEAN),
    "tacit_verify.manifest": GROUND,
    "tacit_verify.posterior": ("tests/verify/test_rules_edges.py", FAULTS["rules"]),
    "tacit_verify.reading": ("tests/verify/test_reading.py",),
    "tacit_verify.release": (*GROUND, FAULTS["rules"]),
    "tacit_verify.rules": ("tests/verify/test_rules_edges.py", FAULTS["rules"]),
    "tacit_verify.verifying": GROUND,
}
"""Modules whose answer is the promise, and the tests that must notice a fault in them."""

OTHERS: dict[str, tuple[str, ...]] = {
    "tacit.io.output": ("tests/data/test_output.py", "tests/faults/test_every_writer.py"),
    "tacit.release.store": ("tests/data/test_release_store.py", "tests/faults/test_every_writer.py"),
    "tacit.random.key": ("tests/data/test_key.py",),
    "tacit.io.hierarchies.delimited": ("tests/data/test_hierarchies_files.py",),
    "tacit.methods.hide.solve.marking": ("tests/methods/hide/test_marking.py",),
    "tacit.methods.hide.solve.patterns": ("tests/methods/hide/test_patterns.py",),
    "tacit.methods.bucketize.solve.anatomy": ("tests/methods/bucketize/test_plans.py", "-k", "anatomy"),
    "tacit.arrays.bitmaps": ("tests/methods/bucketize/test_matching.py", "-k", "not permutations"),
}
"""Other modules, a few mutants each."""

QUICK = ("tacit.ranges", "tacit_verify.manifest")


def survivors(module: str, tests: tuple[str, ...], count: int, tally: Tally) -> list[str]:
    """Run a sample of mutants; those that no test noticed."""
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    if module.startswith("tacit.arrays"):
        environment["NUMBA_DISABLE_JIT"] = "1"
    run = subprocess.run(
        [sys.executable, "-m", "tests.mutation.runner", module, str(count), *tests],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found = [json.loads(line) for line in run.stdout.splitlines()]
    missed = [f"{module}:{one['line']} {one['change']}" for one in found if not one["noticed"]]
    part = f"deciding: {module}" if module in DECIDING else module
    tally("mutants", part, tried=len(found), wrong=len(missed))
    print(*missed, sep="\n")
    return missed


@pytest.mark.parametrize("module", [QUICK[0], pytest.param(QUICK[1], marks=pytest.mark.ci)])
def test_a_few_mutants(module: str, tally: Tally) -> None:
    assert survivors(module, DECIDING[module], 3, tally) == []


@pytest.mark.slow
@pytest.mark.parametrize("module", DECIDING)
def test_mutants_of_deciding_modules(module: str, tally: Tally) -> None:
    count = int(os.environ.get("TACIT_MUTANTS", 40))
    assert len(survivors(module, DECIDING[module], count, tally)) <= 0.25 * count


@pytest.mark.slow
@pytest.mark.parametrize("module", OTHERS)
def test_mutants_of_other_modules(module: str, tally: Tally) -> None:
    count = int(os.environ.get("TACIT_MUTANTS", 40)) // 2
    assert len(survivors(module, OTHERS[module], count, tally)) <= 0.4 * count
