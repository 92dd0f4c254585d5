"""Originals in the forms people keep them in: read as they are, or refused without blaming the release."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import tacit
from tacit.cli import main
from tacit.data.hierarchies import build_flat
from tacit_verify.reading import transactions
from tacit_verify.release import CannotVerify
from tacit_verify.verifying import verify

SETS = [["whole milk", "salt, coarse"], ["whole milk"], ["rye bread", "whole milk"], ["rye bread"]] * 3


@pytest.fixture
def release(tmp_path: Path) -> Path:
    text = "".join(",".join(f'"{item}"' for item in items) + "\n" for items in SETS)
    (tmp_path / "x.basket").write_text(text)
    (tmp_path / "x.basket.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "x.tsv").write_text("".join("\t".join(items) + "\n" for items in SETS))
    baskets = tacit.read_transactions(tmp_path / "x.basket")
    tree = build_flat(list(baskets.vocabulary))
    tacit.generalize(baskets, k=3, m=1, hierarchy=tree).save(tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.parametrize("name", ["x.basket", "x.basket.gz", "x.tsv"])
def test_baskets_are_read_as_they_are(name: str, release: Path) -> None:
    assert list(transactions(release.parent / name)) == SETS
    assert all(check.ok for check in verify(release, release.parent / name))


def test_what_is_no_text_is_no_fault_of_the_release(
    release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    original = release.parent / "x.parquet"
    original.write_bytes(b"PAR1")
    with pytest.raises(CannotVerify, match="plain text"):
        verify(release, original)
    assert main(["verify", str(release), "--original", str(original)]) == 3
    assert "no .parquet files" in capsys.readouterr().err


@pytest.mark.parametrize("nulls", ["own", "suppress"])
def test_words_for_missing_values_are_known_to_the_verifier(nulls: str, tmp_path: Path) -> None:
    rows = [f"{age},{disease}" for age in ("30", "40", "NA") for disease in ("flu", "cold", "?", "gout")]
    (tmp_path / "p.csv").write_text("\n".join(["age,disease", *rows * 3]) + "\n")
    patients = tacit.read_table(
        tmp_path / "p.csv", quasi="age", sensitive="disease", nulls=nulls, null_values=["NA", "?"]
    )
    tacit.bucketize(patients, l=2).save(tmp_path / "out")
    assert all(check.ok for check in verify(tmp_path / "out", tmp_path / "p.csv"))
