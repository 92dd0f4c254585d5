"""``generalize --after``: tables and sets of the same people again, what is kept and what is refused."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit.data.hierarchy import from_parents
from tacit.errors import TacitError
from tacit.io.readers import read_transactions
from tacit.methods.generalize_sets.verb import generalize as generalize_sets
from tacit.methods.generalize_tables.verb import generalize as generalize_tables
from tacit.random.key import Key
from tacit.release.kinds import kind_of
from tacit.release.ledger import Ledger
from tacit.surface.cli import main
from tacit.surface.series import forget_in_series, show_series, verify_series
from tacit_verify.verifying import verify
from tests.methods.bucketize.releases import edit_manifest, resign
from tests.methods.bucketize.series import people, put
from tests.methods.chains import ITEMS, KEY, set_chain, sets, table, tables

EVERYBODY = people(np.random.default_rng(4), 500)


def baskets(first: int, last: int) -> dict[str, list[str]]:
    generator = np.random.default_rng(5)
    drawn = {f"p{one}": generator.choice(9, generator.integers(1, 4), replace=False) for one in range(500)}
    return {who: [f"i{item}" for item in drawn[who]] for who in [f"p{one}" for one in range(first, last)]}


def broken(folders: list[Path]) -> list[str]:
    return [check.name for check in verify(folders[-1], after=folders[:-1][::-1]) if check.ok is False]


def in_public(folders: list[Path], place: Path) -> list[Path]:
    return [Path(shutil.copytree(folder, place / folder.name)) for folder in folders]


def refusal(make: Callable[[], object]) -> TacitError:
    with pytest.raises(TacitError) as found:
        make()
    assert found.value.hint
    return found.value


@pytest.mark.parametrize("recoding", ["global", "subtree"])
@pytest.mark.parametrize("l", [None, 2])
def test_a_chain_of_tables_keeps_its_recoding_and_is_verified(
    tmp_path: Path, recoding: str, l: int | None
) -> None:
    frames = [EVERYBODY[:350], EVERYBODY[100:450], EVERYBODY[150:]]
    releases, folders = tables(frames, tmp_path, (60, 3, 2), recoding=recoding, l=l)
    assert broken(folders) == []
    assert [one.manifest.parameters.get("series", {}).get("number") for one in releases] == [None, 2, 3]
    # Only the first is as coarse as it is because of values.
    assert [one.risk().minimality is not None for one in releases] == [l is not None, False, False]
    losses = [one.solution.loss for one in releases]
    assert losses[0] == pytest.approx(losses[1]) or losses[0] < losses[1]
    public = in_public(folders, tmp_path / "public")
    found = {check.name: check.ok for check in verify(public[-1], after=public[:-1][::-1])}
    assert found["people and classes"] is None and False not in found.values()
    shown = show_series(folders[-1])
    assert [turn.people for turn in shown.turns] == [350, 350, 350]
    promise = kind_of("generalized_table").german(releases[-1].manifest)
    assert "Über die 3 Veröffentlichungen der Reihe: Mindestens 2 Personen" in promise
    assert ("könnten 2 Werte haben" in promise) == (l == 2)
    assert all(turn.measured["cohort"] >= k for turn, k in zip(shown.turns, (60, 3, 2), strict=True))
    looks: dict[int, tuple[tuple[int, object], ...]] = {}
    for number, (release, start) in enumerate(zip(releases, (0, 100, 150), strict=True)):
        for row, cells in zip(release.recoded.rows.tolist(), release.table.rows(), strict=True):
            looks[start + row] = (*looks.get(start + row, ()), (number, cells[:-1]))
        assert shown.turns[number].measured["cohort"] == min(Counter(looks.values()).values())
    assert "smallest cohort" in str(shown) and ("values" in str(shown).split("folder")[0]) == (l == 2)


def test_a_chain_of_sets_keeps_its_mapping_and_is_verified(tmp_path: Path) -> None:
    chain = [baskets(0, 350), baskets(100, 450), baskets(150, 500)]
    releases, folders = set_chain(chain, tmp_path, (40, 5, 2))
    promise = [kind_of("generalized").german(one.manifest) for one in releases]
    assert "Reihe" not in promise[0] and "Über die 3 Veröffentlichungen der Reihe" in promise[2]
    assert broken(folders) == []
    assert len({(folder / "mapping.csv").read_text() for folder in folders}) == 1
    public = in_public(folders, tmp_path / "public")
    found = {check.name: check.ok for check in verify(public[-1], after=public[:-1][::-1])}
    assert found["people and classes"] is None and False not in found.values()
    shown = show_series(folders[-1])
    assert all(turn.measured["faced"] >= k for turn, k in zip(shown.turns, (40, 5, 2), strict=True))
    assert all(turn.measured["faced_alone"] >= turn.measured["faced"] for turn in shown.turns)
    page = shown._repr_html_()
    assert page.count("<svg") == 2 and "of all releases so far" in page and "faced so far" in page
    assert "p150" not in "".join(file.read_text() for folder in folders for file in folder.iterdir())


def small(rows: str) -> pl.DataFrame:
    """People by letter with values, all alike: ``"ta ub"`` are t with a and u with b."""
    pairs = rows.split()
    return pl.DataFrame(
        {
            "id": [pair[0] for pair in pairs],
            "sex": ["f"] * len(pairs),
            "age": ["20"] * len(pairs),
            "disease": [pair[1:] for pair in pairs],
        }
    )


def test_the_counterexample_of_the_method_is_refused(tmp_path: Path) -> None:
    """R1 {t, u, w: a b c}, R2 {u, w: b c} gives t = a, though every class has two people and two values."""
    _, (first,) = tables([small("ta ub wc")], tmp_path, (2,), l=2, readers="nothing")
    again = table(small("ub wc"))
    for l in (None, 2):
        error = refusal(
            lambda l=l: generalize_tables(
                again, k=2, l=l or 2, person="id", recoding="subtree", readers="nothing", after=first, key=KEY
            )
        )
        assert error.code == "infeasible-series" and "No k can be kept" in str(error.hint)
        assert "bucketize" in str(error.hint)


def test_the_largest_k_of_a_series_is_named(tmp_path: Path) -> None:
    """Five look alike, and then three: the other two are alone with each other."""
    _, (first,) = tables([small("ta ub va wb xa")], tmp_path, (5,))
    asked: dict[str, Any] = {"person": "id", "recoding": "subtree", "key": KEY}
    again = table(small("va wb xa"))
    error = refusal(lambda: generalize_tables(again, k=3, after=first, **asked))
    assert error.code == "infeasible-series" and "The largest k is 2." in str(error.hint)
    generalize_tables(again, k=2, after=first, **asked)


def test_values_of_a_cohort_count_and_not_those_of_its_classes(tmp_path: Path) -> None:
    """Everybody's class has two values twice, and those who leave have one of them alone."""
    _, (first,) = tables([small("ta ua vb wb")], tmp_path, (2,), l=2, readers="nothing")
    asked = {"k": 2, "l": 2, "person": "id", "recoding": "subtree", "readers": "nothing", "key": KEY}
    error = refusal(lambda: generalize_tables(table(small("va wb")), after=first, **asked))
    assert error.code == "infeasible-series" and error.option == "l"
    generalize_tables(table(small("ua wb")), after=first, **asked)


