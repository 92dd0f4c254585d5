"""People who have changed, and columns that were rewritten, between two releases of the same people.

The figure may find fewer people than a reader does. It may never rule out what somebody has, and it may never
say 0 because nobody was recognized.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.judging.composition import Narrowing, Seen
from tacit.release import composing
from tacit.release.composing import AT_LEAST, SHARE_AT_LEAST, Composition, Overlap, rounded
from tacit.release.ledger import Ledger, LedgerEntry
from tacit.showing.ledger import composition_stated, narrowed_text
from tests.oracles import composition as oracle
from tests.release.ledger.making import KEY, OTHER_KEY
from tests.release.ledger.test_judge import values_left
from tests.release.ledger.test_second_release import left_by, released

QUASI = ["zip", "age", "sex"]
N = 300


def patients(n: int = N, *, seed: int = 0, diseases: int = 6) -> pl.DataFrame:
    source = random.Random(seed)
    return pl.DataFrame(
        [
            {
                "number": str(number),
                "zip": str(source.randint(1000, 1999)),
                "age": source.randint(20, 80),
                "sex": source.choice("MF"),
                "born": f"{source.randint(1940, 2000)}-{source.randint(1, 12):02}-{source.randint(1, 28):02}",
                "disease": f"d{source.randrange(diseases)}",
            }
            for number in range(n)
        ]
    )


def others(texts: list[str], share: float = 1.0) -> pl.Series:
    """Some of the texts, replaced by others."""
    source = random.Random(len(texts))
    return pl.Series([str(source.randint(1000, 1999)) if source.random() < share else text for text in texts])


CODES = {f"d{number}": f"J{(7 * number) % 10}" for number in range(6)}
SWAPPED = {f"d{number}": f"d{(number + 1) % 6}" for number in range(6)}
zips = patients()["zip"].to_list()
CHANGES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a year older": {"age": pl.col("age") + 1},
    "a year older, some moved": {"age": pl.col("age") + 1, "zip": others(zips, 0.2)},
    "all moved": {"zip": others(zips)},
    "sex in codes": {"sex": pl.col("sex").replace({"M": "1", "F": "2"})},
    "sex in codes and all moved": {"sex": pl.col("sex").replace({"M": "1", "F": "2"}), "zip": others(zips)},
    "other dates": {"born": pl.col("born").str.to_date().dt.strftime("%d.%m.%Y")},
    "diseases in codes": {"disease": pl.col("disease").replace_strict(CODES)},
    "codes that mean another disease": {"disease": pl.col("disease").replace_strict(SWAPPED)},
    "a disease with another name": {"disease": pl.col("disease").replace({"d1": "other"})},
    "two diseases with one name": {"disease": pl.col("disease").replace({"d1": "other", "d2": "other"})},
}


def saved(
    frame: pl.DataFrame, folder: Path, key: Any, *, l: int = 3, quasi: Any = QUASI, **options: Any
) -> Any:
    frame = frame if options.get("person") else frame.drop("number", strict=False)
    table = tacit.table_from_frame(frame, quasi=quasi, sensitive=options.pop("sensitive", "disease"))
    made = tacit.bucketize(table, l=l, algorithm="anatomy", key=key, **options)
    return made.save(folder, acknowledge_composition=True, accept_weak=True)


def stated() -> dict[str, Any]:
    return dict(Ledger().read().entries[-1].composition)


@pytest.fixture
def read_together(monkeypatch: pytest.MonkeyPatch) -> list[list[Seen]]:
    """The releases that were read together, as the owner's data say who is in them."""
    found: list[list[Seen]] = []
    narrowed = composing.people_narrowed

    def told(seen: list[Seen]) -> Narrowing | None:
        found.append(seen)
        return narrowed(seen)

    monkeypatch.setattr(composing, "people_narrowed", told)
    return found


@pytest.mark.parametrize("change", CHANGES)
def test_who_is_who_is_known_still(change: str, tmp_path: Path, read_together: list[list[Seen]]) -> None:
    before = patients()
    after = before.with_columns(**CHANGES[change]).sample(fraction=1, shuffle=True, seed=1)
    quasi = [*QUASI, "born"] if change == "other dates" else QUASI
    saved(before, tmp_path / "one", KEY, quasi=quasi)
    published = saved(after, tmp_path / "two", OTHER_KEY, quasi=quasi)
    found = stated()
    assert (found["shared"], found["not_matched"]) == (N, 0)
    assert found[AT_LEAST] > 0.9 * N
    assert not tacit.verify(published.folder).broken
    # What somebody has is never ruled out: nobody was taken for somebody else.
    (seen,) = read_together
    left = values_left(seen, "disease", 1 + max(int(one.who.max()) for one in seen))
    assert all(
        value in values for value, values in zip(after["disease"].str.to_lowercase(), left, strict=False)
    )


def test_whoever_solves_the_buckets_finds_many_where_the_common_values_name_hardly_anybody(
    tmp_path: Path,
) -> None:
    frame = patients(diseases=20, seed=7).with_columns(zip=pl.Series([f"z{number}" for number in range(N)]))
    saved(frame, tmp_path / "one", KEY, l=8)
    saved(frame, tmp_path / "two", OTHER_KEY, l=8)
    releases = [released(tmp_path / "one"), released(tmp_path / "two")]
    looks = frame.select(QUASI).cast(pl.String)
    common = oracle.intersected([[person, person] for person in looks.to_dicts()], releases)
    assert sum(len(values) == 1 for values in common) < 0.02 * N
    assert stated()[AT_LEAST] == left_by(releases, looks) > 0.3 * N


