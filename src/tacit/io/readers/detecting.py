"""How delimited text is written, where nobody says so: delimiter, quote, what stands around the table.

Programs put titles above a table and totals below it, and write it with the delimiter of their country.
What is found is told in a note and can be said otherwise by an option; nothing is found where two ways to
read the file are as good.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from tacit.errors import InputError, Place, Said, option, shorten
from tacit.io.readers.csv import SAMPLE, SEPARATORS, CsvForm
from tacit.io.readers.opening import Opened
from tacit.io.readers.recognizing import MISSING, TOTAL
from tacit.io.readers.text import decoded

MOST_TITLES = 20
YEARS = 150
"""Numbers that lie further apart are no years."""
FEWEST = 3
"""So many rows make a table that something may stand around."""
FOOT = re.compile(
    r"(source|quelle|stand|note|notes|anmerkung|hinweis|exported|erstellt|as of|©|\*)\b|[*©]", re.I
)
"""How a line below a table begins."""

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Written:
    """A text as UTF-8 without what stands below its table, the form it is in, and what is told of that."""

    data: bytes
    form: CsvForm
    told: tuple[str, ...]
    questions: tuple[str, ...] = ()


def written(opened: Opened, *, form: CsvForm, usual: str, named: frozenset[str], recognize: bool) -> Written:
    """How a text is written, as the form says it or else as the text shows it.

    ``named`` are columns that somebody speaks of: a line that holds one of them names columns. Where cells
    mean what they are, single quotes belong to them.
    """
    data, told = decoded(opened, form.encoding)
    start = data[:SAMPLE].decode(errors="ignore")
    if len(data) > SAMPLE:
        start = start[: start.rfind("\n") + 1] or start
    if form.skip_rows:
        start = "".join(_lines(start)[form.skip_rows :])
    delimiter = form.delimiter or delimiter_of(start, form.quote, usual)
    if delimiter is None:
        raise InputError(
            "Two delimiters take the text apart equally well.",
            code="csv-delimiter",
            where=Place(file=opened.name, line=1),
            hint=f"Name the one that separates the cells with {option('delimiter')}.",
        )
    if delimiter != (form.delimiter or usual):
        told.append(f"{delimiter!r} between cells")
    if recognize and form.quote == '"' and quote_of(start, delimiter) != form.quote:
        form = replace(form, quote="'")
        told.append("single quotes around cells")
    above, below = _lines_around(data, start, delimiter, form)
    rows = rows_of(start, delimiter, form.quote)[above if form.skip_rows is None else 0 :]
    header, questions = header_of(rows[: len(rows) - below], form, named)
    told += told_around("line", form, above, below, header=header)
    if form.skip_rows is None and above:
        form = replace(form, skip_rows=above)
    form = replace(form, header=header, delimiter=delimiter)
    cut = form.skip_last if form.skip_last is not None else below
    return Written(_without_last(data, cut), form, tuple(told), questions)


def told_around(what: str, form: CsvForm, above: int, below: int, *, header: bool) -> list[str]:
    """What is told of the lines or rows around a table, where the form says nothing of them."""
    told = []
    if form.skip_rows is None and above:
        told.append(f"the header below {above} {what if above == 1 else what + 's'}")
    if form.skip_last is None and below:
        one = f"without the last {what}, which is no record"
        told.append(one if below == 1 else f"without the last {below} {what}s")
    if form.header is None and not header:
        told.append(f"the first {what} as a record, because it holds values as the others do")
    return told


def _lines_around(data: bytes, start: str, delimiter: str, form: CsvForm) -> tuple[int, int]:
    """How many lines stand above and below the table; none where they are not as many lines as rows."""
    end = start if len(data) <= SAMPLE else data[-SAMPLE:].decode(errors="ignore").partition("\n")[2]
    first, last = rows_of(start, delimiter, form.quote), rows_of(end, delimiter, form.quote)
    above, below = around(first, last)
    if below and rows_of("".join(_lines(end)[-below:]), delimiter, form.quote) != last[-below:]:
        below = 0
    return above, below


def _without_last(data: bytes, count: int) -> bytes:
    """The text without its last lines."""
    for _ in range(count):
        data = data[: data.removesuffix(b"\n").rfind(b"\n") + 1]
    return data


def delimiter_of(text: str, quote: str | None, usual: str) -> str | None:
    """The delimiter of a text: the usual one unless another takes it apart; None where two do as well.

    >>> delimiter_of("a;b\\n1,5;2,5\\n", '"', ","), delimiter_of("a;b,c\\n1;2,3\\n", '"', ",")
    (';', None)
    """
    widths = {sign: _width(rows_of(text, sign, quote), quote or "\0") for sign in SEPARATORS}
    even = [sign for sign in SEPARATORS if widths[sign] > 1]
    if not even:
        return usual
    if len(even) > 1:
        # A comma inside a number or before a blank belongs to the cell: 1,5 and "Doe, Jane".
        inside = [sign for sign in even if re.search(rf"[^\d\s{sign}]{re.escape(sign)}[^\s{sign}]", text)]
        even = inside or even
    return even[0] if len(even) == 1 else None


def basket_delimiter(data: bytes, usual: str) -> str:
    """The delimiter of baskets: the usual one, unless it is nowhere and another in most lines."""
    lines = [line for line in re.sub(rb'"[^"]*"', b"", data[:SAMPLE]).splitlines() if line.strip()]
    holding = {sign: sum(sign.encode() in line for line in lines) for sign in SEPARATORS}
    others = [sign for sign in SEPARATORS if 2 * holding[sign] > len(lines)]
    return others[0] if not holding.get(usual) and len(others) == 1 else usual


def quote_of(text: str, delimiter: str) -> str:
    """The quote of a text: a single one where whole cells stand in it and no double one is there."""
    single = rf"(?:^|{re.escape(delimiter)})'[^'\n]*'(?=$|{re.escape(delimiter)})"
    if '"' in text or not re.search(single, text, re.MULTILINE):
        return '"'
    left = re.sub(single, "", text, flags=re.MULTILINE)
    return '"' if re.search(rf"(?:^|{re.escape(delimiter)})'", left, re.MULTILINE) else "'"


def around(rows: Rows, last: Rows) -> tuple[int, int]:
    """How many rows stand above the header and below the last record, told by first rows and last ones."""
    width = _usual_width(rows)
    return (0, 0) if width < 2 else (_above(rows, width), _below(last, width))


def header_of(rows: Rows, form: CsvForm, named: frozenset[str]) -> tuple[bool, tuple[str, ...]]:
    """Whether the first row names columns, as it is said or else as the rows show; and what is asked."""
    if form.header is not None or not rows or form.columns is not None or named & set(rows[0]):
        return form.header is not False, ()
    names = _names(rows[0], rows[1:])
    asked = Said(
        f"The first line ({shorten(', '.join(rows[0]))}) is taken for the names of the columns. If it is a"
        f" record, say {option('header', False)}."
    )
    return names is not False, (asked,) if names is None else ()


def _names(first: Sequence[str], rows: Rows) -> bool | None:
    """Whether a row names columns: False where it holds values, None where one could take it for either.

    A word above numbers is a name. A number or a day above its like is a value, unless such numbers count
    (2019, 2020, 2021), and so is a word that its column repeats.
    """
    rows = [row for row in rows if len(row) == len(first)]
    if len(first) < 2:
        return True
    numbers, values, echoes, strangers = [], 0, 0, 0
    for head, *cells in zip(first, *rows, strict=True):
        head, held = head.strip(), {cell.strip() for cell in cells if cell.strip().lower() not in MISSING}
        sort, sorts = _sort(head), {_sort(cell) for cell in held}
        if not head or not held:
            continue
        if len(sorts) == 1 and sorts != {"word"}:
            if sort not in sorts:
                return True
            numbers += [head] if sort == "number" else []
            values += sort == "day" or _among(head, held)
        elif 2 * len(held) <= len(cells):
            echoes += head in held
            strangers += head not in held
    if _count_on(numbers):
        return True
    if values and not strangers and len(rows) >= FEWEST:
        return False
    return None if values or (echoes and not strangers) else True


def _sort(cell: str) -> str:
    if re.fullmatch(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}(?:[ T].*)?", cell):
        return "day"
    return "number" if re.fullmatch(r"[+-]?[\d.,'’ \u00a0\u202f]*\d", cell) else "word"


def _among(head: str, held: set[str]) -> bool:
    """Whether a number could stand among others: it does, or is near them and no year above amounts."""
    value, *others = (float(re.sub(r"[^\d+-]", "", cell)) for cell in (head, *held))
    span = max(others) - min(others)
    near = min(others) - span <= value <= max(others) + span
    return head in held or (near and not (re.fullmatch(r"(19|20)\d\d", head) and span > YEARS))


def _count_on(numbers: Sequence[str]) -> bool:
    """Whether numbers go up by one and the same step, as years and questions do."""
    if len(numbers) < 2 or not all(number.isdigit() for number in numbers):
        return False
    steps = {int(after) - int(before) for before, after in pairwise(numbers)}
    return len(steps) == 1 and (steps == {1} or (len(numbers) > 2 and min(steps) > 0))


def rows_of(text: str, delimiter: str, quote: str | None) -> list[list[str]]:
    """The rows of a text without regard to its form, a blank line as a row without cells."""
    quoting = {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}
    try:
        return list(csv.reader(_lines(text), delimiter=delimiter, **quoting))
    except csv.Error:  # a cell that is too long
        return []


def _lines(text: str) -> list[str]:
    """The lines with their ends, which are those of a CSV alone: a form feed is a sign like any other."""
    return io.StringIO(text, newline="").readlines()


def _above(rows: Rows, width: int) -> int:
    """How many rows come before the header: those of a title, and blank ones."""
    titles = list(takewhile(lambda row: _is_title(row, width), rows[: MOST_TITLES + 1]))
    header = rows[len(titles)] if len(titles) < len(rows) else ()
    full = len(header) == width and sum(bool(cell.strip()) for cell in header) > width // 2
    return len(titles) if full and len(titles) <= MOST_TITLES else 0


def _is_title(row: Sequence[str], width: int) -> bool:
    held = sum(bool(cell.strip()) for cell in row)
    return held == 0 or (held == 1 and width > 2) or (len(row) < width and held < width - 1 and width > 3)


def _below(rows: Rows, width: int) -> int:
    """How many rows come after the last record: totals and remarks, and blank ones before them."""
    below = 0
    for place, row in enumerate(reversed(rows), start=1):
        first = next((cell.strip() for cell in row if cell.strip()), "")
        alone = width > 2 and len(first) > 1 and sum(bool(cell.strip()) for cell in row) == 1
        if TOTAL.match(first) or ((len(row) != width or alone) and FOOT.match(first)):
            below = place
        elif first:
            break
    held = {first.casefold() for first in (row[0].strip() for row in rows[: len(rows) - below] if row)}
    summed = [row[0].strip().casefold() for row in rows[len(rows) - below :] if row and row[0].strip()]
    # A word that begins a record as well is a value like any other.
    return 0 if held & set(summed) else below


def _usual_width(rows: Rows) -> int:
    """How many cells most rows have; 0 where there are too few to tell."""
    counts = Counter(len(row) for row in rows if any(cell.strip() for cell in row))
    width, most = max(counts.items(), key=lambda found: (found[1], found[0]), default=(0, 0))
    return width if most >= FEWEST and 2 * most > sum(counts.values()) else 0


def _width(rows: list[list[str]], quote: str) -> int:
    """How many cells every row has, but for what stands around the table; 0 where they differ."""
    if any(cell.count(quote) % 2 for row in rows for cell in row):
        return 0  # a delimiter inside quotes is none
    above, below = around(rows, rows)
    held = [row for row in rows[above : len(rows) - below] if row]
    widths = {len(row) for row in held}
    return widths.pop() if len(widths) == 1 else 0
