"""Standards: each is data with a source, and tables around its thresholds pass or fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.errors import TacitError
from tacit.judging.people import people_notes
from tacit.judging.risk.cells import cells_of
from tacit.judging.risk.standards import all_standards, find_standards
from tacit.random.key import Key
from tacit.surface.cli import main


def people(sizes: list[int], **more: list[Any]) -> tacit.Table:
    """A table with classes of these sizes."""
    frame = pl.DataFrame(
        {"age": [30 + place for place, size in enumerate(sizes) for _ in range(size)], **more}
    )
    return tacit.table_from_frame(frame, quasi="age", sensitive=list(more))


def verdict(table: tacit.Table, name: str, **options: Any) -> bool:
    return tacit.risk(table, standard=name, **options).ok


def test_every_standard_has_a_source_a_date_and_says_what_it_does_not_ask() -> None:
    for standard in all_standards():
        assert standard.source and standard.url and standard.date and standard.does_not_ask
        assert standard.seen == "whole" or standard.note
        told = json.dumps(standard.to_dict(), ensure_ascii=False).lower()
        assert "anonymous" not in told


def test_thresholds_are_exact() -> None:
    assert verdict(people([11, 12]), "ema-0070") and not verdict(people([10, 12]), "ema-0070")
    assert not verdict(people([5], s=["x"] * 5), "cdc-covid")
    assert verdict(people([5], s=["x", "x", "x", "x", "y"]), "cdc-covid")
    assert verdict(people([11]), "cms-11") and not verdict(people([10]), "cms-11")
    assert verdict(people([40]), "hdx-3", sampling=0.5) and not verdict(people([2]), "hdx-3", sampling=0.5)


def test_a_pass_of_rows_says_so() -> None:
    """Nobody said whose the rows are: the standard speaks of people."""
    found = tacit.risk(people([11, 12]), standard="ema-0070").standards[0]
    assert found.ok and found.verdict == "passes against ema-0070 if every row is another person's"
    assert tacit.risk(people([10]), standard="ema-0070").standards[0].verdict == "fails against ema-0070"
    columns = tacit.risk(people([11]), standard="hipaa-safe-harbor").standards[0]  # which asks of no class
    assert columns.verdict == "passes against hipaa-safe-harbor"
    told = people([11, 12]).to_polars().with_row_index("patient")
    stated = tacit.risk(tacit.table_from_frame(told, quasi="age"), standard="ema-0070", person="patient")
    assert stated.standards[0].verdict == "passes against ema-0070"


@pytest.mark.parametrize("named", [False, True], ids=["rows", "people"])
@pytest.mark.parametrize("method", ["generalize", "bucketize"])
def test_a_release_is_judged_by_whom_its_manifest_promises(tmp_path: Path, method: str, named: bool) -> None:
    """Four rows of each of 100 people: eleven rows alike may be three people's."""
    rows = [(f"p{row // 4}", "mf"[row // 4 % 2], f"d{(row // 4 + row % 4) % 5}") for row in range(400)]
    frame = pl.DataFrame(rows, schema=["Patienten-Nr", "sex", "disease"], orient="row")
    table = tacit.table_from_frame(frame, quasi="sex", sensitive="disease")
    options = {"k": 11} if method == "generalize" else {"l": 3}
    person = {"person": "Patienten-Nr"} if named else {}
    release = getattr(tacit, method)(table, key=Key.from_seed(1), **options, **person)
    release.save(tmp_path / "out")
    assert ("several_rows" in release.manifest.parameters) != named
    (found,) = tacit.risk(tmp_path / "out", standard="ema-0070").standards
    if named:
        assert found.verdict == "passes against ema-0070"
    else:
        assert found.verdict == "not judged against ema-0070"
        assert "several are one person's" in found.found[0].why


def test_what_cannot_be_judged_passes_nothing() -> None:
    found = tacit.risk(people([40]), standard="hdx-3")  # neither population nor sampling fraction
    assert not found.ok and found.standards[0].found[0].ok is None
    assert "sampling" in found.standards[0].found[0].why


@given(st.lists(st.tuples(*(st.integers(0, 3),) * 2, st.sampled_from("xyz")), min_size=1, max_size=25))
def test_people_are_counted_once_whatever_classes_they_are_in(rows: list[tuple[int, int, str]]) -> None:
    names = ["who", "age", "s"]
    frame = pl.DataFrame([(f"p{who}", age, value) for who, age, value in rows], schema=names, orient="row")
    found = tacit.risk(tacit.table_from_frame(frame, quasi="age", sensitive="s"), person="who")
    classes = {age: {who for who, other, _ in rows if other == age} for _, age, _ in rows}
    everybody = {who for who, _, _ in rows}
    worst = {who: min(len(held) for held in classes.values() if who in held) for who in everybody}
    assert found.figure("k").people == sum(size == found["k"] for size in worst.values())
    assert found["unique"] == sum(size == 1 for size in worst.values()) / len(everybody)
    assert found["pk5"] == found.figure("pk5").share == 1  # four people are there at most
    assert found["prosecutor_average"] == pytest.approx(
        sum(1 / size for size in worst.values()) / len(everybody)
    )
    different = {age: {value for _, other, value in rows if other == age} for age in classes}
    fewest = [classes[age] for age, held in different.items() if len(held) == found["l"]]
    assert found.figure("l").people == len(set.union(*fewest))


def test_rows_of_one_person_are_no_crowd() -> None:
    """Twelve rows of each of twenty people: a class of twelve rows is one person's."""
    frame = pl.DataFrame(
        [(f"p{row // 12}", "mf"[row // 12 % 2], 30 + row // 12) for row in range(240)],
        schema=["patient_id", "sex", "age"],
        orient="row",
    )
    for standard in ("ema-0070", "cms-11"):
        found = tacit.risk(tacit.table_from_frame(frame, quasi="sex,age"), standard=standard)
        assert not found.ok and found["k"] == 1 and any("patient_id" in note for note in found.notes)
    dropped = tacit.table_from_frame(frame, quasi="sex,age", identifiers="patient_id")
    found = tacit.risk(dropped, standard=("ema-0070", "hipaa-safe-harbor"))
    assert not found.ok and found["k"] == 1 and found.counted == "people"
    assert not any("patient_id" in one.why for one in found.standards[1].found)  # it is not published
    renamed = tacit.table_from_frame(frame.rename({"patient_id": "x"}), quasi="age")  # no sign of people
    assert tacit.risk(renamed).counted == "rows" and tacit.risk(renamed)["k"] == 12
    assert tacit.risk(renamed, person="x").counted == "people" and tacit.risk(renamed, person="x")["k"] == 1
    assert verdict(tacit.table_from_frame(frame.drop("patient_id"), quasi="sex,age"), "ema-0070")


def test_rows_are_called_rows_where_nobody_says_whose_they_are() -> None:
    found = tacit.risk(people([11, 12]))
    for text in (str(found), found.to_markdown(), str(found.to_dict()["figures"])):
        assert "rows" in text.casefold()
        said = text.split("where people have several")[0].casefold()
        assert "people" not in said.replace("'people': ", "")
    assert "--person" in str(found)


def test_a_table_with_names_is_not_judged_by_its_classes() -> None:
    frame = pl.DataFrame({"sex": ["f"] * 30, "surname": [f"n{row}" for row in range(30)]})
    found = tacit.risk(tacit.table_from_frame(frame, quasi="sex"), standard=("ema-0070", "cms-11"))
    assert [one.outcome for one in found.standards] == [None, None]
    assert "surname" in found.standards[0].found[0].why
    assert verdict(tacit.table_from_frame(frame.drop("surname"), quasi="sex"), "ema-0070")
    few = tacit.risk(tacit.table_from_frame(frame.head(10), quasi="sex"), standard="ema-0070")
    assert few.standards[0].outcome is False  # what fails, fails


@pytest.mark.parametrize("name", ["BSN", "emp_no"])
def test_a_code_that_is_another_in_every_row_is_a_name(name: str) -> None:
    """Whatever it is called: nobody knows the names of numbers of people in all languages."""
    frame = pl.DataFrame({"sex": ["f"] * 30, name: [f"E{row:04}" for row in range(30)]})
    found = tacit.risk(tacit.table_from_frame(frame, quasi="sex"), standard=("ema-0070", "cdc-covid"))
    assert [one.outcome for one in found.standards] == [None, None]
    assert found.standards[0].found[0].why.startswith(f"{name} may name people")
    amounts = frame.with_columns(pl.Series(name, [row / 7 for row in range(30)]))
    assert verdict(tacit.table_from_frame(amounts, quasi="sex"), "ema-0070")


@pytest.mark.parametrize("name", ["patient_no", "x"])
def test_a_column_found_to_tell_people_apart_is_still_in_the_table(name: str) -> None:
    """Forty people with three rows each: that their number repeats makes it no smaller a risk."""
    rows = [(f"p{row // 3}", "mf"[row // 3 % 2]) for row in range(120)]
    frame = pl.DataFrame(rows, schema=[name, "sex"], orient="row")
    found = tacit.risk(tacit.table_from_frame(frame, quasi="sex"), standard=("ema-0070", "cms-11"))
    assert found.counted == "people" and [one.outcome for one in found.standards] == [None, None]
    assert found.standards[0].found[0].why.startswith(f"{name} may name people: leave it out")
    assert verdict(tacit.table_from_frame(frame, quasi="sex"), "ema-0070", person=name)
    assert verdict(tacit.table_from_frame(frame, quasi="sex", identifiers=name), "ema-0070")


def test_a_guess_that_leaves_columns_out_passes_nothing() -> None:
    frame = pl.DataFrame({"sex": ["f", "m"] * 15, "kommune": [f"k{row % 15}" for row in range(30)]})
    found = tacit.risk(tacit.table_from_frame(frame), standard="ema-0070").standards[0]
    assert found.outcome is None and "kommune" in found.found[0].why
    assert verdict(tacit.table_from_frame(frame.drop("kommune")), "ema-0070")
    assert verdict(tacit.table_from_frame(frame, quasi="sex"), "ema-0070")


def test_every_column_of_numbers_is_looked_at() -> None:
    frame = pl.DataFrame({"sex": ["f"] * 20, "income": [100] * 20, "wealth": [10**6] + [1] * 19})
    for read in (frame, frame.cast(pl.String)):  # the cells of a file of text are texts
        table = tacit.table_from_frame(read, quasi="sex", sensitive="income,wealth")
        found = tacit.risk(table, standard="acro").standards[0].found
        assert [one.ok for one in found] == [True, False, False]


def test_geography_is_found_by_name() -> None:
    frame = pl.DataFrame({"res_state": ["x"] * 1000, "res_county": ["y"] * 999 + ["z"]})
    table = tacit.table_from_frame(frame, quasi="res_state,res_county")
    found = tacit.risk(table, standard="cdc-covid-geography").standards[0].found
    assert [one.value for one in found] == [1, 1]
    table = tacit.table_from_frame(frame.with_columns(res_county=pl.lit("y")), quasi="res_state,res_county")
    assert tacit.risk(table, standard="cdc-covid-geography").ok


@pytest.mark.parametrize(
    ("column", "values", "figure"),
    [
        ("e_mail", ["a"], "identifier_columns"),
        ("contact", ["a.b@example.org"], "identifier_columns"),
        ("host", ["10.0.0.17"], "identifier_columns"),
        ("tax", ["078-05-1120"], "identifier_columns"),
        ("zip", ["02138"], "fine_places"),
        ("city", ["Basel"], "fine_places"),
        ("zip3", ["036"], "small_places"),
        ("admitted", ["2021-03-04"], "fine_dates"),
        ("born", ["4.3.1921"], "fine_dates"),
        ("age", [90], "old_ages"),
        ("age", ["95-99", "80-84"], "old_ages"),
        ("age", ["95+"], "old_ages"),
        ("seen", ["Mar 4, 2021"], "fine_dates"),
        ("seen", ["4. März 2021"], "fine_dates"),
        ("seen", ["2021-Q1"], "fine_dates"),
        ("seen", ["2021-H2"], "fine_dates"),
        ("seen", ["20210304"], "fine_dates"),
        ("seen", ["2021-03-04", "unknown", "lost", "never"], "fine_dates"),
        ("contact", ["a.b@example.org", "none", "refused", "moved"], "identifier_columns"),
        ("age", ["[90, 95)", "[40, 45)"], "old_ages"),
        ("age", ["92 years"], "old_ages"),
        ("age", ["> 95"], "old_ages"),
        ("age", ["≥ 96"], "old_ages"),
        ("agegroup", ["{89, 91}"], "old_ages"),
        ("age", ["99", "40-44"], "old_ages"),
        ("zip3", [36], "small_places"),
        ("zip3", [36.0], "small_places"),
        ("seen", ["6th March 2024"], "fine_dates"),
        ("seen", ["Tue 5 Mar 2024"], "fine_dates"),
        ("seen", ["2024-065"], "fine_dates"),
        ("seen", ["2024-W10"], "fine_dates"),
        ("seen", ["05MAR2024"], "fine_dates"),
        ("seen", ["03/2024"], "fine_dates"),
        ("seen", ["2024.03"], "fine_dates"),
        ("seen", ["2024", "2023", "2024.3"], "fine_dates"),
        ("remark", ["fell at home", "is well", "no change", "2024.03"], "fine_dates"),
        ("remark", ["fell at home", "is well", "no change", "2024.03 in hospital"], "fine_dates"),
        ("seen", ["2024.03.05"], "fine_dates"),
        ("seen", ["2024.H2"], "fine_dates"),
        ("remark", ["came on 2024-03-05 again"], "fine_dates"),
        ("remark", ["mail a@b.com"], "identifier_columns"),
        ("remark", ["call 555-123-4567"], "identifier_columns"),
        ("patientid", ["7"], "identifier_columns"),
    ],
)
def test_safe_harbor_finds_columns(column: str, values: list[Any], figure: str) -> None:
    frame = pl.DataFrame({column: values, "sex": ["f"] * len(values)})
    found = (
        tacit.risk(tacit.table_from_frame(frame, quasi="sex"), standard="hipaa-safe-harbor")
        .standards[0]
        .found
    )
    failed = [one.ask.figure for one in found if not one.ok]
    assert figure in failed and set(failed) <= {figure, "fine_places" if column == "zip3" else figure}


def test_safe_harbor_takes_no_amount_for_a_month() -> None:
    """2012.10 may be October 2012; among 853.20 and 12040.75 it is an amount."""
    costs = [f"{euros}.{cents:02}" for euros in range(400, 9000, 200) for cents in (10, 75)] + ["2012.10"]
    frame = pl.DataFrame({"cost": costs, "sex": ["f"] * len(costs)})
    table = tacit.table_from_frame(frame, quasi="sex", sensitive="cost")
    assert verdict(table, "hipaa-safe-harbor")


def test_safe_harbor_lets_coarse_columns_pass() -> None:
    frame = pl.DataFrame(
        {"zip": ["021", "000"], "year": [2019, 2020], "age": ["90+", "80-89"], "sex": ["f", "m"]}
    )
    assert tacit.risk(tacit.table_from_frame(frame, quasi="sex"), standard="hipaa-safe-harbor").ok


@pytest.mark.parametrize(
    ("column", "values", "figure"),
    [
        ("age", ["ninety-two"], "old_ages"),
        ("age", ["cohort 7"], "old_ages"),
        ("postcode", ["K1A 0B1"], "fine_places"),
        ("admission_date", [45356], "fine_dates"),
        ("birth_month", [3], "fine_dates"),
        ("x", [f"code{row}x" for row in range(30)], "identifier_columns"),
        ("story", [f"she came here in {row} pains" for row in range(30)], "identifier_columns"),
    ],
)
def test_what_safe_harbor_cannot_read_does_not_pass(column: str, values: list[Any], figure: str) -> None:
    frame = pl.DataFrame({column: values, "sex": ["f"] * len(values)})
    found = tacit.risk(tacit.table_from_frame(frame, quasi="sex"), standard="hipaa-safe-harbor").standards[0]
    assert found.outcome is None
    (why,) = {one.why for one in found.found if one.ok is None}
    assert column in why and figure in [one.ask.figure for one in found.found if one.ok is None]


def test_coarse_ages_and_years_pass() -> None:
    ages = [
        "[85, 90)",
        "90+",
        ">89",
        ">= 90",
        "90 and over",
        "85-89",
        "[80, 90)",
        "30 months",
        "*",
        "89",
        "0-17",
    ]
    frame = pl.DataFrame({"age": ages, "date": ["2019"] * len(ages), "sex": ["f"] * len(ages)})
    assert tacit.risk(tacit.table_from_frame(frame, quasi="sex"), standard="hipaa-safe-harbor").ok


def cms(rows: list[tuple[Any, ...]], *names: str) -> bool | None:
    schema = [*(names or ("sex", "area")), "n"]
    texts = [tuple(None if cell is None else str(cell) for cell in row) for row in rows]
    frame = pl.DataFrame(texts, schema=dict.fromkeys(schema, pl.String), orient="row")
    return tacit.risk(tacit.table_from_frame(frame), counts="n", standard="cms-11").standards[0].outcome


def test_a_cell_that_joins_two_blocks_follows() -> None:
    """No line has one unknown alone: rows r0 and r1 less columns c0 and c1 leave the cell (r0, c2)."""
    truth = {(row, column): 20 + 3 * row + 5 * column for row in range(4) for column in range(4)}
    truth[0, 2] = 3
    hidden = {cell for cell in truth if (cell[0] < 2) == (cell[1] < 2)} | {(0, 2)}
    rows: list[tuple[Any, ...]] = [
        (f"r{row}", f"c{column}", "" if (row, column) in hidden else count)
        for (row, column), count in truth.items()
    ]
    for one in range(4):
        rows.append((f"r{one}", "Total", sum(truth[one, other] for other in range(4))))
        rows.append(("Total", f"c{one}", sum(truth[other, one] for other in range(4))))
    assert cms([*rows, ("Total", "Total", sum(truth.values()))]) is False


NORTH: list[tuple[Any, ...]] = [("f", "north", ""), ("m", "north", 15), ("Total", "north", 19)]


def test_a_line_that_does_not_add_up_hides_no_other() -> None:
    odd: list[tuple[Any, ...]] = [("f", "south", 20), ("m", "south", 30), ("Total", "south", 51)]
    assert cms(NORTH + odd) is False and cms(odd) is None
    assert cms([*odd[:2], ("Total", "south", 50)]) is True


def test_a_cell_that_is_listed_twice_counts_twice() -> None:
    assert cms([("f", "north", 4), ("f", "north", 40)]) is False
    assert cms([("f", "north", 14), ("f", "north", 40)]) is None
    assert cms([("f", "north", 14), ("f", "north", 14)]) is True


def test_counts_that_cannot_be_read_do_not_pass() -> None:
    for text in ("4 (2 %)", "4*", "~5", "-3", "4.5", "<5", "2-4"):
        assert cms([("f", "north", text), ("m", "north", 20)]) is None
    for text in ("", "*", "<11", "1-10", "1,234", "[REDACTED]"):
        assert cms([("f", "north", text), ("m", "north", 20)]) is True


def test_cells_follow_by_their_bounds() -> None:
    assert cms([("f", "north", "<11"), ("m", "north", "<11"), ("Total", "north", 20)]) is False
    assert cms([("f", "north", "<11"), ("m", "north", "<11"), ("Total", "north", 14)]) is True


def test_codes_beside_labels_and_odd_totals_hide_nothing() -> None:
    labelled = [(sex, {"f": 1, "m": 2, "Total": 9}[sex], area, n) for sex, area, n in NORTH]
    south = [("f", 1, "south", 20), ("m", 2, "south", 30), ("Total", 9, "south", 50)]
    assert cms(labelled + south, "sex", "code", "area") is False
    others = [("White", "x", 50), ("All others", "x", ""), ("Black", "x", 20), ("Total", "x", 74)]
    assert cms(others, "race", "area") is False
    cube = [("f", "x", ""), ("m", "x", 15), (None, "x", 19)]
    assert cms(cube) is None  # a database writes its totals so
    unnamed = [("f", "x", ""), ("m", "x", 15), ("T", "x", 19), ("f", "y", 20), ("m", "y", 30), ("T", "y", 50)]
    assert cms(unnamed) is None
    shares = [("f", "21.1 %", ""), ("m", "78.9 %", 15)]
    assert cms(shares, "sex", "pct") is None


def test_too_many_withheld_cells_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[tuple[Any, ...]] = [(f"r{one}", f"c{other}", "") for one in range(5) for other in range(5)]
    rows += [(f"r{one}", "Total", 100) for one in range(5)] + [("Total", f"c{one}", 100) for one in range(5)]
    assert cms(rows) is True
    monkeypatch.setattr("tacit.judging.risk.cells.MOST_STEPS", 20)
    assert cms(rows) is None


def test_amounts_of_one_person_are_one_value() -> None:
    rows = [(f"{c}big", c, 100) for c in "ab" for _ in range(10)]
    rows += [(f"{c}{firm}", c, 10) for c in "ab" for firm in range(11)]
    frame = pl.DataFrame(rows, schema=["firm", "region", "turnover"], orient="row")
    table = tacit.table_from_frame(frame, quasi="region", sensitive="turnover")
    found = tacit.risk(table, standard="acro", person="firm").standards[0].found
    assert [one.value for one in found] == [0, 2, 0]


def test_amounts_that_acro_cannot_weigh_do_not_pass() -> None:
    for values in ([100, -100] + [50] * 20, ["1,000"] + ["50"] * 21):
        frame = pl.DataFrame({"region": ["a"] * 22, "turnover": values, "wealth": [5] * 22}, strict=False)
        table = tacit.table_from_frame(frame, quasi="region", sensitive="turnover,wealth")
        assert tacit.risk(table, standard="acro").standards[0].outcome is None


def test_spellings_of_one_person_are_one_person() -> None:
    ids = [f"p{number}" for number in range(6)]
    frame = pl.DataFrame({"patient": [*ids, *(f" {one.upper()}" for one in ids)], "sex": ["f"] * 12})
    table = tacit.table_from_frame(frame, quasi="sex")
    found = tacit.risk(table, standard="ema-0070", person="patient")
    assert found["k"] == 6 and not found.ok and any("spelled in several ways" in note for note in found.notes)
    dropped = tacit.table_from_frame(frame, quasi="sex", identifiers="patient")
    assert tacit.risk(dropped, person="patient")["k"] == 6
    (note,) = people_notes(table, "patient")
    assert note.startswith("6 people are spelled in several ways")


def test_cells_that_follow_from_totals_are_found() -> None:
    frame = pl.DataFrame(
        {
            "sex": ["f", "m", "Total", "f", "m", "Total"],
            "area": ["north"] * 3 + ["all"] * 3,
            "n": ["", "15", "19", "30", "<11", "36"],
        }
    )
    table = tacit.table_from_frame(frame)
    cells = cells_of(table, "n")
    assert cells.derived == {("f", "north"): 4, ("m", "all"): 6}
    assert not verdict(table, "cms-11", counts="n")
    rounded = pl.DataFrame({"sex": ["f", "m"], "n": [20, 15]})
    assert verdict(tacit.table_from_frame(rounded), "opensafely-7", counts="n")
    assert not verdict(
        tacit.table_from_frame(rounded.with_columns(n=pl.Series([20, 16]))), "opensafely-7", counts="n"
    )
    both = pl.DataFrame({"sex": ["f", "m", "Both sexes"], "n": ["", "20", "23"]})
    assert not verdict(tacit.table_from_frame(both), "cms-11", counts="n")
    decimals = pl.DataFrame({"sex": ["f", "m"], "n": ["5.00", "20.00"]})
    assert not verdict(tacit.table_from_frame(decimals), "cms-11", counts="n")
    zero = pl.DataFrame({"sex": ["f", "m"], "n": [0, 11]})
    assert verdict(tacit.table_from_frame(zero), "cms-11", counts="n")


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=3), min_size=2, max_size=3), st.data())
def test_derived_cells_are_right(grid: list[list[int]], data: st.DataObject) -> None:
    """Whatever is withheld, what is derived is what was there."""
    width = min(len(row) for row in grid)
    grid = [row[:width] for row in grid]
    truth = {(f"a{i}", f"b{j}"): value for i, row in enumerate(grid) for j, value in enumerate(row)}
    truth |= {(f"a{i}", "Total"): sum(row) for i, row in enumerate(grid)}
    truth |= {("Total", f"b{j}"): sum(row[j] for row in grid) for j in range(width)}
    truth["Total", "Total"] = sum(map(sum, grid))
    hidden = data.draw(st.sets(st.sampled_from(sorted(truth))))
    rows = [(*key, None if key in hidden else value) for key, value in truth.items()]
    table = tacit.table_from_frame(pl.DataFrame(rows, schema={"a": str, "b": str, "n": int}, orient="row"))
    derived = cells_of(table, "n").derived
    assert derived == {key: truth[key] for key in derived} and set(derived) <= hidden


def test_cells_that_few_dominate_are_found() -> None:
    even = people([12], s=[100] * 12)
    assert verdict(even, "acro")
    one = people([12], s=[10_000] + [1] * 11)
    found = tacit.risk(one, standard="acro").standards[0].found
    assert [item.ok for item in found] == [True, False, False]


def test_a_standard_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        'title = "Ours"\nsource = "us"\nurl = ""\ndate = 2026-01-01\nchecked = 2026-01-01\nseen = "whole"\n'
        'does_not_ask = []\n[[asks]]\nfigure = "k"\nat_least = 3\nsays = "Three."\n'
    )
    (tmp_path / "ours.toml").write_text(text)
    assert verdict(people([3]), str(tmp_path / "ours.toml"))
    folder = tmp_path / "config" / "tacit" / "standards"
    folder.mkdir(parents=True)
    (folder / "house.toml").write_text(text)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert not verdict(people([2]), "house")
    assert "house" in [standard.name for standard in all_standards()]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("at_least = 3", "at_least = true"), "standard-wrong"),
        (('figure = "k"', 'figure = "z"'), "standard-wrong"),
        (('title = "Ours"\n', ""), "standard-wrong"),
        (('seen = "whole"', 'seen = "perhaps"'), "standard-wrong"),
        (('title = "Ours"', "title = Ours"), "standard-wrong"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, change: tuple[str, str], code: str) -> None:
    text = (
        'title = "Ours"\nsource = "us"\nurl = ""\ndate = 2026-01-01\nchecked = 2026-01-01\nseen = "whole"\n'
        'does_not_ask = []\n[[asks]]\nfigure = "k"\nat_least = 3\nsays = "Three."\n'
    )
    (tmp_path / "ours.toml").write_text(text.replace(*change))
    with pytest.raises(TacitError) as caught:
        find_standards([str(tmp_path / "ours.toml")])
    assert caught.value.code == code


def test_the_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people([11, 12]).to_polars().write_csv(tmp_path / "good.csv")
    people([10, 12]).to_polars().write_csv(tmp_path / "bad.csv")
    good = ["risk", str(tmp_path / "good.csv"), "--quasi", "age", "--standard", "ema-0070"]
    bad = ["risk", str(tmp_path / "bad.csv"), "--quasi", "age", "--standard", "ema-0070"]
    assert main([*good, "--gate"]) == 0 and main([*bad, "--gate"]) == 9 and main(bad) == 9
    assert main([*bad, "--gate", "--json", "--quiet"]) == 9
    capsys.readouterr()
    assert main([*bad, "--json", "--quiet"]) == 9
    told = json.loads(capsys.readouterr().out)["standards"][0]
    assert {"name", "source", "asked", "found", "ok"} <= set(told) and told["ok"] is False
    assert main([*bad, "--markdown"]) == 9
    assert "Fails against ema-0070" in capsys.readouterr().out
    unjudged = [*good[:-1], "cdc-covid-geography"]  # no state and no county
    assert main(unjudged) == 0 and main([*unjudged, "--gate"]) == 9
    assert main(["risk", "--standards"]) == 0
    assert main(["risk", "--gate", str(tmp_path / "bad.csv")]) == 2
    assert main(["risk"]) == 2
    assert main([*good[:-1], "ema-70"]) == 2


def test_a_recipe_publishes_nothing_that_does_not_pass(tmp_path: Path) -> None:
    people([40, 40], s=["x", "y"] * 40).to_polars().write_csv(tmp_path / "people.csv")
    recipe = (
        '[source]\npath = "people.csv"\nquasi = ["age"]\nsensitive = ["s"]\n'
        '[[release]]\nmethod = "generalize_table"\noutput = "out"\nk = 2\nstandard = ["{standard}"]\n'
    )
    file = tmp_path / "recipe.toml"
    file.write_text(recipe.format(standard="cdc-covid-geography"))  # no state and no county: not judged
    with pytest.raises(TacitError) as caught:
        tacit.run_recipe(tacit.load_recipe(file), base=tmp_path, key=Key(bytes(range(32))))
    assert caught.value.code == "limit-missed" and "cdc-covid-geography" in caught.value.message
    assert not (tmp_path / "out").exists()
    file.write_text(recipe.format(standard="ema-0070"))
    made = tacit.run_recipe(tacit.load_recipe(file), base=tmp_path, key=Key(bytes(range(32))))
    assert (tmp_path / "out").is_dir() and "min_k of ema-0070" in str(made)
    file.write_text(recipe.format(standard="ema-70"))
    with pytest.raises(TacitError) as caught:
        tacit.run_recipe(tacit.load_recipe(file), base=tmp_path, key=Key(bytes(range(32))), overwrite=True)
    assert caught.value.code == "unknown-standard"


def test_the_total_of_a_table_of_counts_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files lose a last line that is no record; here the withheld cell follows from it."""
    file = tmp_path / "cells.csv"
    file.write_text("sex,area,n\nf,north,\nm,north,15\nTotal,north,19\n")
    assert not tacit.risk(str(file), counts="n", standard="cms-11").ok
    assert main(["risk", str(file), "--counts", "n", "--standard", "cms-11", "--gate"]) == 9
    assert "Fails against cms-11" in capsys.readouterr().out
