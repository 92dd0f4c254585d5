"""Generalized transactions: k^m-anonymity, by counting every set of up to m published items.

What is promised: every set of one to m items that occurs in a published transaction occurs in at least k
of them. All sizes are counted, because a transaction may be shorter than m. The mapping says what every
item of the hierarchy is published as, so that with the original it can be checked as well that nothing
but the mapping was done to it.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from tacit_verify.reading import check_order, check_sets, rows, transactions
from tacit_verify.release import Check, Release, judged

Sets = Counter[frozenset[str]]


def checks(release: Release, original: Path | None) -> Iterator[Check]:
    """The promise, the form of the transactions, the mapping, and the original where it is given."""
    k, m, parameters = release.promise["k"], release.promise["m"], release.parameters
    known = release.manifest["reader"]["terms"]["known_items"]
    problems = {
        "k is not a whole number of at least 2": type(k) is not int or k < 2,
        "m is not a whole number of at least 1": type(m) is not int or m < 1,
        "promise, parameters and reader differ": (k, m, m) != (parameters["k"], parameters["m"], known),
    }
    terms = judged("terms", problems, f"k = {k}, m = {m}")
    yield terms
    if not terms.ok:
        return
    published = [tuple(items) for items in transactions(release.path(parameters["transactions"]))]
    number, stated = len(published), release.promise["records"]
    yield Check("number", k <= number == stated, f"{number} transactions, {stated} stated")
    names = {item for record in published for item in record}
    yield check_sets(published, names)
    yield check_order("order of transactions", published)
    pairs = list(rows(release.path("mapping.csv"), ["item", "published_as"]))
    mapping = {str(item): str(label) for item, label in pairs}
    # A published item that is an item of the data stands for itself alone.
    astray = [item for item, label in mapping.items() if item != label and label in mapping]
    problems = {
        "an item is mapped twice": len(mapping) != len(pairs),
        f"{astray[:1]} is published as another item of the data": astray != [],
        "an item is published that nothing is mapped to": not names <= set(mapping.values()),
    }
    yield judged("mapping", problems, f"{len(mapping)} items as {len(set(mapping.values()))}")
    counts = Counter(map(frozenset, published))
    longest = max(map(len, counts), default=0)  # nobody knows more items of a record than it has
    for size in range(1, max(1, min(m, longest)) + 1):
        yield _check_supports(counts, k, size)
    if original is not None:
        yield from _check_original(counts, mapping, original, release)


def _check_supports(counts: Sets, k: int, size: int) -> Check:
    """Every set of so many items that occurs, occurs in at least k transactions."""
    by_smallest: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for record, times in counts.items():
        ordered = tuple(sorted(record))
        for place in range(len(ordered) - size + 1):
            by_smallest.setdefault(ordered[place], []).append((ordered[place + 1 :], times))
    found: Counter[int] = Counter()  # how many sets have each support
    # Sets are counted by their smallest item, so that not all of them are held at once.
    for following in by_smallest.values():
        supports: Counter[tuple[str, ...]] = Counter()
        for others, times in following:
            for chosen in combinations(others, size - 1):
                supports[chosen] += times
        found.update(supports.values())
    rare = sum(number for support, number in found.items() if support < k)
    detail = f"{rare} of {found.total()} occur in fewer than {k}, the rarest in {min(found, default=0)}"
    return Check(f"sets of {size}", rare == 0, detail)


def _check_original(
    published: Sets, mapping: dict[str, str], original: Path, release: Release
) -> Iterator[Check]:
    """The published transactions are the original ones under the mapping, without those suppressed."""
    before = Counter(map(frozenset, transactions(original)))
    occurrences: Counter[str] = Counter()
    for record, times in before.items():
        occurrences.update(dict.fromkeys(record, times))
    missing = len(occurrences.keys() - mapping.keys())
    yield Check("original items", missing == 0, f"{missing} have no place in the mapping")
    suppressed, stated = release.parameters["suppressed"], release.manifest["utility"].get("ncp")
    expected: Sets = Counter()
    for record, times in before.items():
        expected[frozenset([mapping.get(item, item) for item in record])] += times
    added, dropped = (published - expected).total(), (expected - published).total()
    detail = f"{dropped} not published, {suppressed} stated; {added} are not of the original"
    yield Check("original", added == 0 and dropped == suppressed, detail)
    if stated is not None and not suppressed:
        # Of every occurrence the share of all items that are published as the same thing, if it is not alone.
        leaves = Counter(mapping.values())
        losses = ((times, leaves[mapping.get(item, item)]) for item, times in occurrences.items())
        lost = sum(times * others for times, others in losses if others > 1)
        loss = lost / (len(mapping) * max(1, occurrences.total()))
        yield Check("ncp", abs(loss - stated) < 1e-9, f"{loss:.6f}, stated {stated:.6f}")
