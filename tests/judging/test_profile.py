"""Profiles: k, ℓ and t by the definitions, and guessed roles."""

from __future__ import annotations

import json
import shlex
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest

from tacit.data.table import table_from_frame
from tacit.judging.profile import profile_table
from tacit.showing.layout import as_text
from tacit.surface.cli import main
from tests.strategies.tables import small_table


def test_the_figures_are_those_of_the_definitions() -> None:
    for seed in range(300):
        small = small_table(seed)
        found = profile_table(small.table)
        classes = defaultdict(list)
        for row in small.rows:
            classes[tuple(row[name] for name in small.trees)].append(row["s"])
        n = len(small.rows)
        whole = Counter(row["s"] for row in small.rows)
        farthest = max(
            sum(
                abs(Fraction(held.count(value), len(held)) - Fraction(total, n))
                for value, total in whole.items()
            )
            / 2
            for held in classes.values()
        )
        assert found.combinations == len(classes)
        assert found.k == min(len(held) for held in classes.values())
        assert found.l == min(len(set(held)) for held in classes.values())
        assert found.t == pytest.approx(float(farthest))
        assert found.unique_share == pytest.approx(sum(len(held) == 1 for held in classes.values()) / n)


def test_roles_are_guessed_by_name_and_by_content() -> None:
    frame = pl.DataFrame(
        {
            "patient_id": [str(place) for place in range(40)],
            "token": [f"t{place}" for place in range(40)],
            "birthDate": ["1970", "1980"] * 20,
            "zip": ["1", "2", "3", "4"] * 10,
            "diagnosis": ["flu", "cold"] * 20,
            "ward": ["A"] * 40,
        }
    )
    roles = {column.name: column.role for column in profile_table(table_from_frame(frame)).columns}
    assert roles == {
        "patient_id": "identifier",
        "token": "identifier",
        "birthDate": "quasi",
        "zip": "quasi",
        "diagnosis": "sensitive",
        "ward": "none",
    }


def test_without_a_telling_name_no_column_is_taken_as_sensitive() -> None:
    values = {"age": ["1", "2"], "x": ["a", "b"], "whole": ["e", "e"], "y": ["c", "d"]}
    found = profile_table(table_from_frame(pl.DataFrame({name: two * 4 for name, two in values.items()})))
    assert (found.quasi, found.sensitive, found.l) == (("age",), (), None)
    assert found.may_be_sensitive == ("y", "x")
    assert found.bound_command is not None
    assert "--sensitive COLUMN -l 2 " in found.bound_command  # both have two values
    assert "--sensitive" not in found.next_command  # k alone needs none
    assert "Nothing tells which column is sensitive; it may be y or x." in as_text(found)


def test_a_column_that_is_sensitive_by_its_name_is_thought_of_first_where_others_have_roles() -> None:
    frame = pl.DataFrame({"age": ["1", "2"] * 4, "disease": ["flu", "cold"] * 4, "y": ["c", "d"] * 4})
    found = profile_table(table_from_frame(frame, quasi="age"))
    assert (found.sensitive, found.may_be_sensitive) == ((), ("disease",))
    assert profile_table(table_from_frame(frame)).may_be_sensitive == ()


def test_the_l_to_begin_with_is_three_where_there_are_three_values() -> None:
    frame = pl.DataFrame({"age": ["1", "2"] * 3, "disease": ["flu", "cold", "ulcer"] * 2})
    assert "--sensitive disease -l 3 " in profile_table(table_from_frame(frame)).next_command


def test_the_l_to_begin_with_is_said_to_be_a_try() -> None:
    """Rules may make it too large, and they are not mined for a profile."""
    frame = pl.DataFrame({"age": ["1", "2"] * 9, "disease": ["a", "b", "c"] * 6})
    text = " ".join(as_text(profile_table(table_from_frame(frame))).split())
    assert "The ℓ below (-l) is one to try" in text
    assert "one to try" not in as_text(profile_table(table_from_frame(frame.select("age"))))


def test_given_roles_are_not_guessed_over() -> None:
    frame = pl.DataFrame({"age": ["1", "2"], "disease": ["flu", "cold"], "x": ["a", "b"]})
    found = profile_table(table_from_frame(frame, quasi="x", sensitive="age"))
    assert (found.quasi, found.sensitive) == (("x",), ("age",))
    assert {column.name: column.role for column in found.columns}["disease"] == "none"


def test_a_table_without_quasi_identifiers_has_no_figures() -> None:
    found = profile_table(table_from_frame(pl.DataFrame({"a": ["x", "x"]})))
    assert found.k is None and found.l is None and found.unique_share is None


