"""Rules releases with one fault each: all are caught, and a clean release raises no alarm."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit_verify.verifying import verify


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a release, its private record and the original."""
    folder = tmp_path_factory.mktemp("rules")
    rng = np.random.default_rng(3)
    n = 4_000
    age, sex, town = rng.integers(0, 4, n), rng.integers(0, 2, n), rng.integers(0, 5, n)
    chance = 0.35 + 0.12 * age + 0.1 * sex
    frame = pl.DataFrame(
        {
            "age": [f"a{x}" for x in age],
            "sex": ["m" if x else "f" for x in sex],
            "town": [f"t{x}" for x in town],
            "illness": np.where(rng.random(n) < chance, "flu", np.where(rng.random(n) < 0.5, "cold", "none")),
        }
    )
    frame.write_csv(folder / "people.csv")
    table = tacit.read_table(folder / "people.csv", quasi=["age", "sex", "town"], sensitive="illness")
    release = tacit.safe_rules(
        table, min_support=0.01, min_confidence=0.5, max_posterior=0.9, k=30, distribution=True
    )
    assert release.utility().with_scores > 3
    release.save(folder / "out")
    return folder


@pytest.fixture
def copy(published: Path, tmp_path: Path) -> Path:
    shutil.copytree(published, tmp_path / "copy")
    return tmp_path / "copy"


def _failed(folder: Path) -> list[str]:
    return [check.name for check in verify(folder / "out", folder / "people.csv") if check.ok is False]


def _edit(
    folder: Path, *, rules: Callable[[Any], None] | None = None, manifest: Callable[[Any], None] | None = None
) -> None:
    """Change the published files as a careful forger would: hashes, sizes and the private record follow."""
    path, stated = folder / "out" / "rules.json", folder / "out" / "release.json"
    content, values = json.loads(path.read_text()), json.loads(stated.read_text())
    if rules is not None:
        rules(content)
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    values["files"]["rules.json"] = {"sha256": digest, "bytes": path.stat().st_size}
    if manifest is not None:
        manifest(values)
    stated.write_text(json.dumps(values, ensure_ascii=False, sort_keys=True, indent=2) + "\n")
    record = next(folder.glob("out.private/*"))
    record.rename(record.with_name(hashlib.sha256(stated.read_bytes()).hexdigest()[:16]))


def _edit_record(folder: Path, change: Callable[[Any], None]) -> None:
    path = next(folder.glob("out.private/*/certificate.json"))
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


def test_a_clean_release_passes_every_check(published: Path) -> None:
    checks = verify(published / "out", published / "people.csv")
    assert all(check.ok is not False for check in checks), [check for check in checks if check.ok is False]
    names = {check.name for check in checks}
    assert {"supports", "list of rules", "posterior with silence", "limit, posterior with silence"} <= names


def _scored(content: Any) -> Any:
    return next(rule for rule in content["rules"] if "support" in rule)


def _raise_support(content: Any) -> None:
    _scored(content)["support"] += 1


def _lower_matching(content: Any) -> None:
    _scored(content)["matching"] -= 1


def _below_threshold(content: Any) -> None:
    _scored(content)["support"] = 1


def _another_value(content: Any) -> None:
    rule = _scored(content)
    rule["value"] = next(value for value in content["values"] if value != rule["value"])


def _drop_rule(content: Any) -> None:
    content["rules"].pop()


def _drop_score(content: Any) -> None:
    del _scored(content)["matching"]


def _double(content: Any) -> None:
    content["rules"].insert(0, content["rules"][0])


def _reorder(content: Any) -> None:
    content["rules"].reverse()


def _empty_antecedent(content: Any) -> None:
    content["rules"][0]["antecedent"] = {}


def _foreign_attribute(content: Any) -> None:
    content["rules"][0]["antecedent"] = {"name": "x"}


def _unknown_value(content: Any) -> None:
    content["rules"][0]["value"] = "plague"


def _more_rows(content: Any) -> None:
    content["rows"] += 1


def _other_confidence(content: Any) -> None:
    content["min_confidence"] = "0.6"


def _other_count(content: Any) -> None:
    content["min_support_count"] -= 1


def _other_distribution(content: Any) -> None:
    content["distribution"]["flu"] += 1


def _further_field(content: Any) -> None:
    content["source"] = "people.csv"


def _claim_complete(content: Any) -> None:
    content["complete"] = not content["complete"]


RULE_FAULTS = [
    _raise_support, _lower_matching, _below_threshold, _another_value, _drop_rule, _drop_score, _double,
    _reorder, _empty_antecedent, _foreign_attribute, _unknown_value, _more_rows, _other_confidence,
    _other_count, _other_distribution, _further_field, _claim_complete,
]  # fmt: skip


@pytest.mark.tally("planted faults", "rules")
@pytest.mark.parametrize("fault", RULE_FAULTS, ids=lambda fault: fault.__name__.strip("_"))
def test_faults_in_the_rules_are_caught(copy: Path, fault: Callable[[Any], None]) -> None:
    _edit(copy, rules=fault)
    assert _failed(copy)


