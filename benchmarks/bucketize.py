"""Bucketizing Adult: the paper's Figures 4 and 6 to 8, what it costs, and a generalized table beside it.

    python benchmarks/bucketize.py            everything, about fifteen minutes
    python benchmarks/bucketize.py --quick    fewer keys, settings, queries and rows
    python benchmarks/bucketize.py --table    quick figures, full speed: what ``make bench`` runs
    python benchmarks/bucketize.py --only figures|learner|rules|speed|generalized

Anatomy is this project's own, on the same rows and keys. "Injector" takes near partners, as the figures
were reached; ``reader.py`` has the default, areas, beside the other ways. The experiment is that of
``python -m papers injector``. Seconds are CPU seconds of one process after a warm-up, reading and writing
included. The generalized table is made by anjana, in an environment of its own (see ``table.py``).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import polars as pl
from table import MEMORY, SECONDS, WALL, Row, ask_peer, best, record, record_slope

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
os.environ.setdefault("TACIT_DATA", str(SHARED))

from papers.injector import FULL, QUICK  # noqa: E402
from papers.injector_experiment import (  # noqa: E402
    ANATOMY,
    ANYWHERE,
    CONVICTION,
    INJECTOR,
    METHODS,
    Errors,
    Setting,
    errors,
    release,
    vulnerable,
)
from tacit.arrays.groups import group_rows  # noqa: E402
from tacit.data.table import Table, table_from_frame  # noqa: E402
from tacit.engine.local.engine import LocalEngine  # noqa: E402
from tacit.errors import InfeasibleError  # noqa: E402
from tacit.io.readers import read_table  # noqa: E402 - the folder of the data comes first
from tacit.io.samples.public import ADULT_QUASI, ADULT_SENSITIVE, adult  # noqa: E402
from tacit.judging.queries import Queries  # noqa: E402
from tacit.methods.bucketize.judge.buckets import Buckets  # noqa: E402
from tacit.methods.bucketize.judge.risks import learning_attack  # noqa: E402
from tacit.methods.bucketize.judge.utility import answers, random_queries  # noqa: E402
from tacit.methods.bucketize.solve.feasibility import largest_feasible_subset  # noqa: E402
from tacit.methods.bucketize.solve.solve import count_classes  # noqa: E402
from tacit.methods.bucketize.verb import bucketize  # noqa: E402
from tacit.mining.knowledge import NegativeRules  # noqa: E402
from tacit.mining.verbs import mine_negative_rules  # noqa: E402
from tacit.random.key import Key  # noqa: E402

HIERARCHIES = Path(os.environ["TACIT_DATA"]) / "adult" / "hierarchies"
NAMES = ("count", "confidence", "false_positives", "false_negatives")
SPEED_L = 5
"""The largest ℓ that Adult allows a hundred times over: more rows show more rules."""
PARTS = ("figures", "learner", "rules", "speed", "generalized")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer keys, settings, queries and rows")
    parser.add_argument("--table", action="store_true", help="quick figures beside the full speed")
    parser.add_argument("--only", choices=PARTS, help="one part alone")
    parser.add_argument("--measure", nargs=2, metavar=("FILE", "METHOD"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(Path(given.measure[0]), given.measure[1])))
        return
    table = adult()
    wanted = PARTS if given.only is None else (given.only,)
    few = given.quick or given.table
    if "figures" in wanted:
        figure_four(table, quick=few)
        figures_six_to_eight(table, quick=few)
    if "learner" in wanted and not given.table:
        knowing_learner(table, keys=1 if given.quick else 3)
    if "rules" in wanted:
        longer_rules(table)
    if "speed" in wanted:
        speed(table, quick=given.quick)
    if "generalized" in wanted:
        generalized_beside(adult(part="train"), queries=200 if few else 1000)


def figure_four(table: Table, *, quick: bool) -> None:
    scale = QUICK if quick else FULL
    every = [Setting(l, each) for each in scale.expectations for l in scale.diversities]
    print(f"\nFigure 4: vulnerable rows, mean of {scale.keys} keys; Adult, {len(table):,} rows")
    print(f"{'min_expectation':>16} {'rules':>6} {'ℓ':>3} {'Injector':>9} {'Anatomy':>9}")
    beside = 0.0
    for found in vulnerable(table, every, keys=scale.keys, methods=(INJECTOR, ANATOMY)):
        if found.method == INJECTOR:
            beside = found.vulnerable
        if found.method == ANATOMY:
            setting = f"{found.min_expectation:>16} {found.rules:>6} {found.l:>3}"
            print(f"{setting} {beside:>9.1f} {found.vulnerable:>9.1f}", flush=True)
            record(
                Row(
                    area="bucketize",
                    what=f"Figure 4, ℓ = {found.l}, expectation {found.min_expectation}",
                    size=f"{len(table):,} rows",
                    figure="vulnerable rows",
                    value=beside,
                    bound=0.0,
                    quality=f"our Anatomy: {found.vulnerable:,.0f}; {scale.keys} key(s)",
                )
            )


def figures_six_to_eight(table: Table, *, quick: bool) -> None:
    scale = QUICK if quick else FULL
    print(
        f"\nFigures 6 to 8: errors, mean of {scale.keys} keys, {scale.queries:,} queries a key\n"
        "count: relative error of COUNT queries; conf: of the confidence of rules; σ+, σ−: rules found\n"
        f"wrongly and lost, at a conviction of {CONVICTION}: the paper gives none, and at ℓ = 6 a larger\n"
        "one loses every rule of every method. Uniform inside the bucket / over valid assignments only.\n"
        f"{'ℓ':>2} {'exp.':>5} {'qd':>3} {'sel':>5}  {'method':<22} {'count':>15} {'conf':>15} {'σ+':>13}"
        f" {'σ−':>15} {'learner':>8} {'posterior':>9}"
    )
    found = []
    for one in errors(table, scale.queried(len(table.roles.quasi)), keys=scale.keys, queries=scale.queries):
        found.append(one)
        pairs = " ".join(
            f"{uniform:>{width}.2%} /{getattr(one, name + '_valid'):>7.2%}"
            for name, width in zip(NAMES, (7, 7, 6, 7), strict=True)
            for uniform in [getattr(one, name + "_uniform")]
        )
        setting = f"{one.l:>2} {one.min_expectation:>5} {one.dimensions:>3} {one.selectivity:>5}"
        print(
            f"{setting}  {one.method:<22} {pairs} {one.learner:>7.1%} {one.largest_posterior:>9.3f}",
            flush=True,
        )
    record_errors(found, len(table))
    for method in METHODS[:-1]:
        above = [line for one in found if one.method == method for line in _above(one, found)]
        told = "nowhere" if not above else "\n  " + "\n  ".join(above)
        print(f"{method} above Anatomy: {told}")


def record_errors(found: list[Errors], rows: int) -> None:
    """The errors of Injector less Anatomy's, both read off evenly inside the buckets."""
    for one in found:
        if one.method != INJECTOR:
            continue
        other = _anatomy_beside(one, found)
        at = f"ℓ = {one.l}, expectation {one.min_expectation}, {one.dimensions} attributes asked for"
        for name, told in (
            ("count_uniform", "COUNT error"),
            ("confidence_uniform", "error of rules' confidence"),
            ("false_negatives_uniform", "rules lost"),
            ("false_positives_uniform", "rules found wrongly"),
        ):
            mine, theirs = getattr(one, name), getattr(other, name)
            record(
                Row(
                    area="bucketize",
                    what=f"{told}, {at}",
                    size=f"{rows:,} rows, selectivity {one.selectivity}",
                    peer="our Anatomy",
                    figure="ours − Anatomy's",
                    value=mine - theirs,
                    bound=0.0,
                    quality=f"{mine:.2%} against {theirs:.2%}; {one.keys} key(s)",
                )
            )


