"""Members that no group of compatible ones took: each joins a group, and groups merge where they must.

A member joins, among the groups where it can get enough values, the one with the fewest members it
is incompatible with. Where there is none, the group with the fewest such members takes it and is
merged with others, those first that bring the most values, until the member can get enough. Nobody
loses a value by any of this: whoever was there keeps what could be handed out before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.bitmaps import has, members_of, put
from tacit.arrays.bitmaps import size as size_of
from tacit.arrays.compiled import Flag, kernel
from tacit.arrays.csr import sort_codes
from tacit.typing import Bools, Codes, Counts, Words

_NONE = -1


class Kinds(NamedTuple):
    """What members of each class hold and may not take; value v has the codes ``parts[v]``."""

    values: Codes
    forbidden: Words
    parts: Codes


class Groups(NamedTuple):
    """The groups as lists of slots, one for each member."""

    kinds: Codes  # per slot, the class of its member
    following: Counts  # per slot, the next one of the same group
    heads: Counts  # per group, its first slot and its last
    tails: Counts
    held: Words  # per group, the values its members hold
    refused: Words  # per group, the values that none of its members may take
    strong: Bools  # whether every value reaches every other; groups of compatible members are strong
    live: Bools  # whether it is not merged into another group


def place_left_over(
    groups: Codes, size: int, left_over: Counts, kinds: Kinds, flag: Flag
) -> tuple[Codes, Codes]:
    """(class, group) of every member once all are placed; groups are numbered with gaps.

    ``groups`` holds the classes of groups of ``size`` pairwise compatible members; classes with members left
    over are placed in their order. A member must be able to get ``size`` values, counted in distinct codes of
    each part.
    """
    n_groups, n_slots = len(groups) // size, len(groups) + int(left_over.sum())
    slots = np.arange(len(groups)).reshape(n_groups, size)
    following = np.full(n_slots, _NONE, dtype=np.int64)
    following[slots[:, :-1]] = slots[:, 1:]
    held = np.zeros((n_groups, kinds.forbidden.shape[1]), dtype=np.uint64)
    refused = ~held
    for members in groups.reshape(n_groups, size).T:
        own = kinds.values[members]
        held[np.arange(n_groups), own >> 6] |= np.uint64(1) << (own & 63).astype(np.uint64)
        refused &= kinds.forbidden[members]
    heads, tails = slots[:, 0].copy(), slots[:, -1].copy()
    strong, live = np.ones((2, n_groups), dtype=np.bool_)
    slot_kinds = np.concatenate([groups, np.zeros(n_slots - len(groups), dtype=np.int32)])
    placed = Groups(slot_kinds, following, heads, tails, held, refused, strong, live)
    _place(placed, kinds, left_over.copy(), size, len(groups), np.empty((2, n_groups), dtype=np.int64), flag)
    result = np.zeros(n_slots, dtype=np.int32)
    _number(placed, result)
    return slot_kinds, result


@kernel
def _number(groups: Groups, result: Codes) -> None:
    """The group of every slot."""
    for group in range(len(groups.live)):
        at = groups.heads[group] if groups.live[group] else _NONE
        while at != _NONE:
            result[at] = group
            at = groups.following[at]


@kernel
def _place(
    groups: Groups, kinds: Kinds, left_over: Counts, least: int, slot: int, room: Counts, flag: Flag
) -> None:
    """Place the members left over of one class after the other, from a slot on."""
    scores, takers = room[0], room[1]
    everyone = len(groups.live) == 0
    for kind in range(len(left_over)):
        waiting = left_over[kind]
        if waiting == 0 or everyone or flag[0]:
            continue
        n_takers, n_perfect = 0, 0
        for group in range(len(groups.live)):
            if groups.live[group] and _can_get(group, kind, groups, kinds) >= least:
                scores[group] = _incompatible(group, kind, groups, kinds)
                takers[n_takers] = group
                n_takers += 1
                n_perfect += scores[group] == 0
                if n_perfect >= waiting:
                    break  # the rest could not be better
        if n_takers == 0:
            group = _least_incompatible(kind, groups, kinds, scores)
            _append(slot, kind, group, groups, kinds)
            slot += 1
            waiting -= 1
            everyone = not _merge_until_enough(group, kind, least, groups, kinds)
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
                _append(slot, kind, order[at], groups, kinds)
                slot += 1
            waiting -= min(last, waiting)
            level += 1
    if everyone:
        _gather_everyone(slot, left_over, groups)


@kernel
def _can_get(group: int, kind: int, groups: Groups, kinds: Kinds) -> int:
    """How many values a member of a class could get in a group that it joins."""
    own = kinds.values[kind]
    if groups.strong[group]:
        reached = has(groups.held, group, own) or not has(groups.refused, group, own)
        return _codes_held(groups.held[group], kind, kinds) if reached else 1
    edges = _edges(group, groups, kinds)
    edges[own] |= ~kinds.forbidden[kind]
    return _codes_held(_reaching(groups.held[group], edges, own), kind, kinds)


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
def _gather_everyone(slot: int, left_over: Counts, groups: Groups) -> None:
    """Put whoever is left into the one group there is, or into a first one."""
    for kind in range(len(left_over)):
        for _ in range(left_over[kind]):
            groups.kinds[slot] = kind
            for group in range(len(groups.live)):
                if groups.live[group]:
                    groups.following[groups.tails[group]] = slot
                    groups.tails[group] = slot
                    break
            slot += 1


@kernel
def _append(slot: int, kind: int, group: int, groups: Groups, kinds: Kinds) -> None:
    """A new member of a class joins a group."""
    groups.kinds[slot] = kind
    groups.following[groups.tails[group]] = slot
    groups.tails[group] = slot
    put(groups.held, group, kinds.values[kind])
    for word in range(groups.held.shape[1]):
        groups.refused[group, word] &= kinds.forbidden[kind, word]


@kernel
def _merge_until_enough(group: int, kind: int, least: int, groups: Groups, kinds: Kinds) -> bool:
    """Merge a group with others until its newest member can get enough values; False if none is left."""
    held, own = groups.held, kinds.values[kind]
    edges = _edges(group, groups, kinds)
    gains, cursor = True, 0
    while _codes_held(_reaching(held[group], edges, own), kind, kinds) < least:
        # Once no group brings a new value, none will: then they are taken as they come.
        if gains:
            other, new = _richest(group, kind, groups, kinds)
            gains = new > 0
        else:
            other = cursor = _next_live(group, groups.live, cursor)
        if other == _NONE:
            return False
        groups.live[other] = False
        groups.following[groups.tails[group]] = groups.heads[other]
        groups.tails[group] = groups.tails[other]
        for word in range(held.shape[1]):
            held[group, word] |= held[other, word]
            groups.refused[group, word] &= groups.refused[other, word]
        _add_edges(groups.heads[other], edges, groups, kinds)
    groups.strong[group] = _is_strong(held[group], edges, own)
    return True


@kernel
def _edges(group: int, groups: Groups, kinds: Kinds) -> Words:
    """Per value, the values that some member holding it may take."""
    width = kinds.forbidden.shape[1]
    edges = np.zeros((width * 64, width), dtype=np.uint64)
    _add_edges(groups.heads[group], edges, groups, kinds)
    return edges


@kernel
def _add_edges(at: int, edges: Words, groups: Groups, kinds: Kinds) -> None:
    """Those of the members from a slot on."""
    while at != _NONE:
        kind = groups.kinds[at]
        edges[kinds.values[kind]] |= ~kinds.forbidden[kind]
        at = groups.following[at]


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
def _codes_held(held: Words, kind: int, kinds: Kinds) -> int:
    """How many of the held values a class may take, its own included: of the part with fewest codes."""
    parts = kinds.parts
    open_to = np.empty((1, len(held)), dtype=np.uint64)
    for word in range(len(held)):
        open_to[0, word] = held[word] & ~kinds.forbidden[kind, word]
    put(open_to, 0, kinds.values[kind])
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
def _incompatible(group: int, kind: int, groups: Groups, kinds: Kinds) -> int:
    """How many members of a group are incompatible with a class."""
    own, values, forbidden, parts = kinds.values[kind], kinds.values, kinds.forbidden, kinds.parts
    count = 0
    at = groups.heads[group]
    while at != _NONE:
        other = groups.kinds[at]
        shared = has(forbidden, kind, values[other]) or has(forbidden, other, own)
        for part in range(parts.shape[1]):
            shared |= parts[own, part] == parts[values[other], part]
        count += shared
        at = groups.following[at]
    return count


@kernel
def _least_incompatible(kind: int, groups: Groups, kinds: Kinds, scores: Counts) -> int:
    """The group with the fewest members that are incompatible with a class; every score is written down."""
    best = _NONE
    for group in range(len(scores)):
        if groups.live[group]:
            scores[group] = _incompatible(group, kind, groups, kinds)
            if best == _NONE or scores[group] < scores[best]:
                best = group
    return best


@kernel
def _next_live(group: int, live: Bools, start: int) -> int:
    for other in range(start, len(live)):
        if live[other] and other != group:
            return other
    return _NONE


@kernel
def _richest(group: int, kind: int, groups: Groups, kinds: Kinds) -> tuple[int, int]:
    """The group with the most new values, and how many; of equals, with the most that the class may take."""
    held = groups.held
    best, most_new, most_open = _NONE, -1, -1
    for other in range(len(groups.live)):
        if not groups.live[other] or other == group:
            continue
        new, takeable = 0, 0
        for value in range(held.shape[1] * 64):
            if has(held, other, value) and not has(held, group, value):
                new += 1
                takeable += not has(kinds.forbidden, kind, value)
        if new > most_new or (new == most_new and takeable > most_open):
            best, most_new, most_open = other, new, takeable
    return best, most_new
