"""Rules that no release of a series of tables lists leave everybody ℓ values over all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.errors import InfeasibleError
from tacit.random.key import Key
from tests.methods.bucketize.series import people, put
from tests.methods.chains import table
from tests.oracles.unlisted import Mined, classed, fewest_values, mined

MANY = 40_000
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
    last, chain, says = None, list[dict[str, tuple[object, str]]](), list[Mined]()
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
        chain.append(
            {names[row]: (cells[:-1], cells[-1]) for row, cells in zip(made.recoded.rows, shown, strict=True)}
        )
        says.append(mined(made.original, names, made.knowledge))
        found = list(islice(classed(chain), MANY))
        # That rules are withheld because they leave a value to few is another thing that their absence tells.
        if len(found) == MANY or says[-1].withholds(dict(zip(names, now["disease"], strict=True))):
            return
        yield l, fewest_values(world for world in found if all(one.allows(world) for one in says))


@pytest.mark.parametrize("seed", [256, 616, 34, 607])
def test_series_that_left_somebody_fewer_values(seed: int, tmp_path: Path) -> None:
    """Or two of three. In the first two series it was the first release whose rules told it."""
    assert all(values >= l for l, values in series(seed, tmp_path))


@pytest.mark.ci
def test_everybody_keeps_l_values_over_a_series(tmp_path: Path) -> None:
    releases = 0
    for seed in range(400):
        for l, values in series(seed, tmp_path):
            assert values >= l, seed
            releases += 1
    assert releases > 250


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
