"""Whether hidden patterns betray themselves: the place of each in the lists of readers who look for it.

Every attacker of :mod:`tacit.methods.hide.judge.attackers` sorts the candidates, the most suspicious first;
the truth is used for nothing but finding the hidden patterns in those lists. The candidates for a pattern
are the infrequent pairs of frequent items; a longer pattern is found by any of its pairs that is
infrequent. The candidates for a rule with one item on each side that is hidden by its confidence are the
rules of frequent pairs below the least confidence, and one more attacker looks right below that.

The owner is told the best place over all attackers. Nothing of this is published: it points at the secret.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np

from tacit.data.transactions import Transactions
from tacit.engine.choice import engine_for
from tacit.methods.hide.judge.attackers import Reading, read, suspicions
from tacit.typing import Bools, Floats

Names = frozenset[str]
NamedRule = tuple[Names, Names]


@dataclass(frozen=True)
class Ranked:
    """The places of some hidden patterns or rules, 1 the most suspicious; None where one is no candidate."""

    candidates: int
    places: Mapping[str, tuple[int | None, ...]]
    """Per attacker, the place of each."""

    @property
    def best(self) -> tuple[int | None, ...]:
        """The smallest place of each over all attackers."""
        return tuple(
            min((place for place in found if place is not None), default=None)
            for found in zip(*self.places.values(), strict=True)
        )

    @property
    def first(self) -> int | None:
        """The place of the one that is found first."""
        return min((place for place in self.best if place is not None), default=None)

    @property
    def middle(self) -> float | None:
        """Half of them have this place or a smaller one."""
        found = [place for place in self.best if place is not None]
        return float(median(found)) if found else None

    @property
    def strongest(self) -> str | None:
        """The attacker who finds most of them first."""
        found = {
            name: float(np.mean([np.log(place) for place in places if place is not None]))
            for name, places in self.places.items()
            if any(place is not None for place in places)
        }
        return min(found, key=lambda name: found[name], default=None)

    def to_dict(self) -> dict[str, Any]:
        return {
            "candidates": self.candidates,
            "best_place": self.first,
            "median_best_place": self.middle,
            "strongest_attacker": self.strongest,
            "best_places": list(self.best),
            "places": {name: list(places) for name, places in self.places.items()},
        }


@dataclass(frozen=True)
class Disguise:
    """How suspicious the hidden patterns of two and more items, and the rules hidden by confidence, look."""

    hidden: int
    never: int
    """Hidden patterns of which a pair never occurs: nothing in the data does that by itself."""
    patterns: Ranked
    rules: Ranked

    def facts(self) -> Iterator[tuple[str, str]]:
        """What the owner should know of it, as sentences."""
        for what, ranked in (("patterns", self.patterns), ("rules", self.rules)):
            if ranked.first is not None and ranked.middle is not None:
                yield (
                    f"hidden {what} stand out",
                    f"the first is at place {ranked.first:,} of {ranked.candidates:,} candidates, half of "
                    f"them by place {ranked.middle:,.0f}; found best by {ranked.strongest}",
                )
        if self.never:
            yield "never occurring", f"{self.never:,} of the hidden patterns, which shows"

    def to_dict(self) -> dict[str, Any]:
        """The places; none of them names a pattern."""
        return {
            "never_occurring": self.never,
            **self.patterns.to_dict(),
            "rules": self.rules.to_dict(),
        }


def disguise(
    published: Transactions,
    hidden: Sequence[Names],
    *,
    least: int,
    rules: Sequence[NamedRule] = (),
    min_confidence: Fraction | None = None,
) -> Disguise:
    """Find the hidden patterns and rules in the lists of all attackers."""
    reading = read(published, least)
    place_of = {published.vocabulary[item]: place for place, item in enumerate(reading.items.tolist())}
    supports = np.diag(reading.counts)
    wanted = [
        list(combinations(sorted(place_of[name] for name in names if name in place_of), 2))
        for names in hidden
    ]
    below = np.triu(reading.counts < least, 1)
    rule_pairs = [
        [(place_of[one], place_of[other])]
        for one, other in ((min(left), min(right)) for left, right in rules if len(left) == len(right) == 1)
        if one in place_of and other in place_of
    ]
    loose = np.zeros_like(below)
    if min_confidence is not None and rule_pairs:
        loose = (reading.counts >= least) & (reading.counts < float(min_confidence) * supports[:, None])
        np.fill_diagonal(loose, False)
    confidence = reading.counts / np.maximum(supports[:, None], 1)
    return Disguise(
        hidden=len(hidden),
        never=sum(count == 0 for count in _rarest(published, hidden)),
        patterns=_ranked(reading, below, wanted, {}),
        rules=_ranked(reading, loose, rule_pairs, {"confidence": confidence}),
    )


def _ranked(
    reading: Reading, candidates: Bools, wanted: Sequence[Sequence[tuple[int, int]]], more: dict[str, Floats]
) -> Ranked:
    """The place of each wanted thing: of the first of its pairs that is a candidate."""
    one, other = np.nonzero(candidates)
    pairs = one, other
    if not len(pairs[0]) or not wanted:
        return Ranked(len(pairs[0]), {})
    number = {pair: place for place, pair in enumerate(zip(*(side.tolist() for side in pairs), strict=True))}
    scores = suspicions(reading, pairs) | {name: score[pairs] for name, score in more.items()}
    found = [[number[pair] for pair in any_pair if pair in number] for any_pair in wanted]
    places = {}
    for name, score in scores.items():
        ordered = np.sort(-score)
        best = [max((score[one] for one in ones), default=None) for ones in found]
        places[name] = tuple(
            None if value is None else 1 + int(np.searchsorted(ordered, -value)) for value in best
        )
    return Ranked(len(pairs[0]), places)


def _rarest(published: Transactions, hidden: Sequence[Names]) -> list[int]:
    """The support of the rarest pair of each hidden pattern."""
    known = {
        pair: tuple(sorted(published.index[name] for name in pair))
        for names in hidden
        for pair in map(frozenset, combinations(names, 2))
        if pair <= published.index.keys()
    }
    counts = engine_for(published).set_supports(published, list(known.values())) if known else ()
    supports = dict(zip(known, map(int, counts), strict=True))
    return [min(supports.get(frozenset(pair), 0) for pair in combinations(names, 2)) for names in hidden]
