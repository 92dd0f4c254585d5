"""Small random inputs of each method, the release that its verb makes of them, and what the verifier says.

Everything goes the way a person would go: data, verb, published files, verifier with the original at
hand. Only the store is left out, which would wait for the disk and start a process for each.
"""

from __future__ import annotations

import hashlib
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

import tacit
from tacit.data.hierarchy import from_parents
from tacit.errors import InfeasibleError
from tacit.random.key import Key
from tacit.release import PublishedFile
from tacit.release.published import Release
from tacit_verify.release import Check
from tacit_verify.verifying import verify
from tests.methods.hide.instances import random_instance
from tests.strategies.baskets import random_baskets


def verified(method: str, seed: int, folder: Path) -> list[Check] | None:
    """The checks that failed, of a release of the seed's random input; None where it could not be made."""
    place = folder / f"{method}-{seed}"
    place.mkdir()
    try:
        release = METHODS[method](random.Random(seed), place)
        found = verify(write(release, place / "out"), _original(place))
    except InfeasibleError:
        return None
    finally:
        shutil.rmtree(place)
    return [check for check in found if check.verdict == "broken"]


def write(release: Release, folder: Path) -> Path:
    """The release and its private record, written as the store would, without waiting for the disk."""
    folder.mkdir()
    files, release = {}, release.complete()
    for name, content in release.files.items():
        _put(folder / name, content)
        written = (folder / name).read_bytes()
        files[name] = PublishedFile(hashlib.sha256(written).hexdigest(), len(written))
    manifest = replace(release.manifest, files=files).to_json().encode()
    (folder / "release.json").write_bytes(manifest)
    record = folder.with_name("out.private") / hashlib.sha256(manifest).hexdigest()[:16]
    record.mkdir(parents=True)
    for name, content in release.private.items():
        _put(record / name, content)
    return folder


def _put(path: Path, content: bytes | Callable[[Path], object]) -> None:
    if callable(content):
        content(path)
    else:
        path.write_bytes(content)


def _original(place: Path) -> Path:
    return next(path for path in place.iterdir() if path.name.startswith("original"))


def _table(draw: random.Random, place: Path, *, rows: int, values: int) -> None:
    """People whose sensitive value depends on who they are, so that there is something to know."""
    lines = ["sex,age,note,illness,income"]
    for _ in range(rows):
        sex, age = draw.choice("fm"), draw.randrange(3)
        illness = draw.randrange(values)
        if draw.random() < 0.5:
            illness = (age + (sex == "m")) % values
        elif sex == "f" and illness == values - 1:
            illness = 0
        lines.append(f"{sex},{20 + 10 * age},n{draw.randrange(2)},v{illness},i{draw.randrange(4)}")
    (place / "original.csv").write_text("\n".join(lines) + "\n")


def _bucketized(draw: random.Random, place: Path) -> Release:
    _table(draw, place, rows=draw.randint(4, 30), values=draw.randint(2, 6))
    frame = pl.read_csv(place / "original.csv", infer_schema=False)
    sensitive = ["illness", "income"] if draw.random() < 0.3 else ["illness"]
    table = tacit.table_from_frame(frame, quasi=["sex", "age"], sensitive=sensitive, keep=["note"])
    left_out = {"on_infeasible": "suppress", "max_posterior_suppressed": 0.8}
    return tacit.bucketize(
        table,
        l=draw.choice([2, 2, 3, 4]),
        algorithm=draw.choice(["injector", "injector", "anatomy"]),
        form=draw.choice(["qit", "permuted"]),
        **draw.choice([{}, left_out, {"k": draw.choice([2, 3, 5])}]),
        key=Key.from_seed(draw.randrange(1_000_000)),
    )


def _generalized(draw: random.Random, place: Path) -> Release:
    baskets = random_baskets(draw)
    lines = [" ".join(sorted(record)) for record in baskets.records]
    (place / "original.dat").write_text("\n".join(lines) + "\n")
    return tacit.generalize(
        baskets.transactions,
        k=draw.randint(2, 4),
        m=draw.randint(1, 3),
        algorithm=draw.choice(["apriori", "direct", "best", "optimal"]),
        max_suppressed=draw.choice([0, 0, 0.2]),
        key=Key.from_seed(draw.randrange(1_000_000)),
    )


def _hidden(draw: random.Random, place: Path) -> Release:
    instance = random_instance(draw, singles=True, most=30)
    lines = [" ".join(sorted(record)) for record in instance.records]
    (place / "original.dat").write_text("\n".join(lines) + "\n")
    secret: list[object] = [*instance.seeds()]
    asked: dict[str, object] = draw.choice(
        [{}, {"policy": "exact"}, {"algorithm": "swa"}, {"targets": "limit"}]
    ).copy()
    if draw.random() < 0.3:
        left, right = draw.sample(instance.transactions.vocabulary, 2)
        secret.append(f"{left} => {right}")
        asked["min_confidence"] = draw.choice([0.3, 0.7])
    key = Key.from_seed(draw.randrange(1_000_000))
    return tacit.hide(
        instance.transactions,
        patterns=secret,
        min_support=instance.least,
        key=key,
        **asked,  # type: ignore[arg-type]
    )


