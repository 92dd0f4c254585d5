"""Tables from comma-separated text (RFC 4180), encoded while they are read.

Every cell is text: ``1``, ``1.0`` and ``01`` are three values. An empty cell is missing, and one with
nothing but quotes is the empty text. What is not in the form is refused, with its line; nothing is
guessed, repaired or skipped. Identifiers are passed over and never kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.data.column import Column, codes_among, frozen
from tacit.data.sources import EncodedSource
from tacit.data.table import Roles
from tacit.errors import Place
from tacit.io.readers.csv_text import CsvForm, CsvText
from tacit.io.readers.dictionary import Dictionary


@dataclass(frozen=True, eq=False)
class CsvLocator:
    """Places in a text: the line of a value or of a row."""

    text: CsvText

    def value(self, column: Column, code: int) -> Place:
        row = int(np.argmax(column.codes == code))
        line = self.text.line_of_cell(row, self.text.names.index(column.name))
        return Place(self.text.file, line, column.name, column.texts[code])

    def row(self, number: int, column: str) -> Place:
        return Place(self.text.file, self.text.line_of_cell(number, 0), column)


@dataclass(frozen=True, eq=False)
class ReadCsv:
    """What a text holds: its columns but for the identifiers, and where things stand in it."""

    source: EncodedSource
    locator: CsvLocator


def read_csv(
    data: bytes, *, file: str, form: CsvForm, separator: str, roles: Roles, null_values: Sequence[str]
) -> ReadCsv:
    """The columns of a text that was checked to be UTF-8 without NUL bytes."""
    text = CsvText.of(data, file=file, form=form, separator=separator)
    roles.check(text.names, where=file)
    names = [name for name in text.names if name not in roles.identifiers]
    return ReadCsv(read_text(text, names, null_values), CsvLocator(text))


def read_text(text: CsvText, names: Sequence[str], null_values: Sequence[str]) -> EncodedSource:
    """The columns of these names."""
    wanted = {text.names.index(name): Dictionary() for name in names}
    n_rows = 0
    for frame in text.frames():
        for place, dictionary in wanted.items():
            dictionary.add(frame.to_series(place))
        n_rows += frame.height
    columns = [_column(text.names[place], wanted.pop(place), null_values) for place in tuple(wanted)]
    return EncodedSource(columns, n_rows)


def _column(name: str, dictionary: Dictionary, null_values: Sequence[str]) -> Column:
    """The column of the cells that were numbered, its values in the order of their bytes."""
    numbers, texts = dictionary.codes()
    found = texts.set(texts.is_in(null_values), None) if null_values else texts
    values = found.drop_nulls().sort().alias(name)
    # An empty cell has the number -1, which indexes the last place: that of the null.
    ranks = np.append(codes_among(found, values), len(values)).astype(np.int32)
    codes = ranks[numbers]
    if len(codes) and codes.max() == len(values):
        values = values.extend_constant(None, 1)
    return Column(name, frozen(codes), values)
