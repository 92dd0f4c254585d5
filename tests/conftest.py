"""What every test may ask for: the real data sets, a key of its own, a small state folder, a tally."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.tally import Summary, Tally

REPOSITORY = Path(__file__).resolve().parent.parent


def data_folder() -> Path | None:
    """The folder of the public data sets, or None where it is absent."""
    named = os.environ.get("TACIT_DATA")
    folder = Path(named) if named else REPOSITORY.parent / "shared" / "data"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def public_data() -> Path:
    """The folder of the public data sets; the test is skipped where it is absent."""
    folder = data_folder()
    if folder is None:
        pytest.skip("the public data sets are not here: set TACIT_DATA to their folder")
    os.environ["TACIT_DATA"] = str(folder)
    return folder


@pytest.fixture(autouse=True)
def empty_ledger() -> None:
    """Every test begins as somebody who has released nothing yet."""
    shutil.rmtree(Path(os.environ["XDG_STATE_HOME"]) / "tacit" / "ledger", ignore_errors=True)


@pytest.fixture(autouse=True, scope="session")
def own_state_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keys and ledgers of the tests never touch the user's own."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Which process runs what, where several do."""
    from tests.sharing import Sharing

    return Sharing(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """What the tests tried is printed at the end."""
    config.pluginmanager.register(Summary())


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """Counts what a test tries, for the summary at the end."""
    return Tally(request.node.user_properties)
