"""Counting a table for generalizing: its combinations of quasi-identifiers, and who holds which value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.hierarchy import Hierarchy
from tacit.engine.base import Combinations
from tacit.knowledge.row_classes import row_classes
from tacit.mining.knowledge import NegativeRules
from tacit.recoding.forest import forest_of, leaf_costs
from tacit.recoding.held import Held
from tacit.recoding.problem import Problem
from tacit.recoding.promises import Promise
from tacit.typing import Codes, Counts, Floats


def quasi_combinations(combinations: Combinations, quasi: Sequence[str]) -> tuple[Codes, Codes, Counts]:
    """The combinations of the quasi-identifiers alone: that of each combination, their codes, their rows."""
    places = [combinations.place(name) for name in quasi]
    if places == [*range(len(combinations.names))]:  # they are these already
        return np.arange(len(combinations.counts), dtype=np.int32), combinations.codes, combinations.counts
    columns = [np.ascontiguousarray(combinations.codes[:, place]) for place in places]
    number, first = group_rows(columns, [len(combinations.texts[place]) for place in places])
    rows = np.bincount(number, weights=combinations.counts, minlength=len(first)).astype(np.int64)
    return number, np.ascontiguousarray(combinations.codes[first][:, places]), rows


def held_values(
    combinations: Combinations, number: Codes, sensitive: Sequence[str], rules: NegativeRules | None
) -> Held:
    """What the combinations of quasi-identifiers hold of the sensitive attributes."""
    kinds, kind_of = row_classes(combinations, sensitive, rules)
    return Held(number, kind_of, combinations.counts, kinds)


def problem_of(
    combinations: Combinations,
    quasi: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    promise: Callable[[Held | None], Promise],
    *,
    costs: Mapping[str, Floats] | None = None,
    kept: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    rules: NegativeRules | None = None,
) -> Problem:
    """What a solver is given; ``costs`` of a column say what its nodes lose, where that is not by leaves.

    The ``kept`` columns are part of a class as they are; their hierarchies play no part but for their leaves.
    """
    known = (*quasi, *kept)
    number, codes, rows = quasi_combinations(combinations, known)
    trees = [hierarchies[name] for name in known]
    spent = [(costs or {}).get(name, leaf_costs(tree)) for name, tree in zip(known, trees, strict=True)]
    forest = forest_of(trees, spent)
    texts = [combinations.texts[combinations.place(name)] for name in known]
    leaves = tuple(
        numbers[tree.leaves_of(list(own))]
        for tree, numbers, own in zip(trees, forest.numbers, texts, strict=True)
    )
    held = held_values(combinations, number, sensitive, rules) if sensitive else None
    return Problem(forest, codes, leaves, rows, promise(held), len(kept))
