"""About how likely a group's likeliest value is: quickly, and as anybody can tell from what is published.

Counting all ways to hand a group's values out is exact and slow (:mod:`tacit.knowledge.assignments`).
Scaling the table of who may have what [1] until each member has one value, and each value as many members
as hold it, gives nearly the same. In five groupings of Adult and of the hospital sample the largest posterior
of a group was off by .016 on average at most, and by .07 in the worst group.

[1] R. Sinkhorn. A Relationship Between Arbitrary Positive Matrices and Doubly Stochastic Matrices. Annals of
    Mathematical Statistics 35(2), 1964.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.bitmaps import has
from tacit.arrays.compiled import Flag, kernel
from tacit.typing import Bools, Codes, Counts, Floats, Offsets, Words

ROUNDS = 8
"""Enough to tell whether a bucket is good; the kernel runs on every bucket of every deal."""
MANY_ROUNDS = 50
_POLL = 255


def scaled(waiting: Counts, may: Bools, tokens: Counts) -> Floats:
    """Nearly the share of ways in which a member of class c gets value v: members once, values as held."""
    chances = np.where(may, tokens, 0.0)
    for _ in range(MANY_ROUNDS):
        chances *= tokens / (waiting @ chances)
        chances /= chances.sum(axis=1, keepdims=True)
    return chances


@kernel
def scaled_posteriors(
    offsets: Offsets, members: Codes, values: Codes, forbidden: Words, parts: Codes, flag: Flag
) -> Floats:
    """Per group, the largest chance of a value of one attribute for a member, by scaling.

    Group g has the members ``members[offsets[g] : offsets[g + 1]]``, given as their classes.
    """
    found = np.zeros(len(offsets) - 1)
    place = np.empty(len(parts), dtype=np.int64)
    for code in range(len(place)):
        place[code] = -1
    for group in range(len(found)):
        if group & _POLL == 0 and flag[0]:
            break
        inside = members[offsets[group] : offsets[group + 1]]
        own = np.zeros(len(inside), dtype=np.int64)
        held = np.zeros(len(inside))
        n_own = 0
        for kind in inside:
            value = values[kind]
            if place[value] < 0:
                place[value], own[n_own] = n_own, value
                n_own += 1
            held[place[value]] += 1.0
        own, held = own[:n_own], held[:n_own]
        for value in own:
            place[value] = -1
        found[group] = _largest(_scaled(inside, own, held, forbidden), parts, own)
    return found


@kernel
def _scaled(inside: Codes, own: Counts, held: Floats, forbidden: Words) -> Floats:
    """How likely each member has each of the group's own values."""
    chances = np.zeros((len(inside), len(own)))
    for member in range(len(inside)):
        for number in range(len(own)):
            if not has(forbidden, inside[member], own[number]):
                chances[member, number] = held[number]
    for _ in range(ROUNDS):
        # Loops rather than expressions of arrays, which take seconds to compile.
        for number in range(len(own)):
            total = 0.0
            for member in range(len(inside)):
                total += chances[member, number]
            for member in range(len(inside)):
                chances[member, number] *= held[number] / total
        for member in range(len(inside)):
            total = 0.0
            for number in range(len(own)):
                total += chances[member, number]
            for number in range(len(own)):
                chances[member, number] /= total
    return chances


@kernel
def _largest(chances: Floats, parts: Codes, own: Counts) -> float:
    """The largest chance of a value of one attribute, whatever the other attributes are."""
    largest = 0.0
    for attribute in range(parts.shape[1]):
        for number in range(len(own)):
            code = parts[own[number], attribute]
            for member in range(len(chances)):
                alike = 0.0
                for other in range(len(own)):
                    if parts[own[other], attribute] == code:
                        alike += chances[member, other]
                largest = alike if alike > largest else largest
    return largest
