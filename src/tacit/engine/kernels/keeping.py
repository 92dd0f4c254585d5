"""Taking out cells so that marks stay within their limits and few patterns are lost.

A *mark* is two codes that together may be left in so many rows, or one code. Each row above the limit
loses one of the two, whichever costs less there. *Patterns* are sets of codes that should stay frequent:
a pattern is lost once more rows are broken than its slack, the rows it has above the least support. The
cost of a cell is the sum over the unbroken patterns its row holds that need it, the less slack the dearer;
patterns that are lost cost nothing any more. The cheapest cells go first, some at a time, and costs are
counted anew in between.

The patterns of a code are walked in preorder: a pattern follows those it extends, and where a code is
missing from the row all that extend it are skipped.

The best of several tries is taken. The second takes out victims alone: where data are dense, all that hold
one code are then lost, and all that hold the other are kept. A later try gives up some of the patterns that
the best one so far has lost, those lost by most first: what was spent on them is then free for others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tacit.arrays.compiled import Flag, interruptible, kernel
from tacit.arrays.csr import larger
from tacit.arrays.groups import read_only
from tacit.engine.kernels.sets import POLLED
from tacit.typing import AnyArray, Bools, Codes, Counts, Offsets

POWERS = (2, 1, 4)
"""How much dearer a pattern is the less slack it has; the first alone where nothing is lost."""
GIVEN_UP = ((1, 3), (2, 3), (1, 1))
"""Shares of the lost patterns that a try gives up."""
MOST_HELD = 4_000_000
"""Where cells are needed by patterns more often than this, a part of the patterns stands for all."""
MOST_LOOKED_AT = 200_000_000
"""About how often a try may look at a cell's need."""


