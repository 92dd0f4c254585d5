"""The public names: each resolves, and none is missing from the list."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tacit


@pytest.mark.parametrize("name", tacit.__all__)
def test_every_public_name_resolves(name: str) -> None:
    assert getattr(tacit, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'fit'"):
        tacit.fit  # noqa: B018


def _loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_tacit_loads_nothing_heavy() -> None:
    assert not _loaded_by("import tacit") & {"numpy", "polars", "numba", "scipy", "cyclopts", "rich"}


def test_the_help_loads_no_command() -> None:
    statement = "from tacit.surface.cli import main\nmain(['--help'])"
    assert not _loaded_by(statement) & {"polars", "numba", "scipy", "pyarrow", "pandas", "duckdb"}


@pytest.mark.parametrize("package", ["pandas", "pyarrow", "duckdb", "fastexcel", "adbc_driver_sqlite"])
def test_optional_packages_are_not_needed_to_read_a_csv(package: str, tmp_path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("age,disease\n1,flu\n2,cold\n")
    blocked = f"import sys\nsys.modules[{package!r}] = None\nimport tacit\n"
    use = f"print(len(tacit.read_table({str(file)!r}, quasi='age', sensitive='disease')))"
    done = subprocess.run([sys.executable, "-c", blocked + use], capture_output=True, text=True)
    assert done.stdout.strip() == "2", done.stderr
