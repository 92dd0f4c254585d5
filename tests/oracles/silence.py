"""Which pairs could have been listed as a rule and are not, and who could hold them: from the definition."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tacit.data.table import Table
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.mining.knowledge import NegativeRules


def conjunctions_from_definition(table: Table, rules: NegativeRules) -> Iterator[frozenset[int]]:
    """The rows of X, of every X of so many attributes as rules may be about."""
    items: list[list[frozenset[int]]] = []
    for attribute in rules.attributes:
        leaves = attribute.leaves[table.column(attribute.name).codes].tolist()
        inside = []
        for node in range(attribute.hierarchy.n_nodes - 1):  # the root is never an item
            low, high = attribute.hierarchy.leaf_ranges[node]
            inside.append(frozenset(row for row, leaf in enumerate(leaves) if low <= leaf < high))
        items.append(inside)
    for length in range(1, rules.settings["max_length"] + 1):
        for attributes in itertools.combinations(items, length):
            for chosen in itertools.product(*attributes):
                yield frozenset.intersection(*chosen)


def pairs_from_definition(table: Table, rules: NegativeRules) -> Iterator[tuple[frozenset[int], int, int]]:
    """(rows of X, code of s, holders) of every unlisted pair whose expectation is high enough."""
    sensitive = table.column(table.roles.sensitive[0])
    values = sensitive.codes.tolist()
    n, least = len(table), float(rules.settings["min_expectation"])
    for rows in conjunctions_from_definition(table, rules):
        for value in set(values):
            share = values.count(value) / n
            holders = sum(values[row] == value for row in rows)
            if holders and 1 - (1 - share) ** len(rows) >= least:
                yield rows, value, holders


def candidates(buckets: Buckets, rules: NegativeRules, inside: frozenset[int], value: int) -> tuple[int, int]:
    """How many rows of X could hold s: as the buckets are, and in whatever buckets."""
    table = buckets.table
    codes = table.column(table.roles.sensitive[0]).codes
    combinations, held = buckets.combinations
    barred = rules.forbidden(combinations, table.roles.sensitive[0])[held][:, value]
    having = {
        int(group) for group, row in zip(buckets.groups, buckets.rows, strict=True) if codes[row] == value
    }
    able = [place for place, row in enumerate(buckets.rows.tolist()) if row in inside and not barred[place]]
    return sum(int(buckets.groups[place]) in having for place in able), len(able)
