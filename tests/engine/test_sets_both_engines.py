"""Generalizing and mining transactions on both engines: the same bytes, sets and figures.

However records are partitioned, and whether a coreset has records to spare or is gathered again.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.data.hierarchy import from_parents
from tacit.engine.sanitizing import judged_rows
from tacit.engine.spark import itemsets as spark_itemsets
from tacit.methods.generalize_sets import make as generalize
from tacit.methods.generalize_sets.solve.solve import planned
from tacit.surface.cli import main
from tests.engine.baskets import WARDS, Baskets
from tests.engine.test_both_engines import PARTITIONS

IN_MANY = {3: 64, 6: 7}
"""Cases of many partitions: a task takes its time. The others have one and two in turn."""
NAMES = ["beer", "tea", "Ärger", "rye", "gin", "ale", "oat", "fig", "nut", "egg", "ham", "soy"]


@dataclass(frozen=True, kw_only=True)
class Case(Baskets):
    """Records under a hierarchy, and what is asked of generalizing and of mining them."""

    mined: dict[str, Any]


def random_case(seed: int) -> Case:
    """The case of a seed."""
    random = np.random.default_rng(seed)
    names = NAMES if seed % 3 else [str(number) for number in range(3, 15)]
    names = names[: int(random.integers(5, 13))]
    parents = {name: f"group {place // 3}" for place, name in enumerate(names)}
    if seed % 4 == 1:  # nodes of names without a blank, and an item that nobody holds
        parents = {name: f"g{place // 2}" for place, name in enumerate([*names, "unheld"])}
    parents |= dict.fromkeys(set(parents.values()), "ALL")
    chances = random.dirichlet(np.ones(len(names))) + 0.02
    records = [
        random.choice(names, int(random.integers(0, 5)), replace=False, p=chances / chances.sum()).tolist()
        for _ in range(int(random.integers(30, 100)))
    ]
    wish: dict[str, Any] = {
        "k": 2 + seed % 3,
        "m": "auto" if seed % 5 == 4 else 1 + seed % 3,
        "algorithm": ("apriori", "direct", "optimal", "best")[seed % 4],
        "max_suppressed": 0.08 if seed % 2 else 0,
    }
    if wish["algorithm"] == "best":
        wish |= {"restarts": 2, "key": tacit.Key.from_seed(3)}
    mined = {
        "min_support": 2 + seed % 5,
        "kind": ("complete", "closed", "maximal")[seed % 3],
        "min_length": 1 + seed % 2,
        "max_length": None if seed % 4 else 3,
        "items": None if seed % 5 else names[:-1],
        "containing": () if seed % 3 != 1 else names[:1],
    }
    wards = None if seed % 4 != 2 else [WARDS[place] for place in random.integers(0, 4, len(records))]
    return Case(records=records, wards=wards, wish=wish, mined=mined, hierarchy=from_parents(parents))


def released(transactions: tacit.Transactions, wish: dict[str, Any], folder: Path) -> dict[str, Any] | str:
    """What is published, measured and kept in private, or the code of the error."""
    try:
        release = tacit.generalize(transactions, **wish)
        saved = release.save(folder, accept_weak=True)
    except tacit.InfeasibleError as error:
        return error.code
    found: dict[str, Any] = {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
    assert saved.private is not None
    plan = json.loads((saved.private / "plan.json").read_text())
    found["plan"] = plan | {"seconds": 0, "suppressed_records": 0}
    found["figures"] = release.to_dict() | {"seconds": 0, "peak_mb": 0}
    return found


def same(seed: int, partitions: int, engine: tacit.SparkEngine, tmp_path: Path, monkeypatch) -> bool:
    """Mine and generalize a random case with both engines; whether there was a release to compare."""
    monkeypatch.setattr(spark_itemsets, "LEAST", 1)  # so that small parts are mined apart
    monkeypatch.setenv("TACIT_STATE", str(tmp_path / "state"))
    if seed % 4 == 3:
        monkeypatch.setattr(sys.modules["tacit.methods.generalize_sets.solve.solve"], "SPARE", 0)
    case = random_case(seed)
    both = case.here(), case.there(engine, partitions)
    one, other = (tacit.mine_itemsets(data, **case.mined) for data in both)
    for name in ("offsets", "items", "supports"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    here = released(both[0], case.wish, tmp_path / "here")
    monkeypatch.setenv("TACIT_STATE", str(tmp_path / "other"))  # or it would be a second release
    there = released(both[1], case.wish, tmp_path / "there")
    assert here == there
    return isinstance(here, dict)


@pytest.mark.parametrize("seed", range(10))
def test_itemsets_and_generalized_releases_are_the_same(seed, engine, tmp_path, monkeypatch) -> None:
    assert same(seed, IN_MANY.get(seed, 1 + seed % 2), engine, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 310, 10))
def test_many_itemsets_and_releases_are_the_same(first, engine, tmp_path, monkeypatch) -> None:
    made = [
        same(seed, PARTITIONS[seed // 4 % 4], engine, tmp_path / str(seed), monkeypatch)
        for seed in range(first, first + 10)
    ]
    assert any(made)


def test_rules_and_what_is_said_of_too_many_itemsets(engine) -> None:
    case = random_case(1)
    here, there = case.here(), case.there(engine, 2)
    rules = [tacit.mine_rules(data, min_support=3, min_confidence=0.3) for data in (here, there)]
    assert len(rules[0]) and rules[0].to_frame().equals(rules[1].to_frame())
    with pytest.raises(tacit.ResourceError) as caught:
        tacit.mine_itemsets(there, min_support=2, max_itemsets=9)
    assert caught.value.code == "too-many-itemsets"
    # The threshold that it names gives as many sets as it says.
    said = re.search(r"support of (\d+) .* gives (\d+) of them", str(caught.value))
    assert said is not None
    assert len(tacit.mine_itemsets(here, min_support=int(said[1]))) == int(said[2]) <= 9


def test_more_records_than_are_judged(engine, tmp_path, monkeypatch) -> None:
    case = random_case(0)
    here, there = case.here(), case.there(engine, 2)
    whole = tacit.generalize(there, k=2, m=2)
    monkeypatch.setattr(generalize, "MOST_JUDGED", 20)
    monkeypatch.setattr(generalize, "SAMPLE_JUDGED", 20)
    some = tacit.generalize(there, k=2, m=2)
    assert some.manifest == tacit.generalize(here, k=2, m=2).manifest
    one_in = -(-len(there) // 20)
    assert some.manifest.risks["judged_records"] == {"one_in": one_in}
    assert some.risk().records == len(there) and 0 < some.risk().narrowed[0].records < len(there)
    assert some.utility() == whole.utility() and some.held_up_by == ()
    # Who looks alike is taken together, so that the last reader's share is no estimate of each content.
    exact = some.risk().narrowed[-1]
    assert exact.below_k <= whole.risk().narrowed[-1].below_k
    some.save(tmp_path / "some", accept_weak=True)


def test_records_left_out_are_judged_alike(engine, monkeypatch) -> None:
    """A part of the records has fewer items, and so other numbers for them."""
    monkeypatch.setattr(generalize, "MOST_JUDGED", 20)
    monkeypatch.setattr(generalize, "SAMPLE_JUDGED", 20)
    for seed in range(40):
        case = random_case(seed)
        wish = {"k": 3, "m": 2, "max_suppressed": 0.3}
        plan = planned(case.here(), **wish)
        if plan.n_suppressed and len(case.here()) > 40:
            break
    here, there = (tacit.generalize(data, **wish) for data in (case.here(), case.there(engine, 2)))
    assert here.plan.n_suppressed and "judged_records" in here.manifest.risks
    assert here.manifest == there.manifest


def test_few_contents_are_judged_too(engine) -> None:
    """Of one content in so many there may be none: then others are judged, and not nobody."""
    items = [str(number) for number in range(20)]
    hierarchy = from_parents(dict.fromkeys(items, "ALL"))
    case = Baskets(records=[[item] for item in items] * 10, wards=None, wish={}, hierarchy=hierarchy)
    there = case.there(engine, 1)
    recoded = engine.recoded(there, ["ALL"] * 20, engine.set_counts(there).suppressed)
    for one_in in (20, 29):
        assert len(recoded.part(one_in)) == 200
        assert len(judged_rows(case.here(), ["ALL"] * 20, one_in)) == 200


def test_an_earlier_mapping_is_checked_on_spark(engine, tmp_path) -> None:
    case = random_case(5)
    here, there = case.here(), case.there(engine, 2)
    first = tacit.generalize(here, k=2, m=2)
    first.save(tmp_path / "first", accept_weak=True)
    again = tacit.generalize(there, k=2, m=2, mapping=tmp_path / "first" / "mapping.csv")
    assert again.plan.ncp == first.plan.ncp
    assert case.hierarchy is not None
    leaves = case.hierarchy.labels[: case.hierarchy.n_leaves]
    (tmp_path / "finest.csv").write_text("item,published_as\n" + "".join(f"{one},{one}\n" for one in leaves))
    said = []
    for data in (here, there):
        with pytest.raises(tacit.InfeasibleError) as caught:
            tacit.generalize(data, k=4, m=3, mapping=tmp_path / "finest.csv")
        said.append(str(caught.value))
    assert caught.value.code == "infeasible-mapping" and said[0] == said[1]


def test_a_coreset_that_is_too_large_is_refused(engine, monkeypatch) -> None:
    monkeypatch.setattr("tacit.engine.spark.blocks.MOST_ITEMS", 10)
    case = random_case(0)
    with pytest.raises(tacit.ResourceError) as caught:
        planned(case.there(engine, 2), k=2, m=2)
    assert caught.value.code == "spark-too-many"


def test_the_command_line_generalizes_lines_on_spark(session, tmp_path: Path, capsys) -> None:
    here = random_case(1).here()
    tacit.write_transactions(here, tmp_path / "all.dat")
    tacit.write_hierarchy(here.hierarchy, tmp_path / "items.csv")
    command = ["generalize", str(tmp_path / "all.dat"), "--hierarchy", str(tmp_path / "items.csv")]
    command += ["-k", "2", "-m", "2", "--json"]
    said = {}
    for name in ("spark", "local"):
        output = tmp_path / name
        assert main([*command, "-o", str(output), "--engine", name, "--acknowledge-composition"]) == 0
        said[name] = json.loads(capsys.readouterr().out)
        assert main(["verify", str(output), "--original", str(tmp_path / "all.dat")]) == 0
        capsys.readouterr()
    gone = dict.fromkeys(("seconds", "seconds_in_all", "peak_mb", "folder"))
    assert said["spark"] | gone == said["local"] | gone
    assert main([*command, "--engine", "spark", "--dry-run"]) == 0
    size = json.loads(capsys.readouterr().out)
    assert size["transactions"] == size["judged_records"] == len(here)
