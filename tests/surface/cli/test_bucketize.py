"""``tacit bucketize`` as a person would type it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tacit.surface.cli import main

HOSPITAL = ("sample:hospital:400", "--quasi", "zip,age,sex", "--sensitive", "disease")


def tacit(*words: str, folder: Path, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tacit", *words]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_release_is_made_verified_and_shown(tmp_path: Path) -> None:
    made = tacit("bucketize", *HOSPITAL, "-l", "3", "-o", "out/patients", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "400 rows in" in made.stdout and "Anatomy" in made.stdout
    said = " ".join(made.stdout.split())
    assert "quasi-identifiers are published as they are" in said and "not differential privacy" in said
    assert sorted(path.name for path in (tmp_path / "out/patients").iterdir()) == [
        "qit.csv",
        "release.json",
        "st.csv",
    ]
    record = next((tmp_path / "out/patients.private").glob("*"))
    assert sorted(path.name for path in record.iterdir()) == ["plan.json", "record.json", "rows.csv"]
    checked = tacit("verify", "out/patients", "--json", folder=tmp_path)
    assert (checked.returncode, json.loads(checked.stdout)["verdict"]) == (8, "not checked")  # silence
    again = tacit("bucketize", *HOSPITAL, "-l", "3", "-o", "out/patients", folder=tmp_path)
    assert again.returncode == 6


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.ci
def test_the_order_in_which_python_hashes_does_not_matter(here: Path) -> None:
    asked = ["bucketize", *HOSPITAL, "-l", "3", "--seed", "5", "--quiet", "-o"]
    for seed in ("1", "2"):
        made = tacit(*asked, f"out{seed}", folder=here, hash_seed=seed)
        assert made.returncode == 0, made.stderr
    first, second = (
        {path.name: path.read_bytes() for path in (here / f"out{seed}").iterdir()} for seed in ("1", "2")
    )
    assert first == second


def test_json_and_one_permuted_table(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "known.txt").write_text("sex=male => not disease=childbirth\n")
    asked = ["-l", "2", "--form", "permuted", "--rules", "known.txt"]
    asked += ["--max-posterior", "0.5", "--partners", "any"]  # with areas it depends on the key
    assert main(["bucketize", *HOSPITAL, *asked, "-o", "out", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["method"] == "injector" and figures["vulnerable"] == 0 and figures["max_posterior"] <= 0.5
    assert (here / "out/table.csv").is_file()


def test_a_dry_run_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bucketize", *HOSPITAL, "-l", "3", "-o", "out", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "The largest feasible ℓ for injector is" in said and "Nothing was done" in said
    assert not (here / "out").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ("-l", "1"),
            2,
            "The 'l' parameter of bucketize must be an int in the range [2, inf). Got 1 instead.",
        ),
        (("-l", "3", "--algorithm", "mondrian"), 2, "'algorithm' parameter of bucketize"),
        (("-l", "40"), 4, "largest feasible ℓ is"),
        (("-l", "3", "--rules", "wrong.txt"), 3, "contradicts the rule"),
        (("-l", "3", "--rules", "absent.txt"), 3, "absent.txt"),
    ],
)
def test_refusals(
    here: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, said: str
) -> None:
    (here / "wrong.txt").write_text("sex=female => not disease=childbirth\n")
    assert main(["bucketize", *HOSPITAL, *words, "-o", "out"]) == code
    assert said in capsys.readouterr().err
    assert not (here / "out").exists()


@pytest.mark.parametrize("words", [("generalize", "-k", "11"), ("bucketize", "-l", "2")])
def test_rows_of_one_person_are_told(
    here: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    rows = [f"p{row // 12},{'mf'[row // 12 % 2]},{30 + row // 12},d{row % 3}" for row in range(240)]
    Path("visits.csv").write_text("\n".join(["patient_id,sex,age,disease", *rows]) + "\n")
    asked = (*words, "visits.csv", "--quasi", "sex,age", "--sensitive", "disease", "--dry-run")
    assert main(asked) == 0
    assert "one person's, by 'patient_id'" in " ".join(capsys.readouterr().err.split())
    assert main((*asked, "--person", "patient_id")) == 0
    assert "one person's" not in capsys.readouterr().err
