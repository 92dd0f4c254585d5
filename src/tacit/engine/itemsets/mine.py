"""Frequent itemsets of transactions: complete, closed or maximal.

Given rows that are sets of item codes, the sets of items that occur together in at least so many
rows, each with the number of these rows (its support). A set is *closed* when no set that contains
it has the same support, *maximal* when no set that contains it is frequent. The counting is exact,
and the result is the same arrays whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from tacit.arrays.compiled import Flag, each, interruptible, kernel
from tacit.arrays.groups import read_only, row_order, rows_holding, take_rows
from tacit.engine.base import NO_LIMIT, WantedItemsets
from tacit.engine.itemsets.shared import Search, Stream
from tacit.engine.itemsets.vertical import Vertical, item_supports, verticalize
from tacit.engine.itemsets.walk import mine
from tacit.typing import Codes, Counts, Offsets

Kind = Literal["complete", "closed", "maximal"]
KINDS: tuple[Kind, ...] = get_args(Kind)  # as the kernel counts them

_ENOUGH = 1 << 16  # entries after which a stream is handed over and the next is begun
_SURVEYED = 1_000_000  # a survey looks for a minimum support that gives no more sets than this
_PROGRESS_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class FoundItemsets:
    """Itemsets in compressed sparse row form, with their supports.

    Set i is ``items[offsets[i] : offsets[i + 1]]``, ascending. Shorter sets come first, sets of one
    length in lexicographic order.
    """

    offsets: Offsets
    items: Codes
    supports: Counts


@dataclass(frozen=True, slots=True)
class TooManyItemsets:
    """There are more sets than were allowed; none is returned."""

    fitting_count: int | None
    """a minimum support with which the sets are few enough; None when there is none"""
    fitting_itemsets: int
    """how many sets there are then (for maximal ones: at most)"""


def frequent_itemsets(
    indptr: Offsets,
    items: Codes,
    n_items: int,
    wanted: WantedItemsets,
    *,
    threads: int = 1,
    flag: Flag | None = None,
    progress: Callable[[float], None] | None = None,
) -> FoundItemsets | TooManyItemsets:
    """The itemsets that are wanted.

    Row r is ``items[indptr[r] : indptr[r + 1]]``: ascending codes below ``n_items``, each once; else
    ValueError.

    With more than ``max_itemsets`` sets the search stops, and a survey of the data, which keeps no
    sets, finds a minimum support with which they would be few enough: see :class:`TooManyItemsets`.

    Ctrl-C and a raised ``flag`` stop the work (KeyboardInterrupt, :class:`tacit.errors.Cancelled`).
    ``progress`` is called now and then, from another thread, with the share of the search that is done.

    >>> from tacit.engine.base import WantedItemsets
    >>> rows = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 1])
    >>> found = frequent_itemsets(*rows, 2, WantedItemsets(min_count=2))
    >>> found.offsets.tolist(), found.items.tolist(), found.supports.tolist()
    ([0, 1, 2, 4], [0, 1, 0, 1], [2, 3, 2])
    """
    least = min(wanted.min_count, wanted.min_length, threads, wanted.max_itemsets)
    if least < 1 or wanted.max_itemsets > NO_LIMIT:
        raise ValueError("min_count, min_length, threads and max_itemsets must be at least 1")
    if len(indptr) > NO_LIMIT:
        raise ValueError(f"more than {NO_LIMIT - 1} rows")
    if wanted.allowed is not None and not wanted.allowed[wanted.required].all():
        raise ValueError("a required item is not allowed")
    indptr = read_only(np.ascontiguousarray(indptr, dtype=np.int64))
    items = read_only(np.ascontiguousarray(items, dtype=np.int32))
    return interruptible(_mine, wanted, indptr, items, n_items, threads, progress, flag=flag)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The data as the search takes them."""

    vertical: Vertical
    always: Codes
    """codes that every set holds"""
    longest: int
    """the length of the longest row"""
    streams: list[tuple[Stream, int]]
    """the set of the ``always`` codes alone, if it is one of those asked for"""


