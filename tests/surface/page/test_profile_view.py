"""What the page says of a table: its figures, and that it cannot tell which column is sensitive."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tacit import table_from_frame
from tacit.judging.profile import profile_table
from tacit.showing.layout import to_plain
from tacit.surface.page.coach import profile_view
from tacit.surface.page.forms import recipe
from tacit.surface.page.session import DataSet
from tacit.surface.recipe.model import Source


def test_a_sensitive_column_that_nothing_tells_is_asked_for_until_it_is_chosen() -> None:
    frame = pl.DataFrame({"age": ["1", "2"] * 4, "island": ["a", "b"] * 4, "year": ["c", "d"] * 4})
    seen = {"profile": to_plain(profile_table(table_from_frame(frame)))}
    data = DataSet("d", "t.csv", Path(), "t.csv", 1, "table", columns=seen["profile"]["columns"], seen=seen)
    advice = profile_view(data)["advice"]
    assert (
        "No column name suggests what is sensitive; it may be year or island. Choose it in the next step."
        in advice
    )
    data.roles = {"age": "quasi", "island": "sensitive", "year": "none"}
    assert "Nothing tells" not in profile_view(data)["advice"]


def test_whose_rows_they_are_is_not_dropped() -> None:
    """The column that tells people apart is guessed to be an identifier, which the page leaves out."""
    frame = pl.DataFrame(
        {
            "patient_id": [f"p{row // 3}" for row in range(90)],
            "sex": [*"fffmmm"] * 15,
            "illness": [*"abc"] * 30,
        }
    )
    seen = {"profile": to_plain(profile_table(table_from_frame(frame)))}
    data = DataSet("d", "t.csv", Path(), "t.csv", 1, "table", columns=seen["profile"]["columns"], seen=seen)
    data.roles = {"patient_id": "drop", "sex": "quasi", "illness": "sensitive"}
    begin = {"k": "7", "l": "3"}
    assert {name: str(value) for name, value in seen["profile"]["settings"].items()} == begin
    made = recipe(data, "generalize_table", {**begin, "person": seen["profile"]["person"]})
    assert isinstance(made.source, Source)
    assert made.source.drop == () and made.release[0].person == "patient_id"
    assert recipe(data, "generalize_table", begin).source.drop == ("patient_id",)  # type: ignore[union-attr]


def test_the_page_says_whether_it_counts_rows_or_people() -> None:
    """Each of thirty people has three rows that are alike: no row is alone, and everybody is."""
    frame = pl.DataFrame({"birth_year": [1950 + row // 3 for row in range(90)], "illness": [*"abc"] * 30})
    people = pl.Series("patient_id", [f"p{row // 3}" for row in range(90)])
    for seen_as, share, given in (
        ("People", "100.0 %", frame.with_columns(people)),
        ("Rows", "0.0 %", frame),
    ):
        seen = {"profile": to_plain(profile_table(table_from_frame(given)))}
        columns = seen["profile"]["columns"]
        data = DataSet("d", "t.csv", Path(), "t.csv", 1, "table", columns=columns, seen=seen)
        figures = {one["name"]: one["value"] for one in profile_view(data)["figures"]}
        assert figures[f"{seen_as} alone with their quasi-identifiers"] == share
