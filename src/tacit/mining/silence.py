"""What a list of rules says by what it leaves out.

Rules are mined for every pair (X, s) that is common enough. A pair that could have been listed and was
not does not hold, so somebody in X has s: a reader looks for the rows in X whose bucket or class has s and
that may have it. Where there is one such row, it is named; where there are few, each is likelier than the
release states. Where mined rules are not stated, a reader asks of which originals the release could be made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.engine.base import Combinations
from tacit.errors import InfeasibleError, option
from tacit.mining.conjunctions import conjunctions
from tacit.mining.knowledge import NegativeRules
from tacit.mining.negative import log_chance, required_counts
from tacit.ranges import as_fraction
from tacit.typing import Codes, Counts


@dataclass(frozen=True, eq=False)
class Unlisted:
    """Pairs (X, s) that could have been listed as a rule and are not: somebody in X has s."""

    nodes: Codes  # (pairs, attributes), -1 where an attribute takes no part
    values: Codes  # the code of s
    sensitive: str

    def __len__(self) -> int:
        return len(self.values)


def unlisted_pairs(
    combinations: Combinations, knowledge: NegativeRules, *, fewer_than: int
) -> Iterator[Unlisted]:
    """The unlisted pairs of each sensitive attribute that fewer rows than so many hold.

    A pair that more hold has more candidates, whatever the buckets. Rules that were not mined by
    thresholds make no claim to be all there are.
    """
    settings = knowledge.settings
    if not settings:
        return
    for name in knowledge.sensitive:
        place = combinations.place(name)
        held = np.bincount(
            combinations.codes[:, place],
            weights=combinations.counts,
            minlength=len(combinations.texts[place]),
        ).astype(np.int64)
        needed = _needed(held, combinations.n_rows, knowledge, name)
        nodes, values = [], []
        least = max(1.0, float(needed.min(initial=1)))
        for block in conjunctions(
            combinations, knowledge.attributes, name, min_count=least, max_length=settings["max_length"]
        ):
            common = block.counts.sum(axis=1)[:, None] >= needed
            rows, places = np.nonzero(common & (block.counts > 0) & (block.counts < fewer_than))
            nodes.append(block.nodes[rows])
            values.append(places.astype(np.int32))
        if nodes:
            yield Unlisted(np.concatenate(nodes), np.concatenate(values), name)


def _needed(held: Counts, n_rows: int, knowledge: NegativeRules, name: str) -> Counts:
    """How many rows an X must match for its silence about each value to say something."""
    if (level := _level(knowledge)) is not None:
        there = held > 0
        needed = np.full(len(held), n_rows + 1, dtype=np.int64)
        needed[there] = required_counts(held[there], n_rows, level)
        return needed
    chances, highest = log_chance(held, n_rows), listing_chance(held, n_rows, knowledge, name)
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.where(chances < 0, np.ceil(highest / chances), n_rows + 1)
    return np.minimum(needed, n_rows + 1).astype(np.int64)


def listing_chance(held: Counts, n_rows: int, knowledge: NegativeRules, name: str) -> float:
    """The logarithm of the chance of an absence that would have been listed as a rule, or a lower one."""
    if (level := _level(knowledge)) is not None:
        return math.log(level)
    # A correction asks for more. How much can be told from the rules that are listed: as rare a pair as
    # the commonest chance among them would have been listed too.
    about = knowledge.about == list(knowledge.sensitive).index(name)
    listed = np.flatnonzero(about & ~knowledge.given)
    chances = log_chance(held, n_rows)[knowledge.values[listed]]
    return float((knowledge.counts[listed] * chances).max(initial=-np.inf))


def _level(knowledge: NegativeRules) -> Fraction | None:
    """The chance below which absences are listed; None where a correction asks for more."""
    settings = knowledge.settings
    if settings["correction"] not in ("none", "alike"):  # of alike, more pairs than could have been listed
        return None
    return 1 - (as_fraction(settings["min_expectation"]) or Fraction(0))


def names_somebody(
    knowledge: NegativeRules, pairs: Unlisted, number: int, way_out: str = ""
) -> InfeasibleError:
    """The refusal where rules leave one row that could hold a value that somebody must hold.

    Without another ``way_out``, whatever is published beside them.
    """
    rule = " & ".join(f"{name} = {label}" for name, label in knowledge.conditions(pairs.nodes[number]))
    value = knowledge.sensitive[pairs.sensitive][pairs.values[number]]
    return InfeasibleError(
        f"The rules name somebody{'' if way_out else ', whatever is published'}: of the rows with {rule} one"
        f" alone could have {value!r} as {pairs.sensitive!r}; if none had it, that would be a rule.",
        code="silence-names",
        hint=f"Mine shorter rules with {option('max_length')}, or with a larger {option('min_expectation')}"
        f" or a {option('correction')}: rules that go round one person are chance; or drop knowingly those"
        f" about this value with {option('drop_rules')}{way_out}.",
    )
