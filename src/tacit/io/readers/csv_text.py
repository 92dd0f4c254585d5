"""A comma-separated text with its column names, ready to give its records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.data.table import check_names
from tacit.errors import InputError, Place
from tacit.io.readers.csv_errors import form_error, refuse_wrong_separator
from tacit.io.readers.csv_form import LONGEST, CsvForm
from tacit.io.readers.dictionary import Block
from tacit.io.readers.text import line_at
from tacit.typing import Bytes, Codes, Offsets

BLOCK = 1 << 16
"""How many cells are found before they are encoded: few enough for the processor's cache."""


@dataclass(frozen=True, eq=False)
class Separated:
    """A text with its column names, ready to give its records."""

    file: str
    data: bytes
    form: CsvForm
    separator: str
    names: tuple[str, ...]
    start: int
    """Where the first record after the header begins."""

    @classmethod
    def of(cls, data: bytes, *, file: str, form: CsvForm, separator: str) -> Separated:
        """The text, once its header is read and its separator found to be right."""
        start = _after_lines(data, form.skip_rows)
        if re.compile(rb"\S").search(data, start) is None:
            raise InputError(
                "The file is empty." if not form.skip_rows else "Nothing is left after the rows to skip.",
                code="empty-file",
                where=Place(file=file),
                hint="Check that the right file was named.",
            )
        text = cls(file, data, form, separator, (), start)
        cells, after = text._first_record()
        if len(cells) == 1 and (form.columns is None or len(form.columns) > 1):
            refuse_wrong_separator(text)
        names = form.columns or (cells if form.header else tuple(f"column{n + 1}" for n in range(len(cells))))
        if len(names) != len(cells):
            raise InputError(
                f"{len(names)} column names are given, and the first line has {len(cells)} cells.",
                code="csv-columns",
                where=Place(file=file, line=text.line(start)),
                hint="Give one name per column.",
            )
        check_names(names, where=file, line=text.line(start) if form.header else None)
        return cls(file, data, form, separator, names, after if form.header else start)

    @property
    def bytes(self) -> Bytes:
        """The text as an array."""
        return np.frombuffer(self.data, dtype=np.uint8)

    def blocks(self, *, cells: int = BLOCK) -> Iterator[Block]:
        """The records, some at a time; a block is valid until the next one is asked for."""
        from tacit.io.kernels.csv_cells import FINE, POSITION, ROWS, STATUS

        text = self.bytes
        rows = max(1, cells // len(self.names))
        starts = np.empty(rows * len(self.names), dtype=np.int64)
        lengths = np.empty(rows * len(self.names), dtype=np.int32)
        position = self.start
        while position < len(text):
            report = self._find(text, position, len(self.names), rows, starts, lengths)
            if report[STATUS] != FINE:
                raise form_error(self, report)
            yield Block(starts, lengths, len(self.names), int(report[ROWS]))
            position = int(report[POSITION])

    def start_of_row(self, number: int) -> int:
        """Where a record begins, counted from 0 after the header."""
        before = 0
        for block in self.blocks():
            if number < before + block.rows:
                return int(block.starts[(number - before) * block.n_columns])
            before += block.rows
        return len(self.data)

    def line(self, place: int) -> int:
        """The line of a place in the text."""
        return line_at(self.data, place)

    def _find(
        self, text: Bytes, position: int, width: int, rows: int, starts: Offsets, lengths: Codes
    ) -> Offsets:
        from tacit.io.kernels.csv_cells import NO_QUOTE, find_cells

        report = np.zeros(5, dtype=np.int64)
        quote = NO_QUOTE if self.form.quote is None else ord(self.form.quote)
        skip = self.form.skip_initial_space
        find_cells(
            text, position, ord(self.separator), quote, skip, width, LONGEST, rows, starts, lengths, report
        )
        return report

    def _first_record(self) -> tuple[tuple[str, ...], int]:
        """The cells of the first record, and where the next one begins."""
        from tacit.io.kernels.csv_cells import BLANK_LINE, CELLS, FINE, POSITION, RAGGED, STATUS

        # Its width is not known yet: room is made for more cells than it can have, and fewer are right.
        room = self.data.count(self.separator.encode(), self.start, self.start + LONGEST) + 2
        starts, lengths = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int32)
        report = self._find(self.bytes, self.start, room, 1, starts, lengths)
        if report[STATUS] == BLANK_LINE:
            return ("",), int(report[POSITION])
        if report[STATUS] not in (FINE, RAGGED) or report[CELLS] > room:
            raise form_error(self, report)
        cells = [
            self.data[start : start + max(0, length)].decode()
            for start, length in zip(starts[: report[CELLS]], lengths[: report[CELLS]], strict=True)
        ]
        quote = self.form.quote or ""
        return tuple(cell.replace(quote + quote, quote) if quote else cell for cell in cells), int(
            report[POSITION]
        )


def _after_lines(data: bytes, count: int) -> int:
    """Where the line after the first ``count`` lines begins."""
    position = 0
    for _ in range(count):
        end = re.compile(rb"\r\n|\n|\r").search(data, position)
        if end is None:
            return len(data)
        position = end.end()
    return position
