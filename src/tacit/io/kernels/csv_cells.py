"""Where the cells of comma-separated text begin and end, and what is wrong with its form.

The form is that of RFC 4180 [1], with any single byte as separator, and ``\\n``, ``\\r\\n`` or
``\\r`` as line end. A quote may stand only at both ends of a cell, and doubled inside. Every record
has the same number of cells; blank lines may follow the last one.

[1] Y. Shafranovich. Common Format and MIME Type for CSV Files. RFC 4180, 2005.
"""

from __future__ import annotations

import numpy as np

from tacit.arrays.compiled import kernel
from tacit.io.kernels.csv_words import LINE_FEEDS, NONE, ONES, RETURNS, first_mark, marks, word_at
from tacit.typing import Bytes, Codes, Offsets

FINE, RAGGED, OPEN_QUOTE, STRAY_QUOTE, AFTER_QUOTE, LONG_CELL, BLANK_LINE = range(7)
"""What a pass may find."""

STATUS, PLACE, CELLS, ROWS, POSITION = range(5)
"""What a pass reports: a status, its place, the cells before it in its record; rows found; where to go on."""

NO_QUOTE = 0
"""The quote of a text that has none: the byte no text holds."""

EMPTY = -1
"""The length of a cell with nothing in it, not even quotes."""

LINE_FEED, RETURN, SPACE = 10, 13, 32


@kernel
def find_cells(
    text: Bytes,
    position: int,
    separator: int,
    quote: int,
    skip_spaces: bool,
    n_columns: int,
    longest: int,
    rows: int,
    starts: Offsets,
    lengths: Codes,
    report: Offsets,
) -> None:
    """The cells of up to ``rows`` records from ``position`` on, record after record.

    A cell in quotes is what stands between them, doubled quotes as they are. ``report`` holds the
    outcome, by the names above.
    """
    size = text.size
    separators = np.uint64(separator) * ONES
    quotes = np.uint64(quote) * ONES
    cell = 0
    row = 0
    column = 0
    record = position
    status = FINE
    place = position
    while row < rows and (position < size or column > 0):
        if skip_spaces:
            while position < size and text[position] == SPACE:
                position += 1
        start = position
        while True:
            word = word_at(text, position)
            marked = (
                marks(word, separators) | marks(word, LINE_FEEDS) | marks(word, RETURNS) | marks(word, quotes)
            )
            if marked != NONE:
                break
            position += 8
        position = min(size, position + first_mark(marked))
        length = position - start
        if position < size and text[position] == quote:
            place = position
            if length > 0:
                status = STRAY_QUOTE
                break
            start += 1
            position = closing_quote(text, start, quote)
            if position == size:
                status = OPEN_QUOTE
                break
            length = position - start
            position += 1
        elif length == 0:
            length = EMPTY
        if length > longest:
            place = start
            status = LONG_CELL
            break
        if column < n_columns:
            starts[np.uint64(cell)] = start
            lengths[np.uint64(cell)] = length
            cell += 1
        column += 1
        if position < size:
            byte = text[np.uint64(position)]
            position += 1
            if byte == separator:
                continue
            if byte == RETURN:
                if position < size and text[position] == LINE_FEED:
                    position += 1
            elif byte != LINE_FEED:
                place = position - 1
                column -= 1
                status = AFTER_QUOTE
                break
        if column != n_columns:
            place = record
            status = RAGGED
            if column == 1 and length == EMPTY:
                status = BLANK_LINE
                if blank_to_the_end(text, position, skip_spaces):
                    status = FINE
                    position = size
            break
        row += 1
        record = position
        column = 0
    report[STATUS] = status
    report[PLACE] = place
    report[CELLS] = column
    report[ROWS] = row
    report[POSITION] = position


@kernel
def closing_quote(text: Bytes, position: int, quote: int) -> int:
    """The place of the quote that ends the cell whose content starts here, or the text's size."""
    size = text.size
    quotes = np.uint64(quote) * ONES
    while position < size:
        marked = marks(word_at(text, position), quotes)
        if marked == NONE:
            position += 8
            continue
        position += first_mark(marked)
        if position + 1 >= size or text[position + 1] != quote:
            return position
        position += 2
    return size


@kernel
def blank_to_the_end(text: Bytes, position: int, skip_spaces: bool) -> bool:
    """Whether nothing but line ends follows, and spaces where they are skipped."""
    for place in range(position, text.size):
        byte = text[place]
        if byte != LINE_FEED and byte != RETURN and not (skip_spaces and byte == SPACE):
            return False
    return True
