"""Planted faults of bucketized releases: each is caught, by the check that is there for it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

import tacit
from tacit.data.table import Table
from tacit.methods.bucketize.verb import bucketize
from tacit.random.key import Key
from tacit_verify.bucketized import _barred
from tacit_verify.release import Release
from tacit_verify.verifying import verify
from tests.methods.bucketize.releases import edit_manifest, resign, write

Fault = Callable[[Path], None]


def lines(folder: Path, name: str) -> list[str]:
    return (folder / name).read_text().splitlines()


def put(folder: Path, name: str, content: list[str]) -> None:
    (folder / name).write_text("\n".join(content) + "\n")
    resign(folder)


def manifest(folder: Path) -> dict[str, dict[str, dict[str, object]]]:
    return dict(json.loads((folder / "release.json").read_text()))


def by_group(content: list[str], group: int, *, at: int) -> list[int]:
    return [place for place, line in enumerate(content) if line.split(",")[at] == str(group)]


def a_value_of_another_group(folder: Path) -> None:
    """Two groups change one of their sensitive values."""
    content = lines(folder, "st.csv")
    one, other = by_group(content, 1, at=0)[0], by_group(content, 9, at=0)[-1]
    first, second = content[one].split(","), content[other].split(",")
    first[1], second[1] = second[1], first[1]
    content[one], content[other] = ",".join(first), ",".join(second)
    put(folder, "st.csv", [content[0], *sorted(content[1:], key=_st_key)])


def a_value_twice_in_a_group(folder: Path) -> None:
    """A group's values become fewer than ℓ, the counts still right."""
    content = lines(folder, "st.csv")
    places = by_group(content, 5, at=0)
    value = content[places[0]].split(",")[1]
    content[places[0]] = f"5,{value},{len(places)}"
    put(folder, "st.csv", [line for place, line in enumerate(content) if place not in places[1:]])


def a_row_less(folder: Path) -> None:
    content = lines(folder, "qit.csv")
    put(folder, "qit.csv", content[:20] + content[21:])


def a_row_more(folder: Path) -> None:
    content = lines(folder, "qit.csv")
    put(folder, "qit.csv", [*content[:21], content[20], *content[21:]])


def a_count_too_high(folder: Path) -> None:
    content = lines(folder, "st.csv")
    group, value, count = content[7].split(",")
    content[7] = f"{group},{value},{int(count) + 1}"
    put(folder, "st.csv", content)


def a_count_of_zero(folder: Path) -> None:
    content = lines(folder, "st.csv")
    content[7] = ",".join([*content[7].split(",")[:-1], "0"])
    put(folder, "st.csv", content)


def rows_in_another_order(folder: Path) -> None:
    content = lines(folder, "qit.csv")
    content[3], content[40] = content[40], content[3]
    put(folder, "qit.csv", content)


def values_in_another_order(folder: Path) -> None:
    content = lines(folder, "st.csv")
    content[1], content[2] = content[2], content[1]
    put(folder, "st.csv", content)


def groups_numbered_otherwise(folder: Path) -> None:
    """The numbers of two groups change places everywhere: only their order shows it."""
    swap = {"2": "7", "7": "2"}
    qit = [line.rsplit(",", 1) for line in lines(folder, "qit.csv")]
    st = [line.split(",", 1) for line in lines(folder, "st.csv")]
    renamed = [f"{rest},{swap.get(group, group)}" for rest, group in qit]
    put(folder, "qit.csv", [renamed[0], *sorted(renamed[1:], key=_qit_key)])
    renamed = [f"{swap.get(group, group)},{rest}" for group, rest in st]
    put(folder, "st.csv", [renamed[0], *sorted(renamed[1:], key=_st_key)])


def a_gap_in_the_numbers(folder: Path) -> None:
    qit = [line.rsplit(",", 1) for line in lines(folder, "qit.csv")]
    last = max(int(group) for _, group in qit[1:])
    put(
        folder,
        "qit.csv",
        [f"{rest},{last + 1 if group == str(last) else group}" for rest, group in qit],
    )
    st = [line.split(",", 1) for line in lines(folder, "st.csv")]
    put(folder, "st.csv", [f"{last + 1 if group == str(last) else group},{rest}" for group, rest in st])


