"""The figures that standards may ask for, each measured when one does.

Beside those of classes: cells of a table of counts (:mod:`.cells`) and of people; columns that identify
people or say too much of them (:mod:`.columns`). What cannot be read is not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import polars as pl

from tacit.data.table import Table
from tacit.data.transactions import words_of
from tacit.errors import listed
from tacit.judging.risk.cells import Cells, cells_of
from tacit.judging.risk.classes import Classes, classes_of, contributions, days_in, numbers_in
from tacit.judging.risk.columns import HALF, OF_COLUMNS, UNSURE, Looked
from tacit.judging.risk.figures import FIGURES, ROWS, Risk
from tacit.judging.risk.standards import Ask, Judged, Standard, judge
from tacit.judging.roles import guess_roles
from tacit.typing import Counts, Floats

Answer = tuple[int | float | None, str]
"""A figure with the columns it is about, or None with the reason."""

SEVERAL = "rows were counted, and several are one person's: make the release with --person (person=)"


@dataclass(frozen=True, eq=False)
class Stand:
    """A table that is held against standards."""

    table: Table
    risk: Risk | None
    """What was measured of it, where it is a table of people."""
    counts: str | None = None
    """The column with the counts, where it is a table of counts."""
    person: str | None = None
    """The column that tells people apart, where several rows are one person's."""
    named: bool = False
    """Whether the owner named that column; one that was found is in the table like any other."""
    group: str | None = None
    """The column that names buckets."""
    several: bool = False
    """Whether rows were counted, and several are one person's by what a manifest says."""
    guessed: bool = False
    """Whether the roles were guessed: then a column without one may be a quasi-identifier."""

    def judged(self, standard: Standard) -> Judged:
        """The table held against a standard, which says where it counted rows for people."""
        of_rows = self.risk is not None and self.risk.counted == ROWS
        about_people = any(ask.figure not in OF_COLUMNS for ask in standard.asks)
        return replace(judge(standard, self.answer), of_rows=of_rows and about_people)

    def answer(self, ask: Ask, standard: Standard) -> Answer:
        """The figure that a standard asks for; none that would pass for classes which tell nothing."""
        value, why = self._figure(ask, standard)
        if value is None or self.risk is None or ask.figure in OF_COLUMNS or not ask.holds(value):
            return value, why
        doubt = SEVERAL if self.several else self.naming
        return (value, why) if doubt is None else (None, doubt)

    def _figure(self, ask: Ask, standard: Standard) -> Answer:
        if ask.figure in OF_COLUMNS:
            return self._of_columns(ask, standard)
        if ask.figure in _OF_CELLS:
            return _OF_CELLS[ask.figure](self, ask, standard)
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

    def _of_columns(self, ask: Ask, standard: Standard) -> Answer:
        seen = {look.column.name: OF_COLUMNS[ask.figure](look) for look in self._looks(standard)}
        names = [name for name, so in seen.items() if so]
        unsure = [name for name, so in seen.items() if so is None]
        if unsure and ask.holds(len(names)):
            return None, "; ".join(f"{name} {UNSURE[ask.figure]}" for name in unsure)
        return len(names), ", ".join(names)

    def _looks(self, standard: Standard) -> tuple[Looked, ...]:
        """The columns that are published, as a standard looks at them."""
        if standard.name not in self._looked:
            gone = {column.name for column in self.table.dropped}
            columns = [self.table.column(name) for name in self.table.names if name not in gone]
            amounts = {*self.table.roles.sensitive} if self.risk is not None else {self.counts}
            self._looked[standard.name] = tuple(
                Looked(
                    column,
                    standard,
                    column.name in amounts and numbers_in(column.values.drop_nulls()) is not None,
                )
                for column in columns
            )
        return self._looked[standard.name]

    @cached_property
    def _looked(self) -> dict[str, tuple[Looked, ...]]:
        return {}

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
        return int(classes_of(self.table, named, (), self.person).sizes.min()), ", ".join(named)

    @cached_property
    def naming(self) -> str | None:
        """Why classes of people tell nothing: another column may name people, or tell them apart."""
        if not self.table.is_here:
            return None
        gone = [column.name for column in self.table.dropped]
        roles = (*self.table.roles.known, *self.table.roles.sensitive, self.group, *gone)
        roles += (self.person,) if self.named else ()
        columns = [self.table.column(name) for name in self.table.names if name not in roles]
        if self.guessed and columns:
            rest = listed([column.name for column in columns])
            return f"roles were guessed, and {rest} got none: name what readers know with --quasi (quasi=)"
        named = [
            column.name
            for column, guess in zip(columns, guess_roles(columns), strict=True)
            if guess.role == "identifier" or column.name == self.person
        ]
        return f"{', '.join(named)} may name people: leave it out, or give it a role" if named else None

    @cached_property
    def cells(self) -> Cells | None:
        return None if self.counts is None else cells_of(self.table, self.counts)

    @cached_property
    def half_numbers(self) -> list[str]:
        """Sensitive columns most of whose values look like numbers, and not all can be read so."""
        assert self.risk is not None
        found = []
        for name in self.risk.sensitive:
            values = self.table.column(name).values.drop_nulls()
            if values.dtype == pl.String and numbers_in(values) is None and days_in(values) is None:
                share = values.str.contains(r"^\s*[-+$€£]?\s*\d").sum() / max(1, len(values))
                found += [name] * (share >= HALF)
        return found

    @cached_property
    def by_person(self) -> dict[str, tuple[Counts, Floats]]:
        """What each person adds up to in each class, by the sensitive columns of numbers."""
        assert self.person is not None
        names = [held.name for held in self.classes.sensitive]
        return {name: contributions(self.table, self.classes.names, name, self.person) for name in names}

    @cached_property
    def classes(self) -> Classes:
        assert self.risk is not None
        values = {name: self.table.column(name).values.drop_nulls() for name in self.risk.sensitive}
        numbers = [name for name, there in values.items() if numbers_in(there) is not None]
        return classes_of(self.table, self.risk.quasi, numbers)


