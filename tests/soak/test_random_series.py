"""Random chains of releases: the promise over a series is never broken."""

from __future__ import annotations

import itertools
from pathlib import Path

from tests.soak.random_series import broken_chain
from tests.tally import Tally


def check_many(wanted: int, folder: Path, tally: Tally) -> None:
    done, broken = 0, []
    for seed in itertools.count():
        found = broken_chain(seed, folder)
        done += found is not None
        if found:
            broken.append((seed, found))
        if done == wanted:
            break
    tally("random inputs verified", "series", tried=done, wrong=len(broken))
    assert not broken


def test_some_random_chains(tmp_path: Path, tally: Tally) -> None:
    check_many(9, tmp_path, tally)
