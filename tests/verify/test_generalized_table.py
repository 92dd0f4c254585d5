"""Generalized tables: distances by hierarchy and order, and what is checked without a record."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit_verify import Release, verdict_of, verify
from tacit_verify.generalized_table import _check_values, _figure_problems
from tacit_verify.nodes import _tree_problems
from tests.keys import secret_key
from tests.oracles import recoding as oracle
from tests.soak.random_releases import write
from tests.verify.forgery import Forgery

KEY = secret_key(5)


def made(place: Path, **asked: Any) -> Forgery:
    people = tacit.load_sample("hospital:200")
    tacit.write_table(people, place / "original.csv")
    return Forgery(
        write(tacit.generalize(people, k=3, key=KEY, **asked), place / "out"), place / "original.csv"
    )


def broken(forged: Forgery, original: Path | None = None) -> list[str]:
    forged.seal()
    return [check.name for check in verify(forged.folder, original) if check.ok is False]


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_a_smaller_t_than_kept_is_caught(distance: str, tmp_path: Path) -> None:
    forged = made(tmp_path, t=0.5, distance=distance)
    assert verdict_of(verify(forged.folder, forged.original)) == "kept"
    largest = next(check.detail for check in verify(forged.folder) if check.name == "t of disease")
    found = Fraction(largest.split(",")[0].split()[-1])
    for t, names in ((found * Fraction(11, 10), []), (found * Fraction(9, 10), ["t of disease"])):
        forged.m["promise"]["t"] = f"{t.numerator}/{t.denominator}"
        assert broken(forged) == names


def test_an_order_of_other_values_is_caught(tmp_path: Path) -> None:
    forged = made(tmp_path, t=0.5, distance="ordered")
    forged.m["promise"]["order"]["disease"].pop()
    assert broken(forged) == ["promise"]


def test_without_the_record_rows_are_not_checked(tmp_path: Path) -> None:
    forged = made(tmp_path)
    shutil.rmtree(tmp_path / "out.private")
    found = verify(forged.folder, forged.original)
    assert [check.name for check in found if check.ok is None] == ["rows and the original"]
    assert verdict_of(verify(forged.folder)) == "kept"


def test_a_record_with_another_hierarchy_is_caught(tmp_path: Path) -> None:
    forged = made(tmp_path)
    path = forged.record() / "hierarchies.csv"
    path.write_text(path.read_text().replace("sex,*,\n", "sex,everybody,\n").replace(",*\n", ",everybody\n"))
    assert broken(forged, forged.original) == ["rows and the original"]


def test_a_row_that_is_not_above_its_original_is_caught(tmp_path: Path) -> None:
    """Two rows of different classes with the same disease: the row map exchanges them."""
    forged = made(tmp_path)
    rows = [line.split(",") for line in forged.lines("table.csv")[1:]]
    path = forged.record() / "rows.txt"
    numbers = path.read_text().split()
    one, other = next(
        (one, other)
        for one, first in enumerate(rows)
        for other, second in enumerate(rows)
        if first[3] == second[3] and first[2] != "*" != second[2] and first[2] != second[2]
    )
    numbers[one], numbers[other] = numbers[other], numbers[one]
    path.write_text("".join(f"{number}\n" for number in numbers))
    assert broken(forged, forged.original) == ["rows and the original"]


def test_a_value_that_no_hierarchy_has_is_told_of_its_row(tmp_path: Path) -> None:
    """As where the data were read with values folded, and the original is given without."""
    forged = made(tmp_path)
    header, first, *others = forged.original.read_text().splitlines()
    spelled = first.replace(",female,", ",FEMALE,").replace(",male,", ",MALE,")
    assert spelled != first
    forged.original.write_text("\n".join([header, spelled, *others]) + "\n")
    assert broken(forged, forged.original) == ["rows and the original"]


def test_people_with_several_rows_are_the_publishers_to_check(tmp_path: Path) -> None:
    people = tacit.load_sample("hospital:200")
    frame = people.to_polars().with_columns(who=pl.Series([f"p{row // 2}" for row in range(200)]))
    table = tacit.table_from_frame(frame, quasi=["zip", "age", "sex"], sensitive="disease")
    write(tacit.generalize(table, k=3, person="who", key=KEY), tmp_path / "out")
    assert [check.name for check in verify(tmp_path / "out") if check.ok is None] == ["people"]


def test_a_rule_about_what_no_hierarchy_has_is_left_open(tmp_path: Path) -> None:
    forged = made(tmp_path, l=3)
    nobody = {"when": {"sex": "nobody"}, "attribute": "disease", "value": "influenza", "given": True}
    forged.m["reader"]["rules"].append(nobody)
    forged.seal()
    found = {check.name: check for check in verify(forged.folder, forged.original)}
    assert found["ℓ with rules"].ok is None and "sex = nobody" in found["ℓ with rules"].detail


def test_numbers_lie_on_the_line_by_their_size(tmp_path: Path) -> None:
    """As texts 10 and 100 come before 9: a distance in that order is none between amounts."""
    seeded = random.Random(4)
    pays = [["9", "10", "11", "90"], ["9", "90", "95", ""], ["10", "90", "95", "100"], ["90", "100", "110"]]
    lines = [f"{age},{seeded.choice(pays[age // 10 - 2])}" for age in range(20, 60) for _ in range(10)]
    file, out = tmp_path / "pay.csv", tmp_path / "out"
    file.write_text("age,pay\n" + "\n".join(lines) + "\n")
    people = tacit.read_table(file, quasi="age", sensitive="pay")
    forged = Forgery(write(tacit.generalize(people, k=5, t=0.3, distance="ordered", key=KEY), out), file)
    order = forged.m["promise"]["order"]["pay"]
    assert order == ["9", "10", "11", "90", "95", "100", "110", None]
    published = [row.rsplit(",", 1) for row in (out / "table.csv").read_text().splitlines()[1:]]
    letters = [(age, "abcdefgh"[order.index(pay or None)]) for age, pay in published]
    classes = {age: [letter for other, letter in letters if other == age] for age, _ in letters}
    assert len(classes) > 1
    for here in classes.values():
        assert oracle.ordered_distance(here, [letter for _, letter in letters]) <= Fraction(3, 10)
    assert verdict_of(verify(out)) == "kept"
    forged.m["promise"]["order"]["pay"] = [*sorted(order[:-1]), None]
    assert broken(forged) == ["promise"]
    texts = tacit.read_table(
        pl.DataFrame({"age": ["30"] * 6, "pay": ["9", "10", ""] * 2}), quasi="age", sensitive="pay"
    )
    promise = tacit.generalize(texts, k=2, t=0.9, distance="ordered", key=KEY).manifest.promise
    assert promise["order"]["pay"] == ["", "10", "9"]  # an empty text is no number


def test_a_hierarchy_at_its_bounds() -> None:
    """Names of nodes are free, and no cell need hold them: long ones could carry what nobody looks for."""
    for length, found in ((400, 0), (401, 1)):
        name = "x" * length
        assert len([*_tree_problems({"age": {name: None}}, {"age": {name}})]) == found
    for height, found in ((32, 0), (33, 1)):
        tower = {str(node): str(node + 1) if node < height else None for node in range(1, height + 1)}
        assert len([*_tree_problems({"age": tower}, {"age": {"1"}})]) == found


def test_missing_cells_stand_before_empty_ones(tmp_path: Path) -> None:
    frame = pl.DataFrame({"ward": [None] * 3 + [""] * 3, "age": ["30"] * 6})
    people = tacit.table_from_frame(frame, quasi="age", keep="ward")
    forged = Forgery(
        write(tacit.generalize(people, k=3, key=KEY), tmp_path / "out"), tmp_path / "original.csv"
    )
    assert broken(forged) == []
    header, *lines = forged.lines("table.csv")
    forged.put("table.csv", [header, *lines[::-1]])
    assert broken(forged)[0] == "order of the table"


@pytest.mark.parametrize(
    ("promise", "classes", "kept"),
    [
        ({"l": 2}, "ab", True),
        ({"l": 3}, "ab", False),
        ({"l": 2}, "ab aa", False),
        ({"entropy_l": 2}, "ab", True),
        ({"entropy_l": 2}, "ab aab", False),
        ({"recursive": {"c": "2/1", "l": 2}}, "aaabc", True),  # 3 < 2 (1 + 1)
        ({"recursive": {"c": "2/1", "l": 2}}, "aaaabc", False),
        ({"recursive": {"c": "3/1", "l": 3}}, "aabc", True),  # 2 < 3 · 1
        ({"recursive": {"c": "3/1", "l": 3}}, "aaabc", False),
        ({"t": "1/2", "distance": "equal"}, "aa bb", True),
        ({"t": "49/100", "distance": "equal"}, "aa bb", False),
    ],
)
def test_what_is_promised_of_values(promise: dict[str, Any], classes: str, kept: bool) -> None:
    held = {(str(at),): Counter((value,) for value in one) for at, one in enumerate(classes.split())}
    (found,) = _check_values(Release(Path(), "", {"promise": promise}), held, {}, 0, "disease")  # type: ignore[arg-type]
    assert found.ok is kept


FIGURES: dict[str, dict[str, float]] = {
    "parameters": {"rows": 4, "classes": 1},
    "risks": {"k": 2, "rows": 4, "classes": 1, "smallest": 4, "prosecutor": 0.25, "marketer": 0.25},
    "utility": {"average_class": 4, "discernibility": 4 * 4 + 1 * (4 + 1)},
    "columns": {"published_values": 1},
    "values": {"fewest": 2, "homogeneous": 0, "largest_share": 0.75},
}
"""Of one class with the values a, a, a and b, where one row was left out."""


def test_figures_that_everybody_can_count() -> None:
    def problems(figures: dict[str, dict[str, float]]) -> list[str]:
        manifest = {
            "promise": {"k": 2},
            "parameters": figures["parameters"] | {"suppressed": 1, "quasi": ["x"], "sensitive": ["disease"]},
            "risks": {**figures["risks"], "values": [{"column": "disease", **figures["values"]}]},
            "utility": {
                **figures["utility"],
                "count_queries": None,
                "columns": [{"column": "x", **figures["columns"]}],
            },
            "reader": {"rules": []},
        }
        classes = {("x",): Counter({("a",): 3, ("b",): 1})}
        return [*_figure_problems(Release(Path(), "", manifest), classes)]  # type: ignore[arg-type]

    assert problems(FIGURES) == []
    for part, figures in FIGURES.items():
        for name, number in figures.items():
            assert problems(FIGURES | {part: figures | {name: number + 7}}), name
