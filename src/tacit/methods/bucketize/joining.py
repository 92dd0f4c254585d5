"""Values of the sensitive columns joined along their hierarchies until the promise can be met.

Where a value cannot change hands (those who hold it are the only ones who may), joining it with a value
that others hold lets it. It helps nobody who may have fewer than ℓ values, and no value that is too frequent:
joined values are fewer and more frequent.

Which values are joined next follows from how often each value occurs in the whole table, and from
the hierarchy: the node that covers the fewest rows. What people's quasi-identifiers are has no part in it; it
only decides how many steps are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from tacit.data.column import Column, frozen
from tacit.data.hierarchy import NULL_LABEL, Hierarchy
from tacit.data.table import Table
from tacit.engine.base import Combinations, Engine
from tacit.errors import InfeasibleError, UsageError, listed, option
from tacit.methods.bucketize.asked import Asked
from tacit.methods.bucketize.solve.solve import count_classes, solve
from tacit.mining.knowledge import NegativeRule, NegativeRules
from tacit.mining.negative import expectations, log_chance
from tacit.mining.verbs import mine_negative_rules
from tacit.typing import Bools, Codes

Joined = Mapping[str, Mapping[str, tuple[str | None, ...]]]
"""Per sensitive column and published label, every value of the hierarchy below it."""


@dataclass(frozen=True, eq=False)
class Joining:
    """A table with some values joined, and what readers know of it."""

    table: Table
    knowledge: NegativeRules | None
    joined: Joined


def check_joining(table: Table) -> None:
    """Raise unless the values of a table can be joined."""
    if not any(name in table.hierarchies for name in table.roles.sensitive):
        raise UsageError(
            f"Values are joined along a hierarchy, and {listed(table.roles.sensitive)} has none.",
            code="hierarchy-needed",
            hint=f"Put a file named after the column into the folder of {option('hierarchies')}.",
        )


def joined_until(table: Table, knowledge: NegativeRules | None, asked: Asked) -> Joining | None:
    """The first join after which the promise is feasible, or the table as it is; None where there is none."""
    if _feasible(table, knowledge, asked):
        return Joining(table, knowledge, {})
    if fewest_allowed(table, knowledge, asked.engine) < asked.least:
        return None  # joined values are fewer still
    for step, joined in joined_tables(table):
        if any(len(step.column(name).values) < asked.least for name in joined):
            return None  # what comes is coarser still
        known = knowledge
        if knowledge is not None:
            known = joined_knowledge(knowledge, table, step, joined, asked.engine)
        if _feasible(step, known, asked):
            return Joining(step, known, joined)
    return None


def _feasible(table: Table, knowledge: NegativeRules | None, asked: Asked) -> bool:
    try:
        counted = count_classes(table, knowledge, asked.engine, asked.key)
        solve(counted, replace(asked, epsilon=None, among_left_out=None))
    except InfeasibleError:
        return False
    return True


def fewest_allowed(table: Table, knowledge: NegativeRules | None, engine: Engine) -> int:
    """The fewest values, of any sensitive attribute, that the rules leave to a row."""
    fewest = []
    for name in table.roles.sensitive:
        values = len(table.column(name).values)
        if knowledge is not None and len(knowledge):
            people = engine.combinations(table, table.roles.known)
            values -= int(knowledge.barred(people, name)[0].sum(axis=1).max())
        fewest.append(values)
    return min(fewest)


def joined_knowledge(
    knowledge: NegativeRules, table: Table, joined_table: Table, joined: Joined, engine: Engine
) -> NegativeRules:
    """What a reader with this knowledge knows of the joined values.

    Rules are mined again, as those were. Whoever cannot have any value below a label cannot have
    the label; where no mined rule says so, the rules about the values are put together. A rule that the
    user dropped stays dropped, also of a label above its value.
    """
    texts = {name: tuple(joined_table.column(name).texts) for name in table.roles.sensitive}
    found = NegativeRules.none(knowledge.attributes, texts)
    if knowledge.settings:
        found = mine_negative_rules(joined_table, **dict(knowledge.settings), engine=engine)
    if knowledge.dropped:
        gone = set(knowledge.dropped)
        kept = np.array([gone.isdisjoint(_below(rule, joined)) for rule in found], dtype=bool)
        found = replace(found.select(kept), dropped=knowledge.dropped)
    for name in table.roles.sensitive:
        combinations = engine.combinations(joined_table, (*table.roles.known, name))
        (barred, of), (marks, marked_of) = (one.barred(combinations, name) for one in (knowledge, found))
        for code, label in enumerate(texts[name]):
            below = _codes_below(table, name, label, joined)
            missing = np.asarray(barred[:, below].all(axis=1))[of] & ~marks[:, code][marked_of]
            for nodes, given in _together(knowledge, name, below, combinations, missing):
                found = _with_rule(found, name, code, nodes, combinations, given=given)
    return found


def _below(rule: NegativeRule, joined: Joined) -> Iterator[str]:
    """The texts of the rules about each value below a rule's value, and of the rule itself."""
    yield str(rule)
    for leaf in joined.get(rule.attribute, {}).get(rule.value, ()):
        yield str(replace(rule, value=NULL_LABEL if leaf is None else leaf))


def _codes_below(table: Table, name: str, label: str | None, joined: Joined) -> Codes:
    """The codes in the table of the values that a published label stands for."""
    members = set(joined.get(name, {}).get(label or "", (label,)))
    texts = table.column(name).texts
    return np.array([code for code, text in enumerate(texts) if text in members], dtype=np.int32)


