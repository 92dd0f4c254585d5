"""Published data read back from a folder as their readers have them, whatever the kind of release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.data.table import Table, table_from_frame
from tacit.data.transactions import Transactions
from tacit.errors import InputError, Place
from tacit.release.alignment import cells
from tacit.release.kinds import kind_of
from tacit.release.manifest import Manifest


@dataclass(frozen=True, eq=False)
class PublishedData:
    """What is in a release: rows or sets, and the column of a table that names its buckets."""

    table: Table | None = None
    transactions: Transactions | None = None
    group: str | None = None
    """The rows of a bucket share its sensitive values: which row has which is not published."""


def published_data(folder: Path, manifest: Manifest) -> PublishedData:
    """The published rows or sets.

    In a table of buckets the values of a bucket stand beside its rows in any order.
    """
    kind = kind_of(manifest.kind)
    if kind.read_sets is not None:
        return PublishedData(transactions=kind.read_sets(folder, manifest).records)
    if not kind.counts_records:
        raise InputError(
            "A release of rules has no rows to look at.",
            code="no-published-rows",
            where=Place(file=str(folder)),
            hint="'tacit report' and 'tacit verify' say what its readers can infer.",
        )
    parameters = manifest.parameters
    quasi, keep, sensitive = parameters["quasi"], parameters["keep"], parameters["sensitive"]
    group = parameters.get("group")
    frame = bucket_rows(folder, manifest) if group is not None else cells(folder / "table.csv")
    table = table_from_frame(
        frame,
        quasi=quasi,
        keep=keep,
        sensitive=sensitive,
        hierarchies=published_hierarchies(folder),
        twins="keep",
        origin=str(folder),
    )
    return PublishedData(table=table, group=group)


def bucket_rows(folder: Path, manifest: Manifest) -> pl.DataFrame:
    """The rows of a bucketized release with the values of their bucket, handed out in any order.

    Where there are more values than rows, some are handed out to nobody.
    """
    parameters = manifest.parameters
    group, sensitive = parameters["group"], list(parameters["sensitive"])
    if parameters["form"] == "permuted":
        return cells(folder / "table.csv")
    rows, held = cells(folder / "qit.csv").sort(group), cells(folder / "st.csv")
    values = held.select(pl.exclude("count").repeat_by(pl.col("count").cast(pl.Int64))).explode(
        group, *sensitive
    )
    place = pl.int_range(pl.len()).over(group)
    sizes = rows.group_by(group).len()
    values = (
        values.sort(group)
        .join(sizes, on=group, how="left", maintain_order="left")
        .filter(place < pl.col("len"))
    )
    return pl.concat([rows, values.select(sensitive)], how="horizontal")


def published_hierarchies(folder: Path) -> dict[str, Hierarchy]:
    """The hierarchies that a generalized table is published with, by attribute."""
    file = folder / "hierarchies.csv"
    if not file.is_file():
        return {}
    found: dict[str, Hierarchy] = {}
    for (name,), links in cells(file).group_by("attribute", maintain_order=True):
        below = links.filter(pl.col("parent").is_not_null())
        parents = dict(zip(below["node"].to_list(), below["parent"].to_list(), strict=True))
        if parents:
            found[str(name)] = from_parents(parents, name=str(name))
    return found
