"""A reader who knows the method learns nothing from how coarse later tables of a series are.

Every table of a few people is released twice: those who hold what in all tables with the same outcome are
what such a reader knows. Compared with a reader who takes every table for possible that agrees with what is
published, and with the promise, which is public.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tacit.data.hierarchy import from_parents
from tacit.data.table import table_from_frame
from tacit.errors import InfeasibleError
from tacit.methods.generalize_tables import series
from tacit.methods.generalize_tables.verb import generalize
from tests.methods.bucketize.series import put
from tests.methods.chains import KEY
from tests.oracles.cohorts import Row, Tables, World, all_worlds, everybody, excesses, sharing

TREE = from_parents({"20": "2x", "21": "2x", "30": "3x", "31": "3x", "2x": "*", "3x": "*"}, name="age")
Ages = tuple[str, ...]
CHAINS: list[tuple[Ages, list[int], list[int]]] = [
    # everybody's age; who is in the first release, who in the second
    (("20", "20", "20", "21", "30", "30", "30"), [0, 1], [0, 1, 2, 3, 4, 5, 6]),
    (("20", "20", "20", "20", "21", "21"), [0, 1, 2, 3], [2, 3, 4, 5]),
    (("20", "20", "30", "30", "21", "21"), [0, 1, 2, 3], [0, 1, 4, 5]),
]


def rows(world: World, ages: Ages, who: list[int], made: Any) -> dict[str, Row]:
    """Everybody in a release, by their class there."""
    order = made.recoded.rows.tolist()
    looks = dict(zip((who[row] for row in order), made.table["age"].to_list(), strict=True))
    return {str(one): Row(looks[one], (world[one],)) for one in who}


def twice(
    place: Path, ages: Ages, first: list[int], second: list[int], world: World
) -> tuple[object, Tables] | None:
    chain, after = list[dict[str, Row]](), None
    for number, who in enumerate((first, second)):
        frame = pl.DataFrame(
            {
                "id": [str(one) for one in who],
                "age": [ages[one] for one in who],
                "disease": [world[one] for one in who],
            }
        )
        table = table_from_frame(frame, quasi=["age"], sensitive="disease").with_hierarchies({"age": TREE})
        asked = {"l": 2, "readers": "nothing"} if number else {}
        try:
            made = generalize(table, k=2, recoding="subtree", person="id", after=after, key=KEY, **asked)
        except InfeasibleError:
            return None
        after = put(made, place / "".join((*world, str(number))))
        chain.append(rows(world, ages, who, made))
    published = tuple(
        tuple(sorted((str(row.looks), row.values) for row in release.values())) for release in chain
    )
    return published, chain


def kept(chain: Tables, world: World) -> bool:
    """Whether the promise holds in a world: two values in every cohort."""
    people = everybody(chain)
    return all(len({world[int(other)] for other in sharing(chain, person)}) > 1 for person in people)


def largest_excess(place: Path, ages: Ages, first: list[int], second: list[int]) -> float:
    outcome_of = partial(twice, place, ages, first, second)
    return max(excesses(outcome_of, all_worlds(len(ages), "ab"), kept), default=0.0)


@pytest.mark.parametrize(
    "chain", [*(pytest.param(one, marks=pytest.mark.ci) for one in CHAINS[:-1]), CHAINS[-1]]
)
def test_a_later_table_tells_what_it_states_and_no_more(
    tmp_path: Path, chain: tuple[Ages, list[int], list[int]]
) -> None:
    assert largest_excess(tmp_path, *chain) == 0.0


@pytest.mark.ci
def test_a_choice_that_looks_at_values_would_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blind = series.continuing

    def looking(asked: Any, *rest: Any) -> Any:
        found = blind(asked, *rest)
        return replace(found, problem=replace(found.problem, promise=found.promise(asked)))

    monkeypatch.setattr(series, "continuing", looking)
    assert largest_excess(tmp_path, *CHAINS[0]) > 0.1
