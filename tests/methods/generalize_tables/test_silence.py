"""How rules are mined names nobody in a generalized table: classes are joined until it does not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError
from tacit.methods.generalize_tables import make, silence
from tacit.random.key import Key
from tests.methods.bucketize.series import people, put
from tests.methods.chains import table
from tests.oracles.silence import pairs_from_definition
from tests.oracles.unlisted import classed, mined
from tests.oracles.unstated import Made, Worlds

MANY = 5_000
"""Tables with more worlds are not looked at."""


def patients(rows: int, seed: int, **roles: Any) -> Table:
    frame = tacit.load_sample(f"hospital:{rows}", seed=seed).to_polars()
    return tacit.table_from_frame(frame, **{"quasi": ["zip", "age", "sex"], "sensitive": "disease"} | roles)


def candidates(release: Any) -> Iterator[tuple[int, int]]:
    """Of every unlisted pair, how many rows could hold it: as the classes are, and in whatever classes."""
    table, recoded = release.original, release.recoded
    rules = release.knowledge
    frame = release.table.select(column.name for column in recoded.known)
    classes = dict(zip(recoded.rows.tolist(), frame.iter_rows(), strict=True))
    (name,) = table.roles.sensitive
    codes = table.column(name).codes.tolist()
    known = [*table.roles.known, name]
    combinations = engine_for(table).combinations(table, known)
    number = {tuple(row): at for at, row in enumerate(combinations.codes.tolist())}
    columns = [table.column(one).codes.tolist() for one in known]
    barred = rules.forbidden(combinations, name)[[number[row] for row in zip(*columns, strict=True)]]
    for inside, value, _ in pairs_from_definition(table, rules):
        able = [row for row in inside if not barred[row, value]]
        having = {classes[row] for row, code in enumerate(codes) if code == value}
        yield sum(classes[row] in having for row in able), len(able)


@pytest.mark.parametrize("seed", range(12))
def test_every_pair_keeps_as_many_candidates_as_it_can(seed: int) -> None:
    release = tacit.generalize(patients(300, seed), k=3, l=3, key=Key.from_seed(seed))
    assert not [pair for pair in candidates(release) if pair[0] < min(3, pair[1])]
    known = release.table.select(release.original.roles.known)
    assert len(known.unique()) > 25  # of 34 at least: few are joined for it


@pytest.mark.parametrize(("seed", "some"), [(3, True), (4, False)])
def test_the_owner_is_told_how_many_rows_are_in_joined_classes(
    seed: int, some: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before: list[Any] = []

    def kept(solution: Any, *given: Any, **named: Any) -> Any:
        before.append(solution.recoded.class_of)
        return silence.silenced(solution, *given, **named)

    monkeypatch.setattr(make, "silenced", kept)
    release = tacit.generalize(patients(300, seed), k=3, l=3, key=Key.from_seed(seed))
    table, after = release.original, release.solution.recoded.class_of
    counts = engine_for(table).combinations(table, table.roles.quasi).counts
    several = [one for one in np.unique(after).tolist() if len(np.unique(before[0][after == one])) > 1]
    assert release.risk().joined == counts[np.isin(after, several)].sum()
    assert (release.risk().joined > 0) == some
    assert "joined" not in release.manifest.risks
    assert tacit.generalize(patients(300, seed), k=3, l=3, readers="nothing").risk().joined is None


def fewest(seed: int) -> tuple[int, int] | None:
    """ℓ of a small table, and the fewest values of anybody in the worlds of which it could be made."""
    generator = np.random.default_rng(seed)
    l, n = int(generator.integers(2, 4)), int(generator.integers(6, 13))
    values, ages = int(generator.integers(3, 6)), int(generator.integers(2, 5))
    frame = people(generator, n, values=values, ages=ages)
    known = {
        "min_expectation": float(generator.choice([0.5, 0.7, 0.9])),
        "max_length": int(generator.choice([1, 1, 2])),
    }
    recoding = str(generator.choice(["local", "cells", "global", "subtree"]))
    more: Any = {"epsilon": 10.0} if recoding in ("local", "cells") else {}
    try:
        made = tacit.generalize(
            table(frame),
            k=int(generator.integers(2, 6)),
            l=l,
            recoding=recoding,  # type: ignore[arg-type]
            knowledge=known,
            key=Key.from_seed(seed),
            **more,
        )
    except InfeasibleError:
        return None
    names, shown = frame["id"].to_list(), made.table.rows()
    truth = dict(zip(names, frame["disease"], strict=True))
    classes = {names[row]: cells[:-1] for row, cells in zip(made.recoded.rows, shown, strict=True)}
    found = list(islice(classed([{one: (classes[one], truth[one]) for one in names}]), MANY))
    if len(found) == MANY:
        return None
    assert made.knowledge is not None
    worlds = Worlds([Made(mined(made.original, names, made.knowledge), classes)], found)
    return l, worlds.fewest(worlds.possible(l) & worlds.agreeing(truth))


def test_everybody_keeps_l_values_in_worlds_of_which_the_table_could_be_made() -> None:
    """In all but the first sixty of these, pairs left somebody fewer that leave nobody fewer one by one."""
    found = [one for one in map(fewest, (*range(60), 99, 113, 117, 177, 205)) if one is not None]
    assert len(found) > 20
    assert all(values >= l for l, values in found)


def towns() -> pl.DataFrame:
    """Men have gout as often as women; in the town where everybody who has it lives there is one man."""
    rows = [("A", "f", "gout")] * 7 + [("A", "m", "gout")] + [("A", "f", "flu"), ("A", "f", "cold")] * 16
    rows += [("B", "m", "flu"), ("B", "m", "cold")] * 20 + [("B", "f", "flu"), ("B", "f", "cold")] * 4
    return pl.DataFrame(rows, schema=["town", "sex", "disease"], orient="row")


@pytest.mark.parametrize("recoding", ["global", "subtree"])
def test_levels_that_name_somebody_are_refused(recoding: str) -> None:
    table = tacit.table_from_frame(towns(), quasi=["sex"], keep=["town"], sensitive="disease")
    with pytest.raises(InfeasibleError, match="one alone could have 'gout'") as caught:
        tacit.generalize(table, k=3, l=2, recoding=recoding, key=Key.from_seed(1))  # type: ignore[arg-type]
    assert caught.value.code == "silence-names"
    assert "--recoding local" in str(caught.value.hint)


@pytest.mark.parametrize("seed", range(12))
def test_classes_are_not_joined_over_kept_columns(seed: int) -> None:
    """The nodes of a class are above each of its rows, and what is kept is as it was."""
    table = patients(300, seed, quasi=["zip", "age"], keep=["sex"])
    release = tacit.generalize(table, k=3, l=3, key=Key.from_seed(seed))
    assert release.table["sex"].sort().equals(table.to_polars()["sex"].sort())
    assert min(pair[0] for pair in candidates(release)) > 1


def test_a_series_in_which_cohorts_name_somebody_is_refused(tmp_path: Path) -> None:
    """Newcomers are a cohort of their own: one of them is a man, and all who have gout are newcomers."""
    everybody = towns().with_row_index("id").with_columns(pl.col("id").cast(pl.String))
    stay = everybody.filter(pl.col("town") == "B")
    roles: Any = {"quasi": ["sex"], "sensitive": "disease"}
    asked: Any = {"k": 3, "l": 2, "recoding": "subtree", "person": "id", "key": Key.from_seed(1)}
    first = put(tacit.generalize(tacit.table_from_frame(stay, **roles), **asked), tmp_path / "first")
    with pytest.raises(InfeasibleError, match="one alone could have 'gout'"):
        tacit.generalize(tacit.table_from_frame(everybody, **roles), after=first, **asked)
    tacit.generalize(tacit.table_from_frame(everybody, **roles), after=first, readers="nothing", **asked)
