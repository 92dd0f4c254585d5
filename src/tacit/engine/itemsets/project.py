"""The part of the data that sets with a given item are mined from.

The sets that hold an item are found in its rows alone, among the items that occur often enough in
them. :func:`partners` finds these items, :func:`project` writes them as bitmaps over these rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.bitmaps import pick, words_for
from tacit.arrays.compiled import kernel
from tacit.arrays.sorting import sort_codes
from tacit.engine.itemsets.vertical import Vertical, place_of_pair
from tacit.typing import Codes, Counts, Words


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
