"""When the absence of a value is news: expectation, and its correction for many tests.

With n rows, c(X) of them matching X and a share P(s) of them holding s, the chance that a value s
unrelated to X is absent from the c(X) rows is (1 − P(s))^c(X); one minus that is the *expectation*
of the rule X ⇒ ¬s [1]. The chance bounds the hypergeometric p-value of the absence from above, so it
serves as a p-value, and the usual corrections for testing many pairs (X, s) are sound.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008, section IV-A.
[2] Y. Benjamini, Y. Hochberg. Controlling the false discovery rate. JRSS B 57(1), 1995.

Drop a rule that a more general one makes needless.

X generalizes to X' by leaving items out or by replacing items with their ancestors. A rule is kept
only when no proper generalization of it is a rule for the same value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl

from tacit.mining.attributes import Attribute
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats

_NEAR = 1e-7


def log_chance(value_counts: Counts, n_rows: int) -> Floats:
    """ln(1 − P(s)) for each value; −inf for a value that every row holds."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log1p(-value_counts / n_rows))


def required_counts(value_counts: Counts, n_rows: int, level: Fraction) -> Counts:
    """The smallest c(X) at which the absence of each value reaches its level of chance.

    That is the smallest c with (1 − P(s))^c ≤ ``level``; a value that every row holds has none, and
    gets n + 1. Logarithms decide, and whole numbers where logarithms are too close to tell.
    """
    needed = np.empty(len(value_counts), dtype=np.int64)
    for place, held in enumerate(value_counts.tolist()):
        needed[place] = _required_count(held, n_rows, level)
    return needed


def _required_count(held: int, n_rows: int, level: Fraction) -> int:
    if held >= n_rows:
        return n_rows + 1
    ratio = (math.log(level.numerator) - math.log(level.denominator)) / math.log1p(-held / n_rows)
    if ratio > n_rows + 1:
        return n_rows + 1
    nearest = round(ratio)
    if abs(ratio - nearest) > _NEAR * max(1.0, ratio):
        return math.ceil(ratio)
    reached = (n_rows - held) ** nearest * level.denominator <= n_rows**nearest * level.numerator
    return nearest if reached else nearest + 1


def benjamini_hochberg(log_p: Floats, n_tests: int, level: float) -> Floats:
    """The largest ln p that is rejected among ``n_tests`` tests at this false discovery rate.

    Tests that are not in ``log_p`` have p = 1. Returns −inf where none is rejected.
    """
    ordered = np.sort(log_p)
    bounds = np.log(level) + np.log(np.arange(1, len(ordered) + 1)) - np.log(n_tests)
    passed = np.flatnonzero(ordered <= bounds)
    return np.asarray(ordered[passed[-1]] if len(passed) else -np.inf)


def expectations(counts: AnyArray, log_chances: Floats) -> Floats:
    """The expectation of each rule from c(X) and ln(1 − P(s))."""
    return np.asarray(-np.expm1(counts * log_chances))


def most_general(nodes: Codes, values: Codes, attributes: Sequence[Attribute], *, exact: bool) -> Bools:
    """Which rules are most general; a rule is a row of nodes (-1: no item) and a value.

    Without exceptions (``exact``) every conjunction between two rules is a rule as well, so it is
    enough to look one step up; otherwise every way up is looked at.
    """
    columns = [f"attribute{place}" for place in range(len(attributes))]
    rules = pl.DataFrame({name: nodes[:, place] for place, name in enumerate(columns)})
    rules = rules.with_columns(value=pl.Series(values, dtype=pl.Int32))
    needless = np.zeros(len(values), dtype=bool)
    for steps in _ways_up(attributes, exact=exact):
        raised = _raised(nodes, attributes, steps)
        moved = (raised != nodes).any(axis=1)
        candidates = pl.DataFrame({name: raised[:, place] for place, name in enumerate(columns)})
        candidates = candidates.with_columns(
            value=pl.Series(values, dtype=pl.Int32), row=pl.Series(np.arange(len(values)))
        ).filter(pl.Series(moved))
        hit = candidates.join(rules, on=[*columns, "value"], how="semi").get_column("row").to_numpy()
        needless[hit] = True
    return ~needless


def _ways_up(attributes: Sequence[Attribute], *, exact: bool) -> Iterator[tuple[int, ...]]:
    """How many steps each attribute's item is raised: one step of one attribute, or any number of all."""
    if exact:
        for place in range(len(attributes)):
            yield tuple(int(place == other) for other in range(len(attributes)))
        return
    depths = [range(len(attribute.levels) + 1) for attribute in attributes]
    for steps in product(*depths):
        if any(steps):
            yield steps


def _raised(nodes: Codes, attributes: Sequence[Attribute], steps: tuple[int, ...]) -> Codes:
    """The nodes raised by so many steps; an item raised to the root is left out."""
    raised = nodes.copy()
    for place, (attribute, times) in enumerate(zip(attributes, steps, strict=True)):
        parents = attribute.hierarchy.parents
        for _ in range(times):
            present = raised[:, place] >= 0
            raised[present, place] = parents[raised[present, place]]
            raised[raised[:, place] == attribute.hierarchy.root, place] = -1
    return raised
