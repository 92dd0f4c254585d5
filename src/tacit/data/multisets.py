"""Records that hold an item several times: each (item, number of times) is an item of its own.

This is how k^m-anonymity takes multisets [1]: two milks are called ``milk×2``, which is another
item than ``milk``.

[1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued Data. VLDB 2008.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tacit.errors import InputError, Place
from tacit.typing import Codes

TIMES = "×"
"""What stands between an item and its number in the name of a repeated item."""


def counted_items(
    vocabulary: Sequence[str], items: Codes, times: Codes, *, origin: str | None
) -> tuple[list[str], Codes]:
    """One name for each (item, times) that occurs, and the code of each pair's name."""
    most = int(times.max()) + 1
    distinct, pairs = np.unique(items.astype(np.int64) * most + times, return_inverse=True)
    names = [
        vocabulary[item] if n == 1 else f"{vocabulary[item]}{TIMES}{n}"
        for item, n in zip((distinct // most).tolist(), (distinct % most).tolist(), strict=True)
    ]
    name, uses = Counter(names).most_common(1)[0]
    if uses > 1:
        raise InputError(
            f"An item is called {name!r} already, which would also be the name of a repeated item.",
            code="multiset-name",
            where=Place(file=origin, value=name),
            hint="Rename that item, or read the data without 'multiset'.",
        )
    return names, pairs.astype(np.int32)
