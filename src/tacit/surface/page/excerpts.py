"""The lines around the place of an error, so that it can be seen in the file it was found in."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from tacit.errors import Place, shorten

AROUND = 2
WIDTH = 160
LAST = 200_000
"""The last line worth looking for: reading on would keep the person waiting."""


def excerpt(where: Place, encoding: str = "utf-8") -> list[dict[str, Any]]:
    """The line of the place and two on either side, each with its number; none where it is no text file."""
    if where.file is None or where.line is None or where.line > LAST:
        return []
    path = Path(where.file)
    if not path.is_file() or path.suffix in (".gz", ".zst"):
        return []
    first = max(1, where.line - AROUND)
    try:
        with path.open(encoding=encoding, errors="replace") as file:
            lines = list(islice(file, first - 1, where.line + AROUND))
    except (OSError, LookupError):
        return []
    return [
        {
            "number": number,
            "text": shorten(line.rstrip("\r\n").replace("\0", "␀"), WIDTH),
            "here": number == where.line,
        }
        for number, line in enumerate(lines, start=first)
    ]
