"""Delimited text as hierarchies use it: records with their line numbers, and quoting that survives.

Hierarchy files are small next to data, and an error must name the line, so the standard library's
reader is the right one here.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from tacit.errors import InputError, Place

DELIMITERS = (";", ",", "\t")


def records(text: str, delimiter: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Each record that is not blank, with the number of the line it begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(
                f"The line cannot be read: {error}.",
                code="hierarchy-quote",
                where=Place(file=file, line=line),
                hint='A quoted label ends with a quote, and a quote inside it is written twice ("").',
            ) from None
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield line, cells


def find_delimiter(text: str) -> str | None:
    """The delimiter of the first record: the first of ``;``, ``,`` and tab found outside quotes."""
    bare = re.sub(r'"(?:[^"]|"")*"', "", _first_record(text))
    return next((delimiter for delimiter in DELIMITERS if delimiter in bare), None)


def first_cells(text: str, delimiter: str) -> list[str]:
    """The cells of the first record, as far as they can be read."""
    try:
        return next(csv.reader([_first_record(text)], delimiter=delimiter), [])
    except csv.Error:
        return []


def delimited(rows: Iterable[Iterable[str]], delimiter: str) -> str:
    """Rows as text; a label that any reader could misread is quoted."""
    return "".join(delimiter.join(map(_quoted, row)) + "\n" for row in rows)


def _first_record(text: str) -> str:
    found = re.search(r'(?:[^"\r\n]|"(?:[^"]|"")*"?)+', text)
    return found.group() if found else ""


# A leading brace would make the file look like JSON, a byte order mark there would be taken for one,
# and many tools cut spaces at the ends.
_AWKWARD = re.compile(r'[;,\t"\r\n]|^[\s{\ufeff]|\s$')


def _quoted(label: str) -> str:
    return '"' + label.replace('"', '""') + '"' if _AWKWARD.search(label) else label
