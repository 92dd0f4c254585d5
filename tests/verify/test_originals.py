"""``tacit verify --original`` with originals of every form: a good release is never falsely refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.io.hierarchies import build_flat
from tacit.surface.cli import main
from tacit_verify.reading import transactions
from tacit_verify.release import CannotVerify
from tacit_verify.verifying import verify

SETS = [["whole milk", "salt, coarse"], ["whole milk"], ["rye bread", "whole milk"], ["rye bread"]] * 3
ROWS = [
    (age, town, disease)
    for age in ("30", "40", "NA")
    for town in ("Zürich", "Köln")
    for disease in ("flu", "cold", "?", "gout")
] * 3
NAMES = ("age", "town", "disease")
BASKETS = "".join(",".join(f'"{item}"' for item in items) + "\n" for items in SETS)


def table_text(rows: list[tuple[str, ...]], delimiter: str = ",") -> str:
    return "".join(delimiter.join(row) + "\n" for row in rows)


# How an original is written, and the options it is read with, for the release and for the verifier.
Form = tuple[str, Callable[[Path], object], dict[str, Any]]
TABLES: dict[str, Form] = {
    "plain": ("p.csv", lambda p: p.write_text(table_text([NAMES, *ROWS])), {}),
    "gzip": ("p.csv.gz", lambda p: p.write_bytes(gzip.compress(table_text([NAMES, *ROWS]).encode())), {}),
    "zstandard": ("p.csv.zst", lambda p: tacit.write_table(frame(), p), {}),
    "delimiter": ("p.csv", lambda p: p.write_text(table_text([NAMES, *ROWS], ";")), {"delimiter": ";"}),
    "tabs": ("p.tsv", lambda p: p.write_text(table_text([NAMES, *ROWS], "\t")), {}),
    "encoding": (
        "p.csv",
        lambda p: p.write_text(table_text([NAMES, *ROWS]), encoding="latin-1"),
        {"encoding": "latin-1"},
    ),
    "no header": (
        "p.csv",
        lambda p: p.write_text(table_text(ROWS)),
        {"header": False, "columns": ["age", "town", "disease"]},
    ),
    "null words": (
        "p.csv",
        lambda p: p.write_text(table_text([NAMES, *ROWS])),
        {"null_values": ["NA", "?"]},
    ),
    "null words, suppressed": (
        "p.csv",
        lambda p: p.write_text(table_text([NAMES, *ROWS])),
        {"null_values": ["NA"], "nulls": "suppress"},
    ),
    "twins": (
        "p.csv",
        lambda p: p.write_text(table_text([NAMES, *ROWS, ("30", "zürich", "flu"), ("30", "KÖLN", "cold")])),
        {"twins": "fold"},
    ),
    "quotes": (
        "p.csv",
        lambda p: p.write_text("# made on Monday\n" + table_text([NAMES, *ROWS]).replace("flu", "'flu'")),
        {"quote": "'", "skip_rows": 1},
    ),
    "Parquet": ("p.parquet", lambda p: frame().write_parquet(p), {}),
    "Excel": ("p.xlsx", lambda p: tacit.write_table(frame(), p), {}),
    "SQLite": ("p.db", lambda p: tacit.write_table(frame(), p, table="people"), {"table": "people"}),
}
LONG = [(str(record), item) for record, items in enumerate(SETS) for item in items]
TRANSACTIONS: dict[str, Form] = {
    "basket": ("x.basket", lambda p: p.write_text(BASKETS), {}),
    "gzip": ("x.basket.gz", lambda p: p.write_bytes(gzip.compress(BASKETS.encode())), {}),
    "tabs": ("x.tsv", lambda p: p.write_text("".join("\t".join(items) + "\n" for items in SETS)), {}),
    "JSON lines": ("x.jsonl", lambda p: p.write_text("".join(json.dumps(s) + "\n" for s in SETS)), {}),
    "JSON objects": (
        "x.jsonl",
        lambda p: p.write_text("".join(json.dumps({"things": items}) + "\n" for items in SETS)),
        {"item": "things"},
    ),
    "long": (
        "x.csv",
        lambda p: p.write_text("who;what\n" + "".join(f"{r};{i}\n" for r, i in LONG)),
        {"record": "who", "item": "what", "delimiter": ";"},
    ),
    "long Parquet": (
        "x.parquet",
        lambda p: pl.DataFrame(LONG, schema=["who", "what"], orient="row").write_parquet(p),
        {"record": "who", "item": "what"},
    ),
    "header": ("x.basket", lambda p: p.write_text("items\n" + BASKETS), {"header": True}),
    "twins": ("x.basket", lambda p: p.write_text(BASKETS + "Rye Bread\nrye bread\n"), {"twins": "fold"}),
    "encoding": (
        "x.basket",
        lambda p: p.write_text(BASKETS.replace("rye", "Grün"), encoding="utf-16"),
        {"encoding": "utf-16"},
    ),
}


def frame() -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=list(NAMES), orient="row")


def flags(options: dict[str, Any]) -> list[str]:
    """Options as a person types them."""
    typed = []
    for name, value in options.items():
        if name == "header":
            typed.append("--header" if value else "--no-header")
        else:
            typed += [
                f"--{name.replace('_', '-')}",
                ",".join(value) if isinstance(value, list) else str(value),
            ]
    return typed


def check(release: Path, original: Path, options: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    command = ["verify", str(release), "--original", str(original), *flags(options)]
    assert main(command) in (0, 8), capsys.readouterr()
    checks = {line.partition(":")[0][6:] for line in capsys.readouterr().out.splitlines()}
    assert checks & {"original", "rows of the original", "supports", "original size"}


@pytest.mark.parametrize(
    ("method", "form"),
    [("bucketize", form) for form in TABLES]
    + [("rules", form) for form in ("encoding", "null words, suppressed", "twins", "Parquet")],
)
def test_tables(method: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, write, options = TABLES[form]
    write(tmp_path / name)
    people = tacit.read_table(tmp_path / name, quasi=["age", "town"], sensitive="disease", **options)
    if method == "bucketize":
        tacit.bucketize(people, l=2).save(tmp_path / "out")
    else:
        tacit.safe_rules(people, min_support=2, min_confidence=0.1, max_posterior=0.9).save(tmp_path / "out")
    check(tmp_path / "out", tmp_path / name, options, capsys)


@pytest.mark.parametrize(
    ("method", "form"),
    [("generalize", form) for form in TRANSACTIONS] + [("hide", form) for form in ("gzip", "long", "twins")],
)
def test_transactions(method: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, write, options = TRANSACTIONS[form]
    write(tmp_path / name)
    sets = tacit.read_transactions(tmp_path / name, **options)
    if method == "generalize":
        tree = build_flat(list(sets.vocabulary))
        tacit.generalize(sets, k=3, m=1, hierarchy=tree).save(tmp_path / "out")
    else:
        tacit.hide(sets, patterns=[{"whole milk", "salt, coarse"}], min_support=2).save(tmp_path / "out")
    check(tmp_path / "out", tmp_path / name, options, capsys)
    assert not tacit.verify(tmp_path / "out", original=sets).broken  # as it was read, whatever it came from


@pytest.fixture
def release(tmp_path: Path) -> Path:
    (tmp_path / "x.basket").write_text(BASKETS)
    baskets = tacit.read_transactions(tmp_path / "x.basket")
    tacit.generalize(baskets, k=3, m=1, hierarchy=build_flat(list(baskets.vocabulary))).save(tmp_path / "out")
    return tmp_path / "out"


def test_another_original_is_refused_also_where_it_is_no_text(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    original = release.parent / "y.parquet"
    pl.DataFrame({"who": ["1", "2"], "what": ["rye bread"] * 2}).write_parquet(original)
    command = ["verify", str(release), "--original", str(original), "--record", "who", "--item", "what"]
    assert main(command) == 7
    printed = capsys.readouterr().out
    assert "FAIL  original" in printed and "give the same ones here" in printed


def test_an_original_read_otherwise_is_hinted_at(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    original = release.parent / "long.csv"
    original.write_text("who,what\n" + "".join(f'{r},"{i}"\n' for r, i in LONG))
    assert main(["verify", str(release), "--original", str(original)]) == 7
    assert "give the same ones here" in capsys.readouterr().out
    assert (
        main(["verify", str(release), "--original", str(original), "--record", "who", "--item", "what"]) == 0
    )


def test_what_cannot_be_read_is_no_fault_of_the_release(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoiled = release.parent / "x.parquet"
    spoiled.write_bytes(b"PAR1")
    with pytest.raises(CannotVerify, match="cannot be read"):
        verify(release, spoiled)
    for original in (spoiled, release.parent / "nowhere.dat", release.parent / "nowhere.parquet"):
        assert main(["verify", str(release), "--original", str(original), "--json"]) in (2, 3)
        assert "error" in json.loads(capsys.readouterr().out)
    (release.parent / "koi.dat").write_bytes("капуста\n".encode("koi8-r"))
    assert main(["verify", str(release), "--original", str(release.parent / "koi.dat")]) == 3
    assert "The original cannot be read: " in capsys.readouterr().err


def test_flags_that_say_nothing_are_refused(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(release), "--record", "who"]) == 2
    assert "there is none" in capsys.readouterr().err
    original = release.parent / "x.basket"
    assert main(["verify", str(release), "--original", str(original), "--columns", "a,b"]) == 2
    assert "says nothing about transactions" in capsys.readouterr().err


def test_a_spoiled_release_is_refused_before_its_original_is_read(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (release / "mapping.csv").write_text("item,published_as\n")
    nowhere = str(release.parent / "nowhere.parquet")
    assert main(["verify", str(release), "--original", nowhere]) == 7
    assert main(["verify", str(release), "--original", nowhere, "--record", "a", "--item", "b"]) == 7
    assert "FAIL  file mapping.csv" in capsys.readouterr().out


def test_no_copy_of_the_original_is_left(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = release.parent / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    (release.parent / "x.basket.gz").write_bytes(gzip.compress(BASKETS.encode()))
    assert tacit.verify(release, original=release.parent / "x.basket.gz").verdict == "kept"
    assert list(scratch.iterdir()) == []


def test_whole_numbers_in_json_are_names(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('[1, 20]\n{"items": ["a"], "sick": 3}\n')
    assert list(transactions(tmp_path / "x.jsonl")) == [["1", "20"], ["a"]]
