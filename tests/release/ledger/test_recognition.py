"""Who is recognized again, however the file is written, and who is not: unrelated people never are.

The rates are printed with what was tried, at the end of a run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise, permutations
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.release.ledger import sealed
from tacit.release.recognition import MOST_BYTES, Sketch, read_sketch, recognized, sketch_of
from tacit.release.records import Likeness, PeopleLikeness, SetsLikeness
from tests.release.ledger import altering
from tests.release.ledger.altering import ALTERATIONS, FILES, answers, citizens, patients, staff
from tests.release.ledger.making import KEY
from tests.tally import Tally

AGAIN, UNRELATED = "recognized again", "unrelated data"
GENERATORS = (patients, citizens, answers, staff)


def likeness(data: Any) -> Likeness:
    if isinstance(data, list):
        sets = tacit.transactions_from_sets(data)
        return SetsLikeness(sets, np.arange(len(sets)), KEY)
    table = data if isinstance(data, Table) else tacit.table_from_frame(data, twins="keep")
    return PeopleLikeness(table, np.arange(len(table)), KEY)


def sketch(data: Any) -> Sketch:
    """As the ledger gives it back."""
    return read_sketch(sketch_of(likeness(data), KEY).to_bytes())


def test_thirty_alterations(tmp_path: Path, tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    before = patients(400, 1)
    known = sketch(before)
    missed = []
    for name, alter in ALTERATIONS.items():
        after = alter(before)
        after.write_csv(tmp_path / "x.csv")
        found = recognized(likeness(tacit.read_table(tmp_path / "x.csv", twins="keep")), known)
        tally(AGAIN, "30 alterations of a table", wrong=int(found is None))
        if found is None:
            missed.append(name)
            continue
        same = min(len(after), 400 - 80 * ("20 % removed" in name) - 40 * ("much" in name))
        assert abs(found.records - same) <= found.error + 1, name
    with capsys.disabled():
        print(f"\nrecognized again: {len(ALTERATIONS) - len(missed)} of {len(ALTERATIONS)}; missed: {missed}")
    assert len(ALTERATIONS) == 30
    assert len(missed) <= 1


@pytest.mark.parametrize("kind", FILES)
def test_another_format_is_the_same_people(kind: str, tmp_path: Path, tally: Tally) -> None:
    before = patients(300, 1)
    if kind == "Excel":
        pytest.importorskip("fastexcel")
        pytest.importorskip("xlsxwriter")
    file = FILES[kind](before, tmp_path)
    options = {"delimiter": ";"} if kind == "semicolons" else {}
    found = recognized(likeness(tacit.read_table(file, **options)), sketch(before))
    assert found is not None
    assert (found.records, found.error) == (300, 0)
    assert [earlier for earlier, _ in found.columns] == list(before.columns)
    assert len(found.rows) == 300
    tally(AGAIN, "other formats")


def test_people_of_other_draws_are_not_noticed(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    noticed = 0
    for number in range(160):
        make = GENERATORS[number % 4]
        n = (40, 120, 250)[number % 3]
        noticed += (
            recognized(likeness(make(n * (1 + number % 2), 1000 + number)), sketch(make(n, number)))
            is not None
        )
    for number in range(40):
        one, two = altering.baskets(200, number), altering.baskets(300, 1000 + number)
        if number % 2:  # every basket once: nothing is alike within
            one, two = ([list(basket) for basket in sorted(set(map(tuple, sets)))] for sets in (one, two))
        noticed += recognized(likeness(two), sketch(one)) is not None
    tally(UNRELATED, "200 draws of the same generators", tried=200, wrong=noticed)
    with capsys.disabled():
        print(f"\nunrelated data noticed: {noticed} of 200")
    assert noticed == 0


@pytest.mark.slow
def test_many_more_draws(tally: Tally) -> None:
    noticed = tried = 0
    for make in GENERATORS:
        for n in (60, 500, 5000):
            known = [sketch(make(n, seed)) for seed in range(10)]
            for seed in range(10):
                now = likeness(make(n, 1000 + seed))
                noticed += sum(recognized(now, one) is not None for one in known)
                tried += len(known)
    tally(UNRELATED, "more draws", tried=tried, wrong=noticed)
    assert noticed == 0


def test_halves_of_one_table_have_nobody_in_common(public_data: Path, tally: Tally) -> None:
    table = tacit.load_sample("adult")
    rows = np.random.default_rng(1).permutation(len(table))[:6000]
    one, two = table.take(np.sort(rows[:3000])), table.take(np.sort(rows[3000:]))
    assert recognized(likeness(two), sketch(one)) is None
    both = table.take(np.sort(rows[600:3600]))
    found = recognized(likeness(both), sketch(one))
    assert found is not None
    assert abs(found.records - 2400) <= max(found.error, 24)
    tally(UNRELATED, "halves of Adult")


def test_numbers_in_use_for_other_items_recognize_nobody(public_data: Path, tally: Tally) -> None:
    """Items are often numbered as they come or by how often; then "1 2 3" is in everybody's transactions."""
    files = ("BMS-WebView-1.dat", "BMS-WebView-2.dat", "groceries/Groceries.dat")
    sources = [tacit.read_transactions(public_data / file) for file in files]
    sources += [tacit.load_sample("supermarket:10000"), tacit.load_sample("quest:10000")]
    numbered = [[numbers(source, by_count=by_count) for source in sources] for by_count in (False, True)]
    for data in (*numbered, [numbered[0][0], numbered[1][1]]):
        seen, known = [likeness(one) for one in data], [sketch(one) for one in data]
        for now, earlier in permutations(range(len(data)), 2):
            found = recognized(seen[now], known[earlier])
            tally(UNRELATED, "items of other data under the same numbers", wrong=int(found is not None))
            assert found is None


