"""Hiding on both engines: the same published bytes and the same figures, however the rows are partitioned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.surface.cli import main
from tests.engine.baskets import Baskets, random_hiding
from tests.engine.test_both_engines import KEY, PARTITIONS

SEEDS = (0, 1, 2, 3, 5, 6, 9, 10, 12, 34)
"""Of all policies, with rules to thin, values that go along, and a draw that is not the first."""


@pytest.fixture
def engine(session: Any) -> tacit.SparkEngine:
    return tacit.SparkEngine(session, range_rows=80)


def hidden(transactions: tacit.Transactions, wish: dict[str, Any], folder: Path) -> dict[str, Any] | str:
    """What is published, measured and kept in private, or the code of the error."""
    try:
        release = tacit.hide(transactions, key=KEY, **wish)
        saved = release.save(folder)
    except tacit.InfeasibleError as error:
        return error.code
    found: dict[str, Any] = {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
    private = saved.private
    assert private is not None
    plan = json.loads((private / "plan.json").read_text())
    costs = {"seconds", "expected_seconds", "expected_megabytes"}
    found["plan"] = {name: value for name, value in plan.items() if name not in costs}
    found["figures"] = {name: value for name, value in release.to_dict().items() if name not in costs}
    found["secret"] = (private / "secret.json").read_text()
    return found


def same_release(seed: int, engine: tacit.SparkEngine, tmp_path: Path) -> bool:
    """Hide the secret of a random case with both engines; whether there was a release to compare."""
    case = random_hiding(seed)
    here = hidden(case.here(), case.wish, tmp_path / "here")
    there = hidden(case.there(engine, PARTITIONS[seed % 4]), case.wish, tmp_path / "there")
    assert here == there
    return isinstance(here, dict)


@pytest.mark.parametrize("seed", SEEDS)
def test_hidden_releases_are_the_same_bytes(seed, engine, tmp_path) -> None:
    assert same_release(seed, engine, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 310, 10))
def test_many_hidden_releases_are_the_same_bytes(first, engine, tmp_path) -> None:
    made = [same_release(seed, engine, tmp_path / str(seed)) for seed in range(first, first + 10)]
    assert any(made)


PAIRED = [["a", "b"]] * 30
EDGES = {
    "infrequent already": (PAIRED + [["c", "d"]] * 3, {"patterns": ["c, d"], "min_support": 10}),
    "nothing to walk over": (
        PAIRED + [["c", "d"]] * 3,
        {"patterns": ["c, d"], "min_support": 10, "policy": "exact"},
    ),
    "one item": ([["a"]] * 30 + [[]] * 3, {"patterns": ["a"], "min_support": 10}),
    "nothing is left": ([["a"]] * 30 + [[]] * 3, {"patterns": ["a"], "min_support": 1}),
    "only numbers are left": (
        PAIRED + [["x", "1"]] * 30 + [["2"], ["10", "2"]],
        {"patterns": ["a", "b", "x"], "min_support": 1},
    ),
    "all equal": (PAIRED, {"patterns": ["b => a"], "min_support": 3, "min_confidence": 0.5}),
}


@pytest.mark.slow
@pytest.mark.parametrize("edge", EDGES)
def test_what_is_at_the_edge_is_the_same(edge, engine, tmp_path) -> None:
    records, wish = EDGES[edge]
    case = Baskets(records=records, wards=None, wish=wish)
    here = hidden(case.here(), wish, tmp_path / "here")
    assert isinstance(here, dict)
    assert here == hidden(case.there(engine, 3), wish, tmp_path / "there")


def test_no_key_is_in_a_query_plan(engine) -> None:
    case = random_hiding(0)
    release = tacit.hide(case.there(engine, 2), key=KEY, **case.wish)
    sanitizer = release.proposal.sanitizer
    frames = [release.published.frame, sanitizer._blocks.frame]  # type: ignore[attr-defined]
    plans = "".join(frame._jdf.queryExecution().toString() for frame in frames)
    assert "MapInArrow" in plans
    assert release.proposal.plan.routes[0].way == "confidence"  # so that cells are chosen in an order
    for purpose in ("content", "cells 0", "order", "refill", "digest"):
        subkey = KEY.subkey(f"hide: {purpose}")
        for word in subkey.words:
            signed = word - (1 << 64) if word >> 63 else word
            assert str(word) not in plans and str(signed) not in plans
        assert subkey.reveal().hex() not in plans
    assert KEY.reveal().hex() not in plans


def test_what_is_refused_on_spark(engine, monkeypatch) -> None:
    case = random_hiding(1)
    there = case.there(engine, 2)
    wish = {"patterns": case.wish["patterns"], "min_support": 3, "key": KEY}
    with pytest.raises(tacit.UsageError) as caught:
        tacit.hide(there, algorithm="swa", **wish)
    assert caught.value.code == "not-on-spark"
    with pytest.raises(tacit.UsageError) as caught:
        tacit.hide(case.here(), engine=engine, **wish)
    assert caught.value.code == "rows-in-memory"
    with pytest.raises(tacit.InputError) as bad:
        tacit.hide(there, **{**wish, "patterns": [{"unicorn"}]})
    assert bad.value.code == "unknown-item"
    monkeypatch.setattr("tacit.engine.spark.sets.MOST_CELLS", 2)
    with pytest.raises(tacit.ResourceError) as much:
        tacit.hide(there, policy="exact", **wish)
    assert much.value.code == "spark-too-many" and "certified" in str(much.value)


def test_the_command_hides_on_spark(session, tmp_path, capsys) -> None:
    baskets = tacit.load_sample("supermarket:800")
    tacit.write_transactions(baskets, tmp_path / "baskets.dat")
    pairs = tacit.mine_itemsets(baskets, min_support=15, min_length=2, max_length=2)
    (tmp_path / "secret.txt").write_text(f"{', '.join(pairs[0].items)}\n")
    asked = ["hide", str(tmp_path / "baskets.dat"), "--patterns", str(tmp_path / "secret.txt")]
    asked += ["--min-support", "15", "--seed", "5", "--json"]
    said = {}
    for name in ("local", "spark"):
        assert main([*asked, "--engine", name, "-o", str(tmp_path / name)]) == 0
        said[name] = json.loads(capsys.readouterr().out) | {"seconds": 0, "seconds_in_all": 0, "folder": 0}
    assert said["local"] == said["spark"]
    for file in ("transactions.dat", "release.json"):
        assert (tmp_path / "local" / file).read_bytes() == (tmp_path / "spark" / file).read_bytes()
    original = ["--original", str(tmp_path / "baskets.dat")]
    # Rows on Spark have no numbers, so no record says which transaction became which.
    assert main(["verify", str(tmp_path / "spark"), *original]) == 8
    capsys.readouterr()
    assert main([*asked, "--engine", "spark", "--dry-run"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["transactions"] == 800
    assert 0 < plan["expected_megabytes"] < 100


def test_the_ledger_knows_transactions_from_either_engine(engine, tmp_path) -> None:
    case, key = random_hiding(0), tacit.Key.random()
    tacit.hide(case.here(), key=key, **case.wish).save(tmp_path / "here")
    again = tacit.hide(case.there(engine, 2), key=key, **case.wish)
    again.save(tmp_path / "there")  # the same release once more
    other = tacit.hide(case.there(engine, 2), key=key, **case.wish | {"targets": "limit"})
    with pytest.raises(tacit.InfeasibleError) as caught:
        other.save(tmp_path / "other")
    assert caught.value.code == "composition"
