"""What the rules of a series tell by being all there are, handed on from release to release.

Of the first release these are the pairs (X, s) that could have been listed as a rule and were not
(:mod:`tacit.mining.silence`); of later ones, the rules of the series that somebody contradicts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.methods.bucketize.solve.renaming import Pair, Unlisted
from tacit.methods.bucketize.solve.signatures import Home, Signed
from tacit.mining.conjunctions import conjunctions
from tacit.mining.knowledge import NegativeRules
from tacit.mining.silence import listing_level
from tacit.typing import Bools, Codes, Counts

HELD = "\0held"
NEAR = 1e-6
"""Counts of people so near to a whole number may be that number."""


def unlisted(table: Table, knowledge: NegativeRules, found: Signed) -> Unlisted:
    """What the rules of a first release tell."""
    if not knowledge.settings:
        return Unlisted()
    (column,), (held, homes) = table.sensitive, _held(table, found)
    counts = np.bincount(column.codes, minlength=len(column.values))
    combinations = _combinations(table, held, len(_values(homes)))
    lowest = math.log(listing_level(combinations, knowledge, column.name, held=HELD))
    by_home = np.split(np.bincount(held, minlength=len(_values(homes))), _starts(homes)[1:])
    uneven = {
        one: dict(zip(one[0], some.tolist(), strict=True))
        for one, some in zip(homes, by_home, strict=True)
        if some.min() < some.max()
    }
    fewest: Counter[int] = Counter()
    for place in np.flatnonzero(~knowledge.given).tolist():
        value, now = int(knowledge.values[place]), int(counts[knowledge.values[place]])
        exact = knowledge.settings["correction"] == "none"
        enough = math.ceil(_enough(lowest, knowledge.counts[place], len(table)) + NEAR) if exact else now
        fewest[value] = max(fewest[value], min(now, enough))
    most = counts.copy()
    for some in uneven.values():
        for value, number in some.items():
            most[value] += max(some.values()) - number
    pairs = dict.fromkeys(_pairs(combinations, knowledge, homes, lowest, counts, most))
    return Unlisted(tuple(pairs), {v: (n, fewest[v]) for v, n in enumerate(counts.tolist())}, uneven)


def _held(table: Table, found: Signed) -> tuple[Codes, list[Home]]:
    """Everybody's value together with their part of a signature: as a place along all values of all parts."""
    homes = sorted(set(found.homes))
    number = {one: at for at, one in enumerate(homes)}
    place = np.zeros((len(homes), 1 + int(_values(homes).max())), dtype=np.int32)
    for at, ((signature, _), start) in enumerate(zip(homes, _starts(homes), strict=True)):
        place[at, list(signature)] = start + np.arange(len(signature))
    of = np.array([number[one] for one in found.homes])[found.buckets]
    return place[of, table.sensitive[0].codes], homes


def _starts(homes: Sequence[Home]) -> Counts:
    return np.cumsum([0, *(len(signature) for signature, _ in homes)])[:-1]


def _values(homes: Sequence[Home]) -> Counts:
    return np.array([value for signature, _ in homes for value in signature])


def _enough(lowest: float, rows: Any, n_rows: int) -> Any:
    """Of n people, how many must have a value for its absence among so many rows to be listed."""
    return -n_rows * np.expm1(lowest / rows)


def _combinations(table: Table, held: Codes, n_held: int) -> Combinations:
    """The combinations of what readers know and of what is held."""
    known = list(table.known)
    codes = [*(one.codes for one in known), held]
    of, first = group_rows(codes, [*(len(one.values) for one in known), n_held])
    return Combinations(
        (*table.roles.known, HELD),
        (*(tuple(one.texts) for one in known), ("",) * n_held),
        np.column_stack([one[first] for one in codes]),
        np.bincount(of),
    )


