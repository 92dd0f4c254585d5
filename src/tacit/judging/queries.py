"""Utility by counting queries: how wrong a COUNT from a release is (Anatomy [1], section 6).

A query takes some quasi-identifiers and the sensitive attribute and wants a few values of each:
⌈|D|·s^(1/(q+1))⌉ of a domain D, for q quasi-identifiers and selectivity s, so that about a share s
of the rows would match were the attributes unrelated. A release answers with an expectation; a cell that is
published as a node stands for each value below it alike.

[1] X. Xiao, Y. Tao. Anatomy: Simple and Effective Privacy Preservation. VLDB 2006.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.compiled import Flag, interruptible, kernel
from tacit.arrays.groups import distinct, group_rows
from tacit.data.column import Column
from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats, Offsets

Seed = int | tuple[int, ...]
"""What names a set of random queries. Where a figure is published it comes from the key: whoever could draw
the same queries would learn from their errors what the answers were."""


MANY_ROWS = 200_000
"""More rows are counted once for all queries about the same attributes, not query by query."""
MOST_CELLS = 1 << 24
"""So many counts of attributes together are held as a table."""


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries over the codes of the quasi-identifiers (numbered one after the other) and the values."""

    asked: Bools  # (queries, attributes)
    ends: Offsets
    """Where the codes of each attribute begin."""
    wanted: AnyArray  # (queries, codes): the share of a code that is wanted, or whether it is
    wanted_values: Bools  # (queries, values)

    def of_nodes(
        self, exact: Sequence[Column], shown: Sequence[Column], trees: Mapping[str, Hierarchy]
    ) -> Queries:
        """The same queries to columns that show nodes: of each node, the share of its values wanted."""
        found = [
            self.wanted[:, start:end]
            if before is now
            else _spread(self.wanted[:, start:end], before, now, trees[now.name])
            for before, now, start, end in zip(exact, shown, self.ends[:-1], self.ends[1:], strict=True)
        ]
        return Queries(self.asked, code_ends(shown), np.hstack(found).astype(np.float32), self.wanted_values)


def together(sets: Sequence[Queries]) -> Queries:
    """All queries of several sets about the same columns."""
    parts = ([getattr(one, name) for one in sets] for name in ("asked", "wanted", "wanted_values"))
    asked, wanted, wanted_values = (np.concatenate(part) for part in parts)
    return Queries(asked, sets[0].ends, wanted, wanted_values)


def code_ends(columns: Sequence[Column]) -> Offsets:
    """Where the codes of each column begin, when they are numbered one after the other."""
    return np.cumsum([0, *(len(column.values) for column in columns)]).astype(np.int64)


def random_queries(
    ends: Offsets, n_values: int, *, dimensions: int, selectivity: float, queries: int, seed: Seed
) -> Queries:
    """Queries of so many quasi-identifiers, each wanting so many values that the selectivity is met."""
    generator = np.random.Generator(np.random.PCG64(seed))
    sizes = np.diff(ends)
    share = selectivity ** (1 / (dimensions + 1))
    asked = np.zeros((queries, len(sizes)), dtype=np.bool_)
    wanted = np.zeros((queries, int(ends[-1])), dtype=np.bool_)
    wanted_values = np.zeros((queries, n_values), dtype=np.bool_)
    for query in range(queries):
        for attribute in generator.choice(len(sizes), size=dimensions, replace=False):
            asked[query, attribute] = True
            wanted[query, ends[attribute] + _some(generator, int(sizes[attribute]), share)] = True
        wanted_values[query, _some(generator, n_values, share)] = True
    return Queries(asked, ends, wanted, wanted_values)


