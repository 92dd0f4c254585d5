"""Whether the machine has room for the sensitive values, asked before anything is made of them.

Solvers hold sets of values as masks over all of them, the reader who knows rules marks each value for
each combination, and the judge's learner, up to a bound, each value for each value of the quasi-identifiers.
So memory grows with the square of the values: amounts that are different in every row need too much.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from tacit.arrays.groups import group_rows
from tacit.engine.base import Combinations
from tacit.errors import ResourceError, listed
from tacit.judging.learning_kernel import MOST_CHANCES

_GIGABYTE = 1 << 30


def check_room(combinations: Combinations, sensitive: Sequence[str], *, rules: int) -> None:
    """Raise, with what to do, where the sensitive values need more memory than the machine has."""
    places = [combinations.place(name) for name in sensitive]
    columns = [np.ascontiguousarray(combinations.codes[:, place]) for place in places]
    values = len(group_rows(columns, [len(combinations.texts[place]) for place in places])[1])
    known = sum(len(texts) for place, texts in enumerate(combinations.texts) if place not in places)
    needed, there = bytes_for(values, known, len(combinations), rules), machine_bytes()
    if there is None or needed <= there:
        return
    what = (
        f"{listed(sensitive)} {'has' if len(sensitive) == 1 else 'have together'} {values:,} different values"
    )
    raise ResourceError(
        f"{what}; with so many the run needs about {needed / _GIGABYTE:,.0f} GB of memory,"
        f" and the machine has {there / _GIGABYTE:,.0f}.",
        code="too-many-values",
        hint="Round amounts or put them into bands, cut dates to months, or name fewer sensitive columns;"
        " amounts a cent apart are different values, too.",
    )


def bytes_for(values: int, known: int, combinations: int, rules: int) -> int:
    """About how much is held for so many sensitive values and values of quasi-identifiers.

    >>> bytes_for(values=30_000, known=19_000, combinations=30_000, rules=0) >> 20
    703
    """
    learner = 8 * min(values * known, MOST_CHANCES)
    masks = 3 * values * values // 8
    marks = 3 * values * combinations if rules else 0
    return max(learner, marks) + masks


def machine_bytes() -> int | None:
    """The memory of the machine, where the system tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