def _anatomy_beside(one: Errors, found: list[Errors]) -> Errors:
    """Anatomy's errors at the same setting."""
    setting = (one.l, one.min_expectation, one.dimensions, one.selectivity)
    return next(
        each
        for each in found
        if each.method == ANATOMY
        and (each.l, each.min_expectation, each.dimensions, each.selectivity) == setting
    )


def _above(one: Errors, found: list[Errors]) -> list[str]:
    """The measures in which a release is worse than Anatomy's at the same setting."""
    other = _anatomy_beside(one, found)
    worse = [
        field.name
        for field in fields(Errors)[6:]
        if field.name != "guess_in_bucket" and getattr(one, field.name) > getattr(other, field.name)
    ]
    at = f"ℓ={one.l} exp={one.min_expectation} qd={one.dimensions} sel={one.selectivity}"
    return [f"{at}: {', '.join(worse)}"] if worse else []


def knowing_learner(table: Table, *, keys: int) -> None:
    """A learner who knows how buckets of near rows are made.

    Cells follow from the published quasi-identifiers, so he can work them out. He takes the cell of a row for
    one more attribute, and learns from the buckets that span cells apart from those inside one: their rows
    were left over in their own cells, where their values are frequent.
    """
    print(
        f"\nRight guesses of a learner who knows the cells, mean of {keys} keys (in brackets: who does not)"
    )
    rules = mine_negative_rules(table)
    for l in (3, 6):
        found = np.mean([_guesses(table, rules, l, seed) for seed in range(keys)], axis=0)
        told = ", ".join(
            f"{method} {knowing:.1%} ({plain:.1%})"
            for method, (knowing, plain) in zip((INJECTOR, ANYWHERE, ANATOMY), found, strict=True)
        )
        print(f"  ℓ = {l}: {told}", flush=True)


