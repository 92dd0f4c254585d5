"""Cells of a table of counts: those that are small, and those that follow from totals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tacit.data.table import Table

TOTALS = {"total", "totals", "all", "sum", "overall", "insgesamt", "gesamt", "summe", "*"}
"""What a value is called that stands for all values of its column."""

Key = tuple[str | None, ...]


@dataclass(frozen=True)
class Cells:
    """The cells of a table of counts, by the values of its other columns; None where a count is withheld."""

    names: tuple[str, ...]
    counts: dict[Key, int | None]
    derived: dict[Key, int]
    """Withheld counts that follow from totals."""

    def small(self, below: int) -> int:
        """How many cells have a count from 1 up to, not including, a limit, stated or derived."""
        known = [*(count for count in self.counts.values() if count is not None), *self.derived.values()]
        return sum(0 < count < below for count in known)

    def unrounded(self, base: int) -> int:
        """How many stated counts are no multiple of a base."""
        return sum(count % base != 0 for count in self.counts.values() if count is not None)


def cells_of(table: Table, counts: str) -> Cells:
    """The cells of a table whose column ``counts`` holds the counts."""
    names = tuple(name for name in table.names if name != counts)
    columns = [table.column(name) for name in names]
    texts = [[column.texts[code] for code in column.codes] for column in columns]
    column = table.column(counts)
    keys: list[Key] = list(zip(*texts, strict=True)) if texts else [()] * len(table)
    found = {key: _whole(column.texts[code]) for key, code in zip(keys, column.codes, strict=True)}
    return Cells(names, found, _derived(found))


def _whole(text: str | None) -> int | None:
    """A count, or None where there is something else in its place: nothing, a star, '<11'."""
    plain = (text or "").strip().removesuffix(".0")
    return int(plain) if plain.isdecimal() else None


def _derived(counts: dict[Key, int | None]) -> dict[Key, int]:
    """The withheld counts that follow, one after the other, from lines that have one unknown."""
    known: dict[Key, int] = {key: count for key, count in counts.items() if count is not None}
    lines = list(_lines(counts))
    found: dict[Key, int] = {}
    again = True
    while again:
        again = False
        for total, parts in lines:
            unknown = [key for key in (total, *parts) if key not in known]
            if len(unknown) != 1:
                continue
            if unknown[0] == total:
                value = sum(known[key] for key in parts)
            else:
                value = known[total] - sum(known[key] for key in parts if key in known)
            known[unknown[0]] = found[unknown[0]] = value
            again = True
    return found


def _lines(counts: dict[Key, int | None]) -> Iterator[tuple[Key, Sequence[Key]]]:
    """Each total with the cells that it is the sum of."""
    for place in range(len(next(iter(counts), ()))):
        lines = list(_lines_along(counts, place))
        if all(_adds_up(counts, total, parts) for total, parts in lines):
            yield from lines  # else not all values of the column are listed


def _adds_up(counts: dict[Key, int | None], total: Key, parts: Sequence[Key]) -> bool:
    """Whether a line whose counts are all stated has the sum that it says."""
    stated = [count for key in parts if (count := counts[key]) is not None]
    whole = counts[total]
    return whole is None or len(stated) < len(parts) or sum(stated) == whole


def _lines_along(counts: dict[Key, int | None], place: int) -> Iterator[tuple[Key, Sequence[Key]]]:
    by_line: dict[Key, list[Key]] = {}
    for key in counts:
        by_line.setdefault((*key[:place], *key[place + 1 :]), []).append(key)
    for keys in by_line.values():
        totals = [key for key in keys if (key[place] or "").strip().lower() in TOTALS]
        parts = [key for key in keys if key not in totals]
        if len(totals) == 1 and parts:
            yield totals[0], parts
