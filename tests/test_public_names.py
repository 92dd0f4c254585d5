"""The public names: each resolves, and none is missing from the list."""

from __future__ import annotations

import subprocess
import sys
from inspect import isfunction
from pathlib import Path

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
    return set(done.stdout.split())


def test_importing_tacit_loads_nothing_heavy() -> None:
    assert not _loaded_by("import tacit") & {"numpy", "polars", "numba", "scipy", "cyclopts", "rich"}


def test_the_help_loads_no_command() -> None:
    statement = "from tacit.surface.cli import main\nmain(['--help'])"
    assert not _loaded_by(statement) & {"polars", "numba", "scipy", "pyarrow", "pandas", "duckdb"}


def test_a_command_seldom_looks_for_circles() -> None:
    """Nearly three hundred times it did in a small run, for a fourteenth of the time."""
    code = "import atexit, gc\nfrom tacit.surface.cli import entry\n"
    code += "atexit.register(lambda: print(gc.get_threshold()[0]))\nentry()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True
    )
    assert int(done.stdout.split()[-1]) >= 100_000


def test_what_bucketizing_needs_loads_no_part_of_scipy() -> None:
    """Its sparse matrices and special functions took a tenth of the time of a small run."""
    statement = "import tacit.methods.bucketize.make, tacit.judging.telling, tacit.release.published"
    assert not _loaded_by(statement) & {"scipy.sparse", "scipy.special"}


@pytest.mark.parametrize("package", ["pandas", "pyarrow", "duckdb", "fastexcel", "adbc_driver_sqlite"])
def test_optional_packages_are_not_needed_to_read_a_csv(package: str, tmp_path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("age,disease\n1,flu\n2,cold\n")
    blocked = f"import sys\nsys.modules[{package!r}] = None\nimport tacit\n"
    use = f"print(len(tacit.read_table({str(file)!r}, quasi='age', sensitive='disease')))"
    done = subprocess.run([sys.executable, "-c", blocked + use], capture_output=True, text=True)
    assert done.stdout.strip() == "2", done.stderr


REQUIRED = {
    "bucketize": {"l": 2},
    "build_balanced": {"fanout": 2},
    "build_intervals": {"width": 2},
    "build_levels": {"sheet": "a"},
    "disclose": {"min_support": 2, "min_confidence": 0.5},
    "export": {"file": "copy.csv", "to": "csv"},
    "generalize": {"k": 2, "m": 2},
    "hide": {"patterns": [{"a"}], "min_support": 2},
    "mine_itemsets": {"min_support": 2},
    "mine_rules": {"min_support": 2, "min_confidence": 0.5},
    "safe_rules": {"min_support": 2, "min_confidence": 0.5, "max_posterior": 0.5},
    "sign": {"private_key": "key"},
    "write_hierarchy": {"path": "tree.csv"},
    "write_table": {"path": "table.csv"},
    "write_transactions": {"path": "sets.dat"},
}
FUNCTIONS = [name for name in tacit.__all__ if isfunction(getattr(tacit, name))]


@pytest.mark.parametrize("wrong", [object(), 3, b"x", ["a", 2], {"a": object}, lambda: 1], ids=type)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_data_of_a_wrong_type_are_refused_in_our_words(
    name: str, wrong: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if isinstance(wrong, list) and name.startswith("build_"):
        return  # values, whatever they are
    with pytest.raises(tacit.TacitError) as caught:
        getattr(tacit, name)(wrong, **REQUIRED.get(name, {}))
    assert caught.value.code and not list(tmp_path.iterdir())


def test_letters_are_no_items() -> None:
    with pytest.raises(tacit.UsageError, match="Set 1 is no set or list of items"):
        tacit.transactions_from_sets(["beer", "chips"])
