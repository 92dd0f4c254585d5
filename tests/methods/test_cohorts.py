"""The promises over series of tables and sets, against the definitions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.data.column import encode
from tacit.data.transactions import transactions_from_sets
from tacit.methods.generalize_sets.series import Faced, told_of
from tacit.methods.generalize_tables.cohorts import Cohorts, Here
from tacit.release.series import Lives, Told, nobody_yet
from tests.cases import cases
from tests.oracles.cohorts import Row, fewest_faced, fewest_sharing, fewest_values

PEOPLE = "tuvwxyz"


def tables(releases: int = 3) -> st.SearchStrategy[list[dict[str, Row]]]:
    def row(looks: int, value: str, other: str | None) -> Row:
        barred = frozenset() if other in (None, value) else frozenset({(0, other)})
        return Row(looks, (value,), barred)

    one = st.builds(
        row, st.integers(0, 1), st.sampled_from("abc"), st.one_of(st.none(), st.sampled_from("abc"))
    )
    release = st.dictionaries(st.sampled_from(PEOPLE[:6]), one, min_size=1)
    return st.lists(release, min_size=1, max_size=releases)


def told(release: dict[str, Row]) -> Told:
    people = sorted(release)
    sets = sorted({release[person].barred for person in people}, key=sorted)
    here = Here(
        pl.Series("person", people),
        np.array([sets.index(release[person].barred) for person in people], dtype=np.int32),
        tuple(tuple(sorted(one)) for one in sets),
    )
    looks = encode(pl.Series("q", [str(release[person].looks) for person in people]))
    return here.told([looks], [encode(pl.Series("s", [release[person].values[0] for person in people]))])


def lived(chain: Iterable[Told]) -> Lives:
    found = nobody_yet()
    for release in chain:
        found = found.then(*release)
    return found


@settings(max_examples=cases(300), deadline=None)
@given(tables())
def test_cohorts_are_those_of_the_definition(chain: list[dict[str, Row]]) -> None:
    people, values = Cohorts(lived(map(told, chain))).smallest(4)
    assert people == fewest_sharing(chain)
    assert values == min(4, fewest_values(chain))


SETS = st.lists(
    st.dictionaries(
        st.sampled_from(PEOPLE), st.frozensets(st.sampled_from("abc"), max_size=3), min_size=1, max_size=7
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=cases(300), deadline=None)
@given(SETS, st.integers(1, 3))
def test_people_faced_are_those_of_the_definition(chain: list[dict[str, frozenset[str]]], m: int) -> None:
    lives = lived(
        told_of(pl.Series("person", sorted(one)), transactions_from_sets([one[who] for who in sorted(one)]))
        for one in chain
    )
    faced = Faced(lives, m)
    assert faced.largest(faced.together + 1) == fewest_faced(chain, m)
