"""Reading a recipe's sources with the verbs a person would use."""

from __future__ import annotations

from tacit.data.settling import NULLS
from tacit.data.spelling import TWINS
from tacit.parameters import Range

RANGES: dict[str, Range] = {"nulls": NULLS, "twins": TWINS}
"""What the options that readers share may be."""
