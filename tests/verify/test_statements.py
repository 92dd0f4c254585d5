"""What the verifier says: a check that fails names the problem, and a manifest holds plain numbers alone."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacit
from tacit_verify.release import judged
from tacit_verify.verifying import verify
from tests.faults.writers import KEY, example_baskets
from tests.methods.bucketize.releases import edit_manifest
from tests.soak.random_releases import write


def test_a_check_names_the_first_problem() -> None:
    assert judged("x", [], "fine") == judged("x", {"broken": False}, "fine")
    assert (judged("x", [], "fine").ok, judged("x", [], "fine").detail) == (True, "fine")
    for problems in (["broken", "worse"], {"fine": False, "broken": True, "worse": True}):
        found = judged("x", problems, "fine")
        assert (found.ok, found.detail) == (False, "broken")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_refused(number: float, tmp_path: Path) -> None:
    folder = write(tacit.generalize(example_baskets(), k=2, m=2, key=KEY), tmp_path / "out")
    assert all(check.ok is not False for check in verify(folder))
    edit_manifest(folder, utility={"ncp": number})
    assert [check.name for check in verify(folder) if check.ok is False] == ["manifest"]


def test_an_unknown_kind_is_named(tmp_path: Path) -> None:
    folder = write(tacit.generalize(example_baskets(), k=2, m=2, key=KEY), tmp_path / "out")
    edit_manifest(folder, kind="sanitized")
    failed = {check.name: check.detail for check in verify(folder) if check.ok is False}
    assert "'sanitized'" in failed["manifest fields"]
