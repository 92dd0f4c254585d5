"""One attribute of a table, dictionary-encoded once.

Codes follow the order of the values, not of the rows, so nothing computed from them can depend
on how the rows happened to be sorted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from tacit.typing import Codes, Counts


@dataclass(frozen=True, eq=False)
class Column:
    """Row ``r`` holds ``values[codes[r]]``.

    ``values`` are distinct and sorted (text by its bytes, numbers by size); a null is a value of
    its own and comes last. Every value occurs in at least one row.
    """

    name: str
    codes: Codes
    values: pl.Series

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def texts(self) -> list[str | None]:
        """Each value as text, as a CSV cell would show it; None for the null."""
        return text_of(self.values)

    @cached_property
    def counts(self) -> Counts:
        """The support of each value."""
        return np.bincount(self.codes, minlength=len(self.values))

    @property
    def null_code(self) -> int | None:
        """The code of the null, or None where no row is null."""
        return len(self.values) - 1 if self.values.null_count() else None

    def to_series(self) -> pl.Series:
        """The column as it came in."""
        return self.values.gather(self.codes).alias(self.name)

    def take(self, rows: np.ndarray) -> Column:
        """The rows named by an index or a mask, with values that no longer occur left out."""
        codes = self.codes[rows]
        present, packed = np.unique(codes, return_inverse=True)
        return Column(self.name, packed.astype(np.int32), self.values.gather(present))


def encode(series: pl.Series) -> Column:
    """The series as a dictionary-encoded column."""
    values = series.unique().sort(nulls_last=True)
    dictionary = pl.DataFrame({"value": values, "code": np.arange(len(values), dtype=np.int32)})
    codes = (
        pl.DataFrame({"value": series})
        .join(dictionary, on="value", how="left", maintain_order="left", nulls_equal=True)
        .get_column("code")
        .to_numpy()
    )
    codes.flags.writeable = False
    return Column(series.name, codes, values)


def text_of(values: pl.Series) -> list[str | None]:
    """The canonical text of each value: what a CSV cell shows, whatever the type it was read as."""
    if values.dtype == pl.String:
        return values.to_list()
    if values.dtype == pl.Boolean:
        return [None if value is None else ("true" if value else "false") for value in values]
    return values.cast(pl.String).to_list()
