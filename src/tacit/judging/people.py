"""Several rows of one person: a promise about rows becomes one about people.

A reader who knows all rows of a person may know as well that a chronic disease repeats. Two rows of the
person in one bucket or class, or in two that share a single value, would then name it, however many values
each row could have. So one row of every person is published. The key draws it, alike likely among the
person's rows and whatever values they hold: which row was drawn says nothing about a value, the person is
in one bucket only, and there is nothing to intersect. What holds for every row holds for every person.

Where nobody said whose rows are whose, a column is looked for whose values repeat like a person's: rows that
share one agree in what does not change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from tacit.data.column import told_apart
from tacit.data.table import Drawn, Table
from tacit.data.transactions import words_of
from tacit.engine.choice import engine_for
from tacit.errors import InputError, Place, Said, UsageError, option
from tacit.judging.roles import measures, numbers_people
from tacit.random.key import Key
from tacit.typing import Counts, Words

BEGINS = {"partners": ("signatures",), "recoding": ("subtree", "global")}
"""The option that decides whether a series can begin with a release, and with which of its values one can."""


def one_row_per_person(table: Table, person: str | None, key: Key) -> Table:
    """The table with one row of everybody, drawn by the key; the column ``person`` tells people apart.

    Names that differ only in case, width or blanks are one person's. Without a column every row is a person.
    """
    if person is None:
        return table
    if any(column.name == person for column in table.dropped):
        raise UsageError(
            f"The column {person!r} is dropped on reading, so it cannot tell people apart.",
            code="person-dropped",
            option="person",
            value=person,
            hint="Do not drop it: the column that tells people apart is never published.",
        )
    column = table.column(person)
    if person in (*table.roles.known, *table.roles.sensitive):
        raise UsageError(
            f"The column {person!r} tells people apart, so it cannot be published.",
            code="person-published",
            hint=f"Take it out of the roles, or leave out {option('person')}.",
        )
    if column.null_code is not None:
        missing = int(column.counts[column.null_code])
        raise InputError(
            f"{missing:,} rows do not say whose they are.",
            code="person-missing",
            where=Place(file=table.origin, column=person),
            hint="Fill the column in, or leave those rows out of the data.",
        )
    if table.drawn is not None:
        return table
    names, number = told_apart(pl.Series(column.texts, dtype=pl.String))
    who = number[column.codes]
    order = np.lexsort((_draws(table, who, names.to_list(), key), who))
    drawn = np.sort(order[np.diff(who[order], prepend=-1) > 0])
    return replace(table.take(drawn), drawn=Drawn(drawn, len(table)), person=person)


def _draws(table: Table, who: Counts, names: Sequence[str], key: Key) -> Words:
    """A keyed word for each row by its person and content, so that the order of rows does not matter."""
    from tacit.random.digests import ranks, record_digests, value_digests
    from tacit.random.keyed import draws

    content = key.subkey("people: content")
    columns = [table.column(name) for name in (*table.roles.known, *table.roles.sensitive)]
    digests = record_digests(
        [
            (who.astype(np.int32), value_digests(content, "", names)),
            *((column.codes, value_digests(content, column.name, column.texts)) for column in columns),
        ]
    )
    # Equal rows of one person are alike: whichever is drawn, the same is published.
    return draws(key.subkey("people: row"), digests, ranks(digests))


FEWEST_PEOPLE = 20
MOST_ROWS_EACH = 100
STEADY = 0.98
"""Of two rows of one person a column that does not change agrees this often."""
AT_MOST_BY_CHANCE = 0.8
MOST_KINDS = 50
FIRST_NAMES = {"first", "firstname", "forename", "given", "vorname", "prenom"}
"""Words for columns whose values tell nobody apart, although rows of equal value agree in the sex."""


def like_a_person(table: Table, among: Sequence[str], about: Sequence[str]) -> str | None:
    """The name of the column that tells people apart, where rows of one person are there several times.

    Such a column has many values, several of them in more than one row, and rows of equal value agree in
    another column ``about`` people (sex, year of birth) far more often than any two rows do. That they agree
    in any column is not enough: a diagnosis always has its ward. A column that is called a number of people
    needs no such column beside it. Where one has another value in every row, rows of one name are namesakes'.
    """
    if any(numbers_people(name) and table.column(name).counts.max() == 1 for name in table.names):
        return None
    for name in sorted(among, key=numbers_people, reverse=True):
        if words_of(name) & FIRST_NAMES:
            continue
        counts = table.column(name).counts
        repeated = counts[counts > 1]
        many = len(counts) >= max(FEWEST_PEOPLE, len(table) // MOST_ROWS_EACH)
        if not many or repeated.sum() < 0.1 * len(table) or repeated.max() > MOST_ROWS_EACH:
            continue
        if numbers_people(name) or any(_steady(table, name, other) for other in about if other != name):
            return name
    return None


def person_of(table: Table, *others: str | None) -> str | None:
    """The column without a role, or dropped, and none of some others, that tells people apart.

    Where it does, several rows are one person's.
    """
    if not table.is_here:
        return None
    taken = (*table.roles.known, *table.roles.sensitive, *others)
    free = [name for name in table.names if name not in taken and not measures(table.column(name))]
    dropped = [column.name for column in table.dropped]
    return like_a_person(table.with_columns(table.dropped), [*free, *dropped], table.roles.known)


def several_rows(table: Table) -> bool | None:
    """True for the manifest of rows some of which are one person's, while the promise is about rows."""
    return True if table.drawn is None and person_of(table) is not None else None


