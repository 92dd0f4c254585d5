"""Hiding from the definitions: the literal matrix product and row rule, the measures, binomial tails.

Everything here is plain Python over sets and nested lists, as the text writes it, and slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from itertools import product as product_of
from math import ceil, comb

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

Matrix = list[list[int]]
Sides = tuple[tuple[int, ...], ...]


def product(d: Matrix, s: Matrix) -> Matrix:
    """D × S with the three rules of section 2: 0 stays 0, a sum of at least 1 is 1, any other is 0."""
    n_items = len(s)
    result = []
    for row in d:
        new = []
        for j in range(n_items):
            total = sum(row[k] * s[k][j] for k in range(n_items))
            new.append(0 if row[j] == 0 else int(total >= 1))
        result.append(new)
    return result


def row_rule(
    d: Matrix, s: Matrix, rho: Sequence[float], mu: Sequence[float], stays: Callable[[int, int, float], bool]
) -> Matrix:
    """The sanitization algorithm of section 3.2.3; ``stays(i, j, p)`` is the coin of cell (i, j)."""
    n_items = len(s)
    result = [[0] * n_items for _ in d]
    for i, row in enumerate(d):
        for j in range(n_items):
            if row[j] == 0:
                continue
            temp = sum(row[k] * s[k][j] for k in range(n_items))
            has_minus = any(s[k][j] == -1 for k in range(n_items))
            ones = sum(s[k][j] == 1 for k in range(n_items))
            hit = any(s[k][j] == -1 and row[k] == 1 for k in range(n_items))
            if has_minus and ones == 1 and temp <= 0:
                result[i][j] = int(stays(i, j, rho[j]))
            elif has_minus and ones > 1 and temp >= 1 and hit:
                result[i][j] = int(stays(i, j, mu[j]))
            elif temp <= 0:
                result[i][j] = 0
            else:
                result[i][j] = 1
    return result


def binomial_tail(n: int, x: int, p: Fraction) -> Fraction:
    """P[Bin(n, p) ≤ x], exactly."""
    return sum((comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(min(n, x) + 1)), Fraction(0))


def support(records: Iterable[frozenset[str]], items: Iterable[str]) -> int:
    wanted = frozenset(items)
    return sum(wanted <= record for record in records)


def frequent(records: Sequence[frozenset[str]], least: int) -> dict[frozenset[str], int]:
    """Every pattern of two and more items that at least so many records hold."""
    names = sorted(set().union(*records)) if records else []
    found = {}
    for size in range(2, len(names) + 1):
        for items in combinations(names, size):
            count = support(records, items)
            if count >= least:
                found[frozenset(items)] = count
    return found


def measures(
    before: Sequence[frozenset[str]],
    after: Sequence[frozenset[str]],
    seeds: Iterable[frozenset[str]],
    least: int,
) -> dict[str, float]:
    """The five measures of section 4.1, for seeds of two and more items."""
    seeds = list(seeds)
    p, q = frequent(before, least), frequent(after, least)
    sensitive = {items for items in p if any(seed <= items for seed in seeds)}
    others = set(p) - sensitive
    hidden = sensitive - set(q)
    weak = [items for items in hidden if all(frozenset(pair) in q for pair in combinations(items, 2))]
    cells = sum(map(len, before))
    return {
        "hiding_failure": len(sensitive & set(q)) / len(sensitive) if sensitive else 0.0,
        "misses_cost": len(others - set(q)) / len(others) if others else 0.0,
        "artificial_patterns": len(set(q) - set(p)) / len(q) if q else 0.0,
        "dissimilarity": (cells - sum(map(len, after))) / cells if cells else 0.0,
        "weakness": len(weak) / len(hidden) if hidden else 0.0,
    }


def fewest_lost(
    records: Sequence[frozenset[str]],
    limits: dict[frozenset[str], int],
    kept: Iterable[frozenset[str]],
    least: int,
) -> int:
    """The fewest of the kept patterns that become infrequent when each limited one stays within its limit.

    An integer program: a variable for each cell, whether it goes, one for each (record, pattern) that it
    holds, whether it is broken there, and one for each kept pattern, whether it is lost.
    """
    kept = list(kept)
    concerned = set().union(*limits)
    cells = {
        (row, item): number
        for number, (row, item) in enumerate(
            (row, item) for row, record in enumerate(records) for item in sorted(record & concerned)
        )
    }
    size = len(cells)
    rows: list[dict[int, float]] = []
    lower: list[float] = []
    upper: list[float] = []

    def require(terms: dict[int, float], low: float, high: float) -> None:
        rows.append(terms)
        lower.append(low)
        upper.append(high)

    def broken(row: int, pattern: frozenset[str], *, at_most: bool) -> int:
        nonlocal size
        mine = [cells[row, item] for item in pattern & concerned]
        size += 1
        if at_most:
            require({size - 1: 1.0} | dict.fromkeys(mine, -1.0), -np.inf, 0)
        else:
            for cell in mine:
                require({size - 1: 1.0, cell: -1.0}, 0, np.inf)
        return size - 1

    for pattern, limit in limits.items():
        holding = [row for row, record in enumerate(records) if pattern <= record]
        gone = [broken(row, pattern, at_most=True) for row in holding]
        require(dict.fromkeys(gone, 1.0), len(holding) - limit, np.inf)
    lost = []
    for pattern in kept:
        holding = [row for row, record in enumerate(records) if pattern <= record]
        gone = [broken(row, pattern, at_most=False) for row in holding]
        size += 1
        lost.append(size - 1)
        require(dict.fromkeys(gone, 1.0) | {size - 1: -float(len(holding))}, -np.inf, len(holding) - least)
    matrix = np.zeros((len(rows), size))
    for number, terms in enumerate(rows):
        matrix[number, list(terms)] = list(terms.values())
    cost = np.zeros(size)
    cost[lost] = 1
    solved = milp(
        cost,
        constraints=LinearConstraint(matrix, lower, upper),
        integrality=np.ones(size),
        bounds=Bounds(0, 1),
    )
    return round(solved.fun)


Mined = set[tuple[frozenset[str], frozenset[str]]]


def mined(records: Sequence[frozenset[str]], least: int, confidence: Fraction) -> Mined:
    """The frequent patterns, as rules without a left side, and the rules with one item on the right."""
    patterns = frequent(records, least)
    found = {(frozenset[str](), items) for items in patterns}
    for items, both in patterns.items():
        for item in items:
            left = items - {item}
            if both >= confidence * support(records, left):
                found.add((left, frozenset([item])))
    return found


def fewest_lost_with_rule(
    records: Sequence[frozenset[str]], left: frozenset[str], right: str, least: int, confidence: Fraction
) -> int:
    """The fewest patterns and other rules that are lost when a rule is hidden, by trying every way.

    Items of the right side go until the confidence is too small, or items of both sides until the support is.
    """
    items, own = left | {right}, (left, frozenset([right]))
    before = mined(records, least, confidence) - {own}
    holders = [row for row, record in enumerate(records) if items <= record]
    confident = ceil(confidence * support(records, left)) - 1
    best = len(before)
    for keep, victims in ((max(least - 1, confident), {right}), (least - 1, items)):
        for rows in combinations(holders, len(holders) - keep):
            for going in product_of(sorted(victims), repeat=len(rows)):
                after = list(records)
                for row, item in zip(rows, going, strict=True):
                    after[row] -= {item}
                best = min(best, len(before - mined(after, least, confidence)))
    return best


def way_to_hide(
    records: Sequence[frozenset[str]],
    sides: Sequence[set[str]],
    least: int,
    confidence: Fraction | None,
) -> str:
    """How a pattern (one side) or a rule (two) is hidden: by whichever changes fewer transactions."""
    both = support(records, set().union(*sides))
    if both < least:
        return "hidden"
    if len(sides) == 1:
        return "pattern"
    pairs = combinations(sorted(set().union(*sides)), 2)
    by_support = min(support(records, pair) for pair in pairs) - (least - 1)
    if confidence is None:
        return "support"
    left = support(records, sides[0])
    if Fraction(both, left) < confidence:
        return "hidden"
    stay = max(n for n in range(both + 1) if n < least or Fraction(n, left) < confidence)
    return "confidence" if both - stay < by_support else "support"


def alike(one: Sequence[tuple[str, Sides]], other: Sequence[tuple[str, Sides]]) -> bool:
    """Whether some renaming of items makes one list of patterns and rules, with their ways, the other."""

    def described(things: Sequence[tuple[str, Sides]]) -> list[object]:
        items = sorted({item for _, sides in things for side in sides for item in side})
        places = [
            [
                (number, place)
                for number, (_, sides) in enumerate(things)
                for place, side in enumerate(sides)
                if item in side
            ]
            for item in items
        ]
        return [[(way, [len(side) for side in sides]) for way, sides in things], sorted(places)]

    return any(described(list(order)) == described(list(one)) for order in permutations(other))
