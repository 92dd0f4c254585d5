"""Better classes: each is put together with each of its nearest, and both are divided again.

A pool of two classes is divided by letting one half grow from a combination, always by the cheapest to add,
and stopping where both halves lose the least; several combinations of the pool are tried as the beginning.
A class with 2k rows or more is divided by itself in the same way. Nothing is ever made worse, and classes
that did not change since they were last tried are not tried again. In tables of many columns, where no rows
are close relatives, there is little to gain: a sweep that does not pay is given up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import Flag, kernel
from tacit.recoding.clustering import FAR, class_nodes, class_rows, fill
from tacit.recoding.forest import Trees, common
from tacit.typing import Bools, Codes, Counts

NEAREST = 12
LARGEST_POOL = 64
"""Pools of more combinations are left as they are."""
SEEDS = 12
"""About so many combinations of a pool are tried as the beginning; of a small pool, all."""
ENOUGH = 200
PAYS = 100
"""After so many classes a sweep ends where it has saved less than one part in so many of their cost."""


class _Classes(NamedTuple):
    """Of each class the nodes it is shown with, its rows and its last combination."""

    shown: Codes
    rows: Counts
    heads: Codes
    following: Codes
    """Of each combination, the one before it in its class."""


def exchanged(
    nodes: Codes, counts: Counts, class_of: Codes, k: int, sweeps: int, trees: Trees, flag: Flag
) -> Codes:
    """The class of each combination after so many sweeps over all classes, or when nothing changes."""
    n_classes = int(class_of.max()) + 1
    most = max(n_classes, int(counts.sum()) // k) + 1
    class_of = class_of.copy()
    classes = _classes(nodes, counts, class_of, most, trees)
    costs = np.where(classes.rows > 0, trees.units[classes.shown].sum(axis=1), 0)
    _exchange(nodes, counts, class_of, k, sweeps, trees, flag, n_classes, classes, costs)
    return class_of


@kernel
def _exchange(
    nodes: Codes, counts: Counts, class_of: Codes, k: int, sweeps: int, trees: Trees, flag: Flag,
    n_classes: int, classes: _Classes, costs: Counts,
) -> None:  # fmt: skip
    """Write better classes to ``class_of``; ``costs`` are those of a row of each class."""
    n_columns, (parents, ends, units) = nodes.shape[1], trees
    shown, rows, heads, following = classes
    changed = np.zeros(len(rows), dtype=np.int64)  # the last sweep in which a class was changed, from 1
    row = np.empty(len(parents), dtype=np.int64)
    near, far = np.empty(NEAREST + 1, dtype=np.int32), np.empty(NEAREST + 1, dtype=np.int64)
    pool = np.empty(LARGEST_POOL, dtype=np.int32)
    apart = np.empty(LARGEST_POOL, dtype=np.bool_)
    for sweep in range(sweeps):
        settled = True
        tried, spent, saved = 0, np.int64(0), np.int64(0)
        for mine in range(n_classes - 1, -1, -1):  # the last were grown from what was left
            if flag[0] or (tried >= ENOUGH and saved * PAYS < spent):
                return
            if changed[mine] < sweep:
                continue
            tried += costs[mine] > 0
            spent += rows[mine] * costs[mine]
            n_near = 1
            near[0] = mine
            if costs[mine] > 0:
                n_near = _nearest(mine, n_classes, shown, row, near, far, trees)
            for place in range(n_near):
                other = near[place]
                if other == mine and (rows[mine] < 2 * k or costs[mine] == 0):
                    continue
                size = _pooled(mine, other, heads, following, pool)
                if size < 2:
                    continue
                before = rows[mine] * costs[mine] + (rows[other] * costs[other] if other != mine else 0)
                if not _divided(nodes, counts, pool, size, k, before, apart, trees):
                    continue
                if other == mine:
                    other = n_classes
                    n_classes += 1
                settled = False
                for number, half in ((mine, True), (other, False)):
                    heads[number] = -1
                    rows[number] = 0
                    changed[number] = sweep + 1
                    for at in range(size):
                        if apart[at] == half:
                            one = pool[at]
                            for column in range(n_columns):
                                above = nodes[one, column]
                                if heads[number] >= 0:
                                    above = common(shown[number, column], above, parents, ends)
                                shown[number, column] = above
                            class_of[one] = number
                            following[one] = heads[number]
                            heads[number] = one
                            rows[number] += counts[one]
                    costs[number] = _cost(shown[number], units)
                saved += before - rows[mine] * costs[mine] - rows[other] * costs[other]
        if settled:
            break


def _classes(nodes: Codes, counts: Counts, class_of: Codes, n_classes: int, trees: Trees) -> _Classes:
    order = np.argsort(class_of, kind="stable").astype(np.int32)
    heads = np.full(n_classes, -1, dtype=np.int32)
    heads[class_of[order]] = order  # the last stays
    following = np.full(len(class_of), -1, dtype=np.int32)
    same = class_of[order[1:]] == class_of[order[:-1]]
    following[order[1:][same]] = order[:-1][same]
    shown, rows = class_nodes(nodes, class_of, n_classes, trees), class_rows(counts, class_of, n_classes)
    return _Classes(shown, rows, heads, following)


@kernel
def _nearest(
    mine: int, n_classes: int, shown: Codes, row: Counts, near: Codes, far: Counts, trees: Trees
) -> int:
    """Write the class itself and the classes with which it would lose least to ``near``; how many."""
    n_columns = shown.shape[1]
    for column in range(n_columns):
        fill(row, shown[mine, column], trees)
    near[0], far[0] = mine, -1
    found = 1
    for other in range(n_classes):
        if other == mine:
            continue
        cost = np.int64(0)
        for column in range(n_columns):
            cost += row[shown[other, column]]
        if found == len(near):
            if cost >= far[found - 1]:
                continue
            place = found - 1
        else:
            place = found
            found += 1
        while far[place - 1] > cost:
            near[place], far[place] = near[place - 1], far[place - 1]
            place -= 1
        near[place], far[place] = other, cost
    return found


@kernel
def _pooled(mine: int, other: int, heads: Codes, following: Codes, pool: Codes) -> int:
    """Write the members of both classes to ``pool``; how many, or 0 where there are too many."""
    size = 0
    for number in (mine, other):
        one = heads[number]
        while one >= 0:
            if size == len(pool):
                return 0
            pool[size] = one
            size += 1
            one = following[one]
        if other == mine:
            break
    return size


@kernel
def _divided(
    nodes: Codes, counts: Counts, pool: Codes, size: int, k: int, least: int, apart: Bools, trees: Trees
) -> bool:
    """Whether the pool costs less than ``least`` in two classes; the first of them is marked in ``apart``."""
    n_columns, (parents, ends, units) = nodes.shape[1], trees
    cells = np.empty((size, n_columns), dtype=np.int32)
    total = np.int64(0)
    for place in range(size):
        total += counts[pool[place]]
        for column in range(n_columns):
            cells[place, column] = nodes[pool[place], column]
    better = False
    order = np.empty(size, dtype=np.int32)
    current = np.empty(n_columns, dtype=np.int32)
    first = np.empty(size, dtype=np.int64)  # what the first so many cost
    for seed in range(0, size, 1 + size // SEEDS):
        for place in range(size):
            order[place] = place
        order[0], order[seed] = order[seed], order[0]
        for column in range(n_columns):
            current[column] = cells[seed, column]
        grown, length = counts[pool[seed]], 1
        first[1] = grown * _cost(current, units) if grown >= k and total - grown >= k else FAR
        while length + 1 < size and total - grown > k:
            best, cheapest = length, FAR
            for place in range(length, size):
                cost, one = np.int64(0), order[place]
                for column in range(n_columns):
                    cost += units[common(current[column], cells[one, column], parents, ends)]
                    if cost >= cheapest:
                        break
                if cost < cheapest:
                    best, cheapest = place, cost
            order[length], order[best] = order[best], order[length]
            one = order[length]
            grown += counts[pool[one]]
            if cheapest * grown >= least:  # and it can only grow
                break
            for column in range(n_columns):
                current[column] = common(current[column], cells[one, column], parents, ends)
            length += 1
            first[length] = cheapest * grown if grown >= k and total - grown >= k else FAR
        # The others from the last on, so that each joins what is behind it.
        for column in range(n_columns):
            current[column] = cells[order[size - 1], column]
        rest = counts[pool[order[size - 1]]]
        for place in range(size - 1, 0, -1):
            if place < size - 1:
                rest += counts[pool[order[place]]]
                for column in range(n_columns):
                    current[column] = common(current[column], cells[order[place], column], parents, ends)
            if place > length or first[place] >= least:
                continue
            cost = first[place] + rest * _cost(current, units)
            if cost < least:
                least, better = cost, True
                for at in range(size):
                    apart[order[at]] = at < place
    return better


@kernel
def _cost(nodes: Codes, units: Codes | Counts) -> int:
    """What a row with these cells costs."""
    cost = np.int64(0)
    for node in nodes:
        cost += units[node]
    return int(cost)


def dissolved(nodes: Codes, counts: Counts, class_of: Codes, trees: Trees, flag: Flag) -> Codes:
    """The class of each combination, with classes gone whose combinations lose less in other ones.

    The class that loses the most comes first. Numbers are given anew, without gaps.
    """
    class_of = class_of.copy()
    n_classes = int(class_of.max()) + 1
    classes = _classes(nodes, counts, class_of, n_classes, trees)
    order = np.argsort(-trees.units[classes.shown].sum(axis=1) * classes.rows, kind="stable")
    _dissolve(nodes, counts, class_of, trees, flag, order, classes)
    _, first, found = np.unique(class_of, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), dtype=np.int32)
    numbers[np.argsort(first)] = np.arange(len(first))  # by the first combination
    return numbers[found.reshape(-1)]


@kernel
def _dissolve(
    nodes: Codes, counts: Counts, class_of: Codes, trees: Trees, flag: Flag, order: Counts, classes: _Classes
) -> None:
    n_columns, (parents, ends, units) = nodes.shape[1], trees
    shown, rows, heads, following = classes
    row = np.empty((n_columns, len(parents)), dtype=np.int64)
    for mine in order:
        if flag[0]:
            break
        members = 0
        one = heads[mine]
        while one >= 0:
            members += 1
            one = following[one]
        loss = np.int64(0)
        for column in range(n_columns):
            loss += units[shown[mine, column]] * rows[mine]
        if loss == 0 or members == 0:
            continue
        homes = np.empty(members, dtype=np.int32)
        before = np.empty((members, n_columns), dtype=np.int32)
        more, tried = np.int64(0), 0
        one = heads[mine]
        while one >= 0 and more < loss:
            home, least = _cheapest(one, mine, nodes, counts, shown, rows, row, trees)
            if home < 0:
                break
            more += least
            homes[tried] = home
            rows[home] += counts[one]
            for column in range(n_columns):
                before[tried, column] = shown[home, column]
                shown[home, column] = common(shown[home, column], nodes[one, column], parents, ends)
            tried += 1
            one = following[one]
        if one < 0 and more < loss:
            one = heads[mine]
            for place in range(members):
                then, home = following[one], homes[place]
                class_of[one] = home
                following[one], heads[home] = heads[home], one
                one = then
            heads[mine], rows[mine] = -1, 0
        else:  # as it was, the last first
            one = heads[mine]
            for place in range(tried):
                rows[homes[place]] -= counts[one]
                one = following[one]
            for place in range(tried - 1, -1, -1):
                for column in range(n_columns):
                    shown[homes[place], column] = before[place, column]


@kernel
def _cheapest(
    one: int, mine: int, nodes: Codes, counts: Counts, shown: Codes, rows: Counts, row: Counts, trees: Trees
) -> tuple[int, int]:
    """The other class that loses least more with a combination in it, and how much; or -1."""
    n_columns, units = nodes.shape[1], trees.units
    for column in range(n_columns):
        fill(row[column], nodes[one, column], trees)
    best, least = -1, FAR
    for other in range(len(rows)):
        if other == mine or rows[other] == 0:
            continue
        more, column = np.int64(0), 0
        while column < n_columns and more < least:
            node = shown[other, column]
            more += row[column, node] * (rows[other] + counts[one]) - units[node] * rows[other]
            column += 1
        if column == n_columns and more < least:
            best, least = other, more
    return best, int(least)
