"""Text for a terminal fits it: prose is wrapped, what is to be copied is not."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import tacit
from tacit.random.key import Key
from tacit.showing.layout import as_text, facts, grid, prose

LONG = "Whoever knows this much, which is 95 % of what there is, knows it " * 4


@pytest.fixture(params=[60, 80, 300])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How long a line may be on a terminal of some width: 100 at most."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    return min(int(request.param), 100)


def test_prose_is_as_wide_as_the_terminal(width: int) -> None:
    lines = prose(LONG, indent=2, hanging=4).splitlines()
    assert all(line.startswith("    ") for line in lines[1:]) and not lines[0].startswith("   ")
    assert width - 15 < max(map(len, lines)) <= width  # the longest word is shorter than that
    assert " ".join("\n".join(lines).split()) == LONG.strip()
    assert not any(line.endswith("95") for line in lines)


def test_where_there_is_no_terminal_lines_have_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.__stdout__", None)
    assert 70 < max(map(len, prose(LONG).splitlines())) <= 80


def test_values_and_tables_go_on_below_themselves(width: int) -> None:
    path = "/a folder/" * 20
    lines = facts([("reader", LONG), ("folder", path)], as_they_are=("folder",)).splitlines()
    assert lines[-1] == f"  folder  {path}"
    assert all(len(line) <= width and line[:10].strip() in ("", "reader") for line in lines[:-1])
    table = grid(("figure", "what it is"), [("t", LONG), ("l", "short")], ends_in_prose=True).splitlines()
    assert all(len(line) <= width for line in table)
    assert table[-1] == "  l       short" and table[3].startswith(" " * 10) and len(table) > 4
    assert len(grid(("figure", "folder"), [("t", path)]).splitlines()) == 3


FRAME = pl.DataFrame(
    {"age": [str(20 + n % 7) for n in range(60)], "flu": ["a", "b", "c"] * 20, "pay": [*"xyzuvw"] * 10}
)


@pytest.mark.parametrize(("sensitive", "guessed"), [("flu", "value"), ("flu,pay", "combination")])
def test_a_release_fits_the_terminal_and_says_what_a_guess_is_of(
    sensitive: str, guessed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = as_text(_bucketized(sensitive))
    assert max(map(len, text.splitlines())) <= 80
    assert f"Guessing the commonest {guessed} of all" in text
    assert ("A guess is of a combination of values" in text) == (guessed == "combination")


def test_a_report_says_what_a_guess_is_of() -> None:
    assert "by naming the commonest combination" in _bucketized("flu,pay").report().to_html()


def _bucketized(sensitive: str) -> Any:
    table = tacit.table_from_frame(FRAME, quasi="age", sensitive=sensitive)
    return tacit.bucketize(table, l=2, key=Key.from_seed(1))
