"""Rules and a bucketized table read together: as the definition has it, and worse than either."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tests.oracles.entropy import Row, posterior


def _people(seed: int, n_rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 3, n_rows)
    disease = np.where(rng.random(n_rows) < 0.5, age, rng.integers(0, 4, n_rows))
    return pl.DataFrame(
        {
            "age": [f"a{x}" for x in age],
            "sex": [f"s{x}" for x in rng.integers(0, 2, n_rows)],
            "disease": [f"d{x}" for x in disease],
        }
    )


def _table(frame: pl.DataFrame) -> tacit.Table:
    return tacit.table_from_frame(frame, quasi=["age", "sex"], sensitive="disease")


@pytest.mark.parametrize("seed", range(3))
def test_both_together_are_one_maximum_entropy_problem(seed: int, tmp_path: Path) -> None:
    frame = _people(seed, 16)
    table = _table(frame)
    tacit.bucketize(table, l=2, algorithm="anatomy", key=tacit.Key.from_seed(seed)).save(tmp_path / "out")
    rules = tacit.mine_rules(table, min_support=2, min_confidence=0.3)
    found = tacit.disclose(table, rules=rules, bucketized=tmp_path / "out", nar=False)

    people = pl.read_csv(tmp_path / "out" / "qit.csv", infer_schema=False).to_dicts()
    held = pl.read_csv(tmp_path / "out" / "st.csv").to_dicts()
    units = sorted({(row["age"], row["sex"], row["group"]) for row in people})
    weights = [sum((row["age"], row["sex"], row["group"]) == unit for row in people) for unit in units]
    values = sorted(frame["disease"].unique().to_list())
    rows = []
    for group in sorted({unit[2] for unit in units}):
        inside = tuple(place for place, unit in enumerate(units) if unit[2] == group)
        for code, value in enumerate(values):
            count = sum(
                row["count"] for row in held if str(row["group"]) == group and row["disease"] == value
            )
            rows.append(Row(inside, code, float(count), float(count)))
    outside = len(frame) - sum(weights)
    assert outside == 0
    for rule in rules:
        items = dict(item.split(" = ") for item in rule.antecedent)
        inside = tuple(
            place
            for place, (age, sex, _) in enumerate(units)
            if items.get("age", age) == age and items.get("sex", sex) == sex
        )
        code = values.index(rule.consequent[0].split(" = ")[1])
        rows.append(Row(inside, code, float(rule.support), float(rule.support)))
    wanted = posterior(weights, len(values), rows)
    assert wanted is not None
    for place in range(len(found.population)):
        who = found.combination(place)
        mine = [at for at, (age, sex, _) in enumerate(units) if (age, sex) == (who["age"], who["sex"])]
        share = np.average(wanted[mine], axis=0, weights=[weights[at] for at in mine])
        np.testing.assert_allclose(found.posterior[place], share, atol=1e-6)


def test_rules_and_table_together_tell_more_than_either(tmp_path: Path) -> None:
    table = tacit.load_sample("hospital:1000")
    tacit.bucketize(table, l=3, key=tacit.Key.from_seed(1)).save(tmp_path / "out")
    rules = tacit.mine_rules(table, min_support=5, min_confidence=0.08)
    alone = tacit.disclose(table, rules=rules)
    only = tacit.disclose(table, rules=[], bucketized=tmp_path / "out")
    both = tacit.disclose(table, rules=rules, bucketized=tmp_path / "out")
    assert both.entropy < min(alone.entropy, only.entropy)
    assert both.max_posterior > max(alone.max_posterior, only.max_posterior)
    stated = json.loads((tmp_path / "out" / "release.json").read_text())["risks"]["posterior"]
    assert any("matching posterior" in note for note in both.notes) == (stated is not None)


def test_another_table_or_release_is_refused(tmp_path: Path) -> None:
    table = _table(_people(1, 40))
    tacit.bucketize(table, l=2, algorithm="anatomy", key=tacit.Key.from_seed(1)).save(tmp_path / "out")
    other = _table(_people(2, 40))
    with pytest.raises(tacit.InputError, match="not of this table"):
        tacit.disclose(other, rules=[], bucketized=tmp_path / "out")
    with pytest.raises(tacit.InputError):
        tacit.disclose(table, rules=[], bucketized=tmp_path)
