"""One key, used again for other people: the release of a table that a reader knows tells nothing of another.

She knows the first table, so that she learns from its release what the key drew. Were it drawn again for the
second table, she would know how that one was made, and with it more than e^ε allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import polars as pl
import pytest

from tacit.data.table import Table, table_from_frame
from tacit.engine.local.engine import LocalEngine
from tacit.methods.bucketize.verb import bucketize
from tacit.methods.generalize_tables.verb import generalize
from tacit.random.key import Key

EPSILON = 0.4
ALLOWED = math.exp(EPSILON) / (1 + math.exp(EPSILON))


def towns(rows: int, frequent: int) -> Table:
    """Two towns; in the first so many have the same illness, and everybody else has one of their own."""
    ill = [*["flu"] * frequent, *(f"d{number}" for number in range(2 * rows - frequent))]
    frame = pl.DataFrame({"town": ["A"] * rows + ["B"] * rows, "ill": ill})
    return table_from_frame(frame, quasi=["town"], sensitive="ill")


def divided(table: Table, key: Key) -> bool:
    made = generalize(table, k=2, l=2, readers="nothing", epsilon=EPSILON, key=key)
    return len(made.recoded.known[0].values) > 1


def split(table: Table, key: Key) -> bool:
    made = bucketize(table, l=2, knowledge={"min_expectation": 0.999}, epsilon=EPSILON, key=key)
    shared = made.published()["qit"].group_by("group").agg(pl.col("town").n_unique())
    return shared["town"].max() == 1


@pytest.mark.parametrize(
    ("apart", "known", "more", "fewer"),
    [
        # Beside the commonest value there are two rows, one, two; where the first is divided, so is the last.
        pytest.param(divided, towns(10, 8), towns(12, 11), towns(12, 10), id="generalize"),
        # The commonest value lacks one row to half of them, none, one.
        pytest.param(split, towns(10, 4), towns(12, 6), towns(12, 5), id="bucketize"),
    ],
)
def test_the_tests_of_one_table_tell_nothing_of_another(
    apart: Callable[[Table, Key], bool], known: Table, more: Table, fewer: Table
) -> None:
    """Somebody's illness is the frequent one, or not; the towns stayed together, in both cases by chance."""
    keys = [key for key in map(Key.from_seed, range(60)) if apart(known, key)]
    right, wrong = (sum(not apart(table, key) for key in keys) for table in (more, fewer))
    error = math.sqrt(ALLOWED * (1 - ALLOWED) / (right + wrong))
    assert right / (right + wrong) <= ALLOWED + 2.6 * error


def shared_buckets(ill: str, key: Key, algorithm: str) -> set[frozenset[str]]:
    """Who shares a bucket, by age; everybody has another one."""
    frame = pl.DataFrame({"age": [str(age) for age in range(len(ill))], "ill": list(ill)})
    table = table_from_frame(frame, quasi=["age"], sensitive="ill")
    how = {} if algorithm == "anatomy" else {"knowledge": {"min_expectation": 0.999}}
    shown = bucketize(table, l=2, algorithm=algorithm, key=key, **how).published()["qit"]
    return {frozenset(bucket["age"]) for _, bucket in shown.group_by("group")}


@pytest.mark.ci
@pytest.mark.parametrize("algorithm", ["anatomy", "injector"])
def test_the_deals_of_one_table_tell_nothing_of_another(algorithm: str) -> None:
    """0 and 2 share a bucket, and one of them has a: is it 0, as among other people of the same ages?"""
    right = tried = 0
    couple = frozenset({"0", "2"})
    for key in map(Key.from_seed, range(300)):
        before = couple in shared_buckets("aabb", key, algorithm)
        for ill, is_first in (("aabbab", True), ("baabab", False)):
            if couple in shared_buckets(ill, key, algorithm):
                tried += 1
                right += before == is_first
    assert abs(right / tried - 0.5) <= 2.6 * math.sqrt(0.25 / tried)


def key_of(frame: pl.DataFrame, key: Key) -> Key:
    table = table_from_frame(frame, quasi=["town"], sensitive="ill")
    return LocalEngine().combinations(table, ("town", "ill")).key(key)


def test_the_key_of_a_table_follows_its_records() -> None:
    """It is the same in any order, nearly always the same with a row corrected, and another for others."""
    numbers = range(400)
    frame = pl.DataFrame({"town": [f"t{one % 20}" for one in numbers], "ill": [f"d{one}" for one in numbers]})
    corrected = frame.with_columns(
        ill=pl.when(pl.int_range(0, pl.len()) == 7).then(pl.lit("d0")).otherwise("ill")
    )
    keys = [Key.from_seed(seed) for seed in range(60)]
    made = [key_of(frame, key) for key in keys]
    assert len(set(made)) == len(keys)
    assert [key_of(frame.reverse(), key) for key in keys] == made
    same = {
        name: sum(key_of(other, key) == one for key, one in zip(keys, made, strict=True))
        for name, other in {
            "corrected": corrected,
            "half of them": frame[:200],
            "twice": pl.concat([frame, frame]),
        }.items()
    }
    assert same["corrected"] >= 50 and same["half of them"] <= 3 and not same["twice"]
    assert made[0].experimental and not Key(bytes(32)).branch("table").experimental


def test_a_corrected_row_leaves_most_people_in_their_bucket() -> None:
    """Were all draws new where one row is, hardly anybody would be, and many left with one value in both."""
    numbers = range(1600)
    frame = pl.DataFrame(
        {
            "town": [f"t{one % 16:02}" for one in numbers],
            "ill": [f"d{one * one // 7 % 12}" for one in numbers],
        }
    )
    corrected = frame.with_columns(
        ill=pl.when(pl.int_range(0, pl.len()) == 7).then(pl.lit("d0")).otherwise("ill")
    )
    values = []
    for part in (frame, corrected):
        table = table_from_frame(part, quasi=["town"], sensitive="ill")
        made = bucketize(table, l=3, knowledge={"min_expectation": 0.999}, key=Key.from_seed(3))
        held: dict[int, set[str]] = {}
        for group, value, _ in made.published()["st"].iter_rows():
            held.setdefault(group, set()).add(value)
        values.append([held[group] for group in made.bucketized.groups.tolist()])  # type: ignore[attr-defined]
    same = sum(one == other for one, other in zip(*values, strict=True))
    assert same > 0.6 * len(frame)
