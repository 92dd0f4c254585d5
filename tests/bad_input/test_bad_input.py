"""The bad-input table, through the library and through the command line."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tacit.errors import TacitError
from tacit.surface.cli import main
from tests.bad_input.case import Case

TABLES = ("tables", "transactions", "hierarchies", "outputs", "hiding", "parameters", "recipes")


def _cases() -> list[Case]:
    return [case for name in TABLES for case in importlib.import_module(f"tests.bad_input.{name}").CASES]


CASES = _cases()


LARGE = ("a million items", "a hundred thousand")


def _at_the_command_line() -> Iterator[Any]:
    """Large inputs take the command as long as the library, which ``make test`` tries them with."""
    for case in CASES:
        if case.command is not None:
            yield pytest.param(case, marks=[pytest.mark.ci] if any(one in str(case) for one in LARGE) else [])


def _prepared(case: Case, folder: Path) -> set[str]:
    for name, content in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    if case.prepare is not None:
        case.prepare(folder)
    return _tree(folder)


def _tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_the_table_is_long_enough_and_its_names_are_distinct() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
    assert len(names) >= 120


@pytest.mark.tally("bad inputs", "library")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_library(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _prepared(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    if case.code is None:
        case.call(tmp_path)
        return
    with pytest.raises(TacitError) as caught:
        case.call(tmp_path)
    assert caught.value.code == case.code
    assert caught.value.exit_code == case.exit_code
    for piece in case.says:
        assert piece in str(caught.value)
    assert _tree(tmp_path) == before


@pytest.mark.tally("bad inputs", "command line")
@pytest.mark.parametrize("case", list(_at_the_command_line()), ids=str)
def test_command_line(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert case.command is not None
    before = _prepared(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    code = main([*case.command, "--json"])
    printed = capsys.readouterr()
    assert code == case.exit_code, printed.out + printed.err
    assert "Traceback" not in printed.err
    if case.code is not None:
        error = json.loads(printed.out)["error"]
        assert error["code"] == case.code
        whole = " ".join(str(part) for part in (error["message"], error["where"], error["hint"]))
        for piece in case.says:
            assert piece in whole or all(word in whole for word in piece.split())
        assert _tree(tmp_path) == before
