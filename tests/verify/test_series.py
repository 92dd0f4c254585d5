"""The promise over a chain of releases, from published files and from private records."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tacit.methods.bucketize.verb import bucketize
from tacit.methods.generalize_tables.verb import generalize
from tacit_verify.bucketized import checks
from tacit_verify.release import Release
from tacit_verify.verifying import verify
from tests.methods.bucketize.releases import edit_manifest, resign
from tests.methods.bucketize.series import KEY, chain, people, put, table
from tests.methods.chains import set_chain
from tests.verify.figures import of_buckets

Buckets = list[tuple[str, str]]
"""The people of a bucket, a letter each, and its values."""


def written(folder: Path, buckets: Buckets, after: Path | None = None, number: int = 2) -> Path:
    """A release of these buckets, made by hand: sound in itself, and it says that nobody looks alike."""
    frame = people(np.random.default_rng(0), 60)
    put(
        bucketize(table(frame), l=2, key=KEY, person="id", partners="signatures", algorithm="anatomy"), folder
    )
    shutil.rmtree(folder.with_name(f"{folder.name}.private"))
    buckets = sorted(("".join(sorted(members)), "".join(sorted(values))) for members, values in buckets)
    rows = sorted((person, number) for number, (members, _) in enumerate(buckets, 1) for person in members)
    held = [(number, value, 1) for number, (_, values) in enumerate(buckets, 1) for value in values]
    (folder / "qit.csv").write_text(
        "sex,age,group\n" + "".join(f"f,{who},{number}\n" for who, number in rows)
    )
    (folder / "st.csv").write_text("group,disease,count\n" + "".join(f"{a},{b},{c}\n" for a, b, c in held))
    manifest = json.loads((folder / "release.json").read_text())
    series: dict[str, object] = {"number": 1, "counterfeits": len(held) - len(rows)}
    if after is not None:
        digest = hashlib.sha256((after / "release.json").read_bytes()).hexdigest()
        series = {**series, "number": number, "after": digest, "fallen": 0, "look_alikes": 0}
    parameters = manifest["parameters"] | {"rows": len(rows), "buckets": len(buckets), "series": series}
    looks = Counter(who for who, _ in rows)
    unique = sum(number == 1 for number in looks.values()) / len(rows)
    figures = of_buckets(len(rows), len(buckets), l=parameters["l"], unique=unique)
    edit_manifest(folder, parameters=parameters, **figures)
    resign(folder)
    return folder


def broken(*folders: Path) -> list[str]:
    return [check.name for check in verify(folders[-1], after=folders[:-1][::-1]) if check.ok is False]


def test_a_bound_is_not_promised_of_a_series(tmp_path: Path) -> None:
    folder = written(tmp_path / "one", [("tu", "ab")])
    assert broken(folder) == []
    edit_manifest(folder, promise={"l": 2, "max_posterior": "1/1000"})
    assert broken(folder) == ["promise"]


COUNTEREXAMPLES: dict[str, tuple[Buckets, Buckets]] = {
    "two candidates everywhere, and three people named": ([("tuv", "abc")], [("tuw", "abd"), ("vx", "bc")]),
    "whoever leaves is named": ([("tuw", "abc")], [("uw", "bc")]),
}


@pytest.mark.parametrize("name", COUNTEREXAMPLES)
def test_the_counterexamples_of_the_method_are_refused(tmp_path: Path, name: str) -> None:
    first, second = COUNTEREXAMPLES[name]
    one = written(tmp_path / "one", first)
    other = written(tmp_path / "other", second, one)
    assert broken(one) == broken(other) == []
    assert broken(one, other) == ["people and signatures"]


def test_the_same_signatures_are_kept(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [("tuv", "abc"), ("xy", "de")])
    other = written(tmp_path / "other", [("tu", "abc"), ("vz", "abc"), ("x", "de")], one)
    assert broken(one, other) == []
    assert [any(check.name == "series" for check in verify(each)) for each in (one, other)] == [False, True]


@pytest.mark.parametrize(("name", "plain"), [("qit.csv", "f,t,1\n"), ("st.csv", "1,a,1\n")])
def test_an_earlier_release_is_read_as_it_is_published(tmp_path: Path, name: str, plain: str) -> None:
    one = written(tmp_path / "one", [("tuv", "abc")])
    text = (one / name).read_text()
    assert plain in text
    (one / name).write_text(text.replace(plain, f'"{plain[0]}"{plain[1:]}'))
    resign(one)
    assert broken(one, written(tmp_path / "other", [("tuv", "abc")], one)) == ["release 1, promise", "series"]


def open_of(*folders: Path) -> set[str]:
    return {check.name for check in verify(folders[-1], after=folders[:-1][::-1]) if check.ok is None}


def test_the_last_releases_of_a_series_do_not_show_its_promise(tmp_path: Path) -> None:
    """Somebody who was in the first and is in the third alone may have a signature that crosses."""
    everybody = people(np.random.default_rng(6), 80)
    _, folders = chain([everybody[:60], everybody[10:], everybody[5:]], tmp_path)
    assert broken(*folders) == [] and "whole series" not in open_of(*folders)
    assert broken(*folders[1:]) == [] and "whole series" in open_of(*folders[1:])


def test_rows_are_compared_with_all_releases_before(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [("tuv", "abc"), ("xy", "de")])
    two = written(tmp_path / "two", [("uv", "abc"), ("xy", "de")], one)
    three = written(tmp_path / "three", [("uv", "abc"), ("xy", "de"), ("tz", "ad")], two, number=3)
    found = {check.name: check for check in verify(three, after=[two, one])}["people and signatures"]
    assert found.ok is None and "stated 0, and 1 like one of those before that" in found.detail


def test_without_records_a_series_is_never_kept(tmp_path: Path) -> None:
    """Two people who look alike, and of whom nobody is alone: their signatures cross, and no row tells."""
    one = written(tmp_path / "one", [("ttuu", "abcd")])
    other = written(tmp_path / "other", [("ttuu", "abce")], one)
    assert broken(one, other) == [] and "people and signatures" in open_of(one, other)


def test_an_earlier_release_keeps_its_own_promise(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [("tuv", "abc"), ("xy", "de")])
    (one / "st.csv").write_text("group,disease,count\n1,a,1\n1,b,1\n1,c,1\n2,d,2\n")
    resign(one)
    assert "release 1, ℓ" in broken(one, written(tmp_path / "other", [("tuv", "abc"), ("xy", "de")], one))
    edit_manifest(one, method="magic")
    other = written(tmp_path / "again", [("tuv", "abc"), ("xy", "de")], one)
    assert "release 1, manifest fields" in broken(one, other)


def test_the_last_of_several_earlier_releases_has_a_sound_manifest(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [("tuv", "abc"), ("xy", "de")])
    two = written(tmp_path / "two", [("tuv", "abc"), ("xy", "de")], one)
    edit_manifest(two, method="magic")
    three = written(tmp_path / "three", [("tuv", "abc"), ("xy", "de")], two, number=3)
    assert broken(two, three) == ["release 2, manifest fields"]


def test_counterfeits_must_be_stated_and_values_even(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [("tuv", "abc"), ("xy", "de")])
    manifest = json.loads((one / "release.json").read_text())
    series = {"number": 1, "counterfeits": 1}
    edit_manifest(one, parameters=manifest["parameters"] | {"series": series})
    assert broken(one) == ["counterfeits"]
    other = written(tmp_path / "other", [("tuv", "abc")])
    (other / "st.csv").write_text("group,disease,count\n1,a,1\n1,b,1\n1,c,2\n")
    edit_manifest(other, parameters=manifest["parameters"] | {"rows": 3, "buckets": 1, "series": series})
    resign(other)
    assert broken(other) == ["signatures"]


def test_counterfeits_are_not_of_the_original(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [("tu", "abc")])
    original = tmp_path / "original.csv"
    for held, names in (("f,t,a\nf,u,b\n", []), ("f,t,a\nf,u,d\n", ["values of the original"])):
        original.write_text(f"sex,age,disease\n{held}")
        assert [check.name for check in verify(one, original) if check.ok is False][:1] == names


@pytest.mark.parametrize(
    ("parameters", "promise"),
    [
        ({"suppressed": 1}, {"max_posterior_suppressed": "1/2"}),
        ({"k": 2}, {"k": 2}),
        ({"form": "permuted"}, {}),
    ],
)
def test_a_series_is_of_two_tables_and_of_everybody(
    tmp_path: Path, parameters: dict[str, object], promise: dict[str, object]
) -> None:
    one = written(tmp_path / "one", [("tuv", "abc")])
    manifest = json.loads((one / "release.json").read_text())
    release = Release(
        one,
        "",
        manifest
        | {"parameters": manifest["parameters"] | parameters, "promise": manifest["promise"] | promise},
    )
    first = next(checks(release, None))
    assert (first.name, first.ok) == ("promise", False)
    assert first.detail.startswith("a series is of one sensitive column")


def test_a_record_of_other_people_or_a_changed_earlier_file_is_caught(tmp_path: Path) -> None:
    everybody = people(np.random.default_rng(6), 80)
    _, folders = chain([everybody[:60], everybody[10:], everybody[5:]], tmp_path)
    assert broken(*folders) == []
    (record,) = folders[1].with_name("r2.private").glob("*/people.csv")
    before = pl.read_csv(record, schema_overrides={"signatures": pl.String})
    swapped = before.with_columns(pl.col("group").shuffle(seed=1))
    swapped.write_csv(record)
    assert broken(*folders) == ["people and signatures"]
    before[5:].write_csv(record)
    assert broken(*folders) == ["people and signatures"]
    before.write_csv(record)
    (folders[0] / "st.csv").write_text("group,disease,count\n")
    assert "release 1, file st.csv" in broken(*folders)


def test_rows_that_look_like_others_are_left_open_where_they_are_stated(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [("tuv", "abc")])
    other = written(tmp_path / "other", [("tuw", "abd")], one)
    manifest = json.loads((other / "release.json").read_text())
    series = manifest["parameters"]["series"] | {"look_alikes": 2}
    edit_manifest(other, parameters=manifest["parameters"] | {"series": series})
    checks = {check.name: check.ok for check in verify(other, after=[one])}
    assert checks["people and signatures"] is None


def test_what_is_no_chain_is_refused(tmp_path: Path) -> None:
    one = written(tmp_path / "one", [("tuv", "abc")])
    other = written(tmp_path / "other", [("tuv", "abc")])
    assert broken(one, other) == ["chain"]
    (one / "qit.csv").unlink()
    assert broken(one, other)
    shutil.rmtree(one)
    assert broken(one, other) == ["series"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"number": 3}, "release 3 comes after 1"),
        ({"after": "0" * 64}, "release 2 is not after the one that is given before it"),
        (None, "a release is none of a series"),
    ],
)
def test_a_chain_says_what_is_wrong_with_it(
    tmp_path: Path, changes: dict[str, object] | None, said: str
) -> None:
    one = written(tmp_path / "one", [("tuv", "abc")])
    other = written(tmp_path / "other", [("tuv", "abc")], one)
    parameters = json.loads((other / "release.json").read_text())["parameters"]
    if changes is None:
        del parameters["series"], parameters["partners"]
    else:
        parameters["series"] |= changes
    edit_manifest(other, parameters=parameters)
    assert said in of_chain(one, other)


def test_a_chain_is_of_one_kind_and_about_the_same_columns(tmp_path: Path) -> None:
    buckets = written(tmp_path / "one", [("tuv", "abc")])
    rows = small_table("ta ub wc", tmp_path / "rows")
    assert "two releases are of different kinds" in of_chain(buckets, rows)
    other = written(tmp_path / "other", [("tuv", "abc")], buckets)
    manifest = json.loads((other / "release.json").read_text())
    for part in ("parameters", "promise", "risks"):
        edit_manifest(other, **{part: manifest[part] | {"l": 3}})
    assert "two releases differ in l" in of_chain(buckets, other)


def of_chain(*folders: Path) -> str:
    """What is said of the links of a chain."""
    found = {check.name: check.detail for check in verify(folders[-1], after=folders[:-1][::-1])}
    return found["chain"]


def claimed(folder: Path, before: Path) -> Path:
    """A release of a table that says it continues another, with its private record."""
    (record,) = folder.with_name(f"{folder.name}.private").iterdir()
    manifest = json.loads((folder / "release.json").read_text())
    digest = hashlib.sha256((before / "release.json").read_bytes()).hexdigest()
    series = {"number": 2, "after": digest, "small_changes": 0}
    edit_manifest(folder, parameters=manifest["parameters"] | {"series": series})
    return signed_again(folder, record)


def signed_again(folder: Path, record: Path) -> Path:
    """A changed release that its private record still belongs to."""
    resign(folder)
    name = hashlib.sha256((folder / "release.json").read_bytes()).hexdigest()[:16]
    record.rename(record.with_name(name))
    return folder


def small_table(rows: str, place: Path, k: int = 2) -> Path:
    letters = rows.split()
    frame = pl.DataFrame(
        {"id": [one[0] for one in letters], "sex": "f", "age": "20", "disease": [one[1] for one in letters]}
    )
    made = generalize(table(frame), k=k, l=2, readers="nothing", recoding="subtree", person="id", key=KEY)
    return put(made, place)


def test_a_table_that_names_whoever_left_is_refused(tmp_path: Path) -> None:
    """The counterexample of the method: every class has k people and ℓ values, and t is named."""
    one = small_table("ta ub wc", tmp_path / "one")
    other = claimed(small_table("ub wc", tmp_path / "other"), one)
    assert broken(one) == broken(other) == []
    assert broken(one, other) == ["k over the series", "ℓ over the series"]
    shutil.rmtree(tmp_path / "one.private")
    assert broken(one, other) == ["people and classes"]


def test_a_row_that_is_nobodys_is_refused(tmp_path: Path) -> None:
    one = small_table("ta ub wc xa", tmp_path / "one")
    (record,) = (tmp_path / "one.private").iterdir()
    with (one / "table.csv").open("a") as file:
        file.write("f,20,z\n")
    signed_again(one, record)
    other = claimed(small_table("ta ub wc xa", tmp_path / "other"), one)
    assert broken(one, other) == ["release 1, figures", "series"]


def test_a_table_that_becomes_finer_is_refused(tmp_path: Path) -> None:
    one = small_table("ta ub wc xa", tmp_path / "one")
    text = (one / "table.csv").read_text()
    assert text.startswith("sex,age,disease\nf,20,a\n")
    other = claimed(small_table("ta ub wc xa", tmp_path / "other"), one)
    (one / "table.csv").write_text(text.replace(",20,", ",*,"))
    (one / "hierarchies.csv").write_text("attribute,node,parent\nage,*,\nsex,*,\nsex,f,*\n")
    resign(one)
    manifest = json.loads((other / "release.json").read_text())
    digest = hashlib.sha256((one / "release.json").read_bytes()).hexdigest()
    series = {"number": 2, "after": digest, "small_changes": 0}
    edit_manifest(other, parameters=manifest["parameters"] | {"series": series})
    resign(other)
    assert "only coarser" in broken(one, other)


def test_another_hierarchy_in_a_later_release_is_refused(tmp_path: Path) -> None:
    one = small_table("ta ub wc xa", tmp_path / "one")
    other = small_table("ta ub wc xa", tmp_path / "other")
    links = (other / "hierarchies.csv").read_text()
    assert "age,20,*\n" in links
    (other / "hierarchies.csv").write_text(links.replace("age,20,*\n", "age,20,2x\nage,2x,*\n"))
    assert "only coarser" in broken(one, claimed(other, one))


def test_an_item_that_is_published_as_something_else_is_refused(tmp_path: Path) -> None:
    held = {f"p{number}": [f"i{number % 9}"] for number in range(90)}
    _, folders = set_chain([held, held], tmp_path, (2, 2), m=1)
    assert broken(*folders) == []
    mapping = folders[0] / "mapping.csv"
    mapping.write_text(mapping.read_text().replace("i0,i0\n", "i0,g0\n"))
    assert "only coarser" in broken(*folders)
