"""Example people of a release, before and after: what the sentences say is counted again from the files."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

import tacit
from tacit.release.manifest import Manifest, read_manifest
from tacit.release.published import Release
from tacit.surface.page.outcome import examples
from tests.soak.random_releases import write


def saved(release: Release, folder: Path) -> tuple[Path, Path, Manifest]:
    """A release that was written, its private record and what it says of itself."""
    place = write(release, folder / "out")
    (private,) = Path(f"{place}.private").iterdir()
    return place, private, read_manifest(place)


def test_people_of_buckets(tmp_path: Path) -> None:
    table = tacit.load_sample("hospital:200", seed=3)
    folder, private, manifest = saved(tacit.bucketize(table, l=3), tmp_path)
    with (folder / "qit.csv").open() as file:
        rows = list(csv.DictReader(file))
    told = examples(table, folder, private, manifest)
    assert len(told) == 5
    for one in told:
        alike = [row for row in rows if all(row[name] == value for name, value in one["before"].items())]
        number = "one row" if len(alike) == 1 else f"one of {len(alike):,} rows"
        assert one["before"] == one["after"] and f": {number}; could have disease " in one["sentence"]
        assert len(re.split(", | or ", one["sentence"].partition("disease ")[2])) >= 3  # ℓ


def test_people_of_a_coarser_table(tmp_path: Path) -> None:
    table = tacit.load_sample("hospital:200", seed=3)
    folder, private, manifest = saved(tacit.generalize(table, k=5), tmp_path)
    for one in examples(table, folder, private, manifest):
        found = re.search(r"one of ([\d,]+) rows", one["sentence"])
        assert found is not None and int(found[1].replace(",", "")) >= 5
        assert one["before"].keys() == one["after"].keys() and one["before"] != one["after"]


def test_sets_that_became_coarser(tmp_path: Path) -> None:
    sets = tacit.load_sample("supermarket:400", seed=3)
    folder, private, manifest = saved(tacit.generalize(sets, k=5, m=2), tmp_path)
    with (folder / "mapping.csv").open() as file:
        mapping = {row["item"]: row["published_as"] for row in csv.DictReader(file)}
    published = [set(line.split()) for line in (folder / "transactions.dat").read_text().splitlines()]
    told = examples(sets, folder, private, manifest)
    assert len(told) == 5
    for one in told:
        before, after = (one[when]["items"].split(", ") for when in ("before", "after"))
        assert set(after) == {mapping[item] for item in before} and set(before) != set(after)
        found = re.fullmatch(r"Whoever knows (.+) faces ([\d,]+) records\.", one["sentence"])
        assert found is not None
        known = {mapping[item] for item in re.split(" and |, ", found[1])}
        count = sum(known <= held for held in published)
        assert int(found[2].replace(",", "")) == count >= 5


def test_sets_without_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.surface.page.outcome.MOST_ITEMS", 99)
    sets = tacit.load_sample("supermarket:400", seed=3)
    secret = {"beer", "diapers"}
    folder, private, manifest = saved(tacit.hide(sets, patterns=[secret], min_support=0.01), tmp_path)
    told = examples(sets, folder, private, manifest)
    assert told
    for one in told:
        before, after = (set(one[when]["items"].split(", ")) for when in ("before", "after"))
        assert after <= before
        gone = before - after
        told_gone = set(one["sentence"].removeprefix("Taken out: ").removesuffix(".").split(", "))
        assert (told_gone == gone) if gone else one["sentence"] == "As it was."
    assert any(one["before"] != one["after"] for one in told)