def _small_cells(stand: Stand, ask: Ask, standard: Standard) -> Answer:
    below = int(ask.more["below"])
    base = next((int(one.more["base"]) for one in standard.asks if one.figure == "unrounded_cells"), None)
    if stand.cells is not None:
        found, doubt = stand.cells.small(below), stand.cells.doubt(below, base)
        if doubt and ask.holds(found):
            return None, doubt
        derived = sum(0 < count < below for count in stand.cells.derived.values())
        return found, f"{derived:,} of them follow from totals" if derived else ""
    cells = classes_of(stand.table, stand.classes.names, (), stand.person)
    return int((cells.sizes < below).sum()), "each class of people is a cell"


def _unrounded_cells(stand: Stand, ask: Ask, standard: Standard) -> Answer:
    if stand.cells is None:
        return None, "this is no table of counts"
    found = stand.cells.unrounded(int(ask.more["base"]))
    unread = stand.cells.doubt_of_reading
    return (None, unread) if unread and ask.holds(found) else (found, "")


def _dominated_cells(stand: Stand, ask: Ask, standard: Standard) -> Answer:
    largest, share = int(ask.more["largest"]), float(ask.more["share"])

    def dominated(ranked: Floats) -> bool:
        total = float(ranked.sum())
        return (float(ranked[:largest].sum()) / total if total else 0.0) >= share

    return _by_values(stand, ask, dominated)


def _p_ratio_cells(stand: Stand, ask: Ask, standard: Standard) -> Answer:
    share = float(ask.more["share"])
    return _by_values(stand, ask, lambda ranked: ranked[2:].sum() < share * ranked[0])


def _by_values(stand: Stand, ask: Ask, fails: Callable[[Floats], bool]) -> Answer:
    """How many cells fail by the values of the sensitive columns of numbers, largest first.

    Where several rows are one person's, they are one value: their sum.
    """
    if stand.risk is None or not stand.classes.sensitive:
        return None, "no sensitive column of numbers"
    count, negative = 0, False
    for held in stand.classes.sensitive:
        assert held.line is not None
        if stand.person is not None:
            classes, values = stand.by_person[held.name]
        else:
            classes = np.repeat(held.classes, held.counts)
            values = np.repeat(np.nan_to_num(held.line, nan=0.0)[held.values], held.counts)
        negative |= bool((values < 0).any())
        starts = np.flatnonzero(np.diff(classes, prepend=-1))
        for begin, end in pairwise([*starts.tolist(), len(classes)]):
            count += bool(fails(np.sort(values[begin:end])[::-1]))
    names = ", ".join(held.name for held in stand.classes.sensitive)
    if ask.holds(count) and negative:
        return None, f"{names}: of negative values there is no share of a total"
    if ask.holds(count) and stand.half_numbers:
        return None, f"{listed(stand.half_numbers)}: not all values can be read as numbers"
    return count, names


_OF_CELLS: dict[str, Callable[[Stand, Ask, Standard], Answer]] = {
    "small_cells": _small_cells,
    "unrounded_cells": _unrounded_cells,
    "dominated_cells": _dominated_cells,
    "p_ratio_cells": _p_ratio_cells,
}

ASKABLE = (*(figure.name for figure in FIGURES), *_OF_CELLS, *OF_COLUMNS)
"""Every figure that a standard may name."""
