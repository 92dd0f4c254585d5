"""Transactions from wherever they are kept: files of several layouts, databases, dataframes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from tacit.data.hierarchy import Hierarchy
from tacit.data.listing import LongForm
from tacit.data.spelling import Twins
from tacit.data.transactions import Transactions
from tacit.errors import InputError, Place, UsageError
from tacit.io.readers import words
from tacit.io.readers.detecting import basket_delimiter
from tacit.io.readers.opening import STANDARD_INPUT, is_spark_address, named_part, open_bytes, plain_suffix
from tacit.io.readers.recognizing import said
from tacit.io.readers.set_formats import (
    FORMATS,
    SET_FORMATS,
    SUFFIXES,
    Asked,
    SetFormatName,
    lists_items,
    looks_like_sets,
    one_character,
    refuse_unmeant,
)
from tacit.io.readers.text import NAMES, checked_text, other_encoding
from tacit.io.readers.transactions_long import long_transactions
from tacit.io.readers.vocabulary import transactions_from_named
from tacit.io.samples import is_sample, sample_transactions
from tacit.options import Says, verb
from tacit.ranges import FileOrObject, Letters, Optional, Switch, Words


@verb
def read_transactions(
    source: Any,
    *,
    format: Annotated[SetFormatName | None, words.FORMAT] = None,
    record: Annotated[
        str | None,
        Optional(Words()),
        Says("Column that names the person", "Column that names the transaction, in the long format."),
    ] = None,
    item: Annotated[
        str | None,
        Optional(Words()),
        Says(
            "Column that names the item",
            "Column that names the item, in the long format, or field of JSON that holds the items.",
        ),
    ] = None,
    sensitive: Annotated[
        str | None,
        Optional(Words()),
        Says("Not to be learned", "Column or field with one value per record that must not be learned."),
    ] = None,
    hierarchy: Annotated[
        Hierarchy | str | Path | None,
        Optional(FileOrObject()),
        Says("Hierarchy", "Hierarchy file of the items, with a leaf for every item."),
    ] = None,
    delimiter: Annotated[str | None, Optional(Letters()), words.DELIMITER] = None,
    encoding: Annotated[str | None, Optional(Words()), words.ENCODING] = None,
    header: Annotated[bool | None, Optional(Switch()), words.HEADER] = None,
    twins: Annotated[Twins, words.TWINS] = "refuse",
    multiset: Annotated[
        bool,
        Switch(),
        Says(
            "An item that is repeated",
            "Keep how often an item is repeated in a transaction, as items of their own, such as milk×2.",
            values=(("no", "counts once"), ("yes", "is an item of its own")),
        ),
    ] = False,
    table: Annotated[str | None, Optional(Words()), words.TABLE] = None,
    query: Annotated[str | None, Optional(Words()), words.QUERY] = None,
    engine: Any = None,
) -> Transactions:
    """The transactions of a file, of standard input (``-``), of a database, a dataframe or a ``sample:NAME``.

    With ``engine=SparkEngine(...)`` the records stay on Spark: of a file or a folder of parts (``dat``,
    ``basket``, and ``long`` as CSV or Parquet), of a table of its catalog (``spark:NAME``, which needs no
    engine named), or of a Spark data frame. Tables there may also have an array of items in each row, in the
    column ``item`` names, by default ``items``.

    {options}
    """
    session = None if engine is None else engine.session
    on_spark = session is not None or is_spark_address(source)
    layout = format or (spark_layout if on_spark else _format_of)(source, record, item, table, query)
    listed = None
    if layout == "basket" and format is None and str(source) != STANDARD_INPUT:
        listed = lists_items(Path(_told_by(source) if on_spark else source))
    if listed is not None:
        layout, record, item = "long", listed.record, listed.item
    given = {
        "record": record,
        "item": item,
        "sensitive": sensitive,
        "delimiter": delimiter,
        "header": header,
        "table": table,
        "query": query,
    }
    refuse_unmeant(layout, given)
    numbers: Mapping[str, str] = {}
    if on_spark:
        from tacit.io.spark.transactions_reading import spark_transactions  # it builds on these readers

        _refuse_on_spark(source, layout, header, table, query, multiset=multiset)
        transactions: Transactions = spark_transactions(
            source,
            layout,
            session=session,
            record=record,
            item=item,
            sensitive=sensitive,
            delimiter=one_character(delimiter or _delimiter_of(_told_by(source))),
            encoding=encoding or "utf-8",
            header=header is not False,
            twins=twins,
        )
    elif layout == "sample":
        transactions = sample_transactions(source)
    elif (lines := SET_FORMATS[layout].lines) is None:
        transactions = long_transactions(
            source,
            record=record,
            item=item,
            sensitive=sensitive,
            delimiter=delimiter,
            encoding=encoding,
            header=header is not False,
            twins=twins,
            multiset=multiset,
            table=table,
            query=query,
        )
    else:
        opened = open_bytes(_file_name(source))
        told = [f"{NAMES[found]} text"] if (found := other_encoding(opened.data, encoding)) else []
        data = checked_text(opened.data, file=opened.name, encoding=encoding or found)
        if not data:
            raise InputError(
                "The file is empty.",
                code="empty-file",
                where=Place(file=opened.name),
                hint="Check that this is the right file.",
            )
        usual = delimiter or _delimiter_of(source)
        asked = Asked(item, sensitive, delimiter or basket_delimiter(data, usual), bool(header))
        if layout == "basket" and asked.delimiter != usual:
            told.append(f"{asked.delimiter!r} between items")
        rows = lines.read(data, opened.name, asked)
        numbers = rows.numbers
        rows = replace(rows, notes=(*said(told, ()), *rows.notes))
        transactions = transactions_from_named(
            rows, twins=twins, multiset=multiset, origin=opened.name, format=layout
        )
    if listed is not None:
        transactions = transactions.noted(listed_words(listed))
    return transactions if hierarchy is None else _under(transactions, hierarchy, numbers)


def listed_words(found: LongForm) -> str:
    """What is told of a file that was found to list an item a line."""
    columns = f"{found.record!r} names the transaction (--record) and {found.item!r} the item (--item)"
    return said((f"an item a line: {columns}",), ())[0]


def _under(
    transactions: Transactions, hierarchy: Hierarchy | str | Path, numbers: Mapping[str, str]
) -> Transactions:
    """The transactions with a hierarchy in which every item is a leaf, by its name or by its number."""
    if not isinstance(hierarchy, Hierarchy):
        from tacit.io.hierarchies import read_hierarchy

        hierarchy = read_hierarchy(hierarchy)
    by_number = {number: name for name, number in numbers.items() if name not in hierarchy.index}
    if by_number and all(number in hierarchy.index for number in by_number):
        hierarchy = replace(hierarchy, labels=tuple(by_number.get(one, one) for one in hierarchy.labels))
    hierarchy.leaves_of(transactions.vocabulary, where=Place(file=transactions.origin))
    return transactions.with_hierarchy(hierarchy)


def _format_of(
    source: Any, record: str | None, item: str | None, table: str | None, query: str | None
) -> str:
    if not isinstance(source, str | Path) or "://" in str(source):
        return "long"
    if is_sample(source):
        return "sample"
    if record is not None or table is not None or query is not None:
        return "long"
    suffix = "" if str(source) == STANDARD_INPUT else plain_suffix(source)
    layout = SUFFIXES.get(suffix)
    if layout is None and suffix == ".txt":
        layout = looks_like_sets(Path(source))
    if layout is None:
        raise UsageError(
            f"The name {str(source)!r} does not tell how its transactions are laid out.",
            code="unknown-format",
            hint=f"Name the format, {FORMATS}.",
        )
    return "long" if layout == "basket" and item is not None else layout


def spark_layout(
    source: Any, record: str | None, item: str | None, table: str | None, query: str | None
) -> str:
    """How transactions that stay on Spark are laid out: a folder is known by its first part."""
    if not isinstance(source, str | Path) or is_spark_address(source):
        return "long"
    return _format_of(_told_by(source), record, item, table, query)


def _told_by(source: Any) -> Any:
    """What names the format of a source on Spark: the path, or the first part in it."""
    if not isinstance(source, str | Path) or is_sample(source) or is_spark_address(source):
        return source
    return named_part(source, SUFFIXES)


def _refuse_on_spark(
    source: Any, layout: str, header: bool | None, table: str | None, query: str | None, *, multiset: bool
) -> None:
    read = [entry.name for entry in SET_FORMATS.values() if entry.on_spark]
    if layout not in read or source == STANDARD_INPUT or table or query:
        *others, last = read
        raise UsageError(
            f"Spark cannot read {str(source)!r} here: it reads {', '.join(others)} and {last}, from files and"
            " tables.",
            code="spark-format",
            hint="Write it to a file of one of these formats, or leave the engine out.",
        )
    if (layout == "basket" and header) or multiset:
        what = "A line before the baskets cannot be passed over" if header else "Repeats cannot be kept"
        raise UsageError(
            f"{what} on Spark.",
            code="option-format",
            hint="Leave the option out, or read the file with the engine local.",
        )


def _file_name(source: Any) -> str | Path:
    if isinstance(source, str | Path):
        return source
    raise UsageError(
        f"Expected the name of a file, got {type(source).__name__}.",
        code="not-a-file",
        hint="A dataframe is read with format='long'.",
    )


def _delimiter_of(source: Any) -> str:
    return "\t" if isinstance(source, str | Path) and plain_suffix(source) == ".tsv" else ","
