"""How many people of a release are so and so: an estimate with its error, from the published files alone.

What is published less exactly leaves room: a generalized value stands for several, a bucket does not say
which of its rows has which value, a group of items stands for its members. The count is what is expected if
all of them are alike, the error one standard deviation of it, and the limits hold whatever the truth is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.data.hierarchy import Hierarchy
from tacit.data.transactions import Transactions
from tacit.errors import UsageError, unknown_column
from tacit.judging.risk.matching import covered_by
from tacit.judging.set_composition import PublishedSets
from tacit.release import Manifest
from tacit.release.kinds import kind_of
from tacit.release.reading import cells, published_hierarchies
from tacit.typing import Floats

MOST_VALUES = 100_000


@dataclass(frozen=True)
class Counted:
    """How many people are so and so, as far as a release says."""

    estimate: float
    error: float
    """One standard deviation of the estimate."""
    low: int
    high: int
    """The number is not outside of these, whatever the truth is."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.low:,}"
        return f"{self.estimate:,.1f} ± {self.error:,.1f} (from {self.low:,} to {self.high:,})"


Where = Mapping[str, Any]
"""For each column a value, a collection of values, or a pair (low, high) of numbers."""


def wanted_values(asked: Any) -> Any:
    """The test of what is asked of a column, on original values as text."""
    if isinstance(asked, tuple) and len(asked) == 2 and all(isinstance(one, int | float) for one in asked):
        low, high = asked

        def between(value: str) -> bool:
            try:
                return bool(low <= float(value) <= high)
            except ValueError:
                return False

        return between
    listed = {asked} if isinstance(asked, str | int | float) else set(asked)
    texts = {str(one) for one in listed}
    return lambda value: value in texts


def count_rows(frame: pl.DataFrame, where: Where, hierarchies: Mapping[str, Hierarchy]) -> Counted:
    """Of a generalized table: each row counts by the share of what its values stand for."""
    _check(where, frame.columns)
    shares = np.ones(len(frame))
    for name, asked in where.items():
        texts = frame[name].cast(pl.String)
        known = {text: _share(text, asked, hierarchies.get(name)) for text in texts.unique().to_list()}
        shares *= np.array([known[text] for text in texts.to_list()])
    return _of_shares(shares)


def _share(text: str | None, asked: Any, hierarchy: Hierarchy | None) -> float:
    """The share of the values that a published one stands for that are asked for."""
    wanted = wanted_values(asked)
    if text is None:
        return 0.0
    if covered_by(text, hierarchy) is None:
        return float(wanted(text))
    below = _below(text, hierarchy)
    if not below:
        raise UsageError(
            f"The published value {text!r} does not say which values it stands for.",
            code="value-not-listed",
            hint="Ask for other columns, or for the published value itself.",
        )
    return sum(bool(wanted(value)) for value in below) / len(below)


def _below(text: str, hierarchy: Hierarchy | None) -> list[str]:
    """The values that a published one stands for, where they can be listed."""
    if hierarchy is not None and hierarchy.index.get(text, 0) >= hierarchy.n_leaves:
        begin, end = hierarchy.leaf_ranges[hierarchy.index[text]]
        listed = [_below(label, None) or [label] for label in hierarchy.labels[begin:end]]
        return [value for values in listed for value in values]
    low, dash, high = text.partition("-")
    if dash and low.isdecimal() and high.isdecimal() and int(high) - int(low) < MOST_VALUES:
        return [str(number) for number in range(int(low), int(high) + 1)]
    return []


def count_buckets(
    rows: pl.DataFrame, values: pl.DataFrame, where: Where, *, group: str, sensitive: Sequence[str]
) -> Counted:
    """Of a bucketized table: in each bucket so many of its rows fit, and so many of its values.

    Which row has which value is not published: of n values c do and of its rows m fit, and the number of both
    is hypergeometric, with mean m c / n. There are as many values as rows, or more: counterfeits.
    """
    _check(where, [name for name in (*rows.columns, *values.columns) if name not in (group, "count")])
    fits = np.ones(len(rows), dtype=np.bool_)
    holds = np.ones(len(values), dtype=np.bool_)
    for name, asked in where.items():
        wanted = wanted_values(asked)
        frame, marks = (values, holds) if name in sensitive else (rows, fits)
        marks &= np.array(
            [text is not None and wanted(text) for text in frame[name].cast(pl.String).to_list()]
        )
    n = (values["count"] if "count" in values.columns else pl.Series([1] * len(values))).cast(pl.Int64)
    bucket = pl.col(group).cast(pl.String)
    by_rows = rows.select(bucket, m=pl.Series(fits)).group_by(group).sum()
    by_values = values.select(bucket, n=n, c=n * pl.Series(holds).cast(pl.Int64)).group_by(group).sum()
    told = by_rows.join(by_values, on=group)
    total, m, c = (told[name].to_numpy().astype(np.float64) for name in ("n", "m", "c"))
    mean = m * c / total
    spread = mean * (1 - c / total) * (total - m) / np.maximum(total - 1, 1)
    low, high = np.maximum(0, m + c - total).sum(), np.minimum(m, c).sum()
    return Counted(float(mean.sum()), sqrt(float(spread.sum())), int(low), int(high))


