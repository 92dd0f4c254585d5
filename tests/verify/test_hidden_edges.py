"""Hidden patterns at the edge of what is allowed, and what shows without the private record."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

import tacit
from tacit_verify.hidden import _row_problems, checks
from tacit_verify.release import Release
from tacit_verify.verifying import verify
from tests.faults.writers import KEY, example_baskets
from tests.soak.random_releases import write


def test_a_least_support_of_one(tmp_path: Path) -> None:
    release = tacit.hide(example_baskets(), patterns=[{"beer", "chips"}], min_support=1, key=KEY)
    assert [check for check in verify(write(release, tmp_path / "out")) if check.ok is False] == []


def test_an_original_of_one_cell_of_which_nothing_is_left(tmp_path: Path) -> None:
    original = tmp_path / "original.dat"
    original.write_text("beer\n")
    release = tacit.hide(tacit.read_transactions(original), patterns=[{"beer"}], min_support=1, key=KEY)
    assert [check for check in verify(write(release, tmp_path / "out"), original) if check.ok is False] == []


def test_longer_transactions_show_without_the_record(tmp_path: Path) -> None:
    """Every item is as frequent in this original, and there are as many transactions; one was shorter."""
    baskets = example_baskets()
    release = tacit.hide(baskets, patterns=[{"beer", "chips"}], min_support=9, key=KEY)
    folder = write(release, tmp_path / "out")
    shutil.rmtree(tmp_path / "out.private")
    lines = [line.split() for line in (folder / "transactions.dat").read_text().splitlines()]
    original = tmp_path / "original.dat"
    original.write_text("".join(" ".join(line) + "\n" for line in lines))
    assert [check for check in verify(folder, original) if check.ok is False] == []
    longest, shortest = max(lines, key=len), next(line for line in lines if len(line) == 1)
    moved = next(item for item in longest if item not in shortest)
    longest.remove(moved)
    shortest.append(moved)
    original.write_text("".join(" ".join(line) + "\n" for line in lines))
    assert "nothing added" in [check.name for check in verify(folder, original) if check.ok is False]


@pytest.mark.parametrize(
    ("least", "confidence", "wrong"),
    [
        (2, "2/3", ["hidden patterns", "hidden rules"]),
        (2, "0.7", ["hidden patterns"]),
        (3, "2/3", []),
        (3, None, []),
        (2, None, ["hidden patterns", "hidden rules"]),
    ],
)
def test_supports_and_confidence_at_their_bounds(
    least: int, confidence: str | None, wrong: list[str], tmp_path: Path
) -> None:
    """Two of the three who have a have b as well, and nobody but them."""
    folder, private = tmp_path / "out", tmp_path / "out.private" / hashlib.sha256(b"text").hexdigest()[:16]
    folder.mkdir()
    private.mkdir(parents=True)
    (folder / "transactions.dat").write_text("a\na b\na b\n")
    secret = {"patterns": [["a", "b"]], "marked": [], "rules": [[["a"], ["b"]]]}
    (private / "secret.json").write_text(json.dumps(secret))
    counts = {"patterns": 1, "rules": 1, "transactions": 3, "items": 2, "cells": 5, "empty": 0}
    manifest = {
        "promise": {"min_count": least} | counts,
        "parameters": {"min_count": least, "min_confidence": confidence, "transactions": "transactions.dat"},
        "reader": {"min_count": least},
        "risks": {"hiding_failure": 0, "rare_items": 2},
        "utility": {"artificial_patterns": 0},
    }
    found = checks(Release(folder, "text", manifest), None)
    assert [check.name for check in found if check.ok is False] == wrong


@pytest.mark.parametrize(("numbers", "once"), [("0 1", True), ("0 0", False), ("0 -1", False)])
def test_a_row_map_gives_each_original_once(numbers: str, once: bool, tmp_path: Path) -> None:
    (tmp_path / "published.dat").write_text("a\na b\n")
    (tmp_path / "rows.txt").write_text("".join(f"{number}\n" for number in numbers.split()))
    before = [("a", "b"), ("a", "b")]
    found = [*_row_problems(tmp_path / "published.dat", before, tmp_path / "rows.txt")]
    assert found[:1] == ([] if once else ["the row map does not give each original once"])


@pytest.mark.parametrize("numbers", ["0", "0\n1\n1"])
def test_a_row_map_is_as_long_as_the_file(numbers: str, tmp_path: Path) -> None:
    (tmp_path / "published.dat").write_text("a\na b\n")
    (tmp_path / "rows.txt").write_text(f"{numbers}\n")
    with pytest.raises(ValueError, match="zip"):
        list(_row_problems(tmp_path / "published.dat", [("a", "b")] * 2, tmp_path / "rows.txt"))