def test_new_values_make_a_table_coarser_and_never_finer(tmp_path: Path) -> None:
    base = [("f", str(20 + one % 10), f"d{one % 3}") for one in range(20)]
    old = [("f", str(40 + one % 10), f"d{one % 3}") for one in range(20)]
    frame = [
        pl.DataFrame(
            [(f"{number}-{place}", *row) for place, row in enumerate(rows)],
            schema=["id", "sex", "age", "disease"],
            orient="row",
        )
        for number, rows in ((1, base), (2, old))
    ]
    releases, folders = tables([pl.concat(frame), pl.concat(frame)], tmp_path, (10, 4))
    both = [set(one.table["age"]) for one in releases]
    assert both[0] == both[1] == {"2x", "4x"}
    few = pl.DataFrame(
        [("n1", "f", "50", "d0"), ("n2", "f", "51", "d1")], schema=frame[0].schema, orient="row"
    )
    later = generalize_tables(
        table(pl.concat([*frame, few])), k=2, person="id", recoding="subtree", after=folders[1], key=KEY
    )
    assert set(later.table["age"]) == {"2x", "4x", "5x"}
    alone = pl.concat([*frame, few[:1], few[1:].with_columns(age=pl.lit("30"))])
    one = generalize_tables(table(alone), k=2, person="id", recoding="subtree", after=folders[1], key=KEY)
    assert set(one.table["age"]) == {"*"}


