"""All frequent itemsets: a depth-first search over bitmaps narrowed to the rows of the first item.

Eclat [1] with the conditional databases of LCM [2]: the items that occur often enough with a first
item are counted in one pass over its rows, and their bitmaps over these rows alone are intersected
depth first. Items are added in the order of ascending support, so that the bitmaps are as short as
the support of the rarest item of a set. Where a prefix has become much rarer than its bitmaps are
long, they are renumbered to its own rows.

[1] M. J. Zaki. Scalable Algorithms for Association Mining. IEEE TKDE 12(3), 2000.
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
    survey,
    take_task,
    wider,
    write_set,
)
from tacit.engine.itemsets.vertical import Vertical
from tacit.typing import Codes, Counts

# A walk's columns by level: the first candidate, how many there are, the next, and their bitmaps.
_FIRST, _TOTAL, _NEXT, _PLACE, _WIDTH = range(5)


@kernel
def mine_complete(vertical: Vertical, search: Search, thread: int, enough: int) -> tuple[Stream, int]:
    """Take tasks until the stream has ``enough`` entries or nothing is left; the stream and its length."""
    stream, arena, room = new_stream(), new_arena(), new_room(vertical)
    path = np.empty(search.longest, dtype=np.int32)
    levels = np.zeros((search.longest + 1, 5), dtype=np.int64)
    state = np.zeros(7, dtype=np.int64)
    while state[SIZE] < enough:
        task = take_task(search, thread)
        if task < 0 or not go_on(search, state[FOUND]):
            break
        state[FOUND] = 0
        if vertical.supports[task] < search.least[0]:
            continue
        arena, n_seconds, place, width = _second_items(vertical, search, task, room, arena)
        search.n_seconds[task] = n_seconds
        path[0], state[WRITTEN] = task, 0
        if search.busy[thread] == task and search.min_length <= 1:
            stream = longer(stream, state[SIZE], state[SIZE] + 1)
            add_set(search, stream, path, 1, vertical.supports[task], state)
        while True:
            second = fetch_add(search.next_second, task, 1)
            if second >= n_seconds:
                break
            levels[0, _TOTAL], levels[0, _NEXT] = n_seconds, second
            levels[0, _PLACE], levels[0, _WIDTH] = place, width
            state[LEVEL] = 0
            while not _walk(search, second, arena, stream, path, room.members, levels, state):
                stream = longer(stream, state[SIZE], state[ENTRIES])
                arena = wider(arena, state[CANDIDATES], state[WORDS])
                if not go_on(search, state[FOUND]):
                    return stream, state[SIZE]
                state[FOUND] = 0
    go_on(search, state[FOUND])
    return stream, state[SIZE]


@kernel
def _second_items(
    vertical: Vertical, search: Search, task: int, room: Room, arena: Arena
) -> tuple[Arena, int, int, int]:
    """Write the candidates that are frequent together with a first item into the arena.

    Returns how many they are, where their bitmaps begin and how wide these are.
    """
    least, n_ranks, n_listed = search.least[0], len(vertical.codes), vertical.n_listed
    support = vertical.supports[task]
    if search.max_length <= 1:
        return arena, 0, 0, 0
    if task < n_listed:
        n_found, width = partners(vertical, task, task, least, room), words_for(support)
        arena = wider(arena, n_found, (n_found + 1) * width)
        for number in range(n_found):
            arena.ranks[number], arena.supports[number] = room.found[number], room.shared[number]
        if n_found > 1 and search.max_length > 2:
            project(vertical, task, n_found, room, arena.words)
        return arena, n_found, width, width

    kept, width, own = 0, vertical.width, (task - n_listed) * vertical.width
    arena = wider(arena, n_ranks - task, (n_ranks - task) * width)
    for other in range(task + 1, n_ranks):
        theirs = (other - n_listed) * width
        shared = intersect(vertical.bitmaps, own, theirs, arena.words, kept * width, width)
        if shared >= least:
            arena.ranks[kept], arena.supports[kept] = other, shared
            kept += 1
    return arena, kept, 0, narrower(vertical.bitmaps, own, arena.words, 0, width, kept, support, room.members)


@kernel
def _walk(
    search: Search,
    second: int,
    arena: Arena,
    stream: Stream,
    path: Codes,
    members: Codes,
    levels: Counts,
    state: Counts,
) -> bool:
    """Go through the sets that begin with the first item and one second item.

    True when all are done; False to be called again after the stream and the arena have been given
    the room they need and the flag has been looked at. No array is replaced in here: reference
    counting would cost more than the search.
    """
    least, histogram, found, limit = search.least, search.histogram, search.found, search.limit
    min_length, max_length = search.min_length, search.max_length
    ranks, supports, words = arena
    out_depths, out_ranks, out_supports = stream
    surveying = len(histogram) > 0
    level, work = state[LEVEL], 0
    while True:
        first, total, chosen = levels[level, _FIRST], levels[level, _TOTAL], levels[level, _NEXT]
        place, width = levels[level, _PLACE], levels[level, _WIDTH]
        left = total - chosen - 1
        if left < 0 or (level == 0 and chosen > second):
            if level == 0:
                return True
            level -= 1
            continue
        depth, support = level + 2, supports[first + chosen]
        next_first, next_place = first + total, place + total * width
        n_candidates, n_words = next_first + left, next_place + left * width
        n_entries = state[SIZE] + depth
        if n_candidates > len(ranks) or n_words > len(words) or n_entries > len(out_ranks) or work > POLL:
            state[LEVEL], state[ENTRIES] = level, n_entries
            state[CANDIDATES], state[WORDS] = n_candidates, n_words
            return False
        levels[level, _NEXT] += 1
        work += 16
        if support < least[0]:  # a survey has raised it since
            continue

        path[depth - 1] = ranks[first + chosen]
        if state[WRITTEN] >= depth:
            state[WRITTEN] = depth - 1
        if depth >= min_length:
            if surveying:
                survey(support, histogram, found, least, limit)
            else:
                write_set(path, depth, support, out_depths, out_ranks, out_supports, state)
        if left == 0 or depth == max_length or depth + left < min_length:
            continue
        kept, own = 0, place + chosen * width
        for after in range(1, left + 1):
            shared = intersect(words, own, own + after * width, words, next_place + kept * width, width)
            if shared >= least[0]:
                ranks[next_first + kept] = ranks[first + chosen + after]
                supports[next_first + kept] = shared
                kept += 1
        work += left * width
        if kept == 0:
            continue
        width = narrower(words, own, words, next_place, width, kept, support, members)
        level += 1
        levels[level, _FIRST], levels[level, _TOTAL], levels[level, _NEXT] = next_first, kept, 0
        levels[level, _PLACE], levels[level, _WIDTH] = next_place, width
