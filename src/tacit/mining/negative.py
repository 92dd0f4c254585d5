"""Negative rules: what people who share X never have.

A rule ``X ⇒ ¬s`` says that no row matching the conjunction X holds the sensitive value s, where so
many rows match that, were s unrelated to X, some would be expected to [1]. A reader can mine such
rules from a release, or knows them anyway ("males do not have ovarian cancer").

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008, section IV.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.engine.choice import engine_for
from tacit.errors import ParameterError, UsageError, option
from tacit.mining.conjunctions import Attribute, alike, attributes_of, conjunctions
from tacit.mining.knowledge import NegativeRules
from tacit.ranges import as_fraction
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Progress, Threshold


def mine_negative(asked: Any) -> NegativeRules:
    """Mine what was asked for: the checked arguments of :func:`tacit.mine_negative_rules`."""
    table: Table = asked.table
    min_expectation, max_length, correction = asked.min_expectation, asked.max_length, asked.correction
    progress: Progress | None = asked.progress
    if not table.roles.quasi or not table.roles.sensitive:
        raise UsageError(
            "Negative rules need quasi-identifiers and a sensitive attribute.",
            code="roles-missing",
            hint=f"Name them with {option('quasi')} and {option('sensitive')}.",
        )
    engine = asked.engine or engine_for(table)
    attributes = attributes_of(table, table.roles.known, spread=float(asked.spread))
    level = 1 - _fraction(min_expectation)
    tolerated = 1 - _fraction(asked.min_confidence)
    found = NegativeRules.none(attributes, _sensitive_texts(table))
    for name in table.roles.sensitive:
        if progress is not None:
            progress(f"Mining negative rules for {name}", None)
        combinations = engine.combinations(table, [*table.roles.known, name])
        mined = _mine(combinations, attributes, name, level, tolerated, max_length, correction)
        found = found.extended(name, *mined)
    settings = {
        "min_expectation": min_expectation,
        "max_length": max_length,
        "correction": correction,
        "spread": asked.spread,
    }
    found = replace(found, settings=settings)
    return found.with_changes(table, added=asked.rules, dropped=asked.drop_rules, engine=engine)


def _mine(
    combinations: Combinations,
    attributes: Sequence[Attribute],
    sensitive: str,
    level: Fraction,
    tolerated: Fraction,
    max_length: int | None,
    correction: str,
) -> tuple[Codes, Codes, AnyArray, AnyArray, Floats]:
    """(nodes, value, c(X), c(X, s), expectation) of the most general rules for one attribute."""
    place = combinations.place(sensitive)
    n_rows = combinations.n_rows
    held = np.bincount(
        combinations.codes[:, place], weights=combinations.counts, minlength=len(combinations.texts[place])
    ).astype(np.int64)
    chances = log_chance(held, n_rows)
    needed = required_counts(held, n_rows, level)
    # A correction raises what is needed, so the uncorrected minimum still prunes safely; but all
    # pairs count as tested, so nothing may be pruned when they are to be counted.
    counting = correction in ("bonferroni", "bh")
    least = 1.0 if counting or not len(needed) else float(needed.min())

    blocks: list[tuple[Codes, Codes, AnyArray, AnyArray]] = []
    tested = 0
    for block in conjunctions(
        combinations, attributes, sensitive, min_count=least, max_length=max_length, needed=needed
    ):
        tested += len(block) * len(needed)
        quiet = _at_most(block.counts, block.matching, tolerated)
        rows, places = np.nonzero(quiet & (block.matching[:, None] >= needed[block.values]))
        values = block.values[places].astype(np.int32)
        blocks.append((block.nodes[rows], values, block.matching[rows], block.counts[rows, places]))
    nodes, values, matching, hits = _joined(blocks, len(attributes))

    if correction == "bonferroni":
        keep = matching >= required_counts(held, n_rows, level / max(1, tested))[values]
    elif correction == "alike":
        sizes = alike(nodes, attributes)
        keep = np.zeros(len(values), dtype=bool)
        for size in np.unique(sizes):
            mine = sizes == size
            keep[mine] = matching[mine] >= required_counts(held, n_rows, level / int(size))[values[mine]]
    elif correction == "bh":
        log_p = matching * chances[values]
        keep = log_p <= benjamini_hochberg(log_p, max(1, tested), float(level))
    else:
        keep = np.ones(len(values), dtype=bool)
    keep &= chances[values] > -np.inf
    nodes, values, matching, hits = nodes[keep], values[keep], matching[keep], hits[keep]
    general = most_general(nodes, values, attributes, exact=tolerated == 0)
    nodes, values, matching, hits = nodes[general], values[general], matching[general], hits[general]
    return nodes, values, matching, hits, expectations(matching, chances[values])


def _at_most(counts: AnyArray, matching: AnyArray, tolerated: Fraction) -> AnyArray:
    """Where c(X, s) / c(X) is at most the share of exceptions tolerated, in whole numbers if they are."""
    if tolerated == 0:
        return np.asarray(counts == 0)
    if counts.dtype == np.int64:
        return np.asarray(counts * tolerated.denominator <= matching[:, None] * tolerated.numerator)
    return np.asarray(counts <= matching[:, None] * float(tolerated))


def _joined(
    blocks: list[tuple[Codes, Codes, AnyArray, AnyArray]], n_attributes: int
) -> tuple[Codes, Codes, AnyArray, AnyArray]:
    if not blocks:
        empty = np.zeros(0, dtype=np.int64)
        return np.zeros((0, n_attributes), dtype=np.int32), np.zeros(0, dtype=np.int32), empty, empty
    nodes, values, matching, hits = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return nodes, values, matching, hits


def _fraction(share: Threshold) -> Fraction:
    exact = as_fraction(share)
    if exact is None:
        raise ParameterError("share", "mine_negative_rules", "a finite number", share)
    return exact


def _sensitive_texts(table: Table) -> dict[str, tuple[str | None, ...]]:
    return {name: tuple(table.column(name).texts) for name in table.roles.sensitive}


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
