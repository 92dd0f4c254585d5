"""The exception tree: codes, exit codes, messages that say the place and the next step."""

from __future__ import annotations

import json
import pickle

import pytest

import tacit
from tacit.errors import Cancelled, InputError, ParameterError, Place, TacitError, missing_extra

EXIT_CODES = {
    "UsageError": 2,
    "ParameterError": 2,
    "InputError": 3,
    "InfeasibleError": 4,
    "LimitError": 9,
    "ResourceError": 5,
    "OutputError": 6,
    "VerificationError": 7,
    "Cancelled": 130,
}


@pytest.mark.parametrize(("name", "code"), EXIT_CODES.items())
def test_every_class_has_its_exit_code(name: str, code: int) -> None:
    kind = getattr(tacit, name)
    assert issubclass(kind, TacitError)
    assert kind.exit_code == code


def test_the_parameter_sentence_is_one_sentence_everywhere() -> None:
    error = ParameterError("k", "generalize", "an int in the range [2, inf)", 1)
    assert str(error) == (
        "The 'k' parameter of generalize must be an int in the range [2, inf). Got 1 instead."
    )


def test_an_error_says_the_place_and_the_next_step() -> None:
    place = Place(file="a.csv", line=3, column="age", value="x" * 100)
    error = InputError("This is not a number.", code="not-a-number", where=place, hint="Write digits.")
    text = str(error)
    assert text.startswith("a.csv, line 3, column 'age', value '")
    assert "…" in text and len(text) < 160
    assert text.endswith("This is not a number. Write digits.")
    assert json.loads(json.dumps(error.to_dict())) == {
        "error": {
            "code": "not-a-number",
            "message": "This is not a number.",
            "option": None,
            "value": None,
            "where": {"file": "a.csv", "line": 3, "column": "age", "value": "x" * 100},
            "hint": "Write digits.",
        }
    }


@pytest.mark.parametrize(
    "error",
    [
        ParameterError("k", "generalize", "an int", 1),
        InputError("Bad.", code="bad", where=Place(line=1)),
        Cancelled(),
        missing_extra("duckdb", "duckdb", "Reading this"),
    ],
)
def test_errors_cross_process_borders_whole(error: TacitError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert copy.to_dict() == error.to_dict()
