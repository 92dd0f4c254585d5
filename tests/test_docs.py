"""Every snippet of the documentation is run.

In a page, Python snippets (plain, or with prompts and what is printed) run top to bottom in one
namespace and console snippets (lines that start
with ``$ ``) run in between, all in one empty folder. What a console snippet prints is compared with
what the page shows below the command, where it shows anything: ``...`` stands for lines left out.
``$ cat FILE`` with lines below it makes that file, so that a page can bring its own data.
A snippet that is not to be run is marked with the language ``text``.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
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
            _console(found.group(2), page, line)
        elif found.group(2).startswith(">>> "):
            example = doctest.DocTestParser().get_doctest(
                found.group(2), namespace, page.name, str(page), line
            )
            assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
            namespace.update(example.globs)
        else:
            exec(compile("\n" * (line - 1) + found.group(2), str(page), "exec"), namespace)


def _console(snippet: str, page: Path, line: int) -> None:
    command: str | None = None
    shown: list[str] = []
    for text in [*snippet.splitlines(), "$ "]:
        if not text.startswith("$ "):
            shown.append(text)
            continue
        if command is not None:
            _run(command, shown, f"{page.name}, line {line}")
        command, shown = text[2:], []


def _run(command: str, shown: list[str], where: str) -> None:
    if command.startswith("cat ") and shown:
        Path(command[4:].strip()).write_text("\n".join(shown) + "\n", encoding="utf-8")
        return
    if not command.startswith("tacit ") and not command.startswith("python "):
        return  # what a reader types around Tacit: make, git, pip
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.returncode == 0, f"{where}: {command}\n{done.stdout}{done.stderr}"
    wanted = [text.rstrip() for text in shown if text.strip()]
    printed = [text.rstrip() for text in (done.stdout + done.stderr).splitlines() if text.strip()]
    place = 0
    skipping = True
    for text in wanted:
        if text.strip() == "...":
            skipping = True
            continue
        matching = [number for number in range(place, len(printed)) if printed[number] == text]
        assert matching, f"{where}: {command} did not print {text!r} but\n{done.stdout}{done.stderr}"
        assert skipping or matching[0] == place, f"{where}: {command} printed more before {text!r}"
        place, skipping = matching[0] + 1, False
