"""Generalization by its definitions: count every set, try every cut, build the paper's count-tree.

Slow and obvious; for a handful of records. A hierarchy is a child → parent mapping, a record a
frozenset of leaves, a cut a mapping from each leaf to its node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

from tests.oracles.trees import ancestors, children, leaves

Record = frozenset[str]
Cut = dict[str, str]
Parents = Mapping[str, str]


def root_of(parents: Parents) -> str:
    return next(node for node in parents.values() if node not in parents)


def published(records: Sequence[Record], cut: Cut) -> list[Record]:
    return [frozenset(cut[item] for item in record) for record in records]


def supports(records: Sequence[Record], size: int) -> Counter[Record]:
    """The support of every set of exactly ``size`` items that occurs."""
    return Counter(frozenset(chosen) for record in records for chosen in combinations(sorted(record), size))


def is_anonymous(records: Sequence[Record], k: int, m: int) -> bool:
    """Every set of 1 to m items that occurs, occurs in at least k records."""
    return all(count >= k for size in range(1, m + 1) for count in supports(records, size).values())


def ncp(records: Sequence[Record], parents: Parents, cut: Cut) -> Fraction:
    """Section 3.3 of the paper."""
    occurrences = Counter(item for record in records for item in record)
    lost = 0
    for item, count in occurrences.items():
        below = len(leaves(parents, cut[item]))
        lost += count * (below if below > 1 else 0)
    return Fraction(lost, len(leaves(parents, root_of(parents))) * max(1, occurrences.total()))


def all_cuts(parents: Parents, node: str | None = None) -> Iterator[Cut]:
    """Every cut of the hierarchy, or of the part below a node."""
    node = root_of(parents) if node is None else node
    yield dict.fromkeys(leaves(parents, node), node)
    below = children(parents, node)
    if below:
        for parts in product(*(list(all_cuts(parents, child)) for child in below)):
            yield {leaf: top for part in parts for leaf, top in part.items()}


def lowest_ncp(records: Sequence[Record], parents: Parents, k: int, m: int) -> Fraction | None:
    """The lowest NCP of a cut under which the records are k^m-anonymous; None where there is none."""
    cuts = sorted((ncp(records, parents, cut), list(cut.items())) for cut in all_cuts(parents))
    return next((cost for cost, cut in cuts if is_anonymous(published(records, dict(cut)), k, m)), None)


def largest_anonymous(records: Sequence[Record], k: int, m: int) -> int:
    """The size of the largest choice of these records that is k^m-anonymous, over all choices."""
    for size in range(len(records), 0, -1):
        if any(is_anonymous(chosen, k, m) for chosen in combinations(records, size)):
            return size
    return 0


# The paper's own algorithms, with its count-tree.


def apriori_anonymization(records: Sequence[Record], parents: Parents, k: int, m: int) -> Cut:
    """Algorithm 4: direct anonymization of the i-itemsets, for i from 1 to m."""
    cut: Cut = {leaf: leaf for leaf in leaves(parents, root_of(parents))}
    for size in range(1, m + 1):
        cut = _direct(records, parents, k, size, cut, exactly=True)
    return cut


def direct_anonymization(records: Sequence[Record], parents: Parents, k: int, m: int) -> Cut:
    """Algorithm 3, with sets of fewer than m items too: a record may be shorter than m."""
    cut: Cut = {leaf: leaf for leaf in leaves(parents, root_of(parents))}
    return _direct(records, parents, k, m, cut, exactly=False)


def _direct(records: Sequence[Record], parents: Parents, k: int, m: int, cut: Cut, *, exactly: bool) -> Cut:
    """Go through the count-tree in preorder and fix each path that is rare."""
    counts: Counter[Record] = Counter()
    single: Counter[str] = Counter()
    for record in records:
        expanded = {node for item in record for node in (item, *ancestors(parents, item))}
        for node in expanded:
            single[node] += 1
        usable = {node for node in expanded if not _generalized(node, cut, parents)}
        for size in [m] if exactly else range(1, m + 1):
            for chosen in combinations(sorted(usable), size):
                if not any(node in ancestors(parents, other) for node in chosen for other in chosen):
                    counts[frozenset(chosen)] += 1
    order = {node: place for place, node in enumerate(sorted(single, key=lambda node: (-single[node], node)))}
    # Preorder of the tree: paths compare as tuples of places, a beginning before what it begins.
    for path in sorted(counts, key=lambda path: tuple(sorted(order[node] for node in path))):
        if counts[path] < k and not any(_generalized(node, cut, parents) for node in path):
            cut = _cheapest_fix(records, parents, k, path, cut)
    return cut


def _generalized(node: str, cut: Cut, parents: Parents) -> bool:
    """Whether the cut runs above a node, so that it cannot be published any more."""
    return any(cut[leaf] in ancestors(parents, node) for leaf in leaves(parents, node))


def _cheapest_fix(
    records: Sequence[Record], parents: Parents, k: int, path: Collection[str], cut: Cut
) -> Cut:
    """The cheapest cut above the given one at which a rare set has become common."""
    found = []
    nodes = sorted(path)
    for tops in product(*([node, *ancestors(parents, node)] for node in nodes)):
        tried = dict(cut)
        for node, top in zip(nodes, tops, strict=True):
            if top != node:
                below = (leaf for leaf in leaves(parents, top) if tried[leaf] not in ancestors(parents, top))
                tried |= dict.fromkeys(below, top)
        if sum(all(set(leaves(parents, top)) & record for top in tops) for record in records) >= k:
            found.append((ncp(records, parents, tried), sorted(tried.items())))
    return dict(min(found)[1])
