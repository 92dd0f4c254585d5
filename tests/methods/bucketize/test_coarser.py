"""Buckets of coarser quasi-identifiers: k rows look alike, ℓ values are valid by the exact ones."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.hierarchy import from_parents
from tacit.data.table import Table
from tacit.engine.local.engine import LocalEngine
from tacit.errors import InfeasibleError, UsageError
from tacit.judging.queries import code_ends, counted, random_queries
from tacit.methods.bucketize.solve.areas import Splitting, areas_of
from tacit.methods.bucketize.solve.ground import Area, ground_of, keyed_companions
from tacit.methods.bucketize.solve.solve import count_classes
from tacit.recoding.coarser import coarser
from tacit.release.kinds import rule_words
from tacit.surface.cli import main
from tacit_verify import verdict_of, verify
from tests.keys import secret_key
from tests.oracles.assignments import valid_by_matching
from tests.soak.random_releases import write
from tests.verify.forgery import Forgery

KEY = secret_key(5)
QUASI = ["zip", "age", "sex"]


@pytest.fixture(scope="module")
def patients() -> Table:
    return tacit.load_sample("hospital:400")


def made(place: Path, patients: Table, **asked: Any) -> Forgery:
    tacit.write_table(patients, place / "original.csv")
    release = tacit.bucketize(patients, l=3, k=4, key=KEY, **asked)
    return Forgery(write(release, place / "out"), place / "original.csv")


def broken(forged: Forgery, original: Path | None = None) -> list[str]:
    forged.seal()
    return [check.name for check in verify(forged.folder, original) if check.ok is False]


@pytest.mark.parametrize("rules", [True, False])
def test_rows_that_look_alike_are_in_one_area(rules: bool) -> None:
    """A reader who rebuilds the areas looks for somebody among all rows that look alike."""
    published = coarser(tacit.load_sample("hospital:2000"), 5, LocalEngine())
    known = tacit.mine_negative_rules(published.table) if rules else None
    found = count_classes(published.table, known, LocalEngine(), KEY)
    alike = published.alike(found.combinations)
    shown = zip(*(column.codes.tolist() for column in published.shown(found.combinations)), strict=True)
    assert len(set(zip(alike.tolist(), shown, strict=True))) == len(set(alike.tolist()))
    companions = keyed_companions(found.combinations, found.known, KEY)
    ground = ground_of(found.combinations, found.known, found.classes, found.class_of, companions, alike)
    whole = Area(np.arange(len(alike)), found.combinations.counts)
    areas = areas_of(ground, whole, Splitting(3, 0.4), lambda trial: False)
    assert len(areas) > 1
    places = Counter(number for area in areas for number in set(alike[area.combinations].tolist()))
    assert set(places.values()) == {1}


@pytest.mark.parametrize("form", ["qit", "permuted"])
@pytest.mark.parametrize("algorithm", ["injector", "anatomy"])
def test_both_promises_are_kept(form: str, algorithm: str, patients: Table, tmp_path: Path) -> None:
    forged = made(tmp_path, patients, form=form, algorithm=algorithm)
    found = verify(forged.folder, forged.original)
    assert verdict_of([check for check in found if check.name != "silence"]) == "kept"
    rows = (
        pl.read_csv(forged.folder / ("qit.csv" if form == "qit" else "table.csv"), infer_schema=False)
        .select(QUASI)
        .rows()
    )
    assert min(Counter(rows).values()) >= 4
    open_without = [check.name for check in verify(forged.folder) if check.ok is None]
    assert ("ℓ with rules" in open_without) == (algorithm == "injector")


def test_what_rules_exclude_follows_from_exact_values(patients: Table) -> None:
    """An independent count: the values valid for the rows of a bucket by their exact quasi-identifiers."""
    release = tacit.bucketize(patients, l=3, k=4, key=KEY)
    rules = release.knowledge
    assert rules is not None
    buckets = release.buckets
    combinations, own = buckets.combinations
    forbidden = rules.forbidden(combinations, "disease")[own]
    held = patients.column("disease").codes[buckets.rows]
    for number in range(buckets.n_buckets):
        inside = np.flatnonzero(buckets.groups == number)
        barred = [set(np.flatnonzero(forbidden[row]).tolist()) for row in inside]
        for values in valid_by_matching(held[inside].tolist(), barred):
            assert len(values) >= 3


def test_what_follows_from_exact_values_is_stated_roughly(patients: Table) -> None:
    """Nobody can count these again from coarse rows: stated exactly, they would tell whose row is which."""
    release = tacit.bucketize(patients, l=3, k=4, key=KEY).complete()
    stated, exact = release.manifest.risks, release.figures["risks"]
    for name in ("valid_values", "posteriors"):
        assert [bar["rows"] % 10 for bar in stated[name]] == [0] * len(stated[name])
        assert stated[name] != exact[name], "exactly, they differ"
    for name in ("largest", "above"):
        assert stated["posterior"][name] == float(f"{exact['posterior'][name]:.2g}")
    counts = (stated["vulnerable"], stated["posterior"]["sampled_buckets"])
    assert [count % 10 for count in counts] == [0, 0]
    assert stated["rules"] is None and exact["rules"] > 0
    few = tacit.bucketize(tacit.load_sample("hospital:90"), l=2, k=4, key=KEY).complete().manifest.risks
    assert few["posterior"] is None
    assert not {"valid_values", "posteriors"} & few.keys()


def test_nothing_exact_is_published(patients: Table, tmp_path: Path) -> None:
    forged = made(tmp_path, patients)
    shown = {cell for line in forged.lines("qit.csv") for cell in line.split(",")[:3]}
    exact = {text for name in QUASI for text in patients.column(name).texts}
    below = {text for text in exact if text in shown}
    listed = {line.split(",")[1] for line in forged.lines("hierarchies.csv")}
    assert exact & listed == below
    assert forged.m["reader"]["nodes"] == {}


def test_k_changes_what_is_shown_and_not_who_could_have_what(patients: Table) -> None:
    plain = tacit.bucketize(patients, l=3, key=KEY)
    coarse = tacit.bucketize(patients, l=3, k=4, key=KEY)
    assert coarse.risk().vulnerable == plain.risk().vulnerable == 0
    assert coarse.risk().release.unique == 0 < plain.risk().release.unique
    assert coarse.utility().figures.rules_valid is None
    assert coarse.to_dict()["k"] == 4


@pytest.mark.parametrize(
    ("name", "change", "caught"),
    [
        ("k", lambda f: f.m["promise"].update(k=399) or f.m["parameters"].update(k=399), "k"),
        ("only one of them", lambda f: f.m["promise"].update(k=3), "promise"),
        ("k of 1", lambda f: f.m["promise"].update(k=1) or f.m["parameters"].update(k=1), "promise"),
        (
            "a node more",
            lambda f: f.put("hierarchies.csv", [*f.lines("hierarchies.csv"), "zip,zz,*"]),
            "nodes",
        ),
        (
            "values of a node",
            lambda f: f.m["reader"]["nodes"].update(sex={"male": ["male"]}),
            "stated rules",
        ),
    ],
)
def test_tampering_is_caught(name: str, change: Any, caught: str, patients: Table, tmp_path: Path) -> None:
    forged = made(tmp_path, patients)
    change(forged)
    assert caught in broken(forged)


def test_what_mined_and_given_rules_say_together_is_not_given(patients: Table) -> None:
    """Where values are joined, rules are put together: of those that are stated all parts were given."""
    mined = tacit.mine_negative_rules(patients)
    given = [str(rule) for rule in mined][::2]
    known = mined.with_changes(patients, added=given)
    for rules in (mined, known):
        release = tacit.bucketize(patients, l=2, k=4, knowledge=rules, join_values=True, key=KEY)
        stated = {rule_words(rule) for rule in release.manifest.reader["rules"]}
        assert stated <= set(given)
        assert bool(stated) == known.given.any() if rules is known else not stated


def test_a_row_map_of_other_rows_is_caught(patients: Table, tmp_path: Path) -> None:
    forged = made(tmp_path, patients)
    path = forged.record() / "rows.csv"
    header, first, *rest = path.read_text().splitlines()
    cells = first.split(",")
    path.write_text("\n".join([header, ",".join([cells[0], cells[1], "*", "*", "*"]), *rest]) + "\n")
    assert broken(forged, forged.original) == ["rows and the original"]


def test_without_the_record_rules_are_not_checked(patients: Table, tmp_path: Path) -> None:
    forged = made(tmp_path, patients)
    assert "ℓ with rules" in [check.name for check in verify(forged.folder) if check.ok is None]
    for name in ("rows.csv", "hierarchies.csv", "rules.json"):
        path = forged.record() / name
        away = path.rename(tmp_path / name)
        found = {check.name: check.ok for check in verify(forged.folder, forged.original)}
        assert found["rows and the original"] is None
        away.rename(path)
    for path in forged.record().iterdir():
        path.unlink()
    found = verify(forged.folder, forged.original)
    assert "rows and the original" in [check.name for check in found if check.ok is None]


def test_k_beyond_the_rows_is_refused(patients: Table) -> None:
    with pytest.raises(InfeasibleError, match="fewer than k") as error:
        tacit.bucketize(patients, l=3, k=401, key=KEY)
    assert error.value.code == "infeasible-k"
    with pytest.raises(UsageError, match="on_infeasible"):
        tacit.bucketize(patients, l=3, k=4, on_infeasible="suppress", max_posterior_suppressed=0.5, key=KEY)


def test_k_does_not_go_with_near_partners(patients: Table) -> None:
    with pytest.raises(UsageError, match="near"):
        tacit.bucketize(patients, l=3, k=4, partners="near", key=KEY)


def test_a_dry_run_counts_what_coarser_columns_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tacit.write_table(tacit.load_sample("hospital:3000"), tmp_path / "people.csv")
    roles = ["--quasi", ",".join(QUASI), "--sensitive", "disease"]
    words = ["bucketize", str(tmp_path / "people.csv"), *roles, "-l", "3", "--dry-run", "--json"]
    found = []
    for more in ([], ["-k", "4"]):
        assert main([*words, *more]) == 0
        found.append(json.loads(capsys.readouterr().out)["seconds"])
    assert found[1] > found[0]
    assert main([*words, "-k", "3001"]) == 4


def test_a_node_answers_queries_by_its_values() -> None:
    """Ages 0 to 3 as two nodes: a query for one age matches half of the rows of its node."""
    tree = from_parents({"0": "a", "1": "a", "2": "b", "3": "b", "a": "*", "b": "*"})
    exact = tacit.table_from_frame(pl.DataFrame({"age": ["0", "1", "1", "2", "3"]}), quasi="age")
    shown = tacit.table_from_frame(pl.DataFrame({"age": ["a", "a", "a", "b", "3"]}), quasi="age")
    queries = random_queries(code_ends(exact.known), 1, dimensions=1, selectivity=0.0625, queries=20, seed=3)
    nodes = queries.of_nodes(exact.known, shown.known, {"age": tree})
    truth = counted(exact.known, np.zeros(5, dtype=np.int32), 1, queries)
    answer = counted(shown.known, np.zeros(5, dtype=np.int32), 1, nodes)
    expected = {0: (1, 1.5), 1: (2, 1.5), 2: (1, 0.5), 3: (1, 1.5)}
    wanted = queries.wanted.argmax(axis=1)
    assert [(*pair,) for pair in zip(truth, answer, strict=True)] == [expected[age] for age in wanted]
