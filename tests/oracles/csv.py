"""Comma-separated text read one character at a time, from the definition in RFC 4180."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RefusedError(Exception):
    """What is wrong, and in which line."""

    code: str
    line: int


def parse(
    text: str, *, width: int | None = None, separator: str = ",", skip_spaces: bool = False
) -> list[list[str | None]]:
    """The records of the text, None for a cell with nothing in it; all as wide as the first, or ``width``."""
    records: list[list[str | None]] = []
    at = 0
    while at < len(text):
        begin = at
        cells: list[str | None] = []
        while True:
            if skip_spaces:
                while at < len(text) and text[at] == " ":
                    at += 1
            cell, at = _cell(text, at, separator)
            cells.append(cell)
            if at < len(text) and text[at] == separator:
                at += 1
                continue
            break
        at = _after_line_end(text, at)
        width = len(cells) if width is None else width
        if len(cells) != width:
            rest = text[at:].replace(" ", "") if skip_spaces else text[at:]
            if cells == [None] and not rest.strip("\r\n"):
                return records
            raise RefusedError("csv-ragged", line_of(text, begin))
        records.append(cells)
    return records


def line_of(text: str, at: int) -> int:
    """One more than the number of line ends that are over before this character."""
    line, place = 1, 0
    while place < at:
        after = _after_line_end(text, place)
        if after == place:
            place += 1
        elif after <= at:
            line, place = line + 1, after
        else:
            break
    return line


def _cell(text: str, at: int, separator: str) -> tuple[str | None, int]:
    if at < len(text) and text[at] == '"':
        opened, content = at, ""
        at += 1
        while at < len(text):
            if text[at : at + 2] == '""':
                content, at = content + '"', at + 2
            elif text[at] == '"':
                at += 1
                if at < len(text) and text[at] not in (separator, "\r", "\n"):
                    raise RefusedError("csv-stray-quote", line_of(text, at))
                return content, at
            else:
                content, at = content + text[at], at + 1
        raise RefusedError("csv-open-quote", line_of(text, opened))
    begin = at
    while at < len(text) and text[at] not in (separator, "\r", "\n"):
        if text[at] == '"':
            raise RefusedError("csv-stray-quote", line_of(text, at))
        at += 1
    return (text[begin:at] or None), at


def _after_line_end(text: str, at: int) -> int:
    if text[at : at + 2] == "\r\n":
        return at + 2
    return at + 1 if text[at : at + 1] in ("\r", "\n") else at
