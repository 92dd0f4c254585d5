"""Reading what was published, and the original, as plain text in UTF-8.

A table is a CSV file with a header. Transactions are a ``.dat`` file, one transaction a line, its items
separated by spaces or tabs; or a ``.csv`` or ``.basket`` file, where the items are its cells; or a
``.jsonl`` file with an array of items a line, or an object that holds one.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

from tacit_verify.release import Check, judged

Cell = str | None  # a cell of a table; None is a missing value, unlike the empty text
Row = tuple[Cell, ...]
CELL = re.compile(r'(?:^|,)("(?:[^"]|"")*"|[^",][^,]*|)(?=,|\Z)')

csv.field_size_limit(2**31 - 1)


class Unreadable(ValueError):  # noqa: N818 - the sentence reads better
    """A file is not the plain text that it should be."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"{path.name}: {why}")
        self.path = path


def header(path: Path) -> Row:
    """The column names of a table."""
    return tuple(next(_records(path), []))


def rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a table, as the cells of these columns."""
    records = _records(path)
    names = next(records, [])
    if len(set(names)) != len(names) or not set(columns) <= set(names):
        raise Unreadable(path, f"it has not the columns {', '.join(columns)}, each of them once")
    places = [names.index(column) for column in columns]
    for number, record in enumerate(records, start=1):
        if len(record) != len(names):
            raise Unreadable(path, f"row {number} has {len(record)} fields, not {len(names)}")
        yield tuple([record[place] for place in places])


def transactions(path: Path) -> Iterator[list[str]]:
    """The transactions of a file, each as the list of its items."""
    with _open(path) as file:
        if path.suffix in (".csv", ".basket"):
            for cells in csv.reader(file, strict=True):
                yield [cell for cell in cells if cell]
        elif path.suffix == ".jsonl":
            for line in file:
                value = json.loads(line, parse_int=str)
                yield list(value["items"] if isinstance(value, dict) else value)
        elif path.suffix == ".dat":
            yield from (list(filter(None, line.strip("\r\n").replace("\t", " ").split(" "))) for line in file)
        else:
            raise ValueError("its name does not end in .dat, .csv, .basket or .jsonl")


def check_order(name: str, keys: Iterable[Any]) -> Check:
    """Published order carries nothing: what is published is sorted."""
    falls = (
        f"number {place} sorts before the one above it"
        for place, (above, below) in enumerate(pairwise(keys), start=2)
        if below < above
    )
    return judged(name, falls, "sorted")


def check_sets(published: Iterable[Sequence[str]], names: Iterable[str]) -> Check:
    """Every transaction is a set, in one order: by size where all items are whole numbers, else by text."""
    numbers = all(re.fullmatch(r"0|[1-9][0-9]*", name) for name in names)
    ordered = ([(len(item) if numbers else 0, item) for item in items] for items in published)
    problems = (
        f"transaction {place} is not a set in order"
        for place, keys in enumerate(ordered, start=1)
        if any(one >= other for one, other in pairwise(keys))
    )
    return judged("sets", problems, "each transaction is a set in order")


def _records(path: Path) -> Iterator[list[Cell]]:
    """The records of a CSV file, its header first; a cell without even quotes is None."""
    with _open(path) as file:
        for line in file:
            parts, quotes = [line], line.count('"')
            while quotes % 2:  # a line end inside quotes
                parts.append(next(file, ""))
                quotes += parts[-1].count('"')
                if not parts[-1]:
                    raise ValueError("a quote is not closed")
            line = "".join(parts).rstrip("\r\n")
            if '"' not in line:
                yield [cell or None for cell in line.split(",")]
                continue
            cells = CELL.findall(line)
            if ",".join(cells) != line:
                raise ValueError("a quote stands where none belongs")
            yield [cell[1:-1].replace('""', '"') if cell[:1] == '"' else cell or None for cell in cells]


@contextmanager
def _open(path: Path) -> Iterator[TextIO]:
    """A text file, with or without a byte order mark; line ends are left to the CSV reader."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except (ValueError, KeyError, csv.Error) as error:
        raise Unreadable(path, error) from error
