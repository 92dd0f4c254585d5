"""What a solver is given, the distinct combinations of a table with counts, their trees and the promise; and
what it gives: a plan, which is carried out on rows.

Tests of the promise may fail by chance: how closely a half keeps it is blurred by a draw of the key. A half
that breaks the promise fails. One that stands x exchanges of values fails with probability e^(-ε(x + 1)), so
that one exchange changes the probability by a factor of at most e^ε.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from tacit.arrays.compiled import kernel
from tacit.arrays.groups import group_rows, group_sorted
from tacit.data.column import Column, frozen
from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.knowledge.row_classes import row_classes as kinds_of_rows
from tacit.mining.knowledge import NegativeRules
from tacit.random.key import Key
from tacit.random.keyed import draws
from tacit.recoding.forest import Forest, forest_of, leaf_costs
from tacit.recoding.promises import Held, Promise
from tacit.typing import AnyArray, Bools, Codes, Counts, Floats


@dataclass(frozen=True, eq=False)
class Problem:
    """Combination i has ``counts[i]`` rows, and in column c the value ``codes[i, c]``."""

    forest: Forest
    codes: Codes  # (combinations, columns)
    leaves: tuple[Codes, ...]
    """Per column, the node of each value."""
    counts: Counts
    promise: Promise
    kept: int = 0
    """The last so many columns are published as they are: they belong to a class, and lose nothing."""

    @property
    def n_columns(self) -> int:
        """The columns that may be made coarser."""
        return int(self.codes.shape[1]) - self.kept

    @cached_property
    def n_rows(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def nodes(self) -> Codes:
        """Shape (combinations, columns): the leaf of every cell."""
        found = [leaves[codes] for leaves, codes in zip(self.leaves, self.codes.T, strict=True)]
        return np.ascontiguousarray(np.column_stack(found), dtype=np.int32)

    @cached_property
    def columns(self) -> AnyArray:
        """The codes column by column, without a sign: where each is looked up often, that is much faster."""
        return np.ascontiguousarray(self.codes.T, dtype=np.uint32)

    def apart(self) -> Iterator[tuple[AnyArray, Problem]]:
        """For each combination of kept columns, the combinations with it and their problem without them."""
        free = self.n_columns
        kept = [np.ascontiguousarray(column) for column in self.codes.T[free:]]
        group, first = group_rows(kept, [len(leaves) for leaves in self.leaves[free:]])
        for number in range(len(first)):
            chosen = np.flatnonzero(group == number)
            yield (
                chosen,
                replace(
                    self,
                    codes=np.ascontiguousarray(self.codes[chosen, :free]),
                    leaves=self.leaves[:free],
                    counts=self.counts[chosen],
                    promise=self.promise.of(chosen, len(self.counts)),
                    kept=0,
                ),
            )


@dataclass(frozen=True, eq=False)
class Recoded:
    """A plan: combination i is published with the nodes ``nodes[class_of[i]]``, or its rows are left out."""

    class_of: Codes
    nodes: Codes  # (classes, columns)
    left_out: Bools
    """Of each class, whether its rows are left out."""

    def loss(self, problem: Problem) -> float:
        """The mean loss of all cells; those of rows left out lose everything."""
        return float(self.column_losses(problem).mean())

    def column_losses(self, problem: Problem) -> Floats:
        """The mean loss of the cells of each column that may be made coarser."""
        rows = np.bincount(self.class_of, weights=problem.counts, minlength=len(self.nodes))
        costs = np.where(
            self.left_out[:, None], 1.0, problem.forest.costs[self.nodes[:, : problem.n_columns]]
        )
        return np.asarray(rows @ costs / max(1, problem.n_rows))


def quasi_combinations(combinations: Combinations, quasi: Sequence[str]) -> tuple[Codes, Codes, Counts]:
    """The combinations of the quasi-identifiers alone: that of each combination, their codes, their rows."""
    places = [combinations.place(name) for name in quasi]
    if places == [*range(len(combinations.names))]:  # they are these already
        return np.arange(len(combinations.counts), dtype=np.int32), combinations.codes, combinations.counts
    columns = [np.ascontiguousarray(combinations.codes[:, place]) for place in places]
    number, first = group_rows(columns, [len(combinations.texts[place]) for place in places])
    rows = np.bincount(number, weights=combinations.counts, minlength=len(first)).astype(np.int64)
    return number, np.ascontiguousarray(combinations.codes[first][:, places]), rows


def held_values(
    combinations: Combinations, number: Codes, sensitive: Sequence[str], rules: NegativeRules | None
) -> Held:
    """What the combinations of quasi-identifiers hold of the sensitive attributes."""
    kinds, kind_of = kinds_of_rows(combinations, sensitive, rules)
    return Held(number, kind_of, combinations.counts, kinds)


def problem_of(
    combinations: Combinations,
    quasi: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    promise: Callable[[Held | None], Promise],
    *,
    costs: Mapping[str, Floats] | None = None,
    kept: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    rules: NegativeRules | None = None,
) -> Problem:
    """What a solver is given; ``costs`` of a column say what its nodes lose, where that is not by leaves.

    The ``kept`` columns are part of a class as they are; their hierarchies play no part but for their leaves.
    """
    known = (*quasi, *kept)
    number, codes, rows = quasi_combinations(combinations, known)
    trees = [hierarchies[name] for name in known]
    spent = [(costs or {}).get(name, leaf_costs(tree)) for name, tree in zip(known, trees, strict=True)]
    forest = forest_of(trees, spent)
    texts = [combinations.texts[combinations.place(name)] for name in known]
    leaves = tuple(
        numbers[tree.leaves_of(list(own))]
        for tree, numbers, own in zip(trees, forest.numbers, texts, strict=True)
    )
    held = held_values(combinations, number, sensitive, rules) if sensitive else None
    return Problem(forest, codes, leaves, rows, promise(held), len(kept))


def row_classes(recoded: Recoded, table: Table) -> Codes:
    """The class of each row; the plan is about the combinations of its known columns."""
    columns = table.known
    cells = [column.codes for column in columns]
    if table.times is not None and table.names[: len(columns)] == table.roles.known:
        combination, _ = group_sorted(cells)
    else:
        combination, _ = group_rows(cells, [len(column.values) for column in columns])
    return recoded.class_of[combination]


def node_columns(
    recoded: Recoded, problem: Problem, names: Sequence[str], class_of: AnyArray
) -> list[Column]:
    """The quasi-identifiers of rows of these classes, as they are published."""
    labels = np.array(problem.forest.labels, dtype=object)
    there = np.bincount(class_of, minlength=len(recoded.nodes)) > 0
    number = np.cumsum(there, dtype=np.int32) - np.int32(1)  # of the classes that occur
    return [
        _labelled(name, recoded.nodes[there, place], labels, number[class_of])
        for place, name in enumerate(names)
    ]


def _labelled(name: str, nodes: Codes, labels: np.ndarray, class_of: Codes) -> Column:
    """The labels of the nodes of classes, as a column of rows of these classes."""
    used, codes = np.unique(nodes, return_inverse=True)
    values, numbers = np.unique(labels[used].astype(str), return_inverse=True)
    shown = numbers.reshape(-1)[codes.reshape(-1)].astype(np.int32)
    return Column(name, frozen(shown[class_of]), pl.Series(name, values.tolist()))


def published_order(shown: Sequence[Column], others: Sequence[Column], class_of: AnyArray) -> Counts:
    """The rows of these classes by the text of what is published of them: ``shown``, then the others."""
    n_classes = int(class_of.max(initial=-1)) + 1
    member = np.zeros(n_classes, dtype=np.int64)
    member[class_of] = np.arange(len(class_of))
    # Classes are few and rows many: the rank of a class, the same for two that are published alike.
    cells = [column.text_ranks[column.codes[member]] for column in shown]
    order = np.lexsort(cells[::-1])
    new = np.zeros(n_classes, dtype=np.bool_)
    for own in cells:
        new[1:] |= own[order][1:] != own[order][:-1]
    rank = np.empty(n_classes, dtype=np.int32)
    rank[order] = np.cumsum(new, dtype=np.int32)
    behind = [column.text_ranks[column.codes] for column in reversed(others)]
    return np.lexsort([*behind, rank[class_of]])


MOST_KEYS = 1 << 62
"""Keys are numbers below this; with more ways to combine nodes, columns come one after another."""
DIRECT = 8
"""Where there are at most so many keys for each combination, a key is its own place in a table."""


def merged(
    problem: Problem, chosen: Codes, counts: Counts, starts: Counts, nodes: Codes
) -> tuple[Codes, Counts, Codes]:
    """The classes of some combinations: the class of each; of each class its rows and its first combination.

    ``chosen`` are the combinations that take part, with their rows. The code ``v`` of column c becomes the
    node ``nodes[starts[c] + v]``.
    """
    sizes = [len(leaves) for leaves in problem.leaves]
    worth, n_keys = np.empty(len(nodes), dtype=np.int64), 1
    keys = np.zeros(len(chosen), dtype=np.int64)
    added = 0
    for column, (start, size) in enumerate(zip(starts.tolist(), sizes, strict=True)):
        used, place = np.unique(nodes[start : start + size], return_inverse=True)
        if n_keys * len(used) > MOST_KEYS:
            _add(problem.columns[added:column], chosen, starts[added:], worth, keys)
            class_of, _, first = _numbered(keys, counts, n_keys)
            keys, n_keys, added = class_of.astype(np.int64), len(first), column
        worth[start : start + size] = place.reshape(-1) * n_keys
        n_keys *= len(used)
    _add(problem.columns[added:], chosen, starts[added:], worth, keys)
    class_of, rows, first = _numbered(keys, counts, n_keys)
    return class_of, rows, chosen[first]


def _numbered(keys: Counts, counts: Counts, n_keys: int) -> tuple[Codes, Counts, Codes]:
    """Equal keys as one class, in the order of their first: class of each, rows and first of each class."""
    direct = n_keys <= DIRECT * max(len(keys), 1 << 10)
    slots = np.full(n_keys if direct else 1 << (2 * len(keys)).bit_length(), -1, dtype=np.int32)
    class_of, first = np.empty(len(keys), dtype=np.int32), np.empty(len(keys), dtype=np.int32)
    rows = np.zeros(len(keys), dtype=np.int64)
    found = _number(keys, counts, slots, direct, class_of, rows, first)
    return class_of, rows[:found], first[:found]


@kernel
def _add(columns: Codes, chosen: Codes, starts: Counts, worth: Counts, keys: Counts) -> None:
    """Add what the nodes of each combination are worth to its key."""
    for column in range(len(columns)):
        codes, own = columns[column], worth[starts[column] :]
        for place in range(len(chosen)):
            keys[place] += own[codes[np.uint32(chosen[place])]]


@kernel
def _number(
    keys: Counts, counts: Counts, slots: Codes, direct: bool, class_of: Codes, rows: Counts, first: Codes
) -> int:
    """Put every key into its place, or into a table of open addresses."""
    mask = np.uint64(len(slots) - 1)
    found = 0
    for place in range(len(keys)):
        slot = np.uint64(keys[place])
        if not direct:
            slot *= np.uint64(0x9E3779B97F4A7C15)
            slot = (slot ^ (slot >> np.uint64(29))) & mask
            while slots[slot] >= 0 and keys[first[slots[slot]]] != keys[place]:
                slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = found
            first[found] = place
            found += 1
        class_of[place] = slots[slot]
        rows[slots[slot]] += counts[place]
    return found


Fails = Callable[[Sequence[AnyArray], float], bool]
"""Whether a division into these combinations fails its test, which it does with this probability."""


def drawn_by(key: Key, combinations: Combinations, known: Sequence[str]) -> Fails:
    """Tests that the key of a table decides, each by a draw of its own: that of what the halves hold.

    The halves are of the combinations of the ``known`` columns; what is sensitive in them counts too.
    """
    content, records = key.subkey("generalize: content"), key.subkey("generalize: records")
    number, codes, _ = quasi_combinations(combinations, known)
    held = combinations.digests(content)
    words = np.zeros((len(codes), 2), dtype=np.uint64)
    for label in (0, 1):
        np.add.at(words[:, label], number, draws(records, held, combinations.counts, label=label))

    def fails(halves: Sequence[AnyArray], chance: float) -> bool:
        if chance >= 1:
            return True
        sums = sorted(words[half].sum(axis=0).tolist() for half in halves)
        return key.subkey(f"generalize: {sums}").words[0] < chance * 2.0**64

    return fails


def chances(slack: Counts, epsilon: float) -> Floats:
    """The probability with which a half of this slack fails its test."""
    return np.where(slack < 0, 1.0, np.exp(-epsilon * (np.maximum(0, slack) + 1.0)))
