"""People who are in one of two releases only: what the totals differ by is theirs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.release.composing import AT_LEAST, SHARE_AT_LEAST
from tacit.release.ledger import Ledger
from tests.release.ledger.making import KEY

N = 400
Row = tuple[str, int, str, str]


def rows(n: int = N) -> list[Row]:
    source = random.Random(5)
    return [
        (
            source.choice("ABCD"),
            20 + source.randrange(8) * 5,
            source.choice("mf"),
            source.choice("abcdefghij"),
        )
        for _ in range(n)
    ]


def made(people: list[Row], how: str) -> Any:
    frame = pl.DataFrame(people, schema=["town", "age", "sex", "disease"], orient="row")
    table = tacit.table_from_frame(frame, quasi=["town", "age", "sex"], sensitive="disease")
    if how == "bucketize":
        return tacit.bucketize(table, l=3, key=KEY)
    return tacit.generalize(table, k=5, l=2, key=KEY)


def stated(first: list[Row], second: list[Row], how: str, folder: Path) -> tuple[dict[str, Any], str]:
    """What the ledger holds of both, and the message that refused the second."""
    made(first, how).save(folder / "one", accept_weak=True)
    release = made(second, how)
    with pytest.raises(tacit.InfeasibleError) as caught:
        release.save(folder / "two", accept_weak=True)
    saved = release.save(folder / "two", accept_weak=True, acknowledge_composition=True, reason="a test")
    assert saved.manifest.risks["composition"][AT_LEAST] >= 10
    assert not tacit.verify(folder / "two").broken
    return dict(Ledger().read().entries[-1].composition), caught.value.message


@pytest.mark.parametrize("how", ["bucketize", "generalize"])
@pytest.mark.parametrize("who", ["joiner", "leaver"])
def test_one_person_more_or_less_is_counted(how: str, who: str, tmp_path: Path) -> None:
    before, after = rows(), [*rows(), ("A", 20, "f", "g")]
    if who == "leaver":
        before, after = after, before
    found, message = stated(before, after, how, tmp_path)
    assert (found["shared"], found["not_matched"]) == (N, 0)
    assert found[AT_LEAST] >= 1
    assert 0 < found[SHARE_AT_LEAST] <= 1
    assert "1 of them is in one of the releases only." in message


def test_several_joiners_with_one_value_are_all_counted(tmp_path: Path) -> None:
    more: list[Row] = [("A", 20, "f", "g"), ("B", 30, "m", "g"), ("C", 25, "f", "g")]
    found, message = stated(rows(), rows() + more, "bucketize", tmp_path)
    assert found[AT_LEAST] >= 3
    assert "3 of them are in one of the releases only." in message


def test_a_corrected_value_is_counted(tmp_path: Path) -> None:
    """One value in place of another: the totals tell both."""
    frame = rows()
    number = next(place for place, row in enumerate(frame) if row[3] != "g")
    corrected = [(*row[:3], "g") if place == number else row for place, row in enumerate(frame)]
    found, _ = stated(frame, corrected, "bucketize", tmp_path)
    assert found[AT_LEAST] >= 1
