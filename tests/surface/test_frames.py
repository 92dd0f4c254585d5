"""The verbs on what people have in Python: frames of four libraries, files, lists of sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.errors import UsageError

ROLES: dict[str, Any] = {"quasi": ["zip", "age"], "sensitive": "disease"}


def frame(rows: int = 60) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "zip": [10115 + row % 3 for row in range(rows)],
            "age": [30 + row % 5 for row in range(rows)],
            "disease": [("flu", "ulcer", "asthma", "gout")[row % 4] for row in range(rows)],
        }
    )


def given(library: str) -> Any:
    if library == "pandas":
        return frame().to_pandas()
    if library == "pyarrow":
        return frame().to_arrow()
    if library == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        held = frame().to_arrow()
        return duckdb.from_arrow(held)
    return frame() if library == "polars" else frame().lazy()


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "pyarrow", "duckdb"])
def test_a_frame_gives_the_release_of_its_table(library: str) -> None:
    table = tacit.table_from_frame(frame(), **ROLES)
    key = tacit.Key(b"k" * 32)
    wanted = tacit.bucketize(table, l=3, key=key)
    found = tacit.bucketize(given(library), **ROLES, l=3, key=key)
    assert found.figures == wanted.figures


def test_a_file_and_a_list_of_sets_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    frame().write_csv(path)
    assert tacit.profile(path, **ROLES).rows == 60
    sets = [["milk", "bread"], ["milk"], ["bread", "beer"]]
    assert len(tacit.mine_itemsets(sets, min_support=2)) > 0
    long = pl.DataFrame({"who": [1, 1, 2], "what": ["milk", "bread", "milk"]})
    assert tacit.profile(long, record="who", item="what").transactions == 2


def test_a_frame_and_a_file_need_no_other_keyword(tmp_path: Path) -> None:
    """Roles that are not given are guessed, where a verb guesses them."""
    path = tmp_path / "people.csv"
    frame().write_csv(path)
    for data in (frame(), path, str(path)):
        assert tacit.profile(data).quasi == tacit.risk(data).quasi == ("zip", "age")
        with pytest.raises(UsageError, match="needs quasi-identifiers"):
            tacit.sweep(data, l=[2], k=[3])


@pytest.mark.parametrize(
    ("data", "options", "code"),
    [
        (42, {"l": 3}, "not-a-dataframe"),
        (frame(), {"l": 3, "qasi": "zip"}, "unknown-option"),
        (tacit.table_from_frame(frame(), **ROLES), {"l": 3, "quasi": "zip"}, "roles-twice"),
        (tacit.transactions_from_sets([["a"]]), {"l": 3}, "wrong-data"),
        (frame(), {"l": 3, "quasi": "wage", "sensitive": "disease"}, "unknown-column"),
    ],
)
def test_wrong_data_get_our_errors(data: Any, options: dict[str, Any], code: str) -> None:
    with pytest.raises(UsageError) as caught:
        tacit.bucketize(data, **options)
    assert caught.value.code == code


@pytest.mark.parametrize("library", ["pandas", "duckdb"])
def test_the_risk_of_a_frame_is_that_of_its_table(library: str) -> None:
    found = tacit.risk(given(library), **ROLES)
    assert found["k"] == 4 == tacit.risk(tacit.table_from_frame(frame(), **ROLES))["k"]
    with pytest.raises(UsageError, match="risk has no option 'quassi'"):
        tacit.risk(frame(), quassi=["zip"])
