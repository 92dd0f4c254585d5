"""The wheel and the source archive, built, installed alone in clean environments and used there.

Only what Tacit itself needs is installed, so that a forgotten dependency, a template left out of the archive
or an optional package imported too early shows. Slow: ``make package`` runs it, ``make soak`` too.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
NEEDED = (
    "tacit/py.typed",
    "tacit_verify/py.typed",
    "tacit/showing/templates/page.html",
    "tacit/showing/templates/page.css",
    "tacit/surface/page/templates/base.html",
    "tacit/surface/page/static/page.css",
    "tacit/surface/page/static/page.js",
    "tacit/surface/texts/de.toml",
    "tacit/methods/bucketize/form.html",
)
ROLES = ["--quasi", "zip,age,sex", "--sensitive", "disease", "--drop", "name,patient_id"]


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both archives, built from the tree as it is."""
    folder = tmp_path_factory.mktemp("dist")
    _run([sys.executable, "-m", "hatchling", "build", "-d", str(folder)], REPOSITORY)
    (wheel,), (source,) = list(folder.glob("*.whl")), list(folder.glob("*.tar.gz"))
    return {"wheel": wheel, "source": source}


def test_the_wheel_holds_what_is_used_and_nothing_else(archives: dict[str, Path]) -> None:
    names = zipfile.ZipFile(archives["wheel"]).namelist()
    assert [name for name in NEEDED if name not in names] == []
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"tacit", "tacit_verify"}
    in_the_tree = {
        str(file.relative_to(REPOSITORY / "src"))
        for file in (REPOSITORY / "src").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and not file.name.endswith(".pyc")
    }
    assert in_the_tree - set(names) == set()


def test_the_source_archive_can_be_tested_and_documented(archives: dict[str, Path]) -> None:
    with tarfile.open(archives["source"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile", "tests/conftest.py"}
    assert wanted | {"docs/conf.py", "benchmarks/run.py"} <= names


@pytest.mark.parametrize("kind", ["wheel", "source"])
def test_installed_alone(archives: dict[str, Path], kind: str, tmp_path: Path) -> None:
    python = _environment(tmp_path / "clean", str(archives[kind]))
    tacit = str(python.with_name("tacit"))
    home = tmp_path / "home"
    home.mkdir()
    _run([str(python), "-c", "import tacit; [getattr(tacit, name) for name in ('bucketize', 'Table')]"], home)
    assert "bucketize" in _run([tacit, "--help"], home)
    _run([tacit, "sample", "hospital", "-o", "patients.csv", "--hierarchies", "hierarchies"], home)
    _run([tacit, "profile", "patients.csv"], home)
    made = ["bucketize", "patients.csv", *ROLES, "--hierarchies", "hierarchies", "-l", "3", "-o", "out"]
    assert "at least 3 different values" in _run([tacit, *made], home)
    for verifier in ([tacit, "verify"], [str(python), "-m", "tacit_verify"]):
        assert "Nothing speaks against the release" in _run([*verifier, "out"], home, ends=8)
    _run([tacit, "report", "out"], home)
    assert "<svg" in (home / "out.html").read_text(encoding="utf-8")
    # The page is an extra: without it, the command says what to install.
    refused = subprocess.run(
        [tacit, "serve", "--no-browser"], cwd=home, capture_output=True, text=True, env=_surroundings(home)
    )
    assert refused.returncode == 5
    assert "tacit[web]" in refused.stderr


def test_installed_from_a_folder_of_wheels(archives: dict[str, Path], tmp_path: Path) -> None:
    """As docs/how-to/install.md says: a folder is filled with a network, and used without one."""
    wheels, home = tmp_path / "wheels", tmp_path / "home"
    wheels.mkdir()
    home.mkdir()
    (wheels / archives["wheel"].name).write_bytes(archives["wheel"].read_bytes())
    filled = ["pip", "download", "--quiet", "-d", "wheels", "--find-links", "wheels", "tacit[web]"]
    _run([str(_environment(tmp_path / "network")), "-m", *filled], tmp_path)
    python = _environment(tmp_path / "clean")
    # Isolated: neither an index nor a folder that this machine's settings name is asked.
    alone = [
        "pip",
        "--isolated",
        "install",
        "--quiet",
        "--no-index",
        "--find-links",
        str(wheels),
        "tacit[web]",
    ]
    _run([str(python), "-m", *alone], home, without_settings=True)
    assert "Nothing speaks against the release" in _run([str(python.with_name("tacit")), "demo"], home)
    _run([str(python), "-c", "import tacit.surface.page.app"], home)


def test_run_by_pipx(tmp_path: Path) -> None:
    """``pipx run --spec . tacit demo``, from the folder of the repository."""
    python = _environment(tmp_path / "pipx", "pipx>=1.6,<2")
    home = tmp_path / "home"
    home.mkdir()
    words = [str(python), "-m", "pipx", "run", "--spec", str(REPOSITORY), "tacit", "demo"]
    assert "Nothing speaks against the release" in _run(words, home)


def test_at_the_lowest_versions(archives: dict[str, Path], tmp_path: Path) -> None:
    """The readers, the methods' examples and the command line with the oldest packages that are allowed."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = [part for name in ("sql", "excel", "duckdb", "pandas", "sign", "web") for part in extras[name]]
    lowest = {LOWEST.sub(r"\1==\2", part) for part in [*project["dependencies"], *named]}
    constraints = tmp_path / "lowest.txt"
    constraints.write_text("\n".join(sorted(lowest)) + "\n", encoding="utf-8")
    tools = ["pytest", "pytest-xdist", "hypothesis", "httpx"]
    python = _environment(tmp_path / "old", "-c", str(constraints), f"{archives['wheel']}[all]", *tools)
    tested = [
        f"tests/{part}"
        for part in ("data/test_tables_round_trips.py", "data/test_sql.py", "paper", "surface/cli")
    ]
    _run([str(python), "-m", "pytest", "-p", "no:cacheprovider", *tested], REPOSITORY, home=tmp_path)


LOWEST = re.compile(r"^([A-Za-z0-9-]+)>=([0-9.]+),.*$")
"""A bounded requirement: its name, and the lowest version it allows."""


def _environment(folder: Path, *wanted: str) -> Path:
    """A virtual environment that holds what is wanted and what that needs; its python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    if wanted:
        _run([str(python), "-m", "pip", "install", "--quiet", *wanted], folder)
    return python


def _surroundings(home: Path) -> dict[str, str]:
    """Nothing of this environment, and a home of its own for keys, ledger and caches."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "VIRTUAL_ENV") and not name.startswith(("XDG_", "TACIT_", "NUMBA_"))
    }
    return {**kept, "HOME": str(home), "PIPX_HOME": str(home / "pipx"), "COLUMNS": "100"}


def _run(
    words: list[str], folder: Path, home: Path | None = None, *, ends: int = 0, without_settings: bool = False
) -> str:
    """What a command prints; it must end with this exit code."""
    surroundings = _surroundings(home or folder)
    if without_settings:
        surroundings |= {"PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=surroundings)
    assert done.returncode == ends, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr
