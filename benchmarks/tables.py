"""Generalizing tables: Adult's optimum with proof, local classes, growth, and anjana beside it.

Run ``python benchmarks/tables.py``; ``--quick`` leaves out the large tables. Times are CPU seconds of
solving, counted combinations in, plan out. Large tables are made up: ages, postal codes, dates and
categories, skewed and dependent on each other.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from table import SECONDS, Row, ask_peer, best, peak_mb, record, record_slope

import tacit
from tacit.data.table import Table, table_from_frame
from tacit.engine.local.engine import LocalEngine
from tacit.io.hierarchies import read_hierarchies
from tacit.methods.generalize_tables.release import carry_out
from tacit.random.key import Key
from tacit.recoding import GLOBAL, LOCAL, NORMAL, QUICK, THOROUGH
from tacit.recoding.coarser import with_hierarchies
from tacit.recoding.problem import Problem, problem_of
from tacit.recoding.promises import Distinct, Held, Promise
from tacit.recoding.solve import solve
from tests.oracles.classes_of_files import ancestors, fewest_in_classes, fewest_values, known_rules

DATA = Path(os.environ.get("TACIT_DATA") or Path(__file__).parents[2] / "shared" / "data")
AREA = "generalize tables"
COLUMNS = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "gain", "loss", "hours", "native-country", "salary-class"),
]
QUASI = [
    *("sex", "age", "race", "marital-status", "education", "native-country", "workclass"),
    *("occupation", "salary-class"),
]


def adult(quasi: list[str], sensitive: str = "") -> Table:
    """The 30,162 complete rows of adult.data."""
    file = DATA / "adult" / "adult.data"
    frame = pl.read_csv(file, has_header=False, new_columns=COLUMNS, infer_schema=False)
    frame = frame.with_columns(pl.all().str.strip_chars())
    frame = frame.filter(~pl.any_horizontal(pl.all() == "?"))
    trees = read_hierarchies(DATA / "adult" / "hierarchies", quasi)
    return table_from_frame(frame, quasi=quasi, sensitive=sensitive, hierarchies=trees)


def made_up(rows: int, seed: int = 1) -> Table:
    """People of 8 quasi-identifiers, made up."""
    draw = np.random.default_rng(seed)
    age = np.clip(draw.gamma(6, 8, rows), 0, 99).astype(int)
    town = np.minimum(draw.zipf(1.4, rows), 400)
    frame = pl.DataFrame(
        {
            "age": age,
            "sex": draw.integers(0, 2, rows),
            "zip": [f"{code:05}" for code in 10_000 + 37 * town],
            "month": [f"{2024 + m // 12}-{m % 12 + 1:02}" for m in draw.integers(0, 24, rows)],
            "job": np.minimum(draw.zipf(1.6, rows), 30),
            "school": (age // 15 + draw.integers(0, 3, rows)).astype(str),
            "state": np.where(age < 25, "single", draw.choice(["single", "married", "widowed"], rows)),
            "children": draw.poisson(1.2, rows),
        }
    )
    return table_from_frame(frame, quasi=frame.columns)


def problem(
    table: Table, k: int, recoding: str = LOCAL, promise: Callable[[Held | None], Promise] | None = None
) -> Problem:
    """The table as a solver gets it, with a promise about sensitive values or with k alone."""
    table, trees, costs = with_hierarchies(table, recoding)
    sensitive = table.roles.sensitive if promise else ()
    combinations = LocalEngine().combinations(table, (*table.roles.quasi, *sensitive))
    kept = promise or (lambda held: Promise(k))
    return problem_of(combinations, table.roles.quasi, trees, kept, costs=costs, sensitive=sensitive)


def adult_levels() -> None:
    """The optimum with proof, by how many rows may be left out."""
    asked = problem(adult(QUASI), 5)
    for limit, share in ((0, "none"), (301, "1 %"), (1508, "5 %"), (30_162, "any")):
        taken = best(lambda limit=limit: solve(asked, GLOBAL, most_suppressed=limit))  # type: ignore[misc]
        found = solve(asked, GLOBAL, most_suppressed=limit)
        assert found is not None and found.proven
        told = f"loss {found.loss:.5f}, proven"
        print(f"Adult, levels, k = 5, rows left out: {share}: {taken.cpu:.2f} s, {told}")
        record(
            Row(
                area=AREA, what=f"levels with proof, rows left out: {share}", size="Adult, 9 columns, k = 5",
                cpu=taken.cpu, figure=SECONDS, value=taken.cpu, bound=0.5, quality=told,
            )
        )  # fmt: skip


def adult_local() -> None:
    """Local classes, by effort: the loss, and the seconds in which it is to be reached."""
    asked = problem(adult(QUASI), 5)
    for effort, bound, most in ((QUICK, 0.085, 1), (NORMAL, 0.062, 10), (THOROUGH, 0.062, 10)):
        taken = best(lambda effort=effort: solve(asked, LOCAL, effort=effort))  # type: ignore[misc]
        found = solve(asked, LOCAL, effort=effort)
        assert found is not None
        print(f"Adult, local, k = 5, {effort}: {taken.cpu:.2f} s, loss {found.loss:.5f}")
        record(
            Row(
                area=AREA, what=f"local classes, {effort}", size="Adult, 9 columns, k = 5", cpu=taken.cpu,
                figure="loss", value=found.loss, bound=bound, quality=f"in at most {most} CPU s",
            )
        )  # fmt: skip


def adult_diverse() -> None:
    """Classes of ℓ = 3 valid values, and of three distinct ones, counted again from the published files.

    Beside them one level per column with distinct ℓ = 3 and 5 % left out, as ARX does it.
    """
    table = adult([name for name in QUASI if name != "occupation"], "occupation")
    rows, rules = table.to_polars().to_dicts(), None
    with tempfile.TemporaryDirectory() as place:
        os.environ["XDG_STATE_HOME"] = place  # a ledger of its own
        for readers in ("rules", "nothing"):
            folder, started = Path(place) / readers, time.process_time()
            release = tacit.generalize(table, k=5, l=3, readers=readers, key=Key.from_seed(1))
            seconds = time.process_time() - started
            release.save(folder)
            rules = rules or known_rules(folder)
            few = sum(values < 3 for values in fewest_values(folder, rows, rules))
            _diverse(
                f"local, ℓ = 3, readers know {readers}", seconds, release.utility().loss, few, len(rules)
            )
        (record_of,) = Path(f"{folder}.private").iterdir()
        above = ancestors(record_of / "hierarchies.csv")
    asked = problem(table, 5, promise=lambda held: Promise(5, held, ((0, Distinct(3)),)))
    started = time.process_time()
    found = solve(asked, GLOBAL, most_suppressed=1508)
    seconds = time.process_time() - started
    assert found is not None and rules is not None
    shown = carry_out(found.recoded, asked, table)
    classes = list(zip(*(column.codes.tolist() for column in shown.known), strict=True))
    values = fewest_in_classes(classes, [rows[row] for row in shown.rows], ["occupation"], rules, above)
    few = sum(value < 3 for value in values)
    _diverse("levels, distinct ℓ = 3, 5 % left out", seconds, found.loss, few, len(rules))


def _diverse(what: str, seconds: float, loss: float, few: int, rules: int) -> None:
    told = f"loss {loss:.4f}, {rules} rules"
    print(f"Adult, k = 5, {what}: {seconds:.1f} s, {told}, {few} rows with fewer than 3 valid values")
    record(
        Row(
            area=AREA, what=what, size="Adult, 8 columns, k = 5", cpu=seconds, figure="rows below ℓ",
            value=few, bound=0 if "readers know rules" in what else None, quality=told,
        )
    )  # fmt: skip


def beside_anjana() -> None:
    """The same k and ℓ by anjana, full-domain, at most 5 % left out."""
    quasi = [name for name in QUASI if name != "occupation"]
    table = adult(quasi, "occupation")
    asked = problem(table, 5)
    ours = best(lambda: solve(asked, GLOBAL, most_suppressed=1508))
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "table.csv"
        table.to_polars().select(*quasi, "occupation").write_csv(file)
        words = (str(file), str(DATA / "adult" / "hierarchies"), ",".join(quasi), "occupation")
        answer = ask_peer("bucketize_anjana.py", *words, "5", "3", "5", str(Path(place) / "out.csv"))
    peer = answer["seconds"] if isinstance(answer, dict) else None
    print(f"Adult, levels: {ours.cpu:.2f} s; anjana: {peer if peer is not None else answer}")
    record(
        Row(
            area=AREA, what="levels beside anjana's", size="Adult, 8 columns, k = 5", cpu=ours.cpu,
            peer="anjana", peer_cpu=peer, bound=0.2, quality="" if peer is not None else str(answer),
        )
    )  # fmt: skip


def growth(sizes: tuple[int, ...]) -> None:
    """Time by the number of rows."""
    for recoding, bound in ((LOCAL, 1.15), (GLOBAL, None)):
        seconds = []
        solve(problem(made_up(3_000), 5), recoding)  # compiles
        for rows in sizes:
            asked = problem(made_up(rows), 5)
            started, begun = time.process_time(), time.perf_counter()
            found = solve(asked, recoding, most_suppressed=rows // 20 if recoding == GLOBAL else 0)
            seconds.append(time.process_time() - started)
            wall = time.perf_counter() - begun
            assert found is not None
            told = f"{len(asked.counts):,} combinations, loss {found.loss:.4f}, {peak_mb():,.0f} MB"
            print(f"{rows:,} × 8, {recoding}: {seconds[-1]:.1f} s, {wall:.1f} s by the clock, {told}")
        record_slope(AREA, f"{recoding}, 8 columns", sizes, seconds, bound)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no large tables")
    given = parser.parse_args()
    if (DATA / "adult").is_dir():
        adult_levels()
        adult_local()
        adult_diverse()
        beside_anjana()
    growth((20_000, 40_000) if given.quick else (125_000, 250_000, 500_000, 1_000_000))


if __name__ == "__main__":
    main()
