"""Plain-text layout: headings, facts and small tables that look alike everywhere."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Collection, Iterable, Sequence

WIDEST = 100
"""Lines of prose are no longer than this, however wide the terminal is."""
NARROWEST = 24
"""A column of prose is no narrower than this, however narrow the terminal is."""


def prose(text: str, *, indent: int = 0, hanging: int | None = None) -> str:
    """Text in lines that fit the terminal, or 80 columns where there is none.

    Lines are indented by ``indent`` spaces, those after the first by ``hanging``. Words are never
    broken, nor is a figure parted from its percent sign. Paths and commands, which are to be copied,
    are printed as they are instead.
    """
    first, others = " " * indent, " " * (indent if hanging is None else hanging)
    wide = max(_width(), len(others) + NARROWEST)
    lines = textwrap.wrap(
        text.replace(" %", "\N{NO-BREAK SPACE}%"),
        wide,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}%", " %")


def told(result: object) -> str:
    """A result that says itself in sentences."""
    return prose(str(result))


def _width() -> int:
    return min(shutil.get_terminal_size((80, 24)).columns, WIDEST)


def heading(text: str) -> str:
    """A heading with a rule under it."""
    return f"{text}\n{'─' * len(text)}"


def facts(pairs: Iterable[tuple[str, str]], *, as_they_are: Collection[str] = ()) -> str:
    """Names and values, one pair a line, the values aligned; a long value goes on below itself.

    Values to be copied, those of the names in ``as_they_are``, stay on their line.

    >>> print(facts([("rows", "1,000"), ("columns", "6")]))
      rows     1,000
      columns  6
    """
    rows = list(pairs)
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(
        f"  {name:<{width}}  " + (value if name in as_they_are else _beside(value, width + 4))
        for name, value in rows
    )


def _beside(text: str, place: int) -> str:
    """Prose that begins at a place of its line and goes on below it; a line that fits is left alone."""
    if place + len(text) <= max(_width(), place + NARROWEST):
        return text
    return prose(text, indent=place)[place:]


def grid(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Sequence[int] = (),
    ends_in_prose: bool = False,
) -> str:
    """A small table; the columns numbered in ``right`` are aligned right, a last one of prose is wrapped."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(header))]
    if ends_in_prose:
        before = sum(width + 2 for width in widths[:-1]) + 2
        widths[-1] = min(widths[-1], max(_width() - before, NARROWEST))
        for line in lines:
            line[-1] = _beside(line[-1], before)

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
