"""Reading what was published, and the original, as plain text in UTF-8.

A table is a CSV file with a header. Transactions are a ``.dat`` file, one transaction a line, its items
separated by spaces or tabs; or a ``.csv`` or ``.basket`` file, where the items are its cells; or a
``.jsonl`` file with an array of items a line, or an object that holds one. What is published is written in
one way only, so that the writing itself says nothing; an original may be written in any.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Any, TextIO

from tacit_verify.release import Check, judged

Cell = str | None  # a cell of a table; None is a missing value, unlike the empty text
Row = tuple[Cell, ...]
QUOTED = {"table": re.compile('["\r\n\ufeff,]|^$'), "basket": re.compile('["\r\n,;|\t]|^ | $|^$')}
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


def rows(path: Path, columns: Sequence[str], *, published: bool = False) -> Iterator[Row]:
    """The rows of a table, as the cells of these columns; what is published has no other columns."""
    records = _records(path, published=published)
    names = next(records, [])
    if len(set(names)) != len(names) or not set(columns) <= set(names) or (published and names != [*columns]):
        raise Unreadable(path, f"it has not the columns {', '.join(columns)}, each of them once")
    places = [names.index(column) for column in columns]
    for number, record in enumerate(records, start=1):
        if len(record) != len(names):
            raise Unreadable(path, f"row {number} has {len(record)} fields, not {len(names)}")
        yield tuple([record[place] for place in places])


def transactions(path: Path, *, published: str | bool = False) -> Iterator[list[str]]:
    """The transactions of a file, each as the list of its items.

    Of published ones the writing is checked too; a sensitive column that goes along is given by its name.
    """
    with _open(path, published=bool(published)) as file:
        if path.suffix in (".csv", ".basket"):
            taken: list[str] = []  # the lines of a record
            for cells in csv.reader(_noted(file, taken), strict=True):
                if published:
                    whole = ",".join([_written(cell, "basket") for cell in cells]) + "\n"
                    _refuse_unless(whole == "".join(taken), taken[0])
                taken.clear()
                yield [cell for cell in cells if cell]
        elif path.suffix == ".jsonl":
            for line in file:
                value = json.loads(line, parse_int=str)
                _refuse_unless(not published or _is_plain(value, line, published), line)
                yield list(value["items"] if isinstance(value, dict) else value)
        elif path.suffix == ".dat":
            for line in file:
                items = list(filter(None, line.strip("\r\n").replace("\t", " ").split(" ")))
                _refuse_unless(not published or " ".join(items) + "\n" == line, line)
                yield items
        else:
            raise ValueError("its name does not end in .dat, .csv, .basket or .jsonl")


def _noted(lines: Iterable[str], taken: list[str]) -> Iterator[str]:
    for line in lines:
        taken.append(line)
        yield line


def _refuse_unless(plain: bool, line: str) -> None:
    if not plain:
        raise ValueError(f"{line[:60]!a} is not written in the one way of published files")


def _is_plain(value: Any, line: str, column: str | bool) -> bool:
    """Whether a line is a list of names, or with a sensitive column an object of a list and a value."""
    if json.dumps(value, ensure_ascii=False) + "\n" != line or isinstance(value, dict) != isinstance(
        column, str
    ):
        return False
    items, held = value, None
    if isinstance(value, dict):
        if list(value) != ["items", column]:
            return False
        items, held = value.values()
    return (
        isinstance(items, list)
        and all(isinstance(item, str) for item in items)
        and isinstance(held, str | None)
    )


def agrees(stated: Any, counted: float) -> bool:
    """Whether a figure is what was counted, or that on a grid: two digits, tens up, percents up."""
    if type(stated) not in (int, float):
        return False
    tens = 10 ** max(1, len(str(int(counted))) - 2)
    grids = (counted, float(f"{counted:.2g}"), ceil(counted / tens) * tens, ceil(counted * 100 - 1e-9) / 100)
    return any(abs(stated - grid) < 1e-9 for grid in grids)


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


def _written(cell: Cell, dialect: str) -> str:
    """A cell as it is published: in quotes only where it must be."""
    if cell is None:
        return ""
    return '"' + cell.replace('"', '""') + '"' if QUOTED[dialect].search(cell) else cell


def _records(path: Path, *, published: bool = False) -> Iterator[list[Cell]]:
    """The records of a CSV file, its header first; a cell without even quotes is None."""
    with _open(path, published=published) as file:
        for line in file:
            parts, quotes = [line], line.count('"')
            while quotes % 2:  # a line end inside quotes
                parts.append(next(file, ""))
                quotes += parts[-1].count('"')
                if not parts[-1]:
                    raise ValueError("a quote is not closed")
            whole = "".join(parts)
            line = whole.rstrip("\r\n")
            cells: list[Cell] = [cell or None for cell in line.split(",")]
            if quotes:
                found = CELL.findall(line)
                if ",".join(found) != line:
                    raise ValueError("a quote stands where none belongs")
                cells = [one[1:-1].replace('""', '"') if one[:1] == '"' else one or None for one in found]
            if published and (quotes or len(whole) != len(line) + 1 or "\ufeff" in line or whole[-1] != "\n"):
                _refuse_unless(",".join([_written(cell, "table") for cell in cells]) + "\n" == whole, whole)
            yield cells


@contextmanager
def _open(path: Path, *, published: bool = False) -> Iterator[TextIO]:
    """A text file; an original may begin with a byte order mark. Line ends are left to the CSV reader."""
    try:
        with path.open(encoding="utf-8" if published else "utf-8-sig", newline="") as file:
            yield file
    except (ValueError, KeyError, csv.Error) as error:
        raise Unreadable(path, error) from error
