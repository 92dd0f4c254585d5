"""Whether somebody could have had a value although every pair keeps a holder: by an integer program.

An answer that follows from the classes alone is the same for every original that they speak of. It takes all
pairs, however many hold them, and is for small tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from tacit.typing import AnyArray, Bools, Codes

if TYPE_CHECKING:
    from tacit.mining.exchanges import Groups, Pair

MOST_CELLS = 2_000
"""Tables with more ways to give somebody of a group what somebody of its class has are not small."""


class Worlds:
    """All ways to hand around in classes what people have: how many of a group have what a kind has."""

    def __init__(self, groups: Groups, class_of: Codes, pairs: Iterable[Pair]) -> None:
        cells: list[tuple[int, int]] = []
        givers: dict[int, list[int]] = {}  # of each class, the kinds of its people
        for here in np.unique(class_of).tolist():
            givers[here] = np.unique(groups.kind_of[class_of == here]).tolist()
        for group, (here, kind) in enumerate(zip(class_of.tolist(), groups.kind_of.tolist(), strict=True)):
            cells += [(group, giver) for giver in givers[here] if giver == kind or groups.may(kind, giver)]
        self._group, self._given = np.array(cells, dtype=np.int64).T
        self._values, self._counts = groups.values, groups.counts
        self._rows: list[AnyArray] = []
        self._bounds: list[tuple[int, float]] = []
        for group, count in enumerate(groups.counts.tolist()):
            self._add(self._group == group, count, count)
        for here, kinds in givers.items():
            for giver in kinds:
                held = int(groups.counts[(class_of == here) & (groups.kind_of == giver)].sum())
                self._add((class_of[self._group] == here) & (self._given == giver), held, held)
        for pair in pairs:
            holding = groups.values[self._given, pair.column] == pair.value
            self._add(np.isin(self._group, pair.able) & holding, 1, np.inf)

    def _add(self, cells: Bools, least: int, most: float) -> None:
        self._rows.append(cells)
        self._bounds.append((least, most))

    def gives(self, group: int, column: int, value: int) -> bool:
        """Whether one of a group has this value in some world."""
        from scipy.optimize import LinearConstraint, milp
        from scipy.sparse import csr_array

        having = (self._group == group) & (self._values[self._given, column] == value)
        if not having.any():
            return False
        least, most = np.array([*self._bounds, (1, np.inf)]).T
        lines = csr_array(np.array([*self._rows, having], dtype=np.float64))
        whole = np.ones(len(having), dtype=np.int64)
        asked = LinearConstraint(lines, least, most)
        return bool(milp(np.zeros(len(having)), constraints=asked, integrality=whole).success)


def is_small(groups: Groups) -> bool:
    """Whether the worlds of a table can be looked through."""
    pairs = np.unique(np.column_stack([groups.class_of, groups.kind_of]), axis=0)[:, 0]
    return int((np.bincount(groups.class_of) * np.bincount(pairs)).sum()) <= MOST_CELLS
