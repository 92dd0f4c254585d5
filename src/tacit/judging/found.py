"""What a reader finds in a published table about somebody, and how sure of a value they can be.

A promise such as ℓ has its own threshold, so that figures about it cannot be compared between two promises:
of a stronger one more rows fall short. One threshold for all releases can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.table import Table
from tacit.judging.risk.matching import covering


@dataclass(frozen=True, slots=True)
class Found:
    """One person as a reader finds them.

    ``known`` is what the reader knows, ``looks`` how it is published (several where rows differ), ``rows``
    how many published rows could be the person's, ``values`` what these could have in each sensitive column.
    """

    known: dict[str, str | None]
    looks: tuple[dict[str, str | None], ...]
    rows: int
    values: dict[str, tuple[str | None, ...]]


def found(published: Table, known: Mapping[str, str | None], group: str | None = None) -> Found:
    """What the table tells about a person; in buckets, a row of one may have any of its values."""
    told = {name: value for name, value in known.items() if name in published.names}
    columns = [published.column(name) for name in told]
    could = np.ones(len(published), dtype=np.bool_)
    for column, value in zip(columns, told.values(), strict=True):
        covers = covering(column.texts, [value], published.hierarchies.get(column.name))
        could &= np.array([len(places) > 0 for places in covers], dtype=np.bool_)[column.codes]
    sharing = could
    if group is not None:
        buckets = published.column(group).codes
        sharing = np.isin(buckets, buckets[could])
    codes = np.stack([column.codes[could] for column in columns], axis=1) if columns else np.empty((0, 0))
    looks = {
        tuple(column.texts[code] for column, code in zip(columns, row, strict=True))
        for row in np.unique(codes, axis=0).tolist()
    }
    return Found(
        known=told,
        looks=tuple(dict(zip(told, look, strict=True)) for look in sorted(looks, key=repr)),
        rows=int(could.sum()),
        values={
            column.name: tuple(column.texts[code] for code in np.unique(column.codes[sharing]).tolist())
            for column in published.sensitive
        },
    )


def surer_than(published: Table, group: str | None, thresholds: Sequence[float]) -> tuple[float, ...]:
    """For each threshold, the share of rows of which some sensitive value is likelier than it.

    A reader finds the class of a person (the bucket, where there are buckets) and takes its rows for equally
    likely. A value of a class that exactly reaches the threshold is not above it.
    """
    known = [published.column(name) for name in ([group] if group else published.roles.quasi)]
    classes, first = group_rows([column.codes for column in known], [len(column.values) for column in known])
    sizes = np.bincount(classes, minlength=len(first))
    largest = np.zeros(len(first), dtype=np.int64)
    for name in published.roles.sensitive:
        column = published.column(name)
        pairs, counts = np.unique(
            classes.astype(np.int64) * len(column.values) + column.codes, return_counts=True
        )
        np.maximum.at(largest, pairs // len(column.values), counts)
    rows = max(1, len(published))
    return tuple(float(sizes[largest > limit * sizes].sum() / rows) for limit in thresholds)
