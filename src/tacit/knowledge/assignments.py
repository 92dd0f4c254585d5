"""How likely each member of a group is to have each value, when every way of handing them out counts alike.

A way hands the group's values to its members one to one, nobody taking what it may not. Ways never
cross strongly connected components (:mod:`tacit.knowledge.reachability`), so each component is
counted by itself: tokens (one per member, valued) are handed out one after the other to classes of
members that may take the same values, and a state is how many members of each class still wait.

Up to 20 members the ways are counted in 64-bit whole numbers (20! fits, 21! does not), more in floating
point (:mod:`tacit.knowledge.assignment_counts`), as long as the states are few; beyond that they are
estimated (:mod:`tacit.knowledge.assignment_counts`).
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from tacit.arrays.bitmaps import has
from tacit.arrays.compiled import Flag, kernel
from tacit.arrays.groups import distinct
from tacit.knowledge.assignment_counts import Ways, sampled_shares
from tacit.knowledge.reachability import Members, Room, collapse, new_room
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Offsets, Words

EXACT_MEMBERS = 20
"""The most members of a component whose ways are counted in whole numbers."""
STATE_LIMIT = 1 << 15
"""The most states in which they are."""
ALL_STEPS = 1 << 26
"""The most steps for all larger components that are counted."""

_POLL = 255


def shares(
    offsets: Offsets,
    members: Codes,
    counts: Counts,
    values: Codes,
    forbidden: Words,
    n_values: int,
    flag: Flag,
) -> tuple[Offsets, Codes, Offsets, Floats, Floats]:
    """The share of ways in which a member gets a value, for every group, entry and value of the group.

    Entry e of group g, ``offsets[g] <= e < offsets[g + 1]``, stands for ``counts[e]`` members of
    the class ``members[e]``. Returns the values of each group (CSR), and for entry e the shares
    ``shares[starts[e] : starts[e + 1]]`` in the order of its group's values, with their standard
    errors, which are 0 where the ways were counted.
    """
    group_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    held = distinct(group_of * n_values + values[members])  # group, value
    value_offsets = np.searchsorted(held, np.arange(len(offsets)) * n_values)
    starts = np.concatenate(([0], np.cumsum(np.diff(value_offsets)[group_of])))
    group_values = np.empty(len(held), dtype=np.int32)
    found, errors = np.zeros((2, starts[-1]))
    uncounted = np.zeros(len(held), dtype=np.bool_)
    who, room = Members(members, values, forbidden), new_room(offsets, n_values)
    _count_groups(offsets, who, counts, room, value_offsets, group_values, starts, found, uncounted, flag)
    larger = []
    for place in np.flatnonzero(uncounted):
        if flag[0]:
            break
        group = int(np.searchsorted(value_offsets, place, side="right")) - 1
        nodes, entries, kinds, may, waiting, tokens = _component_of(
            place - value_offsets[group], offsets[group], offsets[group + 1], who, counts, room
        )
        # Values and classes in an order that does not follow who holds what: rounding would tell it.
        nodes_at = np.argsort(group_values[value_offsets[group] + nodes])
        order = np.lexsort(may[:, nodes_at].T)
        at = starts[entries][:, np.newaxis] + nodes[nodes_at]
        ways = Ways(waiting[order], may[order][:, nodes_at], tokens[nodes_at])
        larger.append((ways, at, np.argsort(order)[kinds]))
    # The fewest steps first: what is left of them decides who is counted, and the others share the draws.
    larger.sort(key=lambda one: one[0].steps)
    n_counted = bisect_right([*accumulate(one[0].steps for one in larger)], ALL_STEPS)
    for number, (ways, at, ranks) in enumerate(larger):
        if flag[0]:
            break
        if number < n_counted:
            found[at] = ways.shares()[ranks]
        else:
            table, spread = sampled_shares(*ways.parts, len(larger) - n_counted)
            found[at], errors[at] = table[ranks], spread[ranks]
    return value_offsets, group_values, starts, found, errors


def _component_of(
    node: int, first: int, end: int, who: Members, counts: Counts, room: Room
) -> tuple[Counts, Counts, Counts, Bools, Counts, Counts]:
    """The component of one value of a group: its values, and who is in it."""
    n_own, _ = collapse(first, end, who, room)
    nodes = np.zeros(n_own, dtype=np.int64)
    nodes = nodes[: _list_nodes(room.components, node, n_own, nodes)]
    found = _component(nodes, first, end, who, counts, room)
    room.place[room.own[:n_own]] = -1
    return nodes, *found


class Component(NamedTuple):
    """The members of a component by what they may take inside it."""

    entries: Counts
    kinds: Counts  # the class of each entry: entries of one class may take the same
    may: Bools  # (classes, values)
    waiting: Counts  # the members of each class
    tokens: Counts  # the members that hold each value


@kernel
def _count_groups(
    offsets: Offsets,
    who: Members,
    counts: Counts,
    room: Room,
    value_offsets: Offsets,
    group_values: Codes,
    starts: Offsets,
    found: Floats,
    uncounted: Bools,
    flag: Flag,
) -> None:
    """Fill in the values of every group and the shares of its components that are small enough to count.

    Of the others the first value is marked as ``uncounted``.
    """
    nodes = np.zeros(len(room.own), dtype=np.int64)
    for group in range(len(offsets) - 1):
        if group & _POLL == 0 and flag[0]:
            break
        first, end = offsets[group], offsets[group + 1]
        n_own, free = collapse(first, end, who, room)
        for node in range(n_own):
            group_values[value_offsets[group] + node] = room.own[node]
        if free:
            _count_free(first, end, who, counts, room, nodes[:n_own], starts, found)
        for node in range(0 if free else n_own):
            n_nodes = _list_nodes(room.components, node, n_own, nodes)
            if nodes[0] < node:  # its component was counted with its first value
                continue
            component = _component(nodes[:n_nodes], first, end, who, counts, room)
            if _few_enough(component.waiting):
                _count(component, nodes, starts, found)
            else:
                uncounted[value_offsets[group] + node] = True
        for node in range(n_own):
            room.place[room.own[node]] = -1


@kernel
def _count_free(
    first: int,
    end: int,
    who: Members,
    counts: Counts,
    room: Room,
    held: Counts,
    starts: Offsets,
    found: Floats,
) -> None:
    """Fill in the shares of a group in which nobody is restricted: how often it holds each value."""
    total = 0
    for node in range(len(held)):
        held[node] = 0
    for at in range(first, end):
        held[room.place[who.values[who.members[at]]]] += counts[at]
        total += counts[at]
    for at in range(first, end):
        for node in range(len(held)):
            found[starts[at] + node] = held[node] / total


@kernel
def _list_nodes(components: Words, node: int, n_own: int, nodes: Counts) -> int:
    """Write the values of a component into ``nodes``; how many they are."""
    n_nodes = 0
    for other in range(n_own):
        if has(components, node, other):
            nodes[n_nodes] = other
            n_nodes += 1
    return n_nodes


@kernel
def _few_enough(waiting: Counts) -> bool:
    """Whether the ways of a component are counted in whole numbers: one class has no ways to count."""
    states, total = 1, 0
    for count in waiting:
        total += count
        if states <= STATE_LIMIT:
            states *= count + 1
    return len(waiting) == 1 or (states <= STATE_LIMIT and total <= EXACT_MEMBERS)


@kernel
def _count(one: Component, nodes: Counts, starts: Offsets, found: Floats) -> None:
    """Fill in the shares of a component."""
    waiting, tokens = one.waiting, one.tokens
    n_nodes = len(tokens)
    if len(waiting) == 1:  # nobody is restricted inside the component
        for at in one.entries:
            for number in range(n_nodes):
                found[starts[at] + nodes[number]] = tokens[number] / waiting[0]
        return
    states = 1
    for count in waiting:
        states *= count + 1
    ways = np.zeros((len(waiting), n_nodes), dtype=np.int64)
    forth, back = np.zeros(states, dtype=np.int64), np.zeros(states, dtype=np.int64)
    every = count_ways(forth, back, waiting, one.may, tokens, ways)
    for number in range(len(one.entries)):
        at, kind = one.entries[number], one.kinds[number]
        for value in range(n_nodes):
            # One member's share: the tokens of a value, spread over the members of the class.
            share = ways[kind, value] / every * tokens[value] / waiting[kind]
            found[starts[at] + nodes[value]] = share


@kernel
def _component(nodes: Counts, first: int, end: int, who: Members, counts: Counts, room: Room) -> Component:
    """The members of the group's component that has the values ``nodes``."""
    n_nodes = len(nodes)
    entries = np.zeros(end - first, dtype=np.int64)
    kinds = np.zeros(end - first, dtype=np.int64)
    waiting = np.zeros(end - first, dtype=np.int64)
    tokens = np.zeros(n_nodes, dtype=np.int64)
    may = np.zeros((end - first, n_nodes), dtype=np.bool_)
    n_entries, n_kinds = 0, 0
    for at in range(first, end):
        member = who.members[at]
        holds = room.place[who.values[member]]
        if not has(room.components, nodes[0], holds):
            continue
        for number in range(n_nodes):
            if nodes[number] == holds:
                tokens[number] += counts[at]
            may[n_kinds, number] = not has(who.forbidden, member, room.own[nodes[number]])
        kind = 0
        while not _same(may, kind, n_kinds):
            kind += 1
        if kind == n_kinds:
            n_kinds += 1
        waiting[kind] += counts[at]
        entries[n_entries] = at
        kinds[n_entries] = kind
        n_entries += 1
    return Component(entries[:n_entries], kinds[:n_entries], may[:n_kinds], waiting[:n_kinds], tokens)


