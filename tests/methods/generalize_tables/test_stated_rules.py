"""Releases of coarser quasi-identifiers state how rules were looked for, and none that were mined."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.data.hierarchy import from_parents
from tacit.data.table import Table
from tacit.errors import InfeasibleError, UsageError
from tacit.random.key import Key
from tacit_verify import verdict_of, verify
from tests.keys import secret_key
from tests.oracles.told_groups import leaves, originals, told_groups
from tests.soak.random_releases import write
from tests.tally import Tally
from tests.verify.forgery import Forgery

KEY = secret_key(5)
MANY = 5_000
"""Tables of more originals are not looked at."""
PARENTS = {"a": "ab", "b": "ab", "c": "cd", "d": "cd", "ab": "*", "cd": "*"}
SMALL = "town=C => not disease=flu"


def people(seed: int) -> pl.DataFrame:
    """A few people; most places lack a disease."""
    drawn = random.Random(seed)
    lacks = {place: drawn.choice(["s0", "s1", "s2", None]) for place in "abcd"}
    rows = []
    for _ in range(drawn.randint(8, 11)):
        place, disease = drawn.choice("abcd"), drawn.choice(["s0", "s1", "s2"])
        rows.append((place, "s0" if lacks[place] == disease != "s0" else disease))
    return pl.DataFrame(rows, schema=["place", "disease"], orient="row")


def test_no_group_below_k_is_told_of_by_how_rules_are_mined(tally: Tally) -> None:
    """A reader who looks through all originals knows of none but those that the table itself shows."""
    tree, told, mined = from_parents(PARENTS, name="place"), 0, 0
    for seed in range(60):
        frame, k = people(seed), 3 + seed % 3
        table = tacit.table_from_frame(
            frame, quasi=["place"], sensitive="disease", hierarchies={"place": tree}
        )
        asked: Any = {"recoding": ("local", "global", "subtree")[seed % 3], "key": Key.from_seed(seed)}
        try:
            release = tacit.generalize(table, k=k, l=2, knowledge={"min_expectation": 0.6}, **asked)
        except InfeasibleError:
            continue
        shown, reader = release.table.rows(), release.manifest.reader
        if originals(PARENTS, shown) > MANY:
            continue
        assert release.knowledge is not None
        mined += len(release.knowledge)
        counts = Counter(frame["place"])
        alone = told_groups(PARENTS, shown, reader, 0)
        for node, (low, high) in told_groups(PARENTS, shown, reader, 2).items():
            true = sum(counts[leaf] for leaf in leaves(PARENTS, node))
            assert low <= true <= high
            told += low > 0 and true < k and not alone[node][0]
            told += high < k <= alone[node][1]
    tally("attacks", "groups that rules not stated tell of", wrong=told)
    assert told == 0
    assert mined > 5


def towns() -> pl.DataFrame:
    """Nobody of four people in C has flu, and nobody of twenty in B gout."""
    rows = [("A", "flu")] * 30 + [("A", "gout")] * 12 + [("A", "cold")] * 8
    rows += [("B", "flu")] * 12 + [("B", "cold")] * 8 + [("C", "gout"), ("C", "cold")] * 2
    return pl.DataFrame(rows, schema=["town", "disease"], orient="row")


def table() -> Table:
    return tacit.table_from_frame(towns(), quasi=["town"], sensitive="disease")


RELEASES: dict[str, Any] = {
    "a table": lambda table, **asked: tacit.generalize(table, k=5, l=2, key=KEY, **asked),
    "levels": lambda table, **asked: tacit.generalize(table, k=5, l=2, recoding="global", key=KEY, **asked),
    "cells": lambda table, **asked: tacit.generalize(table, k=5, l=2, recoding="cells", key=KEY, **asked),
    "buckets": lambda table, **asked: tacit.bucketize(table, k=5, l=2, key=KEY, **asked),
}
"""Ways to publish coarser quasi-identifiers."""


def made(kind: str, place: Path, frame: pl.DataFrame | None = None, **asked: Any) -> Forgery:
    frame = towns() if frame is None else frame
    frame.write_csv(place / "original.csv")
    release = RELEASES[kind](tacit.table_from_frame(frame, quasi=["town"], sensitive="disease"), **asked)
    return Forgery(write(release.complete(), place / "out"), place / "original.csv")


def on_record(forged: Forgery) -> list[tuple[str, str]]:
    found = json.loads((forged.record() / "rules.json").read_text())["rules"]
    return sorted((rule["when"]["town"], rule["value"]) for rule in found)


def broken(forged: Forgery, *, alone: bool = False) -> list[str]:
    forged.seal()
    found = verify(forged.folder, None if alone else forged.original)
    return [check.name for check in found if check.ok is False]


@pytest.mark.parametrize("kind", RELEASES)
def test_mined_rules_are_on_record_and_not_published(kind: str, tmp_path: Path) -> None:
    """Nor is how many there are, in any form: a table with others has the same reader."""
    forged = made(kind, tmp_path)
    assert on_record(forged) == [("B", "gout"), ("C", "flu")]
    reader = forged.m["reader"]
    assert reader["rules"] == []
    assert reader["mined"] == {"correction": "none", "max_length": 1, "min_expectation": "0.9"}
    assert forged.m["risks"].get("rules") is None
    (tmp_path / "other").mkdir()
    flu = pl.when(pl.col("town") == "C").then(pl.col("disease").replace("cold", "flu")).otherwise("disease")
    other = made(kind, tmp_path / "other", towns().with_columns(disease=flu))
    assert on_record(other) == [("B", "gout")]
    assert other.m["reader"] == reader


@pytest.mark.parametrize("kind", RELEASES)
def test_the_owner_is_told_how_many_rules_were_mined(kind: str, tmp_path: Path) -> None:
    release = RELEASES[kind](table())
    assert release.to_dict()["rules"] == 2
    assert " 2 rules" in " ".join(str(release).split())
    assert "2" not in release.manifest.reader_words
    folder = release.save(tmp_path / "out", accept_weak=True).folder
    rule = "town = C ⇒ ¬ disease = flu"
    assert rule in tacit.open_release(folder).report(owner=True).to_html()
    assert rule not in tacit.open_release(folder).report().to_html()


@pytest.mark.parametrize("kind", RELEASES)
def test_rules_mined_before_are_mined_and_given_ones_are_stated(kind: str, tmp_path: Path) -> None:
    for name, known, number in (
        ("mined", tacit.mine_negative_rules(table()), 0),
        ("given", {"rules": [SMALL]}, 1),
        ("both", tacit.mine_negative_rules(table(), rules=[SMALL]), 1),
    ):
        (tmp_path / name).mkdir()
        forged = made(kind, tmp_path / name, knowledge=known)
        assert len(forged.m["reader"]["rules"]) == number
        assert all(rule["given"] and rule["when"] == {"town": "C"} for rule in forged.m["reader"]["rules"])
        assert len(on_record(forged)) == 2 - number
        checks = {check.name: check.ok for check in verify(forged.folder, forged.original)}
        assert checks["ℓ with rules"] is True


@pytest.mark.parametrize("kind", RELEASES)
def test_rules_mined_before_a_table_had_hierarchies_are_mined_again(kind: str) -> None:
    """Readers mine with the hierarchies of the release: they find rules about ages from 40 to 49."""
    ages = [str(20 + number % 40) for number in range(200)]
    ill = ["flu" if age < "40" or age > "49" else "cold" for age in ages[:100]] + ["cold", "gout"] * 50
    frame = pl.DataFrame({"age": ages, "disease": ill})
    before = tacit.table_from_frame(frame, quasi=["age"], sensitive="disease")
    mined = tacit.mine_negative_rules(before, min_expectation=0.99)
    assert not len(mined)
    release = RELEASES[kind](before, knowledge=mined)
    again = tacit.mine_negative_rules(release.original, min_expectation=0.99)
    assert len(again) and [*map(str, release.knowledge)] == [*map(str, again)]


@pytest.mark.parametrize("kind", RELEASES)
def test_rules_with_exceptions_are_refused(kind: str) -> None:
    known = tacit.mine_negative_rules(table(), min_confidence=0.5)
    assert not known.certain
    for knowledge in (known, {"min_confidence": 0.5}):
        with pytest.raises(UsageError) as caught:
            RELEASES[kind](table(), knowledge=knowledge)
        assert caught.value.code == "knowledge-uncertain"


@pytest.mark.parametrize("kind", RELEASES)
def test_rules_with_fuzzy_edges_are_refused(kind: str) -> None:
    """Who is near an interval is one of those whom a rule or its absence is about."""
    for knowledge in ({"spread": 0.5}, tacit.mine_negative_rules(table(), spread=0.5)):
        with pytest.raises(UsageError) as caught:
            RELEASES[kind](table(), knowledge=knowledge)
        assert caught.value.code == "knowledge-fuzzy"


@pytest.mark.parametrize("kind", RELEASES)
def test_what_a_list_of_rules_would_show_is_stated(kind: str, tmp_path: Path) -> None:
    """That some are dropped: thresholds alone would promise too much."""
    forged = made(kind, tmp_path, knowledge={"drop_rules": [SMALL]})
    assert forged.m["reader"]["mined"]["dropped"] is True
    assert on_record(forged) == [("B", "gout")]
    assert "but for some" in tacit.open_release(forged.folder).manifest.reader_words
    assert not broken(forged)


@pytest.mark.parametrize("kind", RELEASES)
def test_the_verifier_refuses_mined_rules_that_are_listed(kind: str, tmp_path: Path) -> None:
    forged = made(kind, tmp_path)
    assert (
        verdict_of([one for one in verify(forged.folder, forged.original) if one.name != "silence"]) == "kept"
    )
    rule = {"when": {"town": "B"}, "attribute": "disease", "value": "gout"}
    for given, caught in ((False, ["manifest fields"]), (True, [])):
        forged.m["reader"]["rules"] = [rule | {"given": given}]
        assert broken(forged, alone=True) == broken(forged) == caught


@pytest.mark.parametrize("kind", RELEASES)
def test_without_the_record_rules_are_not_checked(kind: str, tmp_path: Path) -> None:
    forged = made(kind, tmp_path)
    assert {check.name: check.ok for check in verify(forged.folder)}["ℓ with rules"] is None
    (forged.record() / "rules.json").unlink()
    checks = {check.name: check.ok for check in verify(forged.folder, forged.original)}
    assert checks["rows and the original"] is None
    assert checks.get("ℓ with rules") is None


@pytest.mark.parametrize("kind", RELEASES)
def test_rules_on_record_are_held_against_the_original(kind: str, tmp_path: Path) -> None:
    forged = made(kind, tmp_path)
    false = {"when": {"town": "A"}, "attribute": "disease", "value": "flu", "given": False}
    forged.edit_record("rules.json", lambda kept: kept["rules"].append(false))
    assert "ℓ with rules" in broken(forged) or "rules and the original" in broken(forged)


def test_buckets_do_not_say_how_many_rules_there_are(tmp_path: Path) -> None:
    people = tacit.load_sample("hospital:200")
    tacit.write_table(people, tmp_path / "original.csv")
    release = tacit.bucketize(people, k=4, l=2, key=KEY).complete()
    assert release.figures["risks"]["rules"] > 0
    forged = Forgery(write(release, tmp_path / "out"), tmp_path / "original.csv")
    assert forged.m["risks"]["rules"] is None
    assert not broken(forged)
    forged.m["risks"]["rules"] = 30
    assert broken(forged) == ["figures"]


def test_given_rules_about_few_are_told_to_the_owner() -> None:
    release = tacit.generalize(table(), k=5, l=2, knowledge={"rules": [SMALL]}, key=KEY)
    assert "Given rules about fewer than 5 rows: 1." in " ".join(str(release).split())
    assert "Given rules" not in str(
        tacit.generalize(table(), k=4, l=2, knowledge={"rules": [SMALL]}, key=KEY)
    )


def test_whoever_knows_rules_about_few_is_covered() -> None:
    """Four people in C do not have flu: a reader who knows it is one of those whom the promise is about."""
    for known in (None, {"rules": [SMALL]}):
        release = tacit.generalize(table(), k=5, l=2, knowledge=known, key=KEY)
        assert {(rule.when[0][1], rule.value) for rule in release.knowledge} == {("B", "gout"), ("C", "flu")}
        assert release.risk().vulnerable == 0
