"""Hiding from the definitions: the literal matrix product and row rule, the measures, binomial tails.

Everything here is plain Python over sets and nested lists, as the text writes it, and slow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

Matrix = list[list[int]]


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
