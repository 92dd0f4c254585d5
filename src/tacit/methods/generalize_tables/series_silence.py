"""That the releases of a series could be made leaves everybody ℓ values.

A pair (X, s) that would be a rule if nobody in X had s (:mod:`tacit.mining.silence`) has somebody there who
did, or its own rules might leave somebody fewer than ℓ values. Worlds hand the histories of a cohort's values
around among its people. In each every such pair must have a holder: one of another cohort, one who stays as
in truth, its *anchor*, or another candidate who takes the anchor's history when the anchor is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError, option
from tacit.methods.generalize_tables.cohorts import Cohorts, grouped
from tacit.methods.generalize_tables.release import Recoding
from tacit.mining.knowledge import NegativeRules
from tacit.mining.silence import unlisted_pairs
from tacit.release.series import ABSENT, Lives

HOLDERS = 8
"""A pair that so many hold keeps one, whoever is handed other values."""
OTHERS = 100
"""So many candidates of a pair are kept beside its holders."""
TRIED = 10
"""So many of them are tried to stand in for its anchor."""


@dataclass(frozen=True)
class Pair:
    """Somebody of some people had a value of a sensitive column in a release."""

    release: int
    """Counted from 0."""
    column: int
    value: str | None
    people: tuple[str, ...]


def unlisted(
    table: Table, rules: NegativeRules, recoded: Recoding, people: pl.Series, turn: int
) -> Iterator[Pair]:
    """The pairs of a release that few people hold; ``people`` are those of the rows of the table."""
    published = np.zeros(len(table), dtype=np.bool_)
    published[recoded.rows] = True
    class_of = np.full(len(table), ABSENT, dtype=np.int32)
    class_of[recoded.rows] = grouped([column.codes for column in recoded.known])[0]
    combinations = engine_for(table).combinations(table, (*table.roles.known, *table.roles.sensitive))
    row_of, _ = grouped([table.column(name).codes for name in combinations.names])
    matching, who = rules.matching(combinations), people.to_numpy()
    for pairs in unlisted_pairs(combinations, rules, fewer_than=HOLDERS):
        place, codes = table.roles.sensitive.index(pairs.sensitive), table.column(pairs.sensitive).codes
        barred = rules.forbidden(combinations, pairs.sensitive)
        for nodes, value in zip(pairs.nodes, pairs.values.tolist(), strict=True):
            inside, never = matching(nodes)[row_of] & published, barred[row_of, value]
            holds = inside & (codes == value)
            if not np.isin(class_of[holds], class_of[published & ~inside & ~never]).all():
                continue  # nobody else of a class could have it: it has a holder whatever is exchanged
            able = inside & ~never & np.isin(class_of, class_of[published & (codes == value)])
            chosen = (*sorted(who[holds]), *sorted(who[able & ~holds])[:OTHERS])
            yield Pair(turn, place, table.column(pairs.sensitive).texts[value], chosen)


def portable(pairs: Iterable[Pair], lives: Lives) -> list[Any]:
    """Pairs for the next release: of people their line in the record, which forgets whom it is to forget."""
    line = {person: place for place, person in enumerate(lives.people)}
    return [[one.release, one.column, one.value, [line[person] for person in one.people]] for one in pairs]


def carried(kept: Iterable[Any], lives: Lives) -> Iterator[Pair]:
    """The pairs that a record hands on."""
    for release, column, value, lines in kept:
        yield Pair(release, column, value, tuple(lives.people[line] for line in lines))


def check_unlisted(lives: Lives, pairs: Sequence[Pair], l: int) -> None:
    """Raise where what is not listed may leave somebody fewer than ℓ values."""
    if pairs and _Handing(lives, pairs, l).narrows():
        raise InfeasibleError(
            "Rules that the releases of the series do not state would leave somebody fewer than"
            f" {l} values: too few people who share their class in all releases could be the reason"
            " that they do not hold.",
            code="silence-names",
            hint=f"A larger {option('k')} makes this release coarser. Or begin the series with fewer rules:"
            f" with a larger {option('min_expectation')} or a {option('correction')}, or against readers"
            f" who know none, {option('readers', 'nothing')}.",
        )


Moved = dict[int, int]
"""People who are given the history of another life."""


class _Handing:
    """Everybody with their history, by number, and the pairs."""

    def __init__(self, lives: Lives, pairs: Sequence[Pair], l: int) -> None:
        self.lives, self.l = lives, l
        self.cohorts = Cohorts(lives)
        self.cohort_of, _ = self.cohorts.parts()
        number = {person: place for place, person in enumerate(lives.people)}
        self.pairs = {
            (one.release, one.column, one.value, frozenset(number[person] for person in one.people)): None
            for one in pairs
        }
        self.holders = {
            pair: frozenset(one for one in pair[3] if self._value(self._life(one), *pair[:2]) == pair[2])
            for pair in self.pairs
        }
        self.held_by: dict[int, list[Any]] = {}
        for pair, holders in self.holders.items():
            for one in holders:
                self.held_by.setdefault(one, []).append(pair)

    def narrows(self) -> bool:
        """Whether somebody may be left fewer than ℓ values."""
        return any(not self._kept(cohort) for cohort in {self._cohort(one) for one in self.held_by})

    def _life(self, person: int) -> int:
        return int(self.lives.life_of[person])

    def _cohort(self, person: int) -> int:
        return int(self.cohort_of[self._life(person)])

    def _value(self, life: int, release: int, column: int) -> str | None:
        value: str | None = self.lives.forms[self.lives.paths[life, release]][1][column]
        return value

    def _may(self, life: int, other: int) -> bool:
        """Whether people of a life may have had the history of another of their cohort."""
        forms, paths = self.lives.forms, self.lives.paths
        return not any(
            forms[mine][1][column] == text
            for mine, own in zip(paths[other].tolist(), paths[life].tolist(), strict=True)
            if own != ABSENT
            for column, text in forms[own][2]
        )

    def _kept(self, cohort: int) -> bool:
        """Whether everybody of a cohort keeps ℓ values, other cohorts being as in truth, or nearly."""
        moved: Moved = {}
        inner = [
            pair
            for pair, holders in self.holders.items()
            if any(self._cohort(one) == cohort for one in holders)
            and not self._held_elsewhere(pair, cohort, moved)
            and not self._whole(pair, cohort)
            and not self._exchanged(pair, cohort, moved)
        ]
        anchors: dict[Any, int] = {}
        for pair in inner:
            mine = [one for one in self.holders[pair] if self._cohort(one) == cohort]
            anchors[pair] = min(mine, key=lambda one: (one not in anchors.values(), one))
        members = np.flatnonzero(self.cohort_of == cohort)
        left = self.lives.counts[members] - np.bincount(
            np.searchsorted(members, [self._life(one) for one in set(anchors.values())]),
            minlength=len(members),
        )
        some, rows = members[left > 0], left[left > 0]
        if len(some):
            one = np.zeros(len(some), dtype=np.int32)
            promise = self.cohorts.promise(one, some, rows, 1, self.l)
            if promise.failing(one[:1], rows.sum(keepdims=True))[0].any():
                return False
        pool = dict(zip(some.tolist(), rows.tolist(), strict=True))
        return all(
            self._replaced(anchor, [pair for pair in inner if anchors[pair] == anchor], pool, anchors)
            for anchor in set(anchors.values())
        )

    def _whole(self, pair: Any, cohort: int) -> bool:
        """Whether nobody of a cohort but candidates of a pair could have its value."""
        release, column, value, people = pair
        able = np.bincount([self._life(one) for one in people], minlength=len(self.cohort_of))
        members = np.flatnonzero((self.cohort_of == cohort) & (able < self.lives.counts))
        forms, paths = self.lives.forms, self.lives.paths[members, release]
        return all((column, value) in forms[form][2] for form in paths.tolist())

    def _held_elsewhere(self, pair: Any, cohort: int, moved: Moved) -> bool:
        """Whether somebody of another cohort holds a pair, those who are moved having what they are given."""
        release, column, value, people = pair
        return any(self._cohort(one) != cohort for one in self.holders[pair] - moved.keys()) or any(
            self._value(moved[one], release, column) == value for one in people & moved.keys()
        )

    def _exchanged(self, pair: Any, cohort: int, moved: Moved) -> bool:
        """Whether a pair gets a holder by exchanging two people of another cohort, who are moved then."""
        release, column, value, people = pair
        for one in sorted(people - moved.keys()):
            life = self._life(one)
            if self.cohort_of[life] == cohort:
                continue
            for other in np.flatnonzero(self.cohort_of == self.cohort_of[life]).tolist():
                if self._value(other, release, column) != value or not (
                    self._may(life, other) and self._may(other, life)
                ):
                    continue
                for some in np.flatnonzero(self.lives.life_of == other).tolist():
                    then = moved | {one: other, some: life}
                    if some not in moved and all(
                        self._held_elsewhere(own, cohort, then)
                        for mine in (one, some)
                        for own in self.held_by.get(mine, ())
                    ):
                        moved.update(then)
                        return True
        return False

    def _replaced(self, anchor: int, mine: list[Any], pool: dict[int, int], anchors: dict[Any, int]) -> bool:
        """Whether the anchor of some pairs keeps ℓ values, another candidate having its history instead."""
        cohort, life = self._cohort(anchor), self._life(anchor)
        able = frozenset.intersection(*(pair[3] for pair in mine)) - set(anchors.values())
        for one in sorted(one for one in able if self._cohort(one) == cohort)[:TRIED]:
            other = self._life(one)
            holds = all(one in self.holders[pair] for pair in mine)
            if not holds and not (self._may(other, life) and self._may(life, other)):
                continue
            given = life if holds else other
            found = [life, given]
            for some, number in pool.items():
                if number > (some == other) and self._may(life, some) and self._may(some, given):
                    found.append(some)
            if self._values(found) >= self.l:
                return True
        return False

    def _values(self, found: list[int]) -> int:
        """The fewest different values of any column in any release, of the histories of some lives."""
        paths, forms = self.lives.paths[found], self.lives.forms
        there = np.flatnonzero(paths[0] != ABSENT)
        return min(
            len({forms[form][1][column] for form in paths[:, release].tolist()})
            for release in there.tolist()
            for column in range(len(forms[paths[0, release]][1]))
        )
