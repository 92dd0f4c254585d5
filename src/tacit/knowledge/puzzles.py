"""Buckets of several releases as one puzzle: the values that everybody in them can still have.

A bucket has as many values as members, and every member has one of them. So a value is possible for a member
only if some one-to-one assignment of the bucket's values, within what each member may still have, gives it to
that member (:mod:`tacit.knowledge.reachability` says why strongly connected values tell it). Whoever is in
buckets of several releases, and has the same value in all, may have only what all of them leave. What one
bucket rules out narrows others with the same people, so buckets are looked at until nothing changes.

This is sound: a value that is ruled out is in no assignment that fits all releases. It is not complete: that
every bucket by itself has an assignment left does not say that one fits all buckets at once, and to find out
is as hard as three-dimensional matching.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.bitmaps import has, put
from tacit.arrays.compiled import kernel
from tacit.knowledge.reachability import close
from tacit.typing import Bools, Counts, Offsets, Words


@dataclass(frozen=True, eq=False)
class Puzzle:
    """The buckets of one release, and who could be in them.

    Bucket b has the values ``values[starts[b] : starts[b + 1]]``, each ``tokens`` times. Those in ``people``
    are in the ``buckets`` named beside them. Those in ``others`` are in one of several: ``look_of`` says what
    they look like, and whoever looks like ``looks[i]`` may be in the pool ``pools[i]``. A pool is
    ``pool_rows[p]`` rows of the bucket ``pool_buckets[p]`` which belong to such people and, unless it is
    ``closed``, perhaps to somebody of whom nothing is known.
    """

    starts: Offsets
    values: Counts
    tokens: Counts
    people: Counts
    buckets: Counts
    others: Counts
    look_of: Counts
    looks: Counts
    pools: Counts
    pool_buckets: Counts
    pool_rows: Counts
    closed: Bools


def solve(puzzles: Sequence[Puzzle], allowed: Words) -> Words:
    """What everybody can still have: ``allowed``, a mask of values for each, less what is ruled out."""
    people = allowed.copy()
    releases = [_Release(puzzle, people) for puzzle in puzzles]
    waiting = [np.arange(len(puzzle.starts) - 1) for puzzle in puzzles]
    while any(len(some) for some in waiting):
        for place, release in enumerate(releases):
            todo, waiting[place] = waiting[place], np.zeros(0, dtype=np.int64)
            changed = release.narrow(todo)
            for other, there in enumerate(releases):
                # Its own bucket has said all it can about somebody who is in it for certain.
                again = there.buckets_of(changed, certain=other != place)
                waiting[other] = np.union1d(waiting[other], again)
    return people


class _Release:
    """A puzzle while it is solved; ``people`` is shared with the others."""

    def __init__(self, puzzle: Puzzle, people: Words) -> None:
        self.puzzle, self.people = puzzle, people
        n_buckets, n_pools = len(puzzle.starts) - 1, len(puzzle.pool_rows)
        self.bucket_of = np.full(len(people), -1)
        self.bucket_of[puzzle.people] = puzzle.buckets
        tokens = np.zeros(n_buckets, dtype=np.int64)
        np.add.at(tokens, np.repeat(np.arange(n_buckets), np.diff(puzzle.starts)), puzzle.tokens)
        rows = np.bincount(puzzle.buckets, minlength=n_buckets)
        np.add.at(rows, puzzle.pool_buckets, puzzle.pool_rows)
        spare = np.maximum(tokens - rows, 0)  # values that belong to nobody
        # Members: a person, a pool (numbered behind the people), or -1 for whoever may have anything.
        members = np.concatenate(
            [
                puzzle.people,
                len(people) + np.repeat(np.arange(n_pools), puzzle.pool_rows),
                np.full(int(spare.sum()), -1),
            ]
        )
        buckets = np.concatenate(
            [
                puzzle.buckets,
                np.repeat(puzzle.pool_buckets, puzzle.pool_rows),
                np.repeat(np.arange(n_buckets), spare),
            ]
        )
        order = np.argsort(buckets, kind="stable")
        self.members, self.held = members[order], np.full(len(order), -1)
        self.offsets = np.searchsorted(buckets[order], np.arange(n_buckets + 1))
        self.solvable = rows <= tokens
        self.pools = np.full((n_pools, people.shape[1]), ~np.uint64(0), dtype=np.uint64)
        self.by_look = _Union(puzzle.look_of, puzzle.others)  # of people
        self.in_pool = _Union(puzzle.pools, puzzle.looks)  # of looks
        self.of_look = _Union(puzzle.looks, puzzle.pools)  # of pools

    def narrow(self, todo: Counts) -> Counts:
        """Look at some buckets; the people whose values have become fewer."""
        puzzle, pooled = self.puzzle, len(self.puzzle.others) > 0
        todo = todo[self.solvable[todo]]
        if not len(todo):
            return todo
        looks = np.zeros((int(puzzle.looks.max(initial=-1)) + 1, self.people.shape[1]), dtype=np.uint64)
        if pooled:
            looks[self.by_look.into] = self.by_look.of(self.people)
            held = self.in_pool.of(looks)
            held[~puzzle.closed[self.in_pool.into]] = ~np.uint64(0)
            self.pools[self.in_pool.into] &= held
        looked_at = np.zeros(len(self.offsets) - 1, dtype=np.bool_)
        looked_at[todo] = True
        found = np.where(looked_at[puzzle.pool_buckets, np.newaxis], np.uint64(0), self.pools)
        changed = np.zeros(len(self.people), dtype=np.bool_)
        most = int(np.diff(puzzle.starts).max(initial=1))
        _narrow(
            todo, self.offsets, self.members, self.held, puzzle.starts, puzzle.values, puzzle.tokens,
            self.people, self.pools, found, changed, self.solvable,
            np.zeros((most, (most + 63) // 64), dtype=np.uint64), np.zeros((4, most), dtype=np.int64),
        )  # fmt: skip
        if pooled:
            given_up = ~self.solvable[puzzle.pool_buckets]
            self.pools[~given_up] = found[~given_up]
            looks[self.of_look.into] = self.of_look.of(self.pools)
            before, left = self.people[puzzle.others], looks[puzzle.look_of]
            self.people[puzzle.others] = before & left
            changed[puzzle.others[(before & ~left).any(axis=1)]] = True
        return np.flatnonzero(changed)

    def buckets_of(self, people: Counts, *, certain: bool) -> Counts:
        """The buckets that what is known of some people is about."""
        puzzle = self.puzzle
        marked = np.zeros(len(self.people), dtype=np.bool_)
        marked[people] = True
        looks = np.zeros(int(puzzle.looks.max(initial=-1)) + 1, dtype=np.bool_)
        looks[puzzle.look_of[marked[puzzle.others]]] = True
        found = np.zeros(len(self.offsets) - 1, dtype=np.bool_)
        found[puzzle.pool_buckets[puzzle.pools[looks[puzzle.looks] & puzzle.closed[puzzle.pools]]]] = True
        if certain:
            own = self.bucket_of[people]
            found[own[own >= 0]] = True
        return np.flatnonzero(found)


class _Union:
    """Masks joined: ``into[i]`` has all that those have which stand beside it in ``of``."""

    def __init__(self, into: Counts, of: Counts) -> None:
        order = np.argsort(into, kind="stable")
        self._of, self._starts = of[order], np.flatnonzero(np.diff(into[order], prepend=-1))
        self.into = into[order][self._starts]

    def of(self, masks: Words) -> Words:
        found: Words = np.bitwise_or.reduceat(masks[self._of], self._starts, axis=0)
        return found


@kernel
def _narrow(
    todo: Counts,
    offsets: Offsets,
    members: Counts,
    held: Counts,
    starts: Offsets,
    values: Counts,
    tokens: Counts,
    people: Words,
    pools: Words,
    found: Words,
    changed: Bools,
    solvable: Bools,
    graph: Words,
    room: Counts,
) -> None:
    """Narrow the members of some buckets to their valid values.

    ``held`` is a value (by its place in the bucket) for each member, an assignment that is mended before it
    is used. What pools can have is added to ``found``. A bucket without an assignment is marked as not
    solvable and left as it is.
    """
    n_people = len(people)
    for bucket in todo:
        first, end = offsets[bucket], offsets[bucket + 1]
        start, n_values = starts[bucket], starts[bucket + 1] - starts[bucket]
        if not _assign(first, end, start, n_values, members, held, values, tokens, people, pools, room):
            solvable[bucket] = False
            continue
        for node in range(n_values):
            for word in range(graph.shape[1]):
                graph[node, word] = 0
        free = True
        for at in range(first, end):
            for node in range(n_values):
                if _may(members[at], values[start + node], people, pools):
                    put(graph, held[at], node)
                else:
                    free = False
        if not free:
            close(graph, n_values)
        for at in range(first, end):
            member = members[at]
            if member < 0:
                continue
            if member >= n_people:
                for node in range(n_values):
                    value = values[start + node]
                    if has(pools, member - n_people, value) and (free or has(graph, held[at], node)):
                        put(found, member - n_people, value)
                continue
            # Values of no node of this bucket are ruled out as well: word by word, what is valid stays.
            for word in range(people.shape[1]):
                left = np.uint64(0)
                for node in range(n_values):
                    value = values[start + node]
                    if value >> 6 == word and (free or has(graph, held[at], node)):
                        left |= np.uint64(1) << np.uint64(value & 63)
                if people[member, word] & ~left:
                    people[member, word] &= left
                    changed[member] = True


@kernel
def _assign(
    first: int,
    end: int,
    start: int,
    n_values: int,
    members: Counts,
    held: Counts,
    values: Counts,
    tokens: Counts,
    people: Words,
    pools: Words,
    room: Counts,
) -> bool:
    """Mend the assignment of one bucket: whoever has lost their value gets another, by augmenting paths."""
    spare, queue, giver, mover = room[0], room[1], room[2], room[3]
    for node in range(n_values):
        spare[node] = tokens[start + node]
    for at in range(first, end):
        node = held[at]
        if node >= 0 and _may(members[at], values[start + node], people, pools):
            spare[node] -= 1
        else:
            held[at] = -1
    for at in range(first, end):
        if held[at] >= 0:
            continue
        for node in range(n_values):
            mover[node] = -1
        length, done, last = 0, 0, -1
        for node in range(n_values):
            if last < 0 and _may(members[at], values[start + node], people, pools):
                queue[length], giver[node], mover[node] = node, -1, at
                length += 1
                last = node if spare[node] > 0 else -1
        while done < length and last < 0:
            node = queue[done]
            done += 1
            for other in range(first, end):
                for taken in range(n_values if held[other] == node and last < 0 else 0):
                    if mover[taken] < 0 and _may(members[other], values[start + taken], people, pools):
                        queue[length], giver[taken], mover[taken] = taken, node, other
                        length += 1
                        if spare[taken] > 0:
                            last = taken
                            break
        if last < 0:
            return False
        spare[last] -= 1
        while last >= 0:
            held[mover[last]] = last
            last = giver[last]
    return True


@kernel
def _may(member: int, value: int, people: Words, pools: Words) -> bool:
    """Whether a member may still have a value."""
    if member < 0:
        return True
    if member < len(people):
        return bool(has(people, member, value))
    return bool(has(pools, member - len(people), value))
