"""Hidden patterns: published transactions in which a secret cannot be mined.

What is hidden is known to the publisher alone, so there are three depths of checking:

- anybody: the transactions are as many as stated, each a set of items in one order, sorted, and the
  counts of the promise are theirs;
- whoever has the private record, the publisher: every secret pattern, every pair that was marked to break
  one, and every secret rule is too rare to be mined;
- with the original as well: nothing was added to any transaction. The private record says which original
  each published transaction came from; without it only what follows for the counts can be checked.

The record of the release in DIR lies in DIR.private, in a folder named after the start of the SHA-256 of
its manifest; before publication it lies in a folder called private beside the release.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from tacit_verify.reading import check_order, transactions
from tacit_verify.release import MANIFEST_NAME, Check, Release

SEPARATOR = "\0"


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """The promise, as deep as what is at hand allows. The file is read once for each check, never kept."""
    promise, parameters = release.promise, release.parameters
    published = release.path(parameters["transactions"])
    yield check_terms(release)
    names = Counter(item for items in transactions(published) for item in items)
    yield check_counts(published, names, promise)
    yield check_sets(published, names)
    yield check_order("transactions", transactions(published))
    record = find_record(release)
    if record is None:
        yield Check("secret", True, "not looked at: the private record is not here")
    else:
        yield from secret_checks(published, record, promise, parameters)
    if original is not None:
        yield from original_checks(published, original, record, release)


def check_terms(release: Release) -> Check:
    """The promise, the parameters and the assumed reader speak of one support, and nothing failed."""
    promise, risks = release.promise, release.manifest["risks"]
    least = promise["min_count"]
    problems = []
    if type(least) is not int or least < 1:
        problems.append("the least support is not a count")
    if not least == release.parameters["min_count"] == release.manifest["reader"]["terms"]["min_count"]:
        problems.append("promise, parameters and reader differ in the least support")
    if promise["patterns"] + promise["rules"] < 1:
        problems.append("nothing is hidden")
    if risks["hiding_failure"] != 0:
        problems.append("a sensitive pattern is stated to be frequent still")
    if release.manifest["utility"]["artificial_patterns"] != 0:
        problems.append("patterns are stated to be new")
    return Check("terms", not problems, "; ".join(problems) or f"least support {least}")


def check_counts(published: Path, names: Counter[str], promise: dict[str, Any]) -> Check:
    """Transactions, items, cells and empty transactions are as many as stated."""
    lengths = Counter(len(items) for items in transactions(published))
    found = {
        "transactions": lengths.total(),
        "items": len(names),
        "cells": names.total(),
        "empty": lengths[0],
    }
    problems = [
        f"{count} {name}, not {promise[name]}" for name, count in found.items() if count != promise[name]
    ]
    return Check("counts", not problems, "; ".join(problems) or f"{found['transactions']} transactions")


def check_sets(published: Path, names: Iterable[str]) -> Check:
    """Every transaction is a set, in one order: by size where all items are whole numbers, else by text."""
    numbers = all(name.isascii() and name.isdigit() and (name[0] != "0" or name == "0") for name in names)
    for number, items in enumerate(transactions(published), start=1):
        keys = [(len(item) if numbers else 0, item) for item in items]
        if any(one >= other for one, other in pairwise(keys)):
            return Check("sets", False, f"transaction {number} is not a set in order")
    return Check("sets", True, "each transaction is a set")


def find_record(release: Release) -> Path | None:
    """The private record of this release, where it lies beside it."""
    identity = hashlib.sha256((release.folder / MANIFEST_NAME).read_bytes()).hexdigest()[:16]
    folder = release.folder.absolute()
    for root in (folder.with_name(folder.name + ".private"), folder.parent / "private"):
        if (root / identity / "secret.json").is_file():
            return root / identity
    return None


def secret_checks(
    published: Path, record: Path, promise: dict[str, Any], parameters: dict[str, Any]
) -> Iterator[Check]:
    """What is hidden cannot be mined: every secret pattern, marked pair and rule is counted."""
    secret = json.loads((record / "secret.json").read_text(encoding="utf-8"))
    patterns, rules, marked = secret["patterns"], secret["rules"], secret["marked"]
    same = (len(patterns), len(rules)) == (promise["patterns"], promise["rules"])
    yield Check("secret", same, f"{len(patterns)} patterns and {len(rules)} rules in the record")
    wanted = [frozenset(items) for items in (*patterns, *marked)]
    for left, right in rules:
        wanted += [frozenset(left), frozenset(left) | frozenset(right)]
    supports = count(published, wanted)
    least = promise["min_count"]
    for name, group in (("hidden patterns", patterns), ("marked pairs", marked)):
        frequent = sum(supports[frozenset(items)] >= least for items in group)
        yield Check(name, not frequent, f"{len(group)}, of which {frequent} are frequent")
    threshold = None if parameters["min_confidence"] is None else Fraction(parameters["min_confidence"])
    open_rules = 0
    for left, right in rules:
        both, alone = supports[frozenset(left) | frozenset(right)], supports[frozenset(left)]
        confident = threshold is None or both >= threshold * alone
        open_rules += both >= least and confident
    yield Check("hidden rules", not open_rules, f"{len(rules)}, of which {open_rules} can be mined")


def count(published: Path, wanted: Iterable[frozenset[str]]) -> Counter[frozenset[str]]:
    """How many transactions hold each of these sets."""
    by_item: dict[str, list[frozenset[str]]] = {}
    for items in set(wanted):
        by_item.setdefault(min(items), []).append(items)
    supports: Counter[frozenset[str]] = Counter()
    for transaction in transactions(published):
        held = set(transaction)
        for item in held & by_item.keys():
            for items in by_item[item]:
                supports[items] += items <= held
    return supports


def original_checks(
    published: Path, original: Path, record: Path | None, release: Release
) -> Iterator[Check]:
    """Nothing was added: each published transaction is part of the original it came from."""
    before = [SEPARATOR.join(set(items)) for items in transactions(original)]
    then = Counter(item for line in before for item in split(line))
    now = Counter(item for items in transactions(published) for item in items)
    same = len(before) == release.promise["transactions"]
    yield Check("original size", same, f"{len(before)} original transactions")
    stated = release.manifest["utility"]["dissimilarity"]
    gone = (then.total() - now.total()) / then.total() if then else 0.0
    detail = f"{gone:.6g} of the cells are gone, stated {stated:.6g}"
    yield Check("dissimilarity", abs(gone - stated) < 1e-12, detail)
    if record is not None and (record / "rows.txt").is_file():
        yield check_rows(published, before, record / "rows.txt")
        return
    more = sum(now[item] > then[item] for item in now)
    lengths = zip(
        sorted(len(items) for items in transactions(published)),
        sorted(len(split(line)) for line in before),
        strict=False,
    )
    longer = any(new > old for new, old in lengths)
    ok = same and not more and not longer
    detail = "no item is in more transactions, no length grew; without the record this is all that shows"
    yield Check("nothing added", ok, detail if ok else f"{more} items are in more transactions than before")


def check_rows(published: Path, before: list[str], rows: Path) -> Check:
    """By the row map every published transaction is part of an original of its own."""
    used = bytearray(len(before))
    with rows.open(encoding="ascii") as lines:
        for number, (line, items) in enumerate(zip(lines, transactions(published), strict=True), start=1):
            row = int(line)
            if not 0 <= row < len(before) or used[row]:
                return Check("nothing added", False, "the row map does not give each original once")
            used[row] = 1
            if not set(items) <= set(split(before[row])):
                return Check("nothing added", False, f"transaction {number} holds more than its original")
    return Check(
        "nothing added", all(used), "each is part of its original" if all(used) else "rows are missing"
    )


def split(line: str) -> list[str]:
    """The items of an original transaction, which is kept as one text to take little memory."""
    return line.split(SEPARATOR) if line else []
