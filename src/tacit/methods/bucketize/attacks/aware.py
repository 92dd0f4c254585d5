"""What a reader who knows the tool makes of a bucketized release: for its owner alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacit.methods.bucketize.attacks.minimality import Named, minimality_attack
from tacit.methods.bucketize.attacks.silence import silence_attack
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.mining.knowledge import NegativeRules


@dataclass(frozen=True, slots=True)
class AwareReader:
    """Whom each attack names; None where it does not apply or the release is too large for it."""

    grouping: Named | None
    """Asks why these rows share a bucket."""
    silence: Named | None
    """Asks which rules are not listed."""


def aware_reader(
    buckets: Buckets, knowledge: NegativeRules | None, l: int, parameters: Mapping[str, Any]
) -> AwareReader:
    """Attack a release; ``knowledge`` are the rules that it states, ``parameters`` those of its manifest."""
    return AwareReader(
        grouping=minimality_attack(buckets, knowledge, l, parameters),
        silence=None if knowledge is None else silence_attack(buckets, knowledge),
    )
