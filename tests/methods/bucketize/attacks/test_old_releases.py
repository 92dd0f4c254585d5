"""Releases that are out: a table with near partners is attacked from its folder, also of the first format."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.errors import TacitError
from tacit.methods.bucketize.attacks import attack_release
from tacit.random.key import Key
from tacit.release.published import Release
from tacit.surface.cli import main


def released(partners: str, form: str = "qit") -> Release:
    """People of two areas; one value is too frequent for its own area alone."""
    source = np.random.default_rng(1)
    zips = np.repeat(["10", "11", "20", "21"], 60)
    values = source.choice(["flu", "cold", "gout", "ulcer", "cough", "burn"], size=240)
    values[:120] = np.where(source.random(120) < 0.55, "flu", values[:120])
    people = pl.DataFrame({"zip": zips, "age": source.integers(20, 30, 240).astype(str), "disease": values})
    table = tacit.table_from_frame(people, quasi=["zip", "age"], sensitive="disease")
    rules = tacit.mine_negative_rules(table, min_expectation=0.9999)
    return tacit.bucketize(
        table, l=2, knowledge=rules, partners=partners, form=form, key=Key(bytes(range(32)))
    )


@pytest.mark.parametrize("form", ("qit", "permuted"))
def test_the_published_folder_names_whom_the_owner_is_told_of(form: str, tmp_path: Path) -> None:
    release = released("near", form)
    release.save(tmp_path / "out", acknowledge_composition=True)
    found = attack_release(tmp_path / "out")
    assert found.named == release.risk().aware.grouping.people > 0


def test_a_release_of_the_first_format_is_read_and_attacked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    released("near").save(tmp_path / "out", acknowledge_composition=True)
    as_first_format(tmp_path / "out" / "release.json")
    assert main(["risk", str(tmp_path / "out")]) == 0
    assert "people at 90% confidence" in " ".join(capsys.readouterr().out.split())
    assert tacit.open_release(tmp_path / "out").manifest.parameters["partners"] == "near"


def test_other_releases_are_not_attacked_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    released("any").save(tmp_path / "out", acknowledge_composition=True)
    assert main(["risk", str(tmp_path / "out")]) == 0
    assert "near partners" not in capsys.readouterr().out
    with pytest.raises(TacitError) as caught:
        attack_release(tmp_path / "out")
    assert caught.value.code == "attack-not-for-this"


def as_first_format(file: Path) -> None:
    """The manifest as the first version wrote it, with its sentences."""
    values = json.loads(file.read_text())
    for name in ("promise", "reader"):
        values[name] = {"sentence": "A sentence.", "terms": values[name]}
    values |= {"format_version": 1, "limits": "Its limits.", "notes": []}
    file.write_text(json.dumps(values, ensure_ascii=False, sort_keys=True, indent=2) + "\n")
