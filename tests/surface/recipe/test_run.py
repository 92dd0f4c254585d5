"""Recipes carried out: the same bytes, all or nothing, limits kept, and checked afterwards."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import tacit
from tacit.errors import InfeasibleError, InputError, OutputError, TacitError, UsageError
from tacit.methods import METHODS
from tacit.release import read_manifest
from tacit.release.ledger import Ledger
from tacit.surface.cli import main
from tacit.surface.recipe.check import check_recipe
from tacit.surface.recipe.load import open_recipe, parse_recipe
from tacit.surface.recipe.model import SECTIONS
from tacit.surface.recipe.run import Limit, judge_limits, preview_recipe, run_recipe
from tests.bad_input.recipes import BASIC, FILES, HIDE, RELEASE, RULES, SETS

ALL = {"bucketize": BASIC, "generalize": SETS, "hide": HIDE, "rules": RULES}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the data of the bad-input table."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tree(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("method", ALL)
def test_the_same_recipe_gives_the_same_bytes(method: str, folder: Path) -> None:
    recipe = parse_recipe(ALL[method])
    first = run_recipe(recipe, base=folder)
    assert first.releases[0].method == method
    once = tree(folder / "out")
    shutil.rmtree(folder / "out")
    run_recipe(recipe, base=folder)
    twice = tree(folder / "out")
    published = {name for name in once if ".private" not in name}
    assert published and {name for name in twice if ".private" not in name} == published
    assert all(once[name] == twice[name] for name in published)


@pytest.mark.parametrize("method", ALL)
def test_a_recipe_makes_what_the_verbs_make(method: str, folder: Path) -> None:
    """The published files are those of the calls that a person would write."""
    run_recipe(parse_recipe(ALL[method]), base=folder)
    key = tacit.Key.from_seed(1)
    if method in ("bucketize", "rules"):
        table = tacit.read_table("t.csv", quasi=["zip", "sex"], sensitive="disease")
        release = (
            tacit.bucketize(table, l=2, key=key)
            if method == "bucketize"
            else tacit.safe_rules(table, min_support=2, min_confidence=0.1, max_posterior=0.9)
        )
        there = folder / "out" / "t"
    else:
        release = (
            tacit.generalize(tacit.read_transactions("b.dat", hierarchy="h.csv"), k=2, m=1, key=key)
            if method == "generalize"
            else tacit.hide(tacit.read_transactions("b.dat"), patterns=["a, b"], min_support=5, key=key)
        )
        there = folder / "out" / "b"
    release.save(folder / "by-hand")
    assert tree(there) == tree(folder / "by-hand")


def test_a_table_without_a_sensitive_column_is_generalized_as_by_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    text = BASIC.replace('sensitive = ["disease"]\n', "").replace("bucketize", "generalize")
    run_recipe(parse_recipe(text.replace("l = 2", "k = 3")), base=folder)
    assert main(["generalize", "t.csv", "--quasi", "zip,sex", "-k", "3", "--seed", "1", "-o", "by-hand"]) == 0
    assert tree(folder / "out" / "t") == tree(folder / "by-hand")
    with pytest.raises(UsageError, match="a sensitive attribute") as refused:
        run_recipe(parse_recipe(text.replace("l = 2", "k = 3\nl = 2")), base=folder, overwrite=True)
    assert refused.value.code == "roles-missing"


@pytest.mark.parametrize("method", ALL)
def test_a_check_passes_and_names_the_file_that_was_changed(method: str, folder: Path) -> None:
    recipe = parse_recipe(ALL[method])
    run_recipe(recipe, base=folder)
    checked = check_recipe(recipe, base=folder)
    assert checked.ok and checked.exit_code == 0
    assert checked.releases[0].original == "the original file"
    target = folder / "out" / ("t" if method in ("bucketize", "rules") else "b")
    changed = sorted(file for file in target.iterdir() if file.name != "release.json")[0]
    changed.write_bytes(changed.read_bytes().replace(b"a", b"b", 1))
    checked = check_recipe(recipe, base=folder)
    assert checked.exit_code == 7
    assert [file.name for file in checked.releases[0].files if not file.same] == [changed.name]
    assert f"DIFFERS  {changed.name}" in str(checked)


def test_a_check_sees_another_parameter_a_missing_file_and_other_data(folder: Path) -> None:
    run_recipe(parse_recipe(BASIC), base=folder)
    other = check_recipe(parse_recipe(BASIC.replace("l = 2", "l = 3")), base=folder)
    details = {file.name: file.detail for file in other.releases[0].files if not file.same}
    assert "parameters" in details["release.json"]
    (folder / "out" / "t" / "st.csv").unlink()
    missing = check_recipe(parse_recipe(BASIC), base=folder)
    assert "not there" in {file.name: file.detail for file in missing.releases[0].files}["st.csv"]
    run_recipe(parse_recipe(BASIC.replace("out/t", "out/again")), base=folder)
    (folder / "t.csv").write_bytes(FILES["t.csv"] + b"a,m,x\n")
    assert not check_recipe(parse_recipe(BASIC.replace("out/t", "out/again")), base=folder).ok


def test_a_check_of_what_is_not_there_is_an_input_error(folder: Path) -> None:
    with pytest.raises(InputError, match="no release"):
        check_recipe(parse_recipe(BASIC), base=folder)


def test_a_check_neither_writes_nor_goes_on_record(folder: Path) -> None:
    text = BASIC.replace("seed = 1", "")
    run_recipe(parse_recipe(text), base=folder)
    before, on_record = tree(folder), Ledger().read().entries
    assert len(on_record) == 1
    assert check_recipe(parse_recipe(text), base=folder).ok
    assert tree(folder) == before
    assert Ledger().read().entries == on_record


def test_a_second_release_of_the_same_records_is_acknowledged_and_checked(folder: Path) -> None:
    second = RELEASE.replace("out/t", "out/u").replace("l = 2", "l = 3")
    text = BASIC.replace("seed = 1", "") + second
    with pytest.raises(InfeasibleError) as caught:
        run_recipe(parse_recipe(text), base=folder)
    assert caught.value.code == "composition" and not (folder / "out").exists()
    recipe = parse_recipe(text + "acknowledge_composition = true\n")
    run_recipe(recipe, base=folder)
    stated = json.loads((folder / "out" / "u" / "release.json").read_text())["risks"]["composition"]
    assert stated["records"] == 36
    assert check_recipe(recipe, base=folder).ok


def test_a_release_that_cannot_be_made_leaves_nothing_of_the_others(folder: Path) -> None:
    text = BASIC + RELEASE.replace("out/t", "out/u").replace("l = 2", "l = 4")
    with pytest.raises(InfeasibleError):
        run_recipe(parse_recipe(text), base=folder)
    assert not (folder / "out").exists()


def test_what_was_published_before_a_failure_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tacit.methods.bucketize.release import BucketizedRelease

    whole = BucketizedRelease.save

    def fails(self: BucketizedRelease, target: Path, **given: object):
        if str(target).endswith("u"):
            raise OutputError("There is no room.", code="output-no-space", hint="Make room.")
        return whole(self, target, **given)

    monkeypatch.setattr(BucketizedRelease, "save", fails)
    with pytest.raises(OutputError) as caught:
        run_recipe(parse_recipe(BASIC + RELEASE.replace("out/t", "out/u")), base=folder)
    assert caught.value.hint == "Make room. Published before that, and left in place: out/t."
    assert (folder / "out" / "t" / "release.json").exists() and not (folder / "out" / "u").exists()


def test_stopped_between_two_releases_the_first_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tacit.methods.bucketize.release import BucketizedRelease

    whole = BucketizedRelease.save

    def stopped(self: BucketizedRelease, target: Path, **given: object):
        if str(target).endswith("u"):
            raise KeyboardInterrupt
        return whole(self, target, **given)

    monkeypatch.setattr(BucketizedRelease, "save", stopped)
    (folder / "r.toml").write_text(BASIC + RELEASE.replace("out/t", "out/u"))
    assert main(["run", "r.toml"]) == 130
    assert "published before that: out/t" in capsys.readouterr().err
    shutil.rmtree(folder / "out")
    monkeypatch.setattr(BucketizedRelease, "save", lambda self, target, **given: stopped(self, Path("u")))
    assert main(["run", "r.toml"]) == 130
    assert "nothing was published" in capsys.readouterr().err


def test_paths_are_relative_to_the_recipe(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "recipe.toml").write_text(SETS)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    assert main(["run", "../recipe.toml", "--quiet"]) == 0
    assert (folder / "out" / "b").is_dir() and not any((folder / "elsewhere").iterdir())


def test_a_database_beside_the_recipe(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    tacit.write_table(tacit.read_table("t.csv"), folder / "people.db", table="people")
    text = BASIC.replace('"t.csv"', '"sqlite:///people.db"\nquery = "SELECT * FROM people"')
    monkeypatch.chdir("/")
    run_recipe(parse_recipe(text), base=folder)
    checked = check_recipe(parse_recipe(text), base=folder)
    assert checked.ok and checked.releases[0].original == "the original as Tacit reads it"


def test_rules_build_the_hierarchies_that_the_builders_build(folder: Path) -> None:
    from tacit.surface.recipe.model import Source
    from tacit.surface.recipe.prepare import read_source

    source = Source(
        path="sample:hospital:200",
        hierarchies={"age": {"by": "intervals", "width": 20}, "zip": {"by": "prefixes", "lengths": [3]}},
    )
    table = read_source(source, "table", folder)
    values = table.column("age").texts
    assert table.hierarchies["age"].labels == tacit.build_intervals(values, width=20).labels
    assert table.hierarchies["sex"].n_leaves == 2  # the sample's own stays


@pytest.mark.parametrize(
    ("bound", "found", "met"),
    [
        ("0.1", 0.1, True),
        ("0.1", 0.1000001, False),
        ("0.3333", 1 / 3, False),
        ("0", 0, True),
        ("1", None, False),
    ],
)
def test_a_limit_is_kept_exactly(bound: str, found: float | None, met: bool) -> None:
    from decimal import Decimal

    limits = SECTIONS["rules"].keys["limits"].kind(max_posterior=Decimal(bound))
    parts = {"risks": {"max_posterior": found}}
    (judged,) = judge_limits(limits, METHODS["rules"].figures, parts)
    assert judged == Limit("max_posterior", Decimal(bound), found, met)


def test_a_least_figure_is_a_limit_from_below() -> None:
    limits, figures = SECTIONS["rules"].keys["limits"].kind(min_rules=5), METHODS["rules"].figures
    few, enough = (judge_limits(limits, figures, {"utility": {"published": found}})[0] for found in (4, 5))
    assert not few.met and enough.met
    assert "1 too little" in str(few)


def test_a_sampled_figure_is_held_with_three_standard_errors_more() -> None:
    from decimal import Decimal

    limits, figures = (
        SECTIONS["bucketize"].keys["limits"].kind(max_posterior=Decimal("0.5")),
        METHODS["bucketize"].figures,
    )
    for error, found, met in ((0.0, 0.5, True), (0.01, 0.53, False), (0.4, 1.0, False)):
        parts = {"risks": {"posterior": {"largest": 0.5, "error": error}}}
        (judged,) = judge_limits(limits, figures, parts)
        assert judged.found == pytest.approx(found)
        assert judged.met == met


def test_a_preview_writes_nothing_and_names_every_release(folder: Path) -> None:
    before = tree(folder)
    for method, text in ALL.items():
        found = preview_recipe(parse_recipe(text), base=folder)
        assert found.releases[0].method == method
        assert "nothing was written" in str(found)
    assert tree(folder) == before


def test_notes_of_the_readers_are_kept(folder: Path) -> None:
    (folder / "b.dat").write_bytes(b"a a b\na b\nb c\na c\n" * 5)
    assert any("repeated" in note for note in run_recipe(parse_recipe(SETS), base=folder).notes)


def test_the_command_line_prints_one_object(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "recipe.toml").write_text(BASIC + "[release.limits]\nmax_vulnerable = 0\n")
    assert main(["run", "recipe.toml", "--json"]) == 0
    (release,) = json.loads(capsys.readouterr().out)["releases"]
    assert release["limits"] == [{"name": "max_vulnerable", "bound": 0, "found": 0, "met": True}]
    assert release["not_for_publication"] is True
    assert main(["run", "recipe.toml", "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
    (folder / "out" / "t" / "qit.csv").write_text("")
    assert main(["run", "recipe.toml", "--check", "--json"]) == 7
    assert main(["run", "recipe.toml", "--dry-run", "--overwrite", "--json"]) == 0


def test_a_seed_marks_a_release_in_which_nothing_is_drawn(folder: Path) -> None:
    (folder / "recipe.toml").write_text(SETS)
    assert main(["run", "recipe.toml", "--quiet"]) == 0
    stated = [json.loads(path.read_text()) for path in (folder / "out").rglob("release.json")]
    assert [one["not_for_publication"] for one in stated] == [True]


def test_a_key_file_of_the_command_line_comes_first(folder: Path) -> None:
    (folder / "recipe.toml").write_text(BASIC)
    assert main(["key", "new", "k"]) == 0
    assert main(["run", "recipe.toml", "--key-file", "k", "--quiet"]) == 0
    assert json.loads((folder / "out/t/release.json").read_text())["not_for_publication"] is False


@pytest.mark.parametrize(
    "line",
    ["run", "run r.toml --check --overwrite", "run --schema --dry-run", "run r.toml --check --dry-run"],
)
def test_flags_that_do_not_go_together(line: str, folder: Path) -> None:
    (folder / "r.toml").write_text(BASIC)
    assert main(line.split()) == 2


def test_the_schema_is_printed_and_takes_the_examples(capsys: pytest.CaptureFixture[str]) -> None:
    import tomllib

    jsonschema = pytest.importorskip("jsonschema")
    assert main(["run", "--schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    check = jsonschema.Draft202012Validator(schema)
    texts = [*ALL.values()]
    texts += [file.read_text() for file in Path(__file__).parents[3].glob("examples/*.toml")]
    for text in texts:
        assert check.is_valid(tomllib.loads(text)), text
    for wrong in ("l = 1", "ell = 2", 'l = "2"'):
        assert not check.is_valid(tomllib.loads(BASIC.replace("l = 2", wrong)))


def test_a_recipe_from_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BASIC.encode())))
    assert open_recipe("-").recipe == parse_recipe(BASIC)


def test_errors_of_the_run_name_the_release(folder: Path) -> None:
    (folder / "r.toml").write_text(BASIC.replace("l = 2", "l = 4"))
    opened = open_recipe(folder / "r.toml")
    with pytest.raises(TacitError) as caught:
        run_recipe(opened.recipe, base=opened.base, places=opened.places)
    assert caught.value.where is not None and caught.value.where.line == 9


def test_a_recipe_continues_a_series(folder: Path) -> None:
    rows = [f"P{row},{20 + row % 3},{('flu', 'asthma', 'gout', 'angina')[row % 4]}" for row in range(48)]
    Path("people.csv").write_text("\n".join(["id,age,disease", *rows]) + "\n", encoding="utf-8")
    first = """
    source = { path = "people.csv", quasi = ["age"], sensitive = ["disease"] }
    [[release]]
    method = "bucketize"
    algorithm = "anatomy"
    partners = "signatures"
    person = "id"
    l = 2
    output = "q1"
    """
    for name, text in (("q1", first), ("q2", first.replace('output = "q1"', 'after = "q1"\noutput = "q2"'))):
        Path(f"{name}.toml").write_text(text, encoding="utf-8")
        assert main(["run", f"{name}.toml", "--quiet"]) == 0
    assert read_manifest(folder / "q2").parameters["series"]["number"] == 2
