"""A second release of the same records: found, measured, refused or acknowledged, and stated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.data.release import read_manifest
from tacit.publish.ledger import Ledger
from tacit.publish.published_content import read_published_table
from tests.ledger.making import KEY, OTHER_KEY, baskets, bucketized, names, people
from tests.oracles import composition as oracle


def refused(release: Any, folder: Path, **how: Any) -> tacit.InfeasibleError:
    with pytest.raises(tacit.InfeasibleError) as caught:
        release.save(folder, **how)
    assert caught.value.code == "composition"
    assert not folder.exists()
    return caught.value


def on_record() -> list[str]:
    return [Path(entry.folder).name for entry in Ledger().read().entries]


def test_it_is_refused_and_then_acknowledged(tmp_path: Path) -> None:
    bucketized().save(tmp_path / "one")
    error = refused(bucketized(l=3), tmp_path / "two")
    assert "60 of the 60 people in this release are in the bucketized release" in error.message
    assert "with one candidate value" in error.message
    assert error.exit_code == 4
    assert on_record() == ["one"]
    assert names(tmp_path) == ["one", "one.private"]

    published = bucketized(l=3).save(tmp_path / "two", acknowledge_composition=True)
    stated = published.manifest.risks["composition"]
    assert stated["earlier"] == [{"kind": "bucketized", "records": 60, "measured": True}]
    assert on_record() == ["one", "two"]
    assert tacit.verify(tmp_path / "two").ok


def left_by(folders: list[Path], frame: pl.DataFrame, *, rules: bool) -> int:
    """How many people the published files together leave with one disease, person by person."""
    released = []
    for folder in folders:
        manifest = read_manifest(folder)
        rows = pl.read_csv(folder / "qit.csv", infer_schema=False).to_dicts()
        held = pl.read_csv(folder / "st.csv", infer_schema=False).to_dicts()
        buckets: dict[str, tuple[list, list]] = {row["group"]: ([], []) for row in rows}
        for row in rows:
            buckets[row["group"]][0].append(row)
        for row in held:
            buckets[row["group"]][1].append(row["disease"])
        below = manifest.reader.terms["nodes"]
        known = [
            ({name: set(below[name][label]) for name, label in rule["when"].items()}, rule["value"])
            for rule in manifest.reader.terms["rules"]
        ]
        released.append((manifest.parameters["quasi"], list(buckets.values()), known if rules else []))
    return sum(
        oracle.left_with_one([oracle.candidates(person, *release) for release in released])
        for person in frame.to_dicts()
    )


def test_the_figure_is_what_a_reader_of_both_finds(tmp_path: Path) -> None:
    frame = people()
    bucketized(frame).save(tmp_path / "one")
    published = bucketized(frame, key=OTHER_KEY).save(tmp_path / "two", acknowledge_composition=True)
    narrowed = left_by([tmp_path / "one", tmp_path / "two"], frame, rules=False)
    stated = published.manifest.risks["composition"]
    assert (stated["shared"], stated["one_candidate"]) == (60, narrowed)
    assert narrowed > 20  # two draws of small buckets seldom agree on more than the truth


def test_stated_rules_count_as_knowledge(tmp_path: Path) -> None:
    table = replace(tacit.load_sample("hospital:500"), origin=None).with_roles(quasi=("age", "sex"))
    frame = table.to_polars().select("age", "sex", "disease").cast(pl.String)
    tacit.bucketize(table, l=3, key=KEY).save(tmp_path / "one")
    # Readers of the second know no rule, readers of both know those of the first.
    other = tacit.bucketize(table, l=3, method="anatomy", key=OTHER_KEY)
    stated = other.save(tmp_path / "two", acknowledge_composition=True).manifest.risks["composition"]
    folders = [tmp_path / "one", tmp_path / "two"]
    assert stated["one_candidate"] == left_by(folders, frame, rules=True)
    known = read_manifest(folders[0]).reader.terms["rules"]
    read = [read_published_table(folder, read_manifest(folder)).rules for folder in folders]
    assert [len(rules) for rules in read] == [len(known), 0]
    assert known
    for rule, stated_rule in zip(read[0], known, strict=True):
        assert (rule.attribute, rule.value) == ("disease", stated_rule["value"])
        assert rule.when.keys() == stated_rule["when"].keys()


def test_the_same_bytes_are_no_second_release(tmp_path: Path) -> None:
    bucketized().save(tmp_path / "one")
    bucketized(l=3).save(tmp_path / "two", acknowledge_composition=True)
    texts = [(tmp_path / name / "release.json").read_bytes() for name in ("one", "two")]
    bucketized().save(tmp_path / "one", overwrite=True)
    bucketized(l=3).save(tmp_path / "two", overwrite=True)
    assert [(tmp_path / name / "release.json").read_bytes() for name in ("one", "two")] == texts
    assert on_record() == ["one", "two"]
    # In another folder it is the same release, and the ledger knows where it is.
    bucketized().save(tmp_path / "three")
    assert on_record() == ["three", "two"]


def test_experiments_and_samples_are_not_on_record(tmp_path: Path) -> None:
    bucketized(key=tacit.Key.from_seed(1)).save(tmp_path / "one")
    tacit.bucketize(tacit.load_sample("hospital:300"), l=3, key=KEY).save(tmp_path / "sample")
    bucketized()  # not saved
    assert on_record() == []
    bucketized().save(tmp_path / "two")
    bucketized(l=3, key=tacit.Key.from_seed(1)).save(tmp_path / "three")
    assert on_record() == ["two"]


def test_other_columns_and_some_of_the_people(tmp_path: Path) -> None:
    bucketized().save(tmp_path / "one")
    error = refused(bucketized(quasi=["age"], keep=["zip"]), tmp_path / "two")
    assert "60 of the 60 people" in error.message
    error = refused(bucketized(people(first=40)), tmp_path / "two")
    assert "20 of the 60 people" in error.message
    assert "of 20 (" in error.message
    bucketized(people(first=60)).save(tmp_path / "others")
    # Who is in neither column that the first release is known by cannot be recognized.
    bucketized(people().drop("zip"), quasi=["age"]).save(tmp_path / "unknown")
    assert on_record() == ["one", "others", "unknown"]


def test_suppressed_people_are_not_released(tmp_path: Path) -> None:
    frame = people(20).with_columns(pl.Series("disease", ["flu"] * 12 + ["cold", "ulcer"] * 4))
    table = tacit.table_from_frame(frame, quasi=["zip", "age"], sensitive="disease")
    release = tacit.bucketize(
        table, l=2, method="anatomy", on_infeasible="suppress", max_posterior_suppressed=0.8, key=KEY
    )
    release.save(tmp_path / "one")
    published = len(release.bucketized.published)
    assert published < 20
    assert Ledger().read().entries[0].records == published


def test_what_cannot_be_measured_is_said(tmp_path: Path) -> None:
    bucketized().save(tmp_path / "one")
    (tmp_path / "one").rename(tmp_path / "moved")
    error = refused(bucketized(l=3), tmp_path / "two")
    assert "cannot be measured: its folder is gone" in error.message
    assert "one candidate" not in error.message
    error = refused(bucketized(sensitive="pay"), tmp_path / "two")
    assert "folder is gone" in error.message
    (tmp_path / "moved").rename(tmp_path / "one")
    error = refused(bucketized(sensitive="pay"), tmp_path / "two")
    assert "it shows another sensitive attribute" in error.message
    bucketized(people(first=60)).save(tmp_path / "one", overwrite=True)
    error = refused(bucketized(l=3), tmp_path / "two")
    assert "its folder holds another release now" in error.message

    table = tacit.table_from_frame(people(), quasi=["zip", "age"], sensitive="disease")
    rules = tacit.safe_rules(table, min_support=5, min_confidence=0.2, max_posterior=0.9)
    error = refused(rules, tmp_path / "two")
    assert "no figure is defined for rules and bucketized releases together" in error.message
    stated = rules.save(tmp_path / "two", acknowledge_composition=True).manifest.risks["composition"]
    assert stated["earlier"][0] == {"kind": "bucketized", "records": 60, "measured": False}
    assert "one_candidate" not in stated


def test_a_third_release_is_read_with_both_others(tmp_path: Path) -> None:
    bucketized(l=3).save(tmp_path / "one")
    two = bucketized(l=3, key=OTHER_KEY).save(tmp_path / "two", acknowledge_composition=True)
    three = bucketized(l=2).save(tmp_path / "three", acknowledge_composition=True)
    stated = [one.manifest.risks["composition"] for one in (two, three)]
    assert [len(one["earlier"]) for one in stated] == [1, 2]
    assert stated[1]["one_candidate"] > stated[0]["one_candidate"]


def test_transactions(tmp_path: Path) -> None:
    sets = baskets()
    tacit.generalize(sets, k=3, m=1).save(tmp_path / "one")
    second = tacit.generalize(sets, k=3, m=2)
    error = refused(second, tmp_path / "two")
    assert "40 of the 40 transactions in this release are in the generalized release" in error.message
    assert "with one candidate record" in error.message
    stated = second.save(tmp_path / "two", acknowledge_composition=True).manifest.risks["composition"]
    hidden = tacit.hide(sets, patterns=[["i0", "i1"]], min_support=2, key=KEY)
    error = refused(hidden, tmp_path / "hidden")
    assert "in the generalized release" in error.message
    assert stated["unit"] == "transactions"
    assert 0 <= stated["one_candidate"] <= 40
    # Some sets of others are the same sets, and nobody can tell whose they are.
    error = refused(tacit.generalize(baskets(first=40), k=3, m=2), tmp_path / "others")
    assert 0 < int(error.message.split(" of the ")[0]) < 40