def cells_to_go(indptr: Offsets, items: Codes, marks: Marks, limits: Counts, valued: Valued) -> Bools:
    """Which cells of these rows go, each of which some mark hits; of two as cheap that of the earlier row."""
    indptr, items = read_only(indptr), read_only(items)
    hit = cells_hit(indptr, items, marks)
    in_rows = np.bincount(hit.marks, minlength=len(limits))
    above = np.where(marks.causes == marks.victims, in_rows, in_rows // 2) - limits
    counted = np.ones(len(valued.slack), dtype=np.bool_)
    could_lose, held = interruptible(held_patterns, indptr, items, hit, valued.walks, counted, False)
    endangered = np.flatnonzero(could_lose > valued.slack)
    counted[:] = False
    counted[endangered[:: 1 + int(could_lose[endangered].sum()) // MOST_HELD]] = True
    _, held = interruptible(held_patterns, indptr, items, hit, valued.walks, counted, True)
    steps = int(np.clip(MOST_LOOKED_AT // (6 * max(1, len(held.holdings))), 3, 50))

    def tried(given_up: Bools, power: int, stay: Bools) -> tuple[tuple[int, int], Bools, Counts]:
        gone, slack = interruptible(take_out, hit, held, above, valued.slack, given_up, power, steps, stay)
        return (int((slack < 0).sum()), int(gone.sum())), gone, slack

    either = np.zeros(len(hit.places), dtype=np.bool_)
    best = tried(np.zeros_like(counted), POWERS[0], either)
    if (best[2] < 0).any():
        causes = ~np.isin(items[hit.places], marks.victims)
        best = min(best, tried(np.zeros_like(counted), POWERS[0], causes), key=lambda one: one[0])
    for share, power in _tries():
        lost = np.flatnonzero(best[2] < 0)
        if not len(lost):
            break
        given_up = np.zeros_like(counted)
        by_depth = lost[np.argsort(best[2][lost], kind="stable")]
        given_up[by_depth[: -(-len(lost) * share[0] // share[1])]] = True
        best = min(best, tried(given_up, power, either), key=lambda one: one[0])
    removed = np.zeros(len(items), dtype=np.bool_)
    removed[hit.places[best[1]]] = True
    return removed


def _tries() -> Iterator[tuple[tuple[int, int], int]]:
    for power in POWERS:
        for share in GIVEN_UP:
            yield share, power


SCALE = 1 << 40
"""The cost of a pattern without slack; sums of a million patterns stay within 64 bits."""


class Walks(NamedTuple):
    """The code c walks the nodes ``starts[columns[c]] : starts[columns[c] + 1]``.

    At node v the pattern ``patterns[v]`` is complete when its code ``codes[v]`` is in the row; if it is
    not, the walk goes on at ``skips[v]``. ``alone[column]`` is the pattern that is the code by itself.
    """

    columns: Codes
    starts: Offsets
    codes: Codes
    patterns: Codes
    skips: Offsets
    alone: Codes


class Valued(NamedTuple):
    """Patterns that should stay frequent, and how much they may lose.

    ``slack[p]`` is the number of rows pattern p has above the least support.
    """

    walks: Walks
    slack: Counts


class Marks(NamedTuple):
    """Mark m is (``causes[m]``, ``victims[m]``); ``around[bounds[c] : bounds[c + 1]]`` concern code c."""

    causes: Codes
    victims: Codes
    bounds: Offsets
    around: Codes


class Hit(NamedTuple):
    """The cells that some mark concerns: their places among all cells, and those of row r are ``starts[r:]``.

    The marks of cell c are ``marks[ends[c] : ends[c + 1]]``, each with the cell of its other code.
    """

    places: Counts
    starts: Offsets
    ends: Offsets
    marks: Codes
    others: Counts


class Held(NamedTuple):
    """Cell c is needed by ``holdings[ends[c] : ends[c + 1]]``, each a row with ``patterns[holding]``."""

    ends: Offsets
    holdings: Codes
    patterns: Codes


@kernel
def _other(marks: Marks, mark: int, code: int) -> int:
    """The other code of a mark; of a mark of one code, that one."""
    return int(marks.causes[mark] if marks.victims[mark] == code else marks.victims[mark])


@kernel
def cells_hit(indptr: Offsets, items: Codes, marks: Marks) -> Hit:
    """The cells of rows that are hit, and which marks each is in."""
    n_rows = len(indptr) - 1
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    n_cells = n_links = 0
    cell_of = np.empty(len(marks.bounds) - 1, dtype=np.int64)  # by code, in the row at hand
    places, ends = np.empty(len(items), dtype=np.int64), np.zeros(len(items) + 1, dtype=np.int64)
    links, others = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
    for filling in (False, True):
        if filling:
            links, others = np.empty(n_links, dtype=np.int32), np.empty(n_links, dtype=np.int64)
        n_cells = n_links = 0
        for code in range(len(cell_of)):
            cell_of[code] = -1
        for row in range(n_rows):
            first = n_cells
            for at in range(indptr[row], indptr[row + 1]):
                if marks.bounds[items[at]] < marks.bounds[items[at] + 1]:
                    cell_of[items[at]] = n_cells
                    places[n_cells] = at
                    n_cells += 1
            for cell in range(first, n_cells):
                code = items[places[cell]]
                for place in range(marks.bounds[code], marks.bounds[code + 1]):
                    other = cell_of[_other(marks, marks.around[place], code)]
                    if other >= first:
                        if filling:
                            links[n_links], others[n_links] = marks.around[place], other
                        n_links += 1
                ends[cell + 1] = n_links
            starts[row + 1] = n_cells
    return Hit(places[:n_cells].copy(), starts, ends[: n_cells + 1].copy(), links, others)


@kernel
def held_patterns(
    indptr: Offsets, items: Codes, hit: Hit, walks: Walks, counted: Bools, filling: bool, flag: Flag
) -> tuple[Counts, Held]:
    """In how many rows each of the counted patterns could be broken and, if asked for, by which cells."""
    rows_of = np.zeros(len(counted), dtype=np.int64)
    present = np.full(len(walks.columns), -1, dtype=np.int64)
    last = np.full(len(counted), -1, dtype=np.int64)  # the row a pattern was last seen in
    holding = np.zeros(len(counted) if filling else 0, dtype=np.int32)
    ends = np.zeros(len(hit.places) + 1, dtype=np.int64)
    size = 1 << 12 if filling else 0
    holdings, patterns = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    n_needs = n_holdings = 0
    for row in range(len(indptr) - 1):
        if row % POLLED == 0 and flag[0]:
            break
        for at in range(indptr[row], indptr[row + 1]):
            present[items[at]] = row
        for cell in range(hit.starts[row], hit.starts[row + 1]):
            column = walks.columns[items[hit.places[cell]]]
            node, end = walks.starts[column] - 1, walks.starts[column + 1]
            while node < end and hit.ends[cell] < hit.ends[cell + 1]:
                if node < walks.starts[column]:
                    pattern = walks.alone[column]
                elif present[walks.codes[node]] == row:
                    pattern = walks.patterns[node]
                else:
                    node = walks.skips[node]
                    continue
                node += 1
                if not counted[pattern]:
                    continue
                if filling and n_needs == len(holdings):
                    room = 2 * n_needs
                    holdings, patterns = larger(holdings, room), larger(patterns, room)
                if last[pattern] != row:
                    last[pattern] = row
                    rows_of[pattern] += 1
                    if filling:
                        holding[pattern] = n_holdings
                        patterns[n_holdings] = pattern
                    n_holdings += 1
                if filling:
                    holdings[n_needs] = holding[pattern]
                n_needs += 1
            ends[cell + 1] = n_needs
    return rows_of, Held(ends, holdings[: n_needs * filling].copy(), patterns[: n_holdings * filling].copy())


@kernel
def take_out(
    hit: Hit,
    held: Held,
    above: Counts,
    slack: Counts,
    given_up: Bools,
    power: int,
    steps: int,
    stay: Bools,
    flag: Flag,
) -> tuple[Bools, Counts]:
    """Which cells go so that no mark is left in more rows than it may, and the slack patterns have then.

    ``above[m]`` is the number of rows that mark m must lose. Patterns ``given_up`` cost nothing. Of what is
    to be lost, one in ``steps`` goes between two counts of the costs. Cells that ``stay`` do not go.
    """
    n_cells = len(hit.places)
    gone = np.zeros(n_cells, dtype=np.bool_)
    above, slack = above.copy(), slack.copy()
    broken = np.zeros(len(held.patterns), dtype=np.int16)
    cost_of = np.zeros(len(slack), dtype=np.int64)
    costs, cells = np.empty(n_cells, dtype=np.int64), np.empty(n_cells, dtype=np.int64)
    while not flag[0]:
        left = 0
        for mark in range(len(above)):
            left += max(0, above[mark])
        if left == 0:
            break
        for pattern in range(len(slack)):
            rows = slack[pattern] + 1
            cost = SCALE if rows > 0 and not given_up[pattern] else 0
            for _ in range(power):
                cost = cost // max(1, rows)
            cost_of[pattern] = cost
        count = 0
        for cell in range(n_cells):
            gain = 0 if gone[cell] or stay[cell] else _gain(hit, cell, gone, above)
            if gain:
                cost = 0
                for place in range(held.ends[cell], held.ends[cell + 1]):
                    holding = held.holdings[place]
                    if broken[holding] == 0:
                        cost += cost_of[held.patterns[holding]]
                costs[count], cells[count] = cost // gain, cell
                count += 1
        batch = max(1, left // steps)
        for number in np.argsort(costs[:count], kind="mergesort"):
            cell = cells[number]
            if _gain(hit, cell, gone, above):
                _switch(hit, held, cell, gone, above, slack, broken)
                batch -= 1
                if batch == 0:
                    break
    for cell in range(n_cells):
        if gone[cell] and _may_return(hit, cell, gone, above):
            _switch(hit, held, cell, gone, above, slack, broken)
    return gone, slack


@kernel
def _gain(hit: Hit, cell: int, gone: Bools, above: Counts) -> int:
    """In how many marks above their limits the row would not be any more without the cell."""
    gain = 0
    for place in range(hit.ends[cell], hit.ends[cell + 1]):
        gain += above[hit.marks[place]] > 0 and not gone[hit.others[place]]
    return gain


@kernel
def _may_return(hit: Hit, cell: int, gone: Bools, above: Counts) -> bool:
    for place in range(hit.ends[cell], hit.ends[cell + 1]):
        other = hit.others[place]
        if above[hit.marks[place]] >= 0 and (other == cell or not gone[other]):
            return False
    return True


@kernel
def _switch(
    hit: Hit, held: Held, cell: int, gone: Bools, above: Counts, slack: Counts, broken: AnyArray
) -> None:
    """Take a cell out, or put it back."""
    back = gone[cell]
    step = -1 if back else 1
    for place in range(hit.ends[cell], hit.ends[cell + 1]):
        other = hit.others[place]
        if other == cell or not gone[other]:
            above[hit.marks[place]] -= step
    gone[cell] = not back
    for place in range(held.ends[cell], held.ends[cell + 1]):
        holding = held.holdings[place]
        if broken[holding] == (1 if back else 0):
            slack[held.patterns[holding]] -= step
        broken[holding] += step
