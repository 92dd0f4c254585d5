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

from tacit.arrays.compiled import Flag, kernel
from tacit.arrays.groups import inverted
from tacit.random.keyed import absorb, finish, start
from tacit.typing import Bools, Codes, Counts, Offsets, Words

BALANCED, FEWEST_LOST = 0, 1
"""How a group grows; see :func:`compatible_groups`."""

Lists = tuple[Offsets, Codes]
"""Lists in a row: where each begins, and their members."""
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


class State(NamedTuple):
    """The classes, who is in no group yet, and what a growing group has taken out of their tally."""

    kinds: Kinds
    counts: Counts  # members per class
    left_over: Counts  # per class, members that no group was found for
    conflicting: Counts  # per value that has members, how many may take it and yet conflict with it
    spare: Counts  # per value, how many more members could join its own than they need
    every: Tally  # all who are in no group
    still: Tally  # those of them who are compatible with the growing group
    closed: Bools  # per value: all its members are taken out
    touched: Bools  # per value: some of them are
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
    every = tally(kinds, counts)
    still = Tally(every.total.copy(), every.refusing.copy(), every.refusals.copy())
    closed, touched = np.zeros((2, n_values), dtype=np.bool_)
    removed, spare = np.full(n_classes, -1, dtype=np.int64), np.zeros(n_values, dtype=np.int64)
    conflicts = conflicting(every, kinds)
    state = State(kinds, counts, left_over, conflicts, spare, every, still, closed, touched, removed)
    groups, stream = np.empty(int(counts.sum()), dtype=np.int32), np.zeros(1, dtype=np.uint64)
    end = _grow(size, way, groups, state, subkey, stream, flag)
    return groups[:end], left_over + counts


def make_kinds(values: Codes, conflicts: Lists, forbidden_lists: Lists, further: Lists) -> Kinds:
    """The classes with all their lists: of conflicts per value, of what each may not take per class."""
    n_classes, n_values = len(values), len(conflicts[0]) - 1
    forbidden_ends, forbidden = forbidden_lists
    refuser_ends, refusers = inverted(forbidden_ends, forbidden, n_values)
    holder_ends, holders = inverted(np.arange(n_classes + 1), values, n_values)
    column = _columns(refuser_ends, refusers)
    width = int(column.max(initial=0)) + 1
    barring = np.repeat(np.arange(n_classes), np.diff(forbidden_ends))
    pairs = np.unique(barring * width + column[forbidden])  # class, column
    barred_ends = np.searchsorted(pairs, np.arange(n_classes + 1) * width)
    refusing, holding = (refuser_ends, refusers), (holder_ends, holders)
    lists = (*conflicts, *forbidden_lists, *further, *refusing, *holding)
    return Kinds(values, *lists, column, barred_ends, pairs % width)


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
def _grow(size: int, way: int, groups: Codes, state: State, subkey: Words, stream: Words, flag: Flag) -> int:
    """Write the groups one after the other; where they end."""
    remaining, end, turn = len(groups), 0, -1
    while remaining >= size:
        turn += 1
        if turn & _POLL == 0 and flag[0]:
            break
        if way == BALANCED:
            _fill_spare(size, remaining, state)
        n_members, inside = 0, remaining
        while n_members < size:
            if n_members > 0:
                inside -= _take_out(groups[end + n_members - 1], state, turn)
            if way == BALANCED:
                member = _next_member(n_members == 0, state, turn, subkey, stream)
            elif n_members == 0:
                member = _fewest_fit(remaining, state)
            else:
                member = _keeping_most(inside, state, turn)
            if member < 0:
                break
            groups[end + n_members] = member
            n_members += 1
        remaining -= _settle(n_members, size, end, groups, state)
        end += size if n_members == size else 0
    return end


@kernel
def _settle(n_members: int, size: int, first: int, groups: Codes, state: State) -> int:
    """Take a whole group out of the rest, or its first member where it did not become whole; how many."""
    if n_members < size:
        state.left_over[groups[first]] += 1
        n_members = 1
    for number in range(n_members):
        kind = groups[first + number]
        state.counts[kind] -= 1
        _change(state.every, state.kinds, kind, -1)
        _leave(state.conflicting, state.kinds, kind)
        state.touched[state.kinds.values[kind]] = True
    _restore(state)
    return n_members


@kernel
def _fewest_fit(remaining: int, state: State) -> int:
    """The class that the fewest remaining members are compatible with."""
    kinds, still = state.kinds, state.still
    first, fewest = -1, 0
    for kind in range(len(state.counts)):
        if state.counts[kind] == 0:
            continue
        fit = _open_to_value(kinds.values[kind], remaining, still, kinds) - _lost_to(kind, still, kinds)
        if first < 0 or fit < fewest:
            first, fewest = kind, fit
    return first


