"""The learning attack on buckets; see :mod:`tacit.judging.learning`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.judging.learning import Guesses, LearningAttack, attack_of, guessed_values
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.typing import Codes


def learning_attack(buckets: Buckets) -> LearningAttack | None:
    """Attack the release; None where its buckets or its model are too large to hold in memory at once."""
    guesses = buckets.once(learned_guesses)
    if guesses is None:
        return None
    return attack_of(guesses.among(buckets.n_people), buckets.values_held[: buckets.n_people])


def learned_guesses(buckets: Buckets, further: Sequence[Codes] = ()) -> Guesses | None:
    """What a learner guesses of each row; None where that would not fit into memory.

    ``further`` are attributes that the reader knows of each row beside the published columns.
    """
    if not len(buckets):
        return None
    known = np.vstack([buckets.known_codes, *further]).astype(np.int32)
    ends = np.cumsum([0, *np.diff(buckets.known_ends), *(int(one.max()) + 1 for one in further)])
    return guessed_values(known, ends.astype(np.int64), buckets.groups, buckets.values_held)
