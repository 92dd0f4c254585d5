"""That the releases of a series could be made leaves everybody ℓ values.

A pair (X, s) that would be a rule if nobody in X had s (:mod:`tacit.mining.silence`) has somebody there who
did, in every release. People of a cohort may have had each other's histories: what they had in all releases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.errors import option
from tacit.methods.generalize_tables.cohorts import Cohorts, grouped
from tacit.methods.generalize_tables.release import Recoding
from tacit.methods.generalize_tables.verb import NOTHING
from tacit.mining.exchanges import MOST, Exchanges, Groups, Pair, narrowing
from tacit.mining.knowledge import NegativeRules
from tacit.mining.silence import unlisted_pairs
from tacit.release.series import ABSENT, Lives

OTHERS = 100
"""So many candidates of a pair are kept beside its holders."""


@dataclass(frozen=True)
class Told:
    """Somebody of some people had a value of a sensitive column in a release."""

    release: int
    """Counted from 0."""
    column: int
    value: str | None
    people: tuple[str, ...]


def unlisted(
    table: Table, rules: NegativeRules, recoded: Recoding, people: pl.Series, turn: int
) -> Iterator[Told]:
    """The pairs of a release that few people hold; ``people`` are those of the rows of the table."""
    published = np.zeros(len(table), dtype=np.bool_)
    published[recoded.rows] = True
    class_of = np.full(len(table), ABSENT, dtype=np.int32)
    class_of[recoded.rows] = grouped([column.codes for column in recoded.known])[0]
    combinations = engine_for(table).combinations(table, (*table.roles.known, *table.roles.sensitive))
    row_of, _ = grouped([table.column(name).codes for name in combinations.names])
    matching, who = rules.matching(combinations), people.to_numpy()
    for pairs in unlisted_pairs(combinations, rules, fewer_than=MOST + 1):
        place, codes = table.roles.sensitive.index(pairs.sensitive), table.column(pairs.sensitive).codes
        barred, of = rules.barred(combinations, pairs.sensitive)
        for nodes, value in zip(pairs.nodes, pairs.values.tolist(), strict=True):
            inside, never = matching(nodes)[row_of] & published, barred[:, value][of][row_of]
            holds = inside & (codes == value)
            if not np.isin(class_of[holds], class_of[published & ~inside & ~never]).all():
                continue  # nobody else of a class could have it: it has a holder whatever is exchanged
            able = inside & ~never & np.isin(class_of, class_of[published & (codes == value)])
            chosen = (*sorted(who[holds]), *sorted(who[able & ~holds])[:OTHERS])
            yield Told(turn, place, table.column(pairs.sensitive).texts[value], chosen)


def portable(pairs: Iterable[Told], lives: Lives) -> list[Any]:
    """Pairs for the next release: of people their line in the record, which forgets whom it is to forget."""
    line = {person: place for place, person in enumerate(lives.people)}
    return [[one.release, one.column, one.value, [line[person] for person in one.people]] for one in pairs]


def carried(kept: Iterable[Any], lives: Lives) -> Iterator[Told]:
    """The pairs that a record hands on."""
    for release, column, value, lines in kept:
        yield Told(release, column, value, tuple(lives.people[line] for line in lines))


def check_unlisted(lives: Lives, pairs: Sequence[Told], l: int) -> None:
    """Raise where what is not listed may leave somebody fewer than ℓ values."""
    if pairs and next(_exchanges(lives, pairs).narrowed(l), None) is not None:
        raise narrowing(
            f"that the releases of the series do not state would leave somebody fewer than {l} values: too"
            " few people who share their class in all releases",
            f"A larger {option('k')} makes this release coarser. Or begin the series with fewer rules:",
            option("readers", NOTHING),
        )


def _exchanges(lives: Lives, pairs: Sequence[Told]) -> Exchanges:
    """The cohorts of a series: those who are named in pairs one by one, and all others by their lives."""
    cohorts = Cohorts(lives)
    number = {person: place for place, person in enumerate(lives.people)}
    named = sorted({number[one] for pair in pairs for one in pair.people})
    rest = lives.counts - np.bincount(lives.life_of[named], minlength=len(lives.paths))
    others = np.flatnonzero(rest > 0)
    life_of = np.concatenate([lives.life_of[named], others])
    place = {person: at for at, person in enumerate(named)}
    n_columns, forms = len(cohorts.values), lives.forms

    @cache
    def may(life: int, other: int) -> bool:
        mine, given = lives.paths[life].tolist(), lives.paths[other].tolist()
        return not any(
            forms[got][1][column] == text
            for own, got in zip(mine, given, strict=True)
            if own != ABSENT
            for column, text in forms[own][2]
        )

    groups = Groups(
        cohorts.parts()[0][life_of],
        life_of,
        np.concatenate([np.ones(len(named), dtype=np.int64), rest[others]]),
        np.stack(cohorts.values, axis=2).reshape(len(lives.paths), -1),
        may,
    )
    found = {
        (
            one.release * n_columns + one.column,
            cohorts.texts[one.column].index(one.value),
            tuple(sorted(place[number[person]] for person in one.people)),
        )
        for one in pairs
    }
    return Exchanges(groups, [Pair(column, value, np.array(able)) for column, value, able in sorted(found)])
