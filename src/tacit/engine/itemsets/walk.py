"""Frequent itemsets, complete, closed or maximal, by a depth-first search over bitmaps.

Eclat [1] with the conditional databases of LCM [2]: the items that occur often enough with a first item are
counted in one pass over its rows, and their bitmaps over these rows alone are intersected depth first. Items
are added in the order of ascending support, so that the bitmaps are as short as the support of the rarest
item of a set. Where a prefix has become much rarer than its bitmaps are long, they are renumbered to its own
rows.

A set is closed when no set that contains it has the same support, and maximal when no set that contains it is
frequent. For these, the search keeps, beside the candidates still to be added to a prefix, those that were
left out on the way (the items before the chosen one). When a left-out item occurs in all rows of a prefix,
every closed set below it also holds that item and is found elsewhere: the branch ends [3]. Candidates that
occur in all rows of the prefix are added to it at once [2]. So each closed set is met exactly once, and
nothing found has to be remembered or compared.

[1] M. J. Zaki. Scalable Algorithms for Association Mining. IEEE TKDE 12(3), 2000.
[2] T. Uno, M. Kiyomi, H. Arimura. LCM ver. 2. FIMI 2004.
[3] C. Lucchese, S. Orlando, R. Perego. DCI Closed: a fast and memory efficient algorithm to mine frequent
    closed itemsets. FIMI 2004.
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
)  # fmt: skip
from tacit.engine.itemsets.vertical import Vertical
from tacit.typing import Codes, Counts, Words

COMPLETE, CLOSED, MAXIMAL = range(3)

# A walk's columns by level: the first candidate, how many there are, the next one, their bitmaps, and the
# length of the path.
_FIRST, _TOTAL, _NEXT, _PLACE, _WIDTH, _LENGTH = range(6)


@kernel
def mine(vertical: Vertical, search: Search, thread: int, enough: int, kind: int) -> tuple[Stream, int]:
    """Take tasks until the stream has ``enough`` entries or nothing is left; the stream and its length.

    For closed and maximal sets all items of ``vertical`` must be listed, and none may be in all rows.
    """
    stream, arena, room = new_stream(), new_arena(), new_room(vertical)
    path = np.empty(search.longest, dtype=np.int32)
    levels = np.zeros((search.longest + 1, 6), dtype=np.int64)
    state = np.zeros(7, dtype=np.int64)
    while state[SIZE] < enough:
        task = take_task(search, thread)
        if task < 0 or not go_on(search, state[FOUND]):
            break
        state[FOUND] = state[WRITTEN] = 0
        support = vertical.supports[task]
        if support < search.least[0] or (kind != COMPLETE and _has_twin(vertical, task)):
            continue
        if kind == COMPLETE:
            path[0], n_out, length = task, 0, 1
            arena, n_kept, place, width = _second_items(vertical, search, task, room, arena)
        else:
            place = width = words_for(support)
            arena, n_out, n_kept, length = _closed_items(vertical, search, task, room, arena, path)
        if length == 0:
            continue
        if search.busy[thread] == task and (kind != MAXIMAL or n_kept == 0):
            stream = longer(stream, state[SIZE], state[SIZE] + length)
            add_set(search, stream, path, length, support, state)
        if n_kept == n_out or length > search.max_length:
            continue
        search.n_seconds[task] = n_kept - n_out
        levels[0, _TOTAL], levels[0, _LENGTH] = n_kept, length
        levels[0, _PLACE], levels[0, _WIDTH] = place, width
        while True:
            second = n_out + fetch_add(search.next_second, task, 1)
            if second >= n_kept:
                break
            levels[0, _NEXT], state[LEVEL] = second, 0
            while not _walk(search, kind, second, arena, stream, path, room.members, levels, state):
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
def _closed_items(
    vertical: Vertical, search: Search, task: int, room: Room, arena: Arena, path: Codes
) -> tuple[Arena, int, int, int]:
    """The candidates frequent with a first item: how many are left out, how many in all; the path's length.

    The path is the first item with those that are in all its rows; its length is 0 when an item
    that is left out is in all its rows.
    """
    support = vertical.supports[task]
    n_out, n_in, length = 0, 0, 1
    n_found = partners(vertical, task, -1, search.least[0], room)
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
    search: Search, kind: int, second: int, arena: Arena, stream: Stream, path: Codes, members: Codes,
    levels: Counts, state: Counts,
) -> bool:  # fmt: skip
    """Go through the sets that hold the first item's path and one second item.

    True when all are done; False to be called again after the stream and the arena have been given
    the room they need and the flag has been looked at. No array is replaced in here: reference
    counting would cost more than the search.
    """
    least, histogram, found, limit = search.least, search.histogram, search.found, search.limit
    min_length, max_length = search.min_length, search.max_length
    ranks, supports, words = arena
    depths, out_ranks, out_supports = stream
    work, level = 0, state[LEVEL]
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
        n_candidates, n_words = next_first + total, next_place + (total + 2) * width
        n_entries = state[SIZE] + length + total - chosen
        if n_candidates > len(ranks) or n_words > len(words) or n_entries > len(out_ranks) or work > POLL:
            state[LEVEL], state[ENTRIES] = level, n_entries
            state[CANDIDATES], state[WORDS] = n_candidates, n_words
            return False
        levels[level, _NEXT] += 1
        work += 16
        if support < least[0]:  # a survey has raised it since
            continue

        own, kept, everywhere = place + chosen * width, 0, support
        if kind == COMPLETE:
            everywhere = -1  # what is in all rows of the prefix is added as any other
        else:
            for other in range(chosen):
                shared = intersect(words, own, place + other * width, words, next_place + kept * width, width)
                if shared == support:
                    kept = -1
                    break
                if shared >= least[0]:
                    ranks[next_first + kept], supports[next_first + kept] = ranks[first + other], shared
                    kept += 1
            work += chosen * width
            if kept < 0:
                continue
        n_out = kept
        path[length] = ranks[first + chosen]
        length += 1
        if kind == COMPLETE:
            if length >= min_length and len(histogram) > 0:
                survey(support, histogram, found, least, limit)
            elif length >= min_length:
                write_set(path, length, support, depths, out_ranks, out_supports, state)
            if length == max_length or length + total - chosen - 1 < min_length:
                continue
        for other in range(chosen + 1, total):
            shared = intersect(words, own, place + other * width, words, next_place + kept * width, width)
            if shared == everywhere:
                path[length] = ranks[first + other]
                length += 1
            elif shared >= least[0]:
                ranks[next_first + kept], supports[next_first + kept] = ranks[first + other], shared
                kept += 1
        work += (total - chosen) * width
        if length > max_length:
            continue
        if kind == CLOSED or (kind == MAXIMAL and kept == 0):
            add_set(search, stream, path, length, support, state)
        if kept == n_out or length + kept - n_out < min_length:
            continue
        if kind == MAXIMAL:
            whole = _whole(least[0], words, next_place, width, n_out, kept)
            if whole != 0:
                if whole > 0:
                    for other in range(n_out, kept):
                        path[length + other - n_out] = ranks[next_first + other]
                    add_set(search, stream, path, length + kept - n_out, whole, state)
                continue
        width = narrower(words, own, words, next_place, width, kept, support, members)
        level += 1
        levels[level, _FIRST], levels[level, _TOTAL], levels[level, _NEXT] = next_first, kept, n_out
        levels[level, _PLACE], levels[level, _WIDTH], levels[level, _LENGTH] = next_place, width, length


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
