"""Measuring a table: its classes are counted once, and every figure follows from them.

The chance to find the row of somebody: prosecutor, journalist and marketer [1], with a population or a
sample. f and F are the sizes of a class in the table and in the population. Where only the sampling
fraction π is known, F − f is negative binomial with f and π [2], and the chance to pick the right one of
F is

    E[1/F | f] = Σ_{F ≥ f} C(F−1, f−1) π^f (1−π)^{F−f} / F = π / f · ₂F₁(1, 1; f+1; 1−π).

[1] K. El Emam, F. Dankar. Protecting privacy using k-anonymity. JAMIA 15(5), 2008.
[2] R. Benedetti, L. Franconi. Statistical and technological solutions for controlled data dissemination.
    Pre-proceedings of New Techniques and Technologies for Statistics, 1998.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for
from tacit.errors import InputError, Place
from tacit.judging.figures import COUNT, RISKS, SHARE, Figure
from tacit.judging.people import person_of, spelling_notes
from tacit.judging.risk.asked import Stand
from tacit.judging.risk.classes import Classes, classes_of
from tacit.judging.risk.criteria import measure_criteria
from tacit.judging.risk.figures import (
    PEOPLE,
    RECORDS,
    ROWS,
    THRESHOLD,
    Measured,
    Risk,
    Subset,
    identity_figures,
    unique_figures,
    value_figures,
)
from tacit.judging.risk.matching import matches
from tacit.judging.risk.standards import Ask, Standard, judge
from tacit.judging.risk.uniques import Uniques, find_uniques, special_uniques
from tacit.judging.roles import guess_roles
from tacit.judging.sets import narrowed_share, unique_shares
from tacit.typing import Counts, Floats, Threshold

FEW = 3
"""People who are alone are counted for every set of up to so many columns."""


@dataclass(frozen=True)
class Asked:
    """How a table is to be measured."""

    population: Table | None = None
    sampling: Threshold | None = None
    threshold: int = THRESHOLD
    max_size: int | None = FEW
    """The largest minimal sample uniques that are searched for; None for all."""
    standards: tuple[Standard, ...] = ()
    counts: str | None = None
    """The column with the counts, where it is a table of counts."""
    original: Table | None = None
    control: Table | None = None
    tolerance: Threshold = 0
    person: str | None = None
    """The column that tells people apart; None to look for one."""
    drawn: bool = False
    """Whether one row of each person is there, and no other."""
    several: bool = False
    """Whether the manifest of a release says that several rows are one person's."""
    group: str | None = None
    """The column that names buckets, where the values of a bucket are published for all of its rows."""


def measure(table: Table, asked: Asked) -> Risk:
    """The risks of a table as it stands, held against standards; roles that were not given are guessed."""
    if asked.counts is not None:
        table.column(asked.counts)  # which must be there
        others = tuple(name for name in table.names if name != asked.counts)
        found = Risk(table.origin, len(table), others, (), asked.threshold, (), notes=table.notes)
        stand = Stand(table, None, asked.counts)
    else:
        table, notes = with_roles(table)
        guessed = bool(notes)
        person = asked.person or person_of(table, asked.group)
        if person is not None:
            table = table.with_columns(column for column in table.dropped if column.name == person)
            notes += spelling_notes(table, person)
            notes += (f"Rows of one person repeat, by {person!r}: people are counted, not rows.",)
        counted = ROWS if person is None and not asked.drawn else PEOPLE
        found = _measured(table, asked, person)
        found = replace(found, notes=(*found.notes, *notes), person=person, counted=counted)
        if asked.original is not None:
            tolerance = float(asked.tolerance)
            people = (asked.original, asked.control)
            criteria = measure_criteria(table, *people, group=asked.group, tolerance=tolerance)
            found = replace(found, criteria=criteria)
        several = asked.several and counted == ROWS
        named = asked.person is not None
        stand = Stand(
            table, found, person=person, named=named, group=asked.group, several=several, guessed=guessed
        )
    return replace(found, standards=tuple(stand.judged(standard) for standard in asked.standards))


