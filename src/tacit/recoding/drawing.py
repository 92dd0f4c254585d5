"""Tests that fail by chance: how closely a half keeps the promise is blurred by a draw of the key.

A half that breaks the promise fails. One that stands x exchanges of values fails with probability
e^(-ε(x + 1)), so that one exchange changes the probability by a factor of at most e^ε.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.random.key import Key
from tacit.typing import Counts, Floats

Fails = Callable[[str, float], bool]
"""Whether the test of this name fails, which it does with this probability."""


def drawn_by(key: Key) -> Fails:
    """Tests whose outcome the key of a table decides."""

    def fails(name: str, chance: float) -> bool:
        return chance >= 1 or key.subkey(f"generalize: {name}").words[0] < int(chance * 2.0**64)

    return fails


def chances(slack: Counts, epsilon: float) -> Floats:
    """The probability with which a half of this slack fails its test."""
    return np.where(slack < 0, 1.0, np.exp(-epsilon * (np.maximum(0, slack) + 1.0)))
