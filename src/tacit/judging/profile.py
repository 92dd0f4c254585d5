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

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import Column
from tacit.data.spelling import NUMBER, has_twins
from tacit.data.table import Table
from tacit.data.transactions import LongForm, Transactions, listing
from tacit.engine.choice import engine_for
from tacit.errors import Said, listed, option
from tacit.io.hierarchies.automatic import odd_values
from tacit.judging.people import like_a_person
from tacit.judging.risk.classes import classes_of, distance, distinct
from tacit.judging.roles import are_dates, guess_roles, may_be_sensitive, measures, numbers_people
from tacit.notebook import InNotebook

SHOWN = 5
"""So many rows are shown of a table."""
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
    largest distance of their distribution from the whole table's. None where a role is missing. Where
    ``person`` tells people apart, people are counted instead of rows: each of them once.
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
    """For a release that anybody may read."""
    bound_command: str | None
    """For readers who are bound by a contract, where exact counts matter; None for a list of items."""
    notes: tuple[str, ...]
    long_form: LongForm | None = None
    """The columns that name a transaction and its items, where rows look like a list of items."""
    person: str | None = None
    """The column whose values repeat like people, where several rows seem to be one person's."""
    may_be_sensitive: tuple[str, ...] = ()
    """Where no column is sensitive by what was said or by its name: those to think of first."""
    settings: Mapping[str, int] = field(default_factory=dict)
    """What the options of the method might be to begin with."""
    preview: tuple[tuple[str | None, ...], ...] = field(default=(), repr=False, compare=False)
    """The first rows as they were read."""


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
    settings: Mapping[str, int] = field(default_factory=dict)
    """What the options of the method might be to begin with."""


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
            distinct=len(column.values) - (column.null_code is not None),
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
    perhaps = () if sensitive else may_be_sensitive(columns, given)
    free = [
        column.name
        for column, guess in zip(columns, guesses, strict=True)
        if column.name not in given and guess.role in ("identifier", "none") and not measures(column)
    ]
    whole = table.with_columns(table.dropped)
    free += [column.name for column in table.dropped]
    person = like_a_person(whole, free, quasi)
    # Several rows of people of whom more is known are a table of people, and no list of items. A receipt is
    # nobody: its day is no such knowledge, and where more is known both may be meant.
    listed = None if given else long_form(table)
    of_people = listed is not None and numbers_people(listed.record)
    receipt = listed is not None and listed.record == person and not of_people
    more_known = [name for name in quasi if not (receipt and are_dates(table.column(name)))]
    other = None
    if person is not None and more_known:
        listed, other = None, None if of_people else listed
    person = None if listed is not None else person
    # Values that differ only in spelling are refused without the flag.
    fold = FOLD if any(has_twins(table.column(name).values) for name in (*quasi, *sensitive)) else ""
    dropped = [name for name in by_role["identifier"] if name != person]  # dropped, it tells nobody apart

    def command(verb: str, *options: str) -> str:
        """A command for the table, with the options that every method has."""
        named = {"--quasi": ",".join(quasi) or "COLUMNS", "--drop": ",".join(dropped), "--person": person}
        shown = [word for flag, value in named.items() if value for word in (flag, shlex.quote(value))]
        source = shlex.quote(table.origin or "DATA")
        return " ".join(["tacit", verb, source, *shown, *options, "-o", "out/release"]) + fold

    of_sensitive = ("--sensitive", shlex.quote(",".join(sensitive) or "COLUMN"))
    l = _usual_l(table, sensitive or perhaps)
    settings = ({"l": l} if sensitive else {}) | {
        "k": _usual_k(len(table if person is None else whole.column(person).values))
    }
    return TableProfile(
        source=table.origin,
        rows=len(table),
        columns=profiles,
        quasi=quasi,
        sensitive=sensitive,
        identifiers=by_role["identifier"],
        **_figures(whole, quasi, sensitive, person),
        method="generalize",
        next_command=_list_command(table, listed)
        if listed is not None
        else command("generalize", *(of_sensitive if sensitive else ()), *_flags(settings)),
        bound_command=None if listed is not None else command("bucketize", *of_sensitive, "-l", str(l)),
        notes=(
            *table.notes,
            *near_values_notes(table.column(name) for name in sensitive),
            *missing_values_notes(table.column(name) for name in sensitive),
            *odd_values_notes(table.with_roles(quasi=quasi, sensitive=(), keep=())),
            *(() if person is None else (_several_rows(person),)),
            *(() if other is None else (_list_too(other),)),
        ),
        long_form=listed,
        person=person,
        may_be_sensitive=perhaps,
        settings=settings,
        preview=tuple(table.source.first(SHOWN)),
    )


