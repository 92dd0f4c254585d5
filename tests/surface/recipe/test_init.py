"""A recipe to begin with: it can be read, it runs where roles are clear, and it says what it guessed."""

from __future__ import annotations

import json
import random
import shlex
from dataclasses import fields
from pathlib import Path

import pytest

import tacit
from tacit.methods import METHODS
from tacit.surface.cli import main
from tacit.surface.cli.flags import DataFlags
from tacit.surface.recipe.load import parse_recipe
from tacit.surface.recipe.model import Source
from tacit.surface.recipe.text import starter_recipe
from tests.bad_input.recipes import FILES

ROWS = [f"P{n};13{n % 7}0{n % 5};{20 + n % 60};{'mf'[n % 2]};{'xyz'[n % 3]}" for n in range(300)]
TABLE = "id;zip;age;sex;disease\n" + "\n".join(ROWS) + "\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "p.csv").write_text(TABLE)
    (tmp_path / "no header.csv").write_text("\n".join(ROWS) + "\n")
    (tmp_path / "long.csv").write_text(
        "who,what\n" + "".join(f"{n // 2},{'abc'[n % 3]}\n" for n in range(40))
    )
    (tmp_path / "sets.jsonl").write_text('{"items": ["a", "b"], "ward": "x"}\n' * 8)
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "sex.csv").write_text("m;*\nf;*\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("flags", "method"),
    [
        ("p.csv --delimiter ;", "generalize_table"),
        (
            "p.csv --delimiter ; --hierarchies trees --nulls suppress --quasi sex --sensitive disease",
            "generalize_table",
        ),
        ("'no header.csv' --no-header --columns id,zip,age,sex,disease --delimiter ;", "generalize_table"),
        ("b.dat --hierarchy h.csv --twins fold", "generalize"),
        ("long.csv --record who --item what", "generalize"),
        ("sets.jsonl --sensitive ward", "generalize"),
        ("sample:hospital:200", "generalize_table"),
        ("sample:supermarket:200", "generalize"),
    ],
)
def test_it_runs_as_it_is_written(
    flags: str, method: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", *shlex.split(flags.replace(";", "';'")), "-o", "sub/recipe.toml"]) == 0
    capsys.readouterr()
    assert main(["run", "sub/recipe.toml", "--json"]) == 0
    (made,) = json.loads(capsys.readouterr().out)["releases"]
    assert made["method"] == method
    assert Path(made["folder"]).parent == folder / "sub" / "out"


def test_every_reading_flag_is_written_down() -> None:
    """What was said on the command line is in the recipe, whatever it was."""
    given = {
        "format": "csv", "header": False, "columns": ("a", "b"), "delimiter": ";", "quote": "'",
        "skip_rows": 2, "skip_initial_space": True, "sheet": "s", "encoding": "latin-1", "nulls": "reject",
        "null_values": ("?",), "twins": "fold", "record": "r", "item": "i", "table": "t", "query": "q",
        "quasi": ("a",), "sensitive": ("b",), "drop": ("c",), "keep": ("d",), "hierarchies": "trees",
        "engine": "local", "multiset": True, "skip_last": 1, "decimal": ",", "dates": "day-first",
        "recognize": False,
    }  # fmt: skip
    assert set(given) | {"hierarchy"} == {field.name for field in fields(DataFlags)}
    frame = {"a": ["1", "2"] * 4, "b": ["x", "y", "z", "x"] * 2, "d": ["1"] * 8}
    import polars as pl

    table = tacit.table_from_frame(pl.DataFrame(frame), quasi="a", sensitive="b", keep="d")
    source = Source(path="p.csv", **given)
    assert parse_recipe(starter_recipe(table, source)).source == source
    sets = tacit.transactions_from_sets([{"a"}, {"b"}])
    source = Source(path="b.dat", hierarchy="h.csv", record="r", twins="keep")
    assert parse_recipe(starter_recipe(sets, source)).source == source


def test_guesses_are_marked_and_what_is_given_is_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "p.csv", "--delimiter", ";"]) == 0
    guessed = capsys.readouterr().out
    recipe = parse_recipe(guessed)
    assert isinstance(recipe.source, Source)
    assert recipe.source.quasi == ("zip", "age", "sex") and recipe.source.drop == ("id",)
    release = recipe.release[0]
    assert (release.method, release.k, release.l) == ("generalize_table", 11, 3)
    lines = guessed.splitlines()
    for key in ("quasi", "sensitive", "drop"):
        place = next(number for number, line in enumerate(lines) if line.startswith(f"{key} = "))
        assert "GUESS" in " ".join(lines[place - 3 : place])
    assert main(["init", "p.csv", "--delimiter", ";", "--quasi", "sex", "--sensitive", "disease"]) == 0
    given = capsys.readouterr().out
    assert "GUESS:" not in given


def test_every_key_is_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for flags in ("p.csv --delimiter ;", "b.dat"):
        assert main(["init", *flags.split()]) == 0
        lines = capsys.readouterr().out.splitlines()
        for number, line in enumerate(lines):
            if " = " in line and not line.startswith("#"):
                assert "# " in line or lines[number - 1].startswith("# "), line


