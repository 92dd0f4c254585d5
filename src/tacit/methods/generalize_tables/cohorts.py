"""Cohorts: the people who are in the same releases of a series and share their class in each of them.

That is what a reader of all releases is left with who knows where everybody is: inside a cohort the people
can be exchanged, with all that they have had, and every release stays as it is. So every cohort has at least
k people, and with ℓ every one of them could have at least ℓ values in each release: of the histories of the
cohort's values, handed out so that nobody gets what a rule of any of the releases excludes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.arrays.bitmaps import pack
from tacit.arrays.compiled import Flag
from tacit.arrays.groups import group_rows
from tacit.data.column import Column, encode
from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.knowledge.row_classes import RowClasses
from tacit.methods.generalize_tables.kind import TABLE_FILE
from tacit.mining.knowledge import NegativeRules
from tacit.random.key import Key
from tacit.recoding.promises import Distinct, Held, Promise
from tacit.release import read_manifest
from tacit.release.reading import cells
from tacit.release.series import ABSENT, Lives, Told, digests_in, frozen, kept_of, people_of
from tacit.typing import AnyArray, Bools, Codes, Counts

Barred = tuple[tuple[int, str | None], ...]
"""What rules exclude for somebody: places of sensitive columns, and values."""


class Cohorts:
    """Everybody of some releases by their lives: in which class they were, with which values.

    Shape (lives, releases) where nothing else is said; who is not there is ABSENT.
    """

    def __init__(self, lives: Lives) -> None:
        looks, values, barred = zip(*lives.forms, strict=True)
        self.rows = lives.counts
        self.classes, _ = _along(looks, lives.paths)
        columns = [_along(texts, lives.paths) for texts in zip(*values, strict=True)]
        self.values, self.texts = [codes for codes, _ in columns], [texts for _, texts in columns]
        self.barred_of, self.barred = _along(barred, lives.paths)
        self.ruled = any(self.barred)
        """Whether rules exclude anything."""

    def parts(self, releases: slice = slice(None)) -> tuple[Codes, int]:
        """The cohort of each life in some releases, and how many there are."""
        found, first = grouped(list(self.classes[:, releases].T + 1))
        return found, len(first)

    def promise(
        self, of: Codes, chosen: AnyArray, rows: Counts, k: int, l: int | None, flag: Flag | None = None
    ) -> Promise:
        """What is promised of parts ``of`` some lives' people: k of them, and ℓ values of each everywhere."""
        if l is None:
            return Promise(k, flag=flag)
        held = self._held(of, chosen, rows)
        parts = tuple((place, Distinct(l)) for place in range(held.kinds.parts.shape[1]))
        return Promise(k, held, parts, l if self.ruled else None, flag)

    def smallest(self, l: int | None) -> tuple[int, int | None]:
        """The fewest people of any cohort, and the fewest values that any could have, counted up to ℓ."""
        of, n_cohorts = self.parts()
        sizes = np.bincount(of, weights=self.rows, minlength=n_cohorts).astype(np.int64)
        if l is None:
            return int(sizes.min()), None
        every, each = np.arange(len(of)), np.arange(n_cohorts, dtype=np.int32)
        kept = (
            some
            for some in range(l, 1, -1)
            if not self.promise(of, every, self.rows, 1, some).failing(each, sizes)[0].any()
        )
        return int(sizes.min()), next(kept, 1)

    def _held(self, of: Codes, chosen: AnyArray, rows: Counts) -> Held:
        """What ``rows`` people of some lives hold, as parts ``of`` them: the histories of their values."""
        there = self.classes[chosen] != ABSENT
        # Whoever is not there is so together with their cohort: any value of theirs stands in.
        last = there.shape[1] - 1 - np.argmax(there[:, ::-1], axis=1)
        columns, texts = [], []
        for release in range(there.shape[1]):
            source = np.where(there[:, release], release, last)
            for values, names in zip(self.values, self.texts, strict=True):
                # A value that stands in is of another release: its numbers begin behind this one's.
                offset = np.where(source == release, 0, len(names))
                codes, _ = grouped([values[chosen, source] + offset])
                columns.append(codes)
                texts.append((None,) * (int(codes.max(initial=-1)) + 1))
        value_of, first = grouped(columns)
        parts = np.ascontiguousarray(np.column_stack([codes[first] for codes in columns]), dtype=np.int32)
        barred_of, shown = grouped(list(self.barred_of[chosen].T + 1))
        marks = self._forbidden(self.barred_of[chosen][shown], chosen[first])
        kind_of, by = grouped([value_of, barred_of])
        # A bit for any two histories: where no rule excludes anything, one row stands for all of them.
        sets = pack(marks)
        each = sets[barred_of[by]] if self.ruled else np.broadcast_to(sets[:1], (len(by), sets.shape[1]))
        kinds = RowClasses(
            attributes=tuple(str(place) for place in range(parts.shape[1])),
            texts=tuple(texts),
            parts=parts,
            values=value_of[by],
            forbidden=each,
            counts=np.bincount(kind_of, weights=rows, minlength=len(by)).astype(np.int64),
        )
        return Held(of, kind_of, rows, kinds)

    def _forbidden(self, sets: Codes, holders: AnyArray) -> Bools:
        """Shape (sets, histories): what nobody can have had for whom a release excludes one of its values."""
        marks = np.zeros((len(sets), len(holders)), dtype=np.bool_)
        for release in range(sets.shape[1]):
            for number in set(sets[:, release].tolist()) - {ABSENT}:
                mine = sets[:, release] == number
                for column, text in self.barred[number]:
                    if text in self.texts[column]:
                        code = self.texts[column].index(text)
                        marks[np.ix_(mine, self.values[column][holders, release] == code)] = True
        return marks