def test_some_people_have_another_disease_now(tmp_path: Path, read_together: list[list[Seen]]) -> None:
    source, before = random.Random(3), patients()
    changed = [source.random() < 0.3 for _ in range(N)]
    held = [
        f"d{source.randrange(6)}" if new else old for old, new in zip(before["disease"], changed, strict=True)
    ]
    after = before.with_columns(disease=pl.Series(held))
    saved(before, tmp_path / "one", KEY)
    saved(after, tmp_path / "two", OTHER_KEY)
    really = (before["disease"] != after["disease"]).sum()
    # Those whose value now is named, as a joiner's would be, are no longer among them.
    assert 0 < stated()["not_matched"] < really
    assert really > 0.15 * N
    assert stated()[AT_LEAST] > 0
    (seen,) = read_together
    left = values_left(seen, "disease", 1 + max(int(one.who.max()) for one in seen))
    assert all(value in values for value, values in zip(held, left, strict=False))


def test_the_column_that_tells_people_apart_is_enough(tmp_path: Path) -> None:
    before = patients()
    source = random.Random(9)
    after = before.with_columns(
        zip=others(zips),
        age=pl.Series([source.randint(20, 80) for _ in range(N)]),
        sex=pl.Series([source.choice("12") for _ in range(N)]),
        born=pl.Series([f"{source.randint(1940, 2000)}-01-01" for _ in range(N)]),
    ).sample(fraction=1, shuffle=True, seed=1)
    saved(before, tmp_path / "one", KEY, person="number")
    with pytest.raises(tacit.InfeasibleError) as caught:
        table = tacit.table_from_frame(after, quasi=QUASI, sensitive="disease")
        tacit.bucketize(table, l=3, algorithm="anatomy", key=OTHER_KEY, person="number").save(
            tmp_path / "two", accept_weak=True
        )
    assert (
        f"{N} of the {N} people" in caught.value.message and "recognized by number." in caught.value.message
    )
    saved(after, tmp_path / "two", OTHER_KEY, person="number")
    assert (stated()["shared"], stated()["not_matched"]) == (N, 0)
    assert stated()[AT_LEAST] > 0.9 * N
    # Other people who are numbered in the same way are others.
    saved(patients(seed=5), tmp_path / "others", KEY, person="number")
    assert not stated()


def composed(found: Narrowing, shared: int, whole: float = 1.0) -> Composition:
    entry = LedgerEntry(
        "x", "2026-01-01", "out/one", "bucketized", "anatomy", "", 100, ("zip",), "k", sketched=True
    )
    return Composition("people", 100, (Overlap(entry, shared, 0, (("zip", "zip"),), None),), found, whole)


def test_nobody_found_among_few_is_not_known_and_never_0() -> None:
    few = composed(Narrowing(10, 0, 0), 80)
    assert few.one_candidate is None
    assert not {AT_LEAST, SHARE_AT_LEAST} & {*few.to_dict()} and few.to_dict()["not_matched"] == 70
    assert "is not known. Of 70 people who could not be matched" in str(few)
    assert "is not known." in composition_stated(rounded(few.to_dict()))
    assert "at least" not in str(few)
    entry = LedgerEntry("x", "", "", "", "", "", 1, (), "", composition=few.to_dict())
    assert narrowed_text(entry) == "not known"
    # Of most of them it says something; and whoever is found is found.
    none = composed(Narrowing(70, 0, 0), 80)
    assert none.to_dict()[AT_LEAST] == 0
    assert "leave none of 80, as far as was seen, with one candidate value." in str(none)
    some = composed(Narrowing(10, 4, 0), 80)
    assert (some.to_dict()[AT_LEAST], some.to_dict()[SHARE_AT_LEAST]) == (4, 0.05)
    assert "at least 4 of 80 (5.0 %) with one candidate value. Of 70 people" in str(some)
    assert composed(Narrowing(40, 20, 0), 80, whole=2.0).to_dict()[AT_LEAST] == 40


def test_what_an_earlier_version_stated_is_read_still() -> None:
    old = {"unit": "people", "records": 100, "earlier": [{"records": 80}], "shared": 80}
    old |= {"one_candidate": 20, "one_candidate_share": 0.25}
    assert "about 20 (25.0 %) or more" in composition_stated(old)
    entry = LedgerEntry("x", "", "", "", "", "", 1, (), "", composition=old)
    assert narrowed_text(entry) == "20 (25.0 %)"


def test_look_alikes_who_changed_are_not_taken_for_each_other(
    tmp_path: Path, read_together: list[list[Seen]]
) -> None:
    """Two people alike in all that stayed, and not in what changed: nobody can tell which is which."""
    source = random.Random(2)
    before = patients()
    twins = pl.concat([before.head(240), before.head(60).with_columns(zip=others(zips[:60]))])
    order = list(range(300))
    after = twins.with_columns(zip=pl.Series([str(source.randint(1000, 1999)) for _ in order]))
    saved(twins, tmp_path / "one", KEY)
    saved(after, tmp_path / "two", OTHER_KEY)
    assert 100 <= stated()["not_matched"] <= 125
    (seen,) = read_together
    linked = np.intersect1d(seen[0].who, seen[1].who)
    assert len(linked) == stated()["shared"] - stated()["not_matched"]
    left = values_left(seen, "disease", 1 + max(int(one.who.max()) for one in seen))
    assert all(value in values for value, values in zip(after["disease"], left, strict=False))