def people_notes(table: Table, person: str | None) -> tuple[str, ...]:
    """A note for the owner of a table in which people have several rows and nothing is asked about it.

    Where a column tells them apart: how many people have several spellings in it.
    """
    if person is not None:
        return spelling_notes(table, person)
    found = person_of(table)
    if found is None:
        return ()
    gone = " (do not drop it)" * (found not in table.names)
    return (
        Said(
            f"Several rows are one person's, by {found!r}: the promise is about rows, and those alike may all"
            f" be one person's. With {option('person', found)}{gone} it is about people."
        ),
    )


def counted_rows_notes(table: Table) -> tuple[str, ...]:
    """A note for the owner of rules whose supports count the rows of people who have several."""
    found = person_of(table)
    if found is None:
        return ()
    return (
        f"Several rows are one person's, by {found!r}: rules and groups count rows, and those behind one may"
        " all be one person's. Keep one row of each person before rules are mined.",
    )


def series_notes(asked: Mapping[str, Any], table: Table) -> Iterator[str]:
    """Notes for the owner of people who may be published again: whether a series can begin so, and go on."""
    person = asked.get("person")
    if person is None or asked.get("after") is not None:
        return
    way = next((name for name in BEGINS if name in asked), None)
    if way is not None and asked[way] not in BEGINS[way]:
        yield Said(
            f"No series can begin with this release. If these people are to be published again, make it with"
            f" {option(way, BEGINS[way][0])}, and each later one with {option('after')}."
        )
    if table.is_here and person in table.names and table.column(person).counts.max() > 1:
        yield Said(
            "Later releases of a series are refused while somebody has several rows: if one is to begin here,"
            " keep the row of each person that counts, in this table and in later ones."
        )


def spelling_notes(table: Table, person: str) -> tuple[str, ...]:
    """A note for the owner of a table whose people are spelled in several ways."""
    if not table.is_here or person not in table.names or table.column(person).values.dtype != pl.String:
        return ()
    texts = table.column(person).values.drop_nulls()
    names, number = told_apart(texts)
    several = int((np.bincount(number) > 1).sum()) if len(names) < len(texts) else 0
    if not several:
        return ()
    return (
        Said(
            f"{several:,} people are spelled in several ways in {person!r}, by case, width or blanks:"
            " spellings of one name are taken for one person."
        ),
    )


def _steady(table: Table, person: str, other: str) -> bool:
    """Whether rows of one person nearly always agree in another column, and any two rows often do not."""
    held = table.column(other)
    if not 2 <= len(held.values) <= MOST_KINDS or len(held.values) * 2 > len(table.column(person).values):
        return False
    together = engine_for(table).combinations(table, [person, other])
    # A value that is missing has not changed: only rows that hold one are compared.
    there = together.codes[:, 1] != (-1 if held.null_code is None else held.null_code)
    rows = together.counts[there]
    people, kinds = (np.bincount(codes, weights=rows).astype(np.int64) for codes in together.codes[there].T)
    if _pairs(kinds) > AT_MOST_BY_CHANCE * _pairs(rows.sum()):
        return False
    return _pairs(rows) >= STEADY * _pairs(people)


def _pairs(counts: Counts) -> int:
    """How many pairs of rows agree, where so many rows hold each value."""
    return int((counts * (counts - 1) // 2).sum())
