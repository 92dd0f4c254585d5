"""The rules of a series: those of its first release, as far as they stand.

A rule falls where a row contradicts it, or where somebody's signature has a value that it would now exclude
(they have become older, say); it is then stated no more. Readers who see it gone look for somebody whom it
does not hold of. So a rule that is about few of those whom no earlier release binds is dropped whatever they
have, and there must be several who could be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tacit.data.hierarchy import NULL_LABEL
from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.errors import InputError, Place
from tacit.methods.bucketize.solve.signatures import People
from tacit.mining.conjunctions import attributes_of
from tacit.mining.knowledge import NegativeRules
from tacit.typing import Bools, Codes

UNBOUND = 0.1
"""A rule about a smaller share of those whom it does not bind yet is dropped."""


def carried_rules(
    before: Sequence[Mapping[str, Any]], table: Table, names: tuple[str | None, ...]
) -> tuple[NegativeRules, tuple[Mapping[str, Any], ...]]:
    """The rules of the release before about this table, and those that say nothing here."""
    (sensitive,) = table.roles.sensitive
    attributes = attributes_of(table, table.roles.known)
    rules = NegativeRules.none(attributes, {sensitive: names})
    nodes, values, dormant = [], [], []
    for rule in before:
        found = np.full(len(attributes), -1, dtype=np.int32)
        there = rule["value"] in names
        for place, attribute in enumerate(attributes):
            if attribute.name not in rule["when"]:
                continue
            label = rule["when"][attribute.name]
            found[place] = attribute.hierarchy.index.get(label, -1)
            texts = {NULL_LABEL if text is None else text for text in table.column(attribute.name).texts}
            if found[place] < 0:
                there = False
                if not texts.isdisjoint(rule["below"][attribute.name]):
                    raise InputError(
                        f"The hierarchy of {attribute.name!r} has no node {label!r} any more, and a rule of"
                        " the series is about it.",
                        code="series-hierarchies",
                        where=Place(file=table.origin, column=attribute.name),
                        hint="Use the same hierarchies in every release of a series.",
                    )
        if there:
            nodes.append(found)
            values.append(names.index(rule["value"]))
        else:
            dormant.append(rule)
    if nodes:
        none = np.zeros(len(nodes), dtype=np.int64)
        rules = rules.extended(
            sensitive, np.array(nodes), np.array(values), none, none, np.ones(len(nodes)), given=True
        )
    return rules, tuple(dormant)


def standing(
    rules: NegativeRules, combinations: Combinations, row_of: Codes, people: People
) -> tuple[NegativeRules, list[tuple[Bools, int]]]:
    """The rules that stand; for each that a row contradicts, whom it was about and the value it excluded."""
    kept, unbound = people.kept(), people.homes() < 0
    few, matching = UNBOUND * int(unbound.sum()), rules.matching(combinations)
    stands = np.ones(len(rules), dtype=np.bool_)
    fallen = []
    for place in range(len(rules)):
        value = int(rules.values[place])
        inside = matching(rules.nodes[place])[row_of]
        if kept[inside, value].any() or 0 < int(unbound[inside].sum()) < few:
            stands[place] = False
        elif (people.values[inside] == value).any():
            stands[place] = False
            fallen.append((inside, value))
    return rules.select(stands), fallen


def portable(rules: NegativeRules) -> Iterator[dict[str, Any]]:
    """Rules in words, with the values below their nodes, for the next table."""
    (name,) = rules.sensitive
    for place in range(len(rules)):
        below = {}
        for attribute, node in zip(rules.attributes, rules.nodes[place].tolist(), strict=True):
            if node >= 0:
                low, high = attribute.hierarchy.leaf_ranges[node]
                inside = np.unique(attribute.leaves[(low <= attribute.leaves) & (attribute.leaves < high)])
                below[attribute.name] = [attribute.label(int(leaf)) for leaf in inside]
        yield {
            "when": dict(rules.conditions(rules.nodes[place])),
            "value": rules.sensitive[name][rules.values[place]],
            "below": below,
        }
