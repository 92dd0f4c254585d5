"""What the threads of one search for itemsets share, and what each of them writes.

The search begins with one item; each first item is a task. A thread takes the next task from a
counter; the second items of a task are taken from a counter of their own, so that a thread that
finds no task left can help with a large one.

Sets are written as a *stream*: the search tree in the order it is walked, one entry per node with
its depth, its item and its support, which is far smaller than the sets written out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.bitmaps import pick, renumber, words_for
from tacit.arrays.compiled import Flag, fetch_add, kernel
from tacit.arrays.csr import sort_codes
from tacit.engine.itemsets.vertical import Vertical, place_of_pair
from tacit.typing import Codes, Counts, Words

PATH_ONLY = -1
"""Stands for the support of a node that is on the way to a set and is none itself."""
POLL = 1 << 20
"""How many words or entries a kernel works through before it looks at the flag."""
_RENUMBER = 8
"""Bitmaps are renumbered when they lose so many words, all together, per row looked up."""


# What a walk through the sets of one task keeps between its calls: the level it is at, how much of
# its path is in the stream, what it has written and found, and what room it asks for.
LEVEL, WRITTEN, SIZE, FOUND, ENTRIES, CANDIDATES, WORDS = range(7)


class Search(NamedTuple):
    """One search: what it looks for, and the counters its threads share."""

    least: Counts
    """[0] is the minimum support; a survey raises it as it goes"""
    min_length: int
    max_length: int
    longest: int
    """the length of the longest row, and so the most a set can have"""
    limit: int
    """how many sets may be found"""
    found: Counts
    """[0] is how many were"""
    next_task: Counts
    next_second: Counts
    """by rank: the next second item to take"""
    n_seconds: Counts
    """by rank: how many second items there are, once known"""
    busy: Counts
    """by thread: the task it has begun, or -1"""
    histogram: Counts
    """sets found by support; of length 0 when sets are written rather than surveyed"""
    flag: Flag


class Stream(NamedTuple):
    """The search tree, one entry per node in the order of the search."""

    depths: Codes
    ranks: Codes
    supports: Codes
    """or ``PATH_ONLY``"""


class Arena(NamedTuple):
    """Candidates with their bitmaps, one level of the search after the other."""

    ranks: Codes
    supports: Counts
    words: Words


@kernel
def take_task(search: Search, thread: int) -> int:
    """The rank this thread should work on next, or -1 when nothing is left.

    When no task is left, the one that has the most second items left is shared with the thread
    that has begun it; ``search.busy`` tells which of the two this is.
    """
    n_ranks = len(search.next_second)
    if search.next_task[0] < n_ranks:
        rank = fetch_add(search.next_task, 0, 1)
        if rank < n_ranks:
            search.busy[thread] = rank
            return rank
    search.busy[thread] = -1
    best, most = -1, 1
    for begun in search.busy:
        if begun >= 0 and search.n_seconds[begun] - search.next_second[begun] > most:
            best, most = begun, search.n_seconds[begun] - search.next_second[begun]
    return best


@kernel
def go_on(search: Search, newly_found: int) -> bool:
    """Report sets found; False when there are too many or the flag is raised."""
    before = fetch_add(search.found, 0, newly_found)
    return before + newly_found <= search.limit and search.flag[0] == 0


@kernel
def new_stream() -> Stream:
    """A stream with room to begin with."""
    return Stream(np.empty(1024, np.int32), np.empty(1024, np.int32), np.empty(1024, np.int32))


@kernel
def longer(stream: Stream, size: int, room: int) -> Stream:
    """The same stream of ``size`` entries, with room for at least so many."""
    if room <= len(stream.ranks):
        return stream
    room = 2 * size if room < 2 * size else room
    copy = Stream(np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32))
    for entry in range(size):
        copy.depths[entry], copy.ranks[entry] = stream.depths[entry], stream.ranks[entry]
        copy.supports[entry] = stream.supports[entry]
    return copy


@kernel
def new_arena() -> Arena:
    """An arena with room to begin with."""
    return Arena(np.empty(64, np.int32), np.empty(64, np.int64), np.empty(1024, np.uint64))


@kernel
def wider(arena: Arena, n_candidates: int, n_words: int) -> Arena:
    """The same arena, with room for at least so many candidates and words."""
    ranks, supports, words = arena
    if n_candidates > len(ranks):
        ranks = np.empty(2 * n_candidates, np.int32)
        supports = np.empty(2 * n_candidates, np.int64)
        for candidate in range(len(arena.ranks)):
            ranks[candidate], supports[candidate] = arena.ranks[candidate], arena.supports[candidate]
    if n_words > len(words):
        words = np.empty(2 * n_words, np.uint64)
        for word in range(len(arena.words)):
            words[word] = arena.words[word]
    return Arena(ranks, supports, words)


@kernel
def write_set(
    path: Codes, length: int, support: int, depths: Codes, ranks: Codes, supports: Codes, state: Counts
) -> None:
    """Add the set of a path's first items to a stream, with what of the path is not yet in it."""
    size = state[SIZE]
    for at in range(state[WRITTEN], length):
        depths[size], ranks[size], supports[size] = at + 1, path[at], PATH_ONLY
        size += 1
    supports[size - 1] = support
    state[SIZE], state[WRITTEN] = size, length
    state[FOUND] += 1


