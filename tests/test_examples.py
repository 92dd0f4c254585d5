"""Every example runs as it stands."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.surface.cli import main

FOLDER = Path(__file__).resolve().parent.parent / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
RECIPES = sorted(FOLDER.glob("*.toml"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_recipe(recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands in the head of a recipe, one after the other, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(recipe, tmp_path)
    lines = recipe.read_text(encoding="utf-8").splitlines()
    commands = [line.partition("$ tacit ")[2] for line in lines if line.startswith("#   $ tacit ")]
    assert any(command.startswith("run") for command in commands)
    for command in commands:
        # What unlisted rules tell, the verifier does not check: 8 says that nothing speaks against it.
        fine = (0, 8) if command.startswith("verify") else (0,)
        assert main(shlex.split(command)) in fine, command
