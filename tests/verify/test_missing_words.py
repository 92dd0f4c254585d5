"""Words for missing values: what stewards write is taken, and what could carry data is not, on both sides."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.data.settling import check_words
from tacit.errors import UsageError
from tacit_verify.terms import missing, usual
from tests.cases import cases

TAKEN = [
    *(
        "NA",
        "N/A",
        "n/a",
        "#N/A",
        "NaN",
        "-nan",
        "NULL",
        "None",
        "nil",
        "?",
        "??",
        "-",
        "--",
        ".",
        "*",
        "",
        " ",
    ),
    *("<NA>", "(missing)", "Missing", "unknown", "Not stated", "not applicable", "No answer", "Don't know"),
    *("refused to answer", "k.A.", "k. A.", "keine Angabe", "unbekannt", "non renseigné", "sin datos", "s/d"),
    *("0", "-1", "-9", "9", "97", "98", "99", "-99", "777", "888", "996", "9998", "99999", "-999.0", "99.9"),
    *("1900-01-01", "9999-12-31", "01.01.1900", "31.12.9999", "12/31/9999", "1900-01-01 00:00:00"),
    *("#DIV/0!", "#VALUE!", "#REF!", "不明", "nezjištěno"),
]
REFUSED = [
    "Zaphod has it",
    "Zaphod Beeble",
    "Zaphod42",
    "12345",
    "1987-03-12",
    "NA\u200b",
    "x" * 13,
    "not " * 5,
]


def taken(words: list[str]) -> bool:
    try:
        return check_words(words) == tuple(words)
    except UsageError as error:
        assert error.code == "null-values"
        return False


def verified(words: list[str]) -> bool:
    few = len({*words}) <= 20 and sum(not usual(word) for word in {*words}) <= 3
    return few and all(map(missing, words))


@pytest.mark.parametrize("word", TAKEN)
def test_what_stewards_write_is_taken(word: str) -> None:
    assert taken([word]) and verified([word])


@pytest.mark.parametrize("word", REFUSED)
def test_what_could_be_data_is_refused(word: str) -> None:
    assert not taken([word]) and not verified([word])


def test_there_are_few_words() -> None:
    assert taken(["Zaphod", "Ford", "Arthur", "NA"]) and not taken(["Zaphod", "Ford", "Arthur", "Tricia"])
    codes = [f"-{number}" for number in (*range(10), *range(90, 100))]
    assert taken(codes) and verified(codes)
    assert not taken([*codes, "999"]) and not verified([*codes, "999"])
    assert taken(codes * 2)


@settings(max_examples=cases(600), deadline=None)
@given(
    st.lists(
        st.text(st.sampled_from("aNno /.#-9180\u200bé?T:_not data")) | st.sampled_from(TAKEN), max_size=5
    )
)
def test_tool_and_verifier_agree(words: list[str]) -> None:
    assert taken(words) == verified(words)


def test_reading_refuses_a_sentence(tmp_path) -> None:  # type: ignore[no-untyped-def]
    frame = pl.DataFrame({"age": ["30", "NA"]})
    assert tacit.table_from_frame(frame, quasi="age", null_values="NA").column("age").texts == ["30", None]
    frame.write_csv(tmp_path / "p.csv")
    for read, source in ((tacit.table_from_frame, frame), (tacit.read_table, tmp_path / "p.csv")):
        with pytest.raises(UsageError, match="Zaphod has it"):
            read(source, quasi="age", null_values="NA, Zaphod has it")  # type: ignore[operator]