def test_roles_are_guessed_in_other_languages() -> None:
    names = ("Geschlecht", "PLZ", "Krankheit", "Année de naissance", "código", "Ciudad")
    names += ("État civil", "Pathologie", "Gesundheitszustand", "dx", "infection", "Personalnummer")
    frame = pl.DataFrame({name: ["a", "b"] * 3 for name in names})
    roles = [column.role for column in profile_table(table_from_frame(frame)).columns]
    assert roles[:6] == ["quasi", "quasi", "sensitive", "quasi", "none", "quasi"]
    assert roles[6:] == ["quasi", "sensitive", "sensitive", "sensitive", "sensitive", "identifier"]


def test_names_and_numbers_of_people_are_known_in_other_languages() -> None:
    names = ("Achternaam", "Voornaam", "BSN", "NHC", "codice_fiscale")
    frame = pl.DataFrame({name: ["a", "b"] * 3 for name in names})
    assert profile_table(table_from_frame(frame)).identifiers == names


def test_roles_are_guessed_by_stems_and_by_values() -> None:
    columns = {
        "educcat": "abc", "maritalcat": "abc", "votetrump": "abc", "famincr": "abc", "Geburtsmonat": "abc",
        "raceable": "abc", "aged": "abc", "when": ["2020-05-17", "2021-01-02", "1999-12-31"],
        "v7": ["M", "F", "m"], "v8": ["01.02.2020", "31.12.1999", "05.05.2005"], "v9": ["M", "F", "K"],
    }  # fmt: skip
    frame = pl.DataFrame({name: list(values) * 9 for name, values in columns.items()})
    found = {
        column.name: (column.role, column.why) for column in profile_table(table_from_frame(frame)).columns
    }
    named = {name for name, (_, why) in found.items() if why == "by its name"}
    assert named == {"educcat", "maritalcat", "votetrump", "Geburtsmonat", "raceable"}
    assert found["when"] == found["v8"] == ("quasi", "its values are dates")
    assert found["v7"] == ("quasi", "its values are sexes")
    assert found["votetrump"][0] == "sensitive"
    assert found["famincr"][0] == found["aged"][0] == found["v9"][0] == "none"


def test_a_weight_of_a_survey_is_nothing_that_readers_know() -> None:
    around = {"weight": [f"{0.5 + n / 50:.2f}" for n in range(50)]}
    kilograms = {"weight": [f"{50 + n / 2:.1f}" for n in range(50)]}
    whole = {"weight": ["1", "2", "1", "1", "0"] * 10}
    found = [profile_table(table_from_frame(pl.DataFrame(one))) for one in (around, kilograms, whole)]
    assert [one.columns[0].role for one in found] == ["none", "quasi", "quasi"]


@pytest.mark.parametrize("name", ["Hauptdiagnose", "Nebendiagnosen", "Vorerkrankung", "Jahreseinkommen"])
def test_german_words_of_several_are_sensitive_by_what_they_end_with(name: str) -> None:
    assert profile_table(table_from_frame(pl.DataFrame({name: ["a", "b"] * 9}))).sensitive == (name,)