def _measured(table: Table, asked: Asked, person: str | None) -> Risk:
    classes = classes_of(table, table.roles.known, table.roles.sensitive, person)
    values = classes
    if person is not None or asked.group is not None:
        by = table.roles.known if asked.group is None else [asked.group]
        values = classes_of(table, by, table.roles.sensitive)
        if person is not None:
            values = replace(values, members=classes_of(table, by, (), person).members)
    if not classes.rows:
        raise InputError("The table has no rows.", code="no-rows", where=Place(file=table.origin))
    beside = table.roles.sensitive if asked.group is None else ()
    whole = classes_of(table, (*table.roles.known, *beside), (), person) if beside else None
    width = len(classes.names)
    size = width if asked.max_size is None else min(asked.max_size, width)
    uniques = find_uniques(classes, max(size, min(FEW, width)))
    special = special_uniques(_up_to(uniques, size))
    chances, without = _chances(classes, asked)
    return Risk(
        source=table.origin,
        rows=len(table),
        quasi=classes.names,
        sensitive=table.roles.sensitive,
        threshold=asked.threshold,
        figures=(
            *identity_figures(classes, chances, threshold=asked.threshold, without=without),
            *unique_figures(uniques, special, whole),
            *value_figures(values),
        ),
        subsets=_subsets(uniques),
        minimal=special.by_size,
        contributions=tuple(zip(classes.names, special.by_column, strict=True)),
        notes=table.notes,
    )


def with_roles(table: Table) -> tuple[Table, tuple[str, ...]]:
    """The table with roles, which are guessed where none were given; and a note that says so."""
    if table.roles.known:
        return table, ()
    columns = [table.column(name) for name in table.names]
    guessed = {column.name: role.role for column, role in zip(columns, guess_roles(columns), strict=True)}
    quasi = tuple(name for name, role in guessed.items() if role == "quasi")
    if not quasi:
        raise InputError(
            "No column name suggests a quasi-identifier, and none was named.",
            code="no-quasi",
            where=Place(file=table.origin),
            hint="Name the columns that a reader may know of people with --quasi (quasi=).",
        )
    sensitive = table.roles.sensitive or tuple(name for name, role in guessed.items() if role == "sensitive")
    note = f"The quasi-identifiers are guessed by their names: {', '.join(quasi)}."
    return table.with_roles(quasi=quasi, sensitive=sensitive), (note,)


def _chances(classes: Classes, asked: Asked) -> tuple[Floats | None, str]:
    if asked.population is not None:
        return 1 / population_sizes(classes, asked.population), ""
    if asked.sampling is not None:
        return expected_inverse(classes.sizes, float(asked.sampling)), ""
    return None, "neither a population nor a sampling fraction was given"


def _up_to(uniques: Uniques, size: int) -> Uniques:
    found = {columns: held for columns, held in uniques.found.items() if len(columns) <= size}
    return Uniques(uniques.classes, size, uniques.alone, found)


def _subsets(uniques: Uniques) -> tuple[Subset, ...]:
    names, rows = uniques.classes.names, uniques.classes.rows
    found = [
        Subset(tuple(names[place] for place in columns), people := uniques.people(held), people / rows)
        for columns, held in uniques.found.items()
        if len(columns) <= FEW
    ]
    return tuple(sorted(found, key=lambda one: (-one.people, len(one.columns), one.columns)))


FEW_IN_CLASS, TERMS = 100, 60
"""From this f on, so many terms of the series are more than a float can hold."""


