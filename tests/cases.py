"""How many random cases a test tries: a third of them with every change, all in ``make soak``."""

from __future__ import annotations

import os

ALL = "TACIT_CASES"
"""The environment variable that ``make soak`` sets."""


def cases(count: int) -> int:
    """So many of ``count`` cases as are tried now."""
    return count if os.environ.get(ALL) else count // 3