ASKED: dict[str, Any] = {"k": 2, "person": "id", "recoding": "subtree", "key": KEY}


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    return tables([EVERYBODY[:300]], tmp_path, (40,))[1][0]


def refused(frame: pl.DataFrame, after: Path, **options: Any) -> str:
    return refusal(lambda: generalize_tables(table(frame), **ASKED | {"after": after} | options)).code


def test_tables_that_cannot_be_continued_are_refused(begun: Path, tmp_path: Path) -> None:
    now = EVERYBODY[100:400]
    assert refused(pl.concat([now, now[:1]]), begun) == "series-person-repeats"
    assert refused(now, begun, key=Key.from_seed(5)) == "series-other-key"
    assert refused(now, begun, recoding="local") == "series-recoding"
    assert refused(now, begun, recoding="cells") == "series-recoding"
    assert refused(now, begun, recoding="global") == "series-recoding"
    assert refused(now, begun, person=None) == "parameter-unused"
    assert refused(now, begun, t=0.5) == "parameter-unused"
    assert refused(now, begun, max_suppressed=0.1) == "parameter-unused"
    assert refused(now, tmp_path / "nothing") == "release-not-found"
    assert refused(now.with_columns(id=pl.col("id") + "x"), begun) == "series-nobody"
    alone = put(generalize_tables(table(now), **ASKED | {"person": None}), tmp_path / "alone")
    assert refused(now, alone) == "series-not-begun"
    promised = put(generalize_tables(table(now), **ASKED | {"l": 2, "k": 40}), tmp_path / "promised")
    assert refused(now, promised) == "series-other-l"
    other = table(now).with_roles(quasi=("age",))
    code = refusal(lambda: generalize_tables(other, **ASKED | {"after": begun})).code
    assert code == "series-other-table"


def test_other_hierarchies_and_unknown_values_are_refused(begun: Path) -> None:
    now = EVERYBODY[100:400]
    fives = from_parents(
        {str(age): f"{age // 5}y" for age in range(20, 60)} | {f"{five}y": "*" for five in range(4, 12)},
        name="age",
    )
    asked = {**ASKED, "after": begun}
    code = refusal(lambda: generalize_tables(table(now, hierarchies={"age": fives}), **asked)).code
    assert code == "series-hierarchies"
    odd = now.with_columns(sex=pl.when(pl.int_range(pl.len()) < 5).then(pl.lit("x")).otherwise(pl.col("sex")))
    assert refused(odd, begun) == "series-hierarchies"


