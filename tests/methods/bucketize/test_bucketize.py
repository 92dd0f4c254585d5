"""The verb: releases hold what the table held, in an order that says nothing, and refuse what they must."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.table import Table, table_from_frame
from tacit.errors import InfeasibleError, InputError, ParameterError, ResourceError, UsageError
from tacit.methods.bucketize.solve.solve import bytes_for
from tacit.methods.bucketize.verb import bucketize
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key
from tacit.release.kinds import rule_words
from tacit_verify.verifying import verify
from tests.cases import cases
from tests.methods.bucketize.releases import patients, published_bytes, random_table, write
from tests.tally import Tally

KEY = Key.from_seed(7)
MALE = "sex=M => not disease=Ovarian Cancer"


def rows(frame: pl.DataFrame, names: list[str]) -> Counter[tuple[object, ...]]:
    return Counter(frame.select(names).iter_rows())


def failures(folder: Path, original: Path | None = None) -> list[str]:
    return [f"{check.name}: {check.detail}" for check in verify(folder, original) if check.ok is False]


@pytest.mark.parametrize(
    ("method", "form"),
    [
        ("injector", "qit"),
        ("anatomy", "permuted"),
        pytest.param("injector", "permuted", marks=pytest.mark.ci),
        pytest.param("anatomy", "qit", marks=pytest.mark.ci),
    ],
)
def test_random_tables_keep_their_rows_and_pass_the_verifier(
    tmp_path: Path, form: str, method: str, tally: Tally
) -> None:
    generator = np.random.Generator(np.random.PCG64(len(form) + len(method)))
    made = 0
    for number in range(cases(120)):
        sensitive = 1 + number % 2
        table = random_table(generator, rows=int(generator.integers(8, 50)), sensitive=sensitive)
        try:
            release = bucketize(
                table, l=2 + number % 2, algorithm=method, form=form, key=KEY, on_infeasible="suppress",
                max_posterior_suppressed=0.9,
            )  # fmt: skip
        except InfeasibleError:
            continue
        made += 1
        original = table.to_polars()
        shown, hidden = ["sex", "age", "note"], [f"s{place}" for place in range(sensitive)]
        frames = release.published()
        public = frames["table" if form == "permuted" else "qit"]
        assert public.columns[:4] == [*shown, "group"]
        values = (
            rows(public, hidden)
            if form == "permuted"
            else Counter(
                value
                for line in frames["st"].iter_rows(named=True)
                for value in [tuple(line[name] for name in hidden)] * line["count"]
            )
        )
        missing = rows(original, shown) - rows(public, shown)
        assert not rows(public, shown) - rows(original, shown)
        assert missing.total() == release.plan.n_suppressed
        assert not values - rows(original, hidden) and values.total() == len(public)
        folder = write(release, tmp_path / str(number))
        original.write_csv(tmp_path / f"{number}.csv")
        assert failures(folder, tmp_path / f"{number}.csv") == []
    tally("random inputs verified", "bucketize", tried=made)
    assert made > cases(60)


@pytest.mark.parametrize("form", ["qit", pytest.param("permuted", marks=pytest.mark.ci)])
def test_the_order_of_rows_does_not_matter(tmp_path: Path, form: str) -> None:
    generator = np.random.Generator(np.random.PCG64(40))
    for number in range(12):
        table = random_table(generator, rows=60, sensitive=1 + number % 2)
        shuffled = table_from_frame(
            table.to_polars().select(pl.all().shuffle(seed=number)),
            quasi=table.roles.quasi,
            sensitive=table.roles.sensitive,
            keep=table.roles.keep,
        )
        for method in ("injector", "anatomy"):
            made = [
                published_bytes(
                    bucketize(data, l=2, algorithm=method, form=form, key=KEY),
                    tmp_path / f"{number}{method}{place}",
                )
                for place, data in enumerate((table, shuffled))
            ]
            assert made[0] == made[1]


def test_another_key_gives_another_release(tmp_path: Path) -> None:
    table = tacit.load_sample("hospital:300")
    assert isinstance(table, Table)
    first, again, other = (
        published_bytes(bucketize(table, l=3, key=Key.from_seed(seed)), tmp_path / str(place))["qit.csv"]
        for place, seed in enumerate((1, 1, 2))
    )
    assert first == again != other


def test_identifiers_and_columns_without_a_role_are_gone(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "name": [f"CANARY{number}" for number in range(12)],
            "diary": [f"canary-{number}" for number in range(12)],
            "sex": ["f", "m"] * 6,
            "disease": ["a", "b", "c"] * 4,
        }
    )
    table = table_from_frame(frame, quasi=["sex"], sensitive="disease", identifiers=["name"])
    release = bucketize(table, l=2, key=KEY)
    release.save(tmp_path / "out")
    assert release.published()["qit"].columns == ["sex", "group"]
    for path in [*(tmp_path / "out").rglob("*"), *(tmp_path / "out.private").rglob("*")]:
        if path.is_file():
            assert b"canary" not in path.read_bytes().lower()


def test_rules_added_are_stated_and_rules_dropped_are_not(tmp_path: Path) -> None:
    table = tacit.load_sample("hospital:600")
    assert isinstance(table, Table)
    mined = mine_negative_rules(table)
    dropped = str(mined[0])
    rules = mine_negative_rules(table, drop_rules=[dropped], rules=["sex=male => not disease=childbirth"])
    bucketize(table, l=3, knowledge=rules, key=KEY).save(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "release.json").read_text())
    stated = {rule_words(rule): rule["given"] for rule in manifest["reader"]["rules"]}
    assert stated["sex = male ⇒ ¬ disease = childbirth"] is True
    assert dropped not in stated and len(stated) == len(rules)
    record = next((tmp_path / "out.private").glob("*/record.json"))
    assert json.loads(record.read_text())["dropped_rules"] == [dropped]
    assert dropped not in (tmp_path / "out" / "release.json").read_text()


def test_missing_values_and_empty_texts_are_values_of_their_own(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "sex": ["f", None, "", "m"] * 6,
            "disease": [None, "d", "a", "b", "c", "a"] * 4,
        }
    )
    alike = frame.with_columns(pl.col("disease").replace("d", ""))  # an empty cell, twice
    with pytest.raises(InputError) as caught:
        bucketize(table_from_frame(alike, quasi=["sex"], sensitive="disease"), l=2, key=KEY)
    assert caught.value.code == "sensitive-twins"
    table = table_from_frame(frame, quasi=["sex"], sensitive="disease")
    for form in ("qit", "permuted"):
        release = bucketize(table, l=4, form=form, key=KEY)
        folder = write(release, tmp_path / form)
        tacit.write_table(frame, tmp_path / f"{form}.csv")
        assert failures(folder, tmp_path / f"{form}.csv") == []


def test_many_sensitive_values(tmp_path: Path) -> None:
    """150 values, some of which some people cannot have."""
    generator = np.random.Generator(np.random.PCG64(41))
    sex = generator.integers(0, 2, 3_000)
    value = np.where(sex == 0, generator.integers(0, 120, 3_000), generator.integers(30, 150, 3_000))
    frame = pl.DataFrame({"sex": np.array(["f", "m"])[sex], "code": [f"c{number:03}" for number in value]})
    table = table_from_frame(frame, quasi=["sex"], sensitive="code")
    rules = mine_negative_rules(table, min_expectation=0.9)
    assert len(rules) > 40
    release = bucketize(table, l=20, knowledge=rules, key=KEY)
    assert release.risk().vulnerable == 0
    anatomy = release.risk().anatomy
    assert anatomy is not None and anatomy.vulnerable > 100
    assert failures(write(release, tmp_path / "out")) == []


def test_each_of_several_sensitive_attributes_keeps_l(tmp_path: Path) -> None:
    """(HIV, 10K), (HIV, 20K), (HIV, 30K) is three values and no diversity of diseases at all."""
    generator = np.random.Generator(np.random.PCG64(42))
    frame = pl.DataFrame(
        {
            "age": [str(number) for number in generator.integers(20, 30, 90)],
            "disease": ["HIV", "flu", "flu"] * 30,
            "salary": [f"{number}K" for number in generator.integers(1, 9, 90)],
        }
    )
    table = table_from_frame(frame, quasi=["age"], sensitive=["disease", "salary"])
    release = bucketize(table, l=2, key=KEY)
    assert failures(write(release, tmp_path / "out")) == []
    held = release.published()["st"]
    per_group = held.group_by("group").agg(pl.col("disease").n_unique(), pl.col("salary").n_unique())
    assert int(per_group["disease"].min()) >= 2 and int(per_group["salary"].min()) >= 2  # type: ignore[arg-type]
    with pytest.raises(InfeasibleError, match="largest feasible ℓ is 2"):
        bucketize(table, l=3, key=KEY)


def test_values_that_the_memory_has_no_room_for_are_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = pl.DataFrame(
        {"age": [str(age) for age in range(400)], "pay": [f"{1000 + 37 * age % 400}.5" for age in range(400)]}
    )
    table = table_from_frame(frame, quasi=["age"], sensitive="pay")
    needed = bytes_for(values=400, known=400, combinations=400, rules=0)
    monkeypatch.setattr("tacit.methods.bucketize.solve.solve.machine_bytes", lambda: needed)
    assert bucketize(table, l=3, key=KEY).risk().vulnerable == 0
    monkeypatch.setattr("tacit.methods.bucketize.solve.solve.machine_bytes", lambda: needed - 1)
    with pytest.raises(ResourceError, match="'pay' has 400 different values") as refused:
        bucketize(table, l=3, key=KEY)
    assert refused.value.code == "too-many-values" and "bands" in str(refused.value.hint)


def test_a_bound_on_the_posterior_is_kept_and_verified(tmp_path: Path) -> None:
    table = tacit.load_sample("hospital:300")
    assert isinstance(table, Table)
    for method in ("injector", "anatomy"):
        release = bucketize(table, l=2, algorithm=method, max_posterior=0.25, key=KEY)
        assert release.manifest.promise == {"l": 2, "max_posterior": "1/4"}
        assert failures(write(release, tmp_path / method)) == []
    assert bucketize(table, l=2, max_posterior=0.25, key=KEY).risk().release.posterior.largest <= 0.25


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("l", 1), ("l", 0), ("l", -3), ("l", True), ("l", 2.5), ("l", float("nan")), ("algorithm", "mondrian"),
     ("form", "csv"), ("max_posterior", 0), ("max_posterior", 1.5), ("max_posterior", float("nan")),
     ("on_infeasible", "ignore")],
)  # fmt: skip
def test_parameters_outside_their_range(parameter: str, value: object) -> None:
    asked = {"l": 2, parameter: value}
    with pytest.raises(ParameterError, match=f"The '{parameter}' parameter of bucketize must be"):
        bucketize(patients(), **asked)  # type: ignore[arg-type]


def test_what_cannot_be_met_is_refused_with_what_can() -> None:
    with pytest.raises(InfeasibleError) as raised:
        bucketize(patients(), l=5, key=KEY)
    assert raised.value.code == "infeasible-l" and "largest feasible ℓ is" in str(raised.value)
    with pytest.raises(InfeasibleError, match="is in 3 of 9 rows"):
        bucketize(patients(), l=4, algorithm="anatomy", key=KEY)
    with pytest.raises(InfeasibleError, match="No part of the table"):
        bucketize(patients(), l=9, on_infeasible="suppress", max_posterior_suppressed=0.9, key=KEY)


def test_tables_and_knowledge_that_do_not_fit() -> None:
    table = patients()
    with pytest.raises(UsageError) as raised:
        bucketize(table.with_roles(quasi=()), l=2, key=KEY)
    assert raised.value.code == "roles-missing"
    taken = table_from_frame(pl.DataFrame({"group": ["a"], "s": ["b"]}), quasi=["group"], sensitive="s")
    with pytest.raises(UsageError) as raised:
        bucketize(taken, l=2, key=KEY)
    assert raised.value.code == "column-name-taken"
    with pytest.raises(InputError) as missing:
        bucketize(table.take(np.zeros(9, dtype=bool)), l=2, key=KEY)
    assert missing.value.code == "no-rows"
    doubtful = mine_negative_rules(table, min_confidence=0.5, min_expectation=0.5)
    with pytest.raises(UsageError) as raised:
        bucketize(table, l=2, knowledge=doubtful, key=KEY)
    assert raised.value.code == "knowledge-uncertain"
    elsewhere = mine_negative_rules(tacit.load_sample("hospital:200"))  # type: ignore[arg-type]
    with pytest.raises(UsageError) as raised:
        bucketize(table, l=2, knowledge=elsewhere, key=KEY)
    assert raised.value.code == "knowledge-other-table"
    rules = mine_negative_rules(table, rules=[MALE])
    flu = list(table.column("disease").texts).index("Flu")
    false = replace(rules, values=np.full_like(rules.values, flu))  # men have the flu
    with pytest.raises(InputError) as wrong:
        bucketize(table, l=2, knowledge=false, key=KEY)
    assert wrong.value.code == "knowledge-contradicted"


def test_json_has_the_names_that_scripts_rely_on() -> None:
    release = bucketize(tacit.load_sample("hospital:300"), l=3, key=KEY)  # type: ignore[arg-type]
    figures = release.to_dict()
    names = {"method", "rows", "l", "buckets", "suppressed", "rules", "vulnerable", "vulnerable_anatomy",
             "max_posterior", "learning_attack", "seconds"}  # fmt: skip
    assert names <= set(figures)
    assert set(figures["learning_attack"]) == {"accuracy", "baseline", "surest"}
    assert set(figures["seconds"]) == {"mine", "count", "solve", "apply"}
    assert figures["rows"] == 300 and figures["vulnerable"] == 0 and figures["vulnerable_anatomy"] > 0
    json.dumps(figures)
    assert "What readers could learn" in str(release.risk())
    assert "counting queries" in str(release.utility(release.original))
