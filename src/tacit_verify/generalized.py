"""Generalized transactions: k^m-anonymity, by counting every set of up to m published items.

Every set of one to m items that occurs in a published transaction occurs in at least k: all sizes, because
a transaction may be shorter than m. With the original it is checked that only the mapping was done to it.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from math import comb, sqrt
from multiprocessing import Pool, cpu_count
from pathlib import Path

from tacit_verify.reading import agrees, check_order, count_sets, repeated, rows, transactions
from tacit_verify.release import Check, Release, judged, required

MANY = 1 << 27  # sets, transaction by transaction: what takes longer than reading them once a process
MEMORY = 1 << 28  # bytes that one process may take for counts


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
    names, lengths, _, in_order = count_sets(published, parameters)
    number, stated = lengths.total(), release.promise["records"]
    yield Check("number", k <= number == stated, f"{number} transactions, {stated} stated")
    yield from in_order
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
    longest = max(lengths, default=0)  # nobody knows more items of a record than it has
    yield from _supports(published, names, lengths, k, max(1, min(m, longest)))
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
        stated = (risks | utility)[name]
        if not agrees(stated, number):
            yield f"{name} is stated as {stated}, counted {number:g}"
    m = release.promise["m"]
    knows = [f"{m + more} items" for more in (1, 2, 3)]
    knows += ["the whole record", f"{m} item{'s' if m > 1 else ''} and one absence"]
    if [one["knows"] for one in risks["narrowed"]] != [*knows, "what is in the record and what is not"]:
        yield "who narrows records is not stated reader by reader"
    for one in risks["narrowed"]:
        n, p = max(1, one["records"]), one["below_k"]
        untried = one["error"] - (sqrt(abs(p * (1 - p)) / n) if n < lengths.total() else 0)
        people = [share * n for share in (p, one["to_one"], untried)]
        if not all(-1e-6 < part < n + 1e-6 and abs(part - round(part)) < 1e-6 for part in people):
            yield f"who knows {one['knows']} is not stated to narrow a whole number of records"
    steps = [one["steps"] for one in utility["levels"]]
    if steps != sorted(set(steps)):
        yield "levels are not listed once each and in order"
    leaves, cut = Counter(mapping.values()), utility["cut"]
    below, merged = Counter[str | None](), Counter[str | None]()
    above = {node["parent"] for node in cut}
    for node in reversed(cut):  # each stands behind the one above it
        name, lost = node["node"], node["items"] - node["published_as"]
        exact = node["in_cut"] or node["parent"] is None
        whole = (len(mapping), len(leaves)) if not node["in_cut"] else (leaves[name], 1)
        wrong = (exact and (node["items"], node["published_as"]) != whole) or below[name] > node["items"]
        wrong = wrong or node["in_cut"] != (name in leaves)
        if wrong or lost < merged[name] or (lost > merged[name] and name in above):
            yield f"the cut states other items below {name!a} than the mapping has"
        below[node["parent"]] += node["items"]
        merged[node["parent"]] += lost
    names_of_cut = {node["node"] for node in cut}
    if below[None] != len(mapping) or len(names_of_cut) != len(cut) or above - names_of_cut - {None}:
        yield "the cut is not one tree of the mapping's items"


def _supports(path: Path, names: Counter[str], lengths: Counter[int], k: int, m: int) -> Iterator[Check]:
    """Every set of up to m items that occurs, occurs in at least k transactions; on all cores if many do."""
    sets, chosen = (sum(comb(one, size) * times for one, times in lengths.items()) for size in (m, m - 1))
    held = min(chosen, comb(len(names), m - 1)) * (900 + len(names) // 16 * (k.bit_length() + 3))
    parts = max(cpu_count() if sets > MANY else 1, -(-held // MEMORY))
    tasks = [(path, names, k, m, slice(part, None, parts)) for part in range(parts)]
    with Pool(min(parts, cpu_count())) if parts > 1 else nullcontext() as pool:
        found = pool.starmap(_rare, tasks, 1) if pool else [_rare(*task) for task in tasks]
    for size, mine in enumerate(zip(*found, strict=True), start=1):
        number, rare = sum(common for common, _ in mine), [one for _, some in mine for one in some]
        detail = f"{len(rare)} of {number + len(rare)} occur in fewer than {k}"
        yield Check(f"sets of {size}", not rare, f"{detail}, the rarest in {min(rare)}" if rare else detail)


def _rare(path: Path, names: Counter[str], k: int, m: int, part: slice) -> list[tuple[int, list[int]]]:
    """How many sets of each size occur k times, and the supports of others; of a part of them, by an item."""
    bits, common = {name: 1 << place for place, (name, _) in enumerate(names.most_common())}, [0] * m
    sets = Sets(sum(list(bits.values())[part]), k)
    for items, times in repeated(path):
        sets.add(sum({bits[name] for name in items}), times, common)
        if not sets.open:
            break
    return [(common[size], list(sets.rare(size))) for size in range(m)]


class Sets:
    """The sets of some items and one of those below them, and of more: how often they have been met.

    A number holds items, as the bits in their places, so that one step counts for all of them. The last
    binary digits of their counts are in ``digits[0]``, and so on; a count begins so that the k-th overflows.
    """

    def __init__(self, items: int, k: int) -> None:
        self.few = self.open = items  # met less than k times; and those that have been, but not all with more
        self.digits = [items * (-k >> place & 1) for place in range((k - 1).bit_length())]
        self.k, self.met, self.more = k, 0, dict[int, Sets]()

    def add(self, held: int, times: int, common: list[int], size: int = 0) -> None:
        """Count a transaction that holds these of the items; so many sets of each size are ``common`` now."""
        self.met |= held
        for _ in range(min(times, self.k) if held & self.few else 0):
            carry = held & self.few
            for place, digit in enumerate(self.digits):
                self.digits[place], carry = digit ^ carry, digit & carry
            self.few ^= carry
            common[size] += carry.bit_count()
        left = held & self.open
        while left and size + 1 < len(common):
            left ^= (bit := 1 << left.bit_length() - 1)
            more = self.more.get(bit) or self.more.setdefault(bit, Sets(bit - 1, self.k))
            more.add(held & (bit - 1), times, common, size + 1)
            if not more.open and not self.few & bit:  # no set of it and items below it is rare
                self.open ^= bit
                del self.more[bit]
        if size + 1 == len(common):
            self.open = self.few

    def rare(self, size: int) -> Iterator[int]:
        """The supports of the sets of so many more items that occur, but not k times."""
        for more in self.more.values() if size else ():
            yield from more.rare(size - 1)
        for item, few in enumerate("" if size else bin(self.few & self.met)[:1:-1]):
            if few == "1":
                count = sum((digit >> item & 1) << place for place, digit in enumerate(self.digits))
                yield count + self.k - (1 << len(self.digits))


def _check_original(path: Path, mapping: dict[str, str], original: Path, release: Release) -> Iterator[Check]:
    """The published transactions are the original ones under the mapping, without those suppressed."""
    published, before = (Counter(map(frozenset, transactions(file))) for file in (path, original))
    missing = len({item for record in before for item in record} - mapping.keys())
    yield Check("original items", missing == 0, f"{missing} have no place in the mapping")
    suppressed, stated = release.parameters["suppressed"], release.manifest["utility"]["ncp"]
    expected: Counter[frozenset[str]] = Counter()
    for record, times in before.items():
        expected[frozenset([mapping.get(item, item) for item in record])] += times
    added, dropped = (published - expected).total(), (expected - published).total()
    detail = f"{dropped} not published, {suppressed} stated; {added} are not of the original"
    yield Check("original", added == 0 and dropped == suppressed, detail)
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
    lost, occurrences, more = 0, 0, dict[frozenset[str], list[int]]()
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
