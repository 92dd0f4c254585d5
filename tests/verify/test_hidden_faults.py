"""Planted faults in releases with hidden patterns: each is caught, and a clean release is not accused."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import tacit
from tacit.random.key import Key
from tacit.release import PublishedFile
from tacit_verify import verify
from tests.methods.hide.instances import random_instance
from tests.tally import Tally

BASKETS = tacit.load_sample("supermarket:800")
LEAST = 8
PATTERN = tacit.mine_itemsets(BASKETS, min_support=LEAST, min_length=2)[3].items
RULE = next(iter(tacit.mine_rules(BASKETS, min_support=LEAST, min_confidence=0.3)))


class Planted:
    """A release with its private record and its original; faults keep sizes, digests and names right."""

    def __init__(self, folder: Path) -> None:
        self.original = folder / "baskets.dat"
        tacit.write_transactions(BASKETS, self.original)
        release = tacit.hide(
            BASKETS, patterns=[PATTERN, RULE], min_support=LEAST, min_confidence=0.3, key=Key.from_seed(1)
        )
        place = release.save(folder / "out")
        assert place.private is not None
        self.folder, self.record = place.folder, place.private

    def copied(self, folder: Path) -> Planted:
        """The same in another folder, for a fault to be planted in it."""
        here = self.original.parent
        copytree(here, folder, dirs_exist_ok=True)
        other = copy(self)
        for name in ("original", "folder", "record"):
            setattr(other, name, folder / getattr(self, name).relative_to(here))
        return other

    def lines(self) -> list[str]:
        return (self.folder / "transactions.dat").read_text().splitlines()

    def write(self, lines: list[str], **terms: int) -> None:
        content = ("\n".join(lines) + "\n").encode()
        (self.folder / "transactions.dat").write_bytes(content)
        entry = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        self.edit(
            lambda manifest: (
                manifest["files"].update({"transactions.dat": entry}),
                manifest["promise"].update(terms),
            )
        )

    def edit(self, change: Callable[[dict[str, Any]], object]) -> None:
        """Change the manifest as a clever hand would; the private record goes along."""
        path = self.folder / "release.json"
        manifest = json.loads(path.read_text())
        change(manifest)
        path.write_text(json.dumps(manifest, ensure_ascii=False, sort_keys=True, indent=2) + "\n")
        identity = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        self.record = self.record.rename(self.record.with_name(identity))

    def counted(self, lines: list[str]) -> dict[str, int]:
        sets = [line.split() for line in lines]
        return {"cells": sum(map(len, sets)), "empty": sum(not items for items in sets)}

    def failed(self) -> set[str]:
        return {check.name for check in verify(self.folder, self.original) if check.ok is False}


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    return Planted(tmp_path_factory.mktemp("clean"))


@pytest.fixture
def planted(clean: Planted, tmp_path: Path) -> Planted:
    return clean.copied(tmp_path)


def _order(line: str) -> list[str]:
    return line.split()


def _restored(planted: Planted) -> None:
    """Leave the pattern in as many transactions as it had: the items are put back."""
    rows = [int(row) for row in (planted.record / "rows.txt").read_text().split()]
    originals = planted.original.read_text().splitlines()
    lines = [
        originals[row] if set(PATTERN) <= set(originals[row].split()) else line
        for row, line in zip(rows, planted.lines(), strict=True)
    ]
    together = sorted(zip(lines, rows, strict=True), key=lambda pair: _order(pair[0]))
    (planted.record / "rows.txt").write_text("".join(f"{row}\n" for _, row in together))
    lines = [line for line, _ in together]
    planted.write(lines, **planted.counted(lines))


def _added(planted: Planted) -> None:
    """Move an item from one transaction to another that never held it."""
    lines = [line.split() for line in planted.lines()]
    names = {name for items in lines for name in items}
    first = next(items for items in lines if len(items) > 2)
    item = sorted(names - set(first))[0]
    first.append(item)
    first.sort()
    donor = next(items for items in lines if item in items and items is not first and len(items) > 1)
    donor.remove(item)
    rows = (planted.record / "rows.txt").read_text().split()
    together = sorted(zip(lines, rows, strict=True), key=lambda pair: pair[0])
    (planted.record / "rows.txt").write_text("".join(f"{row}\n" for _, row in together))
    planted.write([" ".join(items) for items, _ in together])


def _secret(planted: Planted, change: Callable[[dict[str, Any]], object]) -> None:
    path = planted.record / "secret.json"
    secret = json.loads(path.read_text())
    change(secret)
    path.write_text(json.dumps(secret))


def _swapped(planted: Planted) -> None:
    rows = (planted.record / "rows.txt").read_text().split()
    rows[0], rows[-1] = rows[-1], rows[0]
    (planted.record / "rows.txt").write_text("\n".join(rows) + "\n")


def _terms(**terms: int) -> Callable[[Planted], object]:
    return lambda planted: planted.edit(lambda manifest: manifest["promise"].update(terms))


def _dropped(planted: Planted) -> None:
    lines = planted.lines()[1:]
    planted.write(lines, **planted.counted(lines), transactions=len(lines))


def _repeated(planted: Planted) -> None:
    lines = planted.lines()
    first = lines[0].split()
    lines[0] = " ".join([*first, first[-1]])
    planted.write(lines, **planted.counted(lines))


# The fault, and the check that must catch it.
FAULTS: dict[str, tuple[Callable[[Planted], object], str]] = {
    "the pattern left in its transactions": (_restored, "hidden patterns"),
    "an item added to a transaction": (_added, "nothing added"),
    "a transaction dropped, counts adjusted": (_dropped, "original size"),
    "a transaction dropped, counts as they were": (lambda p: p.write(p.lines()[1:]), "counts"),
    "an item twice in a transaction": (_repeated, "sets"),
    "rows exchanged": (lambda p: p.write(p.lines()[::-1]), "order of transactions"),
    "a number of cells of its own": (_terms(cells=1), "counts"),
    "a smaller promise": (_terms(min_count=LEAST - 1), "terms"),
    "a support raised everywhere but in the reader": (
        lambda p: p.edit(lambda m: (m["promise"].update(min_count=99), m["parameters"].update(min_count=99))),
        "terms",
    ),
    "nothing said to be hidden": (_terms(patterns=0, rules=0), "terms"),
    "more patterns claimed than there are": (_terms(patterns=9), "secret"),
    "a hiding failure confessed": (
        lambda p: p.edit(lambda m: m["risks"].update(hiding_failure=0.5)),
        "terms",
    ),
    "new patterns confessed": (
        lambda p: p.edit(lambda m: m["utility"].update(artificial_patterns=0.1)),
        "terms",
    ),
    "the dissimilarity made smaller": (
        lambda p: p.edit(lambda m: m["utility"].update(dissimilarity=0.0)),
        "dissimilarity",
    ),
    "a frequent pattern put into the record": (
        lambda p: _secret(p, lambda s: s["patterns"].__setitem__(0, ["whole-milk"])),
        "hidden patterns",
    ),
    "a frequent pair said to be marked": (
        lambda p: _secret(p, lambda s: s["marked"].append(["whole-milk"])),
        "marked pairs",
    ),
    "a rule of confidence 1 put into the record": (
        lambda p: _secret(p, lambda s: s["rules"].__setitem__(0, [["whole-milk"], ["whole-milk"]])),
        "hidden rules",
    ),
    "two rows of the row map exchanged": (_swapped, "nothing added"),
    "a row map that gives an original twice": (
        lambda p: (p.record / "rows.txt").write_text("0\n" * len(BASKETS)),
        "nothing added",
    ),
    "the file of transactions named otherwise": (
        lambda p: p.edit(lambda m: m["parameters"].update(transactions="release.json")),
        "manifest fields",
    ),
}


@pytest.mark.tally("planted faults", "hide")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault: str, planted: Planted) -> None:
    assert planted.failed() == set()
    plant, name = FAULTS[fault]
    plant(planted)
    assert name in planted.failed()


def test_without_the_record_an_added_item_shows_in_the_counts(planted: Planted) -> None:
    for path in planted.record.iterdir():
        path.unlink()
    planted.record.rmdir()
    assert planted.failed() == set()
    other = BASKETS.take(slice(1, None))
    tacit.write_transactions(other, planted.original, overwrite=True)
    assert "nothing added" in planted.failed()


@pytest.mark.parametrize("count", [40, pytest.param(250, marks=pytest.mark.ci)])
def test_clean_releases_are_not_accused(count: int, tmp_path: Path, tally: Tally) -> None:
    tally("random inputs verified", "hide", tried=count)
    draw = random.Random(count)
    for number in range(count):
        instance = random_instance(draw, singles=True, most=30)
        asked: dict[str, Any] = draw.choice(
            [{}, {"policy": "exact"}, {"algorithm": "swa"}, {"targets": "limit"}]
        )
        secret: list[object] = [*instance.seeds()]
        if draw.random() < 0.3:
            names = draw.sample(instance.transactions.vocabulary, 2)
            secret.append(f"{names[0]} => {names[1]}")
            asked["min_confidence"] = draw.choice([0.3, 0.7])
        release = tacit.hide(
            instance.transactions,
            patterns=secret,
            min_support=instance.least,
            key=Key.from_seed(number),
            **asked,
        )
        with TemporaryDirectory(dir=tmp_path) as place:
            folder, original = _written(release, Path(place), instance.records)
            assert [check for check in verify(folder, original) if check.ok is False] == []


def _written(release: Any, place: Path, records: list[frozenset[str]]) -> tuple[Path, Path]:
    """The release, its record and its original as files, without the store and its waiting for the disk."""
    folder, original = place / "out", place / "original.dat"
    folder.mkdir()
    original.write_text("".join(" ".join(sorted(record)) + "\n" for record in records))
    files = {}
    for name, write in release.files.items():
        write(folder / name)
        files[name] = _entry((folder / name).read_bytes())
    (folder / "release.json").write_text(replace(release.manifest, files=files).to_json())
    identity = hashlib.sha256((folder / "release.json").read_bytes()).hexdigest()[:16]
    record = place / "out.private" / identity
    record.mkdir(parents=True)
    for name, content in release.private.items():
        if callable(content):
            content(record / name)
        else:
            (record / name).write_bytes(content)
    return folder, original


def _entry(content: bytes) -> PublishedFile:
    return PublishedFile(hashlib.sha256(content).hexdigest(), len(content))


def test_without_the_original_only_the_secret_is_counted(planted: Planted) -> None:
    found = {check.name: check.ok for check in verify(planted.folder)}
    assert found["hidden patterns"] and found["nothing added"] is None


@pytest.mark.parametrize("more", ["an original twice", "an original more"])
def test_row_maps_that_leave_an_original_out(planted: Planted, more: str) -> None:
    """Empty transactions are part of every original, so that only the map itself can be wrong."""
    lines = [""] * 3 + planted.lines()[3:]
    planted.write(lines, **planted.counted(lines))
    rows = (planted.record / "rows.txt").read_text().split()
    if more == "an original twice":
        rows[1] = rows[0]
    else:
        planted.original.write_text(planted.original.read_text() + "\n")
    (planted.record / "rows.txt").write_text("\n".join(rows) + "\n")
    assert "nothing added" in planted.failed()