def _guesses(table: Table, rules: NegativeRules, l: int, seed: int) -> list[tuple[float, float]]:
    """Per method, the share of rows guessed right by a learner who knows the cells, and by one without."""
    made = bucketize(table, l=l, knowledge=rules, key=Key.from_seed(seed))
    assert made.plan.cells is not None
    columns = [table.column(name) for name in (*ADULT_QUASI, *ADULT_SENSITIVE)]
    combination, _ = group_rows(
        [column.codes for column in columns], [len(column.values) for column in columns]
    )
    cell = made.plan.cells.of[combination]
    frame = (
        table.to_polars().select(ADULT_QUASI + ADULT_SENSITIVE).with_columns(cell=pl.Series(cell).cast(str))
    )
    known = table_from_frame(frame, quasi=(*ADULT_QUASI, "cell"), sensitive=ADULT_SENSITIVE)
    near = made.buckets
    first = np.zeros(near.n_buckets, dtype=cell.dtype)
    first[near.groups] = cell[near.rows]
    spans = np.zeros(near.n_buckets, dtype=np.bool_)
    spans[near.groups[cell[near.rows] != first[near.groups]]] = True
    right = [
        _right(_part(known, near, spans)),
        _right(_part(known, near, ~spans)),
    ]
    found = [(sum(right) / len(near), _right(near) / len(near))]
    for method in (ANYWHERE, ANATOMY):
        other = release(table, rules, l, seed, method)
        everyone = np.ones(other.n_buckets, dtype=np.bool_)
        found.append((_right(_part(known, other, everyone)) / len(other), _right(other) / len(other)))
    return found


def _part(known: Table, buckets: Buckets, chosen: np.ndarray) -> Buckets:
    """Some of the buckets, of rows whose cell is known."""
    inside = np.flatnonzero(chosen[buckets.groups])
    numbers = np.cumsum(chosen) - 1
    return Buckets(known, buckets.rows[inside], numbers[buckets.groups[inside]].astype(np.int32))


def _right(buckets: Buckets) -> float:
    """How many rows a learner guesses right."""
    attack = learning_attack(buckets)
    return 0.0 if attack is None else attack.accuracy * attack.rows


def longer_rules(table: Table) -> None:
    print("\nRules of two attributes at ℓ = 6")
    for correction in ("bonferroni", "bh", "none"):
        rules = mine_negative_rules(table, max_length=2, correction=correction)
        suppressed = 0
        try:
            bucketize(table, l=6, knowledge=rules, key=Key.from_seed(1))
            told = "feasible"
        except InfeasibleError as error:
            counted = count_classes(table, rules, LocalEngine(), Key.from_seed(1))
            largest = error.hint.split(". ")[0] if error.hint else ""
            suppressed = len(table) - int(largest_feasible_subset(counted.classes, 6).sum())
            told = f"refused. {largest}. Without {suppressed:,} rows it is feasible."
        print(f"  {correction}: {len(rules):,} rules, {told}")
        record(
            Row(
                area="bucketize",
                what=f"rules of two attributes at ℓ = 6, correction {correction}",
                size=f"{len(table):,} rows",
                figure="rows in the way",
                value=suppressed,
                bound=0.0 if correction == "bonferroni" else None,
                quality=f"{len(rules):,} rules, {told}",
            )
        )


