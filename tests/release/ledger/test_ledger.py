"""The ledger's own file: what is in it, what it survives, who may read it."""

from __future__ import annotations

import errno
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
import tacit.release.published
from tacit.random.key import load_ledger_key, new_key
from tacit.release import read_manifest
from tacit.release.ledger import Ledger, LedgerEntry
from tacit.release.recognition import Sketch
from tacit.release.records import Records
from tests.conftest import REPOSITORY
from tests.faults.injection import NEVER, Killed, die, failing, fault
from tests.faults.writers import verify_here
from tests.release.ledger.making import KEY, baskets, bucketized, people
from tests.tally import Tally


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of this test's own, with the ledger's key in it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    load_ledger_key()
    return tmp_path / "state" / "tacit" / "ledger"


def entry(name: str, records: int = 3) -> LedgerEntry:
    return LedgerEntry(
        id=name,
        when="2026-01-01T00:00:00+00:00",
        folder=f"/out/{name}",
        kind="bucketized",
        method="anatomy",
        promise="…",
        records=records,
        columns=("zip",),
        key=load_ledger_key().id,
        sketched=True,
    )


def made_of(*words: int) -> Sketch:
    return Sketch(len(words), ("zip",), (len(words),), np.array(words, dtype=np.uint32)[:, None])


def test_it_holds_no_value_and_is_closed_to_others(own_state: Path, tmp_path: Path) -> None:
    frame = people().with_columns(zip=pl.format("Beeblebrox {}", pl.col("zip")))
    bucketized(frame).save(tmp_path / "one")
    tacit.generalize(baskets(), k=3, m=1).save(tmp_path / "sets")
    files = list(own_state.iterdir())
    assert len(files) == 4  # the lines, the lock, and the sketches of two releases
    assert stat.S_IMODE(own_state.stat().st_mode) == 0o700
    for file in files:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        content = file.read_bytes()
        assert b"Beeblebrox" not in content
        assert b"ulcer" not in content
        assert KEY.reveal().hex().encode() not in content
        # Not even equal cells show: eight bytes of a sealed sketch come twice by chance alone.
        if file.suffix == ".sketch":
            parts = [content[at : at + 8] for at in range(0, len(content) - 8, 8)]
            assert len(set(parts)) == len(parts)
    sketches = [Ledger().sketch(one) for one in Ledger().read().entries]
    assert [len(one.cells) for one in sketches] == [60, 40]
    assert [one.records for one in sketches] == [60, 40]


def test_words_follow_content_and_rank_and_the_ledgers_key(own_state: Path) -> None:
    frame = pl.DataFrame({"zip": ["1", "1", "2", None], "age": ["3", "3", "4", "4"]})
    table = tacit.table_from_frame(frame, quasi=["zip", "age"])
    turned = tacit.table_from_frame(frame.reverse(), quasi=["zip", "age"])
    everybody = np.arange(4)
    key = load_ledger_key()
    words = Records(table, everybody).digests(key, ("zip", "age"))
    assert len(set(words.tolist())) == 4
    assert sorted(words) == sorted(Records(turned, everybody).digests(key, ("age", "zip")))
    assert not set(words.tolist()) & set(Records(table, everybody).digests(key, ("zip",)).tolist())
    assert not set(words.tolist()) & set(Records(table, everybody).digests(KEY, ("zip", "age")).tolist())


def test_a_torn_line_is_passed_over_and_reported(own_state: Path) -> None:
    ledger = Ledger()
    words = made_of(0, 1, 2)
    with ledger.locked():
        ledger.add(entry("one"), words)
        ledger.add(entry("two"), words)
    whole = ledger.file.read_bytes()
    first = whole.index(b"\n") + 1
    for end in range(first + 1, len(whole) - 1):
        ledger.file.write_bytes(whole[:end])
        found = ledger.read()
        assert [one.id for one in found.entries] == ["one"]
        assert len(found.notes) == 1
        assert "Line 2" in found.notes[0]
    with ledger.locked():
        ledger.add(entry("three"), words)
    found = ledger.read()
    assert [one.id for one in found.entries] == ["one", "three"]
    assert len(found.notes) == 1


def test_forgetting_and_damage(own_state: Path) -> None:
    ledger = Ledger()
    assert ledger.read().entries == ()
    words = made_of(5, 6, 7)
    with ledger.locked():
        ledger.add(entry("one"), words)
        ledger.add(entry("two"), words)
        ledger.forget(entry("one"))
    (left,) = ledger.read().entries
    assert left == entry("two")
    found = ledger.sketch(left)
    assert (found.records, found.columns, found.cells.tolist()) == (3, ("zip",), [[5], [6], [7]])
    with pytest.raises(tacit.UsageError) as unknown:
        ledger.read().in_folder(Path("/out/one"))
    assert unknown.value.code == "not-in-ledger"
    whole = (own_state / "two.sketch").read_bytes()
    for place in (0, 30, 50, len(whole) - 1):
        changed = bytearray(whole)
        changed[place] ^= 1
        (own_state / "two.sketch").write_bytes(changed)
        with pytest.raises(tacit.InputError) as damaged:
            ledger.sketch(left)
        assert damaged.value.code == "ledger-damaged"
    (own_state / "two.sketch").write_bytes(whole[:-1])
    with pytest.raises(tacit.InputError, match="a part of it"):
        ledger.sketch(left)
    (own_state.parent / "ledger-key").unlink()
    with pytest.raises(tacit.InputError, match="another ledger key"):
        ledger.sketch(left)


