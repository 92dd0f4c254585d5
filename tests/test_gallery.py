"""The gallery draws its pictures, and every notebook runs and shows what it is kept with.

The code cells of a notebook run here in one namespace under a fixed key, and the last value of a cell is
shown as a notebook would show it, so that no notebook software is needed. The outputs are written by
``python -m tests.test_gallery``.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SCRIPTS = sorted((EXAMPLES / "gallery").glob("*.py"))
NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))


def test_there_is_a_notebook_for_each_method() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"bucketize", "disclose", "generalize", "hide"}


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_pictures(script: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(script), "-o", str(tmp_path / "pictures")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    pictures = list((tmp_path / "pictures").glob("*.svg"))
    assert len(pictures) >= 2
    assert all("<svg" in picture.read_text(encoding="utf-8") for picture in pictures)


@pytest.mark.ci
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(with_key(tmp_path / "state")))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    kept = json.loads(notebook.read_text(encoding="utf-8"))
    made = executed(kept, notebook.name)
    assert list((tmp_path / "here").iterdir()) == []
    assert kept["nbformat"] == 4 and any(cell.get("outputs") for cell in kept["cells"])
    for old, new in zip(kept["cells"], made["cells"], strict=True):
        assert told(old) == told(new)


def told(cell: dict[str, Any]) -> list[tuple[str, str]]:
    """What a cell shows as text, but for seconds and residuals, and in which other forms it shows it."""
    shown = []
    for output in cell.get("outputs", ()):
        forms = output.get("data", {"text/plain": output.get("text")})
        text = re.sub(r"\d+(\.\d+)? s\b", "some s", "".join(forms["text/plain"]))
        text = re.sub(r"\d(\.\d+)?e-\d+", "next to nothing", text)
        shown.append((" ".join(sorted(forms)), text))
    return shown


def with_key(folder: Path) -> Path:
    """A state folder with a key that anybody can have: what a notebook shows hangs on it."""
    (folder / "tacit").mkdir(mode=0o700, parents=True)
    (folder / "tacit" / "key").write_text("5a" * 32 + "\n")
    (folder / "tacit" / "key").chmod(0o600)
    return folder


def executed(notebook: dict[str, Any], name: str) -> dict[str, Any]:
    """A notebook with the outputs of its cells."""
    namespace: dict[str, object] = {"__name__": "notebook"}
    cells, count = [], 0
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            count += 1
            outputs = _outputs("".join(cell["source"]), f"{name}, cell {number}", namespace, count)
            cell = cell | {"outputs": outputs, "execution_count": count}
        cells.append(cell)
    return notebook | {"cells": cells}


def _outputs(code: str, where: str, namespace: dict[str, object], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and the value on its last line, which must be one that a notebook can show."""
    tree = ast.parse(code, where)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed, shown = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, where, "exec"), namespace)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), where, "eval"), namespace)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if shown is not None:
        forms = {"text/html": _lines(shown._repr_html_()), "text/plain": _lines(str(shown))}
        found.append(
            {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": forms}
        )
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = str(with_key(Path(folder) / "state"))
        for path in NOTEBOOKS:
            filled = executed(json.loads(path.read_text(encoding="utf-8")), path.name)
            path.write_text(json.dumps(filled, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
