"""Bucketizing Adult: the paper's Figures 4 and 6 to 8, and what it costs.

    python benchmarks/bucketize.py            everything, about ten minutes
    python benchmarks/bucketize.py --quick    fewer keys, settings, queries and rows

Anatomy is this project's own, on the same rows and keys. "as printed" is Injector with the paper's way
of growing buckets (Figure 2), which Tacit does not use; it is here to show what that choice is worth.
Seconds are CPU seconds of one process after a warm-up, reading and writing included.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
os.environ.setdefault("TACIT_DATA", str(SHARED))

from tacit.buckets.injector import injector_plan  # noqa: E402 - the folder of the data comes first
from tacit.data.readers import read_table  # noqa: E402
from tacit.data.samples.public import ADULT_QUASI, ADULT_SENSITIVE, adult  # noqa: E402
from tacit.data.table import Table  # noqa: E402
from tacit.engine.local import LocalEngine  # noqa: E402
from tacit.exceptions import InfeasibleError  # noqa: E402
from tacit.judge.buckets import Buckets, buckets_of  # noqa: E402
from tacit.judge.counting_queries import query_error  # noqa: E402
from tacit.judge.learning import learning_attack  # noqa: E402
from tacit.judge.posterior import largest_posterior  # noqa: E402
from tacit.judge.rule_error import rule_error  # noqa: E402
from tacit.judge.vulnerability import vulnerable_rows  # noqa: E402
from tacit.kernels.compatible import FEWEST_LOST  # noqa: E402
from tacit.kernels.key import Key  # noqa: E402
from tacit.mining.knowledge import NegativeRules  # noqa: E402
from tacit.mining.negative import mine_negative_rules  # noqa: E402
from tacit.publish.bucketize import anatomy_beside, bucketize, carry_out, count_classes  # noqa: E402

METHODS = ("Injector", "Anatomy", "as printed")
CONVICTION = 1.01
FIGURES = ("count uniform", "count valid", "conf uniform", "conf valid", "σ+ uniform", "σ+ valid",
           "σ− uniform", "σ− valid", "learner", "posterior")  # fmt: skip
ENGINE = LocalEngine()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer keys, settings, queries and rows")
    parser.add_argument("--measure", nargs=2, metavar=("FILE", "METHOD"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(Path(given.measure[0]), given.measure[1])))
        return
    table = adult()
    figure_four(table, keys=2 if given.quick else 10, quick=given.quick)
    figures_six_to_eight(table, keys=1 if given.quick else 10, quick=given.quick)
    longer_rules(table)
    speed(table, quick=given.quick)


def release(table: Table, rules: NegativeRules, l: int, seed: int, method: str) -> Buckets:
    """One release, as its judges see it."""
    key = Key.from_seed(seed)
    if method == "Anatomy":
        beside = anatomy_beside(table, l, ENGINE, key)
        assert beside is not None
        return buckets_of(table, beside.groups)
    if method == "Injector":
        return bucketize(table, l=l, knowledge=rules, key=key, engine=ENGINE).buckets
    counted = count_classes(table, rules, ENGINE, key)
    plan = injector_plan(counted.classes, l, key, way=FEWEST_LOST)
    return buckets_of(table, carry_out(plan, counted, table, ENGINE, key, "qit").groups)


def figure_four(table: Table, *, keys: int, quick: bool) -> None:
    print(f"\nFigure 4: vulnerable rows, mean of {keys} keys; Adult, {len(table):,} rows")
    print(f"{'min_expectation':>16} {'rules':>6} {'ℓ':>3} {'Injector':>9} {'Anatomy':>9}")
    for expectation in (0.75, 0.95) if quick else (0.75, 0.80, 0.85, 0.90, 0.95):
        rules = mine_negative_rules(table, min_expectation=expectation)
        for l in (3, 6) if quick else (3, 4, 5, 6):
            means = [
                np.mean(
                    [
                        vulnerable_rows(release(table, rules, l, seed, method), rules, l)
                        for seed in range(keys)
                    ]
                )
                for method in METHODS[:2]
            ]
            print(f"{expectation:>16} {len(rules):>6} {l:>3} {means[0]:>9.1f} {means[1]:>9.1f}", flush=True)


def settings(*, quick: bool) -> dict[tuple[int, float], list[tuple[int, float]]]:
    """Per (ℓ, min_expectation), the queries: (quasi-identifiers, selectivity). Each varied from a default."""
    if quick:
        return {(3, 0.9): [(4, 0.07)], (6, 0.9): [(4, 0.07), (2, 0.07), (4, 0.03)]}
    every = [(4, 0.07), (2, 0.07), (3, 0.07), (5, 0.07), (6, 0.07), (4, 0.03), (4, 0.05), (4, 0.10)]
    return {
        **{(l, 0.9): [(4, 0.07)] for l in (3, 4, 5)},
        (6, 0.9): every,
        **{(6, expectation): [(4, 0.07)] for expectation in (0.75, 0.80, 0.85, 0.95)},
    }


def figures_six_to_eight(table: Table, *, keys: int, quick: bool) -> None:
    queries = 200 if quick else 1000
    print(f"\nFigures 6 to 8: errors in percent, mean of {keys} keys, {queries:,} queries a key")
    print("count: relative error of COUNT queries; conf: of the confidence of rules; σ+, σ−: rules found")
    print(
        f"wrongly and lost, at a conviction of {CONVICTION}: the paper gives none, and at ℓ = 6 a larger one"
    )
    print("loses every rule of every method. Uniform inside the bucket / over valid assignments only.")
    print(
        f"{'ℓ':>2} {'exp.':>5} {'qd':>3} {'sel':>5}  {'method':<10} {'count':>15} {'conf':>15} {'σ+':>13}"
        f" {'σ−':>15} {'learner':>8} {'posterior':>9}"
    )
    lost = []
    for (l, expectation), asked in settings(quick=quick).items():
        rules = mine_negative_rules(table, min_expectation=expectation)
        found = {
            method: np.mean(
                [errors(table, rules, l, seed, method, asked, queries) for seed in range(keys)], axis=0
            )
            for method in METHODS
        }  # per method: (settings, figures)
        for place, (dimensions, selectivity) in enumerate(asked):
            for method in METHODS:
                row = found[method][place]
                pairs = " ".join(
                    f"{100 * row[at]:>{width}.2f} /{100 * row[at + 1]:>6.2f}"
                    for at, width in ((0, 7), (2, 7), (4, 5), (6, 7))
                )
                print(
                    f"{l:>2} {expectation:>5} {dimensions:>3} {selectivity:>5}  {method:<10} {pairs}"
                    f" {100 * row[8]:>7.1f} {row[9]:>9.3f}",
                    flush=True,
                )
            worse = found["Injector"][place] > found["Anatomy"][place]
            lost += [
                f"ℓ={l} exp={expectation} qd={dimensions} sel={selectivity}: {FIGURES[at]}"
                for at in np.flatnonzero(worse)
            ]
    print("Injector above Anatomy at: " + ("none of these" if not lost else "\n  " + "\n  ".join(lost)))


def errors(
    table: Table,
    rules: NegativeRules,
    l: int,
    seed: int,
    method: str,
    asked: list[tuple[int, float]],
    queries: int,
) -> list[list[float]]:
    """The figures of one release, a row per setting of the queries."""
    buckets = release(table, rules, l, seed, method)
    rule_errors = [rule_error(buckets, known, min_conviction=CONVICTION) for known in (None, rules)]
    attack = learning_attack(buckets)
    others = [
        *(error.confidence for error in rule_errors),
        *(error.false_positives for error in rule_errors),
        *(error.false_negatives for error in rule_errors),
        0.0 if attack is None else attack.accuracy,
        largest_posterior(buckets, rules, l).largest,
    ]
    counts = [
        query_error(buckets, rules, dimensions=number, selectivity=share, queries=queries, seed=seed)
        for number, share in asked
    ]
    return [[count.uniform, count.valid, *others] for count in counts]


def longer_rules(table: Table) -> None:
    print("\nRules of two attributes at ℓ = 6")
    for correction in ("bonferroni", "bh", "none"):
        rules = mine_negative_rules(table, max_length=2, correction=correction)
        try:
            bucketize(table, l=6, knowledge=rules, key=Key.from_seed(1))
            print(f"  {correction}: {len(rules):,} rules, feasible")
        except InfeasibleError as error:
            kept = bucketize(table, l=6, knowledge=rules, key=Key.from_seed(1), on_infeasible="suppress")
            largest = error.hint.split(". ")[0] if error.hint else ""
            print(
                f"  {correction}: {len(rules):,} rules, refused. {largest}."
                f" Without {kept.plan.n_suppressed:,} rows it is feasible."
            )


def speed(table: Table, *, quick: bool) -> None:
    print("\nSpeed, ℓ = 6: CPU seconds from reading a CSV file to the written files, in a process of its own")
    steps = ("read", "mine", "count", "solve", "apply", "write")
    print(
        f"{'rows':>10} {'method':<9} {'total':>7} {' '.join(f'{step:>6}' for step in steps)} {'peak MB':>8}"
    )
    totals: dict[str, list[tuple[int, float]]] = {"injector": [], "anatomy": []}
    with tempfile.TemporaryDirectory() as folder:
        for times in (1, 4) if quick else (1, 10, 100):
            file = Path(folder) / f"adult{times}.csv"
            repeated(table, times).write_csv(file)
            runs = {method: [run(file, method) for _ in range(3 if times < 100 else 2)] for method in totals}
            for method, found in runs.items():
                best = min(found, key=lambda one: one["total"])
                totals[method].append((len(table) * times, best["total"]))
                parts = " ".join(f"{best[step]:>6.2f}" for step in steps)
                size = f"{len(table) * times:>10,} {method:<9}"
                print(f"{size} {best['total']:>7.2f} {parts} {best['peak_mb']:>8.0f}", flush=True)
            file.unlink()
        ratios = [
            mine / theirs
            for (_, mine), (_, theirs) in zip(totals["injector"], totals["anatomy"], strict=True)
        ]
        print("Injector / Anatomy: " + ", ".join(f"{ratio:.2f}" for ratio in ratios))
        for method, points in totals.items():
            (few, short), (many, long) = points[0], points[-1]
            slope = math.log(long / short) / math.log(many / few)
            print(f"slope of {method} on a log-log line: {slope:.2f}")
        train = Path(folder) / "train.csv"
        adult(part="train").to_polars().select(ADULT_QUASI + ADULT_SENSITIVE).write_csv(train)
        command_line(train, Path(folder))


def command_line(file: Path, folder: Path) -> None:
    """The whole command on the 30,162 training rows, start-up, judging, writing and verifying included."""
    words = [sys.executable, "-m", "tacit.cli", "bucketize", str(file), "--quasi", ",".join(ADULT_QUASI),
             "--sensitive", ADULT_SENSITIVE[0], "-l", "3", "--quiet", "--overwrite"]  # fmt: skip
    walls, cpus = [], []
    for _ in range(4):  # the first run compiles and fills caches
        before, started = _children(), time.perf_counter()
        subprocess.run([*words, "-o", str(folder / "out")], check=True, capture_output=True)
        walls.append(time.perf_counter() - started)
        cpus.append(_children() - before)
    print(
        f"\ntacit bucketize on 30,162 rows, ℓ = 3, start-up and verification included:"
        f" {min(walls):.1f} s ({min(cpus):.1f} s CPU)"
    )


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(file: Path, method: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", str(file), method]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def measured(file: Path, method: str) -> dict[str, float]:
    """Read, bucketize and write once, after a warm-up on a few rows that compiles what is used."""
    with tempfile.TemporaryDirectory() as folder:
        few = Path(folder) / "few.csv"
        few.write_bytes(b"".join(file.read_bytes()[: 1 << 18].splitlines(keepends=True)[:-1]))
        _once(few, method, Path(folder) / "warm", l=2)
        return _once(file, method, Path(folder) / "out", l=6)


def _once(file: Path, method: str, folder: Path, *, l: int) -> dict[str, float]:
    folder.mkdir()
    started = time.process_time()
    # Only mining looks at hierarchies.
    trees = Path(os.environ["TACIT_DATA"]) / "adult" / "hierarchies" if method == "injector" else None
    table = read_table(file, quasi=ADULT_QUASI, sensitive=ADULT_SENSITIVE, hierarchies=trees)
    read = time.process_time()
    made = bucketize(table, l=l, method=method, key=Key.from_seed(1), on_infeasible="suppress")
    solved = time.process_time()
    for name, content in made.files.items():
        assert callable(content)
        content(folder / name)
    written = time.process_time()
    seconds = made.seconds
    return {
        "total": written - started,
        "read": read - started,
        "mine": seconds.mine,
        "count": seconds.count,
        "solve": seconds.solve,
        "apply": seconds.apply,
        "write": written - solved,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def repeated(table: Table, times: int) -> pl.DataFrame:
    """The rows so many times, everybody's age but the first copy's moved by up to two years, keyed."""
    frame = table.to_polars().select(ADULT_QUASI + ADULT_SENSITIVE)
    ages = frame["age"].to_numpy()
    generator = np.random.Generator(np.random.PCG64(7))
    copies = [frame]
    for _ in range(times - 1):
        moved = np.clip(ages + generator.integers(-2, 3, len(ages)), ages.min(), ages.max())
        copies.append(frame.with_columns(age=pl.Series(moved)))
    return pl.concat(copies)


if __name__ == "__main__":
    main()
