"""A hierarchy proposed for a column or for items that have none.

Of a column the values and how often they occur tell it (:mod:`tacit.io.hierarchies.automatic`), of items
their names and which of them are held together. A hierarchy is published with what is generalized under it,
so it must not tell of a few people: a pair of items counts only where at least twice k records hold both, and
then by how often its support must be doubled to reach the number of records with either, never by the
support itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from tacit.data.table import Table
from tacit.data.transactions import Transactions, is_plain_number
from tacit.errors import ResourceError, UsageError, option
from tacit.io.hierarchies.automatic import automatic_hierarchy, by_form
from tacit.io.hierarchies.items import build_items, with_few_on_top
from tacit.options import Says, verb
from tacit.ranges import Optional, Whole, Words
from tacit.typing import Progress

if TYPE_CHECKING:
    from tacit.data.hierarchy import Hierarchy

USUAL_K = 5
MARGIN = 2
"""How many times k records must hold a pair of items before it counts.

A reader who knows k of them himself still faces k others.
"""
FARTHEST = 2
"""Items are held together where at least one in 2 ** FARTHEST of the records with either hold both.

Farther ones tell little of each other, and common items would end up in one group, which costs detail.
"""
MOST_PAIRS = 1_000_000
SOON = 50_000_000
"""So many pairs of items, record by record, are counted in about a second."""


@verb
def propose_hierarchy(
    data: Table | Transactions,
    *,
    column: Annotated[
        str | None, Optional(Words()), Says("Column", "The column of a table; none for transactions.")
    ] = None,
    k: Annotated[
        int,
        Whole(2),
        Says(
            "Fewest records a reader faces",
            "Of items: a pair counts only where twice as many records hold both.",
            flag="k",
        ),
    ] = USUAL_K,
    progress: Progress | None = None,
) -> Hierarchy:
    """A hierarchy for a column of a table, or for the items of transactions, made from what is there.

    {options}

    >>> from tacit.data.transactions import transactions_from_sets
    >>> tree = propose_hierarchy(transactions_from_sets([{"rye bread", "beer"}, {"white bread", "ale"}]))
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["rye bread"])]
    ['bread', '*']
    """
    if isinstance(data, Table):
        if column is None:
            raise UsageError(
                "A table has many columns.",
                code="parameter-missing",
                option="column",
                hint=f"Name one with {option('column')}.",
            )
        return automatic_hierarchy(data.column(column))
    least = MARGIN * k
    rare = [
        name for name, support in zip(data.vocabulary, data.supports.tolist(), strict=True) if support < least
    ]
    # Running numbers of one length look like codes, and are none.
    formed = None if all(map(is_plain_number, data.vocabulary)) else by_form(data.vocabulary, None)
    if formed is not None:
        return with_few_on_top(formed)
    return build_items(data.vocabulary, close=dict(_close(data, least, progress)), rare=frozenset(rare))


def proposed_soon(data: Transactions) -> bool:
    """Whether a hierarchy of the items is proposed in little time, as far as the lengths of records tell."""
    counts: list[int] = data.length_counts.tolist()
    return sum(number * length * (length - 1) // 2 for length, number in enumerate(counts)) <= SOON


def _close(
    data: Transactions, least: int, progress: Progress | None
) -> Iterator[tuple[tuple[str, str], int]]:
    """How close the pairs are that enough records hold: 0 where all records with either hold both."""
    from tacit.mining.mine import mine_transactions

    while least <= len(data):
        try:
            found = mine_transactions(
                data,
                min_support=least,
                min_length=2,
                max_length=2,
                max_itemsets=MOST_PAIRS,
                progress=progress,
            )
        except ResourceError:  # so many that those of more records say enough
            least *= 2
            continue
        pairs, supports, _ = found.of_length(2)
        alone = data.supports
        for (first, second), both in zip(pairs.tolist(), supports.tolist(), strict=True):
            either = int(alone[first] + alone[second]) - both
            closeness = next((step for step in range(FARTHEST + 1) if both << step >= either), None)
            if closeness is not None:
                yield (data.vocabulary[first], data.vocabulary[second]), closeness
        return
