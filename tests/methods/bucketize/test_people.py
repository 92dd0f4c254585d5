"""Several rows of one person: what is promised to rows is promised to people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit.data.table import Table, table_from_frame
from tacit.errors import InfeasibleError, InputError, UsageError
from tacit.io.samples import load_sample
from tacit.judging.people import one_row_per_person, people_notes, person_of, series_notes
from tacit.judging.profile import profile_table
from tacit.methods.bucketize.release import BucketizedRelease
from tacit.methods.bucketize.verb import bucketize
from tacit.methods.generalize_tables.verb import generalize
from tacit.mining.verbs import mine_negative_rules
from tacit_verify.verifying import verify
from tests.keys import secret_key
from tests.methods.bucketize.releases import write

KEY = secret_key(7)


def visits(seed: int = 0, people: int = 300) -> pl.DataFrame:
    """Visits of people with a chronic disease: it is the same at every visit, and so is their sex."""
    generator = np.random.Generator(np.random.PCG64(seed))
    times = generator.integers(1, 6, people)
    who = np.repeat(np.arange(people), times)
    frame = pl.DataFrame(
        {
            "patient": [f"p{number:03}" for number in who],
            "sex": [["f", "m"][code] for code in generator.integers(0, 2, people)[who]],
            "month": [f"{code:02}" for code in generator.integers(1, 13, len(who))],
            "disease": [f"d{code}" for code in generator.integers(0, 8, people)[who]],
        }
    )
    return frame.sample(fraction=1, shuffle=True, seed=seed)


def table(frame: pl.DataFrame) -> Table:
    return table_from_frame(frame, quasi=["sex", "month"], sensitive="disease")


def candidates(frame: pl.DataFrame, release: BucketizedRelease) -> dict[str, int]:
    """How many diseases each person could have for a reader who knows their rows, and that it is one."""
    groups = pl.Series("group", release.bucketized.groups)  # type: ignore[attr-defined]
    published = frame.with_columns(groups).filter(pl.col("group") > 0)
    held = release.published()["st"].group_by("group").agg(pl.col("disease").unique())
    held = held.with_columns(pl.col("group").cast(pl.Int32))
    each = published.join(held, on="group", suffix="_all").group_by("patient").agg("disease_all")
    return {who: len(set.intersection(*map(set, lists))) for who, lists in each.iter_rows()}


def test_rows_of_one_person_do_not_narrow_each_other() -> None:
    frame = visits()
    naive = bucketize(table(frame), l=3, key=KEY)
    assert min(candidates(frame, naive).values()) == 1  # what a promise to rows is worth
    release = bucketize(table(frame), l=3, key=KEY, person="patient")
    drawn = release.original.drawn
    assert drawn is not None
    left = candidates(frame[drawn.rows], release)
    assert len(left) == frame["patient"].n_unique() == len(release.original)
    assert min(left.values()) >= 3


def test_the_release_says_so_and_verifies_against_the_original(tmp_path: Path) -> None:
    frame = visits()
    release = bucketize(table(frame), l=3, key=KEY, person="patient")
    folder = write(release, tmp_path / "out")
    frame.write_csv(tmp_path / "original.csv")
    assert [check for check in verify(folder, tmp_path / "original.csv") if check.ok is False] == []
    said = {check.name: check.detail for check in verify(folder, tmp_path / "original.csv")}
    others = len(frame) - 300
    assert f"{others} may: other rows of people there already" in said["rules and the original"]
    assert f"{others} need none: they are left out" in said["groups and the original"]
    assert {check.name for check in verify(folder) if check.ok is None} == {"people", "silence"}
    assert release.manifest.parameters["other_rows"] == others
    assert release.manifest.promise_words.startswith("Every person could have at least 3 ")
    assert "patient" not in (folder / "qit.csv").read_text() + json.dumps(release.manifest.parameters)


def test_the_row_of_a_person_is_drawn_by_the_key_and_not_by_the_order_of_rows() -> None:
    frame = visits()
    shuffled = frame.sample(fraction=1, shuffle=True, seed=5)

    def drawn(rows: pl.DataFrame, seed: int) -> list[tuple[object, ...]]:
        made = one_row_per_person(table(rows), "patient", secret_key(seed))
        return sorted(made.to_polars().iter_rows())

    assert drawn(frame, 1) == drawn(shuffled, 1) != drawn(frame, 2)


def test_which_row_is_drawn_says_nothing_about_its_value() -> None:
    """Of two rows with the values a and b each is drawn for about half of the people, whatever the order."""
    frame = pl.DataFrame(
        {
            "who": [f"p{number // 2}" for number in range(4000)],
            "sex": ["f", "m"] * 2000,
            "s": ["a", "b"] * 2000,
        }
    )
    data = table_from_frame(frame, quasi=["sex"], sensitive="s")
    share = (one_row_per_person(data, "who", KEY).to_polars()["s"] == "a").mean()
    assert isinstance(share, float) and abs(share - 0.5) < 0.04


@pytest.mark.parametrize(
    ("person", "code"),
    [("sex", "person-published"), ("disease", "person-published"), ("who", "unknown-column")],
)
def test_a_column_that_cannot_tell_people_apart_is_refused(person: str, code: str) -> None:
    with pytest.raises(UsageError) as refused:
        bucketize(table(visits()), l=3, key=KEY, person=person)
    assert refused.value.code == code


def test_rows_without_a_person_are_refused() -> None:
    frame = visits().with_columns(pl.when(pl.col("patient") != "p007").then("patient").alias("patient"))
    with pytest.raises(InputError, match="whose they are"):
        bucketize(table(frame), l=3, key=KEY, person="patient")


def test_a_profile_notices_a_column_that_repeats_like_a_person(public_data: Path) -> None:
    frame = visits()
    for roles in ({}, {"quasi": ["sex", "month"], "sensitive": "disease"}):
        found = profile_table(table_from_frame(frame, **roles))
        assert any("--person patient" in note for note in found.notes)
        assert "--person patient" in found.next_command and "--drop patient" not in found.next_command
    for harmless in ("hospital", "adult"):
        sample = load_sample(harmless)
        assert isinstance(sample, Table)
        for table_ in (
            sample,
            table_from_frame(sample.to_frame("polars")),
        ):  # with roles, and as a stranger has it
            found = profile_table(table_)
            assert "--person" not in found.next_command
            assert not any("--person" in note for note in found.notes)


@pytest.mark.parametrize("reading", [{}, {"identifiers": "patient"}], ids=["without a role", "dropped"])
def test_whoever_leaves_the_number_of_people_out_is_told(reading: dict[str, str]) -> None:
    """The number of people may be dropped or have no role: the rows are still theirs."""
    seen = table_from_frame(visits(), quasi="sex,month", sensitive="disease", **reading)
    (note,) = people_notes(seen, None)
    assert "'patient'" in note and "--person patient" in note
    assert ("do not drop it" in note) == bool(reading)
    assert people_notes(seen, "patient") == ()
    assert profile_table(seen).person == "patient"
    taken = seen.take(np.arange(len(seen)) % 2 == 0)  # as where rows are left out for a missing value
    assert [len(column) for column in taken.dropped] == [len(taken)] * len(reading)


def test_a_number_of_people_is_known_by_its_name_where_all_else_changes() -> None:
    frame = visits().drop("sex")
    seen = table_from_frame(frame, quasi="month", sensitive="disease", identifiers="patient")
    assert person_of(seen) == "patient"
    wards = frame.with_columns(pl.col("patient").alias("patient_ward")).drop("patient")
    assert person_of(table_from_frame(wards, quasi="month", sensitive="disease")) is None


@pytest.mark.parametrize(
    "name",
    [
        "Patienten-Nr",
        "Pat.-Nr.",
        "PatNr",
        "Kundennummer",
        "KdNr",
        "Versichertennummer",
        "Krankenversichertennr",
        "Mitglieds-ID",
        "Schüler-Nummer",
        "Matrikelnummer",
        "Personal-Nr.",
        "participant_id",
        "userID",
    ],
)
def test_people_are_numbered_in_german_too(name: str) -> None:
    frame = visits().drop("sex").rename({"patient": name})
    found = profile_table(table_from_frame(frame))
    assert (found.person, found.columns[frame.columns.index(name)].role) == (name, "identifier")
    assert person_of(table_from_frame(frame, quasi="month", sensitive="disease")) == name


@pytest.mark.parametrize("name", ["Fallnummer", "Fall-Nr.", "Kundenkarte", "Belegnr", "Nr", "Personalbedarf"])
def test_a_number_of_something_else_is_none_of_people(name: str) -> None:
    frame = visits().drop("sex").rename({"patient": name})
    assert person_of(table_from_frame(frame, quasi="month", sensitive="disease")) is None


def test_a_column_repeats_like_people_where_values_are_missing_here_and_there() -> None:
    """A tenth of the sexes is missing, whoever the row is of: what is there agrees."""
    gaps = pl.int_range(pl.len()) % 10 == 3
    frame = visits().with_columns(sex=pl.when(~gaps).then("sex")).rename({"patient": "Nr"})
    assert person_of(table_from_frame(frame, quasi="sex,month", sensitive="disease")) == "Nr"
    shuffled = frame.with_columns(pl.col("sex").shuffle(seed=1))
    assert person_of(table_from_frame(shuffled, quasi="sex,month", sensitive="disease")) is None


def test_a_dropped_column_cannot_draw_one_row_of_each_person() -> None:
    seen = table_from_frame(visits(), quasi="sex,month", sensitive="disease", identifiers="patient")
    with pytest.raises(UsageError) as refused:
        bucketize(seen, l=3, key=KEY, person="patient")
    assert refused.value.code == "person-dropped" and "Do not drop it" in str(refused.value.hint)


def test_rules_of_one_row_of_each_person_are_stated_as_such() -> None:
    """Men have no d1 but for one row of one man: a rule that holds for the row of each that is published."""
    frame = visits(people=600).sort("patient")
    man = frame.filter(pl.col("sex") == "m")["patient"].mode().sort()[0]
    frame = frame.with_columns(
        disease=pl.when((pl.col("patient") == man) & (pl.col("patient").cum_count().over("patient") == 1))
        .then(pl.lit("d1"))
        .when((pl.col("sex") == "m") & (pl.col("disease") == "d1"))
        .then(pl.lit("d2"))
        .otherwise("disease")
    )
    assert not len(mine_negative_rules(table(frame)))
    exact = bucketize(table(frame), l=2, key=KEY, person="patient")
    coarser = generalize(table(frame), k=3, l=2, key=KEY, person="patient")
    assert exact.manifest.reader["rules"] and not coarser.manifest.reader["rules"]
    for release in (exact, coarser):
        assert "other rows may break them" in release.manifest.reader_words
    assert "other rows" not in bucketize(table(frame), l=2, key=KEY).manifest.reader_words


def test_namesakes_with_a_number_of_their_own_are_not_one_person() -> None:
    """A name tells the sex, so rows of one name agree in it like rows of one person."""
    frame = visits()
    numbered = frame.rename({"patient": "name"}).with_columns(patient_id=pl.int_range(pl.len()) + 10_000)
    assert "--person name" in profile_table(table_from_frame(numbered.drop("patient_id"))).next_command
    assert "--person" not in profile_table(table_from_frame(numbered)).next_command
    visited = frame.with_columns(visit_id=pl.int_range(pl.len()) + 10_000)
    assert "--person patient" in profile_table(table_from_frame(visited)).next_command


def test_a_release_that_teaches_too_much_is_refused() -> None:
    sample = load_sample("hospital").with_roles(keep=("ward",))
    rules = mine_negative_rules(sample, min_expectation=0.99)  # type: ignore[arg-type]
    wish = {"l": 3, "key": KEY, "accept": {"ward": "measured here"}, "knowledge": rules}
    release = bucketize(sample, max_learned=0.99, **wish)  # type: ignore[arg-type]
    assert release.manifest.parameters["max_learned"] == "0.99"
    risks = release.risk().release
    assert risks.learning is not None and risks.rule_guesses is not None
    surest = [one.surest[0] for one in (risks.learning, risks.rule_guesses)]
    assert {(one.share, one.people) for one in surest} == {(0.01, 100)}
    assert max(one.right for one in surest) > 0.5
    with pytest.raises(InfeasibleError, match="100 people it is surest about") as refused:
        bucketize(sample, max_learned=0.5, **wish)  # type: ignore[arg-type]
    assert refused.value.code == "infeasible-max_learned"


def test_the_surest_are_everybody_in_a_small_table_and_never_fewer_than_a_hundred() -> None:
    for rows, people in ((60, [60, 60, 60]), (400, [100, 100, 100]), (3000, [100, 150, 300])):
        release = bucketize(load_sample(f"hospital:{rows}"), l=2, key=KEY)  # type: ignore[arg-type]
        learned = release.risk().release.learning
        assert learned is not None and [one.people for one in learned.surest] == people
        if rows == 60:
            assert learned.surest[0].right == pytest.approx(learned.accuracy)
        stated = release.complete().manifest.risks["learning"]["surest"]
        classes = [None] if rows == 60 else ["below 0.6", "0.6 to 0.9", "above 0.9"]
        assert all(one["right"] in classes for one in stated)


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"person": "patient", "after": None, "partners": "areas"}, "--partners signatures"),
        ({"person": "patient", "after": None, "recoding": "local"}, "--recoding subtree"),
        ({"person": "patient", "after": None, "partners": "signatures"}, None),
        ({"person": "patient", "after": None, "recoding": "global"}, None),
        ({"person": "patient", "after": "out/before", "recoding": "subtree"}, None),
        ({"person": None, "after": None, "recoding": "local"}, None),
        ({"person": "patient", "after": None}, None),  # sets begin one by naming people alone
    ],
)
def test_who_names_people_is_told_how_a_series_begins(asked: dict[str, Any], named: str | None) -> None:
    table = table_from_frame(pl.DataFrame({"patient": ["p1", "p2"]}))
    notes = [str(note) for note in series_notes(asked, table)]
    assert [named in note for note in notes if named] == ([True] if named else [])
    assert bool(notes) == bool(named)


def test_who_has_several_rows_is_told_that_a_series_would_end_there() -> None:
    table = table_from_frame(pl.DataFrame({"patient": ["p1", "p2", "p1"]}))
    asked = {"person": "patient", "after": None, "recoding": "subtree"}
    assert [str(note).startswith("Later releases") for note in series_notes(asked, table)] == [True]
    assert [*series_notes({**asked, "after": "out/before"}, table)] == []
