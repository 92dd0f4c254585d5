"""Tables from and to databases: SQLite files, and a PostgreSQL server that the tests start."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit import InputError, OutputError, UsageError, read_table, write_table
from tacit.io.readers.database import without_password
from tests.strategies.frames import DAYS, FLOATS, TEXT, TIMES, WHOLE, frames

RICH = pl.DataFrame(
    {
        "whole": [2**62 + 1, None, -5],
        "share": [0.1, float("inf"), None],
        "text": ["=1+1", "", None],
        "day": [date(2020, 2, 29), None, date(1850, 1, 1)],
        "moment": [datetime(2020, 1, 1, 3, 4, 5, 6), None, datetime(1999, 12, 31)],
        "hour": [time(1, 2, 3), None, time(23, 59)],
        "truth": [True, None, False],
        "price": [Decimal("12345678901234567890.50"), None, Decimal("-3.25")],
        "small": pl.Series([1, None, -3], dtype=pl.Int16),
    }
)


def test_postgresql_keeps_types(postgresql: str) -> None:
    write_table(RICH, postgresql, table="rich")
    back = read_table(postgresql, table="rich")
    assert back.to_polars().schema == RICH.schema
    assert back.to_polars().equals(RICH, null_equal=True)
    assert back.format == "postgresql"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    frames(
        {
            pl.String(): TEXT,
            pl.Int64(): WHOLE,
            pl.Float64(): FLOATS,
            pl.Boolean(): st.booleans(),
            pl.Date(): DAYS,
            pl.Datetime("us"): TIMES,
        }
    )
)
def test_postgresql_gives_back_what_was_written(postgresql: str, frame: pl.DataFrame) -> None:
    frame = frame.rename({name: f"column {place}" for place, name in enumerate(frame.columns)})
    write_table(frame, postgresql, table="round", overwrite=True)
    back = read_table(postgresql, table="round", twins="keep").to_polars()
    assert back.schema == frame.schema
    assert back.equals(frame, null_equal=True)


def test_postgresql_queries_schemas_and_roles(postgresql: str) -> None:
    frame = pl.DataFrame(
        {"name": ["Ann", "Bob", "Cyd"], "age": [41, 27, 27], "disease": ["flu", "ulcer", "flu"]}
    )
    read_table(postgresql, query="SELECT 1 AS one")  # the server is there
    write_table(frame, postgresql, table="public.visits")
    table = read_table(
        postgresql,
        query='SELECT name, age, disease FROM "public"."visits" WHERE age < 40;',
        quasi="age",
        sensitive="disease",
        identifiers="name",
    )
    assert table.names == ("age", "disease") and len(table) == 2
    assert table.column("age").texts == ["27"]
    with pytest.raises(OutputError) as caught:
        write_table(frame, postgresql, table="visits")
    assert caught.value.code == "output-exists"
    assert len(read_table(postgresql, table="public.visits")) == 3


def test_postgresql_types_without_a_value_to_read(postgresql: str) -> None:
    query = (
        "SELECT 'Ann' AS name, interval '1 day' AS span, ARRAY[1, 2] AS list, gen_random_uuid() AS id,"
        " 'NaN'::numeric AS odd, 1.50::numeric AS price, 2::numeric(60, 30) AS long"
    )
    table = read_table(postgresql, query=query)
    assert table.names == ("name", "odd", "price", "long")
    assert [table.column(name).texts[0] for name in table.names] == ["Ann", None, "1.50", "2." + 30 * "0"]
    assert len([note for note in table.notes if "left out" in note]) == 3
    with pytest.raises(InputError) as caught:
        read_table(postgresql, query=query, quasi="span")
    assert caught.value.code == "unsupported-type"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"table": "nowhere"}, "database-query"),
        ({"query": "SELEC"}, "database-query"),
        ({"query": "SELECT 1 AS a, 2 AS a"}, "duplicate-column"),
        ({"query": "SELECT 1 AS a WHERE false"}, "no-rows"),
    ],
)
def test_postgresql_errors(postgresql: str, options: dict[str, str], code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_table(postgresql, **options)  # type: ignore[arg-type]
    assert caught.value.code == code


def test_a_password_is_never_shown(postgresql: str) -> None:
    address = (
        postgresql.replace("tester@", "tester:hush@").replace("/postgres?", "/nowhere?") + "&password=hush"
    )
    with pytest.raises(InputError) as caught:
        read_table(address, table="t")
    assert caught.value.code == "database-connection"
    assert "hush" not in str(caught.value)
    assert "hush" not in (
        read_table(address.replace("/nowhere?", "/postgres?"), query="SELECT 1 AS a").origin or ""
    )
    assert without_password("postgres://a:b@h/d?password=c&sslmode=off") == "postgres://a@h/d?sslmode=off"


def test_no_server_is_an_error_of_the_input() -> None:
    with pytest.raises(InputError) as caught:
        read_table("postgresql://nobody:hush@127.0.0.1:9/none", table="t")
    assert caught.value.code == "database-connection" and "hush" not in str(caught.value)


def test_sqlite_knows_text_and_numbers(tmp_path: Path) -> None:
    write_table(RICH, tmp_path / "x.db", table="rich")
    back = read_table(tmp_path / "x.db", table="rich")
    from tacit.data.column import text_of

    for series in RICH:
        plain = series.dtype in (pl.String, pl.Float64) or series.dtype.is_integer()
        found = back.column(series.name).to_series()
        if plain:
            assert found.to_list() == series.to_list()
        else:
            assert found.to_list() == text_of(series)


def test_sqlite_by_address_suffix_and_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"age": [41, 27]})
    monkeypatch.chdir(tmp_path)
    write_table(frame, "sqlite:///a b.data", table="t")
    for source in (
        "sqlite:///a b.data",
        "a b.data",
        f"sqlite:///{tmp_path}/a b.data",
        "sqlite:///a%20b.data",
    ):
        assert read_table(source, table="t").to_polars().equals(frame)
    write_table(frame, "sqlite:///a b.data", table="u")  # beside the first
    assert read_table("a b.data", query="SELECT count(*) AS n FROM t, u").column("n").texts == ["4"]


def test_sqlite_takes_its_types_from_all_rows(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE t (late TEXT, number NUMERIC, mixed)")
    rows = [(None, 1, 1)] * 3000 + [("x", 1.5, "text")]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    connection.commit()
    connection.close()
    table = read_table(tmp_path / "x.db", query="SELECT late, number FROM t")
    assert table.column("late").texts == ["x", None]
    assert table.column("number").texts == ["1.0", "1.5"]
    with pytest.raises(InputError) as caught:
        read_table(tmp_path / "x.db", table="t")
    assert caught.value.code == "mixed-types" and "'mixed'" in str(caught.value)


def test_sqlite_is_opened_for_reading_alone(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"a": [1]}), tmp_path / "x.db", table="t")
    before = (tmp_path / "x.db").read_bytes()
    for query in ("DELETE FROM t", "DROP TABLE t", "INSERT INTO t VALUES (2) RETURNING a"):
        with pytest.raises((InputError, UsageError)):
            read_table(tmp_path / "x.db", query=query)
    assert (tmp_path / "x.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["x.db"]


def test_a_failed_write_leaves_no_database(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        write_table(pl.DataFrame({"a": [1]}), tmp_path / "x.db", table="sqlite_reserved")
    assert list(tmp_path.iterdir()) == []


def test_addresses_and_options_that_contradict(tmp_path: Path) -> None:
    write_table(pl.DataFrame({"a": [1]}), tmp_path / "x.db", table="t")
    for source, options in (
        (tmp_path / "x.db", {}),
        (tmp_path / "x.db", {"table": "t", "query": "SELECT 1"}),
        (tmp_path / "x.db", {"table": "t", "delimiter": ";"}),
        ("sqlite://x.db", {"table": "t"}),
        ("postgresql://h/d", {"table": "t", "format": "csv"}),
        ("-", {"table": "t", "format": "sqlite"}),
    ):
        with pytest.raises(UsageError):
            read_table(source, **options)
    with pytest.raises(InputError) as caught:
        read_table(tmp_path / "y.db", table="t")
    assert caught.value.code == "file-missing"


def test_a_table_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path) -> None:
    _tables_are_named(f"sqlite:///{tmp_path}/x.db")
    sqlite3.connect(tmp_path / "y.db").executescript("CREATE TABLE t (a); DROP TABLE t;")
    with pytest.raises(UsageError, match="There is no table in it"):
        read_table(tmp_path / "y.db")


def test_postgresql_names_its_tables(postgresql: str) -> None:
    _tables_are_named(postgresql)


def _tables_are_named(source: str) -> None:
    for table in ("a people", "a payroll"):
        write_table(pl.DataFrame({"age": [41, 27]}), source, table=table)
    for options in ({}, {"table": "nope"}, {"query": "SELECT * FROM nope"}):
        with pytest.raises((UsageError, InputError)) as caught:
            read_table(source, **options)  # type: ignore[arg-type]
        assert caught.value.code == "database-query"
        assert "The tables are 'a payroll', 'a people'" in str(caught.value.hint)
