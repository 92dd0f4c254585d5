"""A limit to what software may learn from a release: ``max_learned``."""

from __future__ import annotations

from tacit.errors import InfeasibleError, option
from tacit.methods.bucketize.judge.risks import BucketRisks
from tacit.ranges import as_fraction
from tacit.typing import Threshold


def check_learned(risks: BucketRisks, most: Threshold) -> None:
    """Raise where readers are right too often about the people they are surest of, or were not measured."""
    learning, counting = risks.learning, risks.rule_guesses
    if learning is None or counting is None:
        raise InfeasibleError(
            "What software learns from this release is too much to measure, so it cannot be limited.",
            code="learned-unmeasured",
            hint=f"Coarser columns make the model smaller; or leave out {option('max_learned')}.",
        )
    surest = max(learning.surest[0], counting.surest[0], key=lambda one: one.right)
    limit = as_fraction(most)
    assert limit is not None
    if surest.right > limit:
        raise InfeasibleError(
            f"Software that reads the release is right for {surest.right:.0%} of the {surest.people:,}"
            f" people it is surest about; at most {float(limit):.0%} was asked for.",
            code="infeasible-max_learned",
            hint="Publish coarser quasi-identifiers and fewer kept columns, choose a larger ℓ, or ask for"
            f" a larger share with {option('max_learned')}.",
        )
