"""Tables of 16 to 24 columns, where nearly every row is a combination of its own: loss, seconds, memory.

Run ``python benchmarks/tables_wide.py 30000`` for so many rows (``--only census --recodings local,global``).
The tables are made up: a census of 24 columns, hospital stays of 18, a survey of 16; ages, dates, postal
codes, sums and categories, skewed and dependent on each other, without hierarchies. Beside `local` stand
Mondrian (the division that saves most, down to fewer than 2k rows) and its bare clustering.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import process_time

import numpy as np
import polars as pl
from table import peak_mb
from tables import problem

from tacit.arrays.compiled import new_flag
from tacit.data.table import table_from_frame
from tacit.recoding import GLOBAL, LOCAL
from tacit.recoding.clustering import class_nodes, clusters
from tacit.recoding.dividing import blocks
from tacit.recoding.problem import Problem, Recoded
from tacit.recoding.solve import solve
from tacit.typing import AnyArray, Codes


def census(rows: int) -> pl.DataFrame:
    """24 columns about people and their homes."""
    draw = np.random.default_rng(1)
    age = np.clip(draw.gamma(4.2, 9.5, rows), 0, 99).astype(int)
    grown, man = age >= 18, draw.random(rows) < 0.49
    region = _zipf(draw, rows, 12, 0.7)
    school = np.where(grown, np.clip(draw.normal(9.5, 2.6, rows), 0, 15).astype(int), age // 2)
    married = grown & (draw.random(rows) < 0.55)
    work = np.where(
        grown, draw.choice(list("psdlfnu"), rows, p=[0.52, 0.1, 0.05, 0.08, 0.03, 0.2, 0.02]), "n"
    )
    idle = work == "n"
    trade = np.char.add(np.clip(school // 2, 0, 9).astype(str), _zipf(draw, rows, 40, 1.2).astype(str))
    wage = (np.exp(draw.normal(10.1 + 0.07 * school, 0.6)) / 500).astype(int) * 500
    return pl.DataFrame(
        {
            "age": age,
            "sex": man.astype(int),
            "zip": [f"{a:02}{b:03}" for a, b in zip(region, _zipf(draw, rows, 600, 1.1), strict=True)],
            "region": region,
            "origin": draw.choice(list("wbanpom"), rows, p=[0.72, 0.12, 0.06, 0.01, 0.01, 0.05, 0.03]),
            "birthplace": _zipf(draw, rows, 90, 2.2),
            "school": school,
            "marital": np.where(married, "m", np.where(grown, draw.choice(list("nsdw"), rows), "n")),
            "relation": np.where(married, draw.choice(list("hs"), rows), draw.choice(list("hcpon"), rows)),
            "work": work,
            "occupation": np.where(idle, "0", trade),
            "industry": np.where(idle, 0, _zipf(draw, rows, 45, 0.9)),
            "hours": np.where(
                idle, 0, np.where(draw.random(rows) < 0.5, 40, np.clip(draw.normal(36, 13, rows), 1, 99))
            ).astype(int),
            "weeks": np.where(idle, 0, np.where(draw.random(rows) < 0.7, 52, draw.integers(1, 52, rows))),
            "wage": np.where(idle, 0, wage),
            "rent": np.where(draw.random(rows) < 0.65, 0, np.exp(draw.normal(6.7, 0.5, rows)) // 50 * 50),
            "tenure": draw.choice(list("omrf"), rows, p=[0.25, 0.4, 0.32, 0.03]),
            "rooms": np.clip(draw.poisson(5.4, rows), 1, 14),
            "cars": np.clip(draw.poisson(1.7, rows), 0, 6),
            "language": _zipf(draw, rows, 40, 2.0),
            "children": np.where(grown, np.clip(draw.poisson(0.8, rows), 0, 9), 0),
            "served": (grown & man & (draw.random(rows) < 0.18)).astype(int),
            "disabled": (draw.random(rows) < 0.02 + 0.003 * age).astype(int),
            "commute": np.where(idle, 0, np.clip(draw.gamma(1.6, 15, rows), 1, 150).astype(int)),
        }
    )


def stays(rows: int) -> pl.DataFrame:
    """18 columns about stays in hospital."""
    draw = np.random.default_rng(2)
    age = np.clip(draw.normal(52, 21, rows), 0, 100)
    man = draw.random(rows) < 0.45
    height = np.round(np.where(man, draw.normal(177, 7, rows), draw.normal(164, 6.5, rows))).astype(int)
    chapter = np.array(list("ABCDEFGHIJKLMN"))[_zipf(draw, rows, 14, 0.8) - 1]
    code = np.char.add(draw.integers(0, 10, rows).astype(str), _zipf(draw, rows, 9, 1.2).astype(str))
    born = np.datetime64("2024-01-01") - (age * 365.25).astype(int)
    return pl.DataFrame(
        {
            "born": born.astype(str),
            "sex": man.astype(int),
            "zip": [f"0{1000 * (number % 6 + 1) + number}" for number in _zipf(draw, rows, 900, 1.1)],
            "admitted": (np.datetime64("2023-01-01") + draw.integers(0, 730, rows)).astype(str),
            "days": _zipf(draw, rows, 60, 1.6),
            "diagnosis": np.char.add(chapter, code),
            "procedure": np.char.add("p", _zipf(draw, rows, 300, 1.2).astype(str)),
            "insurer": draw.choice(list("abcdef"), rows, p=[0.3, 0.25, 0.2, 0.1, 0.05, 0.1]),
            "weight": np.round(np.clip(draw.normal(27, 5, rows), 14, 55) * (height / 100) ** 2).astype(int),
            "height": height,
            "smoker": draw.choice(["never", "former", "daily", "some"], rows, p=[0.55, 0.25, 0.15, 0.05]),
            "alcohol": np.minimum(draw.poisson(2.1, rows), 21),
            "exercise": draw.choice(["0", "1-2", "3-4", "5+"], rows),
            "pressure": np.round(draw.normal(118 + 0.23 * age, 14)).astype(int),
            "pulse": np.round(draw.normal(74, 11, rows)).astype(int),
            "education": draw.choice(["low", "mid", "high", "phd"], rows, p=[0.3, 0.4, 0.26, 0.04]),
            "income": draw.integers(1, 11, rows),
            "health": np.clip((age / 25 + draw.normal(0, 1, rows)).astype(int), 0, 4),
        }
    )  # fmt: skip


def survey(rows: int) -> pl.DataFrame:
    """An age and 15 answers of 2 to 40 values that depend on three opinions."""
    draw = np.random.default_rng(3)
    opinions = draw.normal(0, 1, (rows, 3))
    answers: dict[str, AnyArray] = {"age": np.clip(draw.normal(45, 18, rows), 15, 95).astype(int)}
    for number, values in enumerate((2, 2, 3, 3, 4, 5, 5, 6, 7, 8, 10, 12, 15, 20, 40)):
        leaning = opinions[:, number % 3] * 0.8 + draw.normal(0, 0.6, rows)
        share = (1 / (1 + np.exp(-1.7 * leaning))) ** (1 + number % 2)
        answers[f"q{number}"] = np.minimum(values - 1, (values * share).astype(int)).astype(str)
    return pl.DataFrame(answers)


TABLES: dict[str, Callable[[int], pl.DataFrame]] = {"census": census, "stays": stays, "survey": survey}


def _zipf(draw: np.random.Generator, rows: int, values: int, slope: float) -> AnyArray:
    """1 to so many, small ones more often."""
    weights = 1 / np.arange(1, values + 1) ** slope
    return draw.choice(np.arange(1, values + 1), rows, p=weights / weights.sum())


def mondrian(asked: Problem) -> Codes:
    class_of = np.empty(len(asked.counts), dtype=np.int32)
    for number, part in enumerate(blocks(asked, 2 * asked.promise.k - 1)):
        class_of[part] = number
    return class_of


def bare(asked: Problem) -> Codes:
    """Clustering of the whole table at once, nothing after it."""
    return clusters(asked.nodes, asked.counts, asked.promise.k, 1, asked.forest.trees, new_flag())


def loss(asked: Problem, class_of: Codes) -> float:
    n_classes = int(class_of.max()) + 1
    nodes = class_nodes(asked.nodes, class_of, n_classes, asked.forest.trees)
    return Recoded(class_of, nodes, np.zeros(n_classes, dtype=np.bool_)).loss(asked)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=int)
    parser.add_argument("--only", choices=TABLES)
    parser.add_argument("--k", default="5,11")
    parser.add_argument("--recodings", default="local,global,subtree,cells")
    parser.add_argument("--simple", action="store_true", help="Mondrian and bare clustering beside")
    given = parser.parse_args()
    for name in [given.only] if given.only else TABLES:
        frame = TABLES[name](given.rows)
        table = table_from_frame(frame, quasi=frame.columns)
        for k in map(int, given.k.split(",")):
            for recoding in given.recodings.split(","):
                asked = problem(table, k, recoding)
                solve(problem(table_from_frame(frame[:500], quasi=frame.columns), k, recoding), recoding)
                started = process_time()
                found = solve(asked, recoding, most_suppressed=given.rows // 20 * (recoding == GLOBAL))
                seconds = process_time() - started
                assert found is not None
                told = "" if found.bound is None else f", bound {found.bound:.4f}"
                size = f"{name}, {given.rows:,} × {frame.width}, {len(asked.counts):,} combinations, k = {k}"
                print(
                    f"{size}, {recoding}: loss {found.loss:.4f}{told}, {seconds:.1f} s, {peak_mb():,.0f} MB",
                    flush=True,
                )
                for way in (mondrian, bare) if given.simple and recoding == LOCAL else ():
                    started = process_time()
                    lost = loss(asked, way(asked))
                    print(
                        f"    {way.__name__}: loss {lost:.4f}, {process_time() - started:.1f} s", flush=True
                    )


if __name__ == "__main__":
    main()