def expected_inverse(sizes: Counts, fraction: float) -> Floats:
    """E[1/F | f] for classes of these sizes in a sample of a fraction of the population.

    >>> float(round(expected_inverse(np.array([1]), 0.05)[0], 3))
    0.158
    """
    from scipy.special import hyp2f1

    distinct, which = np.unique(sizes, return_inverse=True)
    series = np.ones(len(distinct))
    few = distinct <= FEW_IN_CLASS
    series[few] = hyp2f1(1, 1, distinct[few] + 1, 1 - fraction)
    # scipy gives no number for large f, where the terms n! (1−π)^n / (f+1)(f+2)…(f+n) vanish at once.
    n = np.arange(TERMS)
    for place in np.flatnonzero(~few):
        series[place] += np.cumprod((n + 1) * (1 - fraction) / (distinct[place] + 1 + n)).sum()
    found: Floats = fraction / distinct * series
    return found[which]


def population_sizes(classes: Classes, population: Table) -> Counts:
    """F of each class: how many people of a population its quasi-identifiers may stand for."""
    missing = [name for name in classes.names if name not in population.names]
    if missing:
        raise InputError(
            f"The population has no column {missing[0]!r}, which is a quasi-identifier of the table.",
            code="population-columns",
            where=Place(file=population.origin),
            hint="Name a file with all quasi-identifiers, or give the sampling fraction instead.",
        )
    held = engine_for(population).combinations(population, classes.names)
    found = np.zeros(len(classes), dtype=np.int64)
    for which, people in matches(classes, held, population.hierarchies):
        found[which] = int(held.counts[people].sum())
    short = np.flatnonzero(found < classes.sizes)
    if len(short):
        raise InputError(
            f"In {len(short):,} classes the table has more people than the population.",
            code="population-too-small",
            where=Place(file=population.origin),
            hint="The population must hold everybody in the table, with values written in the same way.",
        )
    return found


SIZES = (1, 2, 3)
SHARED = {
    size: Figure(
        f"k{size}",
        f"Fewest people that share {'an item' if size == 1 else f'{size} items'}",
        f"The k of k^{size}-anonymity, searched up to the threshold.",
        COUNT,
        RISKS,
        less=False,
    )
    for size in SIZES
}
ALONE = {
    size: Figure(
        f"unique{size}",
        f"People alone with {'one item' if size == 1 else f'{size} items'}",
        "Some so many of their items are nobody else's.",
        SHARE,
        RISKS,
    )
    for size in SIZES
}
FIGURES = (*SHARED.values(), *ALONE.values())


def measure_sets(transactions: Transactions, *, threshold: int, standards: tuple[Standard, ...] = ()) -> Risk:
    """The risks of sets of items as they stand."""
    rows = len(transactions)
    alone = unique_shares(transactions, sizes=SIZES)
    figures = [
        *(_shared(transactions, size, threshold) for size in SIZES),
        *(_alone(size, share, rows) for size, share in zip(SIZES, alone, strict=True)),
    ]
    measured = {one.figure.name: one.value for one in figures}

    def answer(ask: Ask, standard: Standard) -> tuple[Any, str]:
        return measured.get(
            ask.figure
        ), "" if ask.figure in measured else "it is not measured of sets of items"

    judged = tuple(judge(one, answer) for one in standards)
    given = (transactions.origin, rows, ("items",), (), threshold, tuple(figures))
    return Risk(*given, standards=judged, notes=transactions.notes, counted=RECORDS)


def _shared(transactions: Transactions, size: int, threshold: int) -> Measured:
    """The fewest people who share some items of somebody, and how many have items that fewer share."""
    rows = len(transactions)

    def below(k: int) -> int:
        return round(narrowed_share(transactions, k=k, size=size) * rows)

    most = below(threshold)
    if not most:
        return Measured(SHARED[size], threshold, 0, rows, why="or more")
    low, high = 1, threshold  # fewer than ``high`` people share some items, and no fewer than ``low``
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if below(middle) else (middle, high)
    return Measured(SHARED[size], low, most, rows, why=f"counted are people below {threshold}")


def _alone(size: int, share: float | None, rows: int) -> Measured:
    if share is None:
        return Measured(ALONE[size], None, rows=rows, why="too many sets to count")
    return Measured(ALONE[size], share, round(share * rows), rows)