@kernel
def survey(support: int, histogram: Counts, found: Counts, least: Counts, limit: int) -> None:
    """Count a set without keeping it; when there are too many, raise the minimum support.

    It is raised so far that at most a quarter of the limit is left of what was seen, and by a tenth
    at least, so that a survey of any data ends after a bounded number of rises; but never past the
    largest support seen while the sets of that support are few enough.
    """
    histogram[support] += 1
    found[0] += 1
    if found[0] <= limit:
        return
    raised = least[0]
    target = raised + 1 + raised // 10
    while raised < len(histogram) and (raised < target or 4 * found[0] > limit):
        if found[0] <= limit and found[0] == histogram[raised]:
            break
        found[0] -= histogram[raised]
        raised += 1
    least[0] = raised


class Room(NamedTuple):
    """What a thread works in; the first three are zeros whenever they are not in use."""

    counts: Codes
    """by code"""
    slots: Counts
    """by code"""
    numbers: Codes
    """by row"""
    found: Codes
    """ranks"""
    shared: Codes
    """numbers of rows"""
    members: Codes
    """rows"""


@kernel
def new_room(vertical: Vertical) -> Room:
    """Room for one thread."""
    return Room(
        np.zeros(len(vertical.ranks), np.int32),
        np.zeros(len(vertical.ranks), np.int64),
        np.zeros(vertical.n_rows, np.int32),
        np.empty(len(vertical.codes), np.int32),
        np.empty(len(vertical.codes), np.int32),
        np.empty(vertical.n_rows, np.int32),
    )


@kernel
def partners(vertical: Vertical, rank: int, above: int, least: int, room: Room) -> int:
    """Find the ranks above ``above`` that share at least ``least`` rows with a rank; how many they are.

    They are written into ``room.found``, ascending, and the rows they share into ``room.shared``.
    """
    found, shared, n_found = room.found, room.shared, 0
    if len(vertical.pairs) > 0:
        own = vertical.orders[rank]
        for other in range(above + 1, len(vertical.codes)):
            count = vertical.pairs[place_of_pair(own, vertical.orders[other])]
            if count >= least and other != rank:
                found[n_found], shared[n_found] = other, count
                n_found += 1
        return n_found

    counts, read = room.counts, 0
    indptr, items, rows = vertical.indptr, vertical.items, vertical.rows
    for at in range(vertical.starts[rank], vertical.starts[rank + 1]):
        begin, end = indptr[rows[at]], indptr[rows[at] + 1]
        read += end - begin
        for place in range(np.uint64(begin), np.uint64(end)):
            code = np.uint64(items[place])
            counts[code] += np.int32(1)
            if counts[code] == least:
                other = vertical.ranks[code]
                if other > above and other != rank:
                    found[n_found] = other
                    n_found += 1
    sort_codes(found, 0, n_found)
    for number in range(n_found):
        shared[number] = counts[vertical.codes[found[number]]]
    if read > len(counts):
        counts.fill(0)
    else:
        for at in range(vertical.starts[rank], vertical.starts[rank + 1]):
            for place in range(indptr[rows[at]], indptr[rows[at] + 1]):
                counts[items[place]] = 0
    return n_found


@kernel
def project(vertical: Vertical, rank: int, n_others: int, room: Room, words: Words) -> None:
    """Bitmaps of the first ranks in ``room.found`` over the rows of one listed rank, renumbered from 0.

    The bitmap of ``room.found[i]`` begins at word ``(i + 1) * width`` of ``words``; the first words
    are left to those items of the rows that nobody asks for.
    """
    own = vertical.rows[vertical.starts[rank] : vertical.starts[rank + 1]]
    others, numbers, slots = room.found[:n_others], room.numbers, room.slots
    indptr, items = vertical.indptr, vertical.items
    width = words_for(len(own))
    for word in range((n_others + 1) * width):
        words[word] = 0
    # Going through the rows costs their length, going through the items that of their lists.
    by_rows, by_items = 0, len(own)
    for row in own:
        by_rows += indptr[row + 1] - indptr[row]
    for other in others:
        by_items += vertical.supports[other] if other < vertical.n_listed else len(own)
    if by_rows < by_items:
        for slot in range(n_others):
            slots[vertical.codes[others[slot]]] = (slot + 1) * width
        for number in range(len(own)):
            bit, word = np.uint64(1) << np.uint64(number & 63), number >> 6
            for place in range(np.uint64(indptr[own[number]]), np.uint64(indptr[own[number] + 1])):
                words[np.uint64(slots[np.uint64(items[place])] + word)] |= bit
        for other in others:
            slots[vertical.codes[other]] = 0
        return

    for number in range(len(own)):
        numbers[own[number]] = number + 1
    for slot in range(n_others):
        other, into = others[slot], (slot + 1) * width
        if other >= vertical.n_listed:
            pick(vertical.bitmaps, (other - vertical.n_listed) * vertical.width, own, len(own), words, into)
            continue
        for at in range(vertical.starts[other], vertical.starts[other + 1]):
            number = numbers[vertical.rows[at]] - 1
            if number >= 0:
                words[into + (number >> 6)] |= np.uint64(1) << np.uint64(number & 63)
    for row in own:
        numbers[row] = 0


@kernel
def add_set(search: Search, stream: Stream, path: Codes, length: int, support: int, state: Counts) -> None:
    """Write or survey the set of the path's first items, if it has a length that is asked for."""
    if length < search.min_length or length > search.max_length:
        return
    if len(search.histogram) > 0:
        survey(support, search.histogram, search.found, search.least, search.limit)
    else:
        write_set(path, length, support, stream.depths, stream.ranks, stream.supports, state)


@kernel
def narrower(
    source: Words, own: int, words: Words, place: int, width: int, kept: int, support: int, members: Codes
) -> int:
    """Renumber bitmaps to the rows of their prefix, where they lose enough words; how wide they are then."""
    if kept * (width - words_for(support)) <= _RENUMBER * support:
        return width
    renumber(source, own, words, place, width, kept, members)
    return words_for(support)
