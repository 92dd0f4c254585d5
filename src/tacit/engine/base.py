"""What an engine does for the methods: count, and carry a plan out.

A method's solver never sees rows; it works on what these verbs return. An engine runs in this
process (:mod:`tacit.engine.local`), or elsewhere when the data outgrow the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tacit.data.table import Table
from tacit.typing import Codes, Counts


@dataclass(frozen=True, eq=False)
class Combinations:
    """The distinct combinations of some columns, with the number of rows that hold each.

    ``codes`` has one row per combination and one column per name, in the order of the codes;
    ``texts[c][codes[g, c]]`` is the text of a value (None for a null).
    """

    names: tuple[str, ...]
    texts: tuple[tuple[str | None, ...], ...]
    codes: Codes  # (combinations, names)
    counts: Counts  # (combinations,)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def n_rows(self) -> int:
        return int(self.counts.sum())

    def place(self, name: str) -> int:
        """The position of a column."""
        return self.names.index(name)


class TableCounting(Protocol):
    """Counting verbs for tables."""

    def combinations(self, table: Table, names: Sequence[str]) -> Combinations:
        """The distinct combinations of the named columns, with their counts."""
        ...