def a_group_without_values(folder: Path) -> None:
    content = lines(folder, "st.csv")
    put(folder, "st.csv", [line for line in content if not line.startswith("4,")])


def a_column_more(folder: Path) -> None:
    """The number of the row in the original."""
    content = lines(folder, "qit.csv")
    put(folder, "qit.csv", [f"{line},{number or 'row'}" for number, line in enumerate(content)])


def a_rule_more(folder: Path) -> None:
    """The reader is said to know more than the buckets were made against."""
    found = manifest(folder)
    reader = found["reader"]
    reader["rules"].append(  # type: ignore[attr-defined]
        {"when": {"sex": "male"}, "attribute": "disease", "value": "influenza", "given": True}
    )
    reader["nodes"].setdefault("sex", {})["male"] = ["male"]  # type: ignore[attr-defined]
    edit_manifest(folder, reader=reader)


def a_larger_l(folder: Path) -> None:
    found = manifest(folder)
    found["parameters"]["l"] = 4  # type: ignore[assignment]
    promise = {"l": 4}
    edit_manifest(folder, promise=promise, parameters=found["parameters"])


def a_promise_unlike_the_parameters(folder: Path) -> None:
    promise = manifest(folder)["promise"]
    promise["l"] = 2
    edit_manifest(folder, promise=promise)


def a_promise_nobody_checks(folder: Path) -> None:
    promise = manifest(folder)["promise"]
    promise["epsilon"] = 1
    edit_manifest(folder, promise=promise)


def a_bound_that_does_not_hold(folder: Path) -> None:
    promise = manifest(folder)["promise"]
    promise["max_posterior"] = "1/4"
    edit_manifest(folder, promise=promise)


def rows_counted_wrongly(folder: Path) -> None:
    parameters = manifest(folder)["parameters"]
    parameters["rows"] = 299  # type: ignore[assignment]
    edit_manifest(folder, parameters=parameters)


def a_sample_of_next_to_nothing(folder: Path) -> None:
    verification = {"extent": "sample", "one_in": 1_000_000, "seed": "00" * 8}
    edit_manifest(folder, verification=verification)


def a_digest_of_before(folder: Path) -> None:
    content = lines(folder, "qit.csv")
    (folder / "qit.csv").write_text("\n".join(content[:-1]) + "\n")


def a_file_more(folder: Path) -> None:
    (folder / "names.csv").write_text("name\n")


FAULTS: list[tuple[Fault, str]] = [
    (a_value_of_another_group, ""),
    (a_value_twice_in_a_group, "ℓ"),
    (a_row_less, "groups"),
    (a_row_more, "groups"),
    (a_count_too_high, "groups"),
    (a_count_of_zero, "groups"),
    (rows_in_another_order, "order of qit.csv"),
    (values_in_another_order, "order of st.csv"),
    (groups_numbered_otherwise, "numbers of groups"),
    (a_gap_in_the_numbers, "groups"),
    (a_group_without_values, "groups"),
    (a_column_more, "columns of qit.csv"),
    (a_rule_more, "ℓ"),
    (a_larger_l, "ℓ"),
    (a_promise_unlike_the_parameters, "promise"),
    (a_promise_nobody_checks, "manifest fields"),
    (a_bound_that_does_not_hold, "posterior"),
    (rows_counted_wrongly, "figures"),
    (a_sample_of_next_to_nothing, "promise"),
    (a_digest_of_before, "file qit.csv"),
    (a_file_more, "files"),
]


def _qit_key(line: str) -> tuple[list[str], int]:
    *rest, group = line.split(",")
    return rest, int(group)