def test_unclear_roles_are_left_to_the_owner(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "u.csv").write_text("x,y\n" + "".join(f"{n},{n}\n" for n in range(30)))
    assert main(["init", "u.csv", "-o", "u.toml"]) == 0
    assert "2 lines are needed from you" in capsys.readouterr().out
    assert (folder / "u.toml").read_text().count("# NEEDED: ") == 2
    assert main(["run", "u.toml", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "roles-missing"


def test_a_sensitive_column_that_nothing_tells_is_needed_and_what_it_may_be_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "u.csv").write_text("age,island,year\n" + "".join(f"{n},i{n % 3},{n % 4}\n" for n in range(24)))
    assert main(["init", "u.csv"]) == 0
    text = " ".join(capsys.readouterr().out.replace("\n# ", " ").split())
    assert "sensitive = []" in text and text.count("NEEDED: ") == 1
    assert "Nothing tells which column is sensitive; it may be year or island. Name at least one." in text


def test_it_asks_for_what_the_profile_suggests(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for flags in ("p.csv --delimiter ;", "b.dat", "sample:hospital:200"):
        assert main(["profile", *flags.split(), "--json"]) == 0
        suggested = json.loads(capsys.readouterr().out)
        assert main(["init", *flags.split()]) == 0
        text = capsys.readouterr().out
        assert f'method = "{suggested["method"]}"' in text
        release = parse_recipe(text).release[0]
        for name, value in suggested["settings"].items():
            assert getattr(release, name) == value and f" -{name} {value} " in suggested["next_command"]


def test_who_has_several_rows_and_what_is_spelled_twice_is_said(folder: Path) -> None:
    rows = [
        f"P{n // 3},{20 + n // 3 % 40},{'mf'[n // 3 % 2]},{('Flu', 'flu', 'cold')[n % 3]}" for n in range(240)
    ]
    (folder / "u.csv").write_text("\n".join(["patient_id,age,sex,disease", *rows]) + "\n")
    assert main(["init", "u.csv", "-o", "u.toml"]) == 0
    recipe = parse_recipe((folder / "u.toml").read_text())
    assert isinstance(recipe.source, Source)
    assert (recipe.source.twins, recipe.release[0].person) == ("fold", "patient_id")
    assert "patient_id" not in recipe.source.drop


def test_the_buckets_beside_it_keep_the_person_and_the_l(folder: Path) -> None:
    """Whoever takes the marks off the other release gets no weaker promise by that."""
    rows = [f"P{n // 3},{20 + n // 3 % 40},{'mf'[n // 3 % 2]},{'yn'[n % 2]}" for n in range(240)]
    (folder / "u.csv").write_text("\n".join(["patient_id,age,sex,disease", *rows]) + "\n")
    assert main(["init", "u.csv", "-o", "u.toml"]) == 0
    text = (folder / "u.toml").read_text()
    before, block = text.split("[[release]]")[0], text.split("# [[release]]")[1].split("#\n")[0]
    recipe = parse_recipe(before + "[[release]]" + block.replace("\n# ", "\n"))
    (release,) = recipe.release
    assert (release.method, release.person, release.l) == ("bucketize", "patient_id", 2)


def test_few_transactions_ask_for_a_smaller_k() -> None:
    text = starter_recipe(tacit.transactions_from_sets([{"a"}, {"a"}, {"b"}]), Source(path="b.dat"))
    release = parse_recipe(text).release[0]
    assert release.method == "generalize" and release.k == 3


def test_a_password_is_not_written_down() -> None:
    from tacit.surface.cli.documents import _as_source

    source = _as_source("postgresql://ann:secret@host/db", DataFlags(table="t"), Path())
    assert "secret" not in source.path
    assert "PGPASSWORD" in starter_recipe(tacit.transactions_from_sets([{"a"}, {"a"}]), source)


@pytest.mark.parametrize("line", ["init t.csv --overwrite", "init b.dat --quasi a", "init t.csv --nulls x"])
def test_flags_that_say_nothing_are_refused(line: str, folder: Path) -> None:
    assert main(line.split()) == 2


def test_nothing_is_written_over(folder: Path) -> None:
    (folder / "r.toml").write_text("mine")
    assert main(["init", "b.dat", "-o", "r.toml"]) == 6
    assert (folder / "r.toml").read_text() == "mine"
    assert main(["init", "b.dat", "-o", "b.dat", "--overwrite"]) == 6
    assert main(["init", "b.dat", "-o", "r.toml", "--overwrite"]) == 0


@pytest.mark.parametrize("drop", [[], ["--drop", "patient_id,name"], ["--drop", "patient_id"]])
def test_people_with_several_rows_get_one_each(
    drop: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where the number of people is dropped; and the recipe is what the profile suggests."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(5)
    lines = [
        f"P{person},N{person},{'fm'[person % 2]},{1950 + person % 40},{draw.choice('abcd')}"
        for person in range(40)
        for visit in range(1 + person % 4)
    ]
    Path("visits.csv").write_text("\n".join(["patient_id,name,sex,birth,diagnosis", *lines]) + "\n")
    assert main(["init", "visits.csv", "-o", "recipe.toml", *drop]) == 0
    recipe = parse_recipe(Path("recipe.toml").read_text())
    (release,) = recipe.release
    assert isinstance(recipe.source, Source)
    assert release.person == "patient_id" and "patient_id" not in recipe.source.drop
    capsys.readouterr()
    assert main(["profile", "visits.csv", "--json", *drop]) == 0
    found = json.loads(capsys.readouterr().out)
    assert METHODS[release.method].command == found["method"] and found["person"] == "patient_id"
    assert {name: getattr(release, name) for name in found["settings"]} == found["settings"]
    assert release.k == 10  # of 40 people; rows there are 100
    assert main(["run", "recipe.toml"]) == 0
