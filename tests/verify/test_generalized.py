"""The verifier of generalized releases: it passes what is sound and refuses every planted fault."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tacit.data.hierarchy import from_parents
from tacit.data.transactions import transactions_from_sets
from tacit.methods.generalize_sets.solve.solve import planned
from tacit_verify import Check, generalized, reading, verify
from tests.strategies.baskets import Baskets, random_baskets
from tests.tally import Tally
from tests.verify.sets import files_of, manifest_of, write_release

Files = dict[str, bytes]
Manifest = dict[str, Any]


def original_of(baskets: Baskets, path: Path) -> Path:
    path.write_text("".join(" ".join(sorted(record)) + "\n" for record in baskets.records), encoding="utf-8")
    return path


def check_releases(folder: Path, cases: int, seed: int) -> None:
    seeded = random.Random(seed)
    done = 0
    while done < cases:
        baskets = random_baskets(seeded)
        k, m, share = seeded.randint(2, 4), seeded.randint(1, 3), seeded.choice([0, 0, 0.2])
        if sum(map(bool, baskets.records)) < k:
            continue
        algorithm = "apriori" if done % 2 else "direct"
        plan = planned(baskets.transactions, k=k, m=m, algorithm=algorithm, max_suppressed=share)
        files, manifest = files_of(baskets.transactions, plan), manifest_of(baskets.transactions, plan)
        write_release(folder, manifest, files)
        original = original_of(baskets, folder.parent / "original.dat") if done % 4 == 0 else None
        assert [check for check in verify(folder, original) if check.ok is False] == []
        done += 1


@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.ci)])
def test_random_releases_pass(count: int, tmp_path: Path, tally: Tally) -> None:
    tally("random inputs verified", "generalize", tried=count)
    check_releases(tmp_path / "release", count, seed=1)


def test_rare_sets_are_counted_as_by_plain_counting(tmp_path: Path) -> None:
    seeded = random.Random(2)
    file = tmp_path / "transactions.dat"
    refused = 0
    for _ in range(500):
        names = [f"n{number}" for number in range(seeded.randint(1, 9))]
        records = [seeded.sample(names, seeded.randint(0, len(names))) for _ in range(seeded.randint(1, 40))]
        file.write_text("".join(" ".join(record) + "\n" for record in records))
        held = Counter({name: seeded.randint(1, 9) for name in names})  # any order will do
        k, m = seeded.randint(2, 6), seeded.randint(1, 4)
        lengths, parts = Counter(map(len, records)), seeded.randint(1, 4)
        told = list(generalized._supports(file, held, lengths, k, m))
        found = [generalized._rare(file, held, k, m, slice(part, None, parts)) for part in range(parts)]
        for size in range(1, m + 1):
            plain = Counter(chosen for record in records for chosen in combinations(sorted(record), size))
            rare = [number for number in plain.values() if number < k]
            detail = f"{len(rare)} of {len(plain)} occur in fewer than {k}"
            detail += f", the rarest in {min(rare)}" if rare else ""
            assert told[size - 1] == Check(f"sets of {size}", not rare, detail)
            mine = [one[size - 1] for one in found]
            assert sum(common for common, _ in mine) == len(plain) - len(rare)
            assert sorted(number for _, some in mine for number in some) == sorted(rare)
        refused += bool(rare)
    assert 100 < refused < 480


@pytest.mark.parametrize(("name", "most"), [("MANY", -1), ("MEMORY", 1 << 14)])
def test_all_cores_find_what_one_does(
    name: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeded = random.Random(3)
    file = tmp_path / "transactions.dat"
    names = [f"n{number}" for number in range(12)]
    file.write_text("".join(" ".join(seeded.sample(names, 5)) + "\n" for _ in range(300)))
    asked = file, Counter(names), Counter({5: 300}), 12, 3
    alone = list(generalized._supports(*asked))
    counted = reading.count_sets(file, {}, [frozenset(names[:2])])
    monkeypatch.setattr(generalized, name, most)
    monkeypatch.setattr(generalized, "cpu_count", lambda: 3)
    assert list(generalized._supports(*asked)) == alone
    monkeypatch.setattr(reading, "LARGE", -1)
    for cores, lines in ((2, 1), (3, 7), (3, 1000)):
        monkeypatch.setattr(reading, "cpu_count", lambda cores=cores: cores)
        monkeypatch.setattr(reading, "AT_ONCE", lines)
        assert reading.count_sets(file, {}, [frozenset(names[:2])]) == counted
    assert [check.ok for check in alone] == [True, True, False]
    assert [check.ok for check in counted[3]] == [False, False]


PARENTS = {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "ALL", "B": "ALL"}
RECORDS = [{"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"}]


def sound() -> tuple[Files, Manifest]:
    """The paper's example: {A, b1}, {A, b1, b2} twice, {A, b2}, for k = 2 and m = 2."""
    data = transactions_from_sets(RECORDS, hierarchy=from_parents(PARENTS))
    plan = planned(data, k=2, m=2)
    return files_of(data, plan), manifest_of(data, plan)


