"""Counts at ℓ = 6: how wrong they are from buckets, coarser buckets and generalized tables.

Run ``python benchmarks/counts.py``. Every way of publishing answers the same 1,000 queries: two
quasi-identifiers and the sensitive column, selectivity 0.05; those without a true answer are left out. ARX is
not here: its way (one level per column, k = 5, distinct ℓ = 6, up to 4 % of the rows left out, the least loss
proven) is done by the solver of ``global``. Two of the tables are made up: a survey of many short columns,
and one with dates and postal codes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from tables import COLUMNS, DATA, QUASI

import tacit
from tacit.data.table import Table, table_from_frame
from tacit.engine.local.engine import LocalEngine
from tacit.errors import InfeasibleError
from tacit.io.hierarchies import read_hierarchies
from tacit.judging.queries import relative_errors
from tacit.methods.bucketize.judge.utility import answers, random_queries
from tacit.methods.generalize_tables.judge import count_error
from tacit.random.key import Key
from tacit.recoding import GLOBAL
from tacit.recoding.coarser import with_hierarchies
from tacit.recoding.problem import node_columns, problem_of, row_classes
from tacit.recoding.promises import Distinct, Promise
from tacit.recoding.solve import solve

KEY = Key.from_seed(1)
L, K, QUERIES, SEED, LEFT_OUT = 6, 5, 1000, 0, 0.04


@dataclass(frozen=True)
class Found:
    """The errors of a way of publishing, and what it cost."""

    median: float
    mean: float
    seconds: float
    told: str = ""


def adult() -> Table:
    """The 30,162 complete rows of adult.data; occupation is sensitive."""
    file = DATA / "adult" / "adult.data"
    frame = pl.read_csv(file, has_header=False, new_columns=COLUMNS, infer_schema=False)
    frame = frame.with_columns(pl.all().str.strip_chars()).filter(~pl.any_horizontal(pl.all() == "?"))
    quasi = [name for name in QUASI if name not in ("occupation", "salary-class")]
    trees = read_hierarchies(DATA / "adult" / "hierarchies", quasi)
    return table_from_frame(frame, quasi=quasi, sensitive="occupation", hierarchies=trees)


def survey(rows: int = 20_000) -> Table:
    """Answers to a survey: ten short columns that depend on two hidden traits, and a diagnosis."""
    draw = np.random.default_rng(2)
    trait, other = draw.normal(size=rows), draw.normal(size=rows)
    columns = {
        f"q{place}": np.digitize(
            (trait if place % 2 else other) + draw.normal(size=rows), np.linspace(-1.5, 1.5, 3 + place % 3)
        )
        for place in range(8)
    }
    columns["age"] = np.clip(18 + 12 * np.abs(trait * 1.5 + draw.normal(size=rows)), 18, 95).astype(int)
    columns["sex"] = draw.integers(0, 2, rows)
    score = 3 * trait + 2 * other + draw.normal(scale=4, size=rows)
    ranks = np.argsort(np.argsort(score)) / rows
    columns["diagnosis"] = np.minimum((16 * ranks**1.15).astype(int), 15)
    frame = pl.DataFrame({name: values.astype(str) for name, values in columns.items()})
    return table_from_frame(
        frame, quasi=[name for name in frame.columns if name != "diagnosis"], sensitive="diagnosis"
    )


def postal(rows: int = 30_000) -> Table:
    """People by day of birth, postal code and sex, and an illness that depends on age and place."""
    draw = np.random.default_rng(3)
    age = np.clip(draw.gamma(6, 8, rows), 0, 99)
    town = np.minimum(draw.zipf(1.3, rows), 900)
    day = (np.datetime64("2024-01-01") - (age * 365.25).astype("timedelta64[D]")).astype(str)
    lean = age / 100 + (town % 7) / 10 + draw.gamma(1.5, 0.3, rows)
    ranks = np.argsort(np.argsort(lean)) / rows
    frame = pl.DataFrame(
        {
            "born": day,
            "zip": [f"{code:05}" for code in 10_000 + 83 * town],
            "sex": draw.choice(["f", "m"], rows),
            "illness": [f"i{code:02}" for code in np.minimum((24 * ranks**1.2).astype(int), 23)],
        }
    )
    return table_from_frame(frame, quasi=["born", "zip", "sex"], sensitive="illness")


def buckets(table: Table, **asked: object) -> Found:
    """Buckets, answered with what the rules allow."""
    started = time.process_time()
    release = tacit.bucketize(table, l=L, key=KEY, **asked)  # type: ignore[arg-type]
    seconds = time.process_time() - started
    queries = random_queries(release.buckets, 2, 0.05, QUERIES, SEED)
    truth, answer = answers(release.buckets, queries, (release.knowledge,))
    errors = relative_errors(answer, truth)
    return Found(float(np.median(errors)), float(errors.mean()), seconds, f"{len(release.plan):,} buckets")


def classes(table: Table, **asked: object) -> Found:
    """A generalized table."""
    started = time.process_time()
    release = tacit.generalize(table, k=K, l=L, key=KEY, **asked)  # type: ignore[arg-type]
    seconds = time.process_time() - started
    used, trees, _ = with_hierarchies(table, release.recoding)
    error = count_error(
        used, release.recoded.known, release.recoded.rows, trees, seed=SEED,
        queries=QUERIES,
    )  # fmt: skip
    return Found(error.median, error.mean, seconds, f"loss {release.utility().loss:.3f}")


def levels(table: Table) -> Found:
    """One level per column with k and distinct ℓ, some rows left out, as ARX does it."""
    started = time.process_time()
    used, trees, costs = with_hierarchies(table, GLOBAL)
    quasi, sensitive = used.roles.quasi, used.roles.sensitive
    asked = problem_of(
        LocalEngine().combinations(used, (*quasi, *sensitive)),
        quasi,
        trees,
        lambda held: Promise(K, held, ((0, Distinct(L)),)),
        costs=costs,
        sensitive=sensitive,
    )
    found = solve(asked, GLOBAL, most_suppressed=int(LEFT_OUT * len(table)))
    seconds = time.process_time() - started
    if found is None:
        raise InfeasibleError("no level does", code="infeasible-values")
    class_of = row_classes(found.recoded, used)
    rows = np.flatnonzero(~found.recoded.left_out[class_of])
    shown = node_columns(found.recoded, asked, quasi, class_of[rows])
    error = count_error(used, shown, rows, trees, seed=SEED, queries=QUERIES)
    left = f"loss {found.loss:.3f}, {1 - len(rows) / len(table):.1%} left out"
    return Found(error.median, error.mean, seconds, left)


WAYS: dict[str, Callable[[Table], Found]] = {
    "one level per column, as ARX": levels,
    "Anatomy": lambda table: buckets(table, algorithm="anatomy"),
    "bucketize": buckets,
    f"bucketize -k {K}": lambda table: buckets(table, k=K),
    "bucketize, rules by bh": lambda table: buckets(table, knowledge={"correction": "bh"}),
    f"bucketize -k {K}, rules by bh": lambda table: buckets(table, k=K, knowledge={"correction": "bh"}),
    "generalize": classes,
    "generalize, readers know nothing": lambda table: classes(table, readers="nothing"),
    "generalize, rules by bh": lambda table: classes(table, knowledge={"correction": "bh"}),
}


def main() -> None:
    for name, make in {"Adult": adult, "a survey": survey, "postal codes": postal}.items():
        table = make()
        print(f"{name}, {len(table):,} rows, ℓ = {L}: median, mean, CPU seconds")
        for way, publish in WAYS.items():
            try:
                found = publish(table)
            except InfeasibleError as error:
                print(f"  {way:36} {str(error)[:70]}", flush=True)
                continue
            print(
                f"  {way:36} {found.median:.3f}  {found.mean:.3f}  {found.seconds:6.1f}  {found.told}",
                flush=True,
            )


if __name__ == "__main__":
    main()
