"""Groups of pairwise compatible members, built greedily from classes with counts.

Members of a class are alike: each holds a value and has values it may not take. Two members are
compatible when each may take the other's value and their values do not conflict. Groups are built
one after the other; while one grows, the members still compatible with all of it are kept counted
by value, and so are those among them that may not take a given value.

How many members are compatible with a group and one more class j of value v is then
Σ over the values s outside away(j) of ``total[s] − refusing[s, v]``, where away(j) are the values
that conflict with v or that j may not take: a candidate costs as much as its own set is long.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tacit.arrays.bitmaps import inverted
from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.random.keyed import absorb, finish, start
from tacit.typing import Bools, Codes, Counts, Offsets, Words

BALANCED, FEWEST_LOST = 0, 1
"""How a group grows; see :func:`compatible_groups`."""

_POLL = 1023
_LAST = np.uint64(8 << 56)
_HALF = np.uint64(32)


class Kinds(NamedTuple):
    """What does not change: the classes, and lists over them in CSR form."""

    values: Codes
    conflict_ends: Offsets  # per value, the values it conflicts with, itself included
    conflicts: Codes
    forbidden_ends: Offsets  # per class, the values it may not take
    forbidden: Codes
    further_ends: Offsets  # those of them that do not conflict with its own value
    further: Codes
    refuser_ends: Offsets  # per value, the classes that may not take it
    refusers: Codes
    holder_ends: Offsets  # per value, the classes that hold it
    holders: Codes
    column: Counts  # per value, its column below; 0, which stays empty, where nobody refuses it
    barred_ends: Offsets  # per class, the columns of the values it may not take
    barred: Counts


class Tally(NamedTuple):
    """Members counted: by value, by value and what they may not take, and by what they may not take."""

    total: Counts
    refusing: Counts
    refusals: Counts


class Rest(NamedTuple):
    """Who is in no group yet."""

    counts: Counts  # members per class
    left_over: Counts  # per class, members that no group was found for
    conflicting: Counts  # per value that has members, how many may take it and yet conflict with it


class Marks(NamedTuple):
    """What a growing group has taken out of the tally."""

    closed: Bools  # per value: all its members
    touched: Bools  # per value: some of its members
    removed: Counts  # per class: the number of the group that took it out


def compatible_groups(
    size: int, way: int, counts: Counts, kinds: Kinds, subkey: Words, flag: Flag
) -> tuple[Codes, Counts]:
    """As many groups of ``size`` members as the greedy finds: (classes of all groups, left over per class).

    ``FEWEST_LOST`` starts a group with the class that the fewest members are compatible with and
    adds the class that leaves the most members compatible; the smaller number wins a tie.
    ``BALANCED`` starts with the value that can spare the fewest partners (where nothing is forbidden,
    the value that has the most members) and goes on with the values that have the most compatible
    members, unless a value can spare none; members are drawn.
    """
    n_classes, n_values = len(kinds.values), len(kinds.column)
    counts, left_over = counts.copy(), np.zeros(n_classes, dtype=np.int64)
    remaining = int(counts.sum())
    every = tally(kinds, counts)
    still = Tally(every.total.copy(), every.refusing.copy(), every.refusals.copy())
    closed, touched = np.zeros((2, n_values), dtype=np.bool_)
    marks = Marks(closed, touched, np.full(n_classes, -1, dtype=np.int64))
    groups = np.empty(remaining, dtype=np.int32)
    rest = Rest(counts, left_over, conflicting(every, kinds))
    if way == BALANCED:
        spare, stream = np.empty(n_values, dtype=np.int64), np.zeros(1, dtype=np.uint64)
        end = _grow_balanced(
            size, remaining, groups, rest, every, still, kinds, marks, spare, subkey, stream, flag
        )
    else:
        end = _grow_keeping_most(size, remaining, groups, rest, every, still, kinds, marks, flag)
    return groups[:end], left_over + counts


def make_kinds(
    values: Codes,
    conflict_ends: Offsets,
    conflicts: Codes,
    forbidden_ends: Offsets,
    forbidden: Codes,
    further_ends: Offsets,
    further: Codes,
) -> Kinds:
    """The classes with all their lists."""
    n_classes, n_values = len(values), len(conflict_ends) - 1
    refuser_ends, refusers = inverted(forbidden_ends, forbidden, n_values)
    holder_ends, holders = inverted(np.arange(n_classes + 1), values, n_values)
    column = _columns(refuser_ends, refusers)
    width = int(column.max(initial=0)) + 1
    barring = np.repeat(np.arange(n_classes), np.diff(forbidden_ends))
    pairs = np.unique(barring * width + column[forbidden])  # class, column
    barred_ends = np.searchsorted(pairs, np.arange(n_classes + 1) * width)
    return Kinds(
        values, conflict_ends, conflicts, forbidden_ends, forbidden, further_ends, further, refuser_ends,
        refusers, holder_ends, holders, column, barred_ends, pairs % width,
    )  # fmt: skip


def _columns(refuser_ends: Offsets, refusers: Codes) -> Counts:
    """Per value, a number from 1 for who refuses it, 0 where nobody does.

    Values that the same classes refuse share a column: all that have a refused value of one of several
    sensitive attributes do, and they may be thousands.
    """
    found = {b"": 0}
    lists = (refusers[first:end].tobytes() for first, end in pairwise(refuser_ends.tolist()))
    return np.array([found.setdefault(classes, len(found)) for classes in lists], dtype=np.int64)


def tally(kinds: Kinds, counts: Counts) -> Tally:
    """So many members of each class, counted."""
    n_values, width = len(kinds.column), int(kinds.column.max(initial=0)) + 1
    total, refusing = np.zeros(n_values, dtype=np.int64), np.zeros((n_values, width), dtype=np.int64)
    np.add.at(total, kinds.values, counts)
    barred = np.repeat(np.arange(len(counts)), np.diff(kinds.barred_ends))
    np.add.at(refusing, (kinds.values[barred], kinds.barred), counts[barred])
    return Tally(total, refusing, refusing.sum(axis=0))


def conflicting(every: Tally, kinds: Kinds) -> Counts:
    """Per value that has members, how many may take it and yet conflict with it.

    Summed up once and kept up to date after: with several sensitive attributes a value may conflict
    with most others, and every group asks for all values.
    """
    value = np.repeat(np.arange(len(kinds.column)), np.diff(kinds.conflict_ends))
    willing = every.total[kinds.conflicts] - every.refusing[kinds.conflicts, kinds.column[value]]
    found = np.zeros(len(kinds.column), dtype=np.int64)
    np.add.at(found, value, willing)
    return np.where(every.total > 0, found, 0)


@kernel
def _grow_balanced(
    size: int,
    remaining: int,
    groups: Codes,
    rest: Rest,
    every: Tally,
    still: Tally,
    kinds: Kinds,
    marks: Marks,
    spare: Counts,
    subkey: Words,
    stream: Words,
    flag: Flag,
) -> int:
    """Write the groups one after the other; where they end."""
    end, turn = 0, -1
    while remaining >= size:
        turn += 1
        if turn & _POLL == 0 and flag[0]:
            break
        _fill_spare(size, remaining, every, kinds, rest.conflicting, spare)
        n_members = 0
        while n_members < size:
            if n_members > 0:
                _take_out(groups[end + n_members - 1], rest.counts, still, kinds, marks, turn)
            member = _next_member(
                n_members == 0, rest.counts, still, kinds, marks, turn, spare, subkey, stream
            )
            if member < 0:
                break
            groups[end + n_members] = member
            n_members += 1
        settled = _settle(n_members, size, end, groups, rest, every, still, kinds, marks)
        remaining -= settled
        end += size if n_members == size else 0
    return end


@kernel
def _grow_keeping_most(
    size: int,
    remaining: int,
    groups: Codes,
    rest: Rest,
    every: Tally,
    still: Tally,
    kinds: Kinds,
    marks: Marks,
    flag: Flag,
) -> int:
    """Write the groups one after the other; where they end."""
    end, turn = 0, -1
    while remaining >= size:
        turn += 1
        if turn & _POLL == 0 and flag[0]:
            break
        groups[end] = _fewest_fit(rest.counts, remaining, still, kinds)
        n_members, inside = 1, remaining
        while n_members < size:
            inside -= _take_out(groups[end + n_members - 1], rest.counts, still, kinds, marks, turn)
            member = _keeping_most(rest.counts, inside, still, kinds, marks, turn)
            if member < 0:
                break
            groups[end + n_members] = member
            n_members += 1
        settled = _settle(n_members, size, end, groups, rest, every, still, kinds, marks)
        remaining -= settled
        end += size if n_members == size else 0
    return end


@kernel
def _settle(
    n_members: int,
    size: int,
    first: int,
    groups: Codes,
    rest: Rest,
    every: Tally,
    still: Tally,
    kinds: Kinds,
    marks: Marks,
) -> int:
    """Take a whole group out of the rest, or its first member where it did not become whole; how many."""
    if n_members < size:
        rest.left_over[groups[first]] += 1
        n_members = 1
    for number in range(n_members):
        kind = groups[first + number]
        rest.counts[kind] -= 1
        _change(every, kinds, kind, -1)
        _leave(rest.conflicting, kinds, kind)
        marks.touched[kinds.values[kind]] = True
    _restore(still, every, marks)
    return n_members


@kernel
def _fewest_fit(counts: Counts, remaining: int, still: Tally, kinds: Kinds) -> int:
    """The class that the fewest remaining members are compatible with."""
    first, fewest = -1, 0
    for kind in range(len(counts)):
        if counts[kind] == 0:
            continue
        fit = _open_to_value(kinds.values[kind], remaining, still, kinds) - _lost_to(kind, still, kinds)
        if first < 0 or fit < fewest:
            first, fewest = kind, fit
    return first


@kernel
def _fill_spare(
    size: int, remaining: int, every: Tally, kinds: Kinds, conflicting: Counts, spare: Counts
) -> None:
    """Per value, how many more members could join its own than they need to fill their groups."""
    for value in range(len(spare)):
        open_to = remaining - every.refusals[kinds.column[value]] - conflicting[value]
        spare[value] = open_to - (size - 1) * every.total[value]


@kernel
def _leave(conflicting: Counts, kinds: Kinds, kind: int) -> None:
    """Take a member of a class out of the counts of those that conflict with each value."""
    value = kinds.values[kind]
    for place in range(kinds.conflict_ends[value], kinds.conflict_ends[value + 1]):
        conflicting[kinds.conflicts[place]] -= 1
    at = kinds.further_ends[kind]
    for place in range(kinds.forbidden_ends[kind], kinds.forbidden_ends[kind + 1]):
        if at < kinds.further_ends[kind + 1] and kinds.further[at] == kinds.forbidden[place]:
            at += 1  # both lists ascend
        else:
            conflicting[kinds.forbidden[place]] += 1  # it conflicts, and was not counted: refused


@kernel
def _keeping_most(counts: Counts, inside: int, still: Tally, kinds: Kinds, marks: Marks, turn: int) -> int:
    """The compatible class that leaves the most members compatible; -1 where none is compatible."""
    best, most = -1, -1
    for value in range(len(marks.closed)):
        if marks.closed[value] or still.total[value] == 0:
            continue
        base = _open_to_value(value, inside, still, kinds)
        if base < most:
            continue  # what a class may not take only lessens it
        for at in range(kinds.holder_ends[value], kinds.holder_ends[value + 1]):
            kind = kinds.holders[at]
            if counts[kind] == 0 or marks.removed[kind] == turn:
                continue
            fit = base - _lost_to(kind, still, kinds)
            if fit > most or (fit == most and kind < best):
                best, most = kind, fit
    return best


@kernel
def _next_member(
    first: bool,
    counts: Counts,
    still: Tally,
    kinds: Kinds,
    marks: Marks,
    turn: int,
    spare: Counts,
    subkey: Words,
    stream: Words,
) -> int:
    """A member that is compatible with the group so far; -1 where there is none.

    It comes from the value that can spare the fewest, if it is the first or they may not suffice,
    otherwise from the value with the most compatible members. Ties and the member itself are drawn.
    """
    scarcest, most, scarcest_ties, most_ties = -1, -1, 0, 0
    for value in range(len(spare)):
        if marks.closed[value] or still.total[value] == 0:
            continue
        if scarcest < 0 or spare[value] <= spare[scarcest]:
            scarcest_ties = scarcest_ties + 1 if scarcest >= 0 and spare[value] == spare[scarcest] else 1
            if scarcest_ties == 1 or _below(scarcest_ties, subkey, stream) == 0:
                scarcest = value
        if most < 0 or still.total[value] >= still.total[most]:
            most_ties = most_ties + 1 if most >= 0 and still.total[value] == still.total[most] else 1
            if most_ties == 1 or _below(most_ties, subkey, stream) == 0:
                most = value
    if scarcest < 0:
        return -1
    chosen = scarcest if first or spare[scarcest] <= 0 else most
    skip = _below(still.total[chosen], subkey, stream)
    for at in range(kinds.holder_ends[chosen], kinds.holder_ends[chosen + 1]):
        kind = kinds.holders[at]
        if marks.removed[kind] != turn:
            skip -= counts[kind]
            if skip < 0:
                return int(kind)
    return -1


@kernel
def _below(bound: int, subkey: Words, stream: Words) -> int:
    """The next number of the keyed stream, from 0 to bound - 1."""
    stream[0] += np.uint64(1)
    draw = finish(absorb(start(subkey[0], subkey[1]), stream[0]), _LAST)
    return int(((draw >> _HALF) * np.uint64(bound)) >> _HALF)


@kernel
def _open_to_value(value: int, members: int, still: Tally, kinds: Kinds) -> int:
    """Of so many members, those that may take a value and do not conflict with it."""
    at = kinds.column[value]
    fit = members - still.refusals[at]
    for place in range(kinds.conflict_ends[value], kinds.conflict_ends[value + 1]):
        fit -= still.total[kinds.conflicts[place]] - still.refusing[kinds.conflicts[place], at]
    return int(fit)


@kernel
def _lost_to(kind: int, still: Tally, kinds: Kinds) -> int:
    """How many of them hold a value that the class may not take."""
    at = kinds.column[kinds.values[kind]]
    lost = 0
    for place in range(kinds.further_ends[kind], kinds.further_ends[kind + 1]):
        lost += still.total[kinds.further[place]] - still.refusing[kinds.further[place], at]
    return int(lost)


@kernel
def _change(tally: Tally, kinds: Kinds, kind: int, by: int) -> None:
    """Count ``by`` more members of a class."""
    value = kinds.values[kind]
    tally.total[value] += by
    for place in range(kinds.barred_ends[kind], kinds.barred_ends[kind + 1]):
        column = kinds.barred[place]
        tally.refusing[value, column] += by
        tally.refusals[column] += by


@kernel
def _take_out(kind: int, counts: Counts, still: Tally, kinds: Kinds, marks: Marks, turn: int) -> int:
    """Take all members that are incompatible with a class out of the tally; how many they are."""
    value = kinds.values[kind]
    gone = 0
    for place in range(kinds.conflict_ends[value], kinds.conflict_ends[value + 1]):
        gone += _close(kinds.conflicts[place], still, marks)
    for place in range(kinds.further_ends[kind], kinds.further_ends[kind + 1]):
        gone += _close(kinds.further[place], still, marks)
    for place in range(kinds.refuser_ends[value], kinds.refuser_ends[value + 1]):
        other = kinds.refusers[place]
        if counts[other] > 0 and marks.removed[other] != turn and not marks.closed[kinds.values[other]]:
            marks.removed[other] = turn
            marks.touched[kinds.values[other]] = True
            gone += counts[other]
            _change(still, kinds, other, -counts[other])
    return int(gone)


@kernel
def _close(value: int, still: Tally, marks: Marks) -> int:
    """Take all members that hold a value out of the tally; how many they are."""
    if marks.closed[value]:
        return 0
    marks.closed[value] = True
    marks.touched[value] = True
    gone = int(still.total[value])
    still.total[value] = 0
    for column in range(len(still.refusals)):
        still.refusals[column] -= still.refusing[value, column]
        still.refusing[value, column] = 0
    return gone


@kernel
def _restore(still: Tally, every: Tally, marks: Marks) -> None:
    """Set the tally back to all remaining members."""
    for value in range(len(marks.closed)):
        if marks.touched[value]:
            still.total[value] = every.total[value]
            for column in range(len(every.refusals)):
                still.refusing[value, column] = every.refusing[value, column]
            marks.touched[value] = False
            marks.closed[value] = False
    for column in range(len(every.refusals)):
        still.refusals[column] = every.refusals[column]
