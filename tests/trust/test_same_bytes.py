"""The same key and records give the same bytes, whatever the row order, hash seed, threads and pieces."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.trust.making import RELEASES, arguments, write_inputs

RUN = """
import os, sys
from tacit.surface.cli import main
from tacit.io.readers import delimited, text
if "PIECE" in os.environ:
    text.PIECE = delimited.PIECE = int(os.environ["PIECE"])
from tests.trust.making import RELEASES, arguments
for number, kind in enumerate(RELEASES):
    code = main([*arguments(kind, f"out/{number}"), "--quiet", "--acknowledge-composition"])
    if code:
        sys.exit(f"{kind}: {code}")
"""
CIRCUMSTANCES = (  # the order of the rows, PYTHONHASHSEED, threads, the size of the pieces that are read
    (0, "0", "1", None),
    (1, "4294967295", "2", "61"),
)


def published(folder: Path) -> dict[str, str]:
    """The published files of a release, by their digests."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Every release, made in a process of its own under each of the circumstances."""
    made = []
    for order, seed, threads, piece in CIRCUMSTANCES:
        folder = tmp_path_factory.mktemp("circumstance")
        write_inputs(folder, order=order)
        environment = os.environ | {
            "XDG_STATE_HOME": str(folder / "state"),  # what they have in common is measured each time
            "PYTHONHASHSEED": seed,
            "NUMBA_NUM_THREADS": threads,
            "POLARS_MAX_THREADS": threads,
            "PYTHONPATH": str(REPOSITORY),
            **({"PIECE": piece} if piece else {}),
        }
        run = subprocess.run(
            [sys.executable, "-c", RUN],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        made.append(folder)
    return made


@pytest.mark.ci
@pytest.mark.tally("same bytes", "row order, hash seed, threads, pieces")
@pytest.mark.parametrize("kind", RELEASES)
def test_same_bytes(kind: str, folders: list[Path]) -> None:
    place = f"out/{list(RELEASES).index(kind)}"
    first, *others = [published(folder / place) for folder in folders]
    assert "release.json" in first
    for other in others:
        assert other == first


@pytest.mark.ci
def test_another_key_gives_other_bytes(folders: list[Path], tmp_path: Path) -> None:
    """So that the test above does not pass because the key is never used."""
    from tacit.surface.cli import main

    write_inputs(tmp_path)
    (tmp_path / "key").write_text("f7" * 32 + "\n")
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        for kind in ("bucketize injector qit", "hide certified"):
            assert main([*arguments(kind, "other"), "--quiet"]) == 0
            mine = published(tmp_path / "other")
            other = published(folders[0] / f"out/{list(RELEASES).index(kind)}")
            del mine["release.json"], other["release.json"]
            assert mine != other
            (tmp_path / "other").rename(tmp_path / f"done {kind}")
    finally:
        os.chdir(before)
