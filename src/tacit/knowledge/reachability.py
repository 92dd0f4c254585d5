"""Which values of a group can change hands: strongly connected values, and the values each member may get.

Members of a group each hold one value and have a set of values they may not take. The identity is
one way to hand the values out, so a member may get another value in *some* way of handing all of
them out exactly when that edge lies on an alternating cycle. Collapsed to the group's distinct
values, with an edge s → s' where a member that holds s may take s', this says: a member that holds
s may get s' exactly when it may take s' and both lie in one strongly connected component.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.arrays.masks import has, put
from tacit.typing import Bools, Codes, Offsets, Words

_POLL = 4095


@kernel
def close(adjacency: Words, nodes: int) -> None:
    """Turn edges into strongly connected components, in place: row u becomes the component of u."""
    width = adjacency.shape[1]
    for node in range(nodes):
        put(adjacency, node, node)
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


@kernel
def collapse(
    members: Codes,
    first: int,
    end: int,
    values: Codes,
    forbidden: Words,
    place: Codes,
    own: Codes,
    components: Words,
) -> tuple[int, bool]:
    """The distinct values of a group and their components; (how many, whether nobody is restricted).

    Fills ``own`` with the values, ``components`` with a row per value, and ``place`` (-1 elsewhere)
    with the position of each value in ``own``; the caller sets ``place`` back.
    """
    n_own = 0
    for at in range(first, end):
        value = values[members[at]]
        if place[value] < 0:
            place[value] = n_own
            own[n_own] = value
            n_own += 1
    free = True
    for node in range(n_own):
        components[node, :] = 0
    for at in range(first, end):
        member = members[at]
        node = place[values[member]]
        for other in range(n_own):
            if has(forbidden, member, own[other]):
                free = False
            else:
                put(components, node, other)
    if not free:
        close(components, n_own)
    return n_own, free


@kernel
def largest_group(offsets: Offsets) -> int:
    """The size of the largest group."""
    largest = 0
    for group in range(len(offsets) - 1):
        largest = max(largest, offsets[group + 1] - offsets[group])
    return largest


@kernel
def valid_counts(
    offsets: Offsets, members: Codes, values: Codes, forbidden: Words, parts: Codes, flag: Flag
) -> Codes:
    """How many values each member of each group may get; with several parts, of the part with fewest.

    Group g is ``members[offsets[g] : offsets[g + 1]]``; member class m holds ``values[m]`` and may
    not take the mask ``forbidden[m]``. A value has one code per part, ``parts[value]``; what counts
    is the number of distinct codes among the values a member may get.
    """
    n_values, n_parts = parts.shape
    most = min(n_values, largest_group(offsets))
    place = np.full(n_values, -1, dtype=np.int32)
    own = np.empty(most, dtype=np.int32)
    components = np.zeros((most, (most + 63) // 64), dtype=np.uint64)
    last_seen = np.full((n_parts, _most_code(parts) + 1), -1, dtype=np.int64)
    result = np.zeros(len(members), dtype=np.int32)
    for group in range(len(offsets) - 1):
        if group & _POLL == 0 and flag[0]:
            return result
        first, end = offsets[group], offsets[group + 1]
        n_own, _ = collapse(members, first, end, values, forbidden, place, own, components)
        for at in range(first, end):
            fewest = n_own
            node = place[values[members[at]]]
            for part in range(n_parts):
                count = 0
                for other in range(n_own):
                    value = own[other]
                    if not has(components, node, other) or has(forbidden, members[at], value):
                        continue
                    if last_seen[part, parts[value, part]] != at:
                        last_seen[part, parts[value, part]] = at
                        count += 1
                fewest = min(fewest, count)
            result[at] = fewest
        for node in range(n_own):
            place[own[node]] = -1
    return result


@kernel
def _most_code(parts: Codes) -> int:
    most = 0
    for value in range(parts.shape[0]):
        for part in range(parts.shape[1]):
            most = max(most, parts[value, part])
    return most


@kernel
def valid_marks(members: Codes, values: Codes, forbidden: Words, n_values: int) -> Bools:
    """For one group, which values each of its members may get."""
    most = min(n_values, len(members))
    place = np.full(n_values, -1, dtype=np.int32)
    own = np.empty(most, dtype=np.int32)
    components = np.zeros((most, (most + 63) // 64), dtype=np.uint64)
    n_own, _ = collapse(members, 0, len(members), values, forbidden, place, own, components)
    marks = np.zeros((len(members), n_values), dtype=np.bool_)
    for at in range(len(members)):
        for other in range(n_own):
            if has(components, place[values[members[at]]], other):
                marks[at, own[other]] = not has(forbidden, members[at], own[other])
    return marks
