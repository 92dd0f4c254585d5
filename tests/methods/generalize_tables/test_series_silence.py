"""How rules are mined leaves everybody ℓ values over a series of tables, none of which lists any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError
from tacit.methods.generalize_tables.series_silence import Told, check_unlisted, unlisted
from tacit.mining.exchanges import MOST
from tacit.random.key import Key
from tacit.release.series import Lives, nobody_yet
from tests.cases import cases
from tests.methods.bucketize.series import people, put
from tests.methods.chains import table
from tests.oracles.exchanged import Few, fewest
from tests.oracles.silence import pairs_from_definition
from tests.oracles.unlisted import classed, mined
from tests.oracles.unstated import Made, Worlds

MANY = 5_000
"""Series with more worlds are not looked at."""


def series(seed: int, place: Path) -> Iterator[tuple[int, int]]:
    """After every release of a small series: ℓ, and the fewest values that anybody could have.

    Whoever has some value leaves, some others too, and the rest come.
    """
    generator = np.random.default_rng(seed)
    l, n = int(generator.integers(2, 4)), int(generator.integers(7, 12))
    everybody = people(generator, n, values=int(generator.integers(3, 5)), ages=int(generator.integers(2, 4)))
    now = everybody[: int(generator.integers(n - 3, n + 1))]
    known = {"min_expectation": float(generator.choice([0.5, 0.7, 0.9]))}
    recoding = str(generator.choice(["global", "subtree"]))
    last, chain, truth = None, list[Made](), dict[str, str]()
    for number in range(int(generator.integers(2, 4))):
        if last is not None:
            away = everybody.filter(~pl.col("id").is_in(now["id"].to_list()))
            held = now["disease"].to_list()
            value = held[int(generator.integers(len(held)))]
            gone = pl.Series([one == value or generator.random() < 0.4 for one in held])
            now = pl.concat([now.filter(~gone), away if len(away) > 1 else away[:0]])
        asked: Any = {
            "k": int(generator.integers(3, 6)) if last is None else 2,
            "l": l,
            "recoding": recoding,
            "knowledge": known,
        }
        try:
            made = tacit.generalize(table(now), person="id", key=Key.from_seed(seed), after=last, **asked)
        except tacit.errors.TacitError:
            return
        last = put(made, place / f"{seed}-{number}")
        names, shown = now["id"].to_list(), made.table.rows()
        truth |= zip(names, now["disease"], strict=True)
        classes = {names[row]: cells[:-1] for row, cells in zip(made.recoded.rows, shown, strict=True)}
        chain.append(Made(mined(made.original, names, made.knowledge), classes))
        here = [{one: (look, truth[one]) for one, look in each.classes.items()} for each in chain]
        found = list(islice(classed(here), MANY))
        if len(found) == MANY:
            return
        worlds = Worlds(chain, found)
        yield l, worlds.fewest(worlds.possible(l) & worlds.agreeing(truth))


@pytest.mark.parametrize("seed", [12, 48, 98, 616])
def test_series_that_left_somebody_fewer_values(seed: int, tmp_path: Path) -> None:
    """By the first release in the first two series, and by a later one in the others."""
    assert all(values >= l for l, values in series(seed, tmp_path))


@pytest.mark.ci
def test_everybody_keeps_l_values_over_a_series(tmp_path: Path) -> None:
    releases = 0
    for seed in range(cases(400)):
        for l, values in series(seed, tmp_path):
            assert values >= l, seed
            releases += 1
    assert releases > cases(150)


def drawn(seed: int) -> tuple[Lives, list[Told], Few, int]:
    """A few people who come and go, as a record and as the histories that they may exchange; pairs; ℓ."""
    generator = np.random.default_rng(seed)
    n, columns, often = int(generator.integers(4, 8)), int(generator.integers(1, 3)), seed % 3 / 2
    names = [f"p{one}" for one in range(n)]
    lives = nobody_yet()
    homes: list[tuple[int, ...]] = [()] * n
    has: list[tuple[int, ...]] = [()] * n
    barred, pairs, told = [set[tuple[int, int]]() for _ in names], [], []
    for turn in range(2):
        there = [one for one in range(n) if turn == 0 or one == 0 or generator.random() < often]
        looks, held = generator.integers(1 + seed % 4 // 3, size=n), generator.integers(3, size=(n, columns))
        forms = []
        for one in range(n):
            mine = held[one].tolist() if one in there else [-1] * columns
            no = [
                (at, v)
                for at in range(columns)
                for v in range(3)
                if one in there and v != mine[at] and generator.random() < 0.1
            ]
            homes[one] += (int(looks[one]) if one in there else -1,)
            has[one] += (*mine,)
            barred[one] |= {(turn * columns + at, v) for at, v in no}
            forms.append(
                ((f"look {looks[one]}",), tuple(map(str, mine)), tuple((at, str(v)) for at, v in no))
            )
        lives = lives.then(
            pl.Series("person", [names[one] for one in there]),
            np.arange(len(there), dtype=np.int32),
            [forms[one] for one in there],
        )
        for _ in range(int(generator.integers(1, 3))):
            at, holder = int(generator.integers(columns)), int(generator.choice(there))
            value = int(held[holder][at])
            able = {holder} | {one for one in there if generator.random() < 0.4}
            able = {one for one in able if (turn * columns + at, value) not in barred[one]}
            pairs.append((turn * columns + at, value, frozenset(able)))
            told.append(Told(turn, at, str(value), tuple(names[one] for one in sorted(able))))
    classes = [sorted(set(homes)).index(home) for home in homes]
    few = Few(classes, has, [frozenset(one) for one in barred], pairs)
    return lives, told, few, 2


def test_histories_are_exchanged_so_that_everybody_keeps_l_values() -> None:
    """Of a few people all worlds are counted; what is refused leaves nearly always somebody fewer."""
    asked = refused = needless = 0
    for seed in range(cases(1500)):
        lives, told, few, l = drawn(seed)
        if fewest(replace(few, pairs=[]), few.class_of) < l:
            continue
        asked += 1
        try:
            check_unlisted(lives, told, l)
        except InfeasibleError:
            refused += 1
            needless += fewest(few, few.class_of) >= l
        else:
            assert fewest(few, few.class_of) >= l, seed
    assert asked > cases(150) and refused > asked / 4
    assert needless < refused / 10


@pytest.mark.parametrize("seed", [2, 4, 5])
def test_pairs_of_a_release_are_those_of_the_definition(seed: int) -> None:
    """Few hold them, and in the classes of all who do somebody outside X could have their value."""
    frame = people(np.random.default_rng(seed), 120, values=8, ages=10)
    asked: Any = {"k": 2, "l": 2, "recoding": "subtree", "knowledge": {"min_expectation": 0.5}}
    made = tacit.generalize(table(frame), person="id", key=Key.from_seed(seed), **asked)
    original, rules, names = made.original, made.knowledge, frame["id"].to_list()
    assert rules is not None
    class_of = dict(zip(made.recoded.rows.tolist(), [row[:-1] for row in made.table.rows()], strict=True))
    combinations = engine_for(original).combinations(original, ["sex", "age", "disease"])
    numbers = {tuple(row): place for place, row in enumerate(combinations.codes.tolist())}
    columns = [original.column(name).codes.tolist() for name in combinations.names]
    barred = rules.forbidden(combinations, "disease")[[numbers[row] for row in zip(*columns, strict=True)]]
    expected, left = set(), 0
    for inside, value, holders in pairs_from_definition(original, rules):
        having = {class_of[row] for row, held in enumerate(columns[-1]) if held == value}
        free = {class_of[row] for row in range(120) if row not in inside and not barred[row, value]}
        able = {row for row in inside if not barred[row, value] and class_of[row] in having}
        if holders <= MOST and {class_of[row] for row in inside if columns[-1][row] == value} <= free:
            text = original.column("disease").texts[value]
            expected.add((5, 0, text, frozenset(names[row] for row in able)))
        else:
            left += 1
    told = unlisted(original, rules, made.recoded, frame["id"], 5)
    assert {(one.release, one.column, one.value, frozenset(one.people)) for one in told} == expected
    assert len(expected) > 10 and left > 10


def towns() -> tuple[pl.DataFrame, pl.DataFrame]:
    """All who have gout live in one town, with one man among them; and then those who live elsewhere."""
    rows = [("A", "f", "gout")] * 7 + [("A", "m", "gout")] + [("A", "f", "flu"), ("A", "f", "cold")] * 12
    rows += [("B", "m", "flu"), ("B", "m", "cold")] * 20 + [("B", "f", "flu"), ("B", "f", "cold")] * 4
    both = pl.DataFrame(rows, schema=["town", "sex", "disease"], orient="row")
    both = both.with_row_index("id").with_columns(pl.col("id").cast(pl.String))
    return both, both.filter(pl.col("town") == "B")


def release(frame: pl.DataFrame, k: int, **options: Any) -> Any:
    asked = {"l": 2, "recoding": "subtree", "person": "id", "key": Key.from_seed(1)} | options
    return tacit.generalize(tacit.table_from_frame(frame, quasi=["sex"], sensitive="disease"), k=k, **asked)


def test_whoever_leaves_is_not_named_by_the_rules_of_the_release_before(tmp_path: Path) -> None:
    """That no man has gout is no rule of the first release; of those who left, one is a man."""
    both, stay = towns()
    first = put(release(both, 40), tmp_path / "first")
    for readers in ("rules", "nothing"):  # what the first release told is told
        with pytest.raises(InfeasibleError, match="fewer than 2 values") as caught:
            release(stay, 3, after=first, readers=readers)
        assert caught.value.code == "silence-names"
    other = put(release(both, 40, readers="nothing"), tmp_path / "other")
    release(stay, 3, after=other, readers="nothing")


def test_what_is_told_is_handed_on(tmp_path: Path) -> None:
    """The release between tells nothing, and whoever leaves after it is named by the first one."""
    both, stay = towns()
    folder = put(release(both, 40), tmp_path / "first")
    folder = put(release(both, 3, after=folder), tmp_path / "second")
    with pytest.raises(InfeasibleError, match="fewer than 2 values"):
        release(stay, 3, after=folder)