@kernel
def _same(may: Bools, one: int, other: int) -> bool:
    number = 0
    while number < may.shape[1] and may[one, number] == may[other, number]:
        number += 1
    return bool(number == may.shape[1])


@kernel
def count_ways(
    forth: AnyArray, back: AnyArray, waiting: Counts, may: Bools, tokens: Counts, ways: AnyArray
) -> Any:
    """The number of ways in all; ``ways[c, v]`` counts those where a given token of value v goes to class c.

    A state is a number in mixed radix: how many members of each class still wait. Its sum tells
    which token is next. ``forth`` counts the ways from the start to a state, ``back`` from it to
    the end; both come zeroed, one cell per state, in the type the ways are counted in.
    """
    n_kinds, n_values = may.shape
    strides = np.zeros(n_kinds, dtype=np.int64)
    strides[0] = 1
    for kind in range(1, n_kinds):
        strides[kind] = strides[kind - 1] * (waiting[kind - 1] + 1)
    states = len(forth)
    total = _sum_of(states - 1, waiting)
    token_of = np.zeros(total + 1, dtype=np.int64)  # the value handed out when so many members wait
    starts_value = np.zeros(total + 1, dtype=np.int64)
    left = total
    for value in range(n_values):
        starts_value[left] = 1 if tokens[value] > 0 else 0
        for _ in range(tokens[value]):
            token_of[left] = value
            left -= 1
    back[0] = 1
    for state in range(1, states):
        value = token_of[_sum_of(state, waiting)]
        for kind in range(n_kinds):
            count = state // strides[kind] % (waiting[kind] + 1)
            if count > 0 and may[kind, value]:
                back[state] += back[state - strides[kind]] * count
    forth[states - 1] = 1
    for state in range(states - 1, 0, -1):
        if forth[state] == 0:
            continue
        still = _sum_of(state, waiting)
        value = token_of[still]
        for kind in range(n_kinds):
            count = state // strides[kind] % (waiting[kind] + 1)
            if count > 0 and may[kind, value]:
                forth[state - strides[kind]] += forth[state] * count
                if starts_value[still] == 1:  # tokens of one value are alike: the first stands for all
                    ways[kind, value] += forth[state] * count * back[state - strides[kind]]
    return back[states - 1]


@kernel
def _sum_of(state: int, waiting: Counts) -> int:
    total = 0
    for count in waiting:
        total += state % (count + 1)
        state //= count + 1
    return total
