"""Stated rules tell of no group of fewer than k rows: which are stated, and what follows from them."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.data.hierarchy import from_parents
from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError
from tacit.mining.silence import unlisted_pairs
from tacit.random.key import Key
from tacit_verify import verdict_of, verify
from tests.keys import secret_key
from tests.oracles.told_groups import leaves, told_groups
from tests.soak.random_releases import write
from tests.tally import Tally
from tests.verify.forgery import Forgery

KEY = secret_key(5)
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


def test_every_group_that_rules_tell_of_has_k_rows(tally: Tally) -> None:
    """A reader who looks through all originals knows of no smaller one: without a least group, of 21."""
    tree, told, stated = from_parents(PARENTS, name="place"), 0, 0
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
        reader = release.manifest.reader
        counts = Counter(frame["place"])
        truth = {node: sum(counts[leaf] for leaf in leaves(PARENTS, node)) for node in PARENTS}
        stated += len(reader["rules"])
        for node, (low, high) in told_groups(PARENTS, release.table.rows(), reader).items():
            assert low <= truth[node] <= high
            told += low > 0 and truth[node] < k
    tally("attacks", "groups that stated rules tell of", wrong=told)
    assert told == 0
    assert stated > 5


def towns() -> pl.DataFrame:
    """Nobody of four people in C has flu, and nobody of twenty in B gout."""
    rows = [("A", "flu")] * 30 + [("A", "gout")] * 12 + [("A", "cold")] * 8
    rows += [("B", "flu")] * 12 + [("B", "cold")] * 8 + [("C", "gout"), ("C", "cold")] * 2
    return pl.DataFrame(rows, schema=["town", "disease"], orient="row")


def table() -> Table:
    return tacit.table_from_frame(towns(), quasi=["town"], sensitive="disease")


def stated(release: Any) -> list[tuple[str, str, bool]]:
    rules = release.manifest.reader["rules"]
    return sorted((rule["when"]["town"], rule["value"], "given" in rule) for rule in rules)


def test_a_rule_about_fewer_rows_than_k_is_not_stated() -> None:
    mined = {(rule.when[0][1], rule.value, rule.count) for rule in tacit.mine_negative_rules(table())}
    assert mined == {("B", "gout", 20), ("C", "flu", 4)}
    for k, rules in ((4, [("B", "gout", False), ("C", "flu", False)]), (5, [("B", "gout", False)])):
        for known in (None, tacit.mine_negative_rules(table())):
            release = tacit.generalize(table(), k=k, l=2, knowledge=known, key=KEY)
            assert stated(release) == rules
            assert release.manifest.reader["mined"]["min_group"] == k
            assert f"about {k} rows or more" in release.manifest.reader_words
    larger = tacit.generalize(table(), k=4, l=2, knowledge={"min_group": 20}, key=KEY)
    assert stated(larger) == [("B", "gout", False)]
    assert larger.manifest.reader["mined"]["min_group"] == 20


def test_rules_leave_a_value_to_k_rows_or_are_not_stated() -> None:
    """Whoever has gout is in C, says what B and A never have: C has four people."""
    frame = towns().filter(~((pl.col("town") == "A") & (pl.col("disease") == "gout")))
    one = tacit.table_from_frame(frame, quasi=["town"], sensitive="disease")
    asked: Any = {"l": 2, "knowledge": {"min_expectation": 0.4}, "key": KEY}
    assert {rule[:2] for rule in stated(tacit.generalize(one, k=4, **asked))} >= {
        ("A", "gout"),
        ("B", "gout"),
    }
    assert not [rule for rule in stated(tacit.generalize(one, k=5, **asked)) if rule[1] == "gout"]


def test_people_are_counted_not_their_rows() -> None:
    """Of two people in C one row each is published: the four rows there are no group of four."""
    frame = (
        towns()
        .with_row_index("row")
        .with_columns(
            who=pl.when(pl.col("town") == "C").then(pl.col("row") // 2).otherwise(pl.col("row") + 1000)
        )
    )
    several = tacit.table_from_frame(
        frame.with_columns(pl.col("who").cast(pl.String)), quasi=["town"], sensitive="disease"
    )
    release = tacit.generalize(several, k=4, l=2, person="who", knowledge={"min_expectation": 0.5}, key=KEY)
    assert [rule[0] for rule in stated(release)] == ["B"]
    before = tacit.mine_negative_rules(several, min_expectation=0.5)
    assert "C" in {rule.when[0][1] for rule in before}
    assert stated(tacit.generalize(several, k=4, l=2, person="who", knowledge=before, key=KEY)) == stated(
        release
    )


def test_an_interval_with_fuzzy_edges_counts_its_own_rows() -> None:
    """Rows beside an interval count for a fuzzy rule, but the rule that is stated is not about them."""
    ages = [*range(20, 30)] * 6 + [30, 31, 38] + [39, 40, 41, 42] * 5
    diseases = ["flu", "cold"] * 30 + ["cold"] * 23
    frame = pl.DataFrame({"age": [str(age) for age in ages], "disease": diseases})
    parents = {str(age): f"{age // 3 * 3}-{age // 3 * 3 + 2}" for age in range(18, 45)}
    tree = from_parents(parents | dict.fromkeys(parents.values(), "*"), name="age")
    crisp = tacit.table_from_frame(frame, quasi=["age"], sensitive="disease", hierarchies={"age": tree})
    rules = tacit.mine_negative_rules(crisp, spread=2, min_expectation=0.5)
    kept = {rule.when for rule in rules.in_groups(5, crisp)}
    few = {rule.when for rule in rules} - kept
    sizes = {rule.when: sum(tree_holds(parents, age, rule.when[0][1]) for age in ages) for rule in rules}
    assert kept and few
    assert all((sizes[when] >= 5) == (when in kept) for when in sizes)
    assert any(rule.count >= 5 for rule in rules if rule.when in few)


def tree_holds(parents: dict[str, str], age: int, label: str) -> bool:
    return label in (str(age), parents[str(age)])


def test_given_rules_are_stated_and_told_to_the_owner() -> None:
    release = tacit.generalize(table(), k=5, l=2, knowledge={"rules": [SMALL]}, key=KEY)
    assert ("C", "flu", True) in stated(release)
    assert "Given rules about fewer than 5 rows: 1." in " ".join(str(release).split())
    assert "Given rules" not in str(
        tacit.generalize(table(), k=4, l=2, knowledge={"rules": [SMALL]}, key=KEY)
    )


def test_of_a_group_below_k_silence_tells_nothing() -> None:
    """One of four in C has gout: with k = 4 a rule would say if none had, with k = 5 none would be listed."""
    rows = [("A", "gout")] * 30 + [("A", "cold")] * 10 + [("B", "gout")] * 20 + [("C", "cold")] * 3
    frame = pl.DataFrame([*rows, ("C", "gout")], schema=["town", "disease"], orient="row")
    for k, pairs in ((4, 1), (5, 0)):
        one = tacit.table_from_frame(frame, quasi=["town"], sensitive="disease")
        rules = tacit.mine_negative_rules(one, min_group=k)
        combinations = engine_for(one).combinations(one, ["town", "disease"])
        assert sum(map(len, unlisted_pairs(combinations, rules, fewer_than=2))) == pairs


def made(place: Path, **asked: Any) -> Forgery:
    towns().write_csv(place / "original.csv")
    return Forgery(
        write(tacit.generalize(table(), l=2, key=KEY, **asked), place / "out"), place / "original.csv"
    )


def broken(forged: Forgery) -> list[str]:
    forged.seal()
    return [check.name for check in verify(forged.folder, forged.original) if check.ok is False]


def test_the_verifier_counts_the_groups_of_mined_rules(tmp_path: Path) -> None:
    forged = made(tmp_path, k=5)
    assert verdict_of(verify(forged.folder, forged.original)) == "kept"
    few = {"when": {"town": "C"}, "attribute": "disease", "value": "flu"}
    forged.m["reader"]["rules"].append(few)
    assert broken(forged) == ["groups of rules"]
    few["given"] = True
    assert broken(forged) == []


def test_the_verifier_counts_to_whom_rules_leave_a_value(tmp_path: Path) -> None:
    forged = made(tmp_path, k=5)
    cold = {"when": {"town": "*"}, "attribute": "disease", "value": "flu"}
    forged.m["reader"]["rules"].append(cold)
    assert broken(forged) == ["groups of rules", "ℓ with rules"]


@pytest.mark.parametrize("least", [None, 1, 4])
def test_the_verifier_refuses_a_smaller_group_than_k(least: int | None, tmp_path: Path) -> None:
    forged = made(tmp_path, k=5)
    forged.m["reader"]["mined"]["min_group"] = least
    if least is None:
        del forged.m["reader"]["mined"]["min_group"]
    assert broken(forged) == ["manifest fields"]