def _mine(
    wanted: WantedItemsets, indptr: Offsets, items: Codes, n_items: int, threads: int,
    progress: Callable[[float], None] | None, flag: Flag,
) -> FoundItemsets | TooManyItemsets:  # fmt: skip
    prepared = _prepare(wanted, indptr, items, n_items, threads, flag)
    search = _new_search(wanted, prepared, flag, threads=threads)
    streams = prepared.streams + _run(wanted, prepared.vertical, search, progress)
    if search.found[0] > search.limit or flag[0]:  # with a raised flag a survey ends at once
        streams.clear()
        return _survey(wanted, prepared, flag)
    codes, always = prepared.vertical.codes, prepared.always
    del prepared  # the sets may need its memory
    return _written_out(streams, wanted, codes, always, threads)


def _prepare(
    wanted: WantedItemsets, indptr: Offsets, items: Codes, n_items: int, threads: int, flag: Flag
) -> _Prepared:
    supports = item_supports(indptr, items, n_items, threads=threads)
    if supports.longest < 0:
        raise ValueError("rows must hold ascending codes in range, each once")
    always = np.zeros(n_items, dtype=np.bool_)
    always[wanted.required] = True
    if len(wanted.required):
        held = rows_holding(indptr, items, np.flatnonzero(always))
        indptr, items = (read_only(part) for part in take_rows(indptr, items, held))
        supports = item_supports(indptr, items, n_items, threads=threads)
    n_rows = len(indptr) - 1
    eligible = wanted.usable(supports.total)
    if wanted.kind != "complete":  # an item that is in all rows is in every closed set
        everywhere = eligible & (supports.total == n_rows)
        always, eligible = always | everywhere, eligible & ~everywhere
    streams = []
    if always.any() and n_rows >= wanted.min_count and not (wanted.kind == "maximal" and eligible.any()):
        streams.append((Stream(*(np.array([value], dtype=np.int32) for value in (0, 0, n_rows))), 1))
    list_all = wanted.kind != "complete"
    vertical = verticalize(indptr, items, supports=supports, eligible=eligible, list_all=list_all, flag=flag)
    return _Prepared(vertical, np.flatnonzero(always).astype(np.int32), supports.longest, streams)


def _new_search(
    wanted: WantedItemsets, prepared: _Prepared, flag: Flag, *, threads: int = 1, survey: int = 0
) -> Search:
    """A search that has not begun; ``survey`` is 0, or the length of the histogram to keep."""
    n_always = len(prepared.always)
    n_ranks = len(prepared.vertical.codes) if wanted.max_length > n_always else 0
    found, next_task = np.zeros((2, 1), dtype=np.int64)
    next_second, n_seconds = np.zeros((2, n_ranks), dtype=np.int64)
    return Search(
        least=np.array([wanted.min_count], dtype=np.int64),
        min_length=wanted.min_length - n_always,
        max_length=wanted.max_length - n_always,
        longest=prepared.longest,
        limit=wanted.max_itemsets - len(prepared.streams),
        found=found,
        next_task=next_task,
        next_second=next_second,
        n_seconds=n_seconds,
        busy=np.full(threads, -1, dtype=np.int64),
        histogram=np.zeros(survey, dtype=np.int64),
        flag=flag,
    )


def _run(
    wanted: WantedItemsets, vertical: Vertical, search: Search, progress: Callable[[float], None] | None
) -> list[tuple[Stream, int]]:
    """What the search's threads find."""

    def work(thread: int) -> list[tuple[Stream, int]]:
        streams = []
        while True:
            streams.append(mine(vertical, search, thread, _ENOUGH, KINDS.index(wanted.kind)))
            if streams[-1][1] < _ENOUGH or search.found[0] > search.limit or search.flag[0]:
                return streams

    threads = len(search.busy)
    if threads == 1 and progress is None:
        return work(0)
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, thread) for thread in range(threads)]
        while progress is not None and wait(futures, timeout=_PROGRESS_SECONDS).not_done:
            progress(min(1.0, int(search.next_task[0]) / max(1, len(vertical.codes))))
        if progress is not None:
            progress(1.0)
        return [stream for future in futures for stream in future.result()]


