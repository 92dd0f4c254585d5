"""Values that are ranges of numbers themselves, such as 18-24 and 65+: neighbours under wider ranges."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from tacit.data.hierarchy import Hierarchy
from tacit.io.hierarchies.build import Namer, assembled

_NUMBER = r"\d+(?:\.\d+)?"
_RANGE = re.compile(
    rf"""(?:(?P<below><=?|≤|(?:under|below|less\ than|up\ to|unter|bis|moins\ de)\b)
        |(?P<above>>=?|≥|(?:over|above|more\ than|from|über|ab|plus\ de)\b))?\s*
    (?P<first>{_NUMBER})
    (?:\s*(?:-|–|—|\.\.|\bto\b|\bbis\b|à)\s*(?P<last>{_NUMBER}))?
    \s*(?P<unit>[^\W\d_]+|[%€$£])?
    \s*(?P<more>\+|(?:and|or|und|et)\ (?:more|over|older|above|mehr|älter|plus))?""",
    re.VERBOSE | re.IGNORECASE,
)
FEWEST = 3
"""Of fewer values no two are put together."""


class Range(NamedTuple):
    """From which number to which, infinite where there is no end; and in what unit."""

    low: Decimal
    high: Decimal
    unit: str


def range_of(text: str) -> Range | None:
    """The range that a text stands for; a number alone is one as well. None for other texts.

    >>> range_of("18-24 years")
    Range(low=Decimal('18'), high=Decimal('24'), unit='years')
    >>> range_of("65+").high, range_of("red")
    (Decimal('Infinity'), None)
    """
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        return None
    opens, ends = bool(found["below"]), bool(found["above"] or found["more"])
    if (opens or ends) and (found["last"] or (opens and ends)):
        return None
    first, last = found["first"], found["last"] or found["first"]
    if len(first) != len(last) and any(re.match(r"0\d", end) for end in (first, last)):
        return None  # a code: 00-950
    low = Decimal("-Infinity") if opens else Decimal(first)
    high = Decimal("Infinity") if ends else Decimal(last)
    return Range(low, high, found["unit"] or "") if low <= high else None


def ranges_above(values: Collection[str | None], name: str | None) -> Hierarchy | None:
    """Ranges that do not overlap under wider ones, half of them each; None for other values.

    >>> tree = ranges_above(["18-24", "25-34", "35-44", "45+"], None)
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["25-34"])]
    ['18-34', '*']
    """
    texts = [text for text in values if text is not None]
    found = {text: one for text in texts if (one := range_of(text)) is not None}
    ordered = sorted(found, key=lambda text: found[text][:2])
    overlap = any(found[before].high > found[after].low for before, after in pairwise(ordered))
    wide = sum(one.low < one.high for one in found.values())
    units = {one.unit for one in found.values()} - {""}
    if len(found) < max(FEWEST, len(texts)) or overlap or wide < 2 or len(units) > 1:
        return None
    namer = Namer(texts)
    parents: dict[str, str] = {}
    unit = "".join(f" {one}" for one in units)

    def hang(members: Sequence[str], parent: str) -> None:
        if len(members) == 1:
            parents[members[0]] = parent
            return
        if len(members) < len(ordered):
            wanted = _written(found[members[0]], found[members[-1]]) + unit
            label = namer.label(tuple(members), wanted, " (range)")
            parents[label], parent = parent, label
        half = (len(members) + 1) // 2
        hang(members[:half], parent)
        hang(members[half:], parent)

    hang(ordered, namer.root())
    return assembled(parents, namer, null=len(texts) < len(values), name=name)


def _written(first: Range, last: Range) -> str:
    """All from the first range to the last."""
    if not first.low.is_finite():
        return f"≤ {last.high:f}"
    return f"{first.low:f}-{last.high:f}" if last.high.is_finite() else f"{first.low:f}+"