def _rules(draw: random.Random, place: Path) -> Release:
    _table(draw, place, rows=draw.randint(10, 40), values=draw.randint(3, 5))
    table = tacit.read_table(place / "original.csv", quasi=["sex", "age"], sensitive="illness")
    k = draw.choice([None, 4])
    return tacit.safe_rules(
        table,
        min_support=draw.choice([1, 2, 3, 0.07]),
        min_confidence=draw.choice([0.3, 0.5, 0.7]),
        max_length=draw.choice([None, 2]),
        scores=draw.choice(["exact", "exact", "thresholds"]),
        distribution=draw.random() < 0.2,
        k=k,
        channels=draw.choice(["refuse", "report"]) if k else "report",
        # A limit below 1 is mostly refused, and what else could be asked for takes long to find.
        max_posterior=draw.choice([0.8, 0.95, 1.0, 1.0, 1.0, 1.0]),
    )


def _raw(draw: random.Random, place: Path, *, rows: int, values: int) -> pl.DataFrame:
    """People with dates, postal codes and missing cells; some have several rows."""
    _table(draw, place, rows=rows, values=values)
    frame = pl.read_csv(place / "original.csv", infer_schema=False)
    people = draw.randint(max(1, rows // 2), 2 * rows)
    empty = draw.choice([0.0, 0.0, 0.1])
    frame = frame.with_columns(
        pl.Series("sex", [None if draw.random() < empty else sex for sex in frame["sex"]]),
        pl.Series("born", [f"19{draw.randint(50, 70)}-0{draw.randint(1, 3)}-15" for _ in range(rows)]),
        pl.Series("zip", [f"0{draw.randint(1, 3)}{draw.randint(0, 3)}7" for _ in range(rows)]),
        pl.Series("person", [f"p{draw.randrange(people)}" for _ in range(rows)]),
    )
    frame.write_csv(place / "original.csv")
    return frame


def _generalized_table(draw: random.Random, place: Path) -> Release:
    frame = _raw(draw, place, rows=draw.randint(3, 40), values=draw.randint(2, 5))
    trees = {
        "age": from_parents({"20": "young", "30": "old", "40": "old", "young": "*", "old": "*"}),
        "illness": from_parents({f"v{n}": f"g{n // 2}" for n in range(6)} | {f"g{n}": "*" for n in range(3)}),
    }
    hierarchies = trees if draw.random() < 0.5 else {"illness": trees["illness"]}
    sensitive = draw.choice([["illness"], ["illness"], ["illness", "income"]])
    quasi = draw.choice(
        [["sex", "age"], ["sex", "age", "note"], ["age"], ["born", "zip", "sex"], ["zip", "age"]]
    )
    recoding = draw.choice(["local", "local", "global", "subtree", "cells"])
    promises: list[dict[str, Any]] = [
        {},
        {"l": draw.choice([2, 3])},
        {"l": 2, "readers": "nothing"},
        {"entropy_l": 2},
        {"recursive": draw.choice(["1,2", "2.5,2", "3,3"])},
        {"t": draw.choice([0.2, 0.4]), "distance": draw.choice(["equal", "ordered"])},
    ]
    asked = draw.choice(promises) | (draw.choice(promises) if draw.random() < 0.3 else {})
    if asked.get("t") and sensitive == ["illness"] and draw.random() < 0.5:
        asked["distance"] = "hierarchical"
    if not asked and recoding in ("global", "subtree"):
        asked["max_suppressed"] = draw.choice([0, 0.1, 0.5])
    if draw.random() < 0.25:
        asked["person"] = "person"
    keep = ["note"] if "note" not in quasi and draw.random() < 0.25 else []
    table = tacit.table_from_frame(
        frame, quasi=quasi, sensitive=sensitive, keep=keep, hierarchies=hierarchies
    )
    key, k = Key.from_seed(draw.randrange(1_000_000)), draw.choice([2, 2, 3, 5])
    if recoding in ("local", "cells") and "t" not in asked:
        asked["effort"] = draw.choice(["quick", "normal", "thorough"])
    return tacit.generalize(table, k=k, recoding=recoding, key=key, **asked)


METHODS: dict[str, Callable[[random.Random, Path], Release]] = {
    "bucketize": _bucketized,
    "generalize": _generalized,
    "generalize_table": _generalized_table,
    "hide": _hidden,
    "rules": _rules,
}