def _survey(wanted: WantedItemsets, prepared: _Prepared, flag: Flag) -> TooManyItemsets:
    """Find a minimum support with which the sets are few enough, without keeping any.

    For maximal sets the closed ones are counted: they are at least as many, and a higher minimum
    support never gives more of them.
    """
    kind: Kind = "complete" if wanted.kind == "complete" else "closed"
    alone = replace(wanted, kind=kind, max_itemsets=min(wanted.max_itemsets, _SURVEYED))
    n_rows = prepared.vertical.n_rows
    search = _new_search(alone, prepared, flag, survey=n_rows + 1)
    _run(alone, prepared.vertical, search, None)
    least = int(search.least[0])
    found = int(search.found[0]) + len(prepared.streams)
    return TooManyItemsets(least if least <= n_rows else None, found)


def _written_out(
    streams: list[tuple[Stream, int]], wanted: WantedItemsets, codes: Codes, always: Codes, threads: int
) -> FoundItemsets:
    """The sets of the streams in the one order that every run gives, whichever thread found a set.

    ``codes`` gives the code of a rank; the ``always`` codes belong to every set. The list of streams is
    emptied on the way, so that sets and streams are not both held.
    """
    deepest = max((int(stream.depths[:size].max(initial=0)) for stream, size in streams), default=0)
    by_depth = np.zeros(deepest + 1, dtype=np.int64)
    for stream, size in streams:
        by_depth += np.bincount(stream.depths[:size][stream.supports[:size] >= 0], minlength=deepest + 1)
    by_depth[: max(0, wanted.min_length - len(always))] = 0
    by_depth[max(0, wanted.max_length - len(always) + 1) :] = 0
    depths = np.flatnonzero(by_depth)
    lengths, groups = depths + len(always), by_depth[depths]
    rows = np.concatenate(([0], np.cumsum(groups)))
    firsts = np.concatenate(([0], np.cumsum(groups * lengths)))
    next_rows = np.full(deepest + 1, -1, dtype=np.int64)  # by depth; -1 where a length is not asked for
    next_rows[depths] = rows[:-1]
    places = np.zeros(deepest + 1, dtype=np.int64)
    places[depths] = firsts[:-1]
    path = np.concatenate([always, np.zeros(deepest, dtype=np.int32)])
    items, supports = np.empty(firsts[-1], dtype=np.int32), np.empty(rows[-1], dtype=np.int64)
    while streams:
        stream, size = streams.pop()
        _fill(*stream, size, codes, path, len(always), next_rows, places, items, supports)
    offsets = np.empty(rows[-1] + 1, dtype=np.int64)
    offsets[-1] = firsts[-1]

    def sort(slot: int) -> None:
        length, of_length = lengths[slot], slice(rows[slot], rows[slot + 1])
        offsets[of_length] = np.arange(firsts[slot], firsts[slot + 1], length)
        sets = items[firsts[slot] : firsts[slot + 1]].reshape(-1, length)
        sets.sort(axis=1)
        order = row_order(np.arange(0, sets.size + 1, length), sets.ravel())
        sets[:] = sets[order]
        supports[of_length] = supports[of_length][order]

    each(sort, np.argsort(-groups * lengths, kind="stable").tolist(), threads=threads)
    return FoundItemsets(offsets, items, supports)


@kernel
def _fill(
    depths: Codes, ranks: Codes, given: Codes, size: int, codes: Codes, path: Codes, n_always: int,
    next_rows: Counts, places: Counts, items: Codes, supports: Counts,
) -> None:  # fmt: skip
    """Write the sets of a stream one after the other, each behind those of its length."""
    for entry in range(size):
        depth = depths[entry]
        if depth > 0:
            path[n_always + depth - 1] = codes[ranks[entry]]
        if given[entry] >= 0 and next_rows[depth] >= 0:
            supports[next_rows[depth]] = given[entry]
            next_rows[depth] += 1
            for at in range(n_always + depth):
                items[places[depth] + at] = path[at]
            places[depth] += n_always + depth
