"""Facts a reader knows besides the rules, one a line::

sex=male => not ovarian cancer
P(flu | age=40-49 & sex=male) <= 0.2
P(flu) >= 0.05
"""

from __future__ import annotations

import re
from pathlib import Path

from tacit.errors import InputError, Place
from tacit.methods.disclose.solve.knowledge import Fact

_SHARE = re.compile(
    r"^P\((?P<value>[^|]+?)(?:\|(?P<where>.*))?\)\s*(?P<sign><=|>=|=|≤|≥)\s*(?P<share>[0-9.]+)$"
)
_NEVER = re.compile(r"^(?P<where>.*?)\s*(?:=>|⇒)\s*(?:not\s+|¬\s*)(?P<value>.+)$")


def read_facts(path: Path) -> list[Fact]:
    """The facts in a file; blank lines and what follows ``#`` are passed over."""
    from tacit.io.readers.opening import open_bytes
    from tacit.io.readers.text import checked_text

    text = checked_text(open_bytes(path).data, file=str(path)).decode()
    lines = [
        (number, line.partition("#")[0].strip()) for number, line in enumerate(text.splitlines(), start=1)
    ]
    return [parse_fact(line, place=Place(file=str(path), line=number)) for number, line in lines if line]


def parse_fact(line: str, *, place: Place | None = None) -> Fact:
    """A fact as a person writes it.

    >>> parse_fact("sex=male => not ovarian cancer")
    Fact(where=(('sex', 'male'),), value='ovarian cancer', low=0.0, high=0.0)
    >>> parse_fact("P(flu | age=41) <= 0.2")
    Fact(where=(('age', '41'),), value='flu', low=0.0, high=0.2)
    """
    place = place or Place()
    never = _NEVER.match(line)
    if never is not None:
        return Fact(_items(never["where"], line, place), _value(never["value"]), high=0.0)
    found = _SHARE.match(line)
    if found is None:
        raise _malformed(line, place)
    try:
        share = float(found["share"])
    except ValueError:
        raise _malformed(line, place) from None
    if not 0 <= share <= 1:
        raise _malformed(line, place)
    low = share if found["sign"] in (">=", "≥", "=") else 0.0
    high = share if found["sign"] in ("<=", "≤", "=") else 1.0
    return Fact(_items(found["where"] or "", line, place), _value(found["value"]), low=low, high=high)


def _items(text: str, line: str, place: Place) -> tuple[tuple[str, str], ...]:
    items = []
    for part in text.split("&") if text.strip() else []:
        name, equals, label = part.partition("=")
        if not equals or not name.strip() or not label.strip():
            raise _malformed(line, place)
        items.append((name.strip(), label.strip()))
    return tuple(items)


def _value(text: str) -> str:
    return (text.partition("=")[2] if "=" in text else text).strip()


def _malformed(line: str, place: Place) -> InputError:
    return InputError(
        "This is not a fact.",
        code="fact-malformed",
        where=Place(place.file, place.line, value=line),
        hint="Write it as: sex=male => not ovarian cancer, or: P(flu | age=41) <= 0.2",
    )