def test_without_a_state_folder_nothing_is_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(tacit.OutputError) as caught:
        bucketized().save(tmp_path / "out")
    assert caught.value.code == "ledger-not-written"
    assert "XDG_STATE_HOME" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_killed_at_every_point_no_release_is_unknown(
    own_state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tally: Tally
) -> None:
    monkeypatch.setattr(tacit.release.published, "verify_in_fresh_process", verify_here)
    release = bucketized()
    release.save(tmp_path / "first")
    Ledger().forget(Ledger().read().entries[0])
    with fault(NEVER, die) as points:
        release.save(tmp_path / "whole")
    seen = set()
    for at in range(len(points)):
        for one in Ledger().read().entries:
            Ledger().forget(one)
        target = tmp_path / f"{at}" / "out"
        tally("crash points", "the ledger, kill")
        with fault(at, die), pytest.raises(Killed):
            release.save(target)
        recorded = [one.folder for one in Ledger().read().entries] == [str(target)]
        assert recorded or not target.exists()
        seen.add((recorded, target.exists()))
        release.save(target, overwrite=True)  # the same release again, and nothing to acknowledge
        assert len(Ledger().read().entries) == 1
    assert seen == {(False, False), (True, False), (True, True)}


@pytest.mark.parametrize("number", [errno.ENOSPC, pytest.param(errno.EIO, marks=pytest.mark.slow)])
def test_an_error_at_any_point_leaves_the_record_right(
    own_state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, tally: Tally
) -> None:
    monkeypatch.setattr(tacit.release.published, "verify_in_fresh_process", verify_here)
    release = bucketized()
    release.save(tmp_path / "first")
    Ledger().forget(Ledger().read().entries[0])
    with fault(NEVER, die) as points:
        release.save(tmp_path / "whole")
    refusals = 0
    for at in range(len(points)):
        for one in Ledger().read().entries:
            Ledger().forget(one)
        target = tmp_path / f"{at}" / "out"
        tally("crash points", f"the ledger, {errno.errorcode[number]}")
        try:
            with fault(at, failing(number)):
                release.save(target)
        except tacit.TacitError as error:
            refusals += 1
            assert error.exit_code in (3, 6, 7)
        assert bool(Ledger().read().entries) == target.exists()
    assert refusals > 20


SAVE = """
import sys
import tacit.errors
from pathlib import Path
from tests.release.ledger.making import bucketized
release = bucketized(l=int(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
try:
    release.save(Path(sys.argv[2]))
except tacit.errors.TacitError as error:
    sys.exit(error.exit_code)
"""


def test_of_two_at_once_one_must_acknowledge(own_state: Path, tmp_path: Path) -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", SAVE, str(l), str(tmp_path / f"{l}")],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for l in (2, 3)
    ]
    assert [run.stdout.readline() for run in runs if run.stdout] == ["ready\n"] * 2
    for run in runs:
        assert run.stdin is not None
        run.stdin.write("go\n")
        run.stdin.flush()
    for run in runs:
        run.communicate(timeout=120)
    assert sorted(run.returncode for run in runs) == [0, 4]
    (one,) = Ledger().read().entries
    assert "composition" not in read_manifest(Path(one.folder)).risks


TEAM = """
import sys
import polars as pl
import tacit.errors
from pathlib import Path
from tacit.methods.generalize_tables.verb import generalize
first, last, after, target = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]
drawn = {n: n * 2654435761 % 2**32 >> 16 for n in range(first, last)}
frame = pl.DataFrame([(f"p{n}", str(20 + at % 4), f"d{at // 4 % 3}") for n, at in drawn.items()],
                     schema=["id", "age", "disease"], orient="row")
print("ready", flush=True)
sys.stdin.readline()
try:
    table = tacit.table_from_frame(frame, quasi=["age"], sensitive="disease")
    made = generalize(table, k=2, recoding="global", person="id", after=after or None)
    made.save(Path(target), accept_weak=True)
except tacit.errors.TacitError as error:
    print(error.code, error.hint)
    sys.exit(error.exit_code)
"""


def at_once(*runs: tuple[str, ...]) -> list[tuple[int, str]]:
    """The exit codes and words of members of a team who publish at once, with one state folder."""
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", TEAM, *words],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for words in runs
    ]
    assert [run.stdout.readline() for run in begun if run.stdout] == ["ready\n"] * len(begun)
    for run in begun:
        assert run.stdin is not None
        run.stdin.write("go\n")
        run.stdin.flush()
    return [(run.wait(timeout=300), run.stdout.read() if run.stdout else "") for run in begun]


@pytest.mark.ci
def test_a_team_shares_a_ledger_and_a_series(own_state: Path, tmp_path: Path) -> None:
    """The first two releases make one key; of two that continue the same one, one is a fork."""
    one, two, fork = (str(tmp_path / name) for name in ("one", "two", "fork"))
    other = str(tmp_path / "other")
    assert [code for code, _ in at_once(("0", "400", "", one), ("1000", "1400", "", other))] == [0, 0]
    entries = Ledger().read().entries
    assert {entry.folder for entry in entries} == {one, other} and len({entry.key for entry in entries}) == 1
    found = at_once(("100", "500", one, two), ("120", "520", one, fork))
    assert sorted(code for code, _ in found) == [0, 4]
    assert next(words for code, words in found if code).split()[0] in ("composition", "series-forked")
    assert Path(two).exists() != Path(fork).exists()
    last = next(name for name in (two, fork) if Path(name).exists())
    new_key(overwrite=True)
    ((code, words),) = at_once(("150", "550", last, str(tmp_path / "late")))
    assert code == 2 and "series-other-key" in words and "--key-file" in words
    assert not (tmp_path / "late").exists()
