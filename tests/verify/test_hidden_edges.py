"""Hidden patterns at the edge of what is allowed, and what shows without the private record."""

from __future__ import annotations

import shutil
from pathlib import Path

import tacit
from tacit_verify.verifying import verify
from tests.faults.writers import KEY, example_baskets
from tests.soak.random_releases import write


def test_a_least_support_of_one(tmp_path: Path) -> None:
    release = tacit.hide(example_baskets(), patterns=[{"beer", "chips"}], min_support=1, key=KEY)
    assert [check for check in verify(write(release, tmp_path / "out")) if check.ok is False] == []


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
