"""More than 120 kinds of tampering, each sealed again: caught by the check that is there for it, or harmless.

``python -m tests.verify.test_tampering`` prints the table.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit_verify import verdict_of, verify
from tests.keys import secret_key
from tests.soak.random_releases import METHODS, verified, write
from tests.tally import Tally
from tests.verify.forgery import Forgery, Tampering
from tests.verify.tampering_ground import GROUND, HARMLESS
from tests.verify.tampering_kinds import BUCKETIZED, GENERALIZED, HIDDEN, PERMUTED, RULES
from tests.verify.tampering_tables import GENERALIZED_TABLE

KEY = secret_key(5)
OWN = {
    "bucketized": BUCKETIZED,
    "permuted": PERMUTED,
    "generalized": GENERALIZED,
    "generalized_table": GENERALIZED_TABLE,
    "hidden": HIDDEN,
    "rules": RULES,
}


def make(kind: str, place: Path) -> None:
    """A good release of a kind with its record, and its original beside it."""
    if kind in ("bucketized", "permuted"):
        people = tacit.load_sample("hospital:200")
        tacit.write_table(people, place / "original.csv")
        form = "qit" if kind == "bucketized" else "permuted"
        write(tacit.bucketize(people, l=3, form=form, partners="any", key=KEY).complete(), place / "out")
    elif kind == "generalized_table":
        people = tacit.load_sample("hospital:200")
        tacit.write_table(people, place / "original.csv")
        given = [str(rule) for rule in tacit.mine_negative_rules(people)][:2]
        write(tacit.generalize(people, k=3, l=2, knowledge={"rules": given}, key=KEY), place / "out")
    elif kind == "rules":
        draw = np.random.default_rng(3)
        age, sex, town = (draw.integers(0, most, 4_000) for most in (4, 2, 5))
        ill = np.where(draw.random(4_000) < 0.35 + 0.12 * age + 0.1 * sex, "flu", "cold")
        columns: dict[str, Any] = {
            "age": [f"a{n}" for n in age],
            "sex": ["fm"[n] for n in sex],
            "town": [f"t{n}" for n in town],
            "illness": np.where(draw.random(4_000) < 0.2, "none", ill),
        }
        pl.DataFrame(columns).write_csv(place / "original.csv")
        table = tacit.read_table(place / "original.csv", quasi=["age", "sex", "town"], sensitive="illness")
        asked: dict[str, Any] = {"min_support": 0.01, "min_confidence": 0.5, "max_posterior": 0.75, "k": 3}
        release = tacit.safe_rules(table, **asked, distribution=True)
        write(release, place / "out")
    else:
        baskets = tacit.load_sample("supermarket:300")
        tacit.write_transactions(baskets, place / "original.dat")
        if kind == "generalized":
            write(tacit.generalize(baskets, k=3, m=2, key=KEY), place / "out")
        else:
            pattern = tacit.mine_itemsets(baskets, min_support=6, min_length=2)[3].items
            write(tacit.hide(baskets, patterns=[pattern], min_support=6, key=KEY), place / "out")


def outcome(kind: str, tampering: Tampering, good: Path, place: Path) -> str:
    """``caught``, ``harmless`` or what went wrong."""
    shutil.copytree(good, place, symlinks=True)
    original = next(path for path in place.iterdir() if path.name.startswith("original"))
    forged = Forgery(place / "out", original)
    wanted = f"file {forged.main}" if tampering.caught_by == "FILE" else tampering.caught_by
    tampering.change(forged)
    forged.seal()
    found = verify(place / "out", original if tampering.with_original else None)
    broken = {check.name for check in found if check.ok is False}
    if tampering.harmless:
        left = {check.name for check in found if check.ok is None}
        verdict = "not checked" if wanted and wanted in left else "kept" if not wanted and not left else "?"
        fine = not broken and (not wanted or verdict == verdict_of(found))
        return "harmless" if fine else f"{tampering.name}: broken {broken}, open {left}"
    return "caught" if wanted in broken else f"{tampering.name}: wanted {wanted}, broken {broken}"


def tried(kind: str, place: Path) -> dict[str, list[str]]:
    """Every kind of tampering with a release: the names of those caught, harmless and missed."""
    good = place / "good"
    good.mkdir()
    make(kind, good)
    assert [check for check in verify(good / "out", next(good.glob("original*"))) if check.ok is False] == []
    found: dict[str, list[str]] = {"caught": [], "harmless": [], "missed": []}
    for number, tampering in enumerate([*GROUND, *HARMLESS, *OWN[kind]]):
        end = outcome(kind, tampering, good, place / str(number))
        shutil.rmtree(place / str(number))
        found[end if end in found else "missed"].append(tampering.name if end in found else end)
    return found


@pytest.mark.parametrize("kind", OWN)
def test_tampering_is_caught_or_harmless(kind: str, tmp_path: Path, tally: Tally) -> None:
    found = tried(kind, tmp_path)
    tally("planted faults", f"forged, {kind}", tried=sum(map(len, found.values())))
    assert found["missed"] == []


def test_there_are_enough_kinds_of_tampering() -> None:
    names = {tampering.name for tampering in [*GROUND, *HARMLESS]}
    names |= {f"{kind}: {tampering.name}" for kind, own in OWN.items() for tampering in own}
    assert len(names) >= 120
    # Of a generalized table, without those that any release can have.
    caught = Counter(one.caught_by for one in GENERALIZED_TABLE if not one.harmless)
    assert caught.total() >= 60 and len(caught) >= 15


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [10, pytest.param(1_000, marks=pytest.mark.slow)])
def test_good_releases_raise_no_alarm(method: str, count: int, tmp_path: Path, tally: Tally) -> None:
    draw, done, alarms = random.Random(17), 0, []
    while done < count:
        failed = verified(method, draw.randrange(10**9), tmp_path)
        if failed is not None:
            done += 1
            alarms += failed
    tally("random inputs verified", method, tried=count, wrong=len(alarms))
    assert alarms == []


def main() -> None:
    total: dict[str, int] = {"tried": 0, "caught": 0, "harmless": 0, "missed": 0}
    print("| release | kinds tried | caught | harmless | missed |\n|---|---|---|---|---|")
    for kind in OWN:
        with tempfile.TemporaryDirectory() as place:
            found = tried(kind, Path(place))
        row = {"tried": sum(map(len, found.values())), **{name: len(names) for name, names in found.items()}}
        total = {name: total[name] + row[name] for name in total}
        print(
            f"| {kind} | " + " | ".join(map(str, row.values())) + " |",
            *found["missed"],
            sep="\n  ",
            flush=True,
        )
    print("| all | " + " | ".join(map(str, total.values())) + " |")


if __name__ == "__main__":
    main()
