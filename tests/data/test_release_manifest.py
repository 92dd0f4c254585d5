"""The manifest: canonical text, the same after a round trip, and refused where it is spoiled."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InputError
from tacit.release import Manifest, PublishedFile, read_manifest
from tacit_verify.manifest import field_problems
from tacit_verify.terms import EVERY, KINDS
from tests.faults.releases import manifest

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
MAPS = st.dictionaries(st.text(), VALUES, max_size=3)


@given(MAPS, MAPS, MAPS, st.booleans())
def test_round_trip(
    parameters: dict[str, Any],
    terms: dict[str, Any],
    risks: dict[str, Any],
    seeded: bool,
) -> None:
    made = manifest(
        parameters=parameters,
        promise=terms,
        risks=risks,
        not_for_publication=seeded,
        files={"a.csv": PublishedFile(sha256="0" * 64, bytes=0)},
    )
    again = Manifest.from_json(made.to_json())
    assert again == made
    assert again.to_json() == made.to_json()


def test_text_is_canonical() -> None:
    text = manifest(parameters={"b": 1, "a": "é"}).to_json()
    assert text == json.dumps(json.loads(text), ensure_ascii=False, sort_keys=True, indent=2) + "\n"
    assert set(json.loads(text)) == {*EVERY, *KINDS["bucketized"]}
    files = dict.fromkeys(("qit.csv", "st.csv"), PublishedFile("0" * 64, 0))
    assert not list(field_problems(json.loads(manifest(files=files).to_json())))  # as the verifier reads it


def test_a_seeded_release_says_that_it_is_not_for_publication() -> None:
    assert json.loads(manifest(not_for_publication=True).to_json())["not_for_publication"] is True


def test_versions_name_what_may_change_the_release() -> None:
    made = Manifest("rules", "maxent", {}, {}, {})
    assert {"tacit", "python", "numpy", "polars"} <= set(made.versions)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), Decimal("0.1"), {1: 2}, {"a": b"x"}, {1, 2}, object()]
)
def test_values_are_plain(value: object) -> None:
    with pytest.raises(TypeError, match="plain JSON"):
        manifest(parameters={"x": value})
    with pytest.raises(TypeError, match="plain JSON"):
        manifest(promise={"x": value})


def test_the_kind_is_one_that_exists() -> None:
    with pytest.raises(ValueError, match="bucketized"):
        manifest(kind="shredded")


def _spoiled() -> dict[str, str]:
    sound = json.loads(manifest(files={"a.csv": PublishedFile("0" * 64, 0)}).to_json())
    spoiled = {f"without {name}": {k: v for k, v in sound.items() if k != name} for name in sound}
    spoiled |= {f"{name} of another type": {**sound, name: 7.5} for name in sound}
    spoiled |= {
        "an unknown field": {**sound, "made_at": "noon"},
        "an unknown kind": {**sound, "kind": "shredded"},
        "a file without a digest": {**sound, "files": {"a.csv": {"bytes": 0}}},
        "a list": [sound],
    }
    texts = {name: json.dumps(values) for name, values in spoiled.items()}
    return {**texts, "cut off": json.dumps(sound)[:-5], "empty": ""}


@pytest.mark.parametrize("name", _spoiled())
def test_a_spoiled_manifest_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "release.json").write_text(_spoiled()[name])
    with pytest.raises(InputError) as caught:
        read_manifest(tmp_path)
    assert caught.value.code in ("release-manifest", "release-not-found")
    assert caught.value.exit_code == 3
    assert "release.json" in str(caught.value)


def test_the_terms_of_an_older_manifest_are_read() -> None:
    """Version 1 held sentences; an old release can still be reported on and compared with."""
    sound = manifest()
    old = json.loads(sound.to_json()) | {"format_version": 1, "limits": "Some.", "notes": ["Note."]}
    old["promise"] = {"sentence": "It is differentially private.", "terms": {"l": 3}}
    old["reader"] = {"sentence": "Nobody.", "terms": {"rules": [], "nodes": {}}}
    read = Manifest.from_json(json.dumps(old))
    assert read == sound
    assert read.promise_words == "Every row could have at least 3 different values of disease."


def test_what_is_no_release(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError) as caught:
            read_manifest(folder)
        assert caught.value.code == "release-not-found"
    (tmp_path / "release.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(InputError) as caught:
        read_manifest(tmp_path)
    assert caught.value.code == "release-manifest"
