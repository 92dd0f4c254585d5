"""Sensitive values that are different and yet tell nearly the same: amounts a cent apart.

ℓ-diversity counts different values and knows no distance between them (what t-closeness criticizes
in it [1]). Where a sensitive column holds many different numbers, the owner is told so.

[1] N. Li, T. Li, S. Venkatasubramanian. t-closeness. ICDE 2007.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from tacit.data.column import Column
from tacit.data.spelling import NUMBER

MANY = 100
"""A column with more different numbers than this holds amounts rather than codes or grades."""


def near_values_notes(sensitive: Iterable[Column]) -> tuple[str, ...]:
    """A note for each sensitive column of many different numbers."""
    return tuple(
        f"The sensitive column {column.name!r} holds {len(column.values):,} different numbers: ℓ different"
        " ones may be a cent apart and tell nearly the same. Put them into ranges before you publish, as"
        " 30000-39999."
        for column in sensitive
        if len(column.values) > MANY and _are_numbers(column.values.drop_nulls())
    )


def _are_numbers(values: pl.Series) -> bool:
    """Whether all values are numbers, or texts that spell numbers, with a point or a comma."""
    if values.dtype != pl.String:
        return values.dtype.is_numeric()
    return bool(values.str.replace(",", ".", literal=True).str.contains(NUMBER).all())
