"""What every test may ask for: the real data sets, a state folder of its own, a browser, a tally."""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.cases import cases
from tests.suites import is_left_out
from tests.tally import Summary, Tally

REPOSITORY = Path(__file__).resolve().parent.parent
CHROMIUM = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
# How long an example takes depends on what else the machine does and on what must be compiled first. Where
# changes land, all draw the same examples, so that what passed before passes there; other runs draw new ones.
settings.register_profile(
    "any machine",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=cases(150),
)
settings.load_profile("any machine")


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
    """Keys and ledgers of the tests never touch the user's own, and every run draws alike.

    ``TACIT_TEST_KEY`` with any other text tries another key.
    """
    folder = tmp_path_factory.mktemp("state") / "tacit"
    folder.mkdir(mode=0o700)
    os.environ["XDG_STATE_HOME"] = str(folder.parent)
    seed = os.environ.get("TACIT_TEST_KEY", "tests")
    for name in ("key", "ledger-key"):
        file = folder / name
        file.touch(mode=0o600)
        file.write_text(f"{hashlib.sha256(f'{seed} {name}'.encode()).hexdigest()}\n")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Which process runs what, where several do."""
    from tests.sharing import Sharing

    return Sharing(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of folders that ``make test`` leaves out, before they are chosen by their marks.

    Those that fork come first: each fork of a process that has run all the others takes a tenth of a second.
    """
    for item in items:
        if is_left_out(item.nodeid):
            item.add_marker("ci")
    items.sort(key=lambda item: not item.nodeid.startswith("tests/faults/"))


def pytest_collection_finish() -> None:
    """Tests and modules stay to the end: the garbage collector need not go through them each time."""
    gc.collect()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    """What the tests tried is printed at the end."""
    config.pluginmanager.register(Summary())


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One real headless Chromium; absent, a test is skipped, but not where everything must be there."""
    executable = shutil.which("chromium")
    if executable is None:
        message = "there is no chromium on this machine: install Debian's package 'chromium'"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM))
        yield started
        started.close()


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """Counts what a test tries, for the summary at the end."""
    return Tally(request.node.user_properties)