def _st_key(line: str) -> tuple[int, list[str]]:
    group, *rest = line.split(",")
    return int(group), rest


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A release of the hospital, and its original beside it."""
    folder = tmp_path_factory.mktemp("bucketized")
    table = tacit.load_sample("hospital:300")
    assert isinstance(table, Table)
    release = bucketize(table, l=3, partners="any", key=Key.from_seed(3))  # groups of 3, none to spare
    write(release, folder / "clean")
    table.to_polars().write_csv(folder / "original.csv")
    yield folder


def test_a_clean_release_passes(clean: Path) -> None:
    for original in (None, clean / "original.csv"):
        found = verify(clean / "clean", original)
        assert all(check.ok is not False for check in found), [check for check in found if check.ok is False]


@pytest.mark.tally("planted faults", "bucketize")
@pytest.mark.parametrize(
    ("fault", "caught_by"), FAULTS, ids=lambda part: getattr(part, "__name__", "") or None
)
def test_every_fault_is_caught(clean: Path, tmp_path: Path, fault: Fault, caught_by: str) -> None:
    spoiled = tmp_path / "spoiled"
    shutil.copytree(clean / "clean", spoiled)
    fault(spoiled)
    # Some need the original beside them: a value in the wrong group may still leave ℓ.
    failed = [check.name for check in verify(spoiled, clean / "original.csv") if check.ok is False]
    assert failed
    assert not caught_by or caught_by in failed


def test_faults_that_only_the_original_shows(clean: Path, tmp_path: Path) -> None:
    """Another person's row, another value throughout: consistent in itself, and not the data."""
    for number, change in enumerate(
        (
            lambda folder: _replace_in(folder, "qit.csv", ",female,", ",male,", times=1),
            lambda folder: _replace_in(folder, "st.csv", ",stroke,", ",strokes,", times=10_000),
        )
    ):
        spoiled = tmp_path / str(number)
        shutil.copytree(clean / "clean", spoiled)
        change(spoiled)
        failed = [check.name for check in verify(spoiled, clean / "original.csv") if check.ok is False]
        assert {"rows of the original", "values of the original"} & set(failed)


def test_a_rule_that_the_original_contradicts(clean: Path, tmp_path: Path) -> None:
    spoiled = tmp_path / "spoiled"
    shutil.copytree(clean / "clean", spoiled)
    a_rule_more(spoiled)
    failed = [check.name for check in verify(spoiled, clean / "original.csv") if check.ok is False]
    assert "rules and the original" in failed


def test_permuted_tables_are_checked_alike(tmp_path: Path) -> None:
    table = tacit.load_sample("hospital:300")
    assert isinstance(table, Table)
    clean = write(bucketize(table, l=3, form="permuted", key=Key.from_seed(3)), tmp_path / "clean")
    assert all(check.ok is not False for check in verify(clean))
    frame = pl.read_csv(clean / "table.csv", infer_schema=False)
    group = frame["group"][0]
    value = frame["disease"][0]
    same = frame.with_columns(
        disease=pl.when(pl.col("group") == group).then(pl.lit(value)).otherwise(pl.col("disease"))
    )
    same.write_csv(clean / "table.csv")
    resign(clean)
    assert "ℓ" in [check.name for check in verify(clean) if check.ok is False]


def _replace_in(folder: Path, name: str, old: str, new: str, *, times: int) -> None:
    text = (folder / name).read_text().replace(old, new, times)
    header, *body = text.splitlines()
    key: Callable[[str], tuple[object, object]] = _qit_key if name == "qit.csv" else _st_key
    put(folder, name, [header, *sorted(body, key=key)])  # type: ignore[arg-type]


def test_a_sample_is_drawn_by_the_stated_number(clean: Path, tmp_path: Path) -> None:
    spoiled = tmp_path / "spoiled"
    shutil.copytree(clean / "clean", spoiled)
    parameters = manifest(spoiled)["parameters"] | {"rows": 2_000_000}
    sample = {"extent": "sample", "one_in": 2, "seed": "00" * 8}
    edit_manifest(spoiled, verification=sample, parameters=parameters)
    found = {check.name: check for check in verify(spoiled)}
    drawn, of, whole = found["ℓ"].detail.split()[:3]
    assert of == "of" and 0 < int(drawn) < int(whole)
    assert found["ℓ"].verdict == "not checked"  # what was looked at in part is not shown
    for one_in, check in ((0, "promise"), (-2, "manifest fields"), (3, "promise")):
        # more is left out than rows allow, or it is no share at all
        edit_manifest(spoiled, verification=sample | {"one_in": one_in})
        assert check in [check.name for check in verify(spoiled) if check.ok is False]


