"""Itemsets and rules of tables: conjunctions over quasi-identifiers, counted by sensitive value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from tacit.data.hierarchy import NULL_LABEL
from tacit.data.table import Table
from tacit.engine.base import Engine
from tacit.engine.choice import engine_for
from tacit.errors import ResourceError, UsageError, option
from tacit.mining.conjunctions import Attribute, attributes_of, conditions, conjunctions
from tacit.mining.rules import MinedAt, RuleCounts, TableRules, canonical, confident
from tacit.mining.verbs import DEFAULT_MAX_ITEMSETS
from tacit.ranges import support_count
from tacit.typing import AnyArray, Codes, Counts, Threshold


@dataclass(frozen=True, slots=True)
class TableItemset:
    """A conjunction of items, the rows that match it, and how many hold each sensitive value."""

    items: tuple[tuple[str, str], ...]
    support: int
    by_value: dict[str, int]

    def __str__(self) -> str:
        return f"{' & '.join(f'{name} = {label}' for name, label in self.items)}: {self.support}"


@dataclass(frozen=True, eq=False)
class TableItemsets:
    """Frequent conjunctions, each with its array of counts per sensitive value; a sequence."""

    attributes: tuple[Attribute, ...]
    sensitive: str
    texts: tuple[str | None, ...]
    nodes: Codes  # (itemsets, attributes), -1 where an attribute takes no part
    counts: Counts  # (itemsets, sensitive values)
    totals: Counts  # of each sensitive value, in the whole table
    n_rows: int

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def supports(self) -> Counts:
        return np.asarray(self.counts.sum(axis=1))

    def __iter__(self) -> Iterator[TableItemset]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> TableItemset:
        items = conditions(self.attributes, self.nodes[place])
        texts = [NULL_LABEL if text is None else text for text in self.texts]
        return TableItemset(
            items, int(self.counts[place].sum()), dict(zip(texts, self.counts[place].tolist(), strict=True))
        )

    def select(self, places: AnyArray) -> TableItemsets:
        """The itemsets named by an index or a mask."""
        return replace(self, nodes=self.nodes[places], counts=self.counts[places])

    def to_frame(self) -> pl.DataFrame:
        """One row per itemset: its items, its support, a column of counts per sensitive value."""
        columns: dict[str, object] = {
            "items": [[f"{name} = {label}" for name, label in itemset.items] for itemset in self],
            "support": self.supports,
        }
        for place, text in enumerate(self.texts):
            columns[f"{self.sensitive} = {NULL_LABEL if text is None else text}"] = self.counts[:, place]
        return pl.DataFrame(columns, schema_overrides={"items": pl.List(pl.String)})


def mine_table_itemsets(
    table: Table,
    *,
    min_support: Threshold,
    max_length: int | None = None,
    min_length: int = 1,
    max_itemsets: int = DEFAULT_MAX_ITEMSETS,
    hierarchies: bool = True,
    engine: Engine | None = None,
) -> TableItemsets:
    """Every conjunction over the quasi-identifiers that enough rows match."""
    if not table.roles.quasi or len(table.roles.sensitive) != 1:
        raise UsageError(
            "Itemsets and rules of a table need quasi-identifiers and one sensitive attribute.",
            code="roles-missing",
            hint=f"Name them with {option('quasi')} and {option('sensitive')}.",
        )
    sensitive, least = table.roles.sensitive[0], support_count(min_support, len(table))
    attributes = attributes_of(table, table.roles.quasi, hierarchies=hierarchies)
    combinations = (engine or engine_for(table)).combinations(table, [*table.roles.quasi, sensitive])
    place = combinations.place(sensitive)
    texts = combinations.texts[place]
    all_nodes: list[Codes] = [np.zeros((0, len(attributes)), dtype=np.int32)]
    all_counts: list[AnyArray] = [np.zeros((0, len(texts)), dtype=np.int64)]
    found = 0
    for block in conjunctions(combinations, attributes, sensitive, min_count=least, max_length=max_length):
        keep = (block.nodes >= 0).sum(axis=1) >= min_length
        all_nodes.append(block.nodes[keep])
        all_counts.append(block.counts[keep])
        found += int(keep.sum())
        if found > max_itemsets:
            raise ResourceError(
                f"More than {max_itemsets:,} itemsets have a support of at least {least}.",
                code="too-many-itemsets",
                hint=f"Raise the minimum support, for example to {2 * least}, or max_itemsets.",
            )
    nodes, counts = np.concatenate(all_nodes), np.concatenate(all_counts)
    order = canonical(nodes, np.zeros(len(nodes), dtype=np.int32))
    totals = np.bincount(combinations.codes[:, place], weights=combinations.counts, minlength=len(texts))
    nodes, counts, totals = nodes[order], counts[order], totals.astype(np.int64)
    return TableItemsets(attributes, sensitive, texts, nodes, counts, totals, combinations.n_rows)


def mine_table_rules(
    table: Table,
    *,
    min_support: Threshold,
    min_confidence: Threshold,
    max_length: int | None = None,
    max_itemsets: int = DEFAULT_MAX_ITEMSETS,
    hierarchies: bool = False,
    engine: Engine | None = None,
) -> TableRules:
    """Every rule ``Q ⇒ x`` whose support and confidence reach the thresholds."""
    least = support_count(min_support, len(table))
    found = mine_table_itemsets(
        table,
        min_support=min_support,
        max_length=max_length,
        max_itemsets=max_itemsets,
        hierarchies=hierarchies,
        engine=engine,
    )
    matching = found.supports[:, None]
    rows, values = np.nonzero((found.counts >= least) & confident(found.counts, matching, min_confidence))
    nodes = found.nodes[rows]
    order = canonical(nodes, values)
    rows, codes = rows[order], values[order].astype(np.int32)
    counts = RuleCounts(found.n_rows, found.counts[rows, codes], found.supports[rows], found.totals[codes])
    mined_at = MinedAt(min_support, min_confidence, max_length)
    return TableRules(
        counts, found.attributes, found.sensitive, found.texts, found.nodes[rows], codes, mined_at
    )
