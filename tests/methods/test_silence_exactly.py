"""Everybody keeps ℓ values for a reader who knows what would be listed as a rule: larger tables, exactly."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.hierarchy import from_parents
from tacit.data.table import Table
from tacit.engine.local.engine import LocalEngine
from tacit.errors import InfeasibleError
from tacit.methods.bucketize.solve import silence
from tacit.methods.bucketize.solve.plan import make_plan
from tacit.methods.bucketize.solve.solve import count_classes
from tacit.methods.generalize_tables import make
from tacit.random.key import Key
from tests.oracles.worlds import Circle, circles, exchanged_worlds, fewest_values

PLACES = {"a0": "north", "a1": "north", "a2": "south", "a3": "south", "north": "all", "south": "all"}
AGES = {f"b{age}": "any" for age in range(3)}
TREES = {"place": PLACES, "age": AGES}
SEEDS = 30
UNDONE = (26, 53, 76, 84, 188, 315)
"""Tables of which divisions are undone. Where classes were joined instead, five of six left somebody less."""
MOST = 60


def drawn(seed: int) -> tuple[Table, dict[str, Any], Fraction]:
    """A table of one or two sensitive columns, what is asked, and the level of its rules."""
    generator = np.random.default_rng(seed)
    rows = int(generator.integers(14, 26))
    columns = {
        "place": [f"a{n}" for n in generator.integers(4, size=rows)],
        "age": [f"b{n}" for n in generator.integers(3, size=rows)],
    }
    sensitive = ["disease", "job"][: 1 + int(generator.random() < 0.3)]
    for name in sensitive:
        kinds = int(generator.integers(3, 8))
        columns[name] = [
            f"{name} {n}" for n in generator.choice(kinds, rows, p=generator.dirichlet(np.full(kinds, 2)))
        ]
    table = tacit.table_from_frame(pl.DataFrame(columns), quasi=list(TREES), sensitive=sensitive)
    table = table.with_hierarchies({name: from_parents(tree, name=name) for name, tree in TREES.items()})
    least = int(generator.integers(5, 10))
    knowledge = {"min_expectation": least / 10, "max_length": int(generator.integers(1, 3))}
    return table, {"l": int(generator.integers(2, 4)), "knowledge": knowledge}, 1 - Fraction(least, 10)


def conjunctions(table: Table, parents_of: Mapping[str, Mapping[str, str]], longest: int) -> list[Circle]:
    """The rows of every conjunction of nodes below the roots."""
    nodes = []
    for name, parents in parents_of.items():
        below: dict[str, set[int]] = {}
        for row, node in enumerate(table.to_polars()[name]):
            while node in parents:
                below.setdefault(node, set()).add(row)
                node = parents[node]
        nodes.append([frozenset(rows) for rows in below.values()])
    return list(circles(nodes, longest))


def classes_of(made: Any) -> list[Hashable]:
    """Which rows of the original share a class or a bucket; a row that is left out is alone."""
    if hasattr(made, "buckets"):
        rows, groups = made.buckets.rows, made.buckets.groups.tolist()
        classes: dict[int, Hashable] = dict(zip(rows.tolist(), groups, strict=True))
    else:
        cells = made.table.select(made.original.roles.known).rows()
        classes = dict(zip(made.recoded.rows.tolist(), cells, strict=True))
    return [classes.get(row, ("alone", row)) for row in range(len(made.original))]


def fewest(
    made: Any, trees: Mapping[str, Mapping[str, str]], level: Fraction, l: int, longest: int = 0
) -> int:
    """The fewest values that somebody keeps, up to ℓ."""
    table = made.original
    about = conjunctions(table, trees, longest or made.knowledge.settings["max_length"])
    return fewest_values(
        table.to_polars().select(table.roles.sensitive).rows(), classes_of(made), about, level, l
    )


@pytest.mark.parametrize("verb", [tacit.generalize, tacit.bucketize])
def test_random_tables_keep_l_values(verb: Any) -> None:
    more = {"k": 2, "epsilon": 10.0} if verb is tacit.generalize else {}
    looked_at = 0
    for seed in range(SEEDS):
        table, asked, level = drawn(seed)
        try:
            made = verb(table, key=Key.from_seed(seed), **asked, **more)
        except InfeasibleError:
            continue
        assert fewest(made, TREES, level, asked["l"]) >= asked["l"]
        looked_at += 1
    assert looked_at > SEEDS / 3


def forced(class_of: Sequence[int]) -> Any:
    """Tests that end as they must to give these classes of combinations, if they can."""

    def drawn_by(*_: Any) -> Any:
        def fails(parts: Sequence[Any], chance: float) -> bool:
            return chance >= 1 or len({class_of[one] for part in parts for one in part}) == 1

        return fails

    return drawn_by


@pytest.mark.parametrize("seed", UNDONE)
def test_every_original_that_fits_could_have_given_the_classes(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a reader who runs the tool on all of them leaves none out."""
    table, asked, level = drawn(seed)
    given: Any = {"k": 2, "epsilon": 10.0, **asked}
    made = tacit.generalize(table, key=Key.from_seed(seed), **given)
    assert made.risk().joined
    known = table.to_polars().select(table.roles.known).rows()
    number = {one: at for at, one in enumerate(sorted(set(known)))}
    of = made.solution.recoded.class_of.tolist()  # two classes may be published alike
    classes = [of[number[one]] for one in known]
    shown, sensitive = classes_of(made), table.roles.sensitive
    held = table.to_polars().select(sensitive).rows()
    about = list(conjunctions(table, TREES, asked["knowledge"]["max_length"]))
    monkeypatch.setattr(make, "drawn_by", forced(of))
    worlds = islice(exchanged_worlds(held, classes, about, level, random.Random(seed), most=1_000), MOST)
    tried = 0
    for world in worlds:
        assert classes_of(tacit.generalize(with_values(table, world), **given)) == shown
        tried += 1
    assert tried > 20


