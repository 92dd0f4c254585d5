"""The risks of a table as text, as Markdown and as blocks of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.judging.risk.figures import Measured
from tacit.judging.risk.result import Risk
from tacit.showing.layout import count, grid, heading, prose, share
from tacit.showing.page import Block, DataTable, Words

FIGURE_COLUMNS = ("figure", "value", "people", "share", "what it means")
SUBSET_COLUMNS = ("columns", "people alone", "share")
FIRST = 10
"""So many sets of columns are told; JSON has all."""


def as_text(risk: Risk) -> str:
    """The risks for a terminal."""
    parts = [heading(_title(risk)), "\n".join(_lines(risk))]
    if risk.subsets:
        parts.append(grid(SUBSET_COLUMNS, _subsets(risk), right=(1, 2)))
    parts += [prose(line) for line in _closing(risk)]
    return "\n\n".join(parts)


def as_markdown(risk: Risk) -> str:
    """The risks as Markdown."""
    parts = [f"## {_escaped(_title(risk))}", _table(FIGURE_COLUMNS, _figures(risk))]
    if risk.subsets:
        parts.append(_table(SUBSET_COLUMNS, _subsets(risk)))
    return "\n\n".join([*parts, *_closing(risk)]) + "\n"


def blocks(risk: Risk) -> list[Block]:
    """The risks for a page or a notebook."""
    made: list[Block] = [DataTable(FIGURE_COLUMNS, _figures(risk), _title(risk))]
    if risk.subsets:
        made.append(DataTable(SUBSET_COLUMNS, _subsets(risk), "People who are alone with a few columns"))
    return [*made, *map(Words, _closing(risk))]


def _title(risk: Risk) -> str:
    return f"{risk.source or 'Table'}: {count(risk.rows)} rows, by {', '.join(risk.quasi)}"


def _figures(risk: Risk) -> list[tuple[str, str, str, str, str]]:
    return [
        (
            one.figure.title,
            one.text,
            "" if one.people is None else count(one.people),
            "" if one.share is None else share(one.share),
            _meaning(one),
        )
        for one in risk.figures
    ]


def _lines(risk: Risk) -> Iterator[str]:
    """Two lines for each figure, so that its sentence has the width of the terminal."""
    rows = _figures(risk)
    widths = [max(len(row[place]) for row in rows) for place in range(3)]
    for title, value, people, part, meaning in rows:
        about = f"  {people.rjust(widths[2])} people ({part})" if people else ""
        yield f"  {title.ljust(widths[0])}  {value.rjust(widths[1])}{about}"
        yield prose(meaning, indent=6)


def _meaning(one: Measured) -> str:
    return f"{one.figure.says} ({one.why})" if one.why else one.figure.says


def _subsets(risk: Risk) -> list[tuple[str, str, str]]:
    return [(", ".join(one.columns), count(one.people), share(one.share)) for one in risk.subsets[:FIRST]]


def _closing(risk: Risk) -> Iterator[str]:
    if len(risk.subsets) > FIRST:
        yield f"{count(len(risk.subsets) - FIRST)} more sets of columns are in the JSON."
    yield (
        f"People in classes below {risk.threshold} are counted as above the threshold. These figures describe"
        " the table and a reader who knows the quasi-identifiers; they are no statement that it is anonymous."
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)


def _escaped(text: str) -> str:
    """Text that means nothing to Markdown: column names may hold anything."""
    plain = text.replace("\\", "\\\\").replace("\n", " ")
    for sign in "|`*_<>[]#":
        plain = plain.replace(sign, "\\" + sign)
    return plain