def test_numbers_find_their_interval_in_a_hierarchy_that_was_made(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    frame = EVERYBODY.with_columns(age=pl.Series(generator.permuted(np.arange(1000, 2000, 2))))
    first = put(generalize_tables(table(frame, hierarchies={}), **ASKED | {"k": 150}), tmp_path / "one")
    moved = frame.with_columns(age=pl.when(pl.int_range(pl.len()) < 1).then(1101).otherwise(pl.col("age")))
    second = generalize_tables(table(moved, hierarchies={}), **ASKED | {"after": first})
    assert broken([first, put(second, tmp_path / "two")]) == []
    away = frame.with_columns(age=pl.when(pl.int_range(pl.len()) < 1).then(9000).otherwise(pl.col("age")))
    assert (
        refusal(lambda: generalize_tables(table(away, hierarchies={}), **ASKED | {"after": first})).code
        == "series-hierarchies"
    )


def test_a_lost_record_and_a_broken_chain_are_refused(tmp_path: Path) -> None:
    _, folders = tables([EVERYBODY[:300], EVERYBODY[50:350]], tmp_path, (100, 2), recoding="global")
    now, after = EVERYBODY[80:400], {"recoding": "global"}
    before = (folders[0] / "table.csv").read_text()
    (folders[0] / "table.csv").write_text(before + before.splitlines()[-1] + "\n")
    assert refused(now, folders[1], **after) == "series-broken"
    (folders[0] / "table.csv").write_text(before)
    moved = folders[0].with_name("moved")
    folders[0].rename(moved)
    assert refused(now, folders[1], **after) == "series-broken"
    moved.rename(folders[0])
    record = folders[0].with_name("r1.private")
    record.rename(record.with_name("elsewhere"))
    assert refused(now, folders[1], **after) == "series-record-missing"
    record.with_name("elsewhere").rename(record)
    shutil.rmtree(folders[1].with_name("r2.private"))
    assert refused(now, folders[1], **after) == "series-record-missing"


def test_sets_that_cannot_be_continued_are_refused(tmp_path: Path) -> None:
    _, (begun,) = set_chain([baskets(0, 300)], tmp_path, (40,))
    asked: dict[str, Any] = {"k": 2, "m": 2, "person": "who", "key": KEY, "after": begun}

    def code(held: dict[str, list[str]], **options: Any) -> str:
        return refusal(lambda: generalize_sets(sets(held), **asked | options)).code

    now = baskets(100, 400)
    assert code({**now, "P200": ["i1"]}) == "series-person-repeats"
    assert code(now, key=Key.from_seed(5)) == "series-other-key"
    assert code(now, person="item") == "person-not-there"
    assert code(now, person=None) == "parameter-unused"
    assert code(now, max_suppressed=0.1) == "parameter-unused"
    assert code(now, mapping=begun / "mapping.csv") == "parameter-unused"
    assert code({f"x{who}": held for who, held in now.items()}) == "series-nobody"
    assert code(baskets(1, 300)) == "infeasible-series"
    plain = tmp_path / "plain.dat"
    plain.write_text("i1 i2\n" * 20)
    unnamed = read_transactions(plain, hierarchy=ITEMS)
    assert refusal(lambda: generalize_sets(unnamed, k=2, m=1, person="who")).code == "person-not-there"
    for name in "hg":  # other nodes, and the same nodes with other items
        leaves = {f"i{item}": f"{name}{item % 3}" for item in range(9)}
        tree = from_parents(leaves | dict.fromkeys(leaves.values(), "*"))
        wrong = sets(now, hierarchy=tree)
        assert refusal(lambda wrong=wrong: generalize_sets(wrong, **asked)).code == "not-a-cut"
    alone = put(generalize_sets(sets(now), k=2, m=2), tmp_path / "alone")
    assert code(now, after=alone) == "series-not-begun"
    table_release = tables([EVERYBODY[:300]], tmp_path / "t", (40,))[1][0]
    assert code(now, after=table_release) == "series-not-begun"


def test_whoever_leaves_alone_is_not_faced_with_others(tmp_path: Path) -> None:
    """Two know {a}: in each release k people have it, and one of them is in the first alone."""
    first = {who: ["i0", "i1"] for who in "tuvw"} | {who: ["i5"] for who in "xyz"}
    _, (begun,) = set_chain([first], tmp_path, (2,), m=1, algorithm="optimal")
    asked: dict[str, Any] = {"k": 2, "m": 1, "person": "who", "key": KEY, "after": begun}
    gone = {who: held for who, held in first.items() if who != "t"}
    error = refusal(lambda: generalize_sets(sets(gone), **asked))
    assert error.code == "infeasible-series" and "No k can be kept" in str(error.hint)
    more = {who: held for who, held in first.items() if who not in "tu"}
    generalize_sets(sets(more), **asked)


def test_a_person_is_forgotten_and_the_chain_still_holds(tmp_path: Path) -> None:
    _, folders = tables([EVERYBODY[:300], EVERYBODY[:300]], tmp_path, (40, 40))
    assert forget_in_series(folders[1], "P0100 ", KEY) == 2
    assert broken(folders) == []
    assert not verify_series(folders[1]).broken
    _, folders = set_chain([baskets(0, 300), baskets(0, 300)], tmp_path / "sets", (40, 40))
    assert forget_in_series(folders[1], "p100", KEY) == 2
    assert broken(folders) == []


def test_a_wrong_record_is_caught(tmp_path: Path) -> None:
    frames = [EVERYBODY[:350], EVERYBODY[100:450]]
    _, folders = tables(frames, tmp_path, (60, 3), l=2)
    (record,) = folders[1].with_name("r2.private").glob("*/people.csv")
    before = pl.read_csv(record)
    before.with_columns(pl.col("row").shuffle(seed=1)).write_csv(record)
    assert broken(folders)
    before[1:].write_csv(record)
    assert broken(folders) == ["people and rows"]
    pl.concat([before[1:], before[1:2].with_columns(row=before["row"][:1])]).write_csv(record)
    assert broken(folders) == ["people and rows"]


@pytest.mark.parametrize("name", ["mapping.csv", "table.csv", "hierarchies.csv"])
def test_older_files_are_read_as_strictly_where_the_first_release_is_not_given(
    name: str, tmp_path: Path
) -> None:
    """Needless quotes could carry something, and readers need not agree on what they say."""
    if name == "mapping.csv":
        _, folders = set_chain([baskets(0, 300)] * 3, tmp_path, (40, 5, 2))
    else:
        _, folders = tables([EVERYBODY[:300]] * 3, tmp_path, (60, 3, 2), recoding="global")
    before, last = in_public(folders, tmp_path / "public")[1:]
    assert broken([before, last]) == []
    header, line, rest = (before / name).read_text().split("\n", 2)
    cell, _, behind = line.partition(",")
    (before / name).write_text(f'{header}\n"{cell}",{behind}\n{rest}')
    resign(before)
    asked = json.loads((last / "release.json").read_text())["parameters"]
    after = hashlib.sha256((before / "release.json").read_bytes()).hexdigest()
    edit_manifest(last, parameters=asked | {"series": asked["series"] | {"after": after}})
    assert broken([before, last]) == ["series"]


def going(kind: str, place: Path) -> tuple[list[Path], Callable[[], Any]]:
    """Three releases whose people come, leave, return and change, and what makes the fourth."""
    turns = [(0, 350), (100, 450), (0, 500)]
    if kind == "tables":
        frames = [EVERYBODY[first:last] for first, last in turns]
        frames[2] = frames[2].with_columns(disease=pl.col("disease").reverse())
        _, folders = tables(frames, place, (60, 3, 2), l=2, recoding="global")
        asked = ASKED | {"recoding": "global", "l": 2, "after": folders[-1]}
        return folders, lambda: generalize_tables(table(EVERYBODY[:300]), **asked)
    chain = [baskets(first, last) for first, last in turns]
    _, folders = set_chain(chain, place, (40, 5, 2))
    options: dict[str, Any] = {"k": 2, "m": 2, "person": "who", "key": KEY, "after": folders[-1]}
    return folders, lambda: generalize_sets(sets(baskets(0, 300)), **options)


def told(folders: list[Path]) -> dict[str, tuple[bool | None, str]]:
    return {check.name: (check.ok, check.detail) for check in verify(folders[-1], after=folders[:-1][::-1])}


@pytest.mark.parametrize("kind", ["tables", "sets"])
def test_the_last_record_hands_on_what_the_whole_chain_says(kind: str, tmp_path: Path) -> None:
    folders, make = going(kind, tmp_path)
    release = make()
    last = put(release, tmp_path / "r4")
    whole, handed = told([*folders, last]), told([folders[-1], last])
    for name in ("people and rows", "k over the series", "ℓ over the series", "k^m over the series"):
        assert whole.get(name) == handed.get(name) and whole.get(name, (True,))[0]
    assert release.checked_after == release.before[-1:]
    (record,) = last.with_name("r4.private").glob("*/people.csv")
    frame = pl.read_csv(record)
    frame.with_columns(life=pl.col("life").reverse()).write_csv(record)
    assert told([folders[-1], last])["people and rows"][0] is False
    frame.write_csv(record)
    # A record as older versions wrote it: the next release reads the whole chain, and is the same.
    (lives,) = folders[-1].with_name("r3.private").glob("*/lives.csv")
    lives.unlink()
    old = lives.with_name("people.csv")
    pl.read_csv(old).filter(pl.col("row") > 0).drop("life").write_csv(old)
    again = make()
    assert again.checked_after == again.before and again.manifest == release.manifest
    assert {name: again.private[name] for name in ("people.csv", "lives.csv")} == {
        name: release.private[name] for name in ("people.csv", "lives.csv")
    }
    assert told([folders[-1], put(again, tmp_path / "again")])["people and rows"][0] is None


def test_missing_values_are_handed_on_as_they_are_published(tmp_path: Path) -> None:
    frame = EVERYBODY.with_columns(
        pl.when(pl.int_range(pl.len()) % one_in > 0).then(pl.col(name)).alias(name)
        for name, one_in in (("sex", 3), ("disease", 7))
    )
    frames = [frame[:350], frame[100:450], frame[150:]]
    _, folders = tables(frames, tmp_path, (60, 3, 2), l=2, readers="nothing")
    assert "\nNaN,*,\n" in (folders[0] / "table.csv").read_text()
    whole, handed = told(folders), told(folders[1:])
    assert whole["k over the series"] == handed["k over the series"]
    assert False not in {ok for ok, _ in (*whole.values(), *handed.values())}


def test_the_ledger_knows_the_series_and_the_command_line_makes_it(tmp_path: Path, capsys: Any) -> None:
    for number, frame in enumerate((EVERYBODY[:350], EVERYBODY[100:450]), start=1):
        frame.write_csv(tmp_path / f"q{number}.csv")
    key = tmp_path / "key"
    words = ["generalize", "--quasi", "sex,age", "--sensitive", "disease", "--recoding", "global"]
    words += ["--person", "id", "--key-file", str(key), "--accept-weak"]
    assert main(["key", "new", str(key)]) == 0 or key.exists()
    assert main([*words, str(tmp_path / "q1.csv"), "-k", "60", "-o", str(tmp_path / "o1")]) == 0
    after = ["--after", str(tmp_path / "o1")]
    assert main([*words, str(tmp_path / "q2.csv"), "-k", "2", *after, "-o", str(tmp_path / "o2")]) == 0
    entries = Ledger().read().entries
    assert [entry.series for entry in entries][-2:] == ["", entries[-2].id]
    capsys.readouterr()
    assert main(["series", "show", str(tmp_path / "o2"), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["kind"] == "generalized_table" and len(shown["releases"]) == 2
    assert main(["series", "verify", str(tmp_path / "o2")]) == 8
    assert main([*words, str(tmp_path / "q2.csv"), "-k", "70", *after, "-o", str(tmp_path / "o3")]) == 4
    assert not (tmp_path / "o3").exists() and not (tmp_path / "o3.private").exists()