@pytest.mark.parametrize("seed", range(12))
def test_buckets_are_as_silent_whichever_original_fits(seed: int) -> None:
    """Rows that have each other's values can be drawn in each other's place: then each could give them."""
    table, asked, level = drawn(seed)
    try:
        made = tacit.bucketize(table, key=Key.from_seed(seed), **asked)
    except InfeasibleError:
        pytest.skip("There are no such buckets.")
    groups = np.empty(len(table), dtype=np.int32)
    groups[made.buckets.rows] = made.buckets.groups
    held = table.to_polars().select(table.roles.sensitive).rows()
    about = list(conjunctions(table, TREES, asked["knowledge"]["max_length"]))
    worlds = exchanged_worlds(held, groups.tolist(), about, level, random.Random(seed), most=300)
    for world in [held, *islice(worlds, MOST)]:
        other = with_values(table, world)
        rules = tacit.mine_negative_rules(other, **asked["knowledge"])
        counted = count_classes(other, rules, LocalEngine(), Key.from_seed(0))
        codes = [tuple(row) for row in counted.combinations.codes.tolist()]
        columns = [other.column(name).codes.tolist() for name in counted.combinations.names]
        of = np.array([codes.index(row) for row in zip(*columns, strict=True)], dtype=np.int32)
        plan = make_plan(counted.classes, counted.class_of[of], groups, combinations=of)
        assert silence.silenced(plan, counted.combinations, rules, asked["l"], bounded=False) is plan


def with_values(table: Table, world: Sequence[tuple[str, ...]]) -> Table:
    """The table with other sensitive values."""
    columns = zip(table.roles.sensitive, zip(*world, strict=True), strict=True)
    frame = table.to_polars().with_columns(pl.Series(name, values) for name, values in columns)
    new = tacit.table_from_frame(frame, quasi=table.roles.quasi, sensitive=table.roles.sensitive)
    return new.with_hierarchies(table.hierarchies)


def coded(rows: str, names: str) -> pl.DataFrame:
    """A column for each letter: rows of a digit for each."""
    cells = zip(*rows.split(), strict=True)
    return pl.DataFrame(
        {name: [f"{name}{one}" for one in column] for name, column in zip(names, cells, strict=True)}
    )


SOUTH = {"a0": "A", "a1": "A", "a2": "B", "a3": "B", "A": "*", "B": "*"}
EAST = {"c0": "C", "c1": "C", "c2": "D", "c3": "D", "C": "*", "D": "*"}
SIDES = {"a": SOUTH, "b": {f"b{n}": "*" for n in range(3)}, "c": EAST}


def of_sides(rows: str, names: str) -> Table:
    table = tacit.table_from_frame(coded(rows, names), quasi=list(names[:-1]), sensitive="s")
    return table.with_hierarchies({one: from_parents(SIDES[one], name=one) for one in names[:-1]})


JOINED = (
    "2205 3033 3100 3005 1105 0003 0105 3135 3120 2011 2105 1135"
    " 1033 3125 1203 1031 3132 1211 1025 2003 0112 2113 0125 1001"
)


