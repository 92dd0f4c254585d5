"""Buckets drawn anew until what a list of rules leaves out (:mod:`tacit.mining.silence`) names nobody.

Every pair that could have been listed is to keep at least ℓ candidates, or all rows of the table that could
have its value at all where those are fewer. Then all pairs together are to leave everybody ℓ values
(:mod:`tacit.mining.exchanges`). A draw of the whole table that falls short is thrown away, and the next one
follows. Whether it does is asked of the buckets alone: of every original that a release speaks of, rows that
have each other's values can be drawn in each other's place, so each could have given it. Were buckets merged
instead, which ones would tell what they held before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.engine.base import Combinations
from tacit.errors import InfeasibleError, option
from tacit.methods.bucketize.solve.plan import Plan
from tacit.methods.bucketize.verb import ANATOMY
from tacit.mining.exchanges import Exchanges, Groups, narrowing
from tacit.mining.knowledge import NegativeRules
from tacit.mining.silence import names_somebody, unlisted_pairs

DRAWS, MOST_DRAWS, ROWS_DRAWN = 64, 1_000, 500_000
"""So many draws are tried at least; and up to so many, as long as they draw no more rows than this."""


def silent(
    draw: Callable[[int], Plan],
    combinations: Combinations,
    knowledge: NegativeRules,
    l: int,
    *,
    bounded: bool,
) -> Plan:
    """The first draw by its number that leaves every pair its candidates, and everybody ℓ values.

    A plan must say which combination each of its rows has. Refused is a table of which no draw does, at once
    where no draw could.
    """
    unbounded = f", or leave out {option('max_posterior')}" if bounded else ""
    most = min(MOST_DRAWS, max(DRAWS, ROWS_DRAWN // combinations.n_rows))
    for number in range(most):
        plan = draw(number)
        hopeless, refusal = _refusal(plan, combinations, knowledge, l, unbounded)
        if refusal is None:
            return replace(plan, thrown=number)
        if hopeless:
            break
    assert refusal is not None
    raise refusal


def _refusal(
    plan: Plan, combinations: Combinations, knowledge: NegativeRules, l: int, unbounded: str
) -> tuple[bool, InfeasibleError | None]:
    """Why a plan falls short, if it does; and whether any other would."""
    assert plan.combinations is not None
    classes, of = plan.classes, plan.combinations
    bucket = np.repeat(np.arange(len(plan)), np.diff(plan.offsets))
    barred, held = unpack(classes.forbidden, classes.n_values), classes.values[plan.members]
    class_of = np.zeros(len(combinations), dtype=np.int64)
    class_of[of] = plan.members
    matching = knowledge.matching(combinations)
    for pairs in unlisted_pairs(combinations, knowledge, fewer_than=l):
        place = classes.attributes.index(pairs.sensitive)
        for number, value in enumerate(pairs.values.tolist()):
            wanted = classes.parts[:, place] == value
            may_hold = ~np.asarray(barred[:, wanted].all(axis=1))[class_of]
            able = (matching(pairs.nodes[number]) & may_hold)[of]
            found, most = int(np.isin(bucket[able], bucket[wanted[held]]).sum()), int(able.sum())
            if found == 1:
                return most == 1, names_somebody(knowledge, pairs, number, unbounded)
            if found < min(l, most):
                return False, _too_few(
                    f"would leave fewer than {l} people one of whom has a value", unbounded
                )

    def may(kind: int, other: int) -> bool:
        return not barred[kind, classes.values[other]]

    counts = np.ones(len(bucket), dtype=np.int64)
    groups = Groups(bucket.astype(np.int32), plan.members, counts, classes.parts[classes.values], may)
    exchanges = Exchanges.among(groups, combinations, knowledge, classes.attributes, of)
    if next(exchanges.narrowed(l), None) is None:
        return False, None
    return len(plan) == 1, _too_few(
        f"would leave somebody fewer than {l} values: too few people of a bucket", unbounded
    )


def _too_few(found: str, unbounded: str) -> InfeasibleError:
    return narrowing(
        f"that are not listed {found}", f"Mine fewer rules{unbounded}:", option("algorithm", ANATOMY)
    )
