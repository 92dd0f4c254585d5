"""What the page says of a table: its figures, and that it cannot tell which column is sensitive."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tacit import table_from_frame
from tacit.judging.profile import profile_table
from tacit.showing.layout import to_plain
from tacit.surface.page.coach import profile_view
from tacit.surface.page.session import DataSet


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
