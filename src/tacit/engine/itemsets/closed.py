"""Closed and maximal frequent itemsets, without going through all frequent ones.

A set is closed when no set that contains it has the same support, and maximal when no set that
contains it is frequent. The search keeps, beside the candidates still to be added to a prefix,
those that were left out on the way (the items before the chosen one). When a left-out item occurs
in all rows of a prefix, every closed set below it also holds that item and is found elsewhere: the
branch ends [1]. Candidates that occur in all rows of the prefix are added to it at once [2]. So
each closed set is met exactly once, and nothing found has to be remembered or compared.

[1] C. Lucchese, S. Orlando, R. Perego. DCI Closed: a fast and memory efficient algorithm to mine
    frequent closed itemsets. FIMI 2004.
[2] T. Uno, M. Kiyomi, H. Arimura. LCM ver. 2. FIMI 2004.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.bitmaps import intersect, words_for
from tacit.arrays.compiled import fetch_add, kernel
from tacit.engine.itemsets.shared import (
    CANDIDATES,
    ENTRIES,
    FOUND,
    LEVEL,
    POLL,
    SIZE,
    WORDS,
    WRITTEN,
    Arena,
    Room,
    Search,
    Stream,
    add_set,
    go_on,
    longer,
    narrower,
    new_arena,
    new_room,
    new_stream,
    partners,
    project,
    take_task,
    wider,
)
from tacit.engine.itemsets.vertical import Vertical
from tacit.typing import Codes, Counts, Words

# A walk's columns by level: the first candidate, how many there are and how many of them are left
# out, the next one, their bitmaps, and the length of the path.
_FIRST, _TOTAL, _OUT, _NEXT, _PLACE, _WIDTH, _LENGTH = range(7)


@kernel
def mine_closed(
    vertical: Vertical, search: Search, thread: int, enough: int, maximal: bool
) -> tuple[Stream, int]:
    """Take tasks until the stream has ``enough`` entries or nothing is left; the stream and its length.

    All items of ``vertical`` must be listed, and none of them may be in all rows.
    """
    stream, arena, room = new_stream(), new_arena(), new_room(vertical)
    path = np.empty(search.longest, dtype=np.int32)
    levels = np.zeros((search.longest + 1, 7), dtype=np.int64)
    state = np.zeros(7, dtype=np.int64)
    while state[SIZE] < enough:
        task = take_task(search, thread)
        if task < 0 or not go_on(search, state[FOUND]):
            break
        state[FOUND] = 0
        support = vertical.supports[task]
        if support < search.least[0] or _has_twin(vertical, task):
            continue
        arena, n_out, n_kept, length = _second_items(vertical, search, task, room, arena, path)
        if length == 0:
            continue
        state[WRITTEN] = 0
        if search.busy[thread] == task and (n_kept == 0 or not maximal):
            stream = longer(stream, state[SIZE], state[SIZE] + length)
            add_set(search, stream, path, length, support, state)
        if n_kept == n_out or length > search.max_length:
            continue
        search.n_seconds[task] = n_kept - n_out
        width = words_for(support)
        levels[0, _TOTAL], levels[0, _OUT], levels[0, _LENGTH] = n_kept, n_out, length
        levels[0, _PLACE], levels[0, _WIDTH] = width, width
        while True:
            second = n_out + fetch_add(search.next_second, task, 1)
            if second >= n_kept:
                break
            levels[0, _NEXT], state[LEVEL] = second, 0
            while not _walk(search, maximal, second, arena, stream, path, room.members, levels, state):
                stream = longer(stream, state[SIZE], state[ENTRIES])
                arena = wider(arena, state[CANDIDATES], state[WORDS])
                if not go_on(search, state[FOUND]):
                    return stream, state[SIZE]
                state[FOUND] = 0
    go_on(search, state[FOUND])
    return stream, state[SIZE]


@kernel
def _has_twin(vertical: Vertical, task: int) -> bool:
    """Whether an earlier item has the same rows: cheap to see, and it spares counting for the task.

    Without it a row that alone holds a million items would be read a million times.
    """
    starts, rows, support = vertical.starts, vertical.rows, vertical.supports[task]
    one_row = rows[starts[task]]
    for at in range(vertical.indptr[one_row], vertical.indptr[one_row + 1]):
        other = vertical.ranks[vertical.items[at]]
        if 0 <= other < task and vertical.supports[other] == support:
            equal = 0
            while equal < support and rows[starts[task] + equal] == rows[starts[other] + equal]:
                equal += 1
            if equal == support:
                return True
    return False


@kernel
def _second_items(
    vertical: Vertical, search: Search, task: int, room: Room, arena: Arena, path: Codes
) -> tuple[Arena, int, int, int]:
    """The candidates frequent with a first item: how many are left out, how many in all; the path's length.

    The path is the first item with those that are in all its rows; its length is 0 when an item
    that is left out is in all its rows.
    """
    support = vertical.supports[task]
    n_out, n_in, length = 0, 0, 1
    n_found = partners(vertical, task, n_out - 1, search.least[0], room)
    path[0] = task
    for number in range(n_found):
        other, shared = room.found[number], room.shared[number]
        if shared == support:
            if other < task:
                return arena, 0, 0, 0
            path[length] = other
            length += 1
            continue
        room.found[n_out + n_in], room.shared[n_out + n_in] = other, shared
        if other < task:
            n_out += 1
        else:
            n_in += 1
    n_kept = n_out + n_in
    if n_in > 0:
        arena = wider(arena, n_kept, (n_kept + 1) * words_for(support))
        for number in range(n_kept):
            arena.ranks[number], arena.supports[number] = room.found[number], room.shared[number]
        project(vertical, task, n_kept, room, arena.words)
    return arena, n_out, n_kept, length


@kernel
def _walk(
    search: Search,
    maximal: bool,
    second: int,
    arena: Arena,
    stream: Stream,
    path: Codes,
    members: Codes,
    levels: Counts,
    state: Counts,
) -> bool:
    """Go through the closed sets that hold the first item's path and one second item.

    True when all are done; False to be called again after the stream and the arena have been given
    the room they need and the flag has been looked at.
    """
    least, min_length, max_length = search.least, search.min_length, search.max_length
    ranks, supports, words = arena
    n_entries, work, level = len(stream.ranks), 0, state[LEVEL]
    while True:
        first, total, chosen = levels[level, _FIRST], levels[level, _TOTAL], levels[level, _NEXT]
        place, width, length = levels[level, _PLACE], levels[level, _WIDTH], levels[level, _LENGTH]
        if state[WRITTEN] > length:
            state[WRITTEN] = length
        if chosen >= total or (level == 0 and chosen > second):
            if level == 0:
                return True
            level -= 1
            continue
        support = supports[first + chosen]
        next_first, next_place = first + total, place + total * width
        state[CANDIDATES], state[WORDS] = next_first + total, next_place + (total + 2) * width
        state[ENTRIES] = state[SIZE] + length + total - chosen
        if (
            state[CANDIDATES] > len(ranks)
            or state[WORDS] > len(words)
            or state[ENTRIES] > n_entries
            or work > POLL
        ):
            state[LEVEL] = level
            return False
        levels[level, _NEXT] += 1
        if support < least[0]:  # a survey has raised it since
            continue

        own, kept = place + chosen * width, 0
        for other in range(chosen):
            shared = intersect(words, own, place + other * width, words, next_place + kept * width, width)
            if shared == support:
                kept = -1
                break
            if shared >= least[0]:
                ranks[next_first + kept], supports[next_first + kept] = ranks[first + other], shared
                kept += 1
        work += total * width + 16
        if kept < 0:
            continue
        n_out = kept
        path[length] = ranks[first + chosen]
        length += 1
        for other in range(chosen + 1, total):
            shared = intersect(words, own, place + other * width, words, next_place + kept * width, width)
            if shared == support:
                path[length] = ranks[first + other]
                length += 1
            elif shared >= least[0]:
                ranks[next_first + kept], supports[next_first + kept] = ranks[first + other], shared
                kept += 1
        if length > max_length:
            continue
        if not maximal or kept == 0:
            add_set(search, stream, path, length, support, state)
        if kept == n_out or length + kept - n_out < min_length:
            continue
        if maximal:
            whole = _whole(least[0], words, next_place, width, n_out, kept)
            if whole != 0:
                if whole > 0:
                    for other in range(n_out, kept):
                        path[length + other - n_out] = ranks[next_first + other]
                    add_set(search, stream, path, length + kept - n_out, whole, state)
                continue
        width = narrower(words, own, words, next_place, width, kept, support, members)
        level += 1
        levels[level, _FIRST], levels[level, _TOTAL], levels[level, _OUT] = next_first, kept, n_out
        levels[level, _NEXT], levels[level, _PLACE] = n_out, next_place
        levels[level, _WIDTH], levels[level, _LENGTH] = width, length


@kernel
def _whole(least: int, words: Words, place: int, width: int, n_out: int, total: int) -> int:
    """The support of all candidates together: 0 when not frequent, -1 when a left-out item goes with them.

    When it is frequent, no other set of the branch is maximal.
    """
    scratch, shared = place + total * width, 0
    for candidate in range(n_out, total):
        other = place + candidate * width
        one = other if candidate == n_out else scratch
        shared = intersect(words, one, other, words, scratch, width)
        if shared < least:
            return 0
    for left_out in range(n_out):
        scrap = scratch + width
        if intersect(words, scratch, place + left_out * width, words, scrap, width) >= least:
            return -1
    return shared
