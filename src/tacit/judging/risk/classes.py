"""The classes of a table: rows alike in their quasi-identifiers, and the sensitive values among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.grouping import group_rows
from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.engine.choice import engine_for
from tacit.typing import Codes, Counts, Floats


@dataclass(frozen=True, eq=False)
class Held:
    """The values of a sensitive column that each class holds, one entry for each pair of class and value."""

    name: str
    classes: Counts
    values: Counts
    counts: Counts
    """How many rows of the class hold the value."""
    whole: Counts
    """How many rows of the table hold each value, in the order of the column."""
    ordered: bool
    """Whether the values are numbers or dates, and their order means something."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a table."""

    names: tuple[str, ...]
    texts: tuple[tuple[str | None, ...], ...]
    codes: tuple[Codes, ...]  # of each quasi-identifier: (classes,)
    sizes: Counts
    """How many rows each class has: f."""
    sensitive: tuple[Held, ...]

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def rows(self) -> int:
        return int(self.sizes.sum())


def classes_of(table: Table, quasi: Sequence[str], sensitive: Sequence[str]) -> Classes:
    """The classes of a table by some columns."""
    held = engine_for(table).combinations(table, [*quasi, *sensitive])
    codes = [np.ascontiguousarray(held.codes[:, place]) for place in range(len(quasi))]
    groups, first = group_rows(codes, [len(texts) for texts in held.texts[: len(quasi)]])
    return Classes(
        names=tuple(quasi),
        texts=held.texts[: len(quasi)],
        codes=tuple(column[first] for column in codes),
        sizes=_summed(groups, held.counts, len(first)),
        sensitive=tuple(_held(held, groups, name, ordered=_is_ordered(table, name)) for name in sensitive),
    )


def _held(held: Combinations, groups: Codes, name: str, *, ordered: bool) -> Held:
    place = held.place(name)
    width = len(held.texts[place])
    pairs, which = np.unique(groups.astype(np.int64) * width + held.codes[:, place], return_inverse=True)
    return Held(
        name=name,
        classes=pairs // width,
        values=pairs % width,
        counts=_summed(which, held.counts, len(pairs)),
        whole=_summed(held.codes[:, place], held.counts, width),
        ordered=ordered,
    )


def _is_ordered(table: Table, name: str) -> bool:
    kind = table.column(name).values.dtype
    return kind.is_numeric() or kind.is_temporal()


def _summed(groups: Codes | Counts, counts: Counts, n_groups: int) -> Counts:
    weights: Floats = counts.astype(np.float64)  # whole numbers below 2^53 stay exact
    return np.bincount(groups, weights=weights, minlength=n_groups).astype(np.int64)
