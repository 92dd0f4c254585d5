"""Tests that fail by chance: how closely a half keeps the promise is blurred by a draw of the key.

A half that breaks the promise fails. One that stands x exchanges of values fails with probability
e^(-ε(x + 1)), so that one exchange changes the probability by a factor of at most e^ε.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tacit.engine.base import Combinations
from tacit.random.key import Key
from tacit.random.keyed import draws
from tacit.recoding.problem import quasi_combinations
from tacit.typing import AnyArray, Counts, Floats

Fails = Callable[[Sequence[AnyArray], float], bool]
"""Whether a division into these combinations fails its test, which it does with this probability."""


def drawn_by(key: Key, combinations: Combinations, known: Sequence[str]) -> Fails:
    """Tests that the key of a table decides, each by a draw of its own: that of what the halves hold.

    The halves are of the combinations of the ``known`` columns; what is sensitive in them counts too.
    """
    content, records = key.subkey("generalize: content"), key.subkey("generalize: records")
    number, codes, _ = quasi_combinations(combinations, known)
    held = combinations.digests(content)
    words = np.zeros((len(codes), 2), dtype=np.uint64)
    for label in (0, 1):
        np.add.at(words[:, label], number, draws(records, held, combinations.counts, label=label))

    def fails(halves: Sequence[AnyArray], chance: float) -> bool:
        if chance >= 1:
            return True
        sums = sorted(words[half].sum(axis=0).tolist() for half in halves)
        return key.subkey(f"generalize: {sums}").words[0] < int(chance * 2.0**64)

    return fails


def chances(slack: Counts, epsilon: float) -> Floats:
    """The probability with which a half of this slack fails its test."""
    return np.where(slack < 0, 1.0, np.exp(-epsilon * (np.maximum(0, slack) + 1.0)))
