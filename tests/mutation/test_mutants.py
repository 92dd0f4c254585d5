"""Small faults put into the code on purpose: the tests of the area must notice them.

``make test`` takes a few mutants of a module whose tests are quick. What was tried in all is in
``runs.json``, and ``make soak`` goes on from there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.mutation.deciding import DECIDING
from tests.mutation.mutants import mutants
from tests.mutation.running import RUNS, Run, Survivor, digest, lines, path_of, read, written
from tests.tally import Tally


@pytest.mark.parametrize(
    "module", ["tacit.ranges", pytest.param("tacit_verify.manifest", marks=pytest.mark.ci)]
)
def test_a_few_mutants(module: str, tmp_path: Path, tally: Tally) -> None:
    file = tmp_path / "runs.json"
    # In a process of its own: a thread pool of polars does not survive a fork.
    subprocess.run(
        [sys.executable, "-m", "tests.mutation.running", module, "--sample", "3", "--file", str(file)],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        check=True,
    )
    run = read(file)[module]
    tally("mutants", module, tried=run.tried, wrong=len(run.survivors))
    assert (run.tried, run.survivors) == (3, [])


def test_every_module_and_every_test_of_the_list_is_there() -> None:
    for module, tests in DECIDING.items():
        assert path_of(module).is_file(), module
        files = {test.partition("::")[0] for test in tests if test.startswith("tests/")}
        assert files, module
        assert all(Path(file).is_file() for file in files), module
        for test in tests:
            file, _, name = test.partition("::")
            assert not name or f"def {name.partition('[')[0]}(" in Path(file).read_text(encoding="utf-8"), (
                test
            )


def test_all_of_the_verifier_is_in_the_list() -> None:
    modules = {f"tacit_verify.{path.stem}" for path in Path("src/tacit_verify").glob("*.py")}
    assert {one for one in DECIDING if one.startswith("tacit_verify")} == modules - {"tacit_verify.__init__"}


def test_runs_are_kept_and_a_changed_module_is_not_run(tmp_path: Path) -> None:
    module, other = list(DECIDING)[:2]
    survivor = Survivor(3, 4, "Lt to LtE: a <= b", "if a < b:", "equivalent: no two are equal")
    left = Survivor(5, 0, "flip: True", "return False")
    runs = {
        module: Run("0" * 12, digest(module), 20, 10, 8, [survivor, left]),
        other: Run("0" * 12, "another", 20, 10, 10),
    }
    written(runs, tmp_path / "runs.json")
    assert read(tmp_path / "runs.json") == runs
    table = {line.split()[0]: line.split()[1:] for line in lines(runs)}
    assert table[module] == table["all"] == ["20", "10", "8", "1", "1", "88.9", "%"]
    assert table[other][0] == "changed"


def test_what_is_recorded_adds_up() -> None:
    for module, run in read(RUNS).items():
        assert module in DECIDING
        assert run.tried == run.noticed + len(run.survivors) <= run.mutants


def test_a_mutant_changes_one_decision() -> None:
    source = "def f(a, b):\n    if a < 1 and not b:\n        return True\n    return a + 2 - b\n"
    assert [(one.line, one.column, one.change) for one in mutants(source)] == [
        (2, 4, "not: not (a < 1 and (not b))"),
        (2, 7, "And to Or: a < 1 or not b"),
        (2, 7, "Lt to LtE: a <= 1"),
        (2, 11, "one more: 2"),
        (3, 15, "flip: False"),
        (4, 11, "Sub to Add: a + 2 + b"),
        (4, 11, "Add to Sub: a - 2"),
        (4, 15, "one more: 3"),
    ]
