"""Inference channels: small groups that follow from published supports by addition and subtraction.

From the supports of Q ⇒ x and of longer rules Q ∪ A ⇒ x follows how many people match Q and none of
A, and hold x (inclusion and exclusion [1]); with the numbers of people who match, also how many of
them do not hold x. A derived group of at least one and fewer than k people is a channel.

[1] M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi. Anonymity Preserving Pattern Discovery.
    VLDB Journal 17, 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

Items = tuple[tuple[str, str], ...]

MOST_NEGATED = 3
"""How many items a derived group may exclude."""


@dataclass(frozen=True)
class ScoredRule:
    """A rule with its support and the number of people who match its left side."""

    items: Items
    value: str
    matching: int
    support: int


@dataclass(frozen=True)
class Channel:
    """People who match some items and none of some others, and hold a value (or do not)."""

    items: Items
    none_of: Items
    value: str
    holds: bool
    people: int
    rules: tuple[int, ...]
    """The rules it follows from."""

    def __str__(self) -> str:
        having = " & ".join(f"{name} = {label}" for name, label in self.items)
        lacking = "".join(f" & not {name} = {label}" for name, label in self.none_of)
        return f"{having}{lacking} & {'' if self.holds else 'not '}{self.value}: {self.people}"


def inference_channels(
    rules: Sequence[ScoredRule], *, k: int, most_negated: int = MOST_NEGATED
) -> tuple[Channel, ...]:
    """Every derived group of 1 to k − 1 people, in the order of the rules.

    >>> women, nearby = ("sex", "f"), ("zip", "1")
    >>> rules = [ScoredRule((women,), "flu", 50, 40), ScoredRule((women, nearby), "flu", 30, 30)]
    >>> [str(channel) for channel in inference_channels(rules, k=15)]
    ['sex = f & not flu: 10', 'sex = f & not zip = 1 & flu: 10', 'sex = f & not zip = 1 & not flu: 10']
    """
    places = {(frozenset(rule.items), rule.value): place for place, rule in enumerate(rules)}
    found = []
    for place, rule in enumerate(rules):
        for count in range(min(most_negated, len(rule.items) - 1) + 1):
            for negated in combinations(rule.items, count):
                base = frozenset(rule.items) - frozenset(negated)
                between = _between(base, negated, rule.value, places)
                if between is None:
                    continue
                holding = sum(sign * rules[at].support for at, sign in between)
                matching = sum(sign * rules[at].matching for at, sign in between)
                items = tuple(item for item in rule.items if item in base)
                used = tuple(sorted({at for at, _ in between} | {place}))
                if negated and 0 < holding < k:
                    found.append(Channel(items, negated, rule.value, True, holding, used))
                if 0 < matching - holding < k:
                    found.append(Channel(items, negated, rule.value, False, matching - holding, used))
    return tuple(found)


def _between(
    base: frozenset[tuple[str, str]],
    negated: Iterable[tuple[str, str]],
    value: str,
    places: dict[tuple[frozenset[tuple[str, str]], str], int],
) -> list[tuple[int, int]] | None:
    """The rules from the base up to the base with all negated items, and their signs; None if one lacks."""
    chosen = tuple(negated)
    terms = []
    for count in range(len(chosen) + 1):
        for part in combinations(chosen, count):
            at = places.get((base | frozenset(part), value))
            if at is None:
                return None
            terms.append((at, -1 if count % 2 else 1))
    return terms
