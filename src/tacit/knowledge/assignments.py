"""How likely each member of a group is to have each value, when every way of handing them out counts alike.

A way hands the group's values to its members one to one, nobody taking what it may not. Ways never
cross strongly connected components (:mod:`tacit.knowledge.reachability`), so each component is
counted by itself: tokens (one per member, valued) are handed out one after the other to classes of
members that may take the same values, and a state is how many members of each class still wait.

Up to 20 members the ways are counted in 64-bit whole numbers (20! fits, 21! does not), up to 170 in
floating point, as long as the states are few; beyond that they are estimated
(:mod:`tacit.knowledge.assignment_samples`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.arrays.interrupt import Flag
from tacit.arrays.masks import has, put
from tacit.knowledge.assignment_samples import sampled_shares
from tacit.knowledge.reachability import collapse, largest_group
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Offsets, Words

EXACT_MEMBERS = 20
"""The most members of a component whose ways are counted in whole numbers."""
FLOAT_MEMBERS = 170
"""170! is the largest factorial that a 64-bit floating-point number holds."""
STATE_LIMIT = 1 << 15

_POLL = 255


@kernel
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
    n_groups = len(offsets) - 1
    most = min(n_values, largest_group(offsets))
    place = np.full(n_values, -1, dtype=np.int32)
    own = np.empty(most, dtype=np.int32)
    components = np.zeros((most, (most + 63) // 64), dtype=np.uint64)
    value_offsets = np.zeros(n_groups + 1, dtype=np.int64)
    for group in range(n_groups):
        n_own = 0
        for at in range(offsets[group], offsets[group + 1]):
            value = values[members[at]]
            if place[value] != group:
                place[value] = group
                n_own += 1
        value_offsets[group + 1] = value_offsets[group] + n_own
    place[:] = -1
    group_values = np.empty(value_offsets[-1], dtype=np.int32)
    starts = np.zeros(len(members) + 1, dtype=np.int64)
    for group in range(n_groups):
        for at in range(offsets[group], offsets[group + 1]):
            starts[at + 1] = starts[at] + value_offsets[group + 1] - value_offsets[group]
    found = np.zeros(starts[-1])
    errors = np.zeros(starts[-1])
    for group in range(n_groups):
        if group & _POLL == 0 and flag[0]:
            break
        first, end = offsets[group], offsets[group + 1]
        n_own, _ = collapse(members, first, end, values, forbidden, place, own, components)
        group_values[value_offsets[group] : value_offsets[group + 1]] = own[:n_own]
        for node in range(n_own):
            if _first_of(components, node) == node:
                _component_shares(
                    node, n_own, group, first, end, members, counts, values, forbidden, place, own,
                    components, starts, found, errors,
                )  # fmt: skip
        for node in range(n_own):
            place[own[node]] = -1
    return value_offsets, group_values, starts, found, errors


@kernel
def _first_of(components: Words, node: int) -> int:
    """The first value of a component."""
    for other in range(node):
        if has(components, node, other):
            return other
    return node


@kernel
def _component_shares(
    node: int,
    n_own: int,
    group: int,
    first: int,
    end: int,
    members: Codes,
    counts: Counts,
    values: Codes,
    forbidden: Words,
    place: Codes,
    own: Codes,
    components: Words,
    starts: Offsets,
    found: Floats,
    errors: Floats,
) -> None:
    """Fill in the shares of all entries whose value lies in the component of ``node``."""
    nodes = np.empty(n_own, dtype=np.int64)
    n_nodes = 0
    for other in range(n_own):
        if has(components, node, other):
            nodes[n_nodes] = other
            n_nodes += 1
    nodes = nodes[:n_nodes]
    entries, kinds, may, waiting, tokens = _component(
        nodes, node, first, end, members, counts, values, forbidden, place, own, components
    )
    total = waiting.sum()
    if len(waiting) == 1:  # nobody is restricted inside the component
        for at in entries:
            for number in range(n_nodes):
                found[starts[at] + nodes[number]] = tokens[number] / total
        return
    states = 1
    for count in waiting:
        states = min(states * (count + 1), STATE_LIMIT + 1)
    table = np.empty((len(waiting), n_nodes))
    spread = np.zeros((len(waiting), n_nodes))
    if states <= STATE_LIMIT and total <= EXACT_MEMBERS:
        ways = np.zeros((len(waiting), n_nodes), dtype=np.int64)
        every = count_ways(
            np.zeros(states, dtype=np.int64), np.zeros(states, dtype=np.int64), waiting, may, tokens, ways
        )
        _as_shares(ways, every, waiting, tokens, table)
    elif states <= STATE_LIMIT and total <= FLOAT_MEMBERS:
        rough = np.zeros((len(waiting), n_nodes))
        about = count_ways(np.zeros(states), np.zeros(states), waiting, may, tokens, rough)
        _as_shares(rough, about, waiting, tokens, table)
    else:
        sampled_shares(group, waiting, may, tokens, table, spread)
    for number in range(len(entries)):
        at = entries[number]
        for other in range(n_nodes):
            found[starts[at] + nodes[other]] = table[kinds[number], other]
            errors[starts[at] + nodes[other]] = spread[kinds[number], other]


@kernel
def _component(
    nodes: Counts,
    node: int,
    first: int,
    end: int,
    members: Codes,
    counts: Counts,
    values: Codes,
    forbidden: Words,
    place: Codes,
    own: Codes,
    components: Words,
) -> tuple[Counts, Counts, Bools, Counts, Counts]:
    """The members of a component by what they may take inside it.

    Returns its entries, the class of each, which value each class may take, the members of each
    class and the members that hold each value.
    """
    n_nodes = len(nodes)
    width = (n_nodes + 63) // 64
    entries = np.empty(end - first, dtype=np.int64)
    kinds = np.empty(end - first, dtype=np.int64)
    masks = np.zeros((end - first, width), dtype=np.uint64)
    waiting = np.zeros(end - first, dtype=np.int64)
    tokens = np.zeros(n_nodes, dtype=np.int64)
    n_entries, n_kinds = 0, 0
    for at in range(first, end):
        holds = place[values[members[at]]]
        if not has(components, node, holds):
            continue
        masks[n_kinds, :] = 0
        for number in range(n_nodes):
            if nodes[number] == holds:
                tokens[number] += counts[at]
            if not has(forbidden, members[at], own[nodes[number]]):
                put(masks, n_kinds, number)
        kind = 0
        while not _same(masks, kind, n_kinds):
            kind += 1
        if kind == n_kinds:
            n_kinds += 1
        waiting[kind] += counts[at]
        entries[n_entries] = at
        kinds[n_entries] = kind
        n_entries += 1
    may = np.zeros((n_kinds, n_nodes), dtype=np.bool_)
    for kind in range(n_kinds):
        for number in range(n_nodes):
            may[kind, number] = has(masks, kind, number)
    return entries[:n_entries], kinds[:n_entries], may, waiting[:n_kinds], tokens


@kernel
def _same(masks: Words, one: int, other: int) -> bool:
    different = np.uint64(0)
    for word in range(masks.shape[1]):
        different |= masks[one, word] ^ masks[other, word]
    return bool(different == 0)


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
    strides = np.ones(n_kinds, dtype=np.int64)
    for kind in range(1, n_kinds):
        strides[kind] = strides[kind - 1] * (waiting[kind - 1] + 1)
    states = len(forth)
    total = waiting.sum()
    token_of = np.empty(total + 1, dtype=np.int64)  # the value handed out when so many members wait
    starts_value = np.zeros(total + 1, dtype=np.bool_)
    left = total
    for value in range(n_values):
        starts_value[left] = tokens[value] > 0
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
                if starts_value[still]:  # tokens of one value are alike: the first stands for all
                    ways[kind, value] += forth[state] * count * back[state - strides[kind]]
    return back[states - 1]


@kernel
def _sum_of(state: int, waiting: Counts) -> int:
    total = 0
    for count in waiting:
        total += state % (count + 1)
        state //= count + 1
    return total


@kernel
def _as_shares(ways: AnyArray, every: Any, waiting: Counts, tokens: Counts, table: Floats) -> None:
    """One member's share: the tokens of a value, spread over the members of the class."""
    for kind in range(len(waiting)):
        for value in range(len(tokens)):
            table[kind, value] = ways[kind, value] / every * tokens[value] / waiting[kind]
