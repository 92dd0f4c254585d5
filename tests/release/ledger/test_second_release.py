"""A second release of the same records: found, measured, refused or acknowledged, and stated."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.methods.bucketize.kind import read_table
from tacit.random.key import Key
from tacit.release import read_manifest
from tacit.release.composing import AT_LEAST, ROUNDED, SHARE_AT_LEAST, rounded
from tacit.release.ledger import Ledger
from tacit.showing.layout import as_text
from tests.oracles import composition as oracle
from tests.release.ledger import altering
from tests.release.ledger.making import KEY, OTHER_KEY, baskets, bucketized, names, people


def refused(release: Any, folder: Path, **how: Any) -> tacit.InfeasibleError:
    with pytest.raises(tacit.InfeasibleError) as caught:
        release.save(folder, accept_weak=True, **how)
    assert caught.value.code == "composition"
    assert not folder.exists()
    return caught.value


def on_record() -> list[str]:
    return [Path(entry.folder).name for entry in Ledger().read().entries]


def exact(published: Any) -> dict[str, Any]:
    """What the ledger, which is the owner's, holds of the last release; the manifest states it rounded up."""
    held, stated = dict(Ledger().read().entries[-1].composition), published.manifest.risks["composition"]
    assert stated == rounded(held)
    assert published.manifest.risks["grid"].items() >= ROUNDED.items()
    assert 0 <= stated[AT_LEAST] - held[AT_LEAST] < 10 and stated[AT_LEAST] % 10 == 0
    assert 0 <= stated[SHARE_AT_LEAST] - held[SHARE_AT_LEAST] < 0.01
    return held


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
    assert not tacit.verify(tmp_path / "two").broken


def released(folder: Path, *, rules: bool = True, **spelled: Any) -> oracle.Released:
    """A release of buckets, from its published files; ``spelled`` are expressions for some of its columns."""
    manifest = read_manifest(folder)
    rows = pl.read_csv(folder / "qit.csv", infer_schema=False).with_columns(**spelled)
    held = pl.read_csv(folder / "st.csv", infer_schema=False)
    (disease,) = manifest.parameters["sensitive"]
    buckets: dict[str, tuple[list, list]] = {group: ([], []) for group in rows["group"].unique()}
    for row in rows.to_dicts():
        buckets[row["group"]][0].append(row)
    for row in held.to_dicts():
        buckets[row["group"]][1].extend([row[disease].lower()] * int(row["count"]))
    below = manifest.reader["nodes"]
    known = [
        ({name: set(below[name][label]) for name, label in rule["when"].items()}, rule["value"])
        for rule in manifest.reader["rules"]
    ]
    quasi = [*spelled] or manifest.parameters["quasi"]
    return oracle.Released(quasi, list(buckets.values()), known if rules else ())