@pytest.mark.parametrize("nulls", ["own", "suppress"])
def test_missing_values_of_the_original(nulls: str, tmp_path: Path) -> None:
    rows = [f"{age},{disease}" for age in ("30", "", "NA") for disease in ("flu", "cold", "?", "gout")]
    (tmp_path / "p.csv").write_text("\n".join(["age,disease", *rows * 3]) + "\n")
    missing = ["NA", "?"] if nulls == "own" else ["NA"]  # a sensitive value is no reason to leave a row out
    patients = tacit.read_table(
        tmp_path / "p.csv", quasi="age", sensitive="disease", nulls=nulls, null_values=missing
    )
    folder = write(bucketize(patients, l=2, key=Key.from_seed(3)), tmp_path / "out")
    assert all(check.ok is not False for check in verify(folder, tmp_path / "p.csv"))


def test_reasons_for_all_columns_or_for_one_that_is_not_there(clean: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(clean / "clean", tmp_path / "out"))
    parameters = manifest(folder)["parameters"]
    reasons = dict.fromkeys([*parameters["quasi"], *parameters["keep"]], "it is public")
    for accepted, names in ((reasons, []), (reasons | {"name": "it is public"}, ["promise"])):
        edit_manifest(folder, parameters=parameters | {"accepted": accepted})
        assert [check.name for check in verify(folder) if check.ok is False] == names


def test_a_rule_asks_for_its_own_columns_alone() -> None:
    """The first rule is about sex, the second about sex and age."""
    reader = {
        "rules": [
            {"when": {"sex": "m"}, "attribute": "disease", "value": "a"},
            {"when": {"sex": "m", "age": "old"}, "attribute": "disease", "value": "B"},
        ],
        "nodes": {"sex": {"m": ["m"]}, "age": {"old": ["60", "70"]}},
    }
    parameters = {"quasi": ["age", "sex"], "keep": [], "sensitive": ["disease"]}
    barred = _barred(Release(Path(), "", {"parameters": parameters, "reader": reader}))
    known = {
        row: sorted(value for _, value in barred(row)) for row in (("60", "m"), ("20", "m"), ("60", "f"))
    }
    assert known == {("60", "m"): ["a", "b"], ("20", "m"): ["a"], ("60", "f"): []}


ROUGH = {
    "an exact number of rows at risk": {"vulnerable": 7},
    "rows at risk withheld": {"vulnerable": None},
    "more rows at risk than there are": {"vulnerable": 1000},
    "an exact number of rules": {"rules": 123},
    "an exact posterior": {"posterior": {"above": 0.1, "error": 0.0, "largest": 0.123, "sampled_buckets": 0}},
    "more buckets than there are": {
        "posterior": {"above": 0.1, "error": 0.0, "largest": 0.5, "sampled_buckets": 990}
    },
    "an exact bar": {"posteriors": [{"low": 0.0, "high": 0.05, "rows": 7}]},
    "bars that do not begin at one": {"valid_values": [{"values": 7, "or_more": False, "rows": 10}]},
}


@pytest.mark.parametrize("name", ROUGH)
def test_what_only_the_original_tells_is_rounded(name: str, tmp_path: Path) -> None:
    patients = tacit.load_sample("hospital:120")
    folder = write(bucketize(patients, l=2, algorithm="anatomy", key=Key.from_seed(3)), tmp_path / "out")
    risks = manifest(folder)["risks"]
    edit_manifest(folder, risks=risks | {"vulnerable": 20, "rules": 10})
    assert [check.name for check in verify(folder) if check.ok is False] == []
    edit_manifest(folder, risks=risks | ROUGH[name])
    assert [check.name for check in verify(folder) if check.ok is False] == ["figures"]
