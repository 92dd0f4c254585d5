"""Members that no group of compatible ones took: each joins a group, and groups merge where they must.

A member joins, among the groups where it can get enough values, the one with the fewest members it
is incompatible with. Where there is none, the group with the fewest such members takes it and is
merged with others, those first that bring the most values, until the member can get enough. Nobody
loses a value by any of this: whoever was there keeps what could be handed out before.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.bitmaps import has, members_of, put
from tacit.arrays.bitmaps import size as size_of
from tacit.arrays.compiled import kernel
from tacit.arrays.csr import sort_codes
from tacit.arrays.interrupt import Flag
from tacit.typing import Bools, Codes, Counts, Words

_NONE = -1


@kernel
def place_left_over(
    groups: Codes,
    size: int,
    left_over: Counts,
    values: Codes,
    forbidden: Words,
    parts: Codes,
    least: int,
    flag: Flag,
) -> tuple[Codes, Codes]:
    """(class, group) of every member once all are placed; groups are numbered with gaps.

    ``groups`` holds the classes of groups of ``size`` pairwise compatible members; classes with
    members left over are placed in their order. ``least`` is how many values a member must be able
    to get, counted in distinct codes of each part: value v has the codes ``parts[v]``.
    """
    n_groups = len(groups) // size
    n_slots = len(groups)
    for waiting in left_over:
        n_slots += waiting
    width = forbidden.shape[1]
    kinds = np.empty(n_slots, dtype=np.int32)
    for slot in range(len(groups)):
        kinds[slot] = groups[slot]
    following = np.full(n_slots, _NONE, dtype=np.int64)  # the next member of the same group
    heads = np.empty(n_groups, dtype=np.int64)
    tails = np.empty(n_groups, dtype=np.int64)
    held = np.zeros((n_groups, width), dtype=np.uint64)
    refused_by_all = np.zeros((n_groups, width), dtype=np.uint64)
    # In a strong group every value reaches every other; groups of compatible members are strong.
    strong = np.ones(n_groups, dtype=np.bool_)
    live = np.ones(n_groups, dtype=np.bool_)
    for group in range(n_groups):
        heads[group], tails[group] = group * size, group * size + size - 1
        for slot in range(heads[group], heads[group] + size):
            if slot < tails[group]:
                following[slot] = slot + 1
            put(held, group, values[kinds[slot]])
            for word in range(width):
                refused = forbidden[kinds[slot], word]
                if slot > heads[group]:
                    refused &= refused_by_all[group, word]
                refused_by_all[group, word] = refused

    slot = len(groups)
    scores = np.empty(n_groups, dtype=np.int64)
    takers = np.empty(n_groups, dtype=np.int64)
    everyone = n_groups == 0
    for kind in range(len(left_over)):
        waiting = left_over[kind]
        if waiting == 0 or everyone or flag[0]:
            continue
        n_takers, n_perfect = 0, 0
        for group in range(n_groups):
            if not live[group]:
                continue
            if strong[group]:
                reached = has(held, group, values[kind]) or not has(refused_by_all, group, values[kind])
                can_get = _codes_held(held[group], kind, values, forbidden, parts) if reached else 1
            else:
                edges = _edges(heads[group], following, kinds, values, forbidden)
                edges[values[kind]] |= ~forbidden[kind]
                can_get = _codes_reaching(held[group], edges, kind, values, forbidden, parts)
            if can_get >= least:
                scores[group] = _incompatible(heads[group], following, kinds, kind, values, forbidden, parts)
                takers[n_takers] = group
                n_takers += 1
                n_perfect += scores[group] == 0
                if n_perfect >= waiting:
                    break  # the rest could not be better
        if n_takers == 0:
            for group in range(n_groups):
                if live[group]:
                    scores[group] = _incompatible(
                        heads[group], following, kinds, kind, values, forbidden, parts
                    )
            group = _least(scores, live)
            _append(slot, kind, group, kinds, following, tails, held, refused_by_all, values, forbidden)
            slot += 1
            waiting -= 1
            everyone = not _merge_until_enough(
                group, kind, least, kinds, following, heads, tails, held, refused_by_all, strong, live,
                values, forbidden, parts,
            )  # fmt: skip
            if everyone:
                left_over[kind] = waiting
                continue
            takers[0] = group
            n_takers = 1
        left_over[kind] = 0
        order = _by_score(takers[:n_takers], scores)
        # Each taker gains a member it is incompatible with, so rounds of equal scores suffice.
        last = 0
        level = scores[order[0]]
        while waiting > 0:
            while last < n_takers and scores[order[last]] <= level:
                last += 1
            for at in range(min(last, waiting)):
                _append(
                    slot, kind, order[at], kinds, following, tails, held, refused_by_all, values, forbidden
                )
                slot += 1
            waiting -= min(last, waiting)
            level += 1

    if everyone:
        slot = _gather_everyone(slot, left_over, kinds, following, heads, tails, live)
    result = np.empty(n_slots, dtype=np.int32)
    if n_groups == 0:
        result[:] = 0
    for group in range(n_groups):
        if live[group]:
            at = heads[group]
            while at != _NONE:
                result[at] = group
                at = following[at]
    return kinds, result


@kernel
def _by_score(groups: Counts, scores: Counts) -> Counts:
    """The groups by ascending score, equal ones in their order."""
    most = 0
    for group in groups:
        most = max(most, scores[group])
    ends = np.zeros(most + 2, dtype=np.int64)
    for group in groups:
        ends[scores[group] + 1] += 1
    for score in range(most + 1):
        ends[score + 1] += ends[score]
    order = np.empty(len(groups), dtype=np.int64)
    for group in groups:
        order[ends[scores[group]]] = group
        ends[scores[group]] += 1
    return order


@kernel
def _gather_everyone(
    slot: int, left_over: Counts, kinds: Codes, following: Counts, heads: Counts, tails: Counts, live: Bools
) -> int:
    """Put whoever is left into the one group there is, or into a first one."""
    for kind in range(len(left_over)):
        for _ in range(left_over[kind]):
            kinds[slot] = kind
            for group in range(len(live)):
                if live[group]:
                    following[tails[group]] = slot
                    tails[group] = slot
                    break
            slot += 1
    return slot


@kernel
def _append(
    slot: int,
    kind: int,
    group: int,
    kinds: Codes,
    following: Counts,
    tails: Counts,
    held: Words,
    refused_by_all: Words,
    values: Codes,
    forbidden: Words,
) -> None:
    """A new member of a class joins a group."""
    kinds[slot] = kind
    following[tails[group]] = slot
    tails[group] = slot
    put(held, group, values[kind])
    for word in range(held.shape[1]):
        refused_by_all[group, word] &= forbidden[kind, word]


@kernel
def _merge_until_enough(
    group: int,
    kind: int,
    least: int,
    kinds: Codes,
    following: Counts,
    heads: Counts,
    tails: Counts,
    held: Words,
    refused_by_all: Words,
    strong: Bools,
    live: Bools,
    values: Codes,
    forbidden: Words,
    parts: Codes,
) -> bool:
    """Merge a group with others until its newest member can get enough values; False if none is left."""
    edges = _edges(heads[group], following, kinds, values, forbidden)
    gains, cursor = True, 0
    while _codes_reaching(held[group], edges, kind, values, forbidden, parts) < least:
        if gains:
            other = _richest(group, kind, held, live, forbidden)
        else:
            other = cursor = _next_live(group, live, cursor)
        if other == _NONE:
            return False
        # Once no group brings a new value, none will: then they are taken as they come.
        gains = gains and _new_values(group, other, held) > 0
        live[other] = False
        following[tails[group]] = heads[other]
        tails[group] = tails[other]
        for word in range(held.shape[1]):
            held[group, word] |= held[other, word]
            refused_by_all[group, word] &= refused_by_all[other, word]
        at = heads[other]
        while at != _NONE:
            edges[values[kinds[at]]] |= ~forbidden[kinds[at]]
            at = following[at]
    strong[group] = _is_strong(held[group], edges, values[kind])
    return True


@kernel
def _edges(head: int, following: Counts, kinds: Codes, values: Codes, forbidden: Words) -> Words:
    """Per value, the values that some member holding it may take."""
    edges = np.zeros((forbidden.shape[1] * 64, forbidden.shape[1]), dtype=np.uint64)
    at = head
    while at != _NONE:
        edges[values[kinds[at]]] |= ~forbidden[kinds[at]]
        at = following[at]
    return edges


@kernel
def _reaching(held: Words, edges: Words, value: int) -> Words:
    """The held values from which a value is reached, itself included."""
    found = np.zeros((1, len(held)), dtype=np.uint64)
    put(found, 0, value)
    grown = True
    while grown:
        grown = False
        for node in range(len(edges)):
            if not (held[node >> 6] >> np.uint64(node & 63)) & np.uint64(1) or has(found, 0, node):
                continue
            for word in range(len(held)):
                if edges[node, word] & found[0, word]:
                    put(found, 0, node)
                    grown = True
                    break
    return found.ravel()


@kernel
def _is_strong(held: Words, edges: Words, value: int) -> bool:
    """Whether every held value reaches, and is reached from, this one."""
    back = _reaching(held, edges, value)
    forth = np.zeros((1, len(held)), dtype=np.uint64)
    put(forth, 0, value)
    grown = True
    while grown:
        grown = False
        for node in range(len(edges)):
            if has(forth, 0, node):
                for word in range(len(held)):
                    new = edges[node, word] & held[word] & ~forth[0, word]
                    if new:
                        forth[0, word] |= new
                        grown = True
    missing = np.uint64(0)
    for word in range(len(held)):
        missing |= held[word] & ~(back[word] & forth[0, word])
    return bool(missing == 0)


@kernel
def _codes_reaching(
    held: Words, edges: Words, kind: int, values: Codes, forbidden: Words, parts: Codes
) -> int:
    """How many values a member of a class can get in a group with these edges."""
    found = _reaching(held, edges, values[kind])
    return _codes_held(found, kind, values, forbidden, parts)


@kernel
def _codes_held(held: Words, kind: int, values: Codes, forbidden: Words, parts: Codes) -> int:
    """How many of the held values a class may take, its own included: of the part with fewest codes."""
    own = values[kind]
    open_to = np.empty((1, len(held)), dtype=np.uint64)
    for word in range(len(held)):
        open_to[0, word] = held[word] & ~forbidden[kind, word]
    put(open_to, 0, own)
    fewest = size_of(open_to, 0)
    if parts.shape[1] == 1:  # its codes are the values
        return fewest
    members = np.empty(fewest, dtype=np.int32)
    members_of(open_to[0], 0, len(held), members)
    codes = np.empty(fewest, dtype=np.int32)
    for part in range(parts.shape[1]):
        for at in range(len(codes)):
            codes[at] = parts[members[at], part]
        sort_codes(codes, 0, len(codes))
        count = 1
        for at in range(1, len(codes)):
            count += codes[at] != codes[at - 1]
        fewest = min(fewest, count)
    return fewest


@kernel
def _incompatible(
    head: int, following: Counts, kinds: Codes, kind: int, values: Codes, forbidden: Words, parts: Codes
) -> int:
    """How many members of a group are incompatible with a class."""
    count = 0
    at = head
    while at != _NONE:
        other = kinds[at]
        count += (
            _conflict(values[kind], values[other], parts)
            or has(forbidden, kind, values[other])
            or has(forbidden, other, values[kind])
        )
        at = following[at]
    return count


@kernel
def _conflict(one: int, other: int, parts: Codes) -> bool:
    """Whether two values agree in some part."""
    shared = False
    for part in range(parts.shape[1]):
        shared |= parts[one, part] == parts[other, part]
    return shared


@kernel
def _least(scores: Counts, live: Bools) -> int:
    best = _NONE
    for group in range(len(scores)):
        if live[group] and (best == _NONE or scores[group] < scores[best]):
            best = group
    return best


@kernel
def _next_live(group: int, live: Bools, start: int) -> int:
    for other in range(start, len(live)):
        if live[other] and other != group:
            return other
    return _NONE


@kernel
def _new_values(group: int, other: int, held: Words) -> int:
    count = 0
    for value in range(held.shape[1] * 64):
        count += has(held, other, value) and not has(held, group, value)
    return count


@kernel
def _richest(group: int, kind: int, held: Words, live: Bools, forbidden: Words) -> int:
    """The group with the most new values; among equals, with the most that the class may take."""
    best, most_new, most_open = _NONE, -1, -1
    for other in range(len(live)):
        if not live[other] or other == group:
            continue
        new, takeable = 0, 0
        for value in range(held.shape[1] * 64):
            if has(held, other, value) and not has(held, group, value):
                new += 1
                takeable += not has(forbidden, kind, value)
        if new > most_new or (new == most_new and takeable > most_open):
            best, most_new, most_open = other, new, takeable
    return best
