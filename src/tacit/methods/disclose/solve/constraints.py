"""Linear constraints on what a reader does not know: how many people of some units hold a value.

Every piece of knowledge here says ``lower ≤ Σ_{u in units} N(u, x) ≤ upper`` for some units and
one sensitive value x, where N(u, x) is the number of people of unit u who hold x. Bounds are in
people, so that they are whole numbers wherever the knowledge is about counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.mining.rules import take_lists
from tacit.typing import AnyArray, Codes, Counts, Floats, Offsets


@dataclass(frozen=True, eq=False)
class Constraints:
    """Constraint j is about the units ``units[offsets[j] : offsets[j + 1]]`` and the value ``values[j]``."""

    offsets: Offsets
    units: Codes
    values: Codes
    lower: Floats
    upper: Floats
    source: Codes
    """Which source of knowledge each constraint comes from."""
    place: Counts
    """Which of that source's statements it is."""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_variables(self) -> int:
        """The variables in all constraints, counted as often as they occur."""
        return len(self.units)

    @property
    def equal(self) -> AnyArray:
        """Where a constraint is an equation."""
        return np.asarray(self.lower == self.upper)

    def select(self, places: AnyArray) -> Constraints:
        """The constraints named by an index or a mask."""
        places = np.flatnonzero(places) if places.dtype == bool else places
        offsets, units = take_lists(self.offsets, self.units, places)
        return Constraints(
            offsets,
            units,
            self.values[places],
            self.lower[places],
            self.upper[places],
            self.source[places],
            self.place[places],
        )


def constraints_of(
    extents: tuple[Offsets, Codes], values: AnyArray, *, lower: AnyArray | float, upper: AnyArray | float
) -> Constraints:
    """Constraints of one source, its statements numbered as they come."""
    offsets, units = extents
    n = len(offsets) - 1
    return Constraints(
        np.asarray(offsets, dtype=np.int64),
        np.asarray(units, dtype=np.int32),
        np.asarray(values, dtype=np.int32),
        np.broadcast_to(np.asarray(lower, dtype=np.float64), n).copy(),
        np.broadcast_to(np.asarray(upper, dtype=np.float64), n).copy(),
        np.zeros(n, dtype=np.int32),
        np.arange(n, dtype=np.int64),
    )


def joined(parts: Sequence[Constraints]) -> Constraints:
    """The constraints of several sources, each marked with its source's number."""
    parts = list(parts) or [no_constraints()]
    starts = np.cumsum([0, *(len(part.units) for part in parts)])
    offsets = [part.offsets[:-1] + start for part, start in zip(parts, starts[:-1], strict=True)]
    return Constraints(
        np.concatenate([*offsets, starts[-1:]]).astype(np.int64),
        np.concatenate([part.units for part in parts]),
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.lower for part in parts]),
        np.concatenate([part.upper for part in parts]),
        np.concatenate([np.full(len(part), number, dtype=np.int32) for number, part in enumerate(parts)]),
        np.concatenate([part.place for part in parts]),
    )


def no_constraints() -> Constraints:
    """Knowing nothing."""
    nothing = np.zeros(0, dtype=np.int32)
    return constraints_of((np.zeros(1, dtype=np.int64), nothing), nothing, lower=nothing, upper=nothing)
