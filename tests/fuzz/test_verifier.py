"""Whatever a release folder holds, the verifier says what it found: it never breaks off and never hangs.

Any published file is spoiled. Half of the time the manifest states the spoiled file as it is, as a
forger would see to, so that the checks behind the digests are reached as well.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from tacit_verify.release import CannotVerify
from tacit_verify.verifying import verify
from tests.faults.writers import example_releases
from tests.fuzz.spoiling import spoiled
from tests.fuzz.test_readers import patience
from tests.soak.random_releases import write
from tests.tally import Tally

KINDS = ("bucketize", "bucketize, permuted", "generalize", "hide", "rules")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound release of each kind."""
    folder = tmp_path_factory.mktemp("sound")
    for kind, release in example_releases().items():
        (folder / kind).mkdir()
        write(release, folder / kind / "out")
    return folder


@pytest.mark.parametrize("count", [80, pytest.param(5_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_spoiled_releases(kind: str, count: int, sound: Path, tmp_path: Path, tally: Tally) -> None:
    shutil.copytree(sound / kind, tmp_path, dirs_exist_ok=True)
    folder = tmp_path / "out"
    contents = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    tried = caught = 0

    @seed(count)
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def law(data: st.DataObject) -> None:
        nonlocal tried, caught
        path = data.draw(st.sampled_from(list(contents)))
        content = data.draw(spoiled([contents[path]]))
        manifest = folder / "release.json"
        path.write_bytes(content)
        try:
            if path.parent == folder and path != manifest and data.draw(st.booleans()):
                values = json.loads(contents[manifest])
                values["files"][path.name] = {
                    "sha256": hashlib.sha256(content).hexdigest(),
                    "bytes": len(content),
                }
                manifest.write_text(
                    json.dumps(values, ensure_ascii=False, sort_keys=True, indent=2) + "\n", encoding="utf-8"
                )
            tried += 1
            with patience():
                found = verify(folder)
            assert found
            caught += not all(check.ok is not False for check in found)
        except CannotVerify as error:
            assert error.code
            caught += 1
        finally:
            path.write_bytes(contents[path])
            manifest.write_bytes(contents[manifest])

    try:
        law()
    finally:
        tally("fuzzed inputs", f"verifier, {kind}", tried=tried)
    assert caught > tried / 4  # so that it was not the sound release all the time
