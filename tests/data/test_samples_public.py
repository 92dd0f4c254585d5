"""The public data sets: read as published, counted as published, refused when absent or changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import InputError, ParameterError
from tacit.io.samples import load_sample
from tacit.io.samples.public import adult, groceries, webview


@pytest.mark.parametrize(
    ("part", "rows", "complete"),
    [("train", 32_561, 30_162), ("test", 16_281, 15_060), ("all", 48_842, 45_222)],
)
def test_adult_has_its_rows(public_data: Path, part: str, rows: int, complete: int) -> None:
    assert len(adult(part=part)) == complete
    whole = adult(part=part, drop_missing=False)
    assert len(whole) == rows
    assert whole.column("workclass").null_code is not None
    assert adult(part=part).notes == (f"{rows - complete} rows with a missing value were dropped.",)


def test_adult_is_what_the_literature_means_by_it(public_data: Path) -> None:
    table = load_sample("adult")
    assert isinstance(table, Table)
    assert len(table.names) == 15
    assert table.roles.quasi == ("age", "workclass", "education", "marital-status", "race", "sex")
    assert table.roles.sensitive == ("occupation",)
    assert table.column("salary").texts == ["<=50K", ">50K"]  # no full stop left, no second spelling
    assert table.column("age").values.min() == 17
    assert len(table.column("occupation").values) == 14
    assert all(text is not None and text == text.strip() for text in table.column("education").texts)


def test_adult_hierarchies_have_their_levels_and_cover_every_value(public_data: Path) -> None:
    table = adult()
    levels = {name: int(tree.heights[-1]) + 1 for name, tree in table.hierarchies.items()}
    expected = {
        "age": 5,
        "workclass": 3,
        "education": 4,
        "marital-status": 3,
        "race": 2,
        "sex": 2,
        "salary": 2,
    }
    assert {name: levels[name] for name in expected} == expected
    for name, tree in table.hierarchies.items():
        tree.leaves_of(table.column(name).texts)


def test_adult_without_hierarchies(public_data: Path, tmp_path: Path) -> None:
    shutil.copy(public_data / "adult" / "adult.test", tmp_path)
    table = adult(part="test", path=tmp_path)
    assert len(table) == 15_060 and table.hierarchies == {}


def test_groceries_have_names_and_a_hierarchy(public_data: Path) -> None:
    baskets = load_sample("groceries")
    assert isinstance(baskets, Transactions)
    assert (len(baskets), baskets.n_items) == (9_835, 169)
    assert list(baskets.vocabulary) == sorted(baskets.vocabulary, key=str.encode)
    tree = baskets.hierarchy
    assert tree is not None
    tree.leaves_of(baskets.vocabulary)
    assert [int((tree.depths == depth).sum()) for depth in range(4)] == [1, 10, 55, 169]
    path = [tree.labels[node] for node in tree.ancestors(tree.index["sausage"])]
    assert path == ["sausage (group)", "meat and sausage", "*"]
    assert baskets.vocabulary[int(baskets.supports.argmax())] == "whole milk"
    assert int(baskets.supports.max()) == 2_513


def test_groceries_are_the_file_by_other_names(public_data: Path) -> None:
    """Item by item, record by record, against a plain reading of the two files."""
    lines = (public_data / "groceries" / "Groceries_items.csv").read_text().splitlines()[1:]
    names = {
        number: rest.rsplit(",", 2)[0].strip('"') for number, rest in (line.split(",", 1) for line in lines)
    }
    records = (public_data / "groceries" / "Groceries.dat").read_text().splitlines()
    assert groceries().sets() == [frozenset(names[number] for number in record.split()) for record in records]


@pytest.mark.parametrize(
    ("number", "records", "items", "longest"), [(1, 59_602, 497, 267), (2, 77_512, 3_340, 161)]
)
def test_webview_has_its_counts(
    public_data: Path, number: int, records: int, items: int, longest: int
) -> None:
    clicks = load_sample(f"webview{number}")
    assert isinstance(clicks, Transactions)
    assert (len(clicks), clicks.n_items, int(clicks.lengths.max())) == (records, items, longest)
    assert clicks.origin == f"sample:webview{number}"


@pytest.mark.parametrize(
    ("call", "publisher"), [(adult, "UCI"), (groceries, "arules"), (webview, "KDD Cup 2000")]
)
def test_an_absent_file_says_where_to_get_it(
    call: object, publisher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TACIT_DATA", str(tmp_path))
    _refused(call, "sample-missing", publisher, "TACIT_DATA")
    monkeypatch.delenv("TACIT_DATA")
    _refused(call, "sample-missing", publisher, "TACIT_DATA is not set")
    _refused(lambda: call(path=tmp_path), "sample-missing", publisher, str(tmp_path))  # type: ignore[operator]


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    for name, call in (
        ("adult.data", lambda: adult(part="train", path=tmp_path)),
        ("Groceries_items.csv", lambda: groceries(path=tmp_path)),
        ("BMS-WebView-2.dat", lambda: webview(2, path=tmp_path)),
    ):
        (tmp_path / name).write_text("39, State-gov\n")
        _refused(call, "sample-changed", name, "SHA-256")


def test_parameters_out_of_range_are_refused() -> None:
    with pytest.raises(ParameterError):
        adult(part="validation")
    with pytest.raises(ParameterError):
        webview(3)


def _refused(call: object, code: str, *says: str) -> None:
    with pytest.raises(InputError) as caught:
        call()  # type: ignore[operator]
    assert caught.value.code == code
    for piece in says:
        assert piece in str(caught.value)
