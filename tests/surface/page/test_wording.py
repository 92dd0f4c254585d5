"""The page's words: fields instead of options, and a run that was made before a change says so."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.errors import Said, TacitError, UsageError, option
from tacit.methods import METHODS
from tacit.surface.catalogue import catalogue_of
from tacit.surface.page import outcome_view, views
from tacit.surface.page.errors import CHOICES, FIELDS, error_on_the_page, on_the_page, placed
from tacit.surface.page.forms import fields_of, made_from, reading_fields, recipe
from tacit.surface.page.session import DataSet, HierarchyChoice
from tacit.surface.recipe.prepare import prepare_recipe
from tests.surface.test_catalogue import texts


@pytest.fixture
def data(tmp_path: Path) -> DataSet:
    """A table of a hospital, its roles confirmed."""
    roles = {"zip": "quasi", "age": "quasi", "disease": "sensitive", "pay": "none"}
    return DataSet("1", "a.csv", tmp_path, str(tmp_path / "a.csv"), 9, "table", roles=roles)


@pytest.mark.parametrize(
    ("name", "content", "field"),
    [
        ("a.csv", "όνομα,Χ\nΑθήνα,1\nΠάτρα,2\n".encode("iso8859-7"), "“Encoding” in step 1"),
        ("a.csv", b"apple,milk,tofu\napple,rolls\n", "“What it holds” in step 1 set to “baskets”"),
    ],
)
def test_a_file_that_cannot_be_read_names_the_field_that_mends_it(
    tmp_path: Path, name: str, content: bytes, field: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TacitError) as caught:
        tacit.read_table(tmp_path / name)
    told = error_on_the_page(caught.value)
    assert field in told["hint"]
    assert "--" not in told["hint"] and "= " not in told["hint"]


def test_an_infeasible_promise_names_the_choice_of_the_page() -> None:
    frame = pl.DataFrame({"age": [*"123456"], "ill": [*"aaaabc"]})
    table = tacit.table_from_frame(frame, quasi="age", sensitive="ill")
    with pytest.raises(TacitError) as caught:
        tacit.bucketize(table, l=2, algorithm="anatomy")
    told = error_on_the_page(caught.value)
    assert "“Where the table cannot meet it” in step 4 set to “leave out the rows in the way”" in told["hint"]


def test_a_click_mends_what_the_data_cannot_meet() -> None:
    frame = pl.DataFrame({"age": [*"123456789012"], "ill": [*"aaabbbcccddd"]})
    table = tacit.table_from_frame(frame, quasi="age", sensitive="ill")
    with pytest.raises(TacitError) as caught:
        tacit.bucketize(table, l=7, algorithm="anatomy")
    told = error_on_the_page(pickle.loads(pickle.dumps(caught.value)))
    assert told["field"] == "l"
    assert told["cures"][0] == {
        "label": "Set “Possible values everybody keeps” to “4”",
        "step": 4,
        "fields": {"l": "4"},
    }
    cured = {name: int(value) for name, value in told["cures"][0]["fields"].items()}
    assert tacit.bucketize(table, algorithm="anatomy", **cured).manifest.promise["l"] == 4


def test_what_a_hint_names_is_a_button_and_what_does_nothing_is_taken_back(data: DataSet) -> None:
    told = error_on_the_page(UsageError("No.", code="no", hint=f"Use {option('nulls', 'suppress')}."))
    assert told["cures"] == [
        {
            "label": "Set “A missing value” to “leaves its row out”",
            "step": 1,
            "fields": {"nulls": "suppress"},
        }
    ]
    told = error_on_the_page(UsageError("No.", code="no", hint=f"Use {option('join_values', True)}."))
    assert told["cures"][0]["fields"] == {"join_values": "yes"}
    with pytest.raises(TacitError) as caught:
        recipe(data, "bucketize", {"l": "3", "algorithm": "anatomy", "partners": "any"})
    (cure,) = error_on_the_page(caught.value)["cures"]
    assert recipe(data, "bucketize", {"l": "3", "algorithm": "anatomy", **cure["fields"]})


def test_a_number_out_of_range_is_told_without_names_of_parameters(data: DataSet) -> None:
    with pytest.raises(TacitError) as caught:
        recipe(data, "generalize_table", {"k": "1"})
    told = error_on_the_page(caught.value)
    assert told["message"] == "This must be a whole number, 2 or more. It is 1." and told["field"] == "k"


def test_every_field_and_choice_that_is_named_stands_on_the_page() -> None:
    text = "".join(f'"{words}"' for _, words in texts(catalogue_of("en")["page"]))
    for method in METHODS.values():
        text += "".join(method.options[name].says.title for name in method.in_sentences)
        for field in fields_of(method):
            text += field["label"] + "".join(f'"{words}"' for _, words in field["choices"])
    for field in reading_fields():
        text += field["label"] + "".join(f'"{words}"' for _, words in field["choices"])
    for label, step in FIELDS.values():
        assert label in text and 1 <= step <= 7
    for (name, _), words in CHOICES.items():
        assert f'"{words}"' in text or name in ("algorithm", "format")  # choices of other shapes


def test_an_empty_field_is_told_at_its_place(data: DataSet) -> None:
    with pytest.raises(TacitError) as caught:
        recipe(data, "bucketize", {"l": ""})
    told = error_on_the_page(caught.value)
    assert (told["field"], told["message"], told["hint"]) == ("l", "This must be filled in.", None)


def test_a_hierarchy_has_the_name_of_the_file_that_was_brought() -> None:
    stored = "/tmp/page/c579fdbe8c8933b2.csv"
    error = {"message": "2 values have no leaf in the hierarchy of 'c579fdbe8c8933b2'.", "hint": None}
    told = placed(error, {stored: "tree.csv", "/tmp/page/data.csv": "a.csv"})
    assert told["message"] == "2 values have no leaf in the hierarchy of 'tree.csv'."
    assert (
        placed({"message": "No 'data' here."}, {"/tmp/page/data.csv": "a.csv"})["message"]
        == "No 'data' here."
    )


def test_generalizing_without_a_hierarchy_names_the_step_that_makes_one(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text("1 2\n2 3\n", encoding="utf-8")
    baskets = DataSet("1", "a.dat", tmp_path, str(tmp_path / "a.dat"), 9, "baskets")
    with pytest.raises(TacitError) as caught:
        prepare_recipe(recipe(baskets, "generalize", {"k": "5", "m": "2"}))
    told = error_on_the_page(caught.value)
    assert told["hint"] == "Let Tacit propose one in step 3, build one there, or upload a file."


def test_a_sentence_without_options_of_the_page_stays_as_it_is() -> None:
    assert on_the_page("Mark what must not be learned (a disease).").endswith("(a disease).")
    assert on_the_page(Said(f"Give {option('query')}.")) == "Give query= (--query)."


def test_no_words_of_the_data_are_taken_for_an_option() -> None:
    """Only marks are read, and what a file holds is shown as it is: ``encoding= (--encoding)`` too."""
    spelled = "The value is encoding= (--encoding)."
    assert on_the_page(Said(spelled)) == spelled


def test_an_error_keeps_its_marks_where_it_crosses_a_process() -> None:
    error = pickle.loads(pickle.dumps(UsageError("No.", code="no", hint=f"Use {option('nulls', 'own')}.")))
    assert str(error) == "No. Use nulls='own' (--nulls own)."
    assert "--" not in error_on_the_page(error)["hint"]


def test_a_run_says_that_roles_were_changed_since(data: DataSet) -> None:
    run: Any = SimpleNamespace(about={"method": "bucketize", "source": made_from(data, "bucketize")})
    assert outcome_view._outdated(run, data) is None
    assert data.roles is not None
    data.roles |= {"disease": "none", "pay": "sensitive"}
    told = outcome_view._outdated(run, data)
    assert told is not None and re.search(r"'?disease'? not to be learned", told) and "zip" in told


def test_a_run_says_that_a_hierarchy_was_changed_where_it_uses_one(data: DataSet) -> None:
    runs: list[Any] = [
        SimpleNamespace(about={"method": method, "source": made_from(data, method)})
        for method in ("bucketize", "rules")
    ]
    data.hierarchies["age"] = HierarchyChoice(rule={"by": "intervals", "width": 10})
    told = [outcome_view._outdated(run, data) for run in runs]
    assert told[0] is not None and "hierarchy" in told[0]
    assert told[1] is None


def test_a_sentence_names_a_few_sensitive_columns_and_counts_many(data: DataSet) -> None:
    assert views._sensitive(data) == "disease"
    data.roles = dict.fromkeys("abcd", "sensitive")
    assert views._sensitive(data) == "each of the 4 sensitive columns"


@pytest.mark.parametrize(("outdated", "now"), [(None, 7), ("It was made with other roles.", 4)])
def test_the_step_after_a_change_is_to_choose_and_run_again(
    data: DataSet, outdated: str | None, now: int
) -> None:
    shown = {"outdated": outdated, "published": False, "name": "Run 1", "parameters": "l = 3"}
    told = {"runs": [], "profile": {"summary": ""}, "ready": True, "chosen": "bucketize", "file_words": ""}
    view = {"shown": shown, **told}
    assert [step["number"] for step in views._steps(data, view) if step["state"] == "now"] == [now]
