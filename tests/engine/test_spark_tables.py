"""Tables on Spark: where they come from, what is refused, and the command line."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.surface.cli import main

ROLES: dict[str, Any] = {"quasi": "zip, sex", "sensitive": "disease", "identifiers": "name"}
AWKWARD = (
    '\ufeffname,zip,sex,disease\nAnn,13053,,"a ""cold"", mild"\nBob,13053,f,""\n'
    'Cyd,,m,"two\nlines"\nDan,13068,m,flu\n'
)


def parts(folder: Path, text: str) -> Path:
    """A folder with a text as its only part."""
    folder.mkdir()
    (folder / "part-0.csv").write_text(text, encoding="utf-8")
    return folder


def same_columns(one: tacit.Table, other: tacit.Table) -> None:
    assert one.names == other.names
    for name in one.names:
        assert one.column(name).texts == other.column(name).texts
        assert one.column(name).counts.tolist() == other.column(name).counts.tolist()


def test_csv_is_read_as_it_is_in_memory(engine, tmp_path) -> None:
    folder = parts(tmp_path / "people", AWKWARD)
    here = tacit.read_table(folder / "part-0.csv", **ROLES)
    there = tacit.read_table(folder, engine=engine, **ROLES)
    same_columns(here, there)
    assert len(there) == 4
    assert "" in there.column("disease").texts and None in there.column("sex").texts


@pytest.mark.parametrize(
    "options",
    [
        {"header": False, "columns": "name,zip,sex,disease"},
        {"columns": "name,zip,sex,disease"},
        {"null_values": "f", "nulls": "suppress"},
    ],
)
def test_options_mean_the_same(options, engine, tmp_path) -> None:
    folder = parts(tmp_path / "people", AWKWARD.removeprefix("\ufeff"))
    here = tacit.read_table(folder / "part-0.csv", **ROLES, **options)
    there = tacit.read_table(folder, engine=engine, **ROLES, **options)
    same_columns(here, there)
    assert here.notes == there.notes


def test_parquet_tables_and_frames_keep_their_types(engine, tmp_path) -> None:
    frame = pl.DataFrame(
        {
            "zip": [3, 1, None, 1],
            "sex": [True, False, True, None],
            "disease": [0.5, float("nan"), -0.0, 0.0],
            "name": ["a", "b", "c", "d"],
        }
    )
    frame.write_parquet(tmp_path / "people.parquet")
    here = tacit.read_table(frame, **ROLES)
    remote = engine.session.createDataFrame(frame.to_arrow())
    remote.createOrReplaceTempView("people")
    for source in (tmp_path / "people.parquet", "spark:people", remote):
        same_columns(here, tacit.read_table(source, engine=engine, **ROLES))


def test_folded_spellings_are_merged_in_every_count(engine) -> None:
    frame = pl.DataFrame({"zip": ["a", "A", "a", "b"] * 3, "disease": ["flu", "flu", "cold", "gout"] * 3})
    roles = {"quasi": "zip", "sensitive": "disease", "twins": "fold"}
    here = tacit.read_table(frame, **roles)
    there = tacit.read_table(engine.session.createDataFrame(frame.to_arrow()), engine=engine, **roles)
    same_columns(here, there)
    key = tacit.Key.from_seed(1)
    made = [tacit.bucketize(table, l=2, algorithm="anatomy", key=key) for table in (here, there)]
    assert made[0].bucketized.digest == made[1].bucketized.digest
    assert made[0].risk() == made[1].risk()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("zip,sex,disease\n1,2\n", "spark-source"),
        ("zip,sex,disease,sex\n1,2,3,4\n", "duplicate-column"),
        ("zip,,disease\n1,2,3\n", "empty-column-name"),
        ("zip,sex,disease\n", "no-rows"),
        ("", "empty-file"),
        ("zip,sex,disease\na,m,flu\nA,m,flu\n", "text-case-twins"),
        ("zip,sex,disease\n1,m,\N{REPLACEMENT CHARACTER}\n", "text-encoding"),
    ],
)
def test_bad_files_are_refused(text, code, engine, tmp_path) -> None:
    folder = parts(tmp_path / "people", text)
    with pytest.raises(tacit.TacitError) as caught:
        tacit.read_table(folder, engine=engine, quasi="zip, sex", sensitive="disease")
    assert caught.value.code == code


def test_the_name_of_a_file_is_no_pattern(engine, tmp_path) -> None:
    """Spark takes ``a[1].csv`` for ``a1.csv``, and would read another file."""
    for name, zips in (("a[1].csv", "1"), ("a1.csv", "2"), ("b*.csv", "3")):
        (tmp_path / name).write_text(f"zip,disease\n{zips},flu\n")
    for name, zips in (("a[1].csv", ["1"]), ("b*.csv", ["3"]), ("a?.csv", ["2"])):
        table = tacit.read_table(tmp_path / name, engine=engine, format="csv", quasi="zip")
        assert table.column("zip").texts == zips


def test_more_columns_than_spark_groups_by(engine) -> None:
    frame = pl.DataFrame({f"c{number}": [number, number + 1, number] for number in range(70)})
    there = tacit.read_table(engine.session.createDataFrame(frame.to_arrow()), engine=engine)
    same_columns(tacit.read_table(frame), there)


def test_values_are_too_many_for_a_column_not_for_all_together(engine, session, monkeypatch) -> None:
    monkeypatch.setattr("tacit.io.spark.source.MOST_VALUES", 3)
    frame = session.createDataFrame([(1, 4, 1), (2, 5, 2), (3, 6, 3), (3, 6, 4)], "a int, b int, c int")
    table = tacit.read_table(frame.select("a", "b"), engine=engine)
    assert [table.column(name).counts.tolist() for name in "ab"] == [[1, 1, 2]] * 2
    with pytest.raises(tacit.ResourceError) as caught:
        tacit.read_table(frame, engine=engine)
    assert caught.value.code == "spark-too-many"


def test_what_spark_kept_is_let_go_of(engine, session, monkeypatch) -> None:
    def kept() -> int:
        gc.collect()
        return int(session.sparkContext._jsc.getPersistentRDDs().size())

    frame = session.createDataFrame(tacit.load_sample("hospital:60").to_polars().to_arrow())
    table = tacit.read_table(frame, engine=engine, quasi="zip, age, sex", sensitive="disease")
    before = kept()
    release = tacit.bucketize(table, l=2, key=tacit.Key.from_seed(1))
    assert kept() == before + 1
    del release
    assert kept() == before
    monkeypatch.setattr("tacit.engine.spark.buckets.numbered", lambda *_, **__: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        tacit.bucketize(table, l=2, key=tacit.Key.from_seed(1))
    assert kept() == before


def test_a_canary_is_in_no_message(engine, tmp_path) -> None:
    folder = parts(tmp_path / "people", "zip,sex,disease\nCANARY,2\n")
    with pytest.raises(tacit.InputError) as caught:
        tacit.read_table(folder, engine=engine, quasi="zip, sex", sensitive="disease")
    assert "CANARY" not in f"{caught.value} {caught.value.__cause__}"


def test_what_needs_rows_says_so(engine, session) -> None:
    remote = tacit.read_table(
        session.createDataFrame([(1, 2)], "zip int, disease int"), engine=engine, quasi="zip"
    )
    with pytest.raises(tacit.UsageError) as caught:
        remote.to_polars()
    assert caught.value.code == "rows-on-spark" and "bucketize" in str(caught.value)
    baskets = tacit.load_sample("supermarket:100")
    for verb in (
        lambda: tacit.mine_itemsets(baskets, min_support=10, engine=engine),
        lambda: tacit.hide(baskets, patterns=[{baskets.vocabulary[0]}], min_support=10, engine=engine),
    ):
        with pytest.raises(tacit.UsageError) as caught:
            verb()
        assert caught.value.code == "rows-in-memory"


def test_the_command_line_reads_a_folder_on_spark(session, tmp_path, capsys) -> None:
    tacit.write_table(tacit.load_sample("hospital:300"), tmp_path / "people.csv")
    folder = parts(tmp_path / "parts", (tmp_path / "people.csv").read_text())
    flags = ["--quasi", "zip,age,sex", "--sensitive", "disease", "--json", "--seed", "5"]
    wanted = ["-l", "2", *flags]
    said = {}
    for place in (folder, tmp_path / "people.csv"):
        output = tmp_path / f"out-{place.name}"
        assert main(["bucketize", str(place), *wanted, "-o", str(output)]) == 0
        said[place] = json.loads(capsys.readouterr().out)
        # What unlisted rules tell is not checked.
        assert main(["verify", str(output), "--original", str(tmp_path / "people.csv")]) == 8
        capsys.readouterr()
    one, other = said.values()
    gone = dict.fromkeys(("seconds", "seconds_in_all", "folder"))
    assert one | gone == other | gone
    for name in ("qit.csv", "st.csv", "release.json"):
        both = [(tmp_path / f"out-{place.name}" / name).read_bytes() for place in said]
        assert both[0] == both[1]
    assert main(["bucketize", str(folder), *wanted, "--dry-run"]) == 0
    size = json.loads(capsys.readouterr().out)
    assert size["rows"] == size["judged_rows"] == 300
    mine = ["mine", "negative", str(tmp_path / "people.csv"), *flags[:-2]]
    assert main([*mine, "--engine", "spark"]) == 0
    there = json.loads(capsys.readouterr().out)
    assert main([*mine, "--engine", "local"]) == 0
    assert json.loads(capsys.readouterr().out) == there


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (
            ["mine", "itemsets", "sample:supermarket", "--min-support", "9", "--engine", "spark"],
            "spark-format",
        ),
        (["profile", "sample:hospital", "--engine", "spark"], "spark-format"),
        (["profile", "spark:people", "--engine", "local"], "rows-on-spark"),
        (["profile", "sample:hospital", "--engine", "sparkle"], "parameter-range"),
    ],
)
def test_what_is_not_on_spark_is_a_usage_error(command, code, session, capsys) -> None:
    assert main([*command, "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


@pytest.mark.parametrize(
    ("setting", "code"),
    [
        ("import sys; sys.modules['pyspark'] = None", "missing-extra"),
        ("import os; os.environ['PATH'] = ''; os.environ.pop('JAVA_HOME', None)", "java-missing"),
        (
            "import os, sys; os.environ['SPARK_REMOTE'] = 'sc://localhost'; sys.modules['grpc'] = None",
            "spark-not-started",
        ),
    ],
)
def test_what_is_missing_is_said_kindly(setting, code, tmp_path) -> None:
    script = tmp_path / "asked.py"  # a file: what is run without one, Spark takes for tests of its own
    script.write_text(
        f"{setting}\nfrom tacit.surface.cli import main\nmain(['profile', 'spark:x', '--json'])"
    )
    plain = {name: text for name, text in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=plain)
    assert json.loads(done.stdout)["error"]["code"] == code, done.stderr