@kernel
def _fill_spare(size: int, remaining: int, state: State) -> None:
    """Per value, how many more members could join its own than they need to fill their groups."""
    every = state.every
    for value in range(len(state.spare)):
        open_to = remaining - every.refusals[state.kinds.column[value]] - state.conflicting[value]
        state.spare[value] = open_to - (size - 1) * every.total[value]


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
def _keeping_most(inside: int, state: State, turn: int) -> int:
    """The compatible class that leaves the most members compatible; -1 where none is compatible."""
    kinds, still = state.kinds, state.still
    best, most = -1, -1
    for value in range(len(state.closed)):
        if state.closed[value] or still.total[value] == 0:
            continue
        base = _open_to_value(value, inside, still, kinds)
        if base < most:
            continue  # what a class may not take only lessens it
        for at in range(kinds.holder_ends[value], kinds.holder_ends[value + 1]):
            kind = kinds.holders[at]
            if state.counts[kind] == 0 or state.removed[kind] == turn:
                continue
            fit = base - _lost_to(kind, still, kinds)
            if fit > most or (fit == most and kind < best):
                best, most = kind, fit
    return best


@kernel
def _next_member(first: bool, state: State, turn: int, subkey: Words, stream: Words) -> int:
    """A member that is compatible with the group so far; -1 where there is none.

    It comes from the value that can spare the fewest, if it is the first or they may not suffice,
    otherwise from the value with the most compatible members. Ties and the member itself are drawn.
    """
    kinds, total, spare = state.kinds, state.still.total, state.spare
    scarcest, most, scarcest_ties, most_ties = -1, -1, 0, 0
    for value in range(len(spare)):
        if state.closed[value] or total[value] == 0:
            continue
        if scarcest < 0 or spare[value] <= spare[scarcest]:
            scarcest_ties = scarcest_ties + 1 if scarcest >= 0 and spare[value] == spare[scarcest] else 1
            if scarcest_ties == 1 or _below(scarcest_ties, subkey, stream) == 0:
                scarcest = value
        if most < 0 or total[value] >= total[most]:
            most_ties = most_ties + 1 if most >= 0 and total[value] == total[most] else 1
            if most_ties == 1 or _below(most_ties, subkey, stream) == 0:
                most = value
    if scarcest < 0:
        return -1
    chosen = scarcest if first or spare[scarcest] <= 0 else most
    skip = _below(total[chosen], subkey, stream)
    for at in range(kinds.holder_ends[chosen], kinds.holder_ends[chosen + 1]):
        kind = kinds.holders[at]
        if state.removed[kind] != turn:
            skip -= state.counts[kind]
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
def _take_out(kind: int, state: State, turn: int) -> int:
    """Take all members that are incompatible with a class out of the tally; how many they are."""
    kinds, counts = state.kinds, state.counts
    value = kinds.values[kind]
    gone = 0
    for place in range(kinds.conflict_ends[value], kinds.conflict_ends[value + 1]):
        gone += _close(kinds.conflicts[place], state)
    for place in range(kinds.further_ends[kind], kinds.further_ends[kind + 1]):
        gone += _close(kinds.further[place], state)
    for place in range(kinds.refuser_ends[value], kinds.refuser_ends[value + 1]):
        other = kinds.refusers[place]
        if counts[other] > 0 and state.removed[other] != turn and not state.closed[kinds.values[other]]:
            state.removed[other] = turn
            state.touched[kinds.values[other]] = True
            gone += counts[other]
            _change(state.still, kinds, other, -counts[other])
    return int(gone)


@kernel
def _close(value: int, state: State) -> int:
    """Take all members that hold a value out of the tally; how many they are."""
    if state.closed[value]:
        return 0
    still = state.still
    state.closed[value] = True
    state.touched[value] = True
    gone = int(still.total[value])
    still.total[value] = 0
    for column in range(len(still.refusals)):
        still.refusals[column] -= still.refusing[value, column]
        still.refusing[value, column] = 0
    return gone


@kernel
def _restore(state: State) -> None:
    """Set the tally back to all remaining members."""
    still, every = state.still, state.every
    for value in range(len(state.closed)):
        if state.touched[value]:
            still.total[value] = every.total[value]
            for column in range(len(every.refusals)):
                still.refusing[value, column] = every.refusing[value, column]
            state.touched[value] = False
            state.closed[value] = False
    for column in range(len(every.refusals)):
        still.refusals[column] = every.refusals[column]
