"""How many values everybody could have, counted again from published files by code that shares nothing."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.io.hierarchies import read_hierarchies
from tacit.random.key import Key
from tacit_verify import verify
from tests.oracles.assignments import valid_by_matching
from tests.oracles.classes_of_files import fewest_values, known_rules, valid_values
from tests.paper.test_table_lattice import COLUMNS, QUASI

KEY = Key.from_seed(3)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.frozensets(st.integers(0, 3), max_size=3)), max_size=6))
def test_the_count_agrees_with_matchings(drawn: list[tuple[int, frozenset[int]]]) -> None:
    values, barred = [one[0] for one in drawn], [one[1] - {one[0]} for one in drawn]
    texts = valid_values([str(value) for value in values], [frozenset(map(str, one)) for one in barred])
    expected = valid_by_matching(values, [set(one) for one in barred])
    assert texts == [{str(value) for value in one} for one in expected]


@pytest.mark.parametrize("recoding", ["local", "global", "subtree", "cells"])
def test_the_files_leave_everybody_as_many_values_as_stated(recoding: str, tmp_path: Path) -> None:
    patients = tacit.load_sample("hospital:400")
    tacit.write_table(patients, tmp_path / "original.csv")
    with (tmp_path / "original.csv").open(encoding="utf-8", newline="") as lines:
        original = list(csv.DictReader(lines))
    rules = None
    for readers in ("rules", "nothing"):
        release = tacit.generalize(patients, k=4, l=3, recoding=recoding, readers=readers, key=KEY)
        release.save(tmp_path / readers, acknowledge_composition=True, reason="a test")
        rules = rules or known_rules(tmp_path / readers)
        found = fewest_values(tmp_path / readers, original, rules)
        few = sum(values < 3 for values in found)
        assert few == release.risk().vulnerable
        assert few == 0 or readers == "nothing"
        assert release.risk().vulnerable_longer >= few
        checks = {check.name: check for check in verify(tmp_path / readers, tmp_path / "original.csv")}
        assert readers == "nothing" or checks["ℓ with rules"].detail == f"at least {min(found)} valid values"


def test_rules_about_nodes_that_are_not_on_record_are_not_checked(tmp_path: Path) -> None:
    patients = tacit.load_sample("hospital:400")
    tacit.write_table(patients, tmp_path / "original.csv")
    tacit.generalize(patients, k=4, l=3, recoding="cells", key=KEY).save(tmp_path / "out")
    (file,) = (tmp_path / "out.private").glob("*/knowledge.csv")
    file.unlink()
    checks = {check.name: check for check in verify(tmp_path / "out", tmp_path / "original.csv")}
    assert checks["ℓ with rules"].ok is None and "age = " in checks["ℓ with rules"].detail


@pytest.mark.ci
def test_adult_with_rules_of_occupation(public_data: Path, tmp_path: Path) -> None:
    """Nobody has fewer than three valid values; in classes of three distinct ones some have."""
    file = public_data / "adult" / "adult.data"
    frame = pl.read_csv(file, has_header=False, new_columns=COLUMNS, infer_schema=False)
    frame = frame.with_columns(pl.all().str.strip_chars()).filter(~pl.any_horizontal(pl.all() == "?"))
    quasi = [name for name in QUASI if name != "occupation"]
    trees = read_hierarchies(public_data / "adult" / "hierarchies", quasi)
    table = tacit.table_from_frame(frame, quasi=quasi, sensitive="occupation", hierarchies=trees)
    rules, found = None, {}
    for readers in ("rules", "nothing"):
        release = tacit.generalize(table, k=5, l=3, readers=readers, key=KEY)
        release.save(tmp_path / readers, acknowledge_composition=True, reason="a test")
        rules = rules or known_rules(tmp_path / readers)
        values = fewest_values(tmp_path / readers, frame.to_dicts(), rules)
        found[readers] = sum(value < 3 for value in values)
        assert found[readers] == release.risk().vulnerable
    assert found["rules"] == 0 < found["nothing"]
