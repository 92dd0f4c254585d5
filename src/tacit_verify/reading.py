"""Reading what was published, and the original, as plain text in UTF-8.

A table is a CSV file with a header. Transactions are a ``.dat`` file, one transaction a line, its items
separated by spaces or tabs; or a ``.csv`` or ``.basket`` file, where the items are its cells; or a
``.jsonl`` file with an array of items a line, or an object that holds one. What is published is written in
one way only, so that the writing itself says nothing; an original may be written in any.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import chain, groupby, islice, pairwise, repeat
from math import ceil
from multiprocessing import Pool, cpu_count
from operator import ge
from pathlib import Path
from typing import Any, TextIO

from tacit_verify.release import Check, judged

Cell = str | None  # a cell of a table; None is a missing value, unlike the empty text
Row = tuple[Cell, ...]
# What is in quotes where it is published, in a table and in transactions; and a cell, in quotes or without.
TABLE, BASKET = re.compile('["\r\n\ufeff,]|^$'), re.compile('["\r\n,;|\t]|^ | $|^$')
STRANGE = {TABLE: ("\ufeff",), BASKET: (";", "|", "\t", ", ", " ,")}  # what shows such a cell inside a line
CELL = re.compile(r'(?:^|,)("(?:[^"]|"")*"|[^",][^,]*|)(?=,|\Z)')
LARGE, AT_ONCE = 1 << 22, 1 << 12  # bytes that take longer than starting processes; lines that go to one
Part = tuple[int, int]  # which part of a file, and of how many


class Unreadable(ValueError):  # noqa: N818 - the sentence reads better
    """A file is not the plain text that it should be."""

    def __init__(self, path: Path, why: object) -> None:
        super().__init__(f"{path.name}: {why}")
        self.path = path


def header(path: Path) -> Row:
    """The column names of a published table."""
    return tuple(next(_records(path, TABLE), ([], 1))[0])


def rows(path: Path, columns: Sequence[str], *, published: bool = False) -> Iterator[Row]:
    """The rows of a table, as the cells of these columns; what is published has no other columns."""
    records = _records(path, TABLE if published else None)
    names, times = next(records, (list[Cell](), 1))
    records = chain([(names, times - 1)], records)  # a line like the header is a row
    if len(set(names)) != len(names) or not set(columns) <= set(names) or (published and names != [*columns]):
        raise Unreadable(path, f"it does not have the columns {', '.join(columns)}, each of them once")
    places = [names.index(column) for column in columns]
    number = 1
    for record, times in records:
        if len(record) != len(names):
            raise Unreadable(path, f"row {number} has {len(record)} fields, not {len(names)}")
        number += times
        yield from repeat(tuple(record if published else [record[place] for place in places]), times)


def apart(path: Path, columns: Sequence[str], place: int, make: Callable[[Row], Any]) -> Iterator[Any]:
    """The rows of a published table: the number in a column, and what is made, once, of equal other cells."""
    same, known, end = dict[Cell, Cell](), dict[Any, Any](), "\n" * (place == len(columns) - 1)
    with _open(path, published=True) as file:
        for line in islice(_whole(file), 1, None):
            others: Any  # their text, or themselves
            if end:  # a number has no comma and no quotes: the line can be cut beside it
                others, _, text = line.rpartition(",")
            elif not place:
                text, _, others = line.partition(",")
            else:
                cells = _cells(line, TABLE)
                text, others = cells.pop(place) or "", tuple(cells)
            if (made := known.get(others)) is None:
                row = others if place and not end else tuple(_cells(others + end, TABLE))
                if len(row) != len(columns) - 1:
                    raise ValueError(f"a row has {len(row) + 1} fields, not {len(columns)}")
                made = known[others] = make(tuple([same.setdefault(cell, cell) for cell in row]))
            number = int(text)
            if f"{number}{end}" != text:
                raise ValueError(f"{text!a} is not a plain whole number")
            yield number, made


def transactions(path: Path, *, published: str | bool = False) -> Iterator[list[str]]:
    """The transactions of a file, each as the list of its items."""
    return (items for items, times in repeated(path, published=published) for _ in range(times))


def repeated(path: Path, part: Part = (0, 1), *, published: str | bool = False) -> Iterator[Any]:
    """Transactions that are alike and follow one another, read once, with how many there are.

    Of published ones the writing is checked too; a sensitive column that goes along is given by its name.
    Of a part of a file also those before its own, 0 times: they show the order.
    """
    suffix = path.suffix
    if suffix in (".csv", ".basket"):
        for cells, times in _records(path, BASKET if published else None, part):
            if published and not all(cells) and cells != [None]:
                raise Unreadable(path, f"an item of {cells!a} is empty")
            yield list(filter(None, cells)), times
        return
    with _open(path, published=bool(published)) as file:
        for line, times in _alike(file, part):
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


def in_parts(find: Callable[..., Any], path: Path, *given: Any) -> list[Any]:
    """What a function finds in each part of a file: a part for each core if the file is large."""
    parts = cpu_count() if path.stat().st_size > LARGE else 1
    tasks = [(path, (part, parts), *given) for part in range(parts)]
    with Pool(parts) if parts > 1 else nullcontext() as pool:
        return pool.starmap(find, tasks) if pool else [find(*task) for task in tasks]


def count_sets(path: Path, parameters: dict[str, Any], wanted: Iterable[frozenset[str]] = ()) -> Any:
    """How many published transactions hold each item, are of each length, hold sets; and checks of them.

    Every transaction is a set in order, by size where all items are whole numbers; and all are sorted.
    """
    by_item: dict[str, list[frozenset[str]]] = {}
    for chosen in wanted:
        by_item.setdefault(min(chosen), []).append(chosen)
    found = in_parts(_count_part, path, parameters.get("sensitive", True), by_item)
    names, lengths, held, wrong = (sum(some, Counter[Any]()) for some in zip(*found, strict=True))
    size = len if all(re.fullmatch(r"0|[1-9][0-9]*", name) for name in names) else None
    unlike = enumerate(transactions(path) if wrong[size] else (), start=1)  # only then is it looked for
    places = (f"transaction {place} is not a set in order" for place, items in unlike if _mixed(items, size))
    sets = judged("sets", places, "each transaction is a set in order")
    ordered = check_order("order of transactions", transactions(path) if wrong["order"] else ())
    return names, lengths, held, (sets, ordered)


def _mixed(items: list[str], size: Any) -> bool:
    """Whether items are not in order, by their size if it is given, or not a set."""
    keys = [(len(item), item) for item in items] if size else items
    return any(map(ge, keys, keys[1:]))


def _count_part(path: Path, part: Part, published: str | bool, by_item: dict[str, Any]) -> Any:
    names, lengths, held = dict[str, int](), Counter[int](), Counter[frozenset[str]]()
    last, unsorted, orders = list[str](), False, {None, len}  # of the two one is soon known to be another
    for items, times in repeated(path, part, published=published):
        for name in items:
            names[name] = names.get(name, 0) + times
        for name in by_item.keys() & items if by_item else ():
            held.update({chosen: times for chosen in by_item[name] if chosen.issubset(items)})
        orders -= {size for size in orders if _mixed(items, size)}
        lengths[len(items)] += times
        unsorted, last = unsorted or items < last, items
    return Counter(names), lengths, held, Counter(["order"] * unsorted + [*({None, len} - orders)])


def check_order(name: str, keys: Iterable[Any]) -> Check:
    """Published order carries nothing: what is published is sorted."""
    places = (place for place, (above, below) in enumerate(pairwise(keys), start=2) if below < above)
    return judged(name, (f"number {place} sorts before the one above it" for place in places), "sorted")


def agrees(stated: Any, counted: float) -> bool:
    """Whether a figure is what was counted, or that on a grid: two digits, tens up, percents up."""
    tens = 10 ** max(1, len(str(int(counted))) - 2)
    grids = (counted, float(f"{counted:.2g}"), ceil(counted / tens) * tens, ceil(counted * 100 - 1e-9) / 100)
    return type(stated) in (int, float) and any(abs(stated - grid) <= 1e-12 * grid for grid in grids)


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


def _records(path: Path, quoted: re.Pattern[str] | None = None, part: Part = (0, 1)) -> Iterator[Any]:
    """The records of a CSV file, its header first, and how many equal ones follow one another.

    A cell without even quotes is None. What is published has quotes only round what must be ``quoted``.
    """
    with _open(path, published=quoted is not None) as file:
        for line, times in _alike(_whole(file), part):
            yield _cells(line, quoted), times


def _cells(whole: str, quoted: re.Pattern[str] | None) -> list[Cell]:
    line, quotes = whole.rstrip("\r\n"), '"' in whole
    cells: list[Any] = line.split(",")
    cells = cells if all(cells) else [text or None for text in cells]
    if quotes:
        found = CELL.findall(line)
        if whole.count('"') % 2 or ",".join(found) != line:
            raise ValueError("a quote is not closed, or stands where none belongs")
        cells = [one[1:-1].replace('""', '"') if one[:1] == '"' else one or None for one in found]
    if quoted and (quotes or whole != line + "\n" or any(map(f",{line},".__contains__, STRANGE[quoted]))):
        _refuse_unless(",".join([_written(cell, quoted) for cell in cells]) + "\n" == whole, whole)
    return cells


def _whole(file: Iterator[str]) -> Iterator[str]:
    """The lines of a CSV file: a line end inside quotes ends none."""
    for line in file:
        if '"' in line:
            lines, quotes = [line], line.count('"')
            while quotes % 2 and lines[-1]:
                lines.append(next(file, ""))
                quotes += lines[-1].count('"')
            line = "".join(lines)
        yield line


def _alike(lines: Iterable[str], part: Part) -> Iterator[tuple[str, int]]:
    """The lines of a part of a file, and how many equal ones follow one another: in what is sorted, all."""
    for number, (line, alike) in enumerate(groupby(lines)):
        times = 0
        for _ in alike:
            times += 1
        if number // AT_ONCE % part[1] == part[0]:
            yield line, times
        elif (number + 1) // AT_ONCE % part[1] == part[0]:
            yield line, 0


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
    except (ValueError, LookupError) as error:
        raise Unreadable(path, error) from error