def test_whoever_is_in_a_class_that_another_takes_in_is_looked_at() -> None:
    """The class that took it in had been looked at before; one of these 24 was left with one value."""
    made = tacit.generalize(
        of_sides(JOINED, "abcs"), k=2, l=2, recoding="cells", epsilon=10.0, key=Key.from_seed(1279),
        knowledge={"min_expectation": 0.6, "max_length": 1},
    )  # fmt: skip
    assert fewest(made, SIDES, Fraction(4, 10), 2) == 2


@pytest.mark.parametrize(("seed", "joins", "classes"), [(138, 2, 5), (217, 2, 5)])
def test_no_more_divisions_are_undone_than_somebody_needs(seed: int, joins: int, classes: int) -> None:
    table, asked, level = drawn(seed)
    given: Any = {"k": 2, "epsilon": 10.0, "key": Key.from_seed(seed)}
    before = tacit.generalize(table, l=asked["l"], readers="nothing", **given)
    made = tacit.generalize(table, **asked, **given)
    assert len(set(classes_of(before))) - joins == len(set(classes_of(made))) == classes
    longest, l = asked["knowledge"]["max_length"], asked["l"]
    assert fewest(before, TREES, level, l, longest) < l <= fewest(made, TREES, level, l)


def test_it_does_not_depend_on_the_numbers_of_buckets_who_is_looked_at() -> None:
    """In one bucket of all seven one has two values, whatever: half of the keys published that."""
    table = of_sides("323 301 220 203 113 110 021", "abs")
    for seed in range(20):
        with pytest.raises(InfeasibleError) as caught:
            tacit.bucketize(table, l=3, knowledge={"min_expectation": 0.6}, key=Key.from_seed(seed))
        assert caught.value.code == "silence-names"


GIVEN = tuple(
    f"group=M & q=q{place} => not {column}={value}"
    for place, column, value in (
        (1, "s", "v"), (1, "t", "y"), (2, "s", "u"), (2, "t", "y"),
        (3, "s", "u"), (3, "t", "w"), (4, "s", "v"), (4, "t", "w"),
    )
)  # fmt: skip


@pytest.mark.parametrize("recoding", ["local", "global", "subtree"])
def test_of_two_columns_a_class_is_looked_at_in_which_nobody_is_the_only_one(recoding: Any) -> None:
    """Only all four together can hand on their values, which takes both holders of t = gout in x1 away."""
    four = [
        ("M", "q1", "x1", "gout", "u"),
        ("M", "q2", "x0", "w", "x"),
        ("M", "q3", "x1", "gout", "v"),
        ("M", "q4", "x0", "y", "z"),
    ]
    chosen = np.random.default_rng(1)
    others = [
        (
            "N",
            f"q{1 + number % 4}",
            "x1" if number < 4 else "x0",
            "wywy"[number]
            if number < 4
            else "gout"
            if chosen.random() < 0.55
            else "wy"[(number // 4 + number // 8) % 2],
            "uxvz"[(number // 4 + number) % 4],
        )
        for number in range(40)
    ]
    frame = pl.DataFrame([*four, *others], schema=["group", "q", "x", "t", "s"], orient="row")
    table = tacit.table_from_frame(frame, quasi=["q", "x"], keep=["group"], sensitive=["t", "s"])
    given = [*GIVEN, "group=N & x=x1 => not t=gout"]
    more: Any = {"epsilon": 10.0} if recoding == "local" else {}
    with pytest.raises(InfeasibleError) as caught:
        tacit.generalize(
            table, k=4, l=2, recoding=recoding, knowledge={"rules": given}, key=Key.from_seed(1), **more
        )
    assert caught.value.code == "silence-names"


@pytest.mark.parametrize("correction", ["none", "alike", "bonferroni", "bh"])
def test_a_correction_does_not_switch_it_off(correction: str) -> None:
    """A reader works out what would be listed: also where nothing is, and so nothing shows the level."""
    rows = [("A", "m", "gout"), *(("A", "f", one) for one in ("flu", "cold", "ache"))]
    rows += [("B", "f", "gout")] * 12 + [("B", "f", one) for one in ("flu", "cold", "ache")] * 2
    rows += [("B", "m", one) for one in ("flu", "cold", "ache")] * 6
    frame = pl.DataFrame(rows, schema=["town", "sex", "disease"], orient="row")
    table = tacit.table_from_frame(frame, quasi=["sex"], keep=["town"], sensitive="disease")
    asked: Any = {"k": 3, "l": 2, "key": Key.from_seed(1)}
    assert tacit.generalize(table, knowledge={"correction": correction}, **asked).risk().joined == 36
    assert tacit.generalize(table, knowledge={"min_expectation": 0.9999}, **asked).risk().joined == 0