def left_by(releases: list[oracle.Released], *frames: pl.DataFrame) -> int:
    """How many people the published files together leave with one disease, bucket by bucket."""
    looks = [frame.to_dicts() for frame in frames]
    people = list(zip(*(looks * (len(releases) // len(looks))), strict=True))
    return sum(len(values) == 1 for values in oracle.narrowed_by_turns(people, releases))


def test_the_figure_is_what_a_reader_of_both_finds(tmp_path: Path) -> None:
    frame = people()
    bucketized(frame).save(tmp_path / "one")
    published = bucketized(frame, key=OTHER_KEY).save(tmp_path / "two", acknowledge_composition=True)
    narrowed = left_by([released(tmp_path / "one"), released(tmp_path / "two")], frame)
    stated = exact(published)
    assert (stated["shared"], stated["not_matched"], stated[AT_LEAST]) == (60, 0, narrowed)
    assert narrowed > 50  # two draws of small buckets seldom agree on more than the truth


@pytest.mark.parametrize("second", ["local", "cells", "buckets"])
def test_coarser_tables_are_read_together(second: str, tmp_path: Path) -> None:
    """What a reader finds who tries every class of each release on everybody."""
    frame = people(200).with_columns(zip=pl.Series([f"{1000 + 7 * number}" for number in range(200)]))
    table = tacit.table_from_frame(frame, quasi=["zip", "age"], sensitive="disease")
    first = tacit.generalize(table, k=2, recoding="global", max_suppressed=0.1, key=KEY)
    first.save(tmp_path / "one", accept_weak=True)
    if second == "buckets":
        release = bucketized(frame, l=2)
    else:
        release = tacit.generalize(table, k=2, recoding=second, key=KEY)
    saved = release.save(tmp_path / "two", acknowledge_composition=True, accept_weak=True)
    trees = first.original.hierarchies
    nodes = {
        name: {
            text: {text, "*", *(trees[name].labels[one] for one in trees[name].ancestors(node))}
            for text, node in trees[name].index.items()
        }
        for name in ("zip", "age")
    }
    releases = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        if (folder / "qit.csv").exists():
            releases.append(replace(released(folder), nodes=nodes))
            continue
        rows = pl.read_csv(folder / "table.csv", infer_schema=False)
        classes = [(part.to_dicts(), part["disease"].to_list()) for _, part in rows.group_by("zip", "age")]
        releases.append(oracle.Released(["zip", "age"], classes, (), nodes))
    inside = set(first.recoded.rows.tolist())  # those left out are not narrowed by the first
    people_in_both = [[person, person] for number, person in enumerate(frame.to_dicts()) if number in inside]
    common = oracle.intersected(people_in_both, releases)
    stated = exact(saved)
    assert stated["earlier"][0]["measured"]
    assert (stated["shared"], stated["not_matched"]) == (len(inside), 0)
    # Whoever solves the classes as well finds no fewer.
    assert stated[AT_LEAST] >= sum(len(values) == 1 for values in common) > 0


def test_stated_rules_count_as_knowledge(tmp_path: Path) -> None:
    table = replace(tacit.load_sample("hospital:500"), origin=None).with_roles(quasi=("age", "sex", "zip"))
    frame = table.to_polars().select("age", "sex", "zip", "disease").cast(pl.String)
    tacit.bucketize(table, l=3, key=KEY).save(tmp_path / "one")
    # Readers of the second know no rule, readers of both know those of the first.
    other = tacit.bucketize(table, l=3, algorithm="anatomy", key=OTHER_KEY)
    stated = exact(other.save(tmp_path / "two", acknowledge_composition=True, accept_weak=True))
    folders = [tmp_path / "one", tmp_path / "two"]
    both = [[person, person] for person in frame.to_dicts()]
    with_rules, without = (
        sum(
            len(left) == 1
            for left in oracle.intersected(both, [released(one, rules=told) for one in folders])
        )
        for told in (True, False)
    )
    assert stated[AT_LEAST] >= with_rules > without
    known = read_manifest(folders[0]).reader["rules"]
    read = [read_table(folder, read_manifest(folder)).rules for folder in folders]
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
    error = refused(
        bucketized(quasi=["age"], keep=["zip"], accept={"zip": "as in the test"}), tmp_path / "two"
    )
    assert "60 of the 60 people" in error.message
    error = refused(bucketized(people(first=40)), tmp_path / "two")
    assert "20 of the 60 people" in error.message
    assert "20 of them are in one of the releases only" in error.message
    bucketized(people(first=60)).save(tmp_path / "others")
    error = refused(bucketized(people().drop("zip"), quasi=["age"]), tmp_path / "two")
    assert "recognized by age, disease, pay." in error.message
    # Nobody can tell half of the people by age and pay alone.
    few = people(30).drop("zip", "disease")
    bucketized(few, quasi=["age"], sensitive="pay").save(tmp_path / "unknown")
    assert on_record() == ["one", "others", "unknown"]


def test_suppressed_people_are_not_released(tmp_path: Path) -> None:
    frame = people(20).with_columns(pl.Series("disease", ["flu"] * 12 + ["cold", "ulcer"] * 4))
    table = tacit.table_from_frame(frame, quasi=["zip", "age"], sensitive="disease")
    release = tacit.bucketize(
        table, l=2, algorithm="anatomy", on_infeasible="suppress", max_posterior_suppressed=0.8, key=KEY
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
    assert AT_LEAST not in stated


def test_a_third_release_is_read_with_both_others(tmp_path: Path) -> None:
    bucketized(l=3).save(tmp_path / "one")
    two = bucketized(l=3, key=OTHER_KEY).save(tmp_path / "two", acknowledge_composition=True)
    three = bucketized(l=2).save(tmp_path / "three", acknowledge_composition=True)
    stated = [one.manifest.risks["composition"] for one in (two, three)]
    assert [len(one["earlier"]) for one in stated] == [1, 2]
    assert stated[1][AT_LEAST] > stated[0][AT_LEAST]


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
    assert 0 <= stated[AT_LEAST] <= 40
    # Some sets of others are the same sets, no more of them than chance gives.
    others = tacit.generalize(baskets(first=40), k=3, m=2)
    assert set(baskets().sets()) & set(baskets(first=40).sets())
    others.save(tmp_path / "others")


def test_renamed_and_rewritten_it_is_the_same_figure(tmp_path: Path) -> None:
    frame = people().with_columns(age=pl.col("age").cast(pl.Int64))
    bucketized(frame).save(tmp_path / "one")
    plain = bucketized(frame, key=OTHER_KEY).save(tmp_path / "plain", acknowledge_composition=True)
    Ledger().forget(Ledger().read().entries[1])
    other = frame.select(
        *(pl.col("disease").str.to_uppercase().alias("Diagnosis"), pl.col("pay").alias("Pay")),
        *((pl.col("age").cast(pl.String) + ".0").alias("Years"), (pl.col("zip") + " ").alias("PLZ")),
    )
    release = bucketized(other, quasi=["PLZ", "Years"], sensitive="Diagnosis", key=OTHER_KEY)
    error = refused(release, tmp_path / "two")
    assert "60 of the 60 people" in error.message
    for pair in ("zip (now PLZ)", "age (now Years)", "disease (now Diagnosis)", "pay (now Pay)"):
        assert pair in error.message
    stated = exact(release.save(tmp_path / "two", acknowledge_composition=True))
    # Another spelling draws other buckets: the figure is that of a reader of both, not the plain one's.
    assert stated["shared"] == plain.manifest.risks["composition"]["shared"] == 60
    spelled = pl.DataFrame({"zip": frame["zip"], "age": frame["age"].cast(pl.String)})
    second = {"zip": pl.col("PLZ").str.strip_chars(), "age": pl.col("Years").str.strip_suffix(".0")}
    both = [released(tmp_path / "one"), released(tmp_path / "two", **second)]
    assert stated[AT_LEAST] == left_by(both, spelled) > 50


def test_the_same_release_in_another_format_is_none(tmp_path: Path) -> None:
    sets = baskets()
    tacit.generalize(sets, k=3, m=1).save(tmp_path / "one")
    other = tacit.generalize(replace(sets, format="jsonl"), k=3, m=1)
    published = other.save(tmp_path / "two")
    assert {path.name for path in published.folder.iterdir()} != names(tmp_path / "one")
    assert "composition" not in published.manifest.risks
    # What reads the same in another file gives the same bytes, and is not even new.
    frame = people().with_columns(age=pl.col("age").cast(pl.Int64))
    frame.write_csv(tmp_path / "people.csv")
    frame.write_parquet(tmp_path / "people.parquet")
    for kind in ("csv", "parquet"):
        table = tacit.read_table(tmp_path / f"people.{kind}", quasi=["zip", "age"], sensitive="disease")
        tacit.bucketize(table, l=2, algorithm="anatomy", key=KEY).save(tmp_path / kind)
    assert on_record() == ["one", "two", "parquet"]


def test_of_many_releases_a_few_are_named_and_the_others_counted(tmp_path: Path) -> None:
    for number in range(6):
        part = people(60 + 10 * number)
        bucketized(part, key=Key(bytes([number] * 32))).save(
            tmp_path / f"{number}", acknowledge_composition=True
        )
    error = refused(bucketized(people(110), l=3), tmp_path / "new")
    assert (
        error.message.index("/5 as well")
        < error.message.index("/4 as well")
        < error.message.index("/3 as well")
    )
    assert "/2 as well" not in error.message
    assert "3 more releases have people of this release, none of them more than these." in error.message
    assert len(error.message) < 2000


def test_what_a_sample_says_is_stated_with_its_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.release.recognition.MOST_BYTES", 4 * 4 * 100)
    sets = tacit.transactions_from_sets(altering.baskets(400, 1))
    bucketized(people(400)).save(tmp_path / "one", accept_weak=True)
    tacit.hide(sets, patterns=[["1", "2"]], min_support=2, key=KEY).save(tmp_path / "hidden")
    error = refused(bucketized(people(400, first=100), l=3), tmp_path / "two")
    assert "About " in error.message and " (± " in error.message
    releases = [
        bucketized(people(400, first=100), l=3),
        tacit.safe_rules(
            tacit.table_from_frame(people(400, first=100), quasi=["zip", "age"], sensitive="disease"),
            min_support=5, min_confidence=0.2, max_posterior=0.9,
        ),
        tacit.hide(sets, patterns=[["1", "3"]], min_support=2, key=KEY),
    ]  # fmt: skip
    for number, release in enumerate(releases):
        folder = tmp_path / f"again {number}"
        stated = release.save(folder, acknowledge_composition=True, accept_weak=True).manifest.risks[
            "composition"
        ]
        assert tacit.verify(folder).verdict != "broken"
        if "looked_at" in stated:
            assert stated["looked_at"] <= 100 < stated["shared"]
        if number < 2:
            (about,) = [one for one in stated["earlier"] if "error" in one]
            assert abs(about["records"] - 300) <= 2 * about["error"] < 200


def as_an_earlier_version(release: Any, folder: Path) -> None:
    """Put the last release on record as the first version did: words by name and value, and no sketch."""
    ledger = Ledger()
    entry = ledger.read().entries[-1]
    words = np.sort(release.records().digests(ledger.key(), entry.columns))
    lines = [json.loads(line) for line in ledger.file.read_text().splitlines()]
    del lines[-1]["sketched"]
    ledger.file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (ledger.folder / f"{entry.id}.sketch").unlink()
    words.astype("<u8").tofile(ledger.folder / f"{entry.id}.records")


def test_an_old_record_is_compared_as_it_was(tmp_path: Path) -> None:
    old = bucketized()
    old.save(tmp_path / "old")
    as_an_earlier_version(old, tmp_path / "old")
    error = refused(bucketized(l=3), tmp_path / "two")
    assert "60 of the 60 people" in error.message
    assert "An earlier version of Tacit put that release on record" in error.message
    assert "with one candidate value" in error.message
    bucketized(people().rename({"zip": "PLZ"}), quasi=["PLZ", "age"]).save(tmp_path / "renamed")  # as it was
    (entry, _) = Ledger().read().entries
    assert "zip, age, unaltered (recorded by an earlier version)" in " ".join(as_text(entry).split())
    sets = tacit.generalize(baskets(), k=3, m=1)
    sets.save(tmp_path / "sets")
    as_an_earlier_version(sets, tmp_path / "sets")
    refused(tacit.generalize(baskets(), k=3, m=2), tmp_path / "two")


def test_a_copy_stands_in_for_a_folder_that_is_gone(tmp_path: Path) -> None:
    published = bucketized().save(tmp_path / "one")
    before = refused(bucketized(l=3), tmp_path / "two").message
    (entry,) = Ledger().read().entries
    Ledger().keep_copy(entry.id, published.folder)
    (tmp_path / "one").rename(tmp_path / "moved")
    assert refused(bucketized(l=3), tmp_path / "two").message == before
    copy = Ledger().folder / f"{entry.id}.copy"
    assert b"disease" not in copy.read_bytes()
    copy.write_bytes(copy.read_bytes()[:-1])
    assert "its folder is gone" in refused(bucketized(l=3), tmp_path / "two").message
    Ledger().forget(entry)
    assert not copy.exists()
