"""Generalized transactions: k^m-anonymity, by counting every set of up to m published items.

What is promised: every set of one to m items that occurs in a published transaction occurs in at least k
of them. All sizes are counted, because a transaction may be shorter than m. The mapping says what every
item of the hierarchy is published as, so that with the original it can be checked as well that nothing
but the mapping was done to it.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

from tacit_verify.reading import Part, agrees, check_order, count_sets, in_parts, repeated, rows, transactions
from tacit_verify.release import Check, Release, judged, required

Sets = Counter[tuple[int, ...]]


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """The promise, the transactions, the mapping, the original; the file is read once a check, never kept."""
    k, m, parameters = release.promise["k"], release.promise["m"], release.parameters
    known = release.manifest["reader"]["known_items"]
    problems = {
        "k is not at least 2": k < 2,
        "m is not at least 1": m < 1,
        "promise, parameters and reader differ": (k, m, m) != (parameters["k"], parameters["m"], known),
    }
    kept = f"whoever knows up to {m} items of a record faces {k} records, or none"
    yield from required(judged("terms", problems, kept))
    published = release.path(parameters["transactions"])
    names, lengths, _, ordered = count_sets(published, parameters)
    number, stated = lengths.total(), release.promise["records"]
    yield Check("number", k <= number == stated, f"{number} transactions, {stated} stated")
    yield from ordered
    pairs = list(rows(release.path("mapping.csv"), ["item", "published_as"], published=True))
    mapping = {str(item): str(label) for item, label in pairs}
    # A published item that is an item of the data stands for itself alone.
    astray = [item for item, label in mapping.items() if item != label and label in mapping]
    problems = {
        "an item is mapped twice": len(mapping) != len(pairs),
        f"{astray[:1]} is published as another item of the data": astray != [],
        "an item is published that nothing is mapped to": not names.keys() <= set(mapping.values()),
    }
    yield judged("mapping", problems, f"{len(mapping)} items as {len(set(mapping.values()))}")
    yield check_order("order of mapping.csv", pairs)
    yield judged("figures", _figure_problems(release, mapping, names, lengths), "as the files have them")
    place = {name: rank for rank, (name, _) in enumerate(names.most_common())}
    longest = max(lengths, default=0)  # nobody knows more items of a record than it has
    yield from _check_supports(published, place, k, range(1, max(1, min(m, longest)) + 1))
    if original is not None:
        yield from _check_original(published, mapping, original, release)


def _figure_problems(
    release: Release, mapping: dict[str, str], names: Counter[str], lengths: Counter[int]
) -> Iterator[str]:
    """Figures that everybody can count: the numbers of records and items, and the cut of the hierarchy."""
    risks, utility = release.manifest["risks"], release.manifest["utility"]
    counted: dict[str, float] = {"records": lengths.total()}
    if not release.parameters["suppressed"]:  # utility is measured on all records, those left out too
        counted["published_items"] = len(names)
        counted["published_average_length"] = names.total() / max(1, lengths.total())
    for name, number in counted.items():
        stated = (risks | utility).get(name, number)
        if not agrees(stated, number):
            yield f"{name} is stated as {stated}, counted {number:g}"
    leaves, cut = Counter(mapping.values()), utility.get("cut", [])
    below: Counter[str | None] = Counter()
    for node in reversed(cut):  # each stands behind the one above it
        exact = node["in_cut"] or node["parent"] is None
        whole = (len(mapping), len(leaves)) if not node["in_cut"] else (leaves[node["node"]], 1)
        if (exact and (node["items"], node["published_as"]) != whole) or below[node["node"]] > node["items"]:
            yield f"the cut states other items below {node['node']!a} than the mapping has"
        below[node["parent"]] += node["items"]
    if cut and (below[None] != len(mapping) or len({node["node"] for node in cut}) != len(cut)):
        yield "the cut is not one tree of the mapping's items"


def _check_supports(published: Path, place: dict[str, int], k: int, sizes: range) -> Iterator[Check]:
    """Every set of so many items that occurs, occurs in at least k transactions."""
    found = in_parts(_rare, published, place, k, sizes)
    for size, mine in zip(sizes, zip(*found, strict=True), strict=True):
        counts, often = sum((counted for counted, _ in mine), Sets()), Sets()
        for others, items in (pair for _, done in mine for pair in done.items()):
            often[others] |= items
        seldom = [n for chosen, n in counts.items() if not often[chosen[1:]] >> chosen[0] & 1]
        number, rare = len(seldom) + sum(map(int.bit_count, often.values())), [n for n in seldom if n < k]
        detail = f"{len(rare)} of {number} occur in fewer than {k}"
        yield Check(f"sets of {size}", not rare, f"{detail}, the rarest in {min(rare)}" if rare else detail)


def _rare(published: Path, part: Part, place: dict[str, int], k: int, sizes: range) -> list[tuple[Any, Any]]:
    """Of each size, how often sets occur in a part of the file, below k; and of some items, which lower ones
    they occur with k times, as the bits in their places. So one step tells with which others of a transaction
    they have not been counted k times yet: soon there are none.
    """
    found = [(Sets(), Sets()) for _ in sizes]
    # By their highest item, how many sets can still come to k; an item with none is not looked at any more.
    left = {name: n for name, at in place.items() if (n := sum(comb(at, size - 1) for size in sizes))}
    named = {at: name for name, at in place.items()}
    for items, times in repeated(published, part):
        if left.keys().isdisjoint(items):
            continue
        below, held = {}, 0  # of each item of this transaction: those in lower places
        for item in sorted({place[name] for name in items}):
            below[item], held = held, held | 1 << item
        for size, (counted, done) in zip(sizes, found, strict=True):
            for others in combinations(below, size - 1):
                lower = (below[others[0]] if others else held) & ~done[others]
                while lower:
                    item = lower.bit_length() - 1
                    lower ^= 1 << item
                    chosen = (item, *others)
                    counted[chosen] += times
                    if counted[chosen] >= k:
                        done[others] |= 1 << item
                        del counted[chosen]
                        left[highest := named[chosen[-1]]] -= 1
                        if not left[highest]:
                            del left[highest]
    return found


def _check_original(path: Path, mapping: dict[str, str], original: Path, release: Release) -> Iterator[Check]:
    """The published transactions are the original ones under the mapping, without those suppressed."""
    published, before = (Counter(map(frozenset, transactions(file))) for file in (path, original))
    occurrences: Counter[str] = Counter()
    for record, times in before.items():
        occurrences.update(dict.fromkeys(record, times))
    missing = len(occurrences.keys() - mapping.keys())
    yield Check("original items", missing == 0, f"{missing} have no place in the mapping")
    suppressed, stated = release.parameters["suppressed"], release.manifest["utility"].get("ncp")
    expected: Counter[frozenset[str]] = Counter()
    for record, times in before.items():
        expected[frozenset([mapping.get(item, item) for item in record])] += times
    added, dropped = (published - expected).total(), (expected - published).total()
    detail = f"{dropped} not published, {suppressed} stated; {added} are not of the original"
    yield Check("original", added == 0 and dropped == suppressed, detail)
    if stated is not None:
        low, high = _losses(before, expected - published, mapping)
        within = agrees(stated, low) or agrees(stated, high) or low <= stated <= high
        yield Check("ncp", within, f"{low:.6f}" + f" to {high:.6f}" * (low < high) + f", stated {stated:.6f}")


def _losses(
    before: Counter[frozenset[str]], dropped: Counter[frozenset[str]], mapping: dict[str, str]
) -> tuple[float, float]:
    """The least and the most that can have been lost; records that look alike published may differ.

    Of every occurrence, the share of all items that are published as the same thing, if it is not alone; of
    those that are not published, all.
    """
    leaves = Counter(mapping.values())
    lost, occurrences = 0, 0
    more: dict[frozenset[str], list[int]] = {}
    for record, times in before.items():
        shared = [leaves[mapping.get(item, item)] for item in record]
        one = sum(others for others in shared if others > 1)
        lost, occurrences = lost + one * times, occurrences + len(record) * times
        looks = frozenset([mapping.get(item, item) for item in record])
        if looks in dropped:
            more.setdefault(looks, []).extend([len(mapping) * len(record) - one] * times)
    ranked = [(sorted(more[looks]), times) for looks, times in dropped.items() if looks in more]
    whole = len(mapping) * max(1, occurrences)
    least, most = sum(sum(some[:n]) for some, n in ranked), sum(sum(some[-n:]) for some, n in ranked)
    return (lost + least) / whole, (lost + most) / whole
