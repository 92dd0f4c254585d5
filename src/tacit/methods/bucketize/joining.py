"""Values of the sensitive columns joined along their hierarchies until the promise can be met."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tacit.data.hierarchy import NULL_LABEL
from tacit.data.table import Table
from tacit.engine.base import Bucketing, Combinations
from tacit.errors import UsageError, listed, option
from tacit.methods.bucketize.solve.value_joins import Joined, joined_tables
from tacit.mining.knowledge import NegativeRule, NegativeRules
from tacit.mining.negative import expectations, log_chance
from tacit.mining.verbs import mine_negative_rules
from tacit.typing import Bools, Codes


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


def joined_until(
    table: Table,
    knowledge: NegativeRules | None,
    least: int,
    engine: Bucketing,
    feasible: Callable[[Table, NegativeRules | None], bool],
) -> Joining | None:
    """The first join after which the promise is feasible, or the table as it is; None where there is none."""
    if feasible(table, knowledge):
        return Joining(table, knowledge, {})
    if fewest_allowed(table, knowledge, engine) < least:
        return None  # joined values are fewer still
    for step in joined_tables(table):
        if any(len(step.table.column(name).values) < least for name in step.joined):
            return None  # what comes is coarser still
        known = (
            None if knowledge is None else joined_knowledge(knowledge, table, step.table, step.joined, engine)
        )
        if feasible(step.table, known):
            return Joining(step.table, known, step.joined)
    return None


def fewest_allowed(table: Table, knowledge: NegativeRules | None, engine: Bucketing) -> int:
    """The fewest values, of any sensitive attribute, that the rules leave to a row."""
    fewest = []
    for name in table.roles.sensitive:
        values = len(table.column(name).values)
        if knowledge is not None and len(knowledge):
            people = engine.combinations(table, table.roles.known)
            values -= int(knowledge.forbidden(people, name).sum(axis=1).max())
        fewest.append(values)
    return min(fewest)


def joined_knowledge(
    knowledge: NegativeRules, table: Table, joined_table: Table, joined: Joined, engine: Bucketing
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
        found = found.select(np.array([gone.isdisjoint(_below(rule, joined)) for rule in found], dtype=bool))
    for name in table.roles.sensitive:
        combinations = engine.combinations(joined_table, (*table.roles.known, name))
        barred, marks = knowledge.forbidden(combinations, name), found.forbidden(combinations, name)
        for code, label in enumerate(texts[name]):
            below = _codes_below(table, name, label, joined)
            missing = barred[:, below].all(axis=1) & ~marks[:, code]
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
    """The left sides, each with whether a rule in it was given, that say who cannot have any value below."""
    about = list(knowledge.sensitive).index(name)
    places = {
        int(code): np.flatnonzero((knowledge.about == about) & (knowledge.values == code)) for code in below
    }
    matching = {
        int(place): _matches(knowledge, int(place), combinations)
        for found in places.values()
        for place in found
    }
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
        yield nodes.astype(np.int32), bool(knowledge.given[chosen].any())
        missing &= ~np.logical_and.reduce([matching[place] for place in chosen])


def _matches(knowledge: NegativeRules, place: int, combinations: Combinations) -> Bools:
    """Which combinations a rule is about."""
    inside = np.ones(len(combinations), dtype=bool)
    for attribute, node in zip(knowledge.attributes, knowledge.nodes[place].tolist(), strict=True):
        if node >= 0:
            low, high = attribute.hierarchy.leaf_ranges[node]
            leaves = attribute.leaves[combinations.codes[:, combinations.place(attribute.name)]]
            inside &= (low <= leaves) & (leaves < high)
    return inside


def _with_rule(
    rules: NegativeRules, name: str, code: int, nodes: Codes, combinations: Combinations, *, given: bool
) -> NegativeRules:
    alone = NegativeRules.none(rules.attributes, rules.sensitive).extended(
        name, nodes[None, :], np.array([code]), np.zeros(1), np.zeros(1), np.ones(1)
    )
    matching = alone.forbidden(combinations, name)[:, code]
    counts = np.array([int(combinations.counts[matching].sum())])
    held = combinations.codes[:, combinations.place(name)] == code
    chance = log_chance(np.array([int(combinations.counts[held].sum())]), combinations.n_rows)
    return rules.extended(
        name,
        nodes[None, :],
        np.array([code]),
        counts,
        np.zeros(1, dtype=np.int64),
        expectations(counts, chance),
        given=given,
    )
