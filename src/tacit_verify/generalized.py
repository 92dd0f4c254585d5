"""Generalized transactions: k^m-anonymity, by counting every set of up to m published items.

What is promised: every set of one to m items that occurs in a published transaction occurs in at least k
of them. All sizes are counted, because a transaction may be shorter than m. The mapping says what every
item of the hierarchy is published as, so that with the original it can be checked as well that nothing
but the mapping was done to it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, combinations
from pathlib import Path

from tacit_verify.reading import check_order, check_sets, rows, transactions
from tacit_verify.release import Check, Release, judged

Sets = Counter[frozenset[str]]
LARGE = 1_000_000  # more transactions than this are not held, but read again for every check


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
    file = _Records(release.path(parameters["transactions"]))
    number, stated = sum(1 for _ in file), release.promise["records"]
    published = list(file) if number <= LARGE else file
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
    longest = max(map(len, published), default=0)  # nobody knows more items of a record than it has
    for size in range(1, max(1, min(m, longest)) + 1):
        yield _check_supports(published, k, size)
    if original is not None:
        yield from _check_original(Counter(map(frozenset, published)), mapping, original, release)


class _Records:
    """The transactions of a file, read anew whenever they are gone through."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return map(tuple, transactions(self.path))


def _check_supports(published: Iterable[tuple[str, ...]], k: int, size: int) -> Check:
    """Every set of so many items that occurs, occurs in at least k transactions."""
    supports = Counter(chain.from_iterable(combinations(sorted(set(items)), size) for items in published))
    rare, rarest = sum(number < k for number in supports.values()), min(supports.values() or [0])
    detail = f"{rare} of {len(supports)} occur in fewer than {k}, the rarest in {rarest}"
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
