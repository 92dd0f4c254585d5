"""The verb for tables: roles, hierarchies made for a stranger's file, people with several rows, refusals."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tacit
from tacit.data.table import Table
from tacit.errors import InfeasibleError, UsageError
from tacit.methods.generalize_tables.release import GeneralizedTable
from tacit.release.kinds import kind_of
from tacit_verify import verdict_of, verify
from tests.keys import secret_key
from tests.soak.random_releases import write

KEY = secret_key(3)


def people(**roles: Any) -> Table:
    table = tacit.load_sample("hospital:600")
    assert isinstance(table, Table)
    return table.with_roles(**roles) if roles else table


def raw(rows: int = 800) -> pl.DataFrame:
    """A file as strangers have it: dates, postal codes with leading zeros, ages, words, empty cells."""
    draw = random.Random(7)
    return pl.DataFrame(
        {
            "patient": [f"p{draw.randrange(rows // 2)}" for _ in range(rows)],
            "born": [f"19{draw.randint(30, 99)}-{draw.randint(1, 12):02}-17" for _ in range(rows)],
            "zip": [f"0{draw.randint(1000, 1300)}" for _ in range(rows)],
            "age": [draw.choice([None, draw.randint(18, 95)]) for _ in range(rows)],
            "job": [draw.choice(["nurse", "clerk", "clerk", "cook", None]) for _ in range(rows)],
            "illness": [draw.choice(["flu", "cold", "asthma", "ulcer"]) for _ in range(rows)],
        }
    )


@pytest.mark.parametrize("recoding", ["local", "global", "subtree", "cells"])
def test_k_rows_look_alike(recoding: str) -> None:
    release = tacit.generalize(people(), k=7, recoding=recoding)
    table = release.table
    sizes = Counter(table.select("zip", "age", "sex").iter_rows())
    assert min(sizes.values()) >= 7
    assert release.risk().smallest == min(sizes.values())
    assert release.to_dict()["classes"] == len(sizes)
    assert sorted(table["disease"]) == sorted(people().column("disease").to_series())


def test_a_class_that_nearly_gives_a_value_away_is_told_of_where_values_are_promised() -> None:
    """Two values are two, however rare one of them is."""
    frame = pl.DataFrame({"age": ["4", "5"] * 50, "ill": ["flu"] * 98 + ["gout"] * 2})
    table = tacit.table_from_frame(frame, quasi=["age"], sensitive="ill")
    told = "A reader can be 98% sure of somebody's sensitive value."
    assert any(told in note for note in tacit.generalize(table, k=5, l=2).manifest.notes)
    assert not any(told in note for note in tacit.generalize(table, k=5).manifest.notes)
    assert not any("sure" in note for note in tacit.generalize(people(), k=5, l=3).manifest.notes)


def test_the_same_release_whatever_the_order_of_rows() -> None:
    table = people()
    order = list(range(len(table)))
    random.Random(5).shuffle(order)
    frame = table.to_polars()[order]
    other = tacit.table_from_frame(
        frame, quasi=table.roles.quasi, sensitive=table.roles.sensitive, hierarchies=table.hierarchies
    )
    for asked in ({}, {"l": 3, "key": KEY}, {"recoding": "global", "max_suppressed": 0.05}):
        one, two = (tacit.generalize(data, k=4, **asked) for data in (table, other))
        assert one.table.equals(two.table)
        assert one.manifest == two.manifest


def test_coarser_recodings_lose_more() -> None:
    losses = [tacit.generalize(people(), k=5, recoding=how).utility().loss for how in ("local", "global")]
    assert losses[0] < losses[1]
    assert tacit.generalize(people(), k=5, recoding="global").to_dict()["proven"]


def test_more_effort_loses_less(tmp_path: Path) -> None:
    table, losses = tacit.load_sample("hospital"), []
    for effort in ("quick", "normal", "thorough"):
        release = tacit.generalize(table, k=5, effort=effort)
        losses.append(release.utility().loss)
        release.save(tmp_path / effort)
        assert tacit.verify(tmp_path / effort).verdict == "kept"
        assert release.manifest.parameters.get("effort", "normal") == effort
    assert losses[0] > losses[1] > losses[2]


def test_a_survey_with_blanks_around_its_column_names(tmp_path: Path) -> None:
    file = tmp_path / "raw.csv"
    raw().select("zip", "age", "job").write_csv(file)
    file.write_text(file.read_text().replace("zip,age,job", " zip ,age,  job\t", 1))
    table = tacit.read_table(file, quasi=["zip", "job"])
    assert table.notes == ("Found and read so: column names without the blanks around them.",)
    tacit.generalize(table, k=11).save(tmp_path / "out")
    assert tacit.verify(tmp_path / "out", original=file).verdict == "kept"


def test_a_strangers_file(tmp_path: Path) -> None:
    raw().drop("patient").write_csv(tmp_path / "raw.csv")
    table = tacit.read_table(tmp_path / "raw.csv", quasi=["born", "zip", "age", "job"], sensitive=["illness"])
    release = tacit.generalize(table, k=11)
    release.save(tmp_path / "out")
    found = tacit.verify(tmp_path / "out", original=tmp_path / "raw.csv")
    assert found.verdict == "kept"
    nodes = pl.read_csv(tmp_path / "out" / "hierarchies.csv", infer_schema=False)
    shown = {name: set(nodes.filter(attribute=name)["node"]) for name in ("born", "zip", "age", "job")}
    assert any(node.endswith("s") for node in shown["born"])  # decades
    assert any(node.startswith("01") and node.endswith("*") for node in shown["zip"])
    assert any("-" in node for node in shown["age"])
    assert release.utility().loss < 0.6


def test_only_nodes_in_use_are_published(tmp_path: Path) -> None:
    """A hierarchy made from the data would say which values somebody has."""
    table = tacit.table_from_frame(raw(), quasi=["born", "zip"], sensitive=["illness"])
    tacit.generalize(table, k=11).save(tmp_path / "out")
    nodes = pl.read_csv(tmp_path / "out" / "hierarchies.csv", infer_schema=False)
    published = pl.read_csv(tmp_path / "out" / "table.csv", infer_schema=False)
    leaves = set(nodes["node"]) - set(nodes["parent"])
    assert leaves <= {*published["born"], *published["zip"]}


def test_of_each_person_one_row_is_published() -> None:
    table = tacit.table_from_frame(raw(), quasi=["born", "zip", "age"], sensitive=["illness"])
    release = tacit.generalize(table, k=11, person="patient", key=KEY)
    assert len(release.table) == raw()["patient"].n_unique()
    assert "patient" not in release.table.columns
    assert "people" in release.manifest.promise_words


@pytest.mark.parametrize(
    "asked",
    [
        {"l": 3},
        {"l": 3, "readers": "nothing"},
        {"entropy_l": 2},
        {"recursive": "2,2"},
        {"t": 0.5},
        {"t": 0.4, "distance": "ordered"},
        {"t": 0.5, "distance": "hierarchical"},
    ],
)
@pytest.mark.parametrize("recoding", ["local", "global"])
def test_promises_about_values_are_verified(asked: dict[str, Any], recoding: str, tmp_path: Path) -> None:
    tacit.write_table(people(), tmp_path / "original.csv")
    tacit.generalize(people(), k=4, recoding=recoding, key=KEY, **asked).save(tmp_path / "out")
    assert tacit.verify(tmp_path / "out", original=tmp_path / "original.csv").verdict == "kept"


@pytest.mark.parametrize(
    ("recoding", "asked", "chosen"),
    [
        ("global", {"l": 2}, True),
        ("subtree", {"t": 0.5}, True),
        ("global", {}, False),
        ("local", {"l": 2}, False),
    ],
)
def test_the_promise_says_against_whom_levels_chosen_by_values_are_none(
    recoding: str, asked: dict[str, Any], chosen: bool
) -> None:
    """What the excess in test_swap_neutral.py means is said wherever the promise is, and stored nowhere."""
    made = tacit.generalize(people(), k=4, recoding=recoding, key=KEY, **asked)
    told = "does not hold against a reader who knows how Tacit chooses levels"
    printed = " ".join(str(made).split())
    assert printed.count(told) == made.to_dict()["promise"].count(told) == chosen
    assert ("use --recoding local" in made.manifest.promise_words) is chosen
    assert ("dafür --recoding local" in kind_of(made.manifest.kind).german(made.manifest)) is chosen
    assert "chooses levels" not in made.manifest.to_json()


def test_rules_are_checked_with_the_original_only(tmp_path: Path) -> None:
    tacit.generalize(people(), k=4, l=3, key=KEY).save(tmp_path / "out")
    found = tacit.verify(tmp_path / "out")
    assert found.verdict == "not checked"
    assert [check.name for check in found.checks if check.verdict == "not checked"] == ["ℓ with rules"]


def test_without_rules_fewer_rows_have_enough_valid_values() -> None:
    """What distinct values promise, rules take away: the verb counts valid values by default."""
    with_rules, without = (
        tacit.generalize(people(), k=4, l=4, readers=readers, key=KEY) for readers in ("rules", "nothing")
    )
    assert with_rules.knowledge and without.knowledge is None
    assert with_rules.utility().loss >= without.utility().loss


@pytest.mark.parametrize("asked", [{}, {"l": 3}, {"t": 0.6}])
@pytest.mark.parametrize("recoding", ["local", "global", "subtree", "cells"])
def test_kept_columns_tell_classes_apart(recoding: str, asked: dict[str, Any], tmp_path: Path) -> None:
    table = people(quasi=("zip", "age"), keep=("sex",))
    release = tacit.generalize(table, k=5, recoding=recoding, key=KEY, **asked)
    rows = release.table
    assert rows.columns == ["zip", "age", "sex", "disease"]
    assert min(Counter(rows.select("zip", "age", "sex").iter_rows()).values()) >= 5
    assert sorted(rows.select("sex", "disease").iter_rows()) == sorted(
        table.to_polars().select("sex", "disease").iter_rows()
    )
    tacit.write_table(table, tmp_path / "original.csv")
    release.save(tmp_path / "out")
    assert tacit.verify(tmp_path / "out", original=tmp_path / "original.csv").verdict == "kept"


@pytest.mark.parametrize("asked", ({}, {"t": 0.5}))
@pytest.mark.parametrize("recoding", ("local", "global", "subtree"))
def test_a_kept_column_that_few_rows_share_is_refused(recoding: str, asked: dict[str, Any]) -> None:
    """The cause is named; it was called a promise about values, which nobody had asked for."""
    with pytest.raises(InfeasibleError) as error:
        tacit.generalize(people(quasi=("age", "sex"), keep=("zip",)), k=50, recoding=recoding, **asked)
    assert error.value.code == "keep-in-classes"


@pytest.mark.parametrize(
    ("asked", "why"),
    (
        ({}, "none is left out. Leave it out, or choose recoding='global' (--recoding global) or subtree."),
        ({"recoding": "global", "l": 2}, "would tell what they hold. Leave it out."),
    ),
)
def test_why_rows_are_not_left_out_is_said(asked: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError) as error:
        tacit.generalize(people(), k=5, max_suppressed=0.05, **asked)
    assert (error.value.hint or "").endswith(why)


def test_losses_of_a_rounded_range_are_told_beside_those_shown() -> None:
    """The range would tell the largest value, so the release states another loss, and that is said."""
    draw = random.Random(3)
    frame = pl.DataFrame({"weight": [round(draw.gauss(1.5, 0.4), 4) for _ in range(500)]})
    made = tacit.generalize(tacit.table_from_frame(frame, quasi="weight"), k=11, key=KEY)
    stated, shown = made.manifest.utility["loss"], made.utility().loss
    assert stated != float(f"{shown:.2g}")
    assert f"release.json states a loss of {100 * stated:.1f} %" in " ".join(str(made).split())
    exact = tacit.generalize(people(), k=5, key=KEY)
    assert "release.json states a loss" not in " ".join(str(exact).split())


def test_a_smaller_epsilon_makes_larger_classes() -> None:
    small, large = (
        tacit.generalize(people(), k=4, l=3, epsilon=epsilon, readers="nothing", key=KEY)
        for epsilon in (0.02, 5)
    )
    assert small.risk().classes < large.risk().classes


@pytest.mark.parametrize(
    ("roles", "asked", "code"),
    [
        ({"quasi": ()}, {}, "roles-missing"),
        ({"sensitive": ()}, {"l": 2}, "roles-missing"),
        ({}, {"max_suppressed": 0.1}, "parameter-unused"),
        ({}, {"l": 2, "recoding": "global", "max_suppressed": 0.1}, "parameter-unused"),
        ({}, {"epsilon": 0.1}, "parameter-unused"),
        ({}, {"effort": "quick", "recoding": "global"}, "parameter-unused"),
        ({}, {"effort": "thorough", "t": 0.5}, "parameter-unused"),
        ({}, {"effort": "hard"}, "parameter-range"),
        ({}, {"distance": "ordered"}, "parameter-unused"),
        ({}, {"readers": "nothing"}, "parameter-unused"),
        ({}, {"recursive": "3"}, "parameter-range"),
        ({}, {"recursive": "0,3"}, "parameter-range"),
        ({}, {"k": 1}, "parameter-range"),
        ({"sensitive": ("zip",), "quasi": ("age", "sex")}, {"t": 0.3, "distance": "hierarchical"}, None),
    ],
)
def test_refusals(roles: dict[str, Any], asked: dict[str, Any], code: str | None) -> None:
    def make() -> GeneralizedTable:
        made: GeneralizedTable = tacit.generalize(people(**roles), **({"k": 3, "key": KEY} | asked))
        return made

    if code is None:
        make()
        return
    with pytest.raises(UsageError) as error:
        make()
    assert error.value.code == code


@pytest.mark.parametrize("correction", ["none", "alike", "bonferroni", "bh"])
def test_rules_mined_in_any_way_are_verified(correction: str, tmp_path: Path) -> None:
    release = tacit.generalize(people(), k=3, l=2, knowledge={"correction": correction}, key=KEY)
    assert verdict_of(verify(write(release, tmp_path / "out"))) != "broken"


def test_a_distance_by_a_hierarchy_that_is_not_there() -> None:
    table = tacit.table_from_frame(raw(), quasi=["zip"], sensitive=["illness"])
    with pytest.raises(UsageError) as error:
        tacit.generalize(table, k=3, t=0.3, distance="hierarchical", key=KEY)
    assert error.value.code == "hierarchy-needed"


def test_what_the_table_cannot_meet() -> None:
    with pytest.raises(InfeasibleError) as error:
        tacit.generalize(people(), k=601)
    assert error.value.code == "infeasible-k"
    with pytest.raises(InfeasibleError) as error:
        tacit.generalize(people(), k=2, l=500, key=KEY)
    assert error.value.code == "infeasible-values"


def test_it_is_said_which_l_is_feasible_and_against_whom() -> None:
    """Men have no ovarian cancer: of two illnesses they keep one, in whatever class."""
    rows = [("m", "flu")] * 30 + [("f", "flu")] * 15 + [("f", "ovarian cancer")] * 15
    frame = pl.DataFrame(rows, schema=["sex", "illness"], orient="row")
    table = tacit.table_from_frame(frame, quasi=["sex"], sensitive=["illness"])
    with pytest.raises(InfeasibleError) as error:
        tacit.generalize(table, k=2, l=2, key=KEY)
    assert str(error.value).startswith(
        "Readers who know the 1 negative rules of the table narrow 30 rows to fewer than 2 values"
    )
    assert error.value.hint is not None
    assert error.value.hint.startswith("No ℓ of 2 or more is feasible. Against readers who know no rules")
    assert tacit.generalize(table, k=2, l=2, readers="nothing", key=KEY).to_dict()["l"] == 2
    with pytest.raises(
        InfeasibleError, match=r"'illness' has 2 different values, fewer than ℓ = 3\."
    ) as error:
        tacit.generalize(table, k=2, l=3, readers="nothing", key=KEY)
    assert error.value.hint == "The largest feasible ℓ is 2."


def test_levels_of_many_columns_come_with_a_bound() -> None:
    frame = pl.DataFrame({f"c{n}": [str(value) for value in range(0, 3000, 7)] for n in range(12)})
    table = tacit.table_from_frame(frame, quasi=frame.columns)
    found = tacit.generalize(table, k=5, recoding="global").to_dict()
    assert 0 < found["bound"] <= found["loss"] < 1
    assert tacit.generalize(table, k=5).risk().smallest >= 5
