"""The suites: every folder is in one of them, and a suite that fails or takes too long is seen."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests import suites
from tests.suites import LATER, REST, SUITES, TEST, Outcome, Suite, is_left_out, main, run

REPOSITORY = Path(__file__).resolve().parent.parent


def test_folders_are_there_and_none_is_in_two_suites() -> None:
    folders = [folder for suite in SUITES.values() for folder in suite.folders]
    assert all((REPOSITORY / folder).exists() for folder in folders)
    assert not any(one != two and two.startswith(one) for one in folders for two in folders)
    assert len(folders) == len(set(folders))


def test_what_is_run_all_the_same_is_there() -> None:
    for suite in SUITES.values():
        for test in suite.quick or ():
            file, _, name = test.partition("::")
            assert test.startswith(suite.folders)
            assert f"def {name.partition('[')[0]}(" in (REPOSITORY / file).read_text() or not name
            assert not is_left_out(test)
    assert is_left_out("tests/engine/test_both_engines.py::test_rules_are_the_same[3]")
    assert not is_left_out("tests/data/test_key.py::test_anything")


def test_what_runs_later_is_there_and_has_others_beside_it() -> None:
    for test in LATER:
        file, _, name = test.partition("::")
        tests = re.findall(r"^def (test_\w+)", (REPOSITORY / file).read_text(), re.MULTILINE)
        assert any(one.startswith(name.partition("[")[0]) for one in tests)
        assert not all(f"{file}::{one}".startswith(LATER) for one in tests)


def test_what_is_in_no_folder_of_a_suite_is_in_the_rest() -> None:
    told = suites._arguments(REST, None)
    assert "tests" in told
    assert {each.removeprefix("--ignore=") for each in told if each.startswith("--ignore=")} == {
        folder for suite in SUITES.values() for folder in suite.folders
    }
    assert "-m" not in suites._arguments(TEST, None)


def test_an_outcome_says_what_it_took_beside_its_budget() -> None:
    kept, broken = (
        Outcome("spark", 0, "60 passed in 200s", 210, 300),
        Outcome("spark", 1, "1 failed", 9, 9999),
    )
    budget = SUITES["spark"].budget
    told = f"spark passed 300 of {budget} CPU s, 210 s by the clock 60 passed in 200s"
    assert " ".join(str(kept).split()) == told
    assert "failed" in str(broken) and str(broken).endswith("OVER ITS BUDGET")


def test_a_suite_that_fails_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    said = {"good": "print('first'); print('last')", "bad": "raise SystemExit(3)"}
    made = {name: Suite(5, command=("-c", code)) for name, code in said.items()}
    monkeypatch.setattr(suites, "SUITES", made)
    good = run("good")
    assert (good.code, good.last) == (0, "last") and 0 < good.processor < 5
    assert main(["good"]) == 0
    assert main(["good", "bad"]) == 1
    assert main(["nobody"]) == 2
    sys.stdout.flush()
    assert b"first" in capfdbinary.readouterr().out