def lines(files: Files) -> list[str]:
    return files["transactions.dat"].decode().splitlines()


def put(files: Files, records: list[str]) -> None:
    files["transactions.dat"] = "".join(record + "\n" for record in records).encode()


def ungeneralize(files: Files, manifest: Manifest) -> None:
    put(files, ["A b1", "A b1 b2", "A b1 b2", "a1 b2"])
    files["mapping.csv"] = files["mapping.csv"].replace(b"a1,A", b"a1,a1")


def lower_a_support(files: Files, manifest: Manifest) -> None:
    put(files, ["A b1", "A b1", "A b1 b2", "A b2"])


def drop_a_record(files: Files, manifest: Manifest) -> None:
    put(files, lines(files)[:-1])


def drop_a_record_and_say_so(files: Files, manifest: Manifest) -> None:
    put(files, ["A b1", "A b1 b2", "A b2"])
    manifest["promise"]["records"] = 3


def add_a_record(files: Files, manifest: Manifest) -> None:
    put(files, [*lines(files), "A b2"])


def reorder(files: Files, manifest: Manifest) -> None:
    put(files, lines(files)[::-1])


def reorder_inside_a_record(files: Files, manifest: Manifest) -> None:
    put(files, ["A b1", "A b1 b2", "A b2 b1", "A b2"])


def repeat_an_item(files: Files, manifest: Manifest) -> None:
    put(files, ["A b1", "A b1 b1", "A b1 b2", "A b2"])


def publish_a_stranger(files: Files, manifest: Manifest) -> None:
    put(files, [record.replace("A", "X") for record in lines(files)])


def lower_k_in_the_promise_only(files: Files, manifest: Manifest) -> None:
    manifest["promise"]["k"] = 3


def raise_k_everywhere(files: Files, manifest: Manifest) -> None:
    manifest["promise"]["k"] = manifest["parameters"]["k"] = 4


def raise_m_everywhere(files: Files, manifest: Manifest) -> None:
    put(files, ["A b1", "A b1", "A b1 b2", "A b2", "A b2", "b1 b2"])
    manifest["promise"] |= {"m": 3, "records": 6}
    manifest["parameters"]["m"] = manifest["reader"]["known_items"] = 3


def weaken_the_reader(files: Files, manifest: Manifest) -> None:
    manifest["reader"]["known_items"] = 1


def promise_nothing(files: Files, manifest: Manifest) -> None:
    manifest["promise"] |= {"k": 1}
    manifest["parameters"]["k"] = 1


def map_an_item_twice(files: Files, manifest: Manifest) -> None:
    files["mapping.csv"] += b"a1,a1\n"


def map_one_item_to_another(files: Files, manifest: Manifest) -> None:
    files["mapping.csv"] = files["mapping.csv"].replace(b"b2,b2", b"b2,b1")


def lose_the_mapping(files: Files, manifest: Manifest) -> None:
    del files["mapping.csv"]


def spoil_the_mapping(files: Files, manifest: Manifest) -> None:
    files["mapping.csv"] = b"item\na1\n"


