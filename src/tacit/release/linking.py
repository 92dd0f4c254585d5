"""Which record of an earlier release is which record now.

By the column that tells people apart, where both tables have one, or by what the records hold: first in all
columns that hold the same, then in all but one, then in all but two, because some people move. A link is sure
where one record on each side holds this and no other does, or where all that do are alike in every column
that is shown, so that it does not matter which is which. Links count only where strangers would hardly ever
be alike so; whoever is not linked is not, and nothing is said of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import sqrt

import numpy as np

from tacit.judging.sameness import BEYOND, MOST, Contents
from tacit.release.records import Cells, PeopleLikeness, mixed
from tacit.typing import Counts, Words

Pairs = tuple[tuple[int, int], ...]
"""The place of a column in the sketch, and of its partner now."""
Links = tuple[Counts, Counts]
"""The places of records now, and of the same records in the sketch."""

FALSE = 0.05
"""So small a share of the links may be chance."""
MOST_LOOKS = 20_000_000
"""So many rows are looked at, over all choices of columns to leave out."""


def linked_by_content(
    likeness: PeopleLikeness, cells: Cells, shown: tuple[int, ...], pairs: Pairs, common: float
) -> Links:
    """The same records by what they hold in the columns of ``pairs``, then in all but one or two of these.

    ``shown`` are the places of the columns of the sketch that the earlier release shows, and about ``common``
    of its records are in both.
    """
    left = [np.arange(likeness.n_records), np.arange(len(cells))]
    found: list[Links] = []
    whole = likeness.words(likeness.shown), words_of(cells, tuple((one, one) for one in shown))

    def link(some: Pairs, by_chance: float, *, alike: bool) -> bool:
        """Link records by some columns, unless too many of the links would be chance."""
        now, then = likeness.words(tuple(now for _, now in some)), words_of(cells, some)
        full = (whole[0][left[0]], whole[1][left[1]]) if alike else None
        first, second = _alike(now[left[0]], then[left[1]], full)
        if not len(first) or by_chance > FALSE * len(first):
            return False
        found.append((left[0][first], left[1][second]))
        left[0], left[1] = np.delete(left[0], first), np.delete(left[1], second)
        return True

    # Where all that is shown is the same, it does not matter who is who. Else whoever is not there any more
    # may look like one other person now: as often as people now look like one other.
    everything = {*shown} <= {then for then, _ in pairs} and {*likeness.shown} <= {now for _, now in pairs}
    in_twos = (
        0.0 if everything else float((_known(likeness, pairs).counts == 2).sum()) * 2 / likeness.n_records
    )
    if not link(pairs, (len(cells) - common) * in_twos, alike=True):
        return _NOBODY
    for some in _shorter(pairs, likeness.n_records):
        if not len(left[0]) or not len(left[1]):
            break
        known = _known(likeness, some)
        twins = float((known.counts * (known.counts - 1)).sum()) / known.records
        met = max(twins, known.alike_by_chance) * len(left[0]) / known.records
        link(some, len(left[1]) * met, alike=False)
    now, then = zip(*found, strict=True)
    return np.concatenate(now), np.concatenate(then)


def _known(likeness: PeopleLikeness, pairs: Pairs) -> Contents:
    return likeness.contents_of(tuple(now for _, now in pairs))


def linked_by_person(likeness: PeopleLikeness, cells: Cells, person: int, pairs: Pairs) -> Links | None:
    """The same records by the column that tells people apart; None where it numbers others the same way.

    People who are the same agree in some column far more often than strangers with the same numbers.
    """
    assert likeness.person is not None
    now, then = likeness.cells(np.arange(likeness.n_records)), cells
    links = _alike(now[:, likeness.person].astype(np.uint64), then[:, person].astype(np.uint64), full=None)
    number = len(links[0])
    if not number:
        return None
    for earlier, current in pairs:
        if earlier == person:
            continue
        one, other = then[links[1], earlier], now[links[0], current]
        chance = _agreeing(one, other) / number**2
        agree = int((one == other).sum())
        if agree - number * chance >= BEYOND * sqrt(max(number * chance * (1 - chance), 1.0)):
            return links
    telling = not likeness.columns[likeness.person].numbers_rows
    return links if telling and number >= MOST * min(len(now), len(then)) else None


def words_of(cells: Cells, pairs: Pairs) -> Words:
    """A word for each record of a sketch, as :meth:`PeopleLikeness.words` has it for those now."""
    words = np.zeros(len(cells), dtype=np.uint64)
    for earlier, now in pairs:
        words += mixed(cells[:, earlier], now)
    return words


_NOBODY: Links = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def _shorter(pairs: Pairs, n_records: int) -> Iterator[Pairs]:
    """The columns less one, then less two, at least two of them."""
    looks = 0
    for out in (1, 2):
        for some in combinations(pairs, len(pairs) - out) if len(pairs) - out >= 2 else ():
            looks += n_records
            if looks > MOST_LOOKS:
                return
            yield some


def _alike(now: Words, then: Words, full: tuple[Words, Words] | None) -> Links:
    """Records of the same word: one on each side, or several alike in ``full``, as many as both have."""
    sides = []
    for words, whole in zip((now, then), (None, None) if full is None else full, strict=True):
        order = np.argsort(words, kind="stable")
        found, starts, counts = np.unique(words[order], return_index=True, return_counts=True)
        sure = counts == 1
        if whole is not None and len(starts):
            held = whole[order]
            sure = np.minimum.reduceat(held, starts) == np.maximum.reduceat(held, starts)
        sides.append((order, found, starts, counts, sure))
    _, one, other = np.intersect1d(sides[0][1], sides[1][1], assume_unique=True, return_indices=True)
    sure = sides[0][4][one] & sides[1][4][other]
    one, other = one[sure], other[sure]
    number = np.minimum(sides[0][3][one], sides[1][3][other])
    rank = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    first, second = (
        order[np.repeat(starts[chosen], number) + rank]
        for (order, _, starts, _, _), chosen in zip(sides, (one, other), strict=True)
    )
    return first, second


def _agreeing(one: Cells, other: Cells) -> int:
    """How many pairs of a cell of one column and a cell of the other are equal."""
    values, counts = np.unique(one, return_counts=True)
    others, theirs = np.unique(other, return_counts=True)
    _, mine, yours = np.intersect1d(values, others, assume_unique=True, return_indices=True)
    return int((counts[mine] * theirs[yours]).sum())
