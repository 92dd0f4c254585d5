"""A limit to the memory of a run: ``--memory 4G``."""

from __future__ import annotations

import math

from tacit.errors import ParameterError, ResourceError

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def check_memory(needed: int, limit: str) -> None:
    """Refuse a job that would hold more memory than a limit such as ``4G``."""
    if needed > parse_size(limit):
        raise ResourceError(
            f"This needs about {needed / (1 << 20):,.0f} MB, and {limit} are allowed.",
            code="memory-limit",
            hint="Allow more with --memory, or publish a part of the records.",
        )


def parse_size(text: str) -> int:
    """A size in bytes: ``4G``, ``512M``, ``1.5G``."""
    number, unit = text.strip().upper().removesuffix("B"), ""
    if number and number[-1] in "KMGT":
        number, unit = number[:-1], number[-1]
    try:
        size = float(number) * _UNITS[unit]
    except ValueError:
        size = math.nan
    if not (math.isfinite(size) and size > 0):
        raise ParameterError("memory", "--memory", "a size such as 512M or 4G", text)
    return int(size)
