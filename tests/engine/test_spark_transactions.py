"""Transactions that stay on Spark: every form they are read in, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.transactions import Transactions, transactions_from_sets
from tacit.io.spark.transactions import SparkTransactions, single_rows

LINES = "3 1 3\n\n10 9 2\n2 1\n"
PAIRS = pl.DataFrame(
    {
        "record": ["1", "1", "10", "9", "9", "9"],
        "item": ["milk", "bread", "milk", "tea, green", "milk", "milk"],
        "illness": ["flu", "flu", None, "gout", "gout", "gout"],
    }
)


def same_transactions(here: Transactions, there: Transactions) -> None:
    """The same vocabulary, counts and notes, and the same records in whatever order."""
    assert isinstance(there, SparkTransactions)
    assert (here.vocabulary, here.notes, len(here)) == (there.vocabulary, there.notes, len(there))
    np.testing.assert_array_equal(here.supports, there.supports)
    np.testing.assert_array_equal(here.length_counts, there.length_counts)
    rows = [
        (tuple(np.frombuffer(row["items"], np.int32).tolist()), row) for row in single_rows(there).collect()
    ]
    own = [tuple(part.tolist()) for part in np.split(here.items, here.indptr[1:-1])]
    if here.sensitive is None:
        assert sorted(own) == sorted(items for items, _ in rows)
        return
    assert there.sensitive is not None
    assert here.sensitive.texts == there.sensitive.texts
    np.testing.assert_array_equal(here.sensitive.counts, there.sensitive.counts)
    mine = sorted(zip(own, here.sensitive.codes.tolist(), strict=True))
    assert mine == sorted((items, row["sensitive"]) for items, row in rows)


@pytest.mark.parametrize("kind", ["file", "folder", "baskets", "orders", "csv", "parquet", "frame", "table"])
def test_the_same_transactions_from_every_source(kind, engine, tmp_path: Path) -> None:
    session = engine.session
    if kind in ("file", "folder"):
        file = tmp_path / "all.dat"
        file.write_text(LINES)
        (tmp_path / "parts").mkdir()
        for number, line in enumerate(LINES.splitlines(keepends=True)):
            (tmp_path / "parts" / f"{number}.dat").write_text(line)
        source = file if kind == "file" else tmp_path / "parts"
        same_transactions(tacit.read_transactions(file), tacit.read_transactions(source, engine=engine))
        return
    if kind == "orders":  # an item a line, which nobody says
        file = tmp_path / "orders.csv"
        file.write_text("order,product\n" + "".join(f"{n // 3},{'abcde'[n % 5]}\n" for n in range(300)))
        assert len(tacit.read_transactions(file, engine=engine)) == 100
        same_transactions(tacit.read_transactions(file), tacit.read_transactions(file, engine=engine))
        return
    if kind == "baskets":
        file = tmp_path / "baskets.csv"
        file.write_text('milk,"tea, ""green"""\n milk , milk\n\n"milk",rye\n')
        same_transactions(tacit.read_transactions(file), tacit.read_transactions(file, engine=engine))
        return
    roles = {"record": "record", "item": "item", "sensitive": "illness"}
    here = tacit.read_transactions(PAIRS, **roles)
    spread = session.createDataFrame(PAIRS.to_arrow()).repartition(3)
    if kind == "table":
        spread.createOrReplaceTempView("visits")
    PAIRS.write_csv(tmp_path / "pairs.csv")
    PAIRS.write_parquet(tmp_path / "pairs.parquet")
    source = {
        "csv": tmp_path / "pairs.csv",
        "parquet": str(tmp_path / "pairs.parquet"),
        "frame": spread,
        "table": "spark:visits",
    }[kind]
    same_transactions(here, tacit.read_transactions(source, engine=engine, **roles))


def test_arrays_of_items(engine) -> None:
    sets = [[3, 1, 3], [], [10, 2]]
    here = transactions_from_sets(sets)
    for kind in ("int", "string"):
        rows = [([item if kind == "int" else str(item) for item in items],) for items in sets]
        frame = engine.session.createDataFrame(rows, f"items array<{kind}>")
        same_transactions(here, tacit.read_transactions(frame, engine=engine))
    bought = frame.withColumnRenamed("items", "bought")
    same_transactions(here, tacit.read_transactions(bought, engine=engine, item="bought"))


def test_folded_names_are_merged(engine, tmp_path: Path) -> None:
    file = tmp_path / "baskets.dat"
    file.write_text("Milk milk rye\nmilk\nMilk 01 1\n")
    here = tacit.read_transactions(file, twins="fold")
    same_transactions(here, tacit.read_transactions(file, twins="fold", engine=engine))


def test_a_file_that_has_changed_is_read_anew(engine, tmp_path: Path) -> None:
    """Spark takes what reads the same path for the same, and still keeps what was there before."""
    file = tmp_path / "baskets[1].dat"
    file.write_text(LINES)
    before = tacit.read_transactions(file, engine=engine)
    file.write_text(LINES * 3)
    same_transactions(tacit.read_transactions(file), tacit.read_transactions(file, engine=engine))
    assert len(before) == 4


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.dat", b"", "empty-file"),
        ("a.dat", b"\n\n", "no-items"),
        ("a.dat", b"Milk milk\n", "text-case-twins"),
        ("a.dat", b"a,b\nc,d\n", "csv-delimiter"),
        ("a.dat", b"a \0 b\n", "text-nul"),
        ("a.dat", b"a \xff b\n", "text-utf8"),
        ("a.csv", b'a,"b\nc",d\n', "csv-stray-quote"),
        ("a.csv", b"a;b\nc;d\n", "csv-delimiter"),
        ("a.jsonl", b'["a"]\n', "spark-format"),
    ],
)
def test_bad_lines_are_refused(name, text, code, engine, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(text)
    with pytest.raises(tacit.TacitError) as caught:
        tacit.read_transactions(tmp_path / name, engine=engine)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("schema", "rows", "options", "code"),
    [
        ("record int, item string", [(None, "a")], {}, "null-record"),
        ("record int, item string", [(1, "a"), (1, None)], {}, "null-item"),
        ("record int, item string", [(1, " ")], {}, "empty-item"),
        (
            "record int, item string, illness string",
            [(1, "a", "flu"), (1, "b", None)],
            {"sensitive": "illness"},
            "sensitive-varies",
        ),
        ("record int, thing string", [(1, "a")], {}, "unknown-column"),
        ("record int, item binary", [(1, b"a")], {}, "unsupported-type"),
        ("items array<double>", [([1.5],)], {}, "unsupported-type"),
        ("items array<string>", [([None, "a"],)], {}, "null-item"),
        ("items array<string>", [([],)], {}, "no-items"),
        ("items array<string>", [(["a"],)], {"multiset": True}, "option-format"),
    ],
)
def test_bad_tables_are_refused(schema, rows, options, code, engine) -> None:
    frame = engine.session.createDataFrame(rows, schema)
    with pytest.raises(tacit.TacitError) as caught:
        tacit.read_transactions(frame, engine=engine, **options)
    assert caught.value.code == code
