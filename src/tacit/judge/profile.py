"""What is in a data set, what is at risk as it stands, and which method fits.

A judge of data that are not published yet. For a table: how many rows are alone with their
quasi-identifiers, and k, ℓ and t as they stand (k-anonymity [1], distinct ℓ-diversity [2],
t-closeness with equal distances [3]). For transactions: how far a few known items single out a
record, which is what k^m-anonymity [4] answers.

[1] L. Sweeney. k-anonymity: a model for protecting privacy. IJUFKS 10(5), 2002.
[2] A. Machanavajjhala et al. ℓ-diversity: privacy beyond k-anonymity. ICDE 2006.
[3] N. Li, T. Li, S. Venkatasubramanian. t-closeness. ICDE 2007.
[4] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving anonymization of set-valued data. VLDB 2008.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.data.column import Column
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.judge.roles import guess_roles
from tacit.notebook import InNotebook
from tacit.typing import AnyArray, Codes

RARE = 5
"""An item in fewer transactions than this counts as rare."""


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column: its values, its missing values, and the role it has or might have."""

    name: str
    distinct: int
    nulls: int
    role: str
    why: str


@dataclass(frozen=True, slots=True)
class TableProfile(InNotebook):
    """A table as it stands.

    ``unique_share`` is the share of rows alone with their quasi-identifiers; ``k`` the smallest
    number of rows that share theirs; ``l`` the fewest sensitive values among such rows; ``t`` the
    largest distance of their distribution from the whole table's. None where a role is missing.
    """

    source: str | None
    rows: int
    columns: tuple[ColumnProfile, ...]
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    combinations: int | None
    unique_share: float | None
    k: int | None
    l: int | None
    t: float | None
    method: str
    next_command: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TransactionsProfile(InNotebook):
    """Transactions as they stand.

    ``unique_by[i]`` is the share of transactions that some ``i + 1`` of their items single out, or
    None where they are so long that this cannot be counted.
    """

    source: str | None
    transactions: int
    items: int
    occurrences: int
    longest: int
    average: float
    empty: int
    rare_items: int
    unique_by: tuple[float | None, ...]
    hierarchy: bool
    method: str
    next_command: str
    notes: tuple[str, ...]


def profile(data: Table | Transactions) -> TableProfile | TransactionsProfile:
    """The profile of a table or of transactions."""
    return profile_table(data) if isinstance(data, Table) else profile_transactions(data)


def profile_table(table: Table) -> TableProfile:
    """The profile of a table; roles that were not given are guessed."""
    columns = [table.column(name) for name in table.names]
    guesses = guess_roles(columns)
    given = dict.fromkeys(table.roles.quasi, "quasi")
    given |= dict.fromkeys(table.roles.sensitive, "sensitive")
    given |= dict.fromkeys(table.roles.keep, "keep")
    profiles = tuple(
        ColumnProfile(
            name=column.name,
            distinct=len(column.values),
            nulls=0 if column.null_code is None else int(column.counts[column.null_code]),
            role=given.get(column.name, "none" if given else guess.role),
            why="given" if column.name in given else ("no role given" if given else guess.why),
        )
        for column, guess in zip(columns, guesses, strict=True)
    )
    by_role = {
        role: tuple(column.name for column in profiles if column.role == role)
        for role in ("quasi", "sensitive", "identifier")
    }
    quasi, sensitive = by_role["quasi"], by_role["sensitive"]
    figures = _table_figures(
        [table.column(name) for name in quasi], [table.column(name) for name in sensitive]
    )
    return TableProfile(
        source=table.origin,
        rows=len(table),
        columns=profiles,
        quasi=quasi,
        sensitive=sensitive,
        identifiers=by_role["identifier"],
        combinations=figures.combinations,
        unique_share=figures.unique_share,
        k=figures.k,
        l=figures.l,
        t=figures.t,
        method="bucketize",
        next_command=_table_command(table, quasi, sensitive, by_role["identifier"]),
        notes=table.notes,
    )


@dataclass(frozen=True, slots=True)
class _TableFigures:
    combinations: int | None = None
    unique_share: float | None = None
    k: int | None = None
    l: int | None = None
    t: float | None = None


def _table_figures(quasi: list[Column], sensitive: list[Column]) -> _TableFigures:
    if not quasi or not len(quasi[0]):
        return _TableFigures()
    from tacit.kernels.grouping import group_rows

    groups, first = group_rows([column.codes for column in quasi], [len(column.values) for column in quasi])
    sizes = np.bincount(groups, minlength=len(first))
    unique = float((sizes == 1).sum() / len(groups))
    if not sensitive:
        return _TableFigures(len(first), unique, int(sizes.min()))
    fewest = min(int(_distinct_per_group(groups, column).min()) for column in sensitive)
    farthest = max(_largest_distance(groups, sizes, column) for column in sensitive)
    return _TableFigures(len(first), unique, int(sizes.min()), fewest, farthest)


def _distinct_per_group(groups: Codes, column: Column) -> Codes:
    """How many values of the column each group of rows holds."""
    pairs = np.unique(groups.astype(np.int64) * len(column.values) + column.codes)
    return np.bincount(pairs // len(column.values)).astype(np.int32)


def _largest_distance(groups: Codes, sizes: AnyArray, column: Column) -> float:
    """The largest distance (half the L1 norm) of a group's distribution from the whole column's."""
    width = len(column.values)
    pairs, counts = np.unique(groups.astype(np.int64) * width + column.codes, return_counts=True)
    whole = column.counts / len(column)
    local = counts / sizes[pairs // width]
    overall = whole[pairs % width]
    # Half the L1 distance is the mass by which the group exceeds the whole, over the values it holds.
    excess = np.bincount(pairs // width, weights=np.maximum(local - overall, 0.0))
    return float(excess.max())


def _table_command(
    table: Table, quasi: tuple[str, ...], sensitive: tuple[str, ...], identifiers: tuple[str, ...]
) -> str:
    parts = ["tacit", "bucketize", _quoted(table.origin or "DATA")]
    parts += ["--quasi", _quoted(",".join(quasi) or "COLUMNS")]
    parts += ["--sensitive", _quoted(",".join(sensitive) or "COLUMN")]
    if identifiers:
        parts += ["--drop", _quoted(",".join(identifiers))]
    return " ".join([*parts, "-l", "3", "-o", "out/release"])


def _quoted(word: str) -> str:
    return f"'{word}'" if any(letter in word for letter in " *?()&;<>|$") else word


def profile_transactions(transactions: Transactions) -> TransactionsProfile:
    """The profile of transactions."""
    from tacit.judge.sets import unique_shares

    lengths = transactions.lengths
    source = transactions.origin
    return TransactionsProfile(
        source=source,
        transactions=len(transactions),
        items=transactions.n_items,
        occurrences=len(transactions.items),
        longest=int(lengths.max(initial=0)),
        average=float(lengths.mean()) if len(lengths) else 0.0,
        empty=int((lengths == 0).sum()),
        rare_items=int((transactions.supports < RARE).sum()),
        unique_by=unique_shares(transactions, sizes=(1, 2, 3)),
        hierarchy=transactions.hierarchy is not None,
        method="generalize",
        next_command=(
            f"tacit generalize {_quoted(source or 'DATA')} --hierarchy HIERARCHY -k 5 -m 2 -o out/release"
        ),
        notes=transactions.notes,
    )
