"""How diverse the values of a class are, and how far from everybody's: entropy, and distances over trees.

A distance between distributions is what it takes to carry one over into the other, along the edges of a tree
whose leaves are the values: of every edge its weight, times how much more one of them has on one side. With
equal distances the tree is a star, with ordered ones a line, with hierarchical ones the hierarchy.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, fsum, log, prod
from typing import Any

from tacit_verify.reading import agrees
from tacit_verify.twins import NUMBER, looks

ATTACKED = 200_000  # of more rows, a part is attacked
MISSING = "NaN"  # the leaf of a missing value
Tree = dict[str, str | None]  # the parent of each node; None of the root
Edges = list[tuple[Fraction, list[str]]]  # weights, and the values on one side


def way(tree: Tree, node: str | None) -> list[str]:
    """A node and everything above it; a way that does not end is an error."""
    found: list[str] = []
    while node is not None:
        if len(found) > len(tree):
            raise ValueError(f"the hierarchy goes round at {node!a}")
        found.append(node)
        node = tree[node]
    return found


def entropy_diverse(counts: Sequence[int], l: int) -> bool:
    """Whether the entropy is at least log ℓ; where floating point cannot tell, in whole numbers."""
    n = sum(counts)
    spare = log(n) - fsum(one * log(one) for one in counts) / n - log(l)
    return spare > 0 if abs(spare) > 1e-9 else n**n >= l**n * prod(one**one for one in counts)


def guess_problems(risks: dict[str, Any], held: Iterable[dict[Any, int]]) -> Iterator[str]:
    """What is stated of guesses of the values of these groups, beside how many are right."""
    everybody, right = Counter[Any](), list[float]()
    for values, times in Counter(tuple(one.items()) for one in held).items():
        size = sum(n for _, n in values)
        for value, n in values:
            everybody[value] += n * times
            right.append(times * n**2 / size)
    n_rows = everybody.total()
    for name in ("learning", "rule_guesses"):
        stated = risks.get(name) or {}
        rows = stated.get("rows", n_rows)
        if rows > n_rows or rows < n_rows <= ATTACKED:
            yield f"{name} is of {rows} rows, and there are {n_rows}"
        known = {"majority": max(everybody.values()) / n_rows}
        if rows == n_rows:  # else a part of the groups was looked at
            known["baseline"] = fsum(right) / n_rows
        surest = [(share, min(rows, max(100, ceil(share * rows)))) for share in (0.01, 0.05, 0.1)]
        wrong = [figure for figure, number in known.items() if not agrees(stated.get(figure, number), number)]
        told = [(one["share"], one["people"]) for one in stated.get("surest", ())]
        if wrong or told != surest * bool(stated):
            yield f"{name} states {wrong[0] if wrong else 'how many the surest are'} otherwise than counted"


def edges_of(promise: dict[str, Any], tree: Tree, name: str, values: list[str]) -> Edges:
    """The edges of a distance between values of a column."""
    if promise["distance"] == "equal":
        return [(Fraction(1, 2), [value]) for value in values]
    if promise["distance"] == "ordered":
        order = [looks(value) for value in promise["order"][name]]
        if sorted(order) != sorted(values):
            raise ValueError(f"the order of {name} is not one of its values")
        texts = [value for value in promise["order"][name] if value is not None]
        if all(map(NUMBER.fullmatch, texts)) and (numbers := [*map(Decimal, texts)]) != sorted(numbers):
            raise ValueError(f"the numbers of {name} are not in their order")
        return [(Fraction(1, len(order) - 1), order[:upto]) for upto in range(1, len(order))]
    heights, below, children = Counter[str](), dict[str, list[str]](), Counter(tree.values())
    leaves = {looks(None if node == MISSING else node): node for node in tree.keys() - tree.values()}
    for value in values:
        height = 0
        for node in way(tree, leaves[value]):
            height += children[node] > 1  # a node with one child is as high as that, or a chain would be high
            heights[node] = max(heights[node], height)
            below.setdefault(node, []).append(value)
    top = 2 * max(1, *heights.values())
    inner = ((node, above) for node, above in tree.items() if above is not None)
    return [(Fraction(heights[above] - heights[node], top), below[node]) for node, above in inner]


def distance(here: Counter[str], everybody: Counter[str], edges: Edges) -> Fraction:
    """How far the values of a class are from everybody's."""
    n, total = here.total(), everybody.total()
    gaps = (
        weight * abs(sum(here[value] for value in some) * total - sum(everybody[value] for value in some) * n)
        for weight, some in edges
    )
    return sum(gaps, Fraction()) / (n * total)