def speed(table: Table, *, quick: bool) -> None:
    print(
        f"\nSpeed, ℓ = {SPEED_L}: CPU seconds from reading a CSV file to the files, in a process of its own"
    )
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
                quickest = min(found, key=lambda one: one["total"])
                totals[method].append((len(table) * times, quickest["total"]))
                parts = " ".join(f"{quickest[step]:>6.2f}" for step in steps)
                size = f"{len(table) * times:>10,} {method:<9}"
                print(f"{size} {quickest['total']:>7.2f} {parts} {quickest['peak_mb']:>8.0f}", flush=True)
            record_speed(
                len(table) * times, *(min(runs[each], key=lambda one: one["total"]) for each in totals)
            )
            file.unlink()
        ratios = [
            mine / theirs
            for (_, mine), (_, theirs) in zip(totals["injector"], totals["anatomy"], strict=True)
        ]
        print("Injector / Anatomy: " + ", ".join(f"{ratio:.2f}" for ratio in ratios))
        for method, points in totals.items():
            sizes, seconds = zip(*points, strict=True)
            slope = record_slope("bucketize", f"{method}, read to write", sizes, seconds, 1.1)
            print(f"slope of {method} on a log-log line: {slope:.2f}")
        train = Path(folder) / "train.csv"
        adult(part="train").to_polars().select(ADULT_QUASI + ADULT_SENSITIVE).write_csv(train)
        command_line(train, Path(folder))


def record_speed(rows: int, injector: dict[str, float], anatomy: dict[str, float]) -> None:
    """Injector beside Anatomy at one size; on Adult as it is, also under a second of CPU."""
    shown = {
        "area": "bucketize",
        "what": f"Injector, read to write, ℓ = {SPEED_L}",
        "size": f"{rows:,} rows",
        "cpu": injector["total"],
        "wall": injector["wall"],
        "peak_mb": injector["peak_mb"],
    }
    record(Row(**shown, peer="our Anatomy", peer_cpu=anatomy["total"], bound=3.0))
    if rows < 50_000:
        record(Row(**shown, figure=SECONDS, value=injector["total"], bound=1.0))
    else:
        record(Row(**shown, figure=MEMORY, value=injector["peak_mb"], bound=4096.0))


