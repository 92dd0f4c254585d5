"""The figures that standards may ask for, each measured when one does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.data.column import Column
from tacit.data.table import Table
from tacit.judging.risk import personal
from tacit.judging.risk.cells import Cells, cells_of
from tacit.judging.risk.classes import Classes, Held, classes_of
from tacit.judging.risk.figures import FIGURES
from tacit.judging.risk.result import Risk
from tacit.judging.risk.standards import Ask, Standard
from tacit.judging.roles import words_of
from tacit.typing import Counts, Floats

Answer = tuple[int | float | None, str]
"""A figure with the columns it is about, or None with the reason."""


@dataclass(frozen=True, eq=False)
class Stand:
    """A table that is held against standards."""

    table: Table
    risk: Risk | None
    """What was measured of it, where it is a table of people."""
    counts: str | None = None
    """The column with the counts, where it is a table of counts."""

    def answer(self, ask: Ask, standard: Standard) -> Answer:
        """The figure that a standard asks for."""
        if ask.figure in _SPECIAL:
            return _SPECIAL[ask.figure](self, ask, standard)
        if self.risk is None:
            return None, "this is a table of counts"
        if "columns" in ask.more:
            return self._among(ask)
        one = self.risk.get(ask.figure)
        if one is None:
            return None, "it is not measured of these data"
        if isinstance(one.value, str) or one.value is None:
            return None, one.why
        if "needs" in ask.more and one.why:
            return None, f"it needs {ask.more['needs']}"
        return one.value, one.why

    def _among(self, ask: Ask) -> Answer:
        """A figure of the classes by some columns alone, which are found by a word of their names."""
        named = []
        for word in ask.more["columns"]:
            found = [name for name in self.table.names if word in words_of(name)]
            if not found:
                return None, f"no column is called {word!r}"
            named.append(found[0])
        if ask.figure != "k":
            return None, "only k is measured by some columns"
        return int(classes_of(self.table, named, ()).sizes.min()), ", ".join(named)

    @cached_property
    def cells(self) -> Cells | None:
        return None if self.counts is None else cells_of(self.table, self.counts)

    @cached_property
    def classes(self) -> Classes:
        assert self.risk is not None
        numbers = [name for name in self.risk.sensitive if self.table.column(name).values.dtype.is_numeric()]
        return classes_of(self.table, self.risk.quasi, numbers[:1])

    def personal(self, names: list[str]) -> Answer:
        return len(names), ", ".join(names)


def _small_cells(stand: Stand, ask: Ask, standard: Standard) -> Answer:
    below = int(ask.more["below"])
    if stand.cells is not None:
        derived = sum(0 < count < below for count in stand.cells.derived.values())
        return stand.cells.small(below), f"{derived:,} of them follow from totals" if derived else ""
    return int((stand.classes.sizes < below).sum()), "each class of people is a cell"


def _unrounded_cells(stand: Stand, ask: Ask, standard: Standard) -> Answer:
    if stand.cells is None:
        return None, "this is no table of counts"
    return stand.cells.unrounded(int(ask.more["base"])), ""


def _dominated_cells(stand: Stand, ask: Ask, standard: Standard) -> Answer:
    return _by_values(
        stand, lambda ranked: _top(ranked, int(ask.more["largest"])) >= float(ask.more["share"])
    )


def _p_ratio_cells(stand: Stand, ask: Ask, standard: Standard) -> Answer:
    share = float(ask.more["share"])
    return _by_values(stand, lambda ranked: ranked[2:].sum() < share * ranked[0])


def _top(ranked: Floats, largest: int) -> float:
    total = float(ranked.sum())
    return float(ranked[:largest].sum()) / total if total else 0.0


def _by_values(stand: Stand, fails: Callable[[Floats], bool]) -> Answer:
    """How many cells fail by the values of a sensitive column of numbers, largest first."""
    if stand.risk is None or not stand.classes.sensitive:
        return None, "no sensitive column of numbers"
    held = stand.classes.sensitive[0]
    numbers = np.nan_to_num(stand.table.column(held.name).values.cast(float).to_numpy(), nan=0.0)
    count = sum(bool(fails(ranked)) for ranked in _ranked(held, numbers, stand.classes.sizes))
    return count, held.name


def _ranked(held: Held, numbers: Floats, sizes: Counts) -> list[Floats]:
    starts = np.flatnonzero(np.diff(held.classes, prepend=-1))
    ends = np.append(starts[1:], len(held.classes))
    return [
        np.sort(np.repeat(numbers[held.values[begin:end]], held.counts[begin:end]))[::-1]
        for begin, end in zip(starts, ends, strict=True)
    ]


def _columns(stand: Stand) -> list[Column]:
    return [stand.table.column(name) for name in stand.table.names]


_SPECIAL: dict[str, Callable[[Stand, Ask, Standard], Answer]] = {
    "small_cells": _small_cells,
    "unrounded_cells": _unrounded_cells,
    "dominated_cells": _dominated_cells,
    "p_ratio_cells": _p_ratio_cells,
    "identifier_columns": lambda stand, ask, standard: stand.personal(
        personal.identifier_columns(_columns(stand))
    ),
    "fine_places": lambda stand, ask, standard: stand.personal(personal.fine_places(_columns(stand))),
    "small_places": lambda stand, ask, standard: stand.personal(
        personal.small_places(_columns(stand), standard.more.get("small_postal_areas", ()))
    ),
    "fine_dates": lambda stand, ask, standard: stand.personal(personal.fine_dates(_columns(stand))),
    "old_ages": lambda stand, ask, standard: stand.personal(personal.old_ages(_columns(stand))),
}
ASKABLE = (*(figure.name for figure in FIGURES), *_SPECIAL)
"""Every figure that a standard may name."""
