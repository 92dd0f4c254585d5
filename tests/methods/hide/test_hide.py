"""The verb and the command: what is published, what is not, and that no order of rows changes it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import InputError, ParameterError
from tacit.methods.hide.make import HiddenRelease
from tacit.random.key import Key
from tacit.surface.cli import main

BASKETS = tacit.load_sample("supermarket:1500")
LEAST = 15
FREQUENT = tacit.mine_itemsets(BASKETS, min_support=LEAST, min_length=2)
SECRET = [FREQUENT[place] for place in (0, 7, len(FREQUENT) - 1)]
NAMES = (
    *("transactions", "sensitive", "marked", "policy", "hiding_failure", "misses_cost"),
    *("artificial_patterns", "dissimilarity", "weakness", "seconds"),
)


def made(**asked: object) -> HiddenRelease:
    options: dict[str, object] = {"patterns": SECRET, "min_support": LEAST, "key": Key.from_seed(5), **asked}
    return tacit.hide(BASKETS, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("asked", [{}, {"policy": "exact"}, {"algorithm": "swa"}, {"targets": "limit"}])
def test_what_is_published(asked: dict[str, object], tmp_path: Path) -> None:
    release = made(**asked)
    place = release.save(tmp_path / "out")
    assert {path.name for path in place.folder.iterdir()} == {"release.json", "transactions.dat"}
    text = (place.folder / "release.json").read_text()
    for itemset in SECRET:  # the secret is in no published byte but the transactions themselves
        assert not any(name in text for name in itemset.items)
    again = tacit.read_transactions(place.folder / "transactions.dat")
    assert len(again) == len(BASKETS)
    # What anybody mines from the file agrees with what the judge said.
    mined = {
        frozenset(itemset.items) for itemset in tacit.mine_itemsets(again, min_support=LEAST, min_length=2)
    }
    assert mined == {frozenset(itemset.items) for itemset in release.found.mined_now}
    assert not any(frozenset(itemset.items) <= found for itemset in SECRET for found in mined)
    assert place.private is not None
    assert {path.name for path in place.private.iterdir()} == {"plan.json", "rows.txt", "secret.json"}
    assert tacit.verify(place.folder).verdict == "not checked"
    figures = release.to_dict()
    assert set(NAMES) <= set(figures)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        pytest.param({"policy": "exact"}, marks=pytest.mark.ci),
        pytest.param({"algorithm": "swa", "window": 100}, marks=pytest.mark.ci),
    ],
)
def test_no_order_of_rows_changes_a_byte(asked: dict[str, Any], tmp_path: Path) -> None:
    order = np.random.default_rng(1).permutation(len(BASKETS))
    one = made(**asked).save(tmp_path / "one").folder
    shuffled = tacit.hide(
        BASKETS.take(order), patterns=SECRET[::-1], min_support=LEAST, key=Key.from_seed(5), **asked
    )
    other = shuffled.save(tmp_path / "other").folder
    for name in ("transactions.dat", "release.json"):
        assert (one / name).read_bytes() == (other / name).read_bytes()


def test_no_order_of_rows_changes_who_has_which_value(tmp_path: Path) -> None:
    """Equal sets with another value beside them: which of them lose an item does not follow their place."""
    lines = [f'{{"items": {items}, "ward": "{ward}"}}\n' for items in ('["a", "b"]', '["a", "c"]')
             for ward in ("x", "y") for _ in range(30)]  # fmt: skip
    texts = []
    for number, order in enumerate((range(120), np.random.default_rng(2).permutation(120))):
        source = tmp_path / f"baskets{number}.jsonl"
        source.write_text("".join(lines[place] for place in order))
        baskets = tacit.read_transactions(source, sensitive="ward")
        release = tacit.hide(baskets, patterns=["a, b"], min_support=20, key=Key.from_seed(5))
        texts.append(
            release.save(tmp_path / f"out{number}").folder.joinpath("transactions.jsonl").read_text()
        )
    assert texts[0] == texts[1]


def test_another_key_is_another_release() -> None:
    one, other = made(), made(key=Key.from_seed(6))
    assert one.published.sets() != other.published.sets()


def test_names_with_blanks_and_a_column_that_goes_along(tmp_path: Path) -> None:
    records = [{"whole milk", "rye bread"}] * 30 + [{"whole milk", "tea"}] * 30 + [{"tea"}] * 10
    baskets = tacit.transactions_from_sets(records)
    release = tacit.hide(baskets, patterns=["whole milk, tea"], min_support=10, key=Key.from_seed(1))
    folder = release.save(tmp_path / "named").folder
    assert (folder / "transactions.csv").is_file()
    assert not tacit.verify(folder).broken


def test_a_sensitive_item_alone_is_thinned_and_rows_keep_an_item() -> None:
    records = [{"secret", "tea"}] * 30 + [{"secret"}] * 10 + [{"tea", "milk"}] * 30
    release = tacit.hide(
        tacit.transactions_from_sets(records), patterns=[{"secret"}], min_support=20, key=Key.from_seed(1)
    )
    after = release.published.sets()
    assert 1 <= sum("secret" in record for record in after) < 20
    assert sum("tea" in record for record in after) == 60
    assert release.risk().hiding_failure == 0


def test_an_emptied_row_gets_an_item_back() -> None:
    """Every item of {a, b} is a victim somewhere; a row that would be empty keeps one of them."""
    records = [{"a", "b"}] * 30 + [{"b", "c"}] * 30 + [{"a", "c"}] * 30
    release = tacit.hide(
        tacit.transactions_from_sets(records),
        patterns=["a, b", "b, c", "a, c"],
        min_support=2,
        key=Key.from_seed(3),
    )
    assert len(release.published) == 90
    assert int((release.published.lengths == 0).sum()) == 0


def test_what_is_infrequent_already_is_said_to_the_owner_alone() -> None:
    records = [{"a", "b"}] * 30 + [{"c", "d"}] * 3
    release = tacit.hide(
        tacit.transactions_from_sets(records), patterns=["a, b", "c, d"], min_support=10, key=Key.from_seed(1)
    )
    assert release.to_dict()["remarks"] == ["1 of the patterns is infrequent as the data stand."]
    assert "as the data stand" not in release.manifest.to_json()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_support", 0),
        ("min_support", -1),
        ("min_support", 1.5),
        ("min_support", float("nan")),
        ("min_support", True),
        ("confidence", 0),
        ("confidence", 1.0),
        ("confidence", float("inf")),
        ("algorithm", "magic"),
        ("policy", "hope"),
        ("targets", "none"),
        ("min_confidence", 0.0),
        ("disclosure", 1.1),
        ("window", 0),
        ("format", "doc"),
    ],
)
def test_parameters_outside_their_range(name: str, value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        made(**{name: value})
    assert f"'{name}' parameter of hide" in caught.value.message


def test_an_unknown_item_is_refused() -> None:
    with pytest.raises(InputError):
        made(patterns=[{"unicorn"}])


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tacit", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        env=os.environ | {"COLUMNS": "100"},
    )


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tacit.write_transactions(BASKETS, tmp_path / "baskets.dat")
    (tmp_path / "secret.txt").write_text(f"# ours\n{', '.join(SECRET[0].items)}\n")
    asked = ["hide", "baskets.dat", "--patterns", "secret.txt", "--min-support", "0.01"]
    done = run(*asked, "--json", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["hiding_failure"] == 0
    assert figures["marked"] == 1
    assert figures["folder"].endswith("out")

    monkeypatch.chdir(tmp_path)  # the rest in this process
    assert main(["verify", "out", "--original", "baskets.dat"]) == 0
    assert "nothing added: each part of its original" in capsys.readouterr().out
    assert main([*asked, "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "marked pair" in shown
    assert (
        f"{SECRET[0].items[0]} goes because of" in shown or f"{SECRET[0].items[1]} goes because of" in shown
    )
    assert main([*asked, "-o", "out"]) == 6
    assert main(["hide", "baskets.dat", "--patterns", "nothing.txt", "--min-support", "5"]) == 3
