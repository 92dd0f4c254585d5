"""Drop a rule that a more general one makes needless.

X generalizes to X' by leaving items out or by replacing items with their ancestors. A rule is kept
only when no proper generalization of it is a rule for the same value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import polars as pl

from tacit.mining.attributes import Attribute
from tacit.typing import Bools, Codes


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
