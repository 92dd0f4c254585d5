"""The people a reader knows by their quasi-identifiers, and the units the reader tells apart.

A *combination* is a distinct choice of quasi-identifiers; a *unit* is a combination, or a
combination inside one bucket where a bucketized table is published as well. How many people a
unit holds is known to the reader; how many of them hold each sensitive value is not, and is what
the owner measures the reader's guesses against.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays.grouping import group_rows
from tacit.data.table import Table
from tacit.engine.base import TableCounting
from tacit.engine.choice import engine_for
from tacit.errors import UsageError, option
from tacit.mining.attributes import Attribute, attributes_of
from tacit.typing import Codes, Counts, Offsets


@dataclass(frozen=True, eq=False)
class Population:
    """Combinations of quasi-identifiers with their people, and the units they fall into."""

    attributes: tuple[Attribute, ...]
    texts: tuple[tuple[str | None, ...], ...]
    codes: Codes  # (combinations, attributes)
    truth: Counts  # (combinations, sensitive values): the owner's knowledge
    sensitive: str
    values: tuple[str | None, ...]
    combination_of: Codes  # (units,)
    counts: Counts  # (units,): people per unit
    buckets: Codes  # (units,): the bucket of each unit, -1 outside any

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_units(self) -> int:
        return len(self.counts)

    @property
    def n_values(self) -> int:
        return len(self.values)

    @cached_property
    def people(self) -> Counts:
        """How many people share each combination."""
        return np.asarray(self.truth.sum(axis=1))

    @cached_property
    def n_rows(self) -> int:
        return int(self.truth.sum())

    @cached_property
    def unit_codes(self) -> Codes:
        """The codes of each unit's combination."""
        return np.ascontiguousarray(self.codes[self.combination_of])

    @cached_property
    def levels(self) -> tuple[tuple[int, Codes], ...]:
        """Every level of every attribute: its number, and the node of each code (-1 for none)."""
        found = []
        for number, attribute in enumerate(self.attributes):
            for offsets, nodes, _ in attribute.levels:
                node_of = np.full(len(offsets) - 1, -1, dtype=np.int32)
                inside = np.diff(offsets) > 0
                node_of[inside] = nodes[offsets[:-1][inside]]
                found.append((number, node_of))
        return tuple(found)

    @cached_property
    def of_combination(self) -> tuple[Offsets, Codes]:
        """In CSR form, the units of each combination."""
        order = np.argsort(self.combination_of, kind="stable").astype(np.int32)
        ends = np.cumsum(np.bincount(self.combination_of, minlength=len(self)))
        return np.concatenate([[0], ends]).astype(np.int64), order


def population_of(
    table: Table, *, hierarchies: bool = False, engine: TableCounting | None = None
) -> Population:
    """The combinations of a table's quasi-identifiers; each is a unit of its own."""
    if not table.roles.quasi or len(table.roles.sensitive) != 1:
        raise UsageError(
            "Disclosure is measured for quasi-identifiers and one sensitive attribute.",
            code="roles-missing",
            hint=f"Name them with {option('quasi')} and {option('sensitive')}.",
        )
    sensitive = table.roles.sensitive[0]
    cells = (engine or engine_for(table)).combinations(table, [*table.roles.quasi, sensitive])
    values = cells.texts[-1]
    columns = [np.ascontiguousarray(cells.codes[:, place]) for place in range(len(table.roles.quasi))]
    groups, first = group_rows(columns, [len(texts) for texts in cells.texts[:-1]])
    truth = np.zeros((len(first), len(values)), dtype=np.int64)
    np.add.at(truth, (groups, cells.codes[:, -1]), cells.counts)
    return Population(
        attributes=attributes_of(table, table.roles.quasi, hierarchies=hierarchies),
        texts=cells.texts[:-1],
        codes=np.ascontiguousarray(cells.codes[first, :-1]),
        truth=truth,
        sensitive=sensitive,
        values=values,
        combination_of=np.arange(len(first), dtype=np.int32),
        counts=np.asarray(truth.sum(axis=1)),
        buckets=np.full(len(first), -1, dtype=np.int32),
    )
