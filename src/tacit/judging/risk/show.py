"""The risks of a table as text, as Markdown and as blocks of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tacit.judging.risk.criteria import SAYS
from tacit.judging.risk.figures import ROWS, Measured, Risk, in_words
from tacit.judging.risk.standards import Judged, Standard
from tacit.showing.layout import count, grid, heading, prose, share
from tacit.showing.page import Block, DataTable, Verdict, Words

FIGURE_COLUMNS = ("figure", "value", "{}", "share", "what it means")
CRITERIA_COLUMNS = ("criterion", "attack", "control", "risk (95 %)", "", "what is attacked")
STANDARD_COLUMNS = ("figure", "asked", "found", "", "what is asked")
SUBSET_COLUMNS = ("columns", "{} alone", "share")
FIRST = 10
"""So many sets of columns are told; JSON has all."""


def as_text(risk: Risk) -> str:
    """The risks for a terminal."""
    parts = [
        heading(_title(risk)),
        *map(prose, risk.warnings),
        *(["\n".join(_lines(risk))] if risk.figures else []),
    ]
    if risk.subsets:
        parts.append(grid(_header(SUBSET_COLUMNS, risk), _subsets(risk), right=(1, 2)))
    if risk.criteria:
        parts.append(grid(CRITERIA_COLUMNS, _criteria(risk), ends_in_prose=True))
    parts += [standard_text(one) for one in risk.standards]
    parts += [prose(line) for line in _closing(risk)]
    return "\n\n".join(parts)


def as_markdown(risk: Risk) -> str:
    """The risks as Markdown."""
    parts = [f"## {_escaped(_title(risk))}", *map(_escaped, risk.warnings)]
    for one in risk.standards:
        parts += [f"**{_escaped(_verdict(one))}**", _table(STANDARD_COLUMNS, _found(one)), *_about(one)]
    if risk.criteria:
        parts.append(_table(CRITERIA_COLUMNS, _criteria(risk)))
    if risk.figures:
        parts.append(_table(_header(FIGURE_COLUMNS, risk), _figures(risk)))
    if risk.subsets:
        parts.append(_table(_header(SUBSET_COLUMNS, risk), _subsets(risk)))
    return "\n\n".join([*parts, *_closing(risk)]) + "\n"


def figure_blocks(risk: Risk) -> list[Block]:
    """The figures and the criteria for a dossier, which shows standards in a part of its own."""
    return blocks(replace(risk, standards=(), warnings=()))


def blocks(risk: Risk) -> list[Block]:
    """The risks for a page or a notebook."""
    made: list[Block] = [Words(text, "warning") for text in risk.warnings]
    made += [block for one in risk.standards for block in standard_blocks(one)]
    if risk.criteria:
        made.append(DataTable(CRITERIA_COLUMNS, _criteria(risk), "The three criteria of WP216"))
    if risk.figures:
        made.append(DataTable(_header(FIGURE_COLUMNS, risk), _figures(risk), _title(risk)))
    if risk.subsets:
        title = f"{risk.counted.capitalize()} that are alone with a few columns"
        made.append(DataTable(_header(SUBSET_COLUMNS, risk), _subsets(risk), title))
    return [*made, *map(Words, _closing(risk))]


def standard_text(judged: Judged) -> str:
    """A table held against a standard, for a terminal."""
    return "\n".join(
        [
            heading(_verdict(judged)),
            grid(STANDARD_COLUMNS, _found(judged), ends_in_prose=True),
            *(prose(line, indent=2) for line in _about(judged)),
        ]
    )


def standard_blocks(judged: Judged) -> list[Block]:
    """A table held against a standard, for a page."""
    return [
        verdict_block(judged),
        DataTable(STANDARD_COLUMNS, _found(judged)),
        *(Words(line, "note") for line in _about(judged)),
    ]


def verdict_block(judged: Judged) -> Verdict:
    """Pass or fail, for a page."""
    said = f"{judged.verdict[0].upper()}{judged.verdict[1:]}:"
    return Verdict(judged.outcome, f"{judged.standard.title}.", said)


def standards_text(standards: Sequence[Standard]) -> str:
    """Every standard that is known: what it asks, and who says so."""
    parts = []
    for one in standards:
        asks = [f"{ask.figure} {ask.text}: {ask.says}" for ask in one.asks]
        lines = [prose(line, indent=2, hanging=4) for line in (*asks, f"Source: {one.source_words}", one.url)]
        parts.append("\n".join([f"{one.name}: {one.title}", *lines]))
    return "\n\n".join(parts)


def _verdict(judged: Judged) -> str:
    return f"{judged.verdict[0].upper()}{judged.verdict[1:]}: {judged.standard.title}"


def _found(judged: Judged) -> list[tuple[str, str, str, str, str]]:
    marks = {True: "pass", False: "fail", None: "not judged"}
    return [
        (
            one.ask.figure,
            one.ask.text,
            "" if one.value is None else f"{one.value:,.6g}",
            marks[one.ok],
            f"{one.ask.says} ({one.why})" if one.why else one.ask.says,
        )
        for one in judged.found
    ]


def _criteria(risk: Risk) -> list[tuple[str, str, str, str, str, str]]:
    marks = {True: "not shown", False: "fails", None: "no control"}
    found = []
    for one in risk.criteria:
        interval = "" if one.risk is None else f"{one.risk:.3f} ({one.low:.3f} to {one.high:.3f})"
        control = "" if one.control is None else f"{one.control:.3f}"
        attack = "" if one.attack is None else f"{one.attack:.3f}"
        says = in_words(SAYS[one.name], risk.counted)
        if one.baseline is not None:
            says += f" Without the release: {one.baseline:.3f}."
        if one.compared != one.attack and one.compared is not None:
            says += f" Among as many {risk.counted} as the control has: {one.compared:.3f}."
        mark = one.why if one.attack is None else marks[one.ok]
        found.append((one.name.replace("_", " "), attack, control, interval, mark, says))
    return found


def _about(judged: Judged) -> list[str]:
    """Where a standard comes from, and what a pass does not mean."""
    return [
        f"Source: {judged.standard.source_words}",
        f"The standard does not ask: {'; '.join(judged.standard.does_not_ask)}.",
    ]


def _title(risk: Risk) -> str:
    return f"{risk.source or 'Table'}: {count(risk.rows)} rows, by {', '.join(risk.quasi)}"


def _figures(risk: Risk) -> list[tuple[str, str, str, str, str]]:
    return [
        (
            in_words(one.figure.title, risk.counted),
            one.text,
            "" if one.people is None else count(one.people),
            "" if one.share is None else share(one.share),
            _meaning(one, risk.counted),
        )
        for one in risk.figures
    ]


def _lines(risk: Risk) -> Iterator[str]:
    """Two lines for each figure, so that its sentence has the width of the terminal."""
    rows = _figures(risk)
    widths = [max(len(row[place]) for row in rows) for place in range(3)]
    for title, value, people, part, meaning in rows:
        about = f"  {people.rjust(widths[2])} {risk.counted} ({part})" if people else ""
        yield f"  {title.ljust(widths[0])}  {value.rjust(widths[1])}{about}"
        yield prose(meaning, indent=6)


def _meaning(one: Measured, counted: str) -> str:
    says = in_words(one.figure.says, counted)
    return f"{says} ({one.why})" if one.why else says


def _header(columns: Sequence[str], risk: Risk) -> list[str]:
    return [column.format(risk.counted) for column in columns]


def _subsets(risk: Risk) -> list[tuple[str, str, str]]:
    return [(", ".join(one.columns), count(one.people), share(one.share)) for one in risk.subsets[:FIRST]]


def _closing(risk: Risk) -> Iterator[str]:
    if len(risk.subsets) > FIRST:
        yield f"{count(len(risk.subsets) - FIRST)} more sets of columns are in the JSON."
    if risk.quasi and risk.counted == ROWS:
        yield (
            "Rows are counted: where people have several, fewer people than rows look alike, and the risks"
            " are larger. Name the column that tells people apart with --person (person=)."
        )
    if risk.figures:
        yield (
            f"{risk.counted.capitalize()} in classes below {risk.threshold} are counted as above the"
            " threshold. These figures describe the table and a reader who knows the quasi-identifiers; none"
            " of them says that it is anonymous."
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
