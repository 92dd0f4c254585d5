"""A generalized table beside its original and its private record, in files written by hand."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from tacit_verify.release import Release, Stopped
from tacit_verify.row_originals import check_original

TREE = 'attribute,node,parent\nage,1-2,*\nage,"1",1-2\nage,2,1-2\nage,NaN,*\nage,*,\n'
"""A private record may be written in any way: here with quotes that nothing needs."""
RULE = {"when": {"age": "2"}, "attribute": "disease", "value": "flu", "given": True}


def found(
    place: Path,
    published: str,
    original: str,
    row_map: str = "",
    *,
    rules: tuple[dict[str, Any], ...] = (),
    record: dict[str, str] | None = None,
    **parameters: Any,
) -> dict[str, bool | None]:
    """The checks of a table, given as ``"age disease, ..."``, beside its original."""
    folder, private = place / "out", place / "out.private" / hashlib.sha256(b"text").hexdigest()[:16]
    folder.mkdir()
    private.mkdir(parents=True)
    (folder / "table.csv").write_text(_table(published))
    (folder / "hierarchies.csv").write_text("attribute,node,parent\nage,*,\nage,1-2,*\n")
    (place / "original.csv").write_text(_table(original))
    files = {"rows.txt": row_map.replace(" ", "\n"), "hierarchies.csv": TREE} if record is None else record
    for name, text in files.items():
        (private / name).write_text(text)
    usual = {"quasi": ["age"], "keep": [], "sensitive": ["disease"], "nulls": "own", "null_values": ["?"]}
    manifest = {
        "parameters": usual | {"suppressed": 0} | parameters,
        "reader": {"rules": [*rules]},
        "promise": {"k": 2, "l": 2},
    }
    checks: dict[str, bool | None] = {}
    try:
        for check in check_original(Release(folder, "text", manifest), place / "original.csv"):
            checks[check.name] = check.ok
    except Stopped:
        pass
    return checks


def _table(rows: str) -> str:
    return "age,disease\n" + "".join(f"{row.replace(' ', ',')}\n" for row in rows.split(", "))


ALL = {"rows of the original": True, "values of the original": True, "rows and the original": True}


def test_every_row_is_above_an_original_of_its_own(tmp_path: Path) -> None:
    assert found(tmp_path, "1-2 a, 1-2 b", "2 b, 1 a", "1 0") == ALL


@pytest.mark.parametrize("row_map", ["0 0", "0 1 1", "0"])
def test_two_rows_of_one_original(row_map: str, tmp_path: Path) -> None:
    assert found(tmp_path, "1-2 a, 1-2 a", "1 a, 2 a", row_map) == ALL | {"rows and the original": False}


def test_rows_with_missing_values_are_left_out_or_kept(tmp_path: Path) -> None:
    for nulls, published, row_map in (("suppress", "1-2 a, 1-2 b", "0 1"), ("own", "* a, * b, * a", "0 1 2")):
        place = tmp_path / nulls
        place.mkdir()
        assert found(place, published, "1 a, 2 b, ? a", row_map, nulls=nulls) == ALL


@pytest.mark.parametrize(("suppressed", "other", "as_stated"), [(1, 1, True), (0, 1, False), (1, 2, False)])
def test_those_left_out_are_as_many_as_stated(
    suppressed: int, other: int, as_stated: bool, tmp_path: Path
) -> None:
    checks = found(
        tmp_path, "1-2 a, 1-2 b", "1 a, 2 b, 1 a, 2 b", "0 1", suppressed=suppressed, other_rows=other
    )
    assert checks == ALL | {"rows of the original": as_stated}


@pytest.mark.parametrize("missing", ["rows.txt", "hierarchies.csv"])
def test_without_part_of_the_record_rows_are_left_open(missing: str, tmp_path: Path) -> None:
    record = {"rows.txt": "0\n1\n", "hierarchies.csv": TREE}
    del record[missing]
    checks = found(tmp_path, "1-2 a, 1-2 b", "1 a, 2 b", record=record)
    assert checks == ALL | {"rows and the original": None}


def test_what_rules_leave_is_counted_with_exact_values(tmp_path: Path) -> None:
    """Whoever is 2 cannot have flu: of two rows nothing is open, of four each could have two values."""
    for name, published, original, kept in (
        ("two", "1-2 flu, 1-2 a", "1 flu, 2 a", False),
        ("four", "1-2 flu, 1-2 a, 1-2 a, 1-2 b", "1 flu, 2 a, 1 a, 2 b", True),
        ("against the rule", "1-2 flu, 1-2 a", "2 flu, 1 a", False),
    ):
        (tmp_path / name).mkdir()
        numbers = " ".join(map(str, range(published.count(",") + 1)))
        checks = found(tmp_path / name, published, original, numbers, rules=(RULE,))
        assert checks == ALL | {"ℓ with rules": kept}


def test_rules_may_be_about_nodes_of_a_hierarchy_of_their_own(tmp_path: Path) -> None:
    own = 'attribute,node,parent\nage,"1",odd\nage,2,even\nage,odd,\nage,even,\n'
    record = {"rows.txt": "0\n1\n", "hierarchies.csv": TREE, "knowledge.csv": own}
    rule = RULE | {"when": {"age": "even"}}
    checks = found(tmp_path, "1-2 flu, 1-2 a", "1 flu, 2 a", record=record, rules=(rule,))
    assert checks == ALL | {"ℓ with rules": False}
