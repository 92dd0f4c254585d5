"""Every release has the fingerprint that is written down."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fingerprints.releases import RELEASES, WRITTEN, fingerprint, prepare

EXPECTED = json.loads(WRITTEN.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the files that the commands read; what was released is forgotten afterwards."""
    state = os.environ["XDG_STATE_HOME"]
    made = tmp_path_factory.mktemp("fingerprints")
    prepare(made)
    yield made
    os.environ["XDG_STATE_HOME"] = state


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.ci) if "spark" in each else each for each in RELEASES]
)
def test_the_release_is_as_before(name: str, folder: Path) -> None:
    assert fingerprint(name, folder) == EXPECTED[name]
