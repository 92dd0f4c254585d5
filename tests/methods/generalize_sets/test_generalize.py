"""Generalized releases from the verb to the folder, as a person makes them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.transactions import Transactions, transactions_from_sets
from tacit.errors import InfeasibleError, InputError, ResourceError, UsageError
from tacit.io.hierarchies import build_balanced, read_hierarchy, write_hierarchy
from tacit.io.readers import read_transactions
from tacit.io.samples.supermarket import supermarket
from tacit.methods.generalize_sets.estimate import estimate
from tacit.methods.generalize_sets.verb import generalize
from tacit.release.verification import verify
from tacit.surface.cli import main
from tacit.surface.cli.flags import check_memory, parse_size


@pytest.fixture(scope="module")
def baskets() -> Transactions:
    return supermarket(600, seed=3)


def _folder_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_release_is_saved_verified_and_read_back(baskets: Transactions, tmp_path: Path) -> None:
    release = generalize(baskets, k=5, m=2)
    release.save(tmp_path / "out")
    assert verify(tmp_path / "out").verdict == "kept"
    read = read_transactions(tmp_path / "out" / "transactions.dat")
    assert sorted(map(sorted, read.sets())) == sorted(map(sorted, release.published.sets()))
    with (tmp_path / "out" / "mapping.csv").open() as file:
        mapping = dict(csv.reader(file))
    expected = [{mapping[item] for item in basket} for basket in baskets.sets()]
    assert sorted(map(sorted, expected)) == sorted(map(sorted, read.sets()))
    tacit.export(tmp_path / "out", tmp_path / "cut.csv", to="hierarchy", of="mapping")
    level = read_hierarchy(tmp_path / "cut.csv")
    assert baskets.hierarchy is not None and level.n_leaves == baskets.hierarchy.n_leaves


def test_the_order_of_records_changes_no_byte(baskets: Transactions, tmp_path: Path) -> None:

    order = np.random.default_rng(1).permutation(len(baskets))
    generalize(baskets, k=5, m=2).save(tmp_path / "a")
    generalize(baskets.take(order), k=5, m=2).save(tmp_path / "b")
    assert _folder_bytes(tmp_path / "a") == _folder_bytes(tmp_path / "b")


def test_the_verifier_sees_the_original(baskets: Transactions, tmp_path: Path) -> None:
    from tacit.io.writers import write_transactions

    write_transactions(baskets, tmp_path / "original.dat")
    generalize(baskets, k=5, m=2).save(tmp_path / "out")
    assert verify(tmp_path / "out", original=tmp_path / "original.dat").verdict == "kept"
    write_transactions(baskets.take(np.arange(len(baskets) - 1)), tmp_path / "other.dat")
    assert verify(tmp_path / "out", original=tmp_path / "other.dat").broken


@pytest.mark.parametrize(
    ("format", "names"),
    [
        (None, {"transactions.dat"}),
        ("csv", {"transactions.csv"}),
        ("jsonl", {"transactions.jsonl"}),
    ],
)
def test_what_is_published_is_plain_text(
    format: str | None, names: set[str], baskets: Transactions, tmp_path: Path
) -> None:
    generalize(baskets, k=5, m=1, format=format).save(tmp_path / "out")
    always = {"mapping.csv", "release.json"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names | always
    assert verify(tmp_path / "out").verdict == "kept"


def test_names_with_blanks_are_published_as_csv(tmp_path: Path) -> None:
    sets = [{"whole milk", "dark bread"}] * 5 + [{"whole milk", "red wine"}] * 5
    data = transactions_from_sets(
        sets, hierarchy=build_balanced(["whole milk", "dark bread", "red wine"], fanout=2)
    )
    generalize(data, k=5, m=2).save(tmp_path / "out")
    assert (tmp_path / "out" / "transactions.csv").exists()
    assert verify(tmp_path / "out").verdict == "kept"
    with pytest.raises(UsageError, match="blank"):
        generalize(data, k=5, m=2, format="dat")


def test_a_sensitive_column_goes_along_and_is_judged(tmp_path: Path) -> None:
    rows = [(str(record), item, "flu" if record < 6 else "cold") for record in range(12) for item in "ab"]
    frame = pl.DataFrame(rows, schema=["who", "what", "disease"], orient="row")
    data = read_transactions(frame, record="who", item="what", sensitive="disease")
    release = generalize(data.with_hierarchy(build_balanced(["a", "b"], fanout=2)), k=5, m=2)
    assert release.risk().diversity is not None and release.risk().diversity.fewest == 2
    release.save(tmp_path / "out")
    assert verify(tmp_path / "out").verdict == "kept"
    lines = [json.loads(line) for line in (tmp_path / "out" / "transactions.jsonl").read_text().splitlines()]
    assert sorted(line["disease"] for line in lines) == ["cold"] * 6 + ["flu"] * 6


def test_a_mapping_serves_further_records_only_where_the_promise_holds(
    baskets: Transactions, tmp_path: Path
) -> None:

    generalize(baskets, k=5, m=2).save(tmp_path / "out")
    mapping = tmp_path / "out" / "mapping.csv"
    again = generalize(baskets, k=5, m=2, mapping=mapping)
    assert again.plan.algorithm == "mapping"
    again.save(tmp_path / "again")
    with pytest.raises(InfeasibleError) as caught:
        generalize(baskets.take(np.arange(40)), k=5, m=2, mapping=mapping)
    assert caught.value.code == "infeasible-mapping"
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="not a mapping"):
        generalize(baskets, k=5, m=2, mapping=tmp_path / "bad.csv")


def test_what_cannot_be_met_is_refused_and_nothing_is_written(
    baskets: Transactions, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tacit.io.writers import write_transactions

    monkeypatch.chdir(tmp_path)
    write_transactions(baskets, tmp_path / "b.dat")
    assert baskets.hierarchy is not None
    write_hierarchy(baskets.hierarchy, tmp_path / "h.csv")
    before = set(tmp_path.iterdir())
    command = ["generalize", "b.dat", "--hierarchy", "h.csv", "-o", "out", "--json"]
    cases = {
        ("-k", "601", "-m", "2"): (4, "infeasible-k"),
        ("-k", "1", "-m", "2"): (2, "parameter-range"),
        ("-k", "5", "-m", "0"): (2, "parameter-range"),
        ("-k", "5", "-m", "two"): (2, "parameter-range"),
        ("-k", "5", "-m", "2", "--algorithm", "fast"): (2, "parameter-range"),
        ("-k", "5", "-m", "2", "--memory", "1M"): (5, "memory-limit"),
        ("-k", "5", "-m", "2", "--memory", "much"): (2, "parameter-range"),
        ("-k", "5", "-m", "2", "--max-suppressed", "1"): (2, "parameter-range"),
        ("-k", "5", "-m", "2", "--publish-as", "xml"): (2, "parameter-range"),
    }
    for options, (exit_code, code) in cases.items():
        assert main([*command, *options]) == exit_code, options
        assert json.loads(capsys.readouterr().out)["error"]["code"] == code
    assert set(tmp_path.iterdir()) == before
    assert main(["generalize", "b.dat", "-k", "5", "-m", "2", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "hierarchy-needed"


def test_the_command_prints_the_names_that_scripts_rely_on(
    baskets: Transactions, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tacit.io.writers import write_transactions

    monkeypatch.chdir(tmp_path)
    write_transactions(baskets, tmp_path / "b.dat")
    assert baskets.hierarchy is not None
    write_hierarchy(baskets.hierarchy, tmp_path / "h.csv")
    assert (
        main(["generalize", "b.dat", "--hierarchy", "h.csv", "-k", "5", "-m", "auto", "-o", "out", "--json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    names = {
        "transactions",
        "items",
        "k",
        "m",
        "algorithm",
        "ncp",
        "cut_size",
        "suppressed",
        "seconds",
        "peak_mb",
    }
    assert names <= set(found)
    assert found["transactions"] == 600 and Path(found["folder"]).is_dir()
    assert main(["generalize", "b.dat", "--hierarchy", "h.csv", "-k", "5", "-m", "2", "--dry-run"]) == 0
    assert "sets to count" in capsys.readouterr().out


def test_a_long_job_says_how_long_it_takes(baskets: Transactions, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    generalize(baskets, k=5, m=2, progress=lambda what, _share: heard.append(what))
    assert heard and not any("in all" in what for what in heard)
    monkeypatch.setattr("tacit.methods.generalize_sets.estimate.LONG", 0.1)
    heard.clear()
    generalize(baskets, k=5, m=2, progress=lambda what, _share: heard.append(what))
    assert heard and all("in all)" in what for what in heard)


def test_the_estimate_counts_sets_exactly() -> None:
    data = transactions_from_sets([set("abcd"), set("ab"), set("a"), set()])
    assert estimate(data, k=2, m=2).combinations == (4 + 6) + (2 + 1) + 1
    with pytest.raises(ResourceError):
        check_memory(estimate(data, k=2, m=2).bytes, "1K")
    assert [parse_size(text, "memory", "--memory") for text in ("512M", "1.5G", "10", "2KB")] == [
        512 << 20,
        3 << 29,
        10,
        2048,
    ]