def _pairs(
    combinations: Combinations,
    knowledge: NegativeRules,
    homes: Sequence[Home],
    lowest: float,
    counts: Counts,
    most: Counts,
) -> Iterator[Pair]:
    """The pairs that are not listed and may lack a holder in another world, or be listed there."""
    starts, values, n_rows = _starts(homes), _values(homes), combinations.n_rows
    owners = np.repeat(np.arange(len(homes)), np.diff([*starts, len(values)]))
    with np.errstate(divide="ignore"):
        least = max(1.0, lowest / np.log1p(-(most.max() / n_rows)) - NEAR)
    length = knowledge.settings["max_length"]
    for block in conjunctions(combinations, knowledge.attributes, HELD, min_count=least, max_length=length):
        there = block.counts > 0
        whole = np.logical_and.reduceat(there, starts, axis=1)
        enough = np.ceil(_enough(lowest, block.matching, n_rows) - NEAR).astype(np.int64)
        for value in np.flatnonzero(counts).tolist():
            mine = np.flatnonzero(values == value)
            told = (enough <= counts[value]) & there[:, mine].any(axis=1)
            told |= (enough > counts[value]) & (enough <= most[value])
            for row in np.flatnonzero(told & ~whole[:, owners[mine]].any(axis=1)).tolist():
                some = {int(owner): values[there[row] & (owners == owner)].tolist() for owner in owners[mine]}
                having = tuple((homes[at], frozenset(those)) for at, those in some.items() if those)
                if having or not _follows(knowledge, block.nodes[row], value):
                    yield Pair(value, max(0, int(enough[row])), having)


def _follows(knowledge: NegativeRules, nodes: Codes, value: int) -> bool:
    """Whether a pair is below a rule that is listed."""
    spans = [attribute.hierarchy.leaf_ranges for attribute in knowledge.attributes]
    return any(
        all(
            node < 0 or (mine >= 0 and span[node][0] <= span[mine][0] and span[mine][1] <= span[node][1])
            for node, mine, span in zip(rule, nodes, spans, strict=True)
        )
        for rule in knowledge.nodes[knowledge.values == value]
    )


def contradicted(fallen: Iterable[tuple[Bools, int]], found: Signed, held: Codes) -> Iterator[Pair]:
    """The rules that somebody of a later release contradicts: whom each was about, and its value."""
    for inside, value in fallen:
        having: dict[Home, set[int]] = {}
        for bucket, one in {*zip(found.buckets[inside].tolist(), held[inside].tolist(), strict=True)}:
            if value in found.homes[bucket][0]:
                having.setdefault(found.homes[bucket], set()).add(one)
        yield Pair(value, 0, tuple((home, frozenset(some)) for home, some in having.items()))


Text = str | None


def portable_pairs(told: Unlisted, number: Mapping[Home, int], names: Sequence[Text]) -> dict[str, Any]:
    """What the rules tell in words, with the numbers of parts of signatures, for the next release."""
    return {
        "pairs": [
            [
                names[pair.value],
                pair.least,
                [[number[one], [names[value] for value in sorted(some)]] for one, some in pair.held],
            ]
            for pair in told.pairs
        ],
        "counts": [[names[value], *both] for value, both in told.counts.items()],
        "uneven": [
            [number[one], [[names[value], times] for value, times in some.items()]]
            for one, some in told.uneven.items()
        ],
    }


def carried_pairs(kept: Mapping[str, Any], homes: Sequence[Home], names: Sequence[Text]) -> Unlisted:
    """What the rules of the releases before tell."""
    code = {text: value for value, text in enumerate(names)}
    pairs = [
        Pair(
            code[value],
            least,
            tuple((homes[one], frozenset(code[text] for text in some)) for one, some in held),
        )
        for value, least, held in kept["pairs"]
    ]
    uneven = {homes[one]: {code[value]: times for value, times in some} for one, some in kept["uneven"]}
    return Unlisted(tuple(pairs), {code[value]: (now, few) for value, now, few in kept["counts"]}, uneven)
