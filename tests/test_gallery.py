"""The gallery draws its pictures, and every notebook runs from top to bottom.

Notebooks are kept without outputs; their code cells run here in one namespace, the last value of a cell shown
as a notebook would show it, so that no notebook software is needed.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
SCRIPTS = sorted((EXAMPLES / "gallery").glob("*.py"))
NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))


def test_there_is_a_notebook_for_each_method() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"bucketize", "disclose", "generalize", "hide"}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_outputs(notebook: Path) -> None:
    data = json.loads(notebook.read_text(encoding="utf-8"))
    assert data["nbformat"] == 4
    cells = [cell for cell in data["cells"] if cell["cell_type"] == "code"]
    assert cells
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)


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
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "notebook"}
    for number, cell in enumerate(json.loads(notebook.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            _run_cell("".join(cell["source"]), f"{notebook.name}, cell {number}", namespace)
    assert list(tmp_path.iterdir()) == []


def _run_cell(code: str, where: str, namespace: dict[str, object]) -> None:
    """Run a cell; a value on its last line must be one that a notebook can show."""
    tree = ast.parse(code, where)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), namespace)
    if isinstance(last, ast.Expr):
        shown = eval(compile(ast.Expression(last.value), where, "eval"), namespace)
        assert shown is None or shown._repr_html_()
