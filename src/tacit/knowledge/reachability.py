"""Which values of a group can change hands: strongly connected values, and the values each member may get.

Members of a group each hold one value and have a set of values they may not take. The identity is
one way to hand the values out, so a member may get another value in *some* way of handing all of
them out exactly when that edge lies on an alternating cycle. Collapsed to the group's distinct
values, with an edge s → s' where a member that holds s may take s', this says: a member that holds
s may get s' exactly when it may take s' and both lie in one strongly connected component.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.bitmaps import has, put, size, unpack
from tacit.arrays.compiled import Flag, kernel
from tacit.typing import Bools, Codes, Counts, Offsets, Words

_POLL = 4095
_NONE = np.uint64(0)
MANY = 1 << 31
"""More values than there are."""


@kernel
def _is_whole(adjacency: Words, nodes: int) -> bool:
    """Whether a node that all lead to leads to one that leads to all: then all are one component.

    Where few values are forbidden to few, that is so, and costs no more than reading the edges once.
    """
    width = adjacency.shape[1]
    common, leading = adjacency[:1].copy(), np.zeros((1, width), dtype=np.uint64)
    for node in range(nodes):
        for word in range(width):
            common[0, word] &= adjacency[node, word]
        if size(adjacency, node) == nodes:
            put(leading, 0, node)
    for node in range(nodes):
        if has(common, 0, node):
            for word in range(width):
                if adjacency[node, word] & leading[0, word]:
                    return True
    return False


@kernel
def _fill(masks: Words, row: int, members: int) -> None:
    """Give the mask of a row the first so many members."""
    for word in range(masks.shape[1]):
        left = members - 64 * word
        masks[row, word] = ~_NONE if left >= 64 else (np.uint64(1) << np.uint64(max(left, 0))) - np.uint64(1)


@kernel
def close(adjacency: Words, nodes: int) -> None:
    """Turn edges into strongly connected components, in place: row u becomes the component of u."""
    width = adjacency.shape[1]
    for node in range(nodes):
        put(adjacency, node, node)
    if _is_whole(adjacency, nodes):
        for node in range(nodes):
            _fill(adjacency, node, nodes)
        return
    for middle in range(nodes):
        for node in range(nodes):
            if node != middle and has(adjacency, node, middle):
                for word in range(width):
                    adjacency[node, word] |= adjacency[middle, word]
    # Mutual reachability; a pair is looked at once, so that both directions are still there.
    for node in range(nodes):
        for other in range(node):
            forth, back = has(adjacency, node, other), has(adjacency, other, node)
            if forth != back:
                adjacency[node, other >> 6] &= ~(np.uint64(1) << np.uint64(other & 63))
                adjacency[other, node >> 6] &= ~(np.uint64(1) << np.uint64(node & 63))


class Members(NamedTuple):
    """Who is in the groups: ``members`` by class, which holds ``values`` and may not take ``forbidden``."""

    members: Codes
    values: Codes
    forbidden: Words


class Room(NamedTuple):
    """What a group is collapsed in."""

    place: Codes
    own: Codes
    components: Words


@kernel
def collapse(first: int, end: int, who: Members, room: Room) -> tuple[int, bool]:
    """The distinct values of a group and their components; (how many, whether nobody is restricted).

    Fills ``own`` with the values, ``components`` with a row per value, and ``place`` (-1 elsewhere)
    with the position of each value in ``own``; the caller sets ``place`` back.
    """
    place, own, components = room.place, room.own, room.components
    n_own = 0
    for at in range(first, end):
        value = who.values[who.members[at]]
        if place[value] < 0:
            place[value] = n_own
            own[n_own] = value
            n_own += 1
    free = True
    width = components.shape[1]
    for node in range(n_own):
        for word in range(width):
            components[node, word] = 0
    for at in range(first, end):
        member = who.members[at]
        node = place[who.values[member]]
        if size(who.forbidden, member) == 0:
            _fill(components, node, n_own)
            continue
        for other in range(n_own):
            if has(who.forbidden, member, own[other]):
                free = False
            else:
                put(components, node, other)
    if not free:
        close(components, n_own)
    return n_own, free


def new_room(offsets: Offsets, n_values: int) -> Room:
    """Room for the largest of the groups."""
    most = min(n_values, int(np.diff(offsets).max(initial=0)))
    return Room(
        place=np.full(n_values, -1, dtype=np.int32),
        own=np.empty(most, dtype=np.int32),
        components=np.zeros((most, (most + 63) // 64), dtype=np.uint64),
    )


def valid_counts(
    offsets: Offsets,
    members: Codes,
    values: Codes,
    forbidden: Words,
    parts: Codes,
    flag: Flag,
    *,
    enough: int = MANY,
) -> Codes:
    """How many values each member of each group may get; with several parts, of the part with fewest.

    Group g is ``members[offsets[g] : offsets[g + 1]]``; member class m holds ``values[m]`` and may
    not take the mask ``forbidden[m]``. A value has one code per part, ``parts[value]``; what counts
    is the number of distinct codes among the values a member may get. No more than ``enough`` are counted.
    """
    n_values, n_parts = parts.shape
    last_seen = np.full((n_parts, int(parts.max(initial=0)) + 1), -1, dtype=np.int64)
    result = np.zeros(len(members), dtype=np.int32)
    room = new_room(offsets, n_values)
    _count_valid(offsets, Members(members, values, forbidden), parts, room, last_seen, enough, result, flag)
    return result


@kernel
def _count_valid(
    offsets: Offsets,
    who: Members,
    parts: Codes,
    room: Room,
    last_seen: Counts,
    enough: int,
    result: Codes,
    flag: Flag,
) -> None:
    for group in range(len(offsets) - 1):
        if group & _POLL == 0 and flag[0]:
            return
        first, end = offsets[group], offsets[group + 1]
        n_own, _ = collapse(first, end, who, room)
        for at in range(first, end):
            fewest = min(n_own, enough)
            member = who.members[at]
            node = room.place[who.values[member]]
            for part in range(parts.shape[1]):
                count = 0
                for other in range(n_own):
                    value = room.own[other]
                    if not has(room.components, node, other) or has(who.forbidden, member, value):
                        continue
                    if last_seen[part, parts[value, part]] != at:
                        last_seen[part, parts[value, part]] = at
                        count += 1
                        if count == enough:
                            break
                fewest = count if count < fewest else fewest
            result[at] = fewest
        for node in range(n_own):
            room.place[room.own[node]] = -1


def valid_marks(members: Codes, values: Codes, forbidden: Words, n_values: int) -> Bools:
    """For one group, which values each of its members may get."""
    room = new_room(np.array([0, len(members)]), n_values)
    n_own, _ = collapse(0, len(members), Members(members, values, forbidden), room)
    own = room.own[:n_own]
    joined = unpack(room.components[:n_own], n_own)[room.place[values[members]]]
    marks = np.zeros((len(members), n_values), dtype=np.bool_)
    marks[:, own] = joined & ~unpack(forbidden[members], n_values)[:, own]
    return marks
