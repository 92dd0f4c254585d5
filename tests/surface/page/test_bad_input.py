"""The bad-input table through the page: the same codes, sentences and places as on the command line.

What a form says goes through the page's own functions, and the worker's task runs in this process.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.errors import TacitError
from tacit.surface.page import forms
from tacit.surface.page.errors import placed
from tacit.surface.page.session import DataSet
from tacit.surface.page.worker import look
from tacit.surface.reading import is_transactions
from tests.bad_input.case import Case
from tests.bad_input.test_bad_input import CASES

ROLES = ("quasi", "sensitive", "drop", "keep")
SHORT = {"-l": "l", "-k": "k", "-m": "m"}


def told_by(words: tuple[str, ...]) -> dict[str, str]:
    """The flags of a command as the fields of a form."""
    fields, rest = {}, list(words)
    while rest:
        flag, equals, value = rest.pop(0).partition("=")
        if flag == "--no-header":
            fields["header"] = "no"
            continue
        fields[SHORT.get(flag, flag.lstrip("-").replace("-", "_"))] = value if equals else rest.pop(0)
    return fields


def brought(case: Case, folder: Path) -> DataSet:
    """The data set of a case as if it had been uploaded under its name."""
    assert case.command is not None
    name, fields = case.command[1], told_by(case.command[2:])
    layout = "baskets" if is_transactions(str(folder / name)) else "table"
    if "record" in fields or "item" in fields or fields.get("format") == "long":
        layout = "long"
    elif fields.get("format") in ("dat", "basket", "spmf", "jsonl"):
        layout = "baskets"
    roles = {column: role for role in ROLES for column in fields.pop(role, "").split(",") if column}
    options = forms.reading(layout, fields)
    return DataSet("0", f"shown {name}", folder, str(folder / name), 1, layout, options, roles or None)


FILES = [
    case
    for case in CASES
    if case.command is not None
    and case.command[0] == "profile"
    and case.command[1] in case.files
    and case.prepare is None
    and max(map(len, case.files.values())) < 1 << 20
    and case.code != "two-roles"  # a form gives a column one
    and not {"--format=long", "--format"} & set(case.command)  # the page asks for the layout instead
]
PARAMETERS = [
    case
    for case in CASES
    if case.command is not None
    and case.command[0] in ("bucketize", "generalize", "hide")
    and case.code == "parameter-range"
    and not case.command[-1].endswith("=")  # a field left empty says nothing
]


def test_the_page_sees_most_of_the_table() -> None:
    assert len(FILES) >= 120 and len(PARAMETERS) >= 40


@pytest.mark.parametrize("case", FILES, ids=str)
def test_files(case: Case, tmp_path: Path) -> None:
    for name, content in case.files.items():
        (tmp_path / name).write_bytes(content)
    data = brought(case, tmp_path)
    try:
        from tacit.surface.recipe.text import to_toml

        recipe = to_toml(forms.confirmed_recipe(data, trees=False))
        task = {"recipe": None, "confirmed": recipe, "table": data.table, "values": None}
        look(task, lambda what, share: None)
    except TacitError as error:
        told = placed(error.to_dict()["error"], data.names())
        assert told["code"] == case.code
        text = " ".join(str(told[part]) for part in ("message", "where", "hint"))
        assert str(tmp_path) not in text
        if told["where"] is not None and "file" in told["where"]:
            assert told["where"]["file"] == data.name
    else:
        assert case.code is None


@pytest.mark.parametrize("case", PARAMETERS, ids=str)
def test_parameters(case: Case, tmp_path: Path) -> None:
    assert case.command is not None
    method, fields = case.command[0], told_by(case.command[2:])
    for flag in (*ROLES, "hierarchy", "seed"):
        fields.pop(flag, None)
    if method == "hide":
        fields["patterns"] = "beer, diapers"
    layout = "table" if method == "bucketize" else "baskets"
    data = DataSet("0", "data", tmp_path, str(tmp_path / "data.csv"), 1, layout)
    with pytest.raises(TacitError) as caught:
        forms.recipe(data, method, fields)
    assert caught.value.code == case.code
    assert forms.field_of(caught.value.to_dict()["error"]) in fields
