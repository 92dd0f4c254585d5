"""Reading what was published, and the original, as plain text.

A published table is a CSV file with a header; published transactions are a ``.dat`` file, one
transaction a line, its items separated by single spaces, or a ``.csv`` or ``.jsonl`` file where a name
holds a blank or a column goes along. An original may also be compressed
(``.gz``) and its CSV may use another delimiter.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from tacit_verify.release import Check

DELIMITERS = (",", ";", "\t", "|")

csv.field_size_limit(2**31 - 1)


def header(path: Path, delimiter: str = ",") -> list[str]:
    """The column names of a CSV file."""
    with _open(path) as file:
        return next(csv.reader(file, delimiter=delimiter, strict=True), [])


def rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The rows of a CSV file, as the texts of these columns.

    The delimiter is the one under which the header holds all the columns.
    """
    delimiter = _delimiter(path, columns)
    with _open(path) as file:
        lines = csv.reader(file, delimiter=delimiter, strict=True)
        names = next(lines)
        places = [names.index(column) for column in columns]
        for line in lines:
            if len(line) != len(names):
                raise ValueError(f"{path.name}, line {lines.line_num}: {len(line)} fields, not {len(names)}")
            yield tuple(line[place] for place in places)


def cells(path: Path, columns: Sequence[str]) -> Iterator[tuple[str | None, ...]]:
    """The rows of a CSV file with missing values told apart: a cell without even quotes is None.

    The CSV reader of the standard library gives the empty text for both. Where the file has no quoted
    empty cell, every empty one is missing; otherwise it is read one character at a time.
    """
    with _open(path) as file:
        quoted = any('""' in line for line in file)
    if not quoted:
        for row in rows(path, columns):
            yield tuple(cell or None for cell in row) if "" in row else row
        return
    for delimiter in DELIMITERS:
        with _open(path) as file:
            lines = _quoted_lines(file.read(), delimiter)
        names = next(lines, [])
        if len(set(names)) == len(names) and set(columns) <= set(names):
            places = [names.index(column) for column in columns]
            for line in lines:
                if len(line) != len(names):
                    raise ValueError(f"{path.name}: a row has {len(line)} fields, not {len(names)}")
                yield tuple(line[place] for place in places)
            return
    raise ValueError(f"{path.name} has not the columns {', '.join(columns)}")


def transactions(path: Path) -> Iterator[list[str]]:
    """The transactions of a file, each as the list of its items.

    By its name a ``.csv``, ``.basket`` or ``.tsv`` has a transaction a line, its items as cells; a ``.jsonl``
    has an array of items a line, or an object with one; any other file has items separated by blanks.
    """
    suffix = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    with _open(path) as file:
        if suffix in (".csv", ".basket", ".tsv"):
            for cells in csv.reader(file, delimiter="\t" if suffix == ".tsv" else ",", strict=True):
                yield [cell for cell in cells if cell]
        elif suffix in (".jsonl", ".ndjson"):
            for line in file:
                value = json.loads(line)
                yield list(value["items"] if isinstance(value, dict) else value)
        else:
            for line in file:
                yield line.split()


def check_order(name: str, found: Iterable[Sequence[str]]) -> Check:
    """Published order carries nothing: rows are sorted by their published text, column by column."""
    last: tuple[str, ...] = ()
    number = 0
    for number, row in enumerate(map(tuple, found), start=1):
        if row < last:
            return Check(f"order of {name}", False, f"row {number} sorts before the row above it")
        last = row
    return Check(f"order of {name}", True, f"{number} rows in the order of their text")


def _delimiter(path: Path, columns: Sequence[str]) -> str:
    for delimiter in DELIMITERS:
        try:
            names = header(path, delimiter)
        except csv.Error:  # quotes that make no sense with this delimiter
            continue
        if len(set(names)) == len(names) and set(columns) <= set(names):
            return delimiter
    raise ValueError(f"{path.name} has not the columns {', '.join(columns)}, each of them once")


def _quoted_lines(text: str, delimiter: str) -> Iterator[list[str | None]]:
    """The records of a CSV text; None for a cell without even quotes."""
    place, record = 0, list[str | None]()
    while place < len(text):
        if text[place] == '"':
            cell, place = "", place + 1
            while True:
                end = text.index('"', place)
                cell += text[place:end]
                place = end + 1
                if text[place : place + 1] != '"':
                    break
                cell, place = cell + '"', place + 1
            record.append(cell)
        else:
            end = place
            while end < len(text) and text[end] not in (delimiter, "\n", "\r"):
                end += 1
            record.append(text[place:end] or None)
            place = end
        ending = text[place : place + 1]
        place += 1
        if ending == delimiter:
            if place == len(text) or text[place] in "\r\n":  # the last cell of the record is missing
                record.append(None)
                place += 1
            else:
                continue
        elif ending not in ("", "\n", "\r"):
            raise ValueError("text after a closing quote")
        if text[place - 1 : place + 1] == "\r\n":
            place += 1
        yield record
        record = []


def _open(path: Path) -> TextIO:
    """A text file, decompressed; line ends are left to the CSV reader."""
    if path.name.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")
