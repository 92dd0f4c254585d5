"""No flag does nothing, no number is rounded, and the command that is suggested can be run."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tacit.surface.cli import main

TABLE = "who;zip;sex;disease\n" + "".join(
    f"p{n};{'ab'[n % 2]};{'mf'[n // 2 % 2]};{'xyz'[n % 3]}\n" for n in range(36)
)
LONG = "who,what\n" + "".join(f"p{n // 2},{'abc'[n % 3]}\n" for n in range(36))
ROLES = "--quasi zip,sex --sensitive disease --delimiter ;"
MINED = f"mine rules t.csv {ROLES} --min-support 2 --min-confidence 0.1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "long table.csv").write_text(LONG)
    (tmp_path / "b.dat").write_text("a b\na b\nb c\na c\n" * 5)
    (tmp_path / "h.csv").write_text("a;*\nb;*\nc;*\n")
    (tmp_path / "s.txt").write_text("a b\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "profile b.dat --quasi a",
        "profile b.dat --nulls reject",
        "profile t.csv --hierarchy h.csv",
        f"bucketize t.csv {ROLES} -l 2 --format csv --record who",
        f"bucketize t.csv {ROLES} -l 2 --overwrite",
        "generalize b.dat --hierarchy h.csv -k 2 -m 1 --key-file s.txt",
        "generalize b.dat --hierarchy h.csv -k 2 -m 1 --columns a,b",
        "hide b.dat --patterns s.txt --min-support 5 --window 10",
        "hide b.dat --patterns s.txt --min-support 5 --algorithm swa --policy exact",
        "hide b.dat --patterns s.txt --min-support 5 --policy exact --confidence 0.5",
        "hide b.dat --patterns s.txt --min-support 5 --hierarchy h.csv",
        f"{MINED} --threads 2",
        f"rules t.csv {ROLES} --min-support 2 --min-confidence 0.1 --max-posterior 0.9 --channels refuse",
        f"rules t.csv {ROLES} --min-support 2 --min-confidence 0.1 --max-posterior 0.9 --seed 1",
        f"bucketize t.csv {ROLES} -l 2 --algorithm anatomy --epsilon 0.1",
    ],
)
def test_a_flag_that_would_do_nothing_is_refused(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name for path in folder.iterdir()}
    assert main([*shlex.split(line.replace(";", "';'")), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "parameter-unused"
    assert {path.name for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    "line",
    [
        "generalize b.dat --hierarchy h.csv -k 2 -m 1",
        "generalize t.csv --quasi zip,sex --delimiter ; -k 2",
        "generalize b.dat --hierarchy h.csv -k 2 -m 1 --algorithm best",
    ],
)
def test_a_seed_marks_an_experiment_also_where_nothing_is_drawn(line: str, folder: Path) -> None:
    for number in (1, 2):  # the ledger knows nothing of the first
        words = shlex.split(line.replace(";", "';'"))
        assert main([*words, "--seed", "3", "--output", f"out{number}", "--quiet"]) == 0
        stated = json.loads((folder / f"out{number}" / "release.json").read_text())
        assert stated["not_for_publication"] is True


@pytest.mark.parametrize(
    "line", [f"bucketize t.csv {ROLES} -l 2.5", "generalize b.dat --hierarchy h.csv -k 1.9 -m 1"]
)
def test_no_number_is_rounded_to_another_promise(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*shlex.split(line.replace(";", "';'")), "--json"]) == 2
    assert "an int" in json.loads(capsys.readouterr().out)["error"]["message"]


def test_a_table_is_wanted_and_baskets_are_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bucketize", "b.dat", "-l", "2", "--quasi", "a", "--sensitive", "b"]) == 2
    assert "holds transactions" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "many.csv --delimiter ';'",
        "'long table.csv' --record who --item what --hierarchy h.csv",
        "b.dat --hierarchy h.csv",
        "b.dat",
        "b.txt --format dat",
        "tabs.csv --delimiter '\\t' --quasi \"l'âge\" --sensitive disease",
    ],
)
def test_the_command_that_a_profile_suggests_can_be_run(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "b.txt").write_bytes((folder / "b.dat").read_bytes())
    many = (f"p{n};{'abcdef'[n % 6]};{'mf'[n // 6 % 2]};{'uvwxyz'[n // 12 % 6]}\n" for n in range(720))
    (folder / "many.csv").write_text("who;zip;sex;disease\n" + "".join(many))
    (folder / "tabs.csv").write_text(
        "l'âge\tdisease\n" + "".join(f"{age}\td{age % 9}\n" for age in range(90))
    )
    assert main(["profile", *shlex.split(line), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    commands = [*found["next_command"].splitlines(), *filter(None, [found.get("bound_command")])]
    for number, command in enumerate(commands):
        suggested = shlex.split(command.replace("out/release", f"out/release{number}"))
        assert suggested[0] == "tacit"
        again = ["--acknowledge-composition"] if number and found.get("bound_command") else []
        assert main([*suggested[1:], *again]) == 0, capsys.readouterr().err


def test_further_records_under_a_mapping_coarser_than_they_need(folder: Path) -> None:
    (folder / "few.dat").write_text("a b\na b\nc\n" * 3)
    (folder / "deep.csv").write_text("a;A;*\nb;A;*\nc;C;*\n")
    (folder / "mapping.csv").write_text("item,published_as\na,A\nb,A\nc,C\n")
    asked = "generalize few.dat --hierarchy deep.csv -k 2 -m 2 --mapping mapping.csv"
    assert main([*asked.split(), "--quiet"]) == 0


@pytest.mark.parametrize(
    ("typed", "option", "near"),
    [
        ("hide sample:supermarket --secret f", "--secret", "--patterns is needed"),
        ("hide sample:supermarket --pattern=f --min-support 3", "--pattern", "Did you mean --patterns?"),
        ("bucketize sample:hospital -l 3 --quas zip", "--quas", "Did you mean --quasi?"),
        ("profile --tabel people hr.db", "--tabel", "Did you mean --table?"),
        ("run --chek", "--chek", "Did you mean --check?"),
        ("profile people.csv --sep ;", "--sep", "Did you mean --delimiter?"),
        ("generalize people.csv --k-anonymity 5", "--k-anonymity", "Did you mean --k? See"),
        ("generalize people.csv -k 5 --quasi-identifiers zip", "--quasi-identifiers", "--quasi?"),
        ("mine itemsets people.csv --minsup 5", "--minsup", "--min-support?"),
    ],
)
def test_an_option_that_there_is_not_is_named(
    typed: str, option: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed.split()) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"tacit: There is no option {option}.") and near in said


def test_an_option_without_its_value_is_not_called_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hide", "sample:supermarket", "--patterns"]) == 2
    assert "The option --patterns needs a value." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("generalize people.csv", "'tacit generalize' needs the option -k: The fewest records"),
        ("export out/release --to xlsx", "'tacit export' needs the option --output."),
        ("report", "'tacit report' needs FOLDER."),
        ("series show out/one out/two", "'tacit series show' has no argument for 'out/two'."),
    ],
)
def test_what_was_not_given_is_said_to_be_needed(
    typed: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed.split()) == 2
    assert capsys.readouterr().err.startswith(f"tacit: {said}")


def test_it_is_said_where_cells_of_a_table_are_taken_for_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, sets = tmp_path / "orders.csv", tmp_path / "sets.csv"
    table.write_text(
        "id,name,size\n" + "".join(f"{n // 2},pizza {n % 7},{'SML'[n % 3]}\n" for n in range(40))
    )
    sets.write_text("a,b\nb,c\nc,a\n" * 10)
    for data, told in ((table, True), (sets, False)):
        main(["mine", "itemsets", str(data), "--min-support", "3", "--format", "basket"])
        assert "looks like a table" not in capsys.readouterr().err
        main(["generalize", str(data), "-k", "2", "-m", "1"])
        assert ("looks like a table" in capsys.readouterr().err) == told


@pytest.mark.parametrize(
    ("flag", "verb"),
    [("--min-expectation=2", "mine_negative_rules"), ("--skip-rows=-1", "read_table")],
)
def test_a_value_out_of_range_is_refused_in_the_words_of_its_verb(
    flag: str, verb: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.split(f"bucketize t.csv {ROLES} -l 2".replace(";", "';'"))
    assert main([*words, flag, "--json"]) == 2
    assert f"parameter of {verb} must be" in json.loads(capsys.readouterr().out)["error"]["message"]
