"""What a recipe measures: the same as the verbs find, and nothing is published for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tacit
from tacit.release import read_manifest
from tacit.showing.layout import to_plain
from tacit.surface.cli import main
from tacit.surface.recipe.load import open_recipe, parse_recipe
from tacit.surface.recipe.run import RecipeResult, preview_recipe, run_recipe
from tacit.surface.recipe.text import to_toml

SOURCE = """
[source]
path = "people.csv"
quasi = ["age", "sex"]
sensitive = ["disease"]
"""
RELEASE = """
[[release]]
method = "bucketize"
algorithm = "anatomy"
l = 2
output = "out"
"""
RISK = """
[[measure]]
verb = "risk"
threshold = 3
output = "risk.json"
"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A folder with a table of people."""
    rows = [f"{20 + row % 7},{'mf'[row % 2]},{('flu', 'asthma', 'gout')[row % 3]}" for row in range(60)]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,disease", *rows]) + "\n", encoding="utf-8")
    return tmp_path


def run(folder: Path, text: str, **how: object) -> RecipeResult:
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    opened = open_recipe(folder / "recipe.toml")
    return run_recipe(opened.recipe, base=opened.base, places=opened.places, **how)  # type: ignore[arg-type]


def test_a_recipe_may_measure_alone(people: Path) -> None:
    result = run(people, SOURCE + RISK)
    table = tacit.read_table(people / "people.csv", quasi=["age", "sex"], sensitive="disease")
    expected = to_plain(tacit.risk(table, threshold=3))
    (measured,) = result.measures
    assert measured.to_dict()["found"] == expected
    assert json.loads((people / "risk.json").read_text(encoding="utf-8")) == expected
    assert (people / "risk.json").stat().st_mode & 0o777 == 0o600, "exact figures are the owner's"
    assert result.folders == ()
    assert {path.name for path in people.iterdir()} == {"people.csv", "recipe.toml", "risk.json"}
    assert "Nothing was published." in str(result)
    assert str(tacit.risk(table, threshold=3)) in str(result)


