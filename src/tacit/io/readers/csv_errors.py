"""What is wrong with the form of a comma-separated text, said with its place and the next step."""

from __future__ import annotations

import re
from typing import Protocol

from tacit.errors import InputError, Place
from tacit.io.readers.csv_form import LONGEST
from tacit.typing import Offsets

SEPARATORS = (",", ";", "\t", "|")
"""The separators in use."""

SAMPLE = 1 << 16
"""How many bytes are looked at for the separator."""


class Text(Protocol):
    """A text as far as errors speak of it."""

    @property
    def file(self) -> str: ...
    @property
    def data(self) -> bytes: ...
    @property
    def separator(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def start(self) -> int: ...
    def line(self, place: int) -> int: ...


def form_error(text: Text, report: Offsets) -> InputError:
    """The error for what a pass over the text reported."""
    from tacit.io.kernels import csv_cells as found

    status, cells = int(report[found.STATUS]), int(report[found.CELLS])
    line = text.line(int(report[found.PLACE]))
    if status in (found.RAGGED, found.BLANK_LINE):
        return _ragged(text, line, cells, blank=status == found.BLANK_LINE)
    code, message, hint = {
        found.OPEN_QUOTE: (
            "csv-open-quote",
            "A quote is opened here and never closed.",
            "Close it; a quote inside a quoted cell is written twice.",
        ),
        found.STRAY_QUOTE: (
            "csv-stray-quote",
            "A quote stands inside a cell that does not begin with one.",
            "Put the whole cell in quotes and write the quotes inside it twice.",
        ),
        found.AFTER_QUOTE: (
            "csv-stray-quote",
            "Text follows the quote that closes a cell.",
            "A quote inside a quoted cell is written twice.",
        ),
        found.LONG_CELL: (
            "csv-long-cell",
            f"A cell has more than {LONGEST} bytes, the most a cell may have.",
            "A quote before it may not be closed; otherwise shorten the cell.",
        ),
    }[status]
    column = text.names[cells] if cells < len(text.names) else cells + 1
    return InputError(message, code=code, where=Place(text.file, line, column), hint=hint)


def refuse_wrong_separator(text: Text) -> None:
    """Raise where a text of one column seems to have another separator."""
    likely = likely_separator(text)
    if likely is not None:
        raise InputError(
            f"The cells seem to be separated by {likely!r}, not by {text.separator!r}.",
            code="csv-delimiter",
            where=Place(text.file, text.line(text.start)),
            hint=f"Read the file with delimiter={likely!r} (--delimiter {likely!r}); name a single column"
            " with columns= (--columns).",
        )


def likely_separator(text: Text) -> str | None:
    """The separator, other than the one in use, that every line near the beginning has equally often."""
    sample = text.data[text.start : text.start + SAMPLE]
    lines = re.sub(rb'"(?:[^"]|"")*"', b"", sample).splitlines()
    if len(sample) == SAMPLE:
        del lines[-1]  # it may be cut
    lines = [line for line in lines if line.strip()][:100]
    counts: dict[str, int] = {}
    for separator in SEPARATORS:
        found = {line.count(separator.encode()) for line in lines}
        if separator != text.separator and len(found) == 1 and found != {0}:
            counts[separator] = found.pop()
    return max(counts, key=lambda separator: counts[separator], default=None)


def _ragged(text: Text, line: int, cells: int, *, blank: bool) -> InputError:
    likely = likely_separator(text)
    hint = (
        "A cell that holds the delimiter or a line end must stand in quotes. Where each line is a set of"
        " items, name the format: --format basket where commas are between them, --format dat for blanks."
    )
    if likely is not None:
        hint = f"The cells seem to be separated by {likely!r}: read them so, with --delimiter {likely!r}."
    wanted = len(text.names)
    return InputError(
        f"Expected {wanted} cells, but the line is blank."
        if blank
        else f"Expected {wanted} cells, found {cells}.",
        code="csv-ragged",
        where=Place(text.file, line),
        hint=hint,
    )
