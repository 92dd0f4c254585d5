"""Random small tables → safe rules → verifier: never an alarm, with limits of several sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.errors import InfeasibleError
from tacit.release import publish
from tacit_verify.verifying import verify
from tests.tally import Tally


def _verified(seed: int, folder: Path) -> bool:
    """Whether a release could be made; the verifier must then find nothing."""
    rng = np.random.default_rng(seed)
    n_rows, n_values = int(rng.integers(10, 60)), int(rng.integers(2, 5))
    age = rng.integers(0, 3, n_rows)
    columns = {
        "age": [f"a{x}" for x in age],
        "sex": [f"s{x}" for x in rng.integers(0, 2, n_rows)],
        "zip": [f"z{x}" for x in rng.integers(0, 3, n_rows)],
        "x": [
            f"v{x}"
            for x in np.where(rng.random(n_rows) < 0.6, age % n_values, rng.integers(0, n_values, n_rows))
        ],
    }
    frame = pl.DataFrame(columns)
    if frame["x"].n_unique() < 2:
        return False
    frame.write_csv(folder / "people.csv")
    table = tacit.read_table(folder / "people.csv", quasi=["age", "sex", "zip"], sensitive="x")
    limit = float(rng.choice([0.8, 1.0, 1.0]))
    try:
        release = tacit.safe_rules(
            table,
            min_support=int(rng.integers(1, 5)) if seed % 2 else 0.07,
            min_confidence=float(rng.choice([0.3, 0.5, 0.7])),
            max_length=None if seed % 3 else 2,
            scores="thresholds" if seed % 5 == 0 else "exact",
            distribution=seed % 7 == 0,
            k=4 if seed % 2 else None,
            channels="refuse" if seed % 2 and seed % 9 == 0 else "report",
            max_posterior=limit,
        )
    except InfeasibleError:
        return False
    publish(
        folder / "out", release.files, release.manifest, release.private,
        verify=lambda place: None, overwrite=True,
    )  # fmt: skip
    failed = [check for check in verify(folder / "out", folder / "people.csv") if check.ok is False]
    assert not failed, (seed, failed)
    return True


def _check(seeds: range, tmp_path: Path, tally: Tally) -> None:
    made = sum(_verified(seed, tmp_path) for seed in seeds)
    tally("random inputs verified", "rules", tried=made)
    assert made > 0.4 * len(seeds)


def test_releases_of_random_tables_are_never_refused(tmp_path: Path, tally: Tally) -> None:
    _check(range(16), tmp_path, tally)


@pytest.mark.slow
def test_releases_of_larger_random_tables_are_never_refused(tmp_path: Path, tally: Tally) -> None:
    _check(range(1_000, 1_600), tmp_path, tally)