def _tighter(values: Any) -> None:
    values["promise"]["max_posterior"] = 0.6


def _lower_risk(values: Any) -> None:
    values["promise"]["max_posterior"] = values["risks"]["max_posterior"] = 0.6


def _fewer_channels(values: Any) -> None:
    values["risks"]["channels"] -= 1


def _no_channels_promised(values: Any) -> None:
    values["promise"]["min_group"] = 30


def _residual(values: Any) -> None:
    values["risks"]["residual_below"] = 1e-3


def _published(values: Any) -> None:
    values["utility"]["published"] += 1


MANIFEST_FAULTS = [_tighter, _lower_risk, _fewer_channels, _no_channels_promised, _residual, _published]


@pytest.mark.tally("planted faults", "rules")
@pytest.mark.parametrize("fault", MANIFEST_FAULTS, ids=lambda fault: fault.__name__.strip("_"))
def test_faults_in_the_manifest_are_caught(copy: Path, fault: Callable[[Any], None]) -> None:
    _edit(copy, manifest=fault)
    assert _failed(copy)


def _scaled_multiplier(record: Any) -> None:
    record["readers"][0]["statements"][0]["multiplier"] *= 1.05


def _missing_multiplier(record: Any) -> None:
    record["readers"][1]["statements"].pop()


def _one_reader(record: Any) -> None:
    record["readers"].pop()


def _invented_statement(record: Any) -> None:
    statement = {"antecedent": {"age": "a0", "sex": "m", "town": "t0"}, "value": "cold", "multiplier": -0.5}
    record["readers"][1]["statements"].append(statement)


def _false_certainty(record: Any) -> None:
    record["readers"][0]["closed"].append({"combination": ["a0", "m", "t0"], "values": ["flu"]})


RECORD_FAULTS = [_scaled_multiplier, _missing_multiplier, _one_reader, _invented_statement, _false_certainty]


@pytest.mark.tally("planted faults", "rules")
@pytest.mark.parametrize("fault", RECORD_FAULTS, ids=lambda fault: fault.__name__.strip("_"))
def test_a_posterior_that_is_not_the_one_of_largest_entropy_is_caught(
    copy: Path, fault: Callable[[Any], None]
) -> None:
    _edit_record(copy, fault)
    assert _failed(copy)


def test_another_original_is_caught(copy: Path) -> None:
    text = (copy / "people.csv").read_text().splitlines()
    text[1] = text[2]
    (copy / "people.csv").write_text("\n".join(text) + "\n")
    assert _failed(copy)


def test_without_the_original_the_file_is_checked_alone(published: Path) -> None:
    names = {check.name for check in verify(published / "out")}
    assert "scores" in names and "supports" not in names


def test_without_the_record_the_readers_are_not_looked_at(copy: Path) -> None:
    shutil.rmtree(copy / "out.private")
    found = {check.name: check for check in verify(copy / "out", copy / "people.csv")}
    assert found["supports"].ok and found["readers"].verdict == "not checked"


def test_a_bound_that_is_not_reached_is_caught(copy: Path) -> None:
    """A multiplier of nearly nothing on a constraint that has room to spare."""

    def plant(record: Any) -> None:
        reader = next(reader for reader in record["readers"] if reader["silence"])
        known = {(tuple(entry["antecedent"].items()), entry["value"]) for entry in reader["statements"]}
        free = next(
            (town, value)
            for town in ("t0", "t1", "t2", "t3", "t4")
            for value in ("cold", "none")
            if ((("town", town),), value) not in known
        )
        statement = {"antecedent": {"town": free[0]}, "value": free[1], "multiplier": -1e-12}
        reader["statements"].append(statement)

    _edit_record(copy, plant)
    found = {check.name: check.detail for check in verify(copy / "out", copy / "people.csv")}
    assert "bound that is not reached" in found["posterior with silence"]


def test_a_promised_divergence_is_checked(copy: Path) -> None:
    def plant(values: Any) -> None:
        values["promise"] = {"min_divergence": 5.0}

    _edit(copy, manifest=plant)
    assert {"limit, posterior with silence", "limit, posterior without silence"} <= set(_failed(copy))


SCORES: dict[str, list[Any]] = {
    "are no counts": [({"age": "a1"}, "flu", 100, 0)],
    "does not reach": [({"age": "a1"}, "flu", 100, 2)],
    "more people hold": [({"age": "a1"}, "cold", 100, 60), ({"age": "a1"}, "flu", 100, 60)],
    "more general rule": [({"age": "a1", "sex": "f"}, "flu", 90, 61), ({"age": "a1"}, "flu", 100, 60)],
}


@pytest.mark.parametrize("complaint", SCORES)
def test_scores_that_cannot_be_true(copy: Path, complaint: str) -> None:
    def plant(content: Any) -> None:
        names = ("antecedent", "value", "matching", "support")
        content["rules"] = [dict(zip(names, rule, strict=True)) for rule in SCORES[complaint]]

    _edit(copy, rules=plant)
    found = {check.name: check.detail for check in verify(copy / "out")}
    assert complaint in found["scores"]
