"""Hierarchies over dates: day, month, quarter, year, decade."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from tacit.data.hierarchy import Hierarchy
from tacit.errors import InputError, Place, listed
from tacit.io.hierarchies.naming import Namer, assembled, distinct_texts

_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ].+)?)?)?", re.ASCII)

Parts = tuple[int, int | None, int | None]
"""Year, month and day; a date may be known to the month or the year only."""


def build_dates(
    values: Iterable[object], *, date_format: str | None = None, name: str | None = None
) -> Hierarchy:
    """Days under months, months under years, years under decades; times of day under days.

    Values are ISO dates (``2020-05-17``, with a time of day or not, or only ``2020-05`` or
    ``2020``), or whatever ``date_format`` says in the letters of ``strftime`` (``%d.%m.%Y``).

    >>> tree = build_dates(["2020-05-17", "2020-06-01", "1999-12-31"])
    >>> [tree.labels[node] for node in tree.ancestors(tree.index["2020-05-17"])]
    ['2020-05', '2020', '2020s', '*']
    """
    return dates_above(values, date_format, name, quarters=False)


def dates_above(
    values: Iterable[object], date_format: str | None, name: str | None, *, quarters: bool
) -> Hierarchy:
    """The hierarchy over dates, with quarters of a year between months and years or without."""
    texts, null = distinct_texts(values)
    parts = {text: _parts(text, date_format) for text in texts}
    refused = [text for text, found in parts.items() if found is None]
    if refused:
        raise InputError(
            f"{len(refused)} of the values are not dates: {listed(refused)}.",
            code="hierarchy-not-dates",
            where=Place(column=name, value=refused[0]),
            hint="Dates are written like 2020-05-17; for another way of writing them give --date-format"
            " (date_format=), for example '%d.%m.%Y'.",
        )
    namer = Namer(texts)
    parents: dict[str, str] = {}
    dated = {text: found for text, found in parts.items() if found is not None}
    full = [found for found in dated.values() if found[2] is not None]
    several = len(set(full)) < len(
        full
    )  # values of one day, told apart by the time or by how they are written
    for value in sorted(dated, key=lambda text: ([part or 0 for part in dated[text]], text)):
        child = value
        for group, label, kind in _groups(dated[value], days=several, quarters=quarters):
            parent = namer.label(group, label, f" ({kind})")
            parents[child] = parent
            child = parent
        parents[child] = namer.root()
    return assembled(parents, namer, null=null, name=name)


def _groups(parts: Parts, *, days: bool, quarters: bool) -> Iterable[tuple[object, str, str]]:
    """The groups above a date, from the narrowest up: what tells them apart, label, kind."""
    year, month, day = parts
    if month is not None:
        if days and day is not None:
            yield (year, month, day), f"{year:04}-{month:02}-{day:02}", "day"
        yield (year, month), f"{year:04}-{month:02}", "month"
        if quarters:
            quarter = (month + 2) // 3
            yield (year, f"Q{quarter}"), f"{year:04}-Q{quarter}", "quarter"
    yield year, f"{year:04}", "year"
    yield ("decade", year // 10), f"{year // 10 * 10:04}s", "decade"


def _parts(text: str, date_format: str | None) -> Parts | None:
    if date_format is not None:
        try:
            moment = datetime.strptime(text, date_format)
        except ValueError:
            return None
        return moment.year, moment.month, moment.day
    found = _ISO.fullmatch(text)
    if found is None:
        return None
    year, month, day = (None if part is None else int(part) for part in found.groups())
    try:
        datetime(year or 0, month or 1, day or 1)  # refuses the 31st of June
    except ValueError:
        return None
    return (year or 0), month, day