def _together(
    knowledge: NegativeRules, name: str, below: Codes, combinations: Combinations, missing: Bools
) -> Iterator[tuple[Codes, bool]]:
    """The left sides, each with whether all in it were given, that say who cannot have any value below."""
    about = list(knowledge.sensitive).index(name)
    places = {
        int(code): np.flatnonzero((knowledge.about == about) & (knowledge.values == code)) for code in below
    }
    match = knowledge.matching(combinations)
    matching = {int(place): match(knowledge.nodes[place]) for found in places.values() for place in found}
    missing = missing.copy()
    while missing.any():
        first = int(missing.argmax())
        chosen = [
            next(int(place) for place in found if matching[int(place)][first]) for found in places.values()
        ]
        # All of them match this row, so of two nodes of an attribute one lies below the other.
        nodes = knowledge.nodes[chosen[0]].copy()
        for place in chosen[1:]:
            other = knowledge.nodes[place]
            nodes = np.where((nodes < 0) | ((other >= 0) & (other < nodes)), other, nodes)
        yield nodes.astype(np.int32), bool(knowledge.given[chosen].all())
        missing &= ~np.logical_and.reduce([matching[place] for place in chosen])


def _with_rule(
    rules: NegativeRules, name: str, code: int, nodes: Codes, combinations: Combinations, *, given: bool
) -> NegativeRules:
    matching = rules.matching(combinations)(nodes)
    held = combinations.codes[:, combinations.place(name)] == code
    counts, holders = (np.array([int(combinations.counts[some].sum())]) for some in (matching, held))
    chance = expectations(counts, log_chance(holders, combinations.n_rows))
    none = np.zeros(1, dtype=np.int64)
    return rules.extended(name, nodes[None, :], np.array([code]), counts, none, chance, given=given)


def joined_tables(table: Table) -> Iterator[tuple[Table, Joined]]:
    """The table with more and more values joined, as long as every joined column keeps two."""
    cuts = {
        name: _Cut(table.column(name), table.hierarchies[name])
        for name in table.roles.sensitive
        if name in table.hierarchies
    }
    while True:
        steps = {name: step for name, cut in cuts.items() if (step := cut.next_step()) is not None}
        if not steps:
            return
        name = min(steps, key=lambda one: (*steps[one], table.roles.sensitive.index(one)))
        cuts[name].join(steps[name][-1])
        changed = {name: cut for name, cut in cuts.items() if cut.joined}
        source = table.source.settled({name: cut.column() for name, cut in changed.items()})
        trees = {name: tree for name, tree in table.hierarchies.items() if name not in changed}
        joined = {name: cut.below() for name, cut in changed.items()}
        yield replace(table, source=source, hierarchies=trees), joined


def with_joined(table: Table, joined: Joined) -> Table:
    """A table with the values joined that stand below a label, as a release has joined them."""
    columns = {}
    for name, labels in joined.items():
        label_of = {value: label for label, values in labels.items() for value in values}
        column = table.column(name)
        columns[name] = _relabelled(column, [label_of.get(text, text) for text in column.texts])
    return replace(table, source=table.source.settled(columns)) if columns else table


class _Cut:
    """A column's values under a cut of its hierarchy: values as they are, or joined under a node."""

    def __init__(self, column: Column, hierarchy: Hierarchy) -> None:
        self._column, self._whole = column, hierarchy
        self._tree = hierarchy.restricted(column.texts)
        self._leaf = self._tree.leaves_of(column.texts)
        self._node = np.arange(self._tree.n_leaves)  # per leaf, the node that stands for it
        held = np.bincount(self._leaf, weights=column.counts, minlength=self._tree.n_leaves)
        self._sums = np.concatenate([[0], np.cumsum(held)]).astype(np.int64)

    @property
    def joined(self) -> list[int]:
        """The nodes that stand for several values."""
        return sorted({int(node) for node in self._node if node >= self._tree.n_leaves})

    def next_step(self) -> tuple[int, int, int] | None:
        """(rows, leaves, node) of the node to join next; None where only one value would be left."""
        ranges, n_leaves = self._tree.leaf_ranges, self._tree.n_leaves
        found = []
        for node in range(n_leaves, self._tree.n_nodes):
            low, high = (int(end) for end in ranges[node])
            # One join at a time: a node whose values are two or more now, none of them joined further up.
            if high - low == n_leaves or len(set(self._node[low:high])) < 2:
                continue
            found.append((int(self._sums[high] - self._sums[low]), high - low, node))
        return min(found, default=None)

    def join(self, node: int) -> None:
        low, high = self._tree.leaf_ranges[node]
        self._node[low:high] = node

    def column(self) -> Column:
        """The column as it is published: a label in the place of each joined value."""
        labels = [
            text if self._node[leaf] == leaf else self._tree.labels[self._node[leaf]]
            for text, leaf in zip(self._column.texts, self._leaf, strict=True)
        ]
        return _relabelled(self._column, labels)

    def below(self) -> dict[str, tuple[str | None, ...]]:
        """Per label every value below it in the whole hierarchy, whether it occurs or not."""
        found: dict[str, tuple[str | None, ...]] = {}
        for node in self.joined:
            label = self._tree.labels[node]
            low, high = self._whole.leaf_ranges[self._whole.index[label]]
            leaves = self._whole.labels[low:high]
            found[label] = tuple(None if leaf == NULL_LABEL else leaf for leaf in leaves)
        return found


def _relabelled(column: Column, labels: Sequence[str | None]) -> Column:
    """The column with a label in the place of each value."""
    known = sorted({label for label in labels if label is not None}, key=str.encode)
    number: dict[str | None, int] = {label: code for code, label in enumerate(known)}
    number[None] = len(known)
    codes = np.array([number[label] for label in labels], dtype=np.int32)
    values: list[str | None] = [*known, None] if None in labels else [*known]
    return column.recoded(pl.Series(column.name, values, dtype=pl.String), frozen(codes))
