"""Hierarchies that are proposed: every value has one way up, and few people shape none of them."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.data.column import encode
from tacit.data.hierarchy import Hierarchy
from tacit.data.transactions import Transactions, transactions_from_sets
from tacit.errors import TacitError
from tacit.io.hierarchies import build_items, hierarchy_text, read_hierarchy
from tacit.io.hierarchies.automatic import automatic_hierarchy
from tacit.io.hierarchies.items import FANOUT
from tacit.recoding.proposing import FARTHEST, MARGIN
from tacit.surface.cli import main
from tests.oracles.proposing import close_pairs

WORDS = st.sampled_from(["milk", "Bread", "rye", "1l", "a", "β", "7", "x_y", "other", "*", "NaN", "(group)"])
NAMES = st.lists(
    st.lists(WORDS, min_size=1, max_size=4).map(" ".join) | st.text(min_size=1, max_size=6),
    min_size=1,
    max_size=40,
    unique=True,
)
BASKETS = st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=5), min_size=1, max_size=40)


def way(tree: Hierarchy, leaf: str) -> list[str]:
    return [tree.labels[node] for node in tree.ancestors(tree.index[leaf])]


def shape(tree: Hierarchy) -> dict[str, list[str]]:
    return {leaf: way(tree, leaf) for leaf in tree.labels[: tree.n_leaves]}


@given(NAMES, st.randoms(use_true_random=False))
def test_items_are_the_leaves_and_each_has_one_way_up(names: list[str], draw: random.Random) -> None:
    pairs = [pair for pair in combinations(sorted(names), 2) if draw.random() < 0.3]
    close = {pair: draw.randrange(3) for pair in pairs}
    rare = [name for name in names if draw.random() < 0.3]
    tree = build_items(names, close=close, rare=rare)
    assert sorted(tree.labels[: tree.n_leaves]) == sorted(names)
    assert len(set(tree.labels)) == tree.n_nodes
    draw.shuffle(names)
    again = build_items(names, close=dict(reversed(close.items())), rare=rare)
    assert (again.labels, again.parents.tolist()) == (tree.labels, tree.parents.tolist())


@given(names=NAMES)
def test_a_proposed_tree_comes_back_from_a_file_in_arx_form(
    names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    tree = build_items(names, rare=names[::2])
    file = tmp_path_factory.mktemp("trees") / "tree.csv"
    try:
        file.write_text(hierarchy_text(tree), encoding="utf-8", newline="")
        back = read_hierarchy(file, format="arx")
    except TacitError as error:  # names that no file of text can hold are refused by the reader
        assert error.code.startswith("text-") or error.code == "hierarchy-quote"
        return
    assert shape(back) == shape(tree)


@pytest.mark.parametrize(
    ("items", "leaf", "above"),
    [
        (["rye bread", "white bread", "oat milk", "whole milk"], "rye bread", ["bread", "*"]),
        (["Milk oat", "Milk whole", "Beer dark", "Beer pale"], "Milk oat", ["Milk", "*"]),
        (["milk", "whole milk", "oat milk", "beer"], "milk", ["milk (group)", "*"]),
        (["milk 1l", "juice 1l", "oat milk 2l", "beer"], "oat milk 2l", ["milk", "*"]),
        (["DRK-BEER-01", "DRK-BEER-02", "DRK-WINE-01", "FOO-1"], "DRK-BEER-01", ["DRK-BEER", "DRK", "*"]),
        (["UHT-milk", "butter-milk", "Milk, fat", "tea"], "UHT-milk", ["milk", "*"]),
        (["1", "2", "10", "11", "20", "21"], "10", ["1..10", "*"]),
        (["SKU 7", "SKU 8"], "SKU 7", ["*"]),
    ],
)
def test_names_come_first(items: list[str], leaf: str, above: list[str]) -> None:
    assert way(build_items(items), leaf) == above


@pytest.mark.parametrize(
    ("values", "leaf", "above"),
    [
        (["E11.9", "E10", "J45.1"], "E11.9", ["E11*", "E1*", "E00-E90", "*"]),
        (["E11.9", "E10", "J45.1"], "E10", ["E1*", "E00-E90", "*"]),
        (["D48.1", "D50", "A00"], "D48.1", ["D48*", "D4*", "C00-D48", "*"]),
        (["T98", "B99", "H60.1", None], "H60.1", ["H60*", "H6*", "H60-H95", "*"]),
        (
            ["17.05.2020", "1.12.2009"],
            "17.05.2020",
            ["2020-05", "2020-Q2", "2020-H1", "2020", "2020-2024", "2020s", "*"],
        ),
        (
            ["05/17/2012", "12/01/1999"],
            "12/01/1999",
            ["1999-12", "1999-Q4", "1999-H2", "1999", "1995-1999", "1990s", "*"],
        ),
        (
            ["01067", "01069", "04103"],
            "01069",
            ["0106*", "010**", "01***", "00000-01999", "00000-04999", "0****", "*"],
        ),
    ],
)
def test_columns_by_what_their_values_look_like(
    values: list[str | None], leaf: str, above: list[str]
) -> None:
    tree = automatic_hierarchy(encode(pl.Series("column", values)))
    assert way(tree, leaf) == above
    assert set(tree.labels[: tree.n_leaves]) == {value or "NaN" for value in values}
    if None not in values:
        baskets = transactions_from_sets([{str(value)} for value in values])
        assert way(tacit.propose_hierarchy(baskets), leaf) == above


@given(BASKETS, st.integers(2, 4))
def test_only_what_twice_k_records_hold_counts(sets: list[set[str]], k: int) -> None:
    baskets = transactions_from_sets(sets)
    if not baskets.n_items:
        return
    close = close_pairs(sets, least=MARGIN * k, farthest=FARTHEST)
    rare = [name for name in baskets.vocabulary if sum(name in one for one in sets) < MARGIN * k]
    assert shape(tacit.propose_hierarchy(baskets, k=k)) == shape(
        build_items(baskets.vocabulary, close=close, rare=rare)
    )


def shop(together: int) -> Transactions:
    """Products that many buy one by one; so many buy ham and zucchini together, others one of them."""
    goods = [f"{letter}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"][: 4 * FANOUT]
    sets = [{one} for one in goods for _ in range(30)]
    sets += [{"ham", "zucchini"}] * together + [{"ham"}, {"zucchini"}] * (30 - together)
    return transactions_from_sets(sets)


def test_the_habits_of_fewer_than_twice_k_people_shape_nothing() -> None:
    nobody, few, enough = (shape(tacit.propose_hierarchy(shop(n), k=5)) for n in (0, 9, 20))
    assert few == nobody
    assert way(tacit.propose_hierarchy(shop(20), k=5), "ham")[0] == "ham+zucchini"
    assert enough != nobody


def test_how_many_people_is_not_told() -> None:
    """Any number of people between two doublings gives the same tree."""
    assert len({str(shape(tacit.propose_hierarchy(shop(n), k=5))) for n in range(20, 31)}) == 1


def test_rare_items_are_under_other_and_cost_common_ones_nothing() -> None:
    sets = [{one} for one in ("ale", "bun", "cod", "dip", "egg", "fig") for _ in range(40)]
    tree = tacit.propose_hierarchy(transactions_from_sets([*sets, {"yam"}, {"zip"}]), k=5)
    assert way(tree, "yam")[0] == way(tree, "zip")[0] == "other"


def test_generalize_takes_the_proposal_and_keeps_it_for_its_owner() -> None:
    baskets = shop(20)
    release = tacit.generalize(baskets, k=5, m=2, propose=True)
    kept = release.private["hierarchy.csv"]
    assert isinstance(kept, bytes) and b"ham;ham+zucchini;" in kept
    assert "proposed" in release.to_dict()["notes"][-1]
    with pytest.raises(TacitError) as caught:
        tacit.generalize(baskets, k=5, m=2)
    assert caught.value.code == "hierarchy-needed" and "'ham+zucchini'" in str(caught.value)
    with pytest.raises(TacitError) as caught:
        tacit.generalize(tacit.load_sample("supermarket:200"), k=5, m=2, propose=True)
    assert caught.value.code == "parameter-unused"


ORDERS = "order,product\n" + "".join(
    f"{n},{one}\n" for n in range(40) for one in ("rye bread", "oat milk", "white bread")[: n % 3 + 1]
)


def test_long_records_are_asked_for_a_hierarchy_before_one_is_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = transactions_from_sets([{f"{n}" for n in range(20)}] * 10)
    monkeypatch.setattr("tacit.recoding.proposing.SOON", 1_899)  # of 1,900 pairs
    with monkeypatch.context() as without, pytest.raises(TacitError) as caught:
        without.setattr("tacit.recoding.proposing.propose_hierarchy", None)
        tacit.generalize(data, k=2, m=2)
    assert caught.value.code == "hierarchy-needed" and "records are long" in str(caught.value)
    assert tacit.generalize(data, k=2, m=2, propose=True).to_dict()["suppressed"] == 0
    monkeypatch.setattr("tacit.recoding.proposing.SOON", 1_900)
    with pytest.raises(TacitError, match="groups"):
        tacit.generalize(data, k=2, m=2)


def test_an_order_list_is_read_and_published_in_one_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("orders.csv").write_text(ORDERS)
    assert main(["generalize", "orders.csv", "-k", "5", "-m", "2"]) == 2
    told = capsys.readouterr().err
    assert "'order' names the transaction" in told and "--propose" in told and "'bread'" in told
    assert main(["generalize", "orders.csv", "-k", "5", "-m", "2", "--propose", "-o", "out"]) == 0
    assert (
        "rye bread" in Path("out/mapping.csv").read_text()
        and "order" not in Path("out/mapping.csv").read_text()
    )
    capsys.readouterr()
    assert main(["hierarchy", "build", "orders.csv", "--by", "proposed", "-o", "tree.csv"]) == 0
    again = ["generalize", "orders.csv", "-k", "5", "-m", "2", "--hierarchy", "tree.csv", "-o", "again"]
    assert main(again) == 0
    for file in ("mapping.csv", "transactions.csv"):
        assert Path("out", file).read_bytes() == Path("again", file).read_bytes()
    Path("recipe.toml").write_text(
        '[source]\npath = "orders.csv"\nrecord = "order"\nitem = "product"\n'
        '[[release]]\nmethod = "generalize"\noutput = "third"\nk = 5\nm = 2\npropose = true\n'
    )
    assert main(["run", "recipe.toml"]) == 0
    assert Path("third/mapping.csv").read_bytes() == Path("out/mapping.csv").read_bytes()