def command_line(file: Path, folder: Path) -> None:
    """The whole command on the 30,162 training rows, start-up, judging, writing and verifying included."""
    words = [sys.executable, "-m", "tacit", "bucketize", str(file), "--quasi", ",".join(ADULT_QUASI),
             "--sensitive", ADULT_SENSITIVE[0], "-l", "3", "--quiet", "--overwrite"]  # fmt: skip
    apart = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}  # a ledger and a key of its own
    walls, cpus = [], []
    for _ in range(4):  # the first run compiles and fills caches
        before, started = _children(), time.perf_counter()
        done = subprocess.run([*words, "-o", str(folder / "out")], capture_output=True, text=True, env=apart)
        if done.returncode:
            raise SystemExit(f"tacit bucketize ended with {done.returncode}: {done.stderr}")
        walls.append(time.perf_counter() - started)
        cpus.append(_children() - before)
    print(
        f"\ntacit bucketize on 30,162 rows, ℓ = 3, start-up and verification included:"
        f" {min(walls):.1f} s ({min(cpus):.1f} s CPU)"
    )
    record(
        Row(
            area="bucketize",
            what="the command, start-up and verification included, ℓ = 3",
            size="30,162 rows",
            cpu=min(cpus),
            wall=min(walls),
            figure=WALL,
            value=min(walls),
            bound=2.6,
            quality="2.6 s is the first call of ARX (k = 5, ℓ = 3), quoted, on a quiet machine",
        )
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
        return _once(file, method, Path(folder) / "out", l=SPEED_L)


def _once(file: Path, method: str, folder: Path, *, l: int) -> dict[str, float]:
    folder.mkdir()
    begun, started = time.perf_counter(), time.process_time()
    # Only mining looks at hierarchies.
    trees = HIERARCHIES if method == "injector" else None
    table = read_table(file, quasi=ADULT_QUASI, sensitive=ADULT_SENSITIVE, hierarchies=trees)
    read = time.process_time()
    made = bucketize(table, l=l, algorithm=method, key=Key.from_seed(1))
    solved = time.process_time()
    for name, content in made.files.items():
        assert callable(content)
        content(folder / name)
    written = time.process_time()
    seconds = made.seconds
    return {
        "total": written - started,
        "wall": time.perf_counter() - begun,
        "read": read - started,
        "mine": seconds.mine,
        "count": seconds.count,
        "solve": seconds.solve,
        "apply": seconds.apply,
        "write": written - solved,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def generalized_beside(table: Table, *, queries: int) -> None:
    """The COUNT error of a k-anonymous, ℓ-diverse generalization of the same rows (k = 5, ℓ = 3)."""
    print(f"\nA generalized table beside: {len(table):,} rows, ℓ = 3; COUNT error, mean / median")
    rules = mine_negative_rules(table)
    buckets = {method: release(table, rules, 3, 1, method) for method in (INJECTOR, ANATOMY)}
    print(
        f"  {'':<34} {'rows':>7} {'CPU s':>6}  " + " ".join(f"{f'qd {number}':>15}" for number in (2, 4, 6))
    )
    asked = [random_queries(buckets[INJECTOR], number, 0.07, queries, 1) for number in (2, 4, 6)]
    found = {}
    for method, made in buckets.items():
        shown = [_relative(answers(made, each, (None,))) for each in asked]
        found[method] = shown
        print(f"  {method:<34} {len(made):>7,} {'':>6}  " + " ".join(shown))
    ours = best(lambda: bucketize(table, l=3, key=Key.from_seed(1)))
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "rows.csv", Path(folder) / "generalized.csv"
        table.to_polars().select(ADULT_QUASI + ADULT_SENSITIVE).write_csv(file)
        for suppressed in ("0", "5"):
            words = [
                str(file),
                str(HIERARCHIES),
                ",".join(ADULT_QUASI),
                ADULT_SENSITIVE[0],
                "5",
                "3",
                suppressed,
            ]
            answer = ask_peer("bucketize_anjana.py", *words, str(out))
            name = f"generalized, {suppressed} % may be left out"
            row = {
                "area": "bucketize",
                "what": "a release of Adult with ℓ = 3, negative rules mined",
                "size": f"{len(table):,} rows",
                "cpu": ours.cpu,
                "wall": ours.wall,
            }
            peer = f"anjana, k = 5, ℓ = 3, {suppressed} % may be left out"
            if isinstance(answer, str):
                print(f"  {name:<34} {answer}")
                record(Row(**row, peer=f"{peer} ({answer})"))
                continue
            frame = pl.read_csv(out, infer_schema=False)
            shown = [
                _relative(np.stack([answers(buckets[INJECTOR], each, ())[0], _spread(frame, each, table)]))
                for each in asked
            ]
            spent = answer["seconds"]
            print(f"  {name:<34} {frame.height:>7,} {spent:>6.2f}  " + " ".join(shown))
            quality = (
                "COUNT error on 2, 4 and 6 attributes, mean / median: "
                f"ours {', '.join(map(_plain, found[INJECTOR]))}; theirs {', '.join(map(_plain, shown))}; "
                f"rows they publish {frame.height:,}"
            )
            record(Row(**row, peer=peer, peer_cpu=spent, quality=quality))


def _spread(frame: pl.DataFrame, asked: Queries, table: Table) -> np.ndarray:
    """What queries find in a generalized table: every row spread evenly over the values its labels stand for.

    The values of the original are known to the reader, so that labels stand for those that occur.
    """
    names = (*ADULT_QUASI, *ADULT_SENSITIVE)
    cells = frame.group_by(names).len()
    counts = cells["len"].to_numpy().astype(float)
    ends = np.cumsum([0, *(len(table.column(name).values) for name in ADULT_QUASI)])
    found = np.tile(counts, (len(asked.asked), 1))
    for place, name in enumerate(ADULT_QUASI):
        labels, codes = np.unique(cells[name].to_numpy(), return_inverse=True)
        stands = _stands_for(table, name, labels.tolist())  # (labels, values)
        wanted = asked.wanted[:, ends[place] : ends[place + 1]]
        shares = wanted @ stands.T / stands.sum(axis=1)  # (queries, labels)
        found *= np.where(asked.asked[:, place, None], shares[:, codes], 1.0)
    sensitive = table.column(ADULT_SENSITIVE[0])
    place_of = {text: code for code, text in enumerate(sensitive.texts)}
    values = np.array([place_of[text] for text in cells[ADULT_SENSITIVE[0]]])
    return np.asarray((found * asked.wanted_values[:, values]).sum(axis=1))


def _stands_for(table: Table, name: str, labels: list[str]) -> np.ndarray:
    """Which values of an attribute each label of its hierarchy stands for."""
    levels = pl.read_csv(HIERARCHIES / f"{name}.csv", separator=";", has_header=False, infer_schema=False)
    below: dict[str, set[str]] = {}
    for row in levels.iter_rows():
        for label in row:
            below.setdefault(label, set()).add(row[0])
    texts = table.column(name).texts
    return np.array([[float(text in below[label]) for text in texts] for label in labels])


def _relative(found: np.ndarray) -> str:
    """The mean and the median relative error of the second row, the first being the truth."""
    truth, estimate = found
    kept = truth > 0
    errors_ = np.abs(estimate - truth)[kept] / truth[kept]
    return f"{errors_.mean():>7.1%} /{np.median(errors_):>6.1%}"


def _plain(shown: str) -> str:
    return shown.replace(" ", "").replace("/", " / ")


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
