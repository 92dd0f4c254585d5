"""Values of the sensitive column joined along its hierarchy, as little as the promise takes."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit import InfeasibleError, Key, UsageError, bucketize, mine_negative_rules, table_from_frame
from tacit.data.hierarchy import from_parents
from tacit.data.table import Table
from tacit.engine.local.engine import LocalEngine
from tacit.io.hierarchies import write_hierarchy
from tacit.methods.bucketize.joining import joined_knowledge, joined_tables, with_joined
from tacit.showing.layout import as_text
from tacit.surface.cli import main
from tacit_verify.verifying import verify
from tests.methods.bucketize.releases import edit_manifest, write

KEY = Key.from_seed(5)
TREE = from_parents(
    {
        "chickenpox": "infection", "influenza": "infection", "otitis": "infection",
        "gout": "joints", "arthrosis": "joints", "stroke": "vessels", "embolism": "vessels",
        "infection": "*", "joints": "*", "vessels": "*",
    }
)  # fmt: skip


def ward(children: int = 6) -> pl.DataFrame:
    """Only children have chickenpox and otitis, and nothing else: these two cannot change hands."""
    adults = ["influenza", "gout", "arthrosis", "stroke", "embolism"] * 12
    return pl.DataFrame(
        {
            "age": ["child"] * children + ["adult"] * len(adults),
            "sex": (["f", "m"] * (children + len(adults)))[: children + len(adults)],
            "disease": (["chickenpox", "otitis"] * children)[:children] + adults,
        }
    )


def as_table(frame: pl.DataFrame, tree: bool = True) -> Table:
    trees = {"disease": TREE} if tree else {}
    return table_from_frame(frame, quasi=["age", "sex"], sensitive="disease", hierarchies=trees)


def test_joined_values_meet_what_single_ones_cannot(tmp_path: Path) -> None:
    table = as_table(ward())
    with pytest.raises(InfeasibleError) as refused:
        bucketize(table, l=3, key=KEY)
    hint = str(refused.value.hint)
    assert "join_values=True (--join-values): 7 values become 5" in hint
    assert "The largest feasible ℓ is 2." in hint and "--drop-rules" in hint and "coarser" in hint
    release = bucketize(table, l=3, key=KEY, join_values=True)
    below = {"infection": ["chickenpox", "influenza", "otitis"]}
    stated = release.manifest.parameters["joined"]["disease"]
    assert {label: sorted(values) for label, values in stated.items()} == below
    shown = set(release.published()["st"]["disease"])
    assert shown == {"infection", "gout", "arthrosis", "stroke", "embolism"}
    assert release.risk().vulnerable == 0
    assert "infection stands for" in " ".join(as_text(release).split())
    assert len(release.utility(table).figures.queries)
    folder = write(release, tmp_path / "out")
    ward().write_csv(tmp_path / "original.csv")
    assert [check for check in verify(folder, tmp_path / "original.csv") if check.ok is False] == []
    # A label that stands for something else than it did is noticed.
    parameters = json.loads((folder / "release.json").read_text())["parameters"]
    parameters["joined"]["disease"]["infection"].remove("otitis")
    edit_manifest(folder, parameters=parameters)
    failed = {check.name for check in verify(folder, tmp_path / "original.csv") if check.ok is False}
    assert "values of the original" in failed


def test_nothing_is_joined_where_nothing_needs_to_be() -> None:
    release = bucketize(as_table(ward()), l=2, key=KEY, join_values=True)
    assert "joined" not in release.manifest.parameters and not release.joined


def test_the_command_joins_in_one_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ward().write_csv("ward.csv")
    Path("trees").mkdir()
    write_hierarchy(TREE, Path("trees") / "disease.csv")
    asked = ["bucketize", "ward.csv", "--quasi", "age,sex", "--sensitive", "disease", "-l", "3", "--quiet"]
    assert main([*asked, "--hierarchies", "trees"]) == 4
    assert main([*asked, "--hierarchies", "trees", "--join-values", "-o", "out"]) == 0
    assert main(["verify", "out", "--original", "ward.csv", "--quiet"]) == 0
    assert main([*asked, "--join-values"]) == 2  # no hierarchy to join along


def test_joining_is_refused_where_it_does_nothing() -> None:
    for wish, code in (
        ({"algorithm": "anatomy"}, "parameter-unused"),
        ({"on_infeasible": "suppress", "max_posterior_suppressed": 0.5}, "parameter-unused"),
    ):
        with pytest.raises(UsageError) as raised:
            bucketize(as_table(ward()), l=3, join_values=True, key=KEY, **wish)  # type: ignore[arg-type]
        assert raised.value.code == code
    with pytest.raises(UsageError) as raised:
        bucketize(as_table(ward(), tree=False), l=3, join_values=True, key=KEY)
    assert raised.value.code == "hierarchy-needed"


def random_frame(generator: np.random.Generator) -> pl.DataFrame:
    """Diseases that go with age, so that many rules hold and values keep to themselves."""
    names = sorted(TREE.labels[: TREE.n_leaves])
    rows = int(generator.integers(20, 90))
    age = generator.integers(0, 4, rows)
    where = generator.permutation(np.arange(len(names)) % 4)
    disease = [
        names[int(generator.choice(np.flatnonzero(where == one) if generator.random() < 0.8 else len(names)))]
        for one in age
    ]
    return pl.DataFrame(
        {"age": [str(one) for one in age], "sex": generator.choice(["f", "m"], rows), "disease": disease}
    )


def random_ward(generator: np.random.Generator) -> pl.DataFrame:
    """Children with diseases of their own, few enough that what they do not have is no rule; or not quite."""
    drawn = ward(int(generator.integers(2, 12)))
    adults = drawn["age"] == "adult"
    names = sorted(TREE.labels[: TREE.n_leaves])
    stray = generator.random(len(drawn)) < generator.choice([0, 0, 0.02])
    other = pl.Series([names[int(one)] for one in generator.integers(0, len(names), len(drawn))])
    few = pl.Series(generator.random(len(drawn)) < generator.choice([0.3, 1.0]))
    changed = drawn["disease"].zip_with(pl.Series(~stray), other)
    return drawn.with_columns(disease=changed).filter(~adults | few)


def test_every_join_that_is_made_is_needed_and_enough(tmp_path: Path) -> None:
    generator = np.random.Generator(np.random.PCG64(9))
    found = {"joined": 0, "as it is": 0, "refused": 0}
    for number in range(80):
        frame = random_ward(generator)
        table = as_table(frame)
        rules = mine_negative_rules(table, min_expectation=0.8)
        try:
            release = bucketize(table, l=3, knowledge=rules, join_values=True, key=KEY)
        except InfeasibleError:
            found["refused"] += 1
            continue
        if not release.joined:
            found["as it is"] += 1
            continue
        found["joined"] += 1
        with pytest.raises(InfeasibleError):
            bucketize(table, l=3, knowledge=rules, key=KEY)
        assert release.risk().vulnerable == 0
        joined = with_joined(table, release.joined)
        assert joined.column("disease").texts == release.original.column("disease").texts
        frame.write_csv(tmp_path / f"{number}.csv")
        folder = write(release, tmp_path / str(number))
        assert [check for check in verify(folder, tmp_path / f"{number}.csv") if check.ok is False] == []
    assert min(found.values()) > 2, found


def test_a_reader_who_knew_the_rules_knows_what_follows_of_the_labels() -> None:
    """Whoever cannot have any value below a label cannot have the label: row by row."""
    generator = np.random.Generator(np.random.PCG64(10))
    put_together = 0
    for _ in range(60):
        table = as_table(random_frame(generator))
        rules = mine_negative_rules(table, min_expectation=0.4)
        for step, joined in joined_tables(table):
            known = joined_knowledge(rules, table, step, joined, LocalEngine())
            assert known.certain
            people = LocalEngine().combinations(table, ("age", "sex"))
            before, after = rules.forbidden(people, "disease"), known.forbidden(people, "disease")
            texts = step.column("disease").texts
            for code, label in enumerate(texts):
                below = joined["disease"].get(str(label), (label,))
                codes = [at for at, text in enumerate(table.column("disease").texts) if text in below]
                assert (after[:, code] >= before[:, codes].all(axis=1)).all()
            put_together += int((known.nodes >= 0).sum(axis=1).max(initial=0) > 1)
    assert put_together


def test_the_order_of_joins_follows_from_the_totals_alone() -> None:
    generator = np.random.Generator(np.random.PCG64(11))
    for _ in range(20):
        frame = random_frame(generator)
        mixed = frame.with_columns(pl.col("age").shuffle(seed=1), pl.col("sex").shuffle(seed=2))
        one, other = ([joined for _, joined in joined_tables(as_table(each))] for each in (frame, mixed))
        assert one == other
        assert all(len(before) <= len(after) for before, after in pairwise(one))


def test_what_was_dropped_stays_dropped_of_labels() -> None:
    table = as_table(ward())
    rules = mine_negative_rules(table)
    dropped = [str(rule) for rule in rules if rule.value in ("chickenpox", "otitis")]
    fewer = mine_negative_rules(table, drop_rules=dropped)
    for step, joined in joined_tables(table):
        known = joined_knowledge(fewer, table, step, joined, LocalEngine())
        assert not {str(rule) for rule in known} & set(dropped)


def test_the_sample_has_a_hierarchy_of_its_diseases() -> None:
    table = tacit.load_sample("hospital:200")
    assert "cancer" in table.hierarchies["disease"].labels  # type: ignore[union-attr]