def _along(parts: Sequence[Any], paths: Codes) -> tuple[Codes, list[Any]]:
    """A part of every form, as a number, along the lives; and what the numbers are."""
    number: dict[Any, int] = {}
    codes = [number.setdefault(part, len(number)) for part in parts]
    return np.array([*codes, ABSENT], dtype=np.int32)[paths], list(number)


@dataclass(frozen=True, eq=False)
class Here:
    """The people of a release, and what rules exclude for them."""

    people: pl.Series
    barred_of: Codes
    barred: tuple[Barred, ...]

    def told(self, known: Sequence[Column], sensitive: Sequence[Column]) -> Told:
        """Them as they are where these columns are published: their class, values and what is excluded."""
        form_of, first = grouped([*(column.codes for column in (*known, *sensitive)), self.barred_of])
        cells = [
            [[column.texts[code] for code in column.codes[first]] for column in columns]
            for columns in (known, sensitive)
        ]
        looks, values = (zip(*texts, strict=True) if texts else [()] * len(first) for texts in cells)
        barred = [self.barred[one] for one in self.barred_of[first]]
        return self.people, form_of, list(zip(looks, values, barred, strict=True))


def told_by(folder: Path) -> Told:
    """The people of a release, by its private record."""
    parameters = read_manifest(folder).parameters
    people = people_of(folder, {"row": pl.Int64, "barred": pl.Int32}).filter(pl.col("row") > 0)
    table = cells(folder / TABLE_FILE)[(people["row"] - 1).to_list()]
    known, sensitive = (
        [encode(table[name]) for name in names]
        for names in ((*parameters["quasi"], *parameters["keep"]), parameters["sensitive"])
    )
    barred = tuple(frozen(one) for one in kept_of(folder)["barred"])
    return Here(people["person"], people["barred"].to_numpy(), barred).told(known, sensitive)


def who_is_here(table: Table, person: str, rules: NegativeRules | None, key: Key) -> Here:
    """The people of a table, and what rules exclude for each row: as a number, and by number."""
    people = digests_in(table.column(person), key)
    if rules is None or not len(rules):
        return Here(people, np.zeros(len(table), dtype=np.int32), ((),))
    columns = [*table.known, *table.sensitive]
    row_of, _ = grouped([column.codes for column in columns])
    combinations = engine_for(table).combinations(table, [column.name for column in columns])
    sets, of = rules.barred(combinations, *table.roles.sensitive)
    pairs = [(place, text) for place, column in enumerate(table.sensitive) for text in column.texts]
    barred = tuple(tuple(pairs[at] for at in np.flatnonzero(marked)) for marked in sets)
    return Here(people, of[row_of], barred)


def grouped(columns: Sequence[Codes]) -> tuple[Codes, Counts]:
    """The group of each row, and the first row of each group."""
    return group_rows(
        [np.ascontiguousarray(codes, dtype=np.int32) for codes in columns],
        [int(codes.max(initial=-1)) + 1 for codes in columns],
    )
