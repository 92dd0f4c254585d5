"""Releases read together, by trying everything: who is left with one candidate."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, combinations

Row = Mapping[str, str | None]


def candidates(
    person: Row,
    quasi: Sequence[str],
    buckets: Sequence[tuple[Sequence[Row], Sequence[str | None]]],
    rules: Sequence[tuple[Mapping[str, set[str | None]], str | None]],
    nodes: Mapping[str, Mapping[str | None, Collection[str | None]]] | None = None,
) -> set[str | None] | None:
    """The values of the buckets with a row like the person's, less what rules bar; None where no row is.

    ``nodes`` has, for columns that are published less exactly, those that a value may be published as.
    """

    def fits(cell: str | None, name: str) -> bool:
        return cell in (nodes or {}).get(name, {}).get(person[name], (person[name],))

    matching = [
        values
        for rows, values in buckets
        if any(all(fits(row[name], name) for name in quasi) for row in rows)
    ]
    if not matching:
        return None
    barred = {value for when, value in rules if all(person[name] in wanted for name, wanted in when.items())}
    return set(chain.from_iterable(matching)) - barred


def left_with_one(found: Sequence[set[str | None] | None]) -> bool:
    """Whether one value is in all the sets of candidates that narrow at all."""
    narrowing = [values for values in found if values is not None]
    return bool(narrowing) and len(set.intersection(*narrowing)) == 1


def compatible(
    one: frozenset[str],
    other: frozenset[str],
    first: Mapping[str, str],
    second: Mapping[str, str],
    leaves: Sequence[str],
) -> bool:
    """Whether some set of leaves is published as ``one`` by the first mapping and ``other`` by the second."""
    return any(
        {first[leaf] for leaf in chosen} == set(one) and {second[leaf] for leaf in chosen} == set(other)
        for size in range(len(leaves) + 1)
        for chosen in combinations(leaves, size)
    )


def has_one_candidate(
    original: frozenset[str],
    published: Sequence[Sequence[frozenset[str]]],
    mappings: Sequence[Mapping[str, str]],
    leaves: Sequence[str],
) -> bool:
    """Whether what one release shows of a transaction is compatible with one record of the other."""
    shown = [frozenset(mapping[leaf] for leaf in original) for mapping in mappings]
    behind = sum(compatible(shown[0], record, *mappings, leaves) for record in published[1])
    before = sum(compatible(record, shown[1], *mappings, leaves) for record in published[0])
    return behind >= 1 and before >= 1 and min(behind, before) == 1
