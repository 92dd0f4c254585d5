"""Tables from comma-separated text (RFC 4180), encoded while they are read.

Every cell is text: ``1``, ``1.0`` and ``01`` are three values. An empty cell is missing, and one with
nothing but quotes is the empty text. What is not in the form is refused, with its line; nothing is
guessed, repaired or skipped. Identifiers are passed over and never kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.data.column import Column
from tacit.data.sources import EncodedSource
from tacit.data.table import Roles
from tacit.errors import Place
from tacit.io.readers.csv_form import CsvForm
from tacit.io.readers.csv_text import Separated
from tacit.io.readers.dictionary import Dictionary
from tacit.typing import Offsets


@dataclass(frozen=True, eq=False)
class CsvLocator:
    """Places in a text: the line of a value or of a row."""

    text: Separated
    first_places: dict[str, Offsets]
    """Of each column, where each of its values is first found; -1 for the null."""

    def value(self, column: Column, code: int) -> Place:
        place = int(self.first_places[column.name][code])
        return Place(self.text.file, self.text.line(place), column.name, column.texts[code])

    def row(self, number: int, column: str) -> Place:
        return Place(self.text.file, self.text.line(self.text.start_of_row(number)), column)


@dataclass(frozen=True, eq=False)
class ReadCsv:
    """What a text holds: its columns but for the identifiers, and where things stand in it."""

    source: EncodedSource
    locator: CsvLocator


def read_csv(
    data: bytes, *, file: str, form: CsvForm, separator: str, roles: Roles, null_values: Sequence[str]
) -> ReadCsv:
    """The columns of a text that was checked to be UTF-8 without NUL bytes."""
    text = Separated.of(data, file=file, form=form, separator=separator)
    roles.check(text.names, where=file)
    wanted = [place for place, name in enumerate(text.names) if name not in roles.identifiers]
    dictionaries = {place: Dictionary(text.bytes) for place in wanted}
    n_rows = 0
    for block in text.blocks():
        for place, dictionary in dictionaries.items():
            dictionary.add(block, place)
        n_rows += block.rows
    columns: list[Column] = []
    first_places: dict[str, Offsets] = {}
    for place in wanted:
        dictionary = dictionaries.pop(place)
        column, places = dictionary.column(text.names[place], quote=form.quote, null_values=null_values)
        columns.append(column)
        first_places[column.name] = places
    return ReadCsv(EncodedSource(columns, n_rows), CsvLocator(text, first_places))