def count_sets(
    transactions: Transactions, items: Iterable[str], members: Mapping[str, Sequence[str]]
) -> Counted:
    """Of sets of items: records that hold all of some items; ``members`` are those of each published item."""
    shares = np.ones(len(transactions))
    for item in items:
        published = next((name for name, held in members.items() if item in held), item)
        if published not in transactions.index:
            raise unknown_column(item, list(members) or list(transactions.index), option="where")
        holds = np.zeros(len(transactions), dtype=np.bool_)
        code = transactions.index[published]
        holds[
            np.searchsorted(transactions.indptr, np.flatnonzero(transactions.items == code), side="right") - 1
        ] = True
        # Of the members of a group a record has at least one: each is as likely as the others.
        shares *= np.where(holds, 1 / max(1, len(members.get(published, ()))), 0.0)
    return _of_shares(shares)


def count_release(folder: Path, manifest: Manifest, where: Any) -> Counted:
    """How many people of a release are so and so; rows that were left out may be so as well."""
    parameters, kind = manifest.parameters, kind_of(manifest.kind)
    left_out = int(parameters.get("suppressed") or 0)
    if kind.read_sets is not None:
        found = _count_published_sets(kind.read_sets(folder, manifest), manifest, where)
    elif not kind.counts_records:
        raise UsageError(
            "A release of rules has no rows to count.",
            code="no-published-rows",
            hint="Its rules are in rules.json, each with its support where scores are published.",
        )
    elif "group" in parameters:
        permuted = parameters["form"] == "permuted"
        rows = cells(folder / ("table.csv" if permuted else "qit.csv"))
        values = rows if permuted else cells(folder / "st.csv")
        found = count_buckets(
            rows, values, where, group=parameters["group"], sensitive=tuple(parameters["sensitive"])
        )
    else:
        found = count_rows(cells(folder / "table.csv"), where, published_hierarchies(folder))
    return replace(found, high=found.high + left_out)


def _count_published_sets(published: PublishedSets, manifest: Manifest, where: Any) -> Counted:
    items = [where] if isinstance(where, str) else list(where)
    members: dict[str, list[str]] = {}
    for item, name in (published.mapping or {}).items():
        members.setdefault(name, []).append(item)
    found = count_sets(published.records, items, members)
    gone = manifest.utility.get("dissimilarity")
    if gone is None:
        return found
    # Items were taken out of records: the true number is not smaller, and about so much larger.
    error = found.estimate * (1 - (1 - float(gone)) ** len(items))
    return Counted(found.estimate, error, found.low, len(published.records))


def codebook(folder: Path, manifest: Manifest) -> pl.DataFrame:
    """What is in the published files: each column, its role, how it is published, how many values it has."""
    parameters, kind = manifest.parameters, kind_of(manifest.kind)
    bucketed = "group" in parameters
    said = {
        "quasi": ("quasi-identifier", "exactly" if bucketed else "less exactly"),
        "keep": ("kept column", "exactly"),
        "sensitive": ("sensitive", "by bucket" if bucketed else "exactly"),
    }
    how = {column: words for role, words in said.items() for column in parameters.get(role) or ()}
    if bucketed:
        how[parameters["group"]] = ("bucket", "a number without a meaning")
    rows: list[tuple[str, str, str, str, int | None]] = []
    for name in sorted(manifest.files):
        if name.endswith(".csv"):
            frame = cells(folder / name)
            for column in frame.columns:
                role, published = how.get(column, ("", ""))
                rows.append((name, column, role, published, frame[column].n_unique()))
        else:
            rows.append((name, "", "items" if kind.read_sets is not None else "rules", "", None))
    return pl.DataFrame(rows, schema=["file", "column", "role", "published", "values"], orient="row")


def published_frames(folder: Path, manifest: Manifest) -> dict[str, pl.DataFrame]:
    """The published tables by the name of their file, every cell as text; sets of items as lists."""
    found = {name: cells(folder / name) for name in sorted(manifest.files) if name.endswith(".csv")}
    read_sets = kind_of(manifest.kind).read_sets
    if read_sets is not None:
        records = read_sets(folder, manifest).records
        found[str(manifest.parameters["transactions"])] = pl.DataFrame(
            {"items": [sorted(one) for one in records.sets()]}, schema={"items": pl.List(pl.String)}
        )
    return found


def _of_shares(shares: Floats) -> Counted:
    estimate = float(shares.sum())
    error = sqrt(float((shares * (1 - shares)).sum()))
    return Counted(estimate, error, int((shares >= 1).sum()), int((shares > 0).sum()))


def _check(where: Where, names: Iterable[str]) -> None:
    known = list(names)
    for name in where:
        if name not in known:
            raise unknown_column(name, known, option="where")