def answers(
    codes: Codes, queries: Queries, estimates: Sequence[tuple[Counts, Floats]], n_values: int
) -> Floats:
    """Shape (estimates, queries): how many members match each query, by each estimate.

    Combination c has ``codes[:, c]``. An estimate says at ``c * n_values + v`` how many of its members have
    the value v; places may be repeated.
    """
    pairs = distinct(np.concatenate([places for places, _ in estimates]))
    shares = np.array(
        [
            np.bincount(np.searchsorted(pairs, places), weights=expected, minlength=len(pairs))
            for places, expected in estimates
        ]
    )
    counts = np.bincount(pairs // n_values, minlength=codes.shape[1])
    return interruptible(
        _answer,
        np.ascontiguousarray(codes),
        queries.ends,
        queries.asked,
        queries.wanted,
        queries.wanted_values,
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        (pairs % n_values).astype(np.int32),
        shares,
    )


def counted(
    columns: Sequence[Column], values: Codes, n_values: int, queries: Queries, times: Counts | None = None
) -> Floats:
    """The answers of rows of which each has one value: the truth, or what a table of nodes says.

    A row may stand for so many ``times``.
    """
    if len(values) > MANY_ROWS or times is not None:
        return _counted_by_attributes(columns, values, n_values, queries, times)
    own, first = group_rows([column.codes for column in columns], [len(column.values) for column in columns])
    codes = np.array([column.codes[first] for column in columns], dtype=np.int32)
    places = own.astype(np.int64) * n_values + values
    return np.asarray(answers(codes, queries, [(places, np.ones(len(places)))], n_values)[0])


def _counted_by_attributes(
    columns: Sequence[Column], values: Codes, n_values: int, queries: Queries, times: Counts | None
) -> Floats:
    """The same by counts of the attributes that are asked for together, and of nothing else."""
    found = np.empty(len(queries.asked))
    for asked in np.unique(queries.asked, axis=0):
        mine = np.flatnonzero((queries.asked == asked).all(axis=1))
        used = [*np.flatnonzero(asked)]
        sizes = [len(columns[place].values) for place in used]
        if math.prod(sizes) * n_values <= MOST_CELLS:
            keys = np.zeros(len(values), dtype=np.int64)
            for place, size in zip(used, sizes, strict=True):
                keys *= size
                keys += columns[place].codes
            keys *= n_values
            keys += values
            cells = np.bincount(keys, weights=times, minlength=math.prod(sizes) * n_values)
            codes = np.array(np.unravel_index(np.arange(math.prod(sizes)), sizes), dtype=np.int32)
            estimate = np.arange(len(cells)), cells.astype(np.float64)
        else:
            own, first = group_rows([columns[place].codes for place in used], sizes)
            codes = np.array([columns[place].codes[first] for place in used], dtype=np.int32)
            weights = np.ones(len(values)) if times is None else times.astype(np.float64)
            estimate = own.astype(np.int64) * n_values + values, weights
        wanted = [queries.wanted[mine, queries.ends[place] : queries.ends[place + 1]] for place in used]
        some = Queries(
            np.ones((len(mine), len(used)), dtype=np.bool_),
            code_ends([columns[place] for place in used]),
            np.hstack(wanted),
            queries.wanted_values[mine],
        )
        found[mine] = answers(codes, some, [estimate], n_values)[0]
    return found


def relative_errors(estimate: Floats, truth: Floats) -> Floats:
    """The relative error of each query that has a true answer."""
    kept = truth > 0
    return np.asarray(np.abs(estimate[kept] - truth[kept]) / truth[kept])


def _spread(wanted: AnyArray, before: Column, now: Column, tree: Hierarchy) -> Floats:
    """Shape (queries, nodes): of the values below each node, the share that is wanted."""
    leaves = tree.leaves_of(before.texts)
    order = np.argsort(leaves, kind="stable")
    upto = np.zeros((len(wanted), len(order) + 1))
    np.cumsum(wanted[:, order], axis=1, out=upto[:, 1:])
    nodes = [tree.index[NULL_LABEL if text is None else text] for text in now.texts]
    first, last = np.searchsorted(leaves[order], tree.leaf_ranges[nodes].T)
    return np.asarray((upto[:, last] - upto[:, first]) / np.maximum(1, last - first))


def _some(generator: np.random.Generator, domain: int, share: float) -> AnyArray:
    """A random part of a domain, of the size that the selectivity asks for."""
    return generator.choice(domain, size=min(domain, math.ceil(domain * share)), replace=False)


@kernel
def _answer(
    codes: Codes,
    code_ends: Offsets,
    asked: Bools,
    wanted: AnyArray,
    wanted_values: Bools,
    starts: Offsets,
    values: Codes,
    shares: Floats,
    flag: Flag,
) -> Floats:
    """Shape (estimates, queries): how many members match each query, by each of several estimates.

    Combination c has ``codes[:, c]``; by estimate e, ``shares[e, i]`` of its members have the value
    ``values[i]``, for the cells i from ``starts[c]`` to ``starts[c + 1]``. Query q asks about the
    attributes ``asked[q]``; of a member with a code it wants the share ``wanted[q]``, 0 or 1 where codes are
    exact, numbered from ``code_ends[attribute]``; and the values ``wanted_values[q]``.
    """
    n_attributes, n_combinations = codes.shape
    answers = np.zeros((len(shares), len(asked)))
    for query in range(len(asked)):
        if flag[0]:
            break
        for combination in range(n_combinations):
            matching = 1.0
            for attribute in range(n_attributes):
                if asked[query, attribute]:
                    matching *= wanted[query, code_ends[attribute] + codes[attribute, combination]]
                    if matching == 0.0:
                        break
            if matching > 0.0:
                for cell in range(starts[combination], starts[combination + 1]):
                    if wanted_values[query, values[cell]]:
                        for estimate in range(len(shares)):
                            answers[estimate, query] += matching * shares[estimate, cell]
    return answers
