"""What a list of rules says by what it leaves out.

Rules are mined for every pair (X, s) that is common enough. A pair that could have been listed and was
not does not hold, so somebody in X has s: a reader looks for the rows in X whose bucket or class has s and
that may have it. Where there is one such row, it is named; where there are few, each is likelier than the
release states. Where mined rules are not stated, a reader asks of which originals the release could be made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.engine.base import Combinations
from tacit.errors import InfeasibleError, option
from tacit.mining.conjunctions import conjunctions
from tacit.mining.knowledge import NegativeRules
from tacit.mining.negative import required_counts
from tacit.ranges import exactly
from tacit.typing import Codes


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
        needed = np.full(len(held), combinations.n_rows + 1, dtype=np.int64)
        level = listing_level(combinations, knowledge, name)
        needed[held > 0] = required_counts(held[held > 0], combinations.n_rows, level)
        nodes, values = [], []
        least = max(1.0, float(needed.min(initial=combinations.n_rows + 1)))
        for block in conjunctions(
            combinations,
            knowledge.attributes,
            name,
            min_count=least,
            max_length=settings["max_length"],
            needed=needed,
        ):
            common = block.matching[:, None] >= needed[block.values]
            rows, places = np.nonzero(common & (block.counts > 0) & (block.counts < fewer_than))
            nodes.append(block.nodes[rows])
            values.append(block.values[places].astype(np.int32))
        if nodes:
            yield Unlisted(np.concatenate(nodes), np.concatenate(values), name)


def listing_level(
    combinations: Combinations, knowledge: NegativeRules, sensitive: str, *, held: str | None = None
) -> Fraction:
    """The chance below which the absence of a value may have been listed as a rule.

    Bonferroni's correction divides it by a number of pairs that follows from the quasi-identifiers, so that
    readers know it. The other corrections list no more than none does. The combinations may have another
    column, ``held``, in the place of the sensitive one.
    """
    settings = knowledge.settings
    level = 1 - exactly(settings["min_expectation"])
    if settings["correction"] != "bonferroni":
        return level
    name = held or sensitive
    never = np.full(len(combinations.texts[combinations.place(name)]), np.inf)
    blocks = conjunctions(
        combinations,
        knowledge.attributes,
        name,
        min_count=1.0,
        max_length=settings["max_length"],
        needed=never,
    )
    return level / max(1, sum(map(len, blocks)) * len(knowledge.sensitive[sensitive]))


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
        f" or {option('correction', 'bonferroni')}: rules that go round one person are chance; or drop"
        f" knowingly those about this value with {option('drop_rules')}{way_out}.",
    )