def _figures(
    table: Table, quasi: Sequence[str], sensitive: Sequence[str], person: str | None
) -> dict[str, Any]:
    """The figures of a table as it stands; None where a role is missing."""
    found: dict[str, Any] = dict.fromkeys(("combinations", "unique_share", "k", "l", "t"))
    if not quasi or not len(table):
        return found
    classes = classes_of(table, quasi, [*sensitive, *([] if person is None else [person])])
    found["combinations"] = len(classes)
    found["unique_share"] = float((classes.sizes == 1).sum() / len(table))
    found["k"] = int(classes.sizes.min())
    if person is not None:
        people = classes.sensitive[-1]
        each = distinct(people, classes.sizes)  # so many people share a combination
        alone = np.unique(people.values[each[people.classes] == 1])
        found["unique_share"] = float(len(alone) / (people.whole > 0).sum())
        found["k"] = int(each.min())
    held = classes.sensitive[: len(sensitive)]
    if held:
        found["l"] = min(int(distinct(one, classes.sizes).min()) for one in held)
        found["t"] = max(float(distance(one, classes.sizes).max()) for one in held)
    return found


FOLD = " --twins fold"


def _several_rows(person: str) -> str:
    return Said(
        f"The values of {person!r} repeat like people: several rows seem to be one person's. A promise to"
        f" rows is none to people then; {option('person', person)} publishes one row of each."
    )


def _list_too(listed: LongForm) -> str:
    return Said(
        f"{listed.record!r} repeats, each time with another {listed.item!r}. To publish the items, read it as"
        f" sets with {option('record', listed.record)} and {option('item', listed.item)}."
    )


def _usual_k(people: int) -> int:
    """The k to begin with: 11, which most standards for public release ask, or what few people allow."""
    return max(2, min(11, people // 4))


def _flags(settings: Mapping[str, int]) -> list[str]:
    return [word for name, value in settings.items() for word in (f"-{name}", str(value))]


def _usual_l(table: Table, sensitive: tuple[str, ...]) -> int:
    """The ℓ to begin with: 3, or 2 where a sensitive column has no third value."""
    return max(2, min([3, *(len(table.column(name).values.drop_nulls()) for name in sensitive)]))


def _list_command(table: Table, listed: LongForm) -> str:
    columns = ["--record", shlex.quote(listed.record), "--item", shlex.quote(listed.item)]
    return " ".join(["tacit", "profile", shlex.quote(table.origin or "DATA"), *columns])


def profile_transactions(transactions: Transactions) -> TransactionsProfile:
    """The profile of transactions."""
    from tacit.judging.sets import unique_shares

    lengths = transactions.lengths
    source = transactions.origin
    settings = {"k": max(2, min(5, len(transactions))), "m": 2}
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
        next_command=f"tacit generalize {shlex.quote(source or 'DATA')} --hierarchy HIERARCHY"
        f" {' '.join(_flags(settings))} -o out/release",
        notes=transactions.notes,
        settings=settings,
    )


def long_form(table: Table) -> LongForm | None:
    """The two columns, where a table looks like a list of items; None where it does not."""
    columns = [table.column(name) for name in table.names]
    return listing(
        len(table),
        {column.name: len(column.values) for column in columns if not are_dates(column)},
        lambda record, item: len(engine_for(table).combinations(table, [record, item])),
    )


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


def missing_values_notes(sensitive: Iterable[Column]) -> tuple[str, ...]:
    """A note for each sensitive column that lacks values: nothing is no answer, and ℓ counts it as one."""
    return tuple(
        f"The sensitive column {column.name!r} is empty in {int(column.counts[column.null_code]):,} of"
        f" {len(column):,} rows. A missing value counts as one of the ℓ different values. Where it says"
        " nothing about a person, ask for one more."
        for column in sensitive
        if column.null_code is not None
    )


def odd_values_notes(table: Table) -> tuple[str, ...]:
    """A note for each quasi-identifier without a hierarchy that holds values unlike all others."""
    found = []
    for name in table.roles.quasi if table.is_here else ():
        if name in table.hierarchies:
            continue
        odd = odd_values(table.column(name))
        kinds = ((odd.far, "far from all others"), (odd.words, "beside numbers or dates"))
        what = " and ".join(f"{kind} ({listed(values)})" for values, kind in kinds if values)
        if what:
            found.append(
                Said(
                    f"Values of {name!r} are {what}, in {odd.rows:,} row{'s' * (odd.rows != 1)}: people who"
                    f" look like these lose the column. Correct typing errors, leave the rows out, or give a"
                    f" hierarchy that holds the values with {option('hierarchies')}."
                )
            )
    return tuple(found)


def _are_numbers(values: pl.Series) -> bool:
    """Whether all values are numbers, or texts that spell numbers, with a point or a comma."""
    if values.dtype != pl.String:
        return values.dtype.is_numeric()
    return bool(values.str.replace(",", ".", literal=True).str.contains(NUMBER).all())