@pytest.mark.parametrize(
    ("command", "measure"),
    [
        (["profile"], 'verb = "profile"'),
        (["risk", "--threshold", "5"], 'verb = "risk"\nthreshold = 5'),
        (
            ["mine", "negative", "--min-expectation", "0.5"],
            'verb = "mine_negative_rules"\nmin_expectation = 0.5',
        ),
        (["mine", "rules", "--min-support", "2", "--min-confidence", "0.3", "--sort-by", "support"], ""),
        (["mine", "itemsets", "--min-support", "0.2"], 'verb = "mine_itemsets"\nmin_support = 0.2'),
        (
            ["disclose", "--min-support", "2", "--min-confidence", "0.3", "--bounds", "0"],
            'verb = "disclose"\nmin_support = 2\nmin_confidence = 0.3',
        ),
        (["sweep", "-k", "2", "-l", "2"], 'verb = "sweep"\nk = [2]\nl = [2]'),
    ],
    ids=lambda told: told[-1] if isinstance(told, list) else "",
)
def test_a_command_that_measures_is_a_recipe_of_one_measure(
    people: Path, capsys: pytest.CaptureFixture[str], command: list[str], measure: str
) -> None:
    where = 2 if command[0] == "mine" else 1
    words = [*command[:where], str(people / "people.csv"), *command[where:]]
    assert main([*words, "--quasi", "age,sex", "--sensitive", "disease", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    if not measure:
        supports = [rule["support"] for rule in printed["rules"]]
        assert supports == sorted(supports, reverse=True)
        return
    (measured,) = run(people, f"{SOURCE}\n[[measure]]\n{measure}\n").measures
    found = json.loads(json.dumps(measured.to_dict()["found"]))
    assert _comparable(found) == _comparable(printed)


def _comparable(told: object) -> object:
    """Without seconds, and without commands, which name the file as it was named."""
    if isinstance(told, dict):
        left_out = ("seconds", "source", "next_command", "bound_command")
        return {name: _comparable(value) for name, value in told.items() if name not in left_out}
    return [_comparable(one) for one in told] if isinstance(told, list) else told


def test_measures_and_releases_go_together(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (people / "recipe.toml").write_text(SOURCE + RISK + RELEASE, encoding="utf-8")
    assert main(["run", str(people / "recipe.toml"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["verb"] for one in told["measures"]] == ["risk"]
    assert [Path(one["folder"]).name for one in told["releases"]] == ["out"]
    assert (people / "risk.json").is_file()
    assert read_manifest(people / "out").kind == "bucketized"


def test_a_risk_that_fails_ends_with_9(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = SOURCE + RISK.replace("threshold = 3", 'standard = ["ema-0070"]')
    (people / "recipe.toml").write_text(text, encoding="utf-8")
    assert main(["run", str(people / "recipe.toml")]) == 9
    assert "Fails against ema-0070" in capsys.readouterr().out


def test_the_risks_of_a_release_are_measured_in_its_folder(people: Path) -> None:
    run(people, SOURCE + RELEASE)
    (measured,) = run(people, 'source.path = "out"\n' + RISK).measures
    assert measured.to_dict()["found"] == to_plain(tacit.risk(people / "out", threshold=3))


def test_a_table_of_counts_may_end_in_totals(tmp_path: Path) -> None:
    cells = "area,sex,n\nA,f,4\nA,m,16\nA,total,20\n"
    (tmp_path / "cells.csv").write_text(cells, encoding="utf-8")
    text = 'source.path = "cells.csv"\n[[measure]]\nverb = "risk"\ncounts = "n"\nstandard = ["cms-11"]\n'
    result = run(tmp_path, text)
    assert result.measures[0].found.rows == 3
    assert result.exit_code == 9


def test_where_a_measure_fails_nothing_is_published_or_written(people: Path) -> None:
    wrong = '\n[[measure]]\nverb = "risk"\nperson = "nobody"\n'
    with pytest.raises(tacit.TacitError, match="nobody"):
        run(people, SOURCE + RISK + RELEASE + wrong)
    missed = SOURCE + RISK + RELEASE + "limits.max_query_error = 0\n"
    with pytest.raises(tacit.LimitError):
        run(people, missed)
    assert {path.name for path in people.iterdir()} == {"people.csv", "recipe.toml"}


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (SOURCE, "recipe-key-missing", None),
        (f'{SOURCE}[[measure]]\nverb = "risky"\n', "recipe-choice", 6),
        (f'{SOURCE}[[measure]]\nverb = "risk"\nthreshold = 1\n', "parameter-range", 8),
        (f'{SOURCE}[[measure]]\nverb = "risk"\nl = 3\n', "recipe-key-unknown", 8),
        (f'{SOURCE}[[measure]]\nverb = "risk"\ntolerance = 0.1\n', "parameter-unused", 8),
        (f'{SOURCE}[[measure]]\nverb = "profile"\nsource = "others"\n', "recipe-source-unknown", 8),
        (f'{SOURCE}[[measure]]\nverb = "risk"\noriginal = "gone.csv"\n', "file-missing", 8),
        (
            f"{SOURCE}{RISK}key.seed = 1\n".replace("key.seed = 1", "\n[key]\nseed = 1"),
            "parameter-unused",
            13,
        ),
        (f'{SOURCE}[[measure]]\nverb = "profile"\noutput = "people.csv"\n', "output-is-input", 8),
    ],
)
def test_what_is_wrong_with_a_measure_is_said_with_its_line(
    people: Path, text: str, code: str, line: int | None
) -> None:
    with pytest.raises(tacit.TacitError) as raised:
        run(people, text)
    assert raised.value.code == code
    assert raised.value.where is not None
    assert raised.value.where.line == line


def test_a_source_is_read_in_one_way(people: Path) -> None:
    text = f'{SOURCE}[[measure]]\nverb = "disclose"\n[[release]]\nmethod = "hide"\npatterns = ["a, b"]\n'
    with pytest.raises(tacit.UsageError) as raised:
        run(people, f'{text}min_support = 2\noutput = "hidden"\n')
    assert raised.value.code == "recipe-source-kind"


def test_a_file_that_is_there_is_replaced_only_where_that_is_said(people: Path) -> None:
    run(people, SOURCE + RISK)
    with pytest.raises(tacit.OutputError):
        run(people, SOURCE + RISK)
    run(people, SOURCE + RISK.replace("threshold = 3", "threshold = 4"), overwrite=True)
    assert json.loads((people / "risk.json").read_text(encoding="utf-8"))["threshold"] == 4


def test_what_would_be_measured_is_told_before(people: Path) -> None:
    (people / "recipe.toml").write_text(SOURCE + RISK, encoding="utf-8")
    opened = open_recipe(people / "recipe.toml")
    preview = preview_recipe(opened.recipe, base=opened.base)
    assert preview.measures == ("risk of source",)
    assert "To measure: risk of source." in str(preview)
    assert not (people / "risk.json").exists()


def test_a_recipe_that_measures_can_be_written_and_not_checked() -> None:
    recipe = parse_recipe(SOURCE + RISK)
    assert parse_recipe(to_toml(recipe)) == recipe
    with pytest.raises(tacit.UsageError, match="makes no release"):
        tacit.check_recipe(recipe)
