"""A series of releases: counterfeits, errors and time, beside releases made one by one.

    python benchmarks/series.py                   Adult: six releases at ℓ = 2 to 4, with and without rules
    python benchmarks/series.py --long buckets    24 releases of 100,000 people: time of each; or tables, sets
    python benchmarks/series.py --areas           what areas would tell the reader of a series

One in ten people leaves between two releases, and as many come. Seconds are CPU seconds of making a release,
without judging and writing it. "Alone" is the same table bucketized by itself, with areas.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import polars as pl

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
os.environ.setdefault("TACIT_DATA", str(SHARED))

from tacit.data.hierarchy import from_parents  # noqa: E402 - the folder of the data comes first
from tacit.data.table import Table, table_from_frame  # noqa: E402
from tacit.errors import InfeasibleError  # noqa: E402
from tacit.io.readers import read_transactions  # noqa: E402
from tacit.io.samples.public import adult  # noqa: E402
from tacit.methods.bucketize.solve.areas import Splitting, Trial, areas_of, keyed_tests  # noqa: E402
from tacit.methods.bucketize.solve.ground import Area, Ground  # noqa: E402
from tacit.methods.bucketize.solve.plan import Classes  # noqa: E402
from tacit.methods.bucketize.verb import bucketize  # noqa: E402
from tacit.methods.generalize_sets.verb import generalize as generalize_sets  # noqa: E402
from tacit.methods.generalize_tables.verb import generalize as generalize_tables  # noqa: E402
from tacit.random.key import Key  # noqa: E402
from tacit.release.published import Release  # noqa: E402
from tacit.release.store import publish  # noqa: E402
from tacit.surface.series import show_series  # noqa: E402

KEY = Key.from_seed(5)
HERE, RELEASES = 100_000, 24
ALL = HERE + HERE // 10 * (RELEASES - 1)
"""Everybody who is ever in a long series: nobody returns in it."""
AGES = np.arange(18, 90)


def drawn(n_all: int, n_here: int, releases: int) -> Iterator[np.ndarray]:
    """Who is in each release: a tenth leaves, others come, and those who left may return last."""
    generator = np.random.default_rng(1)
    order = generator.permutation(n_all)
    here, away = order[:n_here], order[n_here:]
    for _ in range(releases):
        yield np.sort(here)
        gone = np.zeros(n_here, dtype=np.bool_)
        gone[generator.permutation(n_here)[: n_here // 10]] = True
        come, away = away[: gone.sum()], np.concatenate([away[gone.sum() :], here[gone]])
        here = np.concatenate([here[~gone], come])


def error(release: object) -> float:
    return float(release.figures["utility"]["count_queries"]["uniform"])  # type: ignore[attr-defined]


def series(table: Table, l: int, algorithm: str, place: Path) -> None:
    """Six releases of 20,000 people of Adult."""
    frame = table.to_polars().with_columns(id=pl.int_range(0, pl.len()).cast(pl.String))
    roles = {"quasi": table.roles.quasi, "sensitive": table.roles.sensitive, "hierarchies": table.hierarchies}
    folders: list[Path] = []
    for number, rows in enumerate(drawn(len(frame), 20_000, 6), start=1):
        now = table_from_frame(frame[rows], **roles)
        started = time.process_time()
        try:
            made = bucketize(
                now,
                l=l,
                key=KEY,
                person="id",
                partners="signatures",
                algorithm=algorithm,
                after=folders[-1] if folders else None,
            )
        except InfeasibleError as refused:
            print(f"ℓ={l} {algorithm:8} release {number}: {refused.message}", flush=True)
            return
        seconds = time.process_time() - started
        alone = bucketize(now, l=l, key=KEY, algorithm=algorithm)
        folders.append(place / str(number))
        publish(folders[-1], made.files, made.manifest, made.private, verify=lambda staged: None)
        stated = made.manifest.parameters["series"]
        print(
            f"ℓ={l} {algorithm:8} release {number}: {stated['counterfeits']:5} counterfeits,"
            f" {len(made.manifest.reader['rules']):2} rules, COUNT error {error(made):.3f}"
            f" (alone {error(alone):.3f}), {seconds:.2f} s",
            flush=True,
        )
    named = [f"{turn.measured['one_candidate_alone']:.0%}" for turn in show_series(folders[-1]).turns]
    print(f"  candidates kept: {l}; named by releases made one by one: {', '.join(named)}", flush=True)


def areas(table: Table, l: int, epsilon: float) -> None:
    """What the areas of a release alone would tell, were its people in a series.

    In a long series nobody's value can be exchanged alone: worlds differ by renaming a signature for all who
    have it. That moves counts in all areas at once, and with them how likely the tests were to fail.
    """
    rows = next(drawn(len(table), 20_000, 6))
    values = table.sensitive[0].codes[rows]
    names = table.sensitive[0].texts
    classes = Classes(
        ("s",),
        (names,),
        np.arange(len(names), dtype=np.int32)[:, None],
        np.arange(len(names), dtype=np.int32),
        np.zeros((len(names), 1), dtype=np.uint64),
        np.bincount(values, minlength=len(names)),
    )
    columns = sorted((table.column(name).codes[rows] for name in table.roles.quasi), key=np.max)
    nobody = np.zeros(len(rows), dtype=np.int32)
    barred = np.zeros((1, len(names)), dtype=np.bool_)
    ground = Ground(classes, values, tuple(columns), nobody, barred, lambda area, may, rate: may)
    failed: list[Trial] = []
    tests = keyed_tests(KEY, np.repeat(np.arange(len(rows), dtype=np.uint64)[:, None], 2, axis=1))

    def fails(trial: Trial) -> bool:
        if tests(trial):
            failed.append(trial)
        return bool(failed) and failed[-1] is trial

    whole = Area(np.arange(len(rows)), np.ones(len(rows), dtype=np.int64))
    found = areas_of(ground, whole, Splitting(l, epsilon), fails)
    holders: dict[tuple[int, ...], list[int]] = {}
    for area in found:
        dealt = area.combinations[np.argsort(values[area.combinations], kind="stable")]
        for bucket in range(len(dealt) // l):
            members = dealt[bucket :: len(dealt) // l]
            holders.setdefault(tuple(sorted(values[members].tolist())), []).extend(members.tolist())
    excess, people = [], []
    for signature, who in holders.items():
        chance = {}
        for renamed in permutations(signature):
            world = np.arange(len(names))
            world[list(signature)] = renamed
            there = values.copy()
            there[who] = world[values[who]]
            held = replace(ground, class_of=there)
            chance[renamed] = math.prod(replace(trial, ground=held).failing for trial in failed)
        total = sum(chance.values())
        of_one = max(
            sum(some for renamed, some in chance.items() if renamed[place] == value)
            for place in range(len(signature))
            for value in signature
        )
        excess.append(of_one / total - 1 / len(signature))
        people.append(len(who))
    above = sum(some for more, some in zip(excess, people, strict=True) if more > 0.1) / len(rows)
    print(
        f"ℓ={l} ε={epsilon}: {len(found)} areas, {len(failed)} failed tests; posterior above 1/ℓ by more than"
        f" .1 for {above:.0%} of the people, by {np.average(excess, weights=people):.3f} on average, by"
        f" {max(excess):.3f} at most",
        flush=True,
    )


Make = Callable[[np.ndarray, Path | None], Release]
"""Makes the release of some people, by number, after the one in a folder."""


def buckets() -> Make:
    """Twenty diseases, ℓ = 4."""
    frame = everybody()

    def make(rows: np.ndarray, after: Path | None) -> Release:
        now = table_from_frame(frame[rows], quasi=["age", "sex", "region"], sensitive="disease")
        return bucketize(now, l=4, key=KEY, person="id", partners="signatures", after=after)

    return make


def tables() -> Make:
    """The same people in a coarser table: k = 10,000 at first, so that enough of each class come and go."""
    frame = everybody()
    trees = {
        "age": from_parents(
            {str(age): f"{age // 24}x" for age in AGES} | {f"{third}x": "*" for third in range(4)}
        ),
        "region": from_parents({str(one): "*" for one in range(50)}),
    }

    def make(rows: np.ndarray, after: Path | None) -> Release:
        now = table_from_frame(frame[rows], quasi=["age", "sex", "region"], sensitive="disease")
        k = 10_000 if after is None else 2
        asked = {"recoding": "global", "l": 2, "readers": "nothing", "person": "id", "key": KEY}
        return generalize_tables(now.with_hierarchies(trees), k=k, after=after, **asked)

    return make


def sets() -> Make:
    """One to three of nine items each, m = 2."""
    generator = np.random.default_rng(3)
    held = np.where(generator.random((ALL, 3)) < 0.6, generator.integers(0, 9, (ALL, 3)), -1)
    held[:, 0] = generator.integers(0, 9, ALL)
    tree = from_parents(
        {f"i{item}": f"g{item // 3}" for item in range(9)} | {f"g{one}": "*" for one in range(3)}
    )

    def make(rows: np.ndarray, after: Path | None) -> Release:
        frame = pl.DataFrame({"who": np.repeat(rows, 3).astype(str), "item": held[rows].ravel()})
        frame = frame.filter(pl.col("item") >= 0).with_columns(item="i" + pl.col("item").cast(pl.String))
        now = read_transactions(frame.unique(), record="who", item="item", hierarchy=tree)
        k = 20_000 if after is None else 2
        return generalize_sets(now, k=k, m=2, person="who", key=KEY, after=after)

    return make


def everybody() -> pl.DataFrame:
    """Everybody who is ever there."""
    generator = np.random.default_rng(2)
    weights = np.linspace(2, 1, 20)
    diseases = [f"d{code:02}" for code in range(20)]
    return pl.DataFrame(
        {
            "id": [str(number) for number in range(ALL)],
            "age": generator.choice(AGES, ALL).astype(str),
            "sex": generator.choice(["f", "m"], ALL),
            "region": generator.integers(0, 50, ALL).astype(str),
            "disease": generator.choice(diseases, ALL, p=weights / weights.sum()),
        }
    )


def long(name: str, place: Path) -> None:
    """24 releases of 100,000 people, one in ten of them new each time."""
    make = KINDS[name]()
    before = None
    for number, rows in enumerate(drawn(ALL, HERE, RELEASES), start=1):
        started = time.process_time()
        made = make(rows, before)
        seconds = time.process_time() - started
        publish(place / str(number), made.files, made.manifest, made.private, verify=lambda staged: None)
        before = place / str(number)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        fakes = made.manifest.parameters.get("series", {}).get("counterfeits")
        more = "" if fakes is None else f", {fakes:5} counterfeits"
        print(f"{name} release {number:2}: {seconds:5.2f} s{more}, peak {peak:.0f} MB", flush=True)


KINDS: dict[str, Callable[[], Make]] = {"buckets": buckets, "tables": tables, "sets": sets}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--long", choices=KINDS)
    parser.add_argument("--areas", action="store_true")
    asked = parser.parse_args()
    if asked.areas:
        for l, epsilon in product((3, 4), (0.4, 0.1)):
            areas(adult(), l, epsilon)
        return
    place = Path(tempfile.mkdtemp())
    try:
        if asked.long:
            long(asked.long, place)
            return
        for l in (2, 3, 4):
            for algorithm in ("anatomy", "injector"):
                series(adult(), l, algorithm, place / f"{l}{algorithm}")
    finally:
        shutil.rmtree(place)


if __name__ == "__main__":
    main()
