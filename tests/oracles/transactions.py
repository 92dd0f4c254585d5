"""Transactions read in the slow obvious way, from what the formats say."""

from __future__ import annotations

import json
import re

# Blanks, then a quoted cell with blanks after it, or a cell without any quote.
CELL = re.compile(
    r"""[ \t]*+(?:"(?P<quoted>(?:[^"]|"")*+)"[ \t]*|(?P<bare>[^,"\r\n]*))(?P<end>,|\r\n|\r|\n|\Z)"""
)


def fimi(text: str) -> list[list[str]]:
    """The tokens of each line; the line end at the end begins no further line."""
    return [[token for token in re.split("[ \t]+", line) if token] for line in lines(text)]


def baskets(text: str) -> list[list[str]] | None:
    """The cells of each line that are not empty; None where a quote is misplaced."""
    rows: list[list[str]] = []
    at = 0
    while at < len(text):
        row: list[str] = []
        while True:
            cell = CELL.match(text, at)
            if cell is None:
                return None
            name = cell["bare"].strip(" \t") if cell["quoted"] is None else cell["quoted"].replace('""', '"')
            row.extend([name] if name else [])
            at = cell.end()
            if cell["end"] != ",":
                break
        rows.append(row)
    return rows


def json_lines(text: str, field: str = "items") -> list[list[str]]:
    """The items of each line."""
    found = [json.loads(line) for line in lines(text)]
    return [[str(item) for item in (row if isinstance(row, list) else row[field])] for row in found]


def lines(text: str) -> list[str]:
    """The lines of a text; each of the three line ends counts."""
    parts = re.split("\r\n|\r|\n", text)
    return parts if parts[-1] else parts[:-1]
