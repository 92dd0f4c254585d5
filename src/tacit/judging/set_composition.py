"""Two releases of the same sets of items read together: which records can be put together.

The reader has found somebody's record in one release and looks for it in the
other. A record of one release and a record of the other are *compatible* where one set of items
could have been published as both. Two cuts of one hierarchy have a finest common coarsening, the
higher of both at every item; there two records are compatible exactly when they read the same.
Of two hierarchies that are not nested this is necessary, not sufficient, so that the figure
is a lower bound. Where items were taken out (hidden patterns), the reader takes a record to be as
it was. A transaction has *one candidate* where its record in one release is compatible with exactly
one record of the other: both can then be put together, and show the finer of both at every item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import polars as pl

from tacit.data.transactions import Transactions, from_rows
from tacit.random.digests import set_digests, value_digests
from tacit.random.key import Key
from tacit.typing import Counts


@dataclass(frozen=True, eq=False)
class PublishedSets:
    """Published sets, and what each item is published as; an item that is not named is published as it is."""

    records: Transactions
    mapping: Mapping[str, str] = field(default_factory=dict)


def sets_narrowed(originals: Transactions, one: PublishedSets, other: PublishedSets) -> Counts:
    """How many candidates each of the transactions behind both releases has; 0 where nothing fits it.

    ``originals`` are the transactions that are in both, as they were before anything was published.
    """
    names = [*originals.vocabulary, *one.mapping, *other.mapping]
    for published in (one, other):
        names += [item for item in published.records.vocabulary if item not in published.mapping.values()]
    coarser = _common_coarsening(names, one.mapping, other.mapping)
    by_leaf = {name: coarser[0, one.mapping.get(name, name)] for name in originals.vocabulary}
    mine = _contents(originals, by_leaf)
    for side, published in enumerate((one, other)):
        classes = {name: coarser[side, name] for name in published.records.vocabulary}
        alike = _contents(published.records, classes).group_by("low", "high").len(f"side {side}")
        mine = mine.join(alike, on=["low", "high"], how="left", maintain_order="left")
    fewest = mine.select(pl.min_horizontal(pl.col("side 0", "side 1").fill_null(0))).to_series()
    found: Counts = fewest.to_numpy()
    return found


def same_sets(one: PublishedSets, other: PublishedSets) -> bool:
    """Whether two releases of transactions say the same, in whatever format."""
    if one.mapping != other.mapping or len(one.records) != len(other.records):
        return False
    both = [
        _contents(side.records, {name: name for name in side.records.vocabulary}) for side in (one, other)
    ]
    return both[0].sort("low", "high").equals(both[1].sort("low", "high"))


def _common_coarsening(
    names: Iterable[str], one: Mapping[str, str], other: Mapping[str, str]
) -> dict[tuple[int, str], str]:
    """The class of every published label, of the first release (0) and of the second (1).

    Labels that share an item are one class: the finest partition that both are finer than.
    """
    above: dict[tuple[int, str], tuple[int, str]] = {}

    def top(label: tuple[int, str]) -> tuple[int, str]:
        while above.setdefault(label, label) != label:
            above[label] = above[above[label]]
            label = above[label]
        return label

    for name in names:
        above[top((0, one.get(name, name)))] = top((1, other.get(name, name)))
    return {label: f"{top(label)[0]} {top(label)[1]}" for label in list(above)}


def _contents(records: Transactions, classes: Mapping[str, str]) -> pl.DataFrame:
    """A digest, in two columns, of each record as it reads in the common coarsening."""
    recoded = from_rows(records.indptr, records.items, [classes[name] for name in records.vocabulary])
    # Which subkey it is does not matter, only that all sides use the same.
    items = value_digests(_SUBKEY, "composition", recoded.vocabulary)
    digests = set_digests(recoded.indptr, recoded.items, items)
    return pl.DataFrame({"low": digests[:, 0], "high": digests[:, 1]})


_SUBKEY = Key.from_seed(0).subkey("composition")