def test_amounts_are_neither_identifiers_nor_people() -> None:
    paid = [f"{100 + n // 2}.{n // 2 % 10}" for n in range(60)]
    columns = {
        "age": ["1", "2"] * 30,
        "account_balance": paid,
        "term": [str(36 * (n // 2 % 2)) for n in range(60)],
    }
    found = profile_table(table_from_frame(pl.DataFrame(columns)))
    assert (found.identifiers, "--person" in found.next_command) == ((), False)


def test_it_is_said_which_columns_no_release_will_have() -> None:
    frame = pl.DataFrame({"age": ["1", "2"] * 30, "x": ["a", "b"] * 30})
    text = " ".join(as_text(profile_table(table_from_frame(frame))).split())
    assert "unless you give them one (--quasi, --sensitive, --keep): 'x'." in text


ORDERS = {
    "InvoiceNo": ["1", "1", "1", "2", "2", "3", "3", "3"],
    "StockCode": ["a", "b", "c", "a", "c", "b", "c", "d"],
    "CustomerID": ["7", "7", "7", "8", "8", "7", "7", "7"],
    "Country": ["FR"] * 8,
}


def test_a_list_of_items_is_noticed() -> None:
    found = profile_table(table_from_frame(pl.DataFrame(ORDERS)))
    assert found.long_form is not None
    assert (found.long_form.record, found.long_form.item) == ("InvoiceNo", "StockCode")
    assert found.method == "generalize"
    assert found.next_command == "tacit profile DATA --record InvoiceNo --item StockCode"


def test_receipts_with_a_day_are_a_list_and_with_more_may_be_one() -> None:
    receipts = [number for number in range(90) for _ in range(3)]
    frame = pl.DataFrame(
        {
            "receipt": [f"R{number}" for number in receipts],
            "product": [f"p{(number + 7 * place) % 13}" for place, number in enumerate(receipts)],
            "day": [f"2026-03-{1 + number % 9:02}" for number in receipts],
        }
    )
    found = profile_table(table_from_frame(frame))
    assert (found.person, found.next_command) == (None, "tacit profile DATA --record receipt --item product")
    known = frame.with_columns(age=pl.col("receipt").str.tail(-1).cast(pl.Int32) % 40)
    found = profile_table(table_from_frame(known))
    assert found.long_form is None and found.person == "receipt"
    assert any("--record receipt" in note and "--item product" in note for note in found.notes)
    buyers = frame.with_columns(customer=pl.col("receipt").str.tail(-1).cast(pl.Int32) // 2)
    found = profile_table(table_from_frame(buyers))  # who have several receipts each
    assert found.person == "customer" and any("--record receipt" in note for note in found.notes)
    people = profile_table(table_from_frame(known.rename({"receipt": "patient", "product": "drug"})))
    assert people.person == "patient" and not any("--record" in note for note in people.notes)


@pytest.mark.parametrize(
    "change",
    [
        {"InvoiceNo": list("12345678")},  # a line each
        {"StockCode": ["a"] * 8},  # the same item again and again
        {"StockCode": list("abcdefgh")},  # an item is never seen twice
        {"InvoiceNo": ORDERS["Country"], "CustomerID": ORDERS["Country"]},
    ],
)
def test_other_tables_are_not_taken_for_lists(change: dict[str, list[str]]) -> None:
    assert profile_table(table_from_frame(pl.DataFrame(ORDERS | change))).long_form is None


def test_given_roles_end_the_guessing() -> None:
    table = table_from_frame(pl.DataFrame(ORDERS), quasi="Country", sensitive="StockCode")
    assert profile_table(table).long_form is None


def test_a_column_of_one_value_tells_nothing_whatever_its_name() -> None:
    frame = pl.DataFrame({"age": ["30"] * 50, "weight": ["1.0"] * 50, "sex": ["f", "m"] * 25})
    guessed = {one.name: one.role for one in profile_table(table_from_frame(frame)).columns}
    assert guessed == {"age": "none", "weight": "none", "sex": "quasi"}


def test_people_are_counted_where_several_rows_are_one_persons() -> None:
    """Two rows each: no row is alone with its sex and year, and every second person is."""
    people = range(60)
    frame = pl.DataFrame(
        {
            "id": [str(person) for person in people for _ in range(2)],
            "sex": ["fm"[person % 2] for person in people for _ in range(2)],
            "born": [str(1900 + (person // 2 if person % 2 else 0)) for person in people for _ in range(2)],
        }
    )
    found = profile_table(table_from_frame(frame))
    assert (found.person, found.k, found.unique_share) == ("id", 1, 0.5)
    assert "people alone with theirs  50.0 %" in as_text(found)
    alone = profile_table(table_from_frame(frame.unique("id")))
    assert (alone.person, alone.k, alone.unique_share) == (None, 1, 0.5)


def test_first_names_tell_nobody_apart() -> None:
    names = [f"name {place % 40}" for place in range(200)]
    frame = pl.DataFrame({"first_name": names, "sex": ["fm"[int(name[5:]) % 2] for name in names]})
    found = profile_table(table_from_frame(frame))
    assert found.person is None and not found.notes
    assert profile_table(table_from_frame(frame.rename({"first_name": "patient"}))).person == "patient"


def test_a_missing_value_is_not_counted_among_the_different_ones() -> None:
    columns = profile_table(table_from_frame(pl.DataFrame({"sex": ["f", "m", None, "f"]}))).columns
    assert (columns[0].distinct, columns[0].nulls) == (2, 1)


def test_the_next_command_folds_values_that_would_be_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "runs.csv"
    data.write_text("city,sex\n" + "ALTOONA,f\nAltoona,m\nBoyd,f\n" * 20)
    for typed, wanted in (("", " --twins fold"), ("--twins keep", " --twins keep")):
        assert main(["profile", str(data), "--json", *typed.split()]) == 0
        command = json.loads(capsys.readouterr().out)["next_command"]
        assert command.endswith(wanted) and command.count("--twins") == 1
        words = shlex.split(command)[1:-4]  # without -o, which publishes
        assert main([*words, *wanted.split()]) == 0
        capsys.readouterr()
