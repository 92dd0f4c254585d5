"""The how-to page on hierarchies says what happens."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from tacit.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "hierarchies.md"
SOURCE = Path(__file__).parents[2] / "src" / "tacit"


def test_commands_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```console\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    commands = [command for block in blocks for command in block.split("$ ")[1:]]
    assert len(commands) >= 8
    for command in commands:
        line, _, shown = command.partition("\n")
        program, *arguments = shlex.split(line)
        if program == "cat":
            (tmp_path / arguments[0]).write_text(shown)
        else:
            assert main(arguments) == 0
            assert capsys.readouterr().out == shown


def test_python_examples_hold() -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    examples = doctest.DocTestParser().get_doctest(block, {}, PAGE.name, str(PAGE), 0)
    assert doctest.DocTestRunner().run(examples) == doctest.TestResults(failed=0, attempted=4)


def test_every_code_of_a_hierarchy_error_is_on_the_page() -> None:
    files = [*(SOURCE / "data" / "hierarchies").glob("*.py"), SOURCE / "data" / "hierarchy.py"]
    raised = {code for file in files for code in re.findall(r'code="(hierarchy-[a-z-]+)"', file.read_text())}
    listed = set(re.findall(r"`(hierarchy-[a-z-]+)`", PAGE.read_text()))
    assert raised == listed
