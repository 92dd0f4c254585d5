"""Compiled kernels are kept on disk, apart for every version of their sources."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tacit.arrays import compiled

USE = "import numpy; from tacit.arrays.grouping import group_rows; group_rows([numpy.zeros(3, int)], [1])"


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = str(tmp_path)

    def run() -> dict[Path, int]:
        subprocess.run([sys.executable, "-c", USE], env=environment, check=True)
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb?")}

    first = run()
    assert first and run() == first


def test_other_sources_have_another_folder(tmp_path: Path, monkeypatch) -> None:
    before = compiled.cache_folder()
    (tmp_path / "compiled.py").write_text("# another version")
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / "compiled.py"))
    assert compiled.cache_folder().parent == before.parent
    assert compiled.cache_folder() != before