@pytest.mark.tally("planted faults", "generalize")
@pytest.mark.parametrize(
    "plant",
    [
        ungeneralize, lower_a_support, drop_a_record, drop_a_record_and_say_so, add_a_record, reorder,
        reorder_inside_a_record, repeat_an_item, publish_a_stranger, lower_k_in_the_promise_only,
        raise_k_everywhere, raise_m_everywhere, weaken_the_reader, promise_nothing, map_an_item_twice,
        map_one_item_to_another, lose_the_mapping, spoil_the_mapping,
    ],
)  # fmt: skip
def test_planted_faults_are_caught(tmp_path: Path, plant: Callable[[Files, Manifest], None]) -> None:
    files, manifest = sound()
    write_release(tmp_path / "sound", manifest, files)
    assert all(check.ok is not False for check in verify(tmp_path / "sound"))
    spoiled = deepcopy(manifest)
    plant(files, spoiled)
    write_release(tmp_path / "spoiled", spoiled, files)
    assert not all(check.ok is not False for check in verify(tmp_path / "spoiled"))


def failed(checks: list[Check]) -> set[str]:
    return {check.name for check in checks if check.ok is False}


def test_faults_that_only_the_original_shows(tmp_path: Path) -> None:
    files, manifest = sound()
    folder, original = tmp_path / "release", tmp_path / "original.dat"
    write_release(folder, manifest, files)
    original.write_text("a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\n")
    assert failed(verify(folder, original)) == set()
    original.write_text("a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b1\n")  # another record
    assert failed(verify(folder, original)) == {"original", "ncp"}
    original.write_text("a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\na1\n")  # one more
    assert "original" in failed(verify(folder, original))
    original.write_text("a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 c9\n")  # an item without a place
    assert failed(verify(folder, original)) >= {"original items", "original"}
    manifest["utility"]["ncp"] = 0.1
    write_release(folder, manifest, files)
    original.write_text("a1 b1 b2\na2 b1\na2 b1 b2\na1 a2 b2\n")
    assert failed(verify(folder, original)) == {"ncp"}


def test_a_support_below_k_is_named_by_its_size(tmp_path: Path) -> None:
    files, manifest = sound()
    put(files, ["A b1", "A b1", "A b1 b2", "A b2"])
    write_release(tmp_path / "release", manifest, files)
    assert failed(verify(tmp_path / "release")) == {"sets of 2", "figures"}


@pytest.mark.parametrize("name", ["transactions.csv", "transactions.jsonl"])
def test_names_with_blanks_are_read(tmp_path: Path, name: str) -> None:
    parents = {"red wine": "wine, any", "white wine": "wine, any", "wine, any": "ALL", "beer": "ALL"}
    records = [{"red wine"}, {"white wine"}, {"beer"}, {"beer"}]
    data = transactions_from_sets(records, hierarchy=from_parents(parents))
    plan = planned(data, k=2, m=1)
    files, manifest = files_of(data, plan), manifest_of(data, plan)
    del files["transactions.dat"]
    manifest["parameters"]["transactions"] = name
    text = {
        "transactions.csv": 'beer\nbeer\n"wine, any"\n"wine, any"\n',
        "transactions.jsonl": '["beer"]\n["beer"]\n["wine, any"]\n["wine, any"]\n',
    }
    files[name] = text[name].encode()
    write_release(tmp_path / "release", manifest, files)
    assert failed(verify(tmp_path / "release")) == set()


def test_in_a_fresh_process(tmp_path: Path) -> None:
    files, manifest = sound()
    write_release(tmp_path / "release", manifest, files)
    command = [sys.executable, "-m", "tacit_verify", str(tmp_path / "release")]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    lower_a_support(files, manifest)
    write_release(tmp_path / "release", manifest, files)
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    assert run.returncode == 7
    assert "FAIL  sets of 2: 1 of 3 occur in fewer than 2, the rarest in 1" in run.stdout


def test_what_can_have_been_lost() -> None:
    """Of three items a and b are one; of two records that look alike published, either may be left out."""
    mapping = {"a": "g", "b": "g", "c": "c"}
    short, long, shown = frozenset("ac"), frozenset("abc"), frozenset("gc")
    assert generalized._losses(Counter({frozenset("a"): 1}), Counter(), mapping) == (2 / 3, 2 / 3)
    assert generalized._losses(Counter({short: 1}), Counter(), mapping) == (2 / 6, 2 / 6)
    assert generalized._losses(Counter({short: 1}), Counter({shown: 1}), mapping) == (1, 1)
    assert generalized._losses(Counter({short: 1, long: 1}), Counter({shown: 1}), mapping) == (
        10 / 15,
        11 / 15,
    )
    assert generalized._losses(Counter({short: 2, long: 1}), Counter({shown: 2}), mapping) == (
        16 / 21,
        17 / 21,
    )
