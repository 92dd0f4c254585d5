"""Columns whose values repeat like a person's: rows that share one agree in what does not change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.data.table import Table
from tacit.data.transactions import words_of
from tacit.engine.choice import engine_for
from tacit.judging.roles import measures
from tacit.typing import Counts

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
    in any column is not enough: a diagnosis always has its ward.
    """
    for name in among:
        if words_of(name) & FIRST_NAMES:
            continue
        counts = table.column(name).counts
        repeated = counts[counts > 1]
        many = len(counts) >= max(FEWEST_PEOPLE, len(table) // MOST_ROWS_EACH)
        if not many or repeated.sum() < 0.1 * len(table) or repeated.max() > MOST_ROWS_EACH:
            continue
        if any(_steady(table, name, other) for other in about if other != name):
            return name
    return None


def person_of(table: Table, *others: str | None) -> str | None:
    """The column without a role, and none of some others, that tells people of several rows apart."""
    if not table.is_here:
        return None
    taken = (*table.roles.known, *table.roles.sensitive, *others)
    free = [name for name in table.names if name not in taken and not measures(table.column(name))]
    return like_a_person(table, free, table.roles.known)


def people_notes(table: Table, person: str | None) -> tuple[str, ...]:
    """A note for the owner of a table in which people have several rows and nothing is asked about it."""
    found = person_of(table) if person is None else None
    if found is None:
        return ()
    return (
        f"Several rows are one person's, by {found!r}: the promise is about rows, and those alike may all be"
        " one person's. With --person (person=) it is about people.",
    )


def _steady(table: Table, person: str, other: str) -> bool:
    """Whether rows of one person nearly always agree in another column, and any two rows often do not."""
    people, held = table.column(person).counts, table.column(other).counts
    if not 2 <= len(held) <= MOST_KINDS or len(held) * 2 > len(people):
        return False
    if _pairs(held) > AT_MOST_BY_CHANCE * _pairs(np.array([len(table)])):
        return False
    together = engine_for(table).combinations(table, [person, other]).counts
    return _pairs(together) >= STEADY * _pairs(people)


def _pairs(counts: Counts) -> int:
    """How many pairs of rows agree, where so many rows hold each value."""
    return int((counts * (counts - 1) // 2).sum())
