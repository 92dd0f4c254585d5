"""A release in other formats: beside it, never in it, and with what it holds."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import tacit
from tacit.errors import OutputError, UsageError, VerificationError
from tacit.surface.cli import main
from tests.faults.writers import example_releases
from tests.keys import secret_key
from tests.soak.random_releases import write


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of each kind."""
    folder = tmp_path_factory.mktemp("export")
    for kind, release in example_releases().items():
        (folder / kind).mkdir()
        write(release, folder / kind / "out")
    return folder


@pytest.mark.parametrize("to", ["csv", "tsv", "parquet", "arrow", "xlsx", "json"])
def test_tables(to: str, place: Path, tmp_path: Path) -> None:
    folder = place / "bucketize" / "out"
    for of in ("qit", "st"):
        target = tmp_path / f"{of}.{to}"
        tacit.export(folder, target, to=to, of=of)
        published = pl.read_csv(folder / f"{of}.csv", infer_schema=False)
        read = pl.read_json(target) if to == "json" else tacit.read_table(target).to_polars()
        assert read.select(pl.all().cast(pl.String)).rows() == published.rows()


@pytest.mark.parametrize("to", ["csv", "xlsx", "parquet"])
def test_a_missing_value_of_a_coarser_column_is_missing_in_copies(to: str, tmp_path: Path) -> None:
    """In the release it is a node, with what stands above it; a spreadsheet would take it for a text."""
    sexes = ["f", "m", None] * 40
    frame = pl.DataFrame({"sex": sexes, "age": [str(20 + place // 12) for place in range(120)]})
    release = tacit.generalize(tacit.table_from_frame(frame, quasi="sex,age"), k=3, key=secret_key(3))
    folder = write(release, tmp_path / "out")
    assert "NaN" in pl.read_csv(folder / "table.csv")["sex"].to_list()
    tacit.export(folder, tmp_path / f"copy.{to}", to=to)
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "xlsx": pl.read_excel}[to]
    found = read(tmp_path / f"copy.{to}")["sex"]
    assert "NaN" not in found.to_list()
    assert found.null_count() == release.table["sex"].to_list().count("NaN") > 0


def test_a_table_in_the_form_of_a_country(place: Path, tmp_path: Path) -> None:
    folder, target = place / "bucketize" / "out", tmp_path / "qit.csv"
    flags = ["--to", "csv", "--delimiter", ";", "--encoding", "utf-8-sig", "-o", str(target)]
    assert main(["export", str(folder), *flags]) == 0
    text = target.read_bytes()
    assert text.startswith(b"\xef\xbb\xbf") and b";" in text
    published = pl.read_csv(folder / "qit.csv", infer_schema=False)
    assert tacit.read_table(target, recognize=False).to_polars().rows() == published.rows()
    for to, option in (("parquet", {"delimiter": ";"}), ("json", {"encoding": "cp1252"})):
        with pytest.raises(UsageError) as caught:
            tacit.export(folder, tmp_path / f"x.{to}", to=to, **option)
        assert caught.value.code == "option-format"
    with pytest.raises(UsageError) as caught:
        tacit.export(folder, tmp_path / "x.csv", to="csv", encoding="utf-99")
    assert caught.value.code == "unknown-encoding" and not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize("to", ["dat", "spmf", "basket", "csv", "jsonl", "long", "parquet"])
@pytest.mark.parametrize("kind", ["generalize", "hide"])
def test_transactions(kind: str, to: str, place: Path, tmp_path: Path) -> None:
    folder, target = place / kind / "out", tmp_path / f"copy.{'parquet' if to == 'parquet' else 'txt'}"
    published = tacit.read_transactions(folder / "transactions.dat")
    try:
        tacit.export(folder, target, to=to)
    except OutputError as error:  # a long table has no row for an empty transaction
        assert error.code == "empty-record" and (published.lengths == 0).any()
        return
    layout = {"csv": "basket", "parquet": "long"}.get(to, to)
    how = {"record": "record", "item": "item"} if layout == "long" else {}
    read = tacit.read_transactions(target, format=layout, **how)  # type: ignore[arg-type]
    assert sorted(map(sorted, read.sets())) == sorted(map(sorted, published.sets()))


def test_rules_and_hierarchies(place: Path, tmp_path: Path) -> None:
    tacit.export(place / "rules" / "out", tmp_path / "rules.csv", to="csv")
    content = json.loads((place / "rules" / "out" / "rules.json").read_text())
    assert pl.read_csv(tmp_path / "rules.csv").height == len(content["rules"])
    tacit.export(place / "generalize" / "out", tmp_path / "cut.csv", to="hierarchy", of="mapping")
    assert tacit.read_hierarchy(tmp_path / "cut.csv").n_leaves > 1


def test_what_is_refused(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = place / "generalize" / "out"
    for inside in (folder / "copy.parquet", folder):
        with pytest.raises(OutputError) as caught:
            tacit.export(folder, inside, to="parquet")
        assert caught.value.code == "output-in-release"
    for to, of, code in (
        ("xlsx", None, "export-format"),
        ("spmf", "mapping", "export-format"),
        ("csv", "names", "export-of-unknown"),
        ("parquet", None, "export-suffix"),
    ):
        with pytest.raises(UsageError) as refused:
            tacit.export(folder, tmp_path / "x.txt", to=to, of=of)
        assert refused.value.code == code
    assert main(["export", str(folder), "--to", "pdf", "-o", str(tmp_path / "x")]) == 2
    (tmp_path / "there.jsonl").write_text("mine")
    assert main(["export", str(folder), "--to", "jsonl", "-o", str(tmp_path / "there.jsonl")]) == 6
    capsys.readouterr()
    assert (
        main(["export", str(folder), "--to", "jsonl", "-o", str(tmp_path / "there.jsonl"), "--overwrite"])
        == 0
    )
    assert "transactions.dat" in capsys.readouterr().out


def test_what_the_verifier_refuses_is_not_exported(place: Path, tmp_path: Path) -> None:
    folder = write(example_releases()["generalize"], tmp_path / "out")
    (folder / "names.csv").write_text("name\n")
    with pytest.raises(VerificationError):
        tacit.export(folder, tmp_path / "copy.dat", to="dat")
    assert not (tmp_path / "copy.dat").exists()
