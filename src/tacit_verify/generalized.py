"""Generalized transactions: k^m-anonymity, by counting every set of up to m published items.

What is promised: every set of one to m items that occurs in a published transaction occurs in at least k
of them. All sizes are counted, because a transaction may be shorter than m. The mapping says what every
item of the hierarchy is published as, so that with the original it can be checked as well that nothing
but the mapping was done to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from tacit_verify.reading import check_order, rows, transactions
from tacit_verify.release import Check, Release

MAPPING = "mapping.csv"
Record = tuple[str, ...]


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """The promise, the form of the transactions, the mapping, and the original where it is given."""
    terms = check_terms(release)
    yield terms
    if not terms.ok:
        return
    promise = release.promise
    published = [tuple(items) for items in transactions(release.path(release.parameters["transactions"]))]
    pairs = [(item, label) for item, label in rows(release.path(MAPPING), ["item", "published_as"])]
    yield check_number(published, promise)
    yield check_sets(published)
    yield check_order("transactions", published)
    yield check_mapping(published, pairs)
    longest = max(map(len, published), default=0)  # nobody knows more items of a record than it has
    for size in range(1, max(1, min(promise["m"], longest)) + 1):
        yield check_supports(published, promise["k"], size)
    if original is not None:
        yield from check_original(published, dict(pairs), original, release)


def check_terms(release: Release) -> Check:
    """k and m are counts, and the promise, the parameters and the assumed reader agree on them."""
    promise, parameters = release.promise, release.parameters
    known = release.manifest["reader"]["terms"]["known_items"]
    problems = []
    if type(promise["k"]) is not int or promise["k"] < 2:
        problems.append("k is not a whole number of at least 2")
    if type(promise["m"]) is not int or promise["m"] < 1:
        problems.append("m is not a whole number of at least 1")
    if not (promise["k"] == parameters["k"] and promise["m"] == parameters["m"] == known):
        problems.append("promise, parameters and reader differ in k or m")
    return Check("terms", not problems, "; ".join(problems) or f"k = {promise['k']}, m = {promise['m']}")


def check_number(published: Sequence[Record], promise: dict[str, Any]) -> Check:
    """There are as many transactions as stated, and at least k of them."""
    found, stated = len(published), promise["records"]
    enough = found >= promise["k"]
    detail = f"{found} transactions, {stated} stated" + ("" if enough else ", fewer than k")
    return Check("number", found == stated and enough, detail)


def check_sets(published: Iterable[Record]) -> Check:
    """Every transaction is a set, its items in order: by size where all are whole numbers, else by text."""
    published = list(published)
    names = {item for record in published for item in record}
    numbers = all(name.isascii() and name.isdigit() and (name[0] != "0" or name == "0") for name in names)
    for number, record in enumerate(published, start=1):
        keys = [(len(item) if numbers else 0, item) for item in record]
        if any(one >= other for one, other in pairwise(keys)):
            return Check("sets", False, f"transaction {number} is not a set in order")
    return Check("sets", True, f"{len(names)} items")


def check_mapping(published: Iterable[Record], pairs: Sequence[tuple[str, str]]) -> Check:
    """Each item is published as one thing, which may be itself; nothing else is published."""
    mapping = dict(pairs)
    problems = []
    if len(mapping) != len(pairs):
        problems.append("an item is mapped twice")
    # A published item that is an item of the data stands for itself alone.
    astray = [item for item, label in pairs if item != label and label in mapping]
    if astray:
        problems.append(f"{astray[0]!r} is published as another item of the data")
    strange = {item for record in published for item in record} - set(mapping.values())
    if strange:
        problems.append(f"{min(strange)!r} is published, and nothing is mapped to it")
    labels = len(set(mapping.values()))
    return Check("mapping", not problems, "; ".join(problems) or f"{len(mapping)} items as {labels}")


def check_supports(published: Iterable[Record], k: int, size: int) -> Check:
    """Every set of so many items that occurs, occurs in at least k transactions."""
    distinct = Counter(frozenset(record) for record in published)
    by_smallest: dict[str, list[tuple[Record, int]]] = {}
    for record, times in distinct.items():
        ordered = tuple(sorted(record))
        for place in range(len(ordered) - size + 1):
            by_smallest.setdefault(ordered[place], []).append((ordered[place + 1 :], times))
    counted, rarest, rare = 0, None, 0
    # Sets are counted by their smallest item, so that not all of them are held at once.
    for following in by_smallest.values():
        supports: Counter[Record] = Counter()
        for others, times in following:
            for chosen in combinations(others, size - 1):
                supports[chosen] += times
        counted += len(supports)
        least = min(supports.values())
        rarest = least if rarest is None else min(rarest, least)
        rare += sum(support < k for support in supports.values())
    name = f"sets of {size}"
    if rare:
        return Check(name, False, f"{rare} of {counted} occur in fewer than {k}, one in {rarest}")
    return Check(name, True, f"{counted} occur, the rarest in {rarest}" if counted else "none occurs")


def check_original(
    published: Iterable[Record], mapping: dict[str, str], original: Path, release: Release
) -> Iterator[Check]:
    """The published transactions are the original ones under the mapping, without those suppressed."""
    before = [frozenset(items) for items in transactions(original)]
    missing = {item for record in before for item in record} - mapping.keys()
    yield Check(
        "original items",
        not missing,
        f"{len(missing)} items have no place in the mapping" if missing else "all are mapped",
    )
    if missing:
        return
    suppressed = release.parameters["suppressed"]
    expected = Counter(frozenset(mapping[item] for item in record) for record in before)
    found = Counter(frozenset(record) for record in published)
    added, dropped = (found - expected).total(), (expected - found).total()
    ok = added == 0 and dropped == suppressed
    detail = f"{dropped} not published, {suppressed} stated"
    yield Check("original", ok, detail + (f"; {added} are not of the original" if added else ""))
    stated = release.manifest["utility"].get("ncp")
    if stated is not None and not suppressed:
        loss = ncp(before, mapping)
        yield Check("ncp", abs(loss - stated) < 1e-9, f"{loss:.6f}, stated {stated:.6f}")


def ncp(records: Iterable[frozenset[str]], mapping: dict[str, str]) -> float:
    """The mean, over all occurrences, of the share of the hierarchy's items published as the same thing.

    An item that is published alone loses nothing.
    """
    leaves = Counter(mapping.values())
    occurrences = Counter(item for record in records for item in record)
    lost = sum(
        times * leaves[mapping[item]] for item, times in occurrences.items() if leaves[mapping[item]] > 1
    )
    return lost / (len(mapping) * max(1, occurrences.total()))
