"""A series of releases: counterfeits, errors and time, beside releases made one by one.

    python benchmarks/series.py           Adult: six releases at ℓ = 3 and 4, with and without rules
    python benchmarks/series.py --long    24 releases of 100,000 people: time of each

One in ten people leaves between two releases, and as many come. Seconds are CPU seconds of making a release,
without judging and writing it. "Alone" is the same table bucketized by itself, with areas.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
os.environ.setdefault("TACIT_DATA", str(SHARED))

from tacit.data.table import Table, table_from_frame  # noqa: E402 - the folder of the data comes first
from tacit.io.samples.public import adult  # noqa: E402
from tacit.methods.bucketize.verb import bucketize  # noqa: E402
from tacit.random.key import Key  # noqa: E402
from tacit.release.store import publish  # noqa: E402
from tacit.surface.series import show_series  # noqa: E402

KEY = Key.from_seed(5)


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
        made = bucketize(
            now,
            l=l,
            key=KEY,
            person="id",
            partners="signatures",
            algorithm=algorithm,
            after=folders[-1] if folders else None,
        )
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


def long(place: Path) -> None:
    """24 releases of 100,000 people."""
    generator = np.random.default_rng(2)
    n_all = 200_000
    weights = np.linspace(2, 1, 20)
    frame = pl.DataFrame(
        {
            "id": [str(number) for number in range(n_all)],
            "age": generator.integers(18, 90, n_all).astype(str),
            "sex": generator.choice(["f", "m"], n_all),
            "region": generator.integers(0, 50, n_all).astype(str),
            "disease": generator.choice(
                [f"d{code:02}" for code in range(20)], n_all, p=weights / weights.sum()
            ),
        }
    )
    before = None
    for number, rows in enumerate(drawn(n_all, 100_000, 24), start=1):
        now = table_from_frame(frame[rows], quasi=["age", "sex", "region"], sensitive="disease")
        started = time.process_time()
        made = bucketize(now, l=4, key=KEY, person="id", partners="signatures", after=before)
        seconds = time.process_time() - started
        publish(place / str(number), made.files, made.manifest, made.private, verify=lambda staged: None)
        before = place / str(number)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        fakes = made.manifest.parameters["series"]["counterfeits"]
        print(f"release {number:2}: {seconds:5.2f} s, {fakes:5} counterfeits, peak {peak:.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--long", action="store_true")
    place = Path(tempfile.mkdtemp())
    try:
        if parser.parse_args().long:
            long(place)
            return
        for l in (3, 4):
            for algorithm in ("anatomy", "injector"):
                series(adult(), l, algorithm, place / f"{l}{algorithm}")
    finally:
        shutil.rmtree(place)


if __name__ == "__main__":
    main()
