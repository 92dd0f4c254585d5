"""Which items go from transactions on Spark: steps that a worker goes through for some rows at a time.

Every step looks at one transaction alone, its content, its rank among equal ones and what earlier steps
have taken from it; so a removal needs no place to be kept, and gives the same wherever it is gone through.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tacit.arrays.groups import read_only
from tacit.engine.spark.blocks import Rows
from tacit.random.key import Subkey
from tacit.typing import Bools, Codes, Offsets, Words

if TYPE_CHECKING:
    from tacit.arrays.csr import CellList
    from tacit.engine.kernels.sanitizing import Columns, Draws


@dataclass(frozen=True, eq=False)
class Content:
    """What the content of a transaction is known by: digests of its items and of the value beside it."""

    items: Words
    beside: Words | None

    def of(self, rows: Rows) -> Known:
        """Rows with their digests."""
        from tacit.random.digests import set_digests

        values = [] if self.beside is None or rows.beside is None else [(rows.beside, self.beside)]
        return Known(rows, set_digests(rows.indptr, rows.items, self.items, columns=values), self.words)

    @cached_property
    def words(self) -> Words:
        return self.items[:, 0].copy()


@dataclass(frozen=True, eq=False)
class Known:
    """Some rows with what random choices follow: the digest and rank of each, the word of each item."""

    rows: Rows
    digests: Words
    words: Words

    def draws(self, subkey: Subkey) -> Draws:
        """What the draws of cells are made of."""
        from tacit.engine.kernels.sanitizing import Draws

        k0, k1 = subkey.words
        return Draws(np.uint64(k0), np.uint64(k1), self.digests, self.rows.ranks, self.words)

    def left(self, removed: Bools) -> tuple[Offsets, Codes]:
        """What is left of the rows."""
        from tacit.engine.kernels.sanitizing import without_cells

        indptr, items = without_cells(self.rows.indptr, self.rows.items, removed)
        return read_only(indptr), read_only(items)


class Step(Protocol):
    """One step of a removal."""

    def take(self, known: Known, removed: Bools) -> Bools:
        """The mask over the cells of some rows, this step included; the one given may be changed."""
        ...


Removal = tuple[Step, ...]
"""Which cells go from transactions on Spark."""


def go_through(removal: Removal, known: Known) -> Bools:
    """The mask over the cells of some rows."""
    removed = np.zeros(len(known.rows.items), dtype=np.bool_)
    for step in removal:
        removed = step.take(known, removed)
    return removed


@dataclass(frozen=True, eq=False)
class Drawn:
    """Cells that a matrix hits go by chance; see :func:`tacit.engine.kernels.sanitizing.drawn_removals`."""

    matrix: Columns
    high: Words
    low: Words
    subkey: Subkey

    def take(self, known: Known, removed: Bools) -> Bools:
        from tacit.arrays.interrupt import new_flag
        from tacit.engine.kernels.sanitizing import drawn_removals

        rows, draws = known.rows, known.draws(self.subkey)
        matrix = (rows.indptr, rows.items, self.matrix, self.high, self.low)
        return removed | drawn_removals(*matrix, draws, new_flag())


@dataclass(frozen=True, eq=False)
class Refilled:
    """Every transaction that would be empty gets an item back."""

    barred: Bools
    subkey: Subkey

    def take(self, known: Known, removed: Bools) -> Bools:
        from tacit.engine.kernels.sanitizing import refill

        rows = known.rows
        refill(rows.indptr, rows.items, removed, self.barred, known.draws(self.subkey))
        return removed


@dataclass(frozen=True, eq=False)
class Listed:
    """The cells on a list go."""

    cells: CellList

    def take(self, known: Known, removed: Bools) -> Bools:
        from tacit.arrays.csr import listed_cells

        rows = known.rows
        concerned = np.flatnonzero(np.isin(rows.items, np.unique(self.cells.codes)))
        owners = np.searchsorted(rows.indptr, concerned, side="right") - 1
        listed = listed_cells(self.cells, known.digests[owners], rows.ranks[owners], rows.items[concerned])
        removed[concerned[listed]] = True
        return removed