def numbers(source: Transactions, *, by_count: bool) -> list[list[str]]:
    """The transactions with their items numbered in the order in which they come, or the commonest first."""
    rows = [source.items[start:end].tolist() for start, end in pairwise(source.indptr.tolist())]
    counts = Counter(item for row in rows for item in row)
    order = [item for item, _ in counts.most_common()] if by_count else list(counts)
    number = {item: str(place) for place, item in enumerate(order, 1)}
    return [[number[item] for item in row] for row in rows]


@pytest.mark.parametrize("make", [patients, citizens, answers])
@pytest.mark.parametrize("share", [1.0, 0.8])
def test_the_share_in_common(make: Callable[[int, int], pl.DataFrame], share: float) -> None:
    before = make(1000, 1)
    kept = before.sample(fraction=share, seed=1)
    found = recognized(likeness(pl.concat([kept, make(1000 - len(kept), 2)])), sketch(before))
    assert found is not None
    assert abs(found.records - len(kept)) <= found.error + 10


def test_the_columns_are_named_as_then_and_now() -> None:
    before = answers(800, 1)
    names = list(reversed(before.columns))
    after = before.select(names).rename({name: f"x{name}" for name in names})
    found = recognized(likeness(after), sketch(before))
    assert found is not None
    assert {(now, earlier) for earlier, now in found.columns} == {
        (f"x{name}", name) for name in before.columns
    }


def test_a_few_people_and_a_part_of_many() -> None:
    before = patients(12, 1)
    assert recognized(likeness(before.rename({"zip": "x"})), sketch(before)) is not None
    assert recognized(likeness(patients(12, 2)), sketch(before)) is None
    many = patients(5000, 1)
    found = recognized(likeness(many.sample(60, seed=1)), sketch(many))
    assert found is not None
    assert found.records == 60


@pytest.mark.parametrize("share", [0.01, 0.2])
def test_baskets_with_some_taken_out_or_put_in(share: float, tally: Tally) -> None:
    before = altering.baskets(400, 1)
    known = sketch(before)
    draw = np.random.default_rng(1)
    gone = [basket for basket in before if draw.random() >= share]
    added = [*before, *altering.baskets(round(share * 400), 2)]
    thinner = [[item for item in basket if draw.random() >= share] for basket in before]
    for after in (gone, added, [basket for basket in thinner if basket]):
        found = recognized(likeness(after), known)
        tally(AGAIN, "altered baskets", wrong=int(found is None))
        assert found is not None


def test_row_numbers_and_constant_columns_say_nothing() -> None:
    frame = staff(100, 1).with_columns(pl.lit("x").alias("constant"))
    made = likeness(frame)
    assert isinstance(made, PeopleLikeness)
    assert [column.name for column in made.columns] == ["age", "ward", "years"]
    assert recognized(likeness(frame.select("row", "constant")), sketch(frame)) is None


@pytest.mark.slow
def test_a_million_people(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    before = patients(1_000_000, 1)
    table = tacit.table_from_frame(before)
    for name in table.names:
        table.column(name)
    start = process_time()
    made = likeness(table)
    known = sketch_of(made, KEY)
    size = len(sealed(known.to_bytes(), KEY))
    sketched = process_time() - start
    assert size <= MOST_BYTES + 1000
    start = process_time()
    found = recognized(made, known)
    compared = process_time() - start
    assert found is not None
    assert found.records == 1_000_000
    other = likeness(patients(1_000_000, 2))
    start = process_time()
    assert recognized(other, known) is None
    unrelated = process_time() - start
    seconds = (
        f"{sketched:.1f} s to sketch, {compared:.1f} s the same people, {unrelated:.1f} s unrelated ones"
    )
    with capsys.disabled():
        print(f"\na million people: {size:,} bytes, {seconds}")
    tally(AGAIN, "a million people")
