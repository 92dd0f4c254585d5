"""Every snippet of the documentation is run.

In a page, Python snippets (plain, or with prompts and what is printed) run top to bottom in one
namespace and console snippets (lines that start
with ``$ ``) run in between, all in one empty folder. What a console snippet prints is compared with
what the page shows below the command, where it shows anything: ``...`` stands for lines left out.
``$ cat FILE`` with lines below it makes that file, so that a page can bring its own data.
The README and the tutorial run their commands as a reader does, each in a process of its own; the other
pages call the command line in this one, which starts once.
A snippet that is not to be run is marked with the language ``text``.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from tacit.surface.cli import main

REPOSITORY = Path(__file__).resolve().parent.parent
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
AS_TYPED = (REPOSITORY / "README.md", REPOSITORY / "docs" / "tutorial" / "first-release.md")
SHELL = set("|&;<>$`*?~#")
"""Letters that mean something to a shell."""
SNIPPET = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_snippets(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "100")
    namespace: dict[str, object] = {"__name__": "snippet"}
    text = page.read_text(encoding="utf-8")
    for found in SNIPPET.finditer(text):
        line = text.count("\n", 0, found.start()) + 2
        if found.group(1) == "console":
            _console(found.group(2), page, line, as_typed=page in AS_TYPED)
        elif found.group(2).startswith(">>> "):
            example = doctest.DocTestParser().get_doctest(
                found.group(2), namespace, page.name, str(page), line
            )
            assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
            namespace.update(example.globs)
        else:
            exec(compile("\n" * (line - 1) + found.group(2), str(page), "exec"), namespace)


def _console(snippet: str, page: Path, line: int, *, as_typed: bool) -> None:
    command: str | None = None
    shown: list[str] = []
    for text in [*snippet.splitlines(), "$ "]:
        if not text.startswith("$ "):
            shown.append(text)
            continue
        if command is not None:
            _run(command, shown, f"{page.name}, line {line}", as_typed=as_typed)
        command, shown = text[2:], []


def _run(command: str, shown: list[str], where: str, *, as_typed: bool) -> None:
    if command.startswith("cat ") and shown:
        Path(command[4:].strip()).write_text("\n".join(shown) + "\n", encoding="utf-8")
        return
    if not command.startswith("tacit ") and not command.startswith("python "):
        return  # what a reader types around Tacit: make, git, pip
    code, output = _typed(command) if as_typed or not _is_plain(command) else _called(command)
    # A verifier without the original, or that samples, says so and ends with 8.
    meant = {8: "verify" in command, 9: "risk" in command and "\nFails against" in output}
    assert code == 0 or meant.get(code), f"{where}: {command}\n{output}"
    wanted = [text.rstrip() for text in shown if text.strip()]
    printed = [text.rstrip() for text in output.splitlines() if text.strip()]
    place = 0
    skipping = True
    for text in wanted:
        if text.strip() == "...":
            skipping = True
            continue
        matching = [number for number in range(place, len(printed)) if printed[number] == text]
        assert matching, f"{where}: {command} did not print {text!r} but\n{output}"
        assert skipping or matching[0] == place, f"{where}: {command} printed more before {text!r}"
        place, skipping = matching[0] + 1, False


def _is_plain(command: str) -> bool:
    return command.startswith("tacit ") and not SHELL & set(command)


def _typed(command: str) -> tuple[int, str]:
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def _called(command: str) -> tuple[int, str]:
    printed, told = io.StringIO(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(told):
        code = main(shlex.split(command)[1:])
    return code, printed.getvalue() + told.getvalue()
