"""Reading what was published, and the original, as plain text in UTF-8.

A table is a CSV file with a header. Transactions are a ``.dat`` file, one transaction a line, its items
separated by spaces or tabs; or a ``.csv`` or ``.basket`` file, where the items are its cells; or a
``.jsonl`` file with an array of items a line, or an object that holds one. What is published is written in
one way only, so that the writing itself says nothing; an original may be written in any.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, groupby, pairwise
from math import ceil
from pathlib import Path
from typing import Any, TextIO

from tacit_verify.release import Check, judged

Cell = str | None  # a cell of a table; None is a missing value, unlike the empty text
Row = tuple[Cell, ...]
# What is in quotes where it is published, in a table and in transactions; and a cell, in quotes or without.
TABLE, BASKET = re.compile('["\r\n\ufeff,]|^$'), re.compile('["\r\n,;|\t]|^ | $|^$')
CELL = re.compile(r'(?:^|,)("(?:[^"]|"")*"|[^",][^,]*|)(?=,|\Z)')


class Unreadable(ValueError):  # noqa: N818 - the sentence reads better
    """A file is not the plain text that it should be."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"{path.name}: {why}")
        self.path = path


def header(path: Path) -> Row:
    """The column names of a table."""
    return tuple(next(_records(path), ([], 1))[0])


def rows(path: Path, columns: Sequence[str], *, published: bool = False) -> Iterator[Row]:
    """The rows of a table, as the cells of these columns; what is published has no other columns."""
    records = _records(path, TABLE if published else None)
    names, times = next(records, ([], 1))
    records = chain([(names, times - 1)], records)  # a line like the header is a row
    if len(set(names)) != len(names) or not set(columns) <= set(names) or (published and names != [*columns]):
        raise Unreadable(path, f"it does not have the columns {', '.join(columns)}, each of them once")
    places = [names.index(column) for column in columns]
    number = 1
    for record, times in records:
        if len(record) != len(names):
            raise Unreadable(path, f"row {number} has {len(record)} fields, not {len(names)}")
        number += times
        yield from [tuple(record if published else [record[place] for place in places])] * times


def transactions(path: Path, *, published: str | bool = False) -> Iterator[list[str]]:
    """The transactions of a file, each as the list of its items."""
    return (items for items, times in repeated(path, published=published) for _ in range(times))


def repeated(path: Path, *, published: str | bool = False) -> Iterator[tuple[list[str], int]]:
    """Transactions that are alike and follow one another, read once, with how many there are.

    Of published ones the writing is checked too; a sensitive column that goes along is given by its name.
    """
    suffix = path.suffix
    if suffix in (".csv", ".basket"):
        for cells, times in _records(path, BASKET if published else None):
            items = [cell for cell in cells if cell]
            if published and cells not in (items, [None]):
                raise Unreadable(path, f"an item of {cells!a} is empty")
            yield items, times
        return
    with _open(path, published=bool(published)) as file:
        for line, alike in groupby(file):
            times = sum(1 for _ in alike)
            if suffix == ".jsonl":
                value = json.loads(line, parse_int=str)
                _refuse_unless(not published or _is_plain(value, line, published), line)
                yield list(value["items"] if isinstance(value, dict) else value), times
            elif suffix == ".dat":
                items = list(filter(None, line.strip("\r\n").replace("\t", " ").split(" ")))
                _refuse_unless(not published or " ".join(items) + "\n" == line, line)
                yield items, times
            else:
                raise ValueError("its name does not end in .dat, .csv, .basket or .jsonl")


def count_sets(path: Path, parameters: dict[str, Any]) -> tuple[Counter[str], Counter[int]]:
    """How many published transactions hold each item, and how many are of each length."""
    names, lengths = Counter[str](), Counter[int]()
    for record, times in repeated(path, published=parameters.get("sensitive", True)):
        for name in record:
            names[name] += times
        lengths[len(record)] += times
    return names, lengths


