"""Shell completion: written where the shell looks for it, understood by the shell, and complete."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tacit.surface.cli import COMMANDS, main

ASK = """
source "$0"
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMPREPLY=()
_tacit tacit "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
echo "${COMPREPLY[@]}"
"""


def written(shell: str, folder: Path) -> Path:
    file = folder / f"completion.{shell}"
    assert main(["completion", "install", "--shell", shell, "-o", str(file)]) == 0
    return file


def in_bash(file: Path, *words: str) -> set[str]:
    """What bash offers for the last of some words."""
    command = ["bash", "-u", "-c", ASK, str(file), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_completes_commands_and_flags(tmp_path: Path) -> None:
    file = written("bash", tmp_path)
    assert in_bash(file, "tacit", "") >= {name.split()[0] for name in COMMANDS}
    assert in_bash(file, "tacit", "buck") == {"bucketize"}
    assert in_bash(file, "tacit", "mine", "") == {"itemsets", "rules", "negative"}
    assert in_bash(file, "tacit", "export", "--de") == {"--delimiter", "--debug"}
    assert in_bash(file, "tacit", "bucketize", "--max-pos") >= {"--max-posterior"}


def test_zsh_understands_it(tmp_path: Path) -> None:
    file, zsh = written("zsh", tmp_path), shutil.which("zsh")
    text = file.read_text()
    assert text.startswith("#compdef tacit") and "'bucketize:" in text and "--max-posterior" in text
    if zsh is None:
        pytest.skip("there is no zsh on this machine")
    begin = f"autoload -Uz compinit && compinit -u -d {tmp_path / 'dump'}"
    load = f"{begin} && source {file} && whence -w _cyclopts_tacit"
    assert subprocess.run([zsh, "-n", str(file)], capture_output=True, check=True).stderr == b""
    done = subprocess.run([zsh, "-f", "-c", load], capture_output=True, text=True, check=False)
    assert "function" in done.stdout


def test_it_is_put_where_the_shell_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert main(["completion", "install", "--shell", "bash"]) == 0
    assert main(["completion", "install", "--shell", "bash"]) == 0  # again, which adds nothing
    (found,) = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != ".bashrc"]
    assert "complete -F" in found.read_text()
    assert (tmp_path / ".bashrc").read_text().count(str(found)) <= 2


def test_a_shell_that_nobody_knows_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "install", "--shell", "csh"]) == 2
    assert "csh" in capsys.readouterr().err
