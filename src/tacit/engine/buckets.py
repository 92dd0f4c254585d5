"""A table in numbered buckets: what an engine makes of a plan, and how its published files come out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import polars as pl

from tacit.data.column import Column
from tacit.data.table import Table
from tacit.engine.base import TableCounting
from tacit.random.key import Key
from tacit.typing import Codes, Offsets

GROUP, COUNT = "group", "count"
"""The names of the columns that a release adds."""


@dataclass(frozen=True, eq=False)
class Deal:
    """Which buckets the rows of each kind go to.

    ``kind_of`` is the kind of each combination of the named columns, as an engine lists them; kind k has
    ``places[ends[k] : ends[k + 1]]``. With ``permuted``, rows of a bucket exchange their sensitive values
    at random, and its content shows them so. ``shown`` has, for each combination, what is published instead
    of its quasi-identifiers; where it is empty they are published as they are.
    """

    names: tuple[str, ...]
    kind_of: Codes
    ends: Offsets
    places: Codes
    permuted: bool
    shown: tuple[Column, ...] = ()


class Bucketized(Protocol):
    """The buckets of a table, numbered from 1 by the rank of their content."""

    @property
    def table(self) -> Table: ...

    @property
    def shown(self) -> Table | None:
        """The rows as they are published, where their quasi-identifiers are coarser."""
        ...

    @property
    def digest(self) -> str:
        """A keyed digest of the records, whatever their order."""
        ...

    @property
    def n_published(self) -> int:
        """How many rows are published."""
        ...

    @property
    def n_counterfeits(self) -> int:
        """How many values are published beside those of the rows."""
        ...

    def occurring(self, name: str) -> Codes:
        """The codes of a column that occur among the published rows."""
        ...

    def part(self, table: Table, most: int) -> tuple[Table, Codes, int]:
        """Rows of the table to judge by, the group of each (0 for none), and one bucket in how many it is.

        Rows that would have to be brought into this process are about ``most`` at the most. Counterfeits come
        last, each looking like somebody of its bucket.
        """
        ...

    def columns(self, name: str) -> list[Column]:
        """A published table, sorted by content: ``qit``, ``st`` or ``table``."""
        ...

    def write(self, name: str, file: Path) -> None:
        """Write a published table to a CSV file."""
        ...

    def row_files(self) -> dict[str, Callable[[Path], object]]:
        """What writes where each row went, for the owner; nothing where rows have no numbers."""
        ...


class Bucketing(TableCounting, Protocol):
    """The engine verbs of bucketizing."""

    def rows_here(self, data: Table, most: int) -> int:
        """How many rows come into this process: all, or up to ``most`` where they stay elsewhere."""
        ...

    def bucketized(self, table: Table, deal: Deal, key: Key) -> Bucketized:
        """Deal the rows of each kind out to its places, in an order that the key alone decides.

        Buckets are numbered by what is published of them.
        """
        ...

    def placed(self, table: Table, buckets: Codes, fakes: Codes, texts: pl.Series, key: Key) -> Bucketized:
        """Put every row into the bucket chosen for it, and counterfeits of these texts into ``fakes``."""
        ...
