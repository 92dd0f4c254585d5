"""Mining itemsets and rules, of transactions or of a table, as the verbs ask for it.

Frequent itemsets of transactions: the kernel's miner, with names and errors for people.

Those of tables: conjunctions over quasi-identifiers, counted by sensitive value.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np
import polars as pl

from tacit.data.hierarchy import NULL_LABEL
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.engine.base import NO_LIMIT, Engine, WantedItemsets
from tacit.engine.choice import engine_for
from tacit.errors import ResourceError, UsageError, option
from tacit.mining.conjunctions import Attribute, attributes_of, conditions, conjunctions
from tacit.mining.itemsets import Itemsets, rules_from_itemsets
from tacit.mining.rules import ItemRules, MinedAt, RuleCounts, TableRules, canonical, confident
from tacit.mining.verbs import DEFAULT_MAX_ITEMSETS
from tacit.ranges import support_count
from tacit.typing import AnyArray, Codes, Counts, Progress, Threshold


def itemsets(asked: Any) -> Itemsets | TableItemsets:
    """Mine what was asked for: the checked arguments of :func:`tacit.mine_itemsets`."""
    if asked.max_length is not None and asked.max_length < asked.min_length:
        raise UsageError(
            f"No set has at least {asked.min_length} and at most {asked.max_length} items.",
            code="lengths-contradict",
            option="max_length",
            hint="Raise max_length, or lower min_length.",
        )
    _say(asked, "Mining itemsets")
    reach = _picked(asked, "min_support", "min_length", "max_length", "max_itemsets", "engine")
    if not isinstance(asked.data, Table):
        more = _picked(asked, "kind", "items", "containing", "threads", "progress")
        return mine_transactions(asked.data, **reach, **more)
    if asked.kind != "complete" or asked.items is not None or tuple(asked.containing):
        raise UsageError(
            "The itemsets of a table are always complete and over its quasi-identifiers.",
            code="not-for-tables",
            hint="Leave out kind, items and containing.",
        )
    return mine_table_itemsets(asked.data, **reach, hierarchies=asked.hierarchies)


def rules(asked: Any) -> ItemRules | TableRules:
    """Mine what was asked for: the checked arguments of :func:`tacit.mine_rules`."""
    _say(asked, "Mining rules")
    data = asked.data
    reach = _picked(asked, "min_support", "max_length", "max_itemsets", "engine")
    if not isinstance(data, Table):
        found = mine_transactions(data, **reach, threads=asked.threads, progress=asked.progress)
        return rules_from_itemsets(
            found,
            min_confidence=asked.min_confidence,
            max_consequent=asked.max_consequent,
            antecedent=None if asked.antecedent is None else data.codes_of(asked.antecedent),
            consequent=None if asked.consequent is None else data.codes_of(asked.consequent),
        )
    if asked.antecedent is not None or asked.consequent is not None or asked.max_consequent != 1:
        raise UsageError(
            "A rule of a table goes from its quasi-identifiers to one sensitive value.",
            code="not-for-tables",
            hint="Choose the columns with quasi and sensitive.",
        )
    return mine_table_rules(data, **reach, min_confidence=asked.min_confidence, hierarchies=asked.hierarchies)


def _picked(asked: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in names}


def _say(asked: Any, what: str) -> None:
    if asked.progress is not None:
        asked.progress(what, None)


LARGE = 200_000
"""From so many items in all the transactions on, every core is used unless told otherwise."""


def mine_transactions(
    transactions: Transactions,
    *,
    min_support: Threshold,
    kind: str = "complete",
    min_length: int = 1,
    max_length: int | None = None,
    items: Iterable[str] | None = None,
    containing: Iterable[str] = (),
    max_itemsets: int = DEFAULT_MAX_ITEMSETS,
    threads: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Itemsets:
    """Every set of items that enough transactions hold; see :func:`tacit.mine_itemsets`."""
    from tacit.engine.itemsets.mine import TooManyItemsets

    required = np.array(transactions.codes_of(containing), dtype=np.int32)
    allowed = None
    if items is not None:
        allowed = np.zeros(transactions.n_items, dtype=np.bool_)
        allowed[list(transactions.codes_of(items))] = True
        if not allowed[required].all():
            raise UsageError(
                "An item that every set must hold is not among the items allowed.",
                code="items-contradict",
                hint="Name it among the items as well, or leave it out of containing.",
            )
    least = support_count(min_support, len(transactions))
    if threads is None:
        threads = (os.cpu_count() or 1) if transactions.n_occurrences >= LARGE else 1
    chosen = cast(Literal["complete", "closed", "maximal"], kind)
    longest = NO_LIMIT if max_length is None else max_length
    wanted = WantedItemsets(least, chosen, min_length, longest, allowed, required, max_itemsets)
    found = (engine or engine_for(transactions)).frequent_itemsets(
        transactions, wanted, threads=threads, progress=_share_of(progress)
    )
    if isinstance(found, TooManyItemsets):
        raise _too_many(max_itemsets, least, found.fitting_count, found.fitting_itemsets, len(transactions))
    return Itemsets(transactions.vocabulary, found.offsets, found.items, found.supports, len(transactions))


def _share_of(progress: Progress | None) -> Callable[[float], None] | None:
    if progress is None:
        return None
    return lambda share: progress("Mining itemsets", share)


def _too_many(limit: int, least: int, fitting: int | None, number: int, total: int) -> ResourceError:
    if fitting is None:
        hint = "No support makes them few enough: raise max_itemsets, or bound their length with max_length."
    else:
        share = fitting / max(1, total)
        hint = f"A minimum support of {fitting} ({share:.3g} of the records) gives {number:,} of them."
    return ResourceError(
        f"More than {limit:,} itemsets have a support of at least {least}.",
        code="too-many-itemsets",
        hint=hint,
    )


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