def check_sets(path: Path, names: Iterable[str]) -> Iterator[Check]:
    """Every transaction is a set in order, by size where all items are whole numbers; and all are sorted."""
    numbers = all(re.fullmatch(r"0|[1-9][0-9]*", name) for name in names)
    unlike, unsorted, place, last = list[str](), list[str](), 1, list[str]()
    for items, times in repeated(path):
        keys = [(len(item) if numbers else 0, item) for item in items]
        if any(one >= other for one, other in pairwise(keys)):
            unlike.append(f"transaction {place} is not a set in order")
        if items < last:
            unsorted.append(f"number {place} sorts before the one above it")
        place, last = place + times, items
    yield judged("sets", unlike, "each transaction is a set in order")
    yield judged("order of transactions", unsorted, "sorted")


def check_order(name: str, keys: Iterable[Any]) -> Check:
    """Published order carries nothing: what is published is sorted."""
    places = (place for place, (above, below) in enumerate(pairwise(keys), start=2) if below < above)
    return judged(name, (f"number {place} sorts before the one above it" for place in places), "sorted")


def agrees(stated: Any, counted: float) -> bool:
    """Whether a figure is what was counted, or that on a grid: two digits, tens up, percents up."""
    tens = 10 ** max(1, len(str(int(counted))) - 2)
    grids = (counted, float(f"{counted:.2g}"), ceil(counted / tens) * tens, ceil(counted * 100 - 1e-9) / 100)
    return type(stated) in (int, float) and any(abs(stated - grid) < 1e-9 for grid in grids)


def _refuse_unless(plain: bool, line: str) -> None:
    if not plain:
        raise ValueError(f"{line[:60]!a} is not written in the one way of published files")


def _is_plain(value: Any, line: str, column: str | bool) -> bool:
    """Whether a line is a list of names, or with a sensitive column an object of a list and a value."""
    items, held = value, None
    if isinstance(column, str):
        if not isinstance(value, dict) or list(value) != ["items", column]:
            return False
        items, held = value.values()
    names = isinstance(items, list) and all(isinstance(item, str) for item in items)
    return names and isinstance(held, str | None) and json.dumps(value, ensure_ascii=False) + "\n" == line


def _records(path: Path, quoted: re.Pattern[str] | None = None) -> Iterator[tuple[list[Cell], int]]:
    """The records of a CSV file, its header first, and how many equal lines follow one another.

    A cell without even quotes is None. What is published has quotes only round what must be ``quoted``.
    """
    with _open(path, published=quoted is not None) as file:
        last, times, cells = "", 0, list[Cell]()
        for first in file:
            if first == last:  # what is sorted has equal lines side by side
                times += 1
                continue
            if times:
                yield cells, times
            parts, quotes = [first], first.count('"')
            while quotes % 2 and parts[-1]:  # a line end inside quotes
                parts.append(next(file, ""))
                quotes += parts[-1].count('"')
            whole = "".join(parts) if quotes else first
            line = whole.rstrip("\r\n")
            found = line.split(",")
            cells = [cell or None for cell in found] if "" in found else [*found]
            if quotes:
                found = CELL.findall(line)
                if quotes % 2 or ",".join(found) != line:
                    raise ValueError("a quote is not closed, or stands where none belongs")
                cells = [one[1:-1].replace('""', '"') if one[:1] == '"' else one or None for one in found]
            if quoted and (quotes or quoted is BASKET or "\ufeff" in line or whole != line + "\n"):
                written = [_written(cell, quoted) for cell in cells]
                _refuse_unless(",".join(written) + "\n" == whole, whole)
            last, times = whole, 1
        if times:
            yield cells, times


def _written(cell: Cell, quoted: re.Pattern[str]) -> str:
    """A cell as it is published: in quotes only where it must be."""
    if cell is None or not quoted.search(cell):
        return cell or ""
    return '"' + cell.replace('"', '""') + '"'


@contextmanager
def _open(path: Path, *, published: bool) -> Iterator[TextIO]:
    """A text file, its line ends as they are; an original may begin with a byte order mark."""
    try:
        with path.open(encoding="utf-8" if published else "utf-8-sig", newline="") as file:
            yield file
    except (ValueError, KeyError) as error:
        raise Unreadable(path, error) from error
