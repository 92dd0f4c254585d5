"""What judging the rules of a table will take."""

from __future__ import annotations

from typing import Any

from tacit.methods.disclose.verb import DisclosureSize, disclosure_size


def expected(asked: Any) -> DisclosureSize:
    """How large the problem is that the checked arguments of :func:`tacit.safe_rules` ask for."""
    return disclosure_size(
        asked.table,
        min_support=asked.min_support,
        min_confidence=asked.min_confidence,
        max_length=asked.max_length,
        scores=asked.scores,
    )
