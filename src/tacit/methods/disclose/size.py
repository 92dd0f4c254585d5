"""What judging the rules of a table will take."""

from __future__ import annotations

from typing import Any

from tacit.methods.disclose.make import DisclosureSize, disclosure_size
from tacit.methods.disclose.verb import disclose
from tacit.options import asked_of

ASKED = ("min_support", "min_confidence", "max_length", "scores")
"""The options that :func:`tacit.safe_rules` and :func:`tacit.disclose` have in common."""


def expected(asked: Any) -> DisclosureSize:
    """How large the problem is that the checked arguments of :func:`tacit.safe_rules` ask for."""
    return disclosure_size(asked_of(disclose, asked.table, {name: getattr(asked, name) for name in ASKED}))
