"""Plain-text layout: headings, facts and small tables that look alike everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def heading(text: str) -> str:
    """A heading with a rule under it."""
    return f"{text}\n{'─' * len(text)}"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values, one pair a line, the values aligned.

    >>> print(facts([("rows", "1,000"), ("columns", "6")]))
      rows     1,000
      columns  6
    """
    rows = list(pairs)
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in rows)


def grid(header: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """A small table; the columns numbered in ``right`` are aligned right."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(header))]

    def shape(line: Sequence[str]) -> str:
        cells = [
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  " + "  ".join(cells).rstrip()

    rule = "  " + "  ".join("─" * width for width in widths)
    return "\n".join([shape(lines[0]), rule, *(shape(line) for line in lines[1:])])


def count(number: int) -> str:
    """A whole number with thousands set apart."""
    return f"{number:,}"


def share(number: float) -> str:
    """A share as a percentage; small ones keep a digit that says something.

    >>> share(0.5), share(0.0312), share(0.00004), share(0)
    ('50.0 %', '3.1 %', '0.004 %', '0.0 %')
    """
    percent = 100 * number
    if percent and abs(percent) < 0.05:
        return f"{percent:.1g} %"
    return f"{percent:.1f} %"
