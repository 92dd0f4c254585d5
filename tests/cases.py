"""How many random cases a test tries: a third of them with every change, all in ``make soak``.

Of seeds, the other two thirds are tried in the suites that come after ``make test``, too.
"""

from __future__ import annotations

import os

import pytest

ALL = "TACIT_CASES"
"""The environment variable that ``make soak`` sets."""


def cases(count: int) -> int:
    """So many of ``count`` cases as are tried now."""
    return count if os.environ.get(ALL) else count // 3


def parted(count: int) -> pytest.MarkDecorator:
    """The parameter ``seeds`` of a test: a third of so many with every change, the others in the suites."""
    others = pytest.param(range(count // 3, count), marks=pytest.mark.ci, id="others")
    return pytest.mark.parametrize("seeds", [pytest.param(range(count // 3), id="third"), others])
