"""Recognizing the records of an earlier release: which columns are which, and how many people are in both.

Columns are paired by what they hold, whatever they are called and in whatever order they stand: the values
of the earlier column that occur now, each about as often. A column that was dropped, added or rewritten has
no partner and is left out. Where the pairs together recognize nobody, each is left out in turn, because one
wrong pair hides everybody. What counts as recognized says :mod:`tacit.judging.sameness`.

The sketch of a release: what the ledger keeps to recognize its records, of bounded size.

A sketch is a sample of the records as :mod:`tacit.release.records` sees them, or all of them where they are
few. That is enough for a comparison, because its other side is whole: the data about to be released.
The ledger keeps it sealed: digests alone would show which cells are equal, and frequencies tell much about
common values.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
import polars as pl

from tacit.io.canonical import canonical
from tacit.judging.sameness import Sameness, sameness
from tacit.random.key import Key
from tacit.release.linking import Pairs, linked_by_content, linked_by_person, words_of
from tacit.release.records import Cells, Held, Likeness, PeopleLikeness, SetsLikeness
from tacit.typing import Bools, Counts, Words

ALIKE, HARDLY = 0.5, 0.1
"""Columns are partners from here on, 1 being the same values with the same frequencies; from much less on
where they have the same name, or where nearly everybody has another value: these change with the people."""
CLOSELY = 0.85
"""Where some partners are wrong, these are not."""
BY_NAME, BY_SHARES = 0.03, 0.1
"""So much a common name adds and other frequencies take: they decide between columns of the same values."""
LOOKED_AT = 8192
"""So many records tell what a column holds, and which columns to leave out."""
ROUNDS = 3


@dataclass(frozen=True, eq=False)
class Match:
    """The records that an earlier release has in common with these.

    ``rows`` are the places of those that can be pointed at, or of those of them in the sample; ``then`` are
    their places in the sketch, where people were linked one by one.
    """

    records: int
    error: int
    columns: tuple[tuple[str, str], ...]
    rows: Counts
    sketch: Sketch | None = None
    then: Counts | None = None


def recognized(likeness: Likeness, sketch: Sketch) -> Match | None:
    """The records of an earlier release among these; None where no more are alike than chance gives."""
    if sketch.of_sets != isinstance(likeness, SetsLikeness) or not sketch.cells.size:
        return None
    if isinstance(likeness, SetsLikeness):
        return _recognized_sets(likeness, sketch)
    return _recognized_people(likeness, sketch)


def _recognized_sets(likeness: SetsLikeness, sketch: Sketch) -> Match | None:
    words = np.asarray(sketch.cells, dtype=np.uint64)
    found = [
        sameness(words[:, view], known, of=sketch.records) for view, known in enumerate(likeness.contents)
    ]
    matching = [view for view, same in enumerate(found) if same.matches or (view == 0 and same.identical)]
    if not matching:
        return None
    best = max(matching, key=lambda view: found[view].common)
    rows = _rows_among(likeness.words[:, best], words[:, best])
    return _match(found[best], sketch, likeness.n_records, (), rows)


def _recognized_people(likeness: PeopleLikeness, sketch: Sketch) -> Match | None:
    cells = np.asarray(sketch.cells, dtype=np.uint32)
    pairs, close = _partners(cells, sketch, likeness)
    by_person = _recognized_by_person(likeness, sketch, cells, pairs)
    if by_person is not None or len(pairs) < 2:
        return by_person

    def compared(some: Pairs, part: Cells) -> Sameness:
        return sameness(words_of(part, some), likeness.contents(_places(some)), of=sketch.records)

    best, same = pairs, compared(pairs, cells)
    # The same table under the same names is no coincidence, however small or regular it is.
    named_alike = {*sketch.columns} == {column.name for column in likeness.columns}
    unaltered = same.identical and named_alike and len(pairs) == len(sketch.columns)
    if not unaltered and (not same.matches or same.common < 0.9 * min(len(cells), likeness.n_records)):
        part = cells[:LOOKED_AT]
        tried = {some: compared(some, part) for some in (pairs, close) if len(some) > 1}
        for _ in range(ROUNDS):
            shorter = [best[:at] + best[at + 1 :] for at in range(len(best)) if len(best) > 2]
            tried |= {some: compared(some, part) for some in shorter if some not in tried}
            better = max(tried, key=lambda some: (tried[some].matches, _gain(tried[some]), len(some)))
            if better == best:
                break
            best = better
        same = compared(best, cells)
    if not (same.matches or unaltered):
        return None
    names = tuple((sketch.columns[earlier], likeness.columns[now].name) for earlier, now in best)
    shown = [place for place, name in enumerate(sketch.columns) if name in sketch.shown]
    rows, then = linked_by_content(likeness, cells, tuple(shown), best, same.common - same.error)
    match = _match(same, sketch, likeness.n_records, names, rows)
    # Those who are linked are in both; who has changed was not counted.
    most = max(match.records, round(len(rows) * sketch.records / len(cells)))
    return replace(match, records=most, sketch=sketch, then=then)


def _recognized_by_person(
    likeness: PeopleLikeness, sketch: Sketch, cells: Cells, pairs: Pairs
) -> Match | None:
    """The same people by the column that tells them apart, where both tables have one."""
    if likeness.person is None or sketch.person not in sketch.columns:
        return None
    place = sketch.columns.index(sketch.person)
    links = linked_by_person(likeness, cells, place, pairs)
    if links is None:
        return None
    whole = sketch.records / len(cells)
    error = round(1.96 * sqrt(len(links[0]) * max(whole - 1, 0.0)) * sqrt(whole))
    column = (sketch.person, likeness.columns[likeness.person].name)
    return Match(round(len(links[0]) * whole), error, (column,), links[0], sketch, links[1])


def _gain(same: Sameness) -> float:
    """What tells a better choice of columns: more people found where a match is sure, else a surer one.

    A column that is left out must bring a quarter more for certain, or it stays.
    """
    return float(np.log(max(same.common - same.error, 1.0)) // 0.25) if same.matches else same.beyond


def _match(
    same: Sameness, sketch: Sketch, n_records: int, columns: tuple[tuple[str, str], ...], rows: Counts
) -> Match:
    whole = sketch.records / len(sketch.cells)
    most = min(sketch.records, n_records)
    return Match(min(most, round(same.common * whole)), round(same.error * whole), columns, rows)


def _partners(cells: Cells, sketch: Sketch, likeness: PeopleLikeness) -> tuple[Pairs, Pairs]:
    """The columns of the sketch that hold what columns hold now, in the order of the columns now.

    First all of them, then those that are closely alike.
    """
    from scipy.optimize import linear_sum_assignment

    part = cells[:LOOKED_AT]
    alike = np.zeros((len(sketch.columns), len(likeness.columns)))
    apart = np.zeros(alike.shape)
    for earlier, distinct in enumerate(sketch.distinct):
        values, counts = np.unique(part[:, earlier], return_counts=True)
        for now, column in enumerate(likeness.columns):
            alike[earlier, now], apart[earlier, now] = _alike(values, counts, distinct, column)
    names = [_folded(sketch.columns), _folded(tuple(column.name for column in likeness.columns))]
    same_name = np.array([[one == other for other in names[1]] for one in names[0]], dtype=np.bool_)
    same_name = same_name.reshape(alike.shape)
    chosen = linear_sum_assignment(alike + BY_NAME * same_name - BY_SHARES * apart, maximize=True)
    pairs = sorted(zip(*(side.tolist() for side in chosen), strict=True), key=lambda pair: pair[1])
    nearly_all = np.array(sketch.distinct)[:, None] > sketch.records / 2
    needed = np.where(same_name | nearly_all, HARDLY, ALIKE)
    found, close = (
        tuple((one, two) for one, two in pairs if alike[one, two] >= least[one, two])
        for least in (needed, np.full(alike.shape, CLOSELY))
    )
    return found, close


def _alike(values: Cells, counts: Counts, distinct: int, column: Held) -> tuple[float, float]:
    """How much of an earlier column a column holds, and how far apart the frequencies of its values are.

    ``values`` and ``counts`` are a sample of the earlier column's.
    """
    places = np.minimum(np.searchsorted(column.values, values), len(column.values) - 1)
    there: Bools = column.values[places] == values
    share = np.maximum(column.shares[places], 1e-300)
    sampled = counts.sum()
    least = np.maximum(counts - 3 * np.sqrt(counts), 0) / sampled
    most = (counts + 3 * np.sqrt(counts + 1)) / sampled
    held = there * np.minimum(1, most / share) * np.minimum(1, share / np.maximum(least, 1e-300))
    # A rare value need not be among fewer people; a frequent one is.
    rare = min(1.0, max(0.02, len(column.codes) / distinct))
    usual = np.where(counts >= 8, 1.0, rare)
    apart = np.abs(counts / sampled - there * share).sum()
    return float(min(1.0, (counts * held).sum() / (counts * usual).sum())), float(apart)


def _folded(names: tuple[str, ...]) -> list[str | None]:
    return canonical(pl.Series(names, dtype=pl.String)).to_list()


def _places(pairs: Pairs) -> tuple[int, ...]:
    return tuple(now for _, now in pairs)


def _rows_among(words: Words, sampled: Words) -> Counts:
    """The places of words that are among sampled ones, of equal ones as many as were sampled."""
    values, counts = np.unique(sampled, return_counts=True)
    places = np.minimum(np.searchsorted(values, words), len(values) - 1)
    rows = np.flatnonzero(values[places] == words)
    order = rows[np.argsort(words[rows], kind="stable")]
    found = words[order]
    first = np.searchsorted(found, found)
    rank = np.arange(len(found)) - first
    kept: Counts = np.sort(order[rank < counts[places[order]]])
    return kept


MOST_BYTES = 8 << 20
"""The cells or words of a sketch are no more than so many bytes."""


@dataclass(frozen=True, eq=False)
class Sketch:
    """A sample of a release's ``records``.

    ``cells`` are those of a table, a row for each record, or the words of transactions. ``columns`` and
    ``distinct`` are the names of a table's columns and how many values each has; both empty for transactions.
    ``shown`` are the columns that its release shows, ``person`` the one that tells people apart.
    """

    records: int
    columns: tuple[str, ...]
    distinct: tuple[int, ...]
    cells: Cells | Words
    shown: tuple[str, ...] = ()
    person: str = ""

    @property
    def of_sets(self) -> bool:
        return self.cells.dtype == np.uint64

    def to_bytes(self) -> bytes:
        """The length of the description, the description as JSON, and the cells."""
        about = {name: value for name, value in vars(self).items() if name != "cells"}
        head = json.dumps(about | {"shape": self.cells.shape, "of_sets": self.of_sets}).encode()
        body = self.cells.astype("<u8" if self.of_sets else "<u4").tobytes()
        return len(head).to_bytes(4, "little") + head + body


def sketch_of(likeness: Likeness, key: Key) -> Sketch:
    """The sketch of some records; which are sampled follows from the ledger's key."""
    width = 2 * 8 if isinstance(likeness, SetsLikeness) else 4 * max(1, len(likeness.columns))
    generator = np.random.Generator(np.random.PCG64(key.subkey("ledger: sample").words))
    rows = generator.permutation(likeness.n_records)[: MOST_BYTES // width]
    if isinstance(likeness, SetsLikeness):
        return Sketch(likeness.n_records, (), (), likeness.words[rows])
    names = tuple(column.name for column in likeness.columns)
    distinct = tuple(int((column.counts > 0).sum()) for column in likeness.columns)
    shown = tuple(names[place] for place in likeness.shown)
    person = "" if likeness.person is None else names[likeness.person]
    return Sketch(likeness.n_records, names, distinct, likeness.cells(rows), shown, person)


def read_sketch(content: bytes) -> Sketch:
    """The sketch that was written as these bytes."""
    end = 4 + int.from_bytes(content[:4], "little")
    about = json.loads(content[4:end])
    about.setdefault("shown", about["columns"])  # an earlier version did not say which
    shape = about.pop("shape")
    stored, kind = ("<u8", np.uint64) if about.pop("of_sets") else ("<u4", np.uint32)
    cells = np.frombuffer(content[end:], dtype=stored).astype(kind, copy=False)
    told: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in about.items()
    }
    return Sketch(**told, cells=cells.reshape(shape))
