"""A release for a larger k is one for a smaller k too: a smaller k must not lose far more."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from tacit.data.table import Table, table_from_frame
from tacit.methods.generalize_tables.verb import generalize
from tacit.random.key import Key
from tacit.recoding import joining
from tacit.typing import Codes, Counts
from tests.cases import cases

KEY = Key.from_seed(1)


def table(seed: int, rows: int | None = None) -> Table:
    """A small table of ages, towns and sexes in which half of the people have one disease."""
    draw = random.Random(seed)
    rows = draw.randint(20, 90) if rows is None else rows
    frame = pl.DataFrame(
        {
            "age": [str(draw.randint(0, 99)) for _ in range(rows)],
            "town": [draw.choice("aaabbcdefg") for _ in range(rows)],
            "sex": [draw.choice("fm") for _ in range(rows)],
            "disease": [draw.choice("uuuvwx") for _ in range(rows)],
        }
    )
    return table_from_frame(frame, quasi="age,town,sex", sensitive="disease")


@pytest.mark.parametrize(
    "recoding",
    ["local", "cells", *(pytest.param(each, marks=pytest.mark.ci) for each in ("global", "subtree"))],
)
def test_a_smaller_k_loses_no_more_where_values_play_no_part(recoding: str) -> None:
    for seed in range(cases(24)):
        data = table(seed)
        losses = [generalize(data, k=k, recoding=recoding, key=KEY).solution.loss for k in (2, 3, 4, 5, 6)]
        assert all(before <= after + 0.01 for before, after in pairwise(losses)), seed


def test_the_whole_table_is_not_undivided_because_of_a_small_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first division has two large halves whatever k is, so that its test fails by small chances alone.

    Classes in pairs, pairs of pairs and so on left one class alone to the end: half of the whole table, with
    k rows, which broke the promise or nearly did. All 80 rows were then one class.
    """
    chances: list[float] = []

    def fails(halves: object, chance: float) -> bool:
        chances.append(chance)
        return False

    monkeypatch.setattr("tacit.methods.generalize_tables.make.drawn_by", lambda *given: fails)
    for seed in range(cases(12)):
        data = table(seed, 80)
        for k in (2, 3, 4, 5, 6, 7, 8, 9, 11):
            chances.clear()
            generalize(data, k=k, l=2, readers="nothing", key=KEY)
            # Each half has at least 32 rows. Were 20 of them alike, 12 others make 12 exchanges.
            assert chances[0] <= math.exp(-0.4 * 8), (seed, k)


def test_halves_are_the_best_of_all_with_enough_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Joining few classes goes from all of them down to each alone, always in two."""
    found = []
    original = joining._halves

    def halves(shown: Codes, rows: Counts, forest: joining.Forest) -> list[Codes]:
        found.append((rows, steps := original(shown, rows, forest)))
        return steps

    monkeypatch.setattr(joining, "_halves", halves)
    for k in (6, 9, 11, 16):
        generalize(table(3, 70), k=k, l=2, readers="nothing", key=KEY)
    assert {len(rows) for rows, _ in found} >= {4, 7}
    for rows, steps in found:
        at = np.arange(len(rows))
        for step in steps:
            assert set(np.bincount(step)) <= {1, 2} and len(step) == at.max() + 1
            last, at = at, step[at]
        assert at.max() == 0 and min(rows[last == half].sum() for half in (0, 1)) * 3 >= rows.sum()
