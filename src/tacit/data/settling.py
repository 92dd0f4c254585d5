"""What is asked of data before anybody counts them: spelling, missing values, rows at all, types.

The columns that have a role are examined. Where no column has one, nothing of the table will be
published, so all columns are examined and twins are noted rather than refused.

Words that can mean a missing value are few, short, and no sentence. They are stated in the manifest of a
release, because whoever compares it with the original must know them. So they are no place for a name or a
column of the data: a code (``-9``, ``999``), signs, a date at the end of time, what is usually written
(``N/A``, ``not stated``, ``keine Angabe``), at most three other short words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, get_args

import numpy as np
import polars as pl

from tacit.data.column import Column
from tacit.data.spelling import TWINS, missing_notes, number_notes, settle_spelling
from tacit.errors import InputError, Place, UsageError, missing_extra, option, shorten
from tacit.ranges import OneOf, check
from tacit.typing import Bools

Nulls = Literal["own", "reject", "suppress"]
"""What the option ``nulls`` may be."""
NULLS = OneOf(get_args(Nulls))

OWN_HINT = f"Use {option('nulls', 'own')} to treat a missing value as a value."
MISSING_HINT = f"{OWN_HINT[:-1]}, or {option('nulls', 'suppress')} to drop the rows."


class Locator(Protocol):
    """Says where in the source something stands."""

    def value(self, column: Column, code: int) -> Place:
        """Where a value of a column is first found."""

    def row(self, number: int, column: str) -> Place:
        """The place of a row, counted from 0, in a column."""


@dataclass(frozen=True, slots=True)
class RowLocator:
    """Places in a source that has no lines: rows are counted from 1, where they have an order."""

    origin: str | None
    ordered: bool = True

    def value(self, column: Column, code: int) -> Place:
        row = int(np.argmax(column.codes == code)) if self.ordered else 0
        return replace(self.row(row, column.name), value=column.texts[code])

    def row(self, number: int, column: str) -> Place:
        return Place(file=self.origin, line=number + 1 if self.ordered else None, column=column)


@dataclass(frozen=True, eq=False)
class Examined:
    """The columns once they are settled, the rows to keep (None: all of them), and what to tell."""

    columns: dict[str, Column]
    kept: Bools | None
    notes: tuple[str, ...]


def examine(
    columns: Callable[[str], Column],
    *,
    with_role: tuple[str, ...],
    sensitive: tuple[str, ...],
    names: tuple[str, ...],
    n_rows: int,
    nulls: str,
    twins: str,
    locator: Locator,
    origin: str | None,
) -> Examined:
    """Settle the columns that have a role, or all of them where none has."""
    check("read_table", {"nulls": NULLS, "twins": TWINS}, nulls=nulls, twins=twins)
    if n_rows == 0:
        raise InputError(
            "The table has no rows.",
            code="no-rows",
            where=Place(file=origin),
            hint="There is nothing to publish; check that the right file was named.",
        )
    if not with_role and twins == "refuse":
        twins = "keep"
    settled: dict[str, Column] = {}
    notes: list[str] = []
    for name in with_role or names:
        column, told = _settled(columns(name), twins, locator)
        settled[name] = column
        notes += told
    for name in sensitive if nulls == "suppress" else ():
        if settled[name].null_code is not None:
            raise missing_and_sensitive(name, origin)
    kept = None if nulls == "own" else _rows_without_nulls(settled, n_rows, nulls, locator)
    if kept is not None:
        notes.append(suppressed_note(int(kept.sum()), n_rows, origin))
    return Examined(settled, kept, tuple(notes))


def _settled(column: Column, twins: str, locator: Locator) -> tuple[Column, tuple[str, ...]]:
    subject = f"Column {column.name!r}"
    if len(column.values) == 1 and column.null_code == 0:
        return column, (f"{subject} holds nothing but missing values.",)
    if column.values.dtype != pl.String:
        return column, ()
    settled = settle_spelling(
        column.values,
        lambda: column.counts,
        twins=twins,
        subject=subject,
        place=lambda code: locator.value(column, code),
    )
    if settled.codes is not None:
        column = column.recoded(settled.values, settled.codes)
    texts = settled.values.drop_nulls()
    return column, (*settled.notes, *number_notes(texts, subject), *missing_notes(texts, subject))


def suppressed_note(kept: int, n_rows: int, origin: str | None) -> str:
    """What is told of rows left out for a missing value; an error where none is left."""
    if kept:
        return f"Rows suppressed for a missing value: {n_rows - kept} of {n_rows}."
    raise InputError(
        "Every row has a missing value in a column that has a role, so none is left.",
        code="no-rows",
        where=Place(file=origin),
        hint=OWN_HINT,
    )


def missing_values(count: int, n_rows: int, where: Place) -> InputError:
    """The error for missing values that are rejected, and where the first one is if rows have an order."""
    first = f", first in the column {where.column!r}" if where.column else ""
    message = f"A value is missing in {count} of {n_rows} rows{first}."
    return InputError(message, code="null-value", where=where, hint=MISSING_HINT)


def missing_and_sensitive(name: str, origin: str | None) -> InputError:
    """The error for rows that would be left out because of what must not be learned of them."""
    return InputError(
        f"Rows without a value in the sensitive column {name!r} cannot be left out: who misses somebody in"
        " the release would know that.",
        code="null-sensitive",
        where=Place(file=origin, column=name),
        hint=OWN_HINT,
    )


def _rows_without_nulls(
    columns: dict[str, Column], n_rows: int, nulls: str, locator: Locator
) -> Bools | None:
    missing = np.zeros(n_rows, dtype=bool)
    for column in columns.values():
        if column.null_code is not None:
            missing |= column.codes == column.null_code
    if not missing.any():
        return None
    if nulls == "reject":
        row = int(np.argmax(missing))
        name = next(name for name, column in columns.items() if column.codes[row] == column.null_code)
        raise missing_values(int(missing.sum()), n_rows, locator.row(row, name))
    return ~missing


NESTED = (pl.List, pl.Array, pl.Struct, pl.Object, pl.Binary, pl.Unknown)
"""Types that hold no single value a person could read."""


def take_in(frame: Any) -> pl.DataFrame:
    """Any dataframe as a polars frame."""
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    import narwhals.stable.v2 as nw

    try:
        wrapped = nw.from_native(frame, pass_through=True)
        if wrapped is frame and hasattr(frame, "__arrow_c_stream__"):
            return pl.DataFrame(frame)
        if wrapped is frame:
            raise UsageError(
                f"Expected a dataframe with the Arrow interface, got {type(frame).__name__}.",
                code="not-a-dataframe",
                hint="Give a pandas, polars or pyarrow table, a DuckDB relation, or the name of a file.",
            )
        eager = wrapped.collect("polars") if isinstance(wrapped, nw.LazyFrame) else wrapped
        taken: pl.DataFrame = eager.to_polars()
        return taken
    except nw.exceptions.DuplicateError:
        raise InputError(
            "The dataframe has two columns of one name.", code="duplicate-column", hint="Rename one of them."
        ) from None
    except ImportError as error:  # pandas text columns go through pyarrow
        raise missing_extra("pyarrow", "all", "Reading this dataframe") from error
    except (ValueError, TypeError) as error:  # what Arrow says of a column that holds both text and numbers
        raise InputError(
            f"A column of the dataframe holds values of different types: {error}.",
            code="mixed-types",
            hint="Turn the column into one type, for instance into text.",
        ) from error


def give_back(frame: pl.DataFrame, like: Any) -> Any:
    """A polars frame as a frame of another library, named by a word or by one of its frames."""
    library = like if isinstance(like, str) else type(like).__module__.split(".")[0].lstrip("_")
    if library == "polars":
        return frame
    if library not in ("pandas", "pyarrow", "duckdb"):
        raise UsageError(
            f"There is no dataframe library {library!r} to give back.",
            code="not-a-dataframe",
            hint="Use 'polars', 'pandas', 'pyarrow' or 'duckdb'.",
        )
    try:
        if library == "pandas":
            return frame.to_pandas(use_pyarrow_extension_array=True)
        if library == "pyarrow":
            return frame.to_arrow()
        import duckdb

        return duckdb.from_arrow(frame.to_arrow())
    except ImportError as error:
        extra = {"pyarrow": "pandas"}.get(library, library)
        raise missing_extra(error.name or library, extra, f"A frame of {library}") from error


def not_countable(name: str, kind: str, origin: str | None) -> InputError:
    """The error for a column of lists, bytes and the like where it is needed."""
    return InputError(
        f"The column {name!r} is of type {kind}, whose values cannot be counted.",
        code="unsupported-type",
        where=Place(file=origin, column=name),
        hint="Turn it into text or a number, or give it no role.",
    )


def countable(
    frame: pl.DataFrame, *, needed: tuple[str, ...], origin: str | None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The frame with columns that can be counted and written as text, and notes on what was changed.

    Categories become text, and what is not a number (NaN) becomes missing. A column of lists or
    bytes is refused where it is needed, else left out.
    """
    notes: list[str] = []
    columns: list[pl.Series] = []
    for series in frame:
        if series.dtype in NESTED:
            if series.name in needed:
                raise not_countable(series.name, str(series.dtype), origin)
            notes.append(f"Column {series.name!r} is of type {series.dtype} and is left out.")
            continue
        if series.dtype in (pl.Categorical, pl.Enum, pl.Null):
            series = series.cast(pl.String)
        elif series.dtype.is_float():
            strange = int(series.is_nan().sum())
            if strange:
                notes.append(
                    f"Column {series.name!r}: {strange} values that are not a number (NaN) are missing."
                )
                series = series.fill_nan(None)
            zero = series == 0
            if zero.any():
                series = series.set(zero, 0.0)  # minus zero is zero
        columns.append(series)
    return pl.DataFrame(columns), tuple(notes)


MOST, MOST_OTHER, LONGEST, LONGEST_OTHER, MOST_PARTS = 20, 3, 30, 12, 4
_YEAR = "(0001|1[6-9]00|1753|1899|1901|1970|2[0-9]99|9999)"
_CODE = re.compile(
    r"[+-]?((\d)\2{0,8}|9{1,8}\d)([.,][09]{1,3})?|[\W_]{0,4}|#DIV/0!"
    rf"|({_YEAR}-(01-01|12-3[01])|(01[./]01|3[01][./]12|12/3[01])[./]{_YEAR})([ T]00:00(:00)?)?",
    re.ASCII,
)
_WORDS = (
    "a an answer answered applicable available blank c d data declined determined disclosed don dont"
    " empty entered error given i info information k know known m missing n na name nan nd ni nil no non"
    " none not null num o p provided recorded ref refused reported response s specified stated t tbd to"
    " undefined unk unknown unspecified value void was withheld x angabe angaben bekannt erhoben fehlend"
    " fehlt kein keine leer nicht unbekannt inconnu inconnue manquant pas renseigné réponse sans vide"
    " aplica contesta dato datos desconocido sabe sin mancante sconosciuto geen niet onbekend brak saknas"
)
_USUAL = frozenset(_WORDS.split())


def check_words(words: Sequence[str]) -> tuple[str, ...]:
    """The words, unless one of them cannot mean a missing value."""
    other = [word for word in words if not _usual(word)]
    wrong = next((word for word in other if not _short(word)), None)
    if wrong is None and len({*words}) <= MOST and len({*other}) <= MOST_OTHER:
        return tuple(words)
    found = (
        f"Got {shorten(wrong)!r}, which is none."
        if wrong is not None
        else f"Got {len({*words})}, {len({*other})} of them unusual."
    )
    raise UsageError(
        f"{option('null_values')} takes words that mean a missing value: at most {MOST} of them, codes such"
        f" as -9 or 999, what is usually written, and at most {MOST_OTHER} others of up to {LONGEST_OTHER}"
        f" letters without a blank. {found}",
        code="null-values",
        hint="The words are published with a release. Leave such cells empty in the data instead.",
    )


def _usual(word: str) -> bool:
    """Whether this is a code, signs, a date that stands for none, or what is usually written."""
    if not word.isprintable():
        return False
    parts = re.findall(r"[^\W\d_]+", word.casefold())
    told = 0 < len(parts) <= MOST_PARTS and _USUAL.issuperset(parts) and not re.search(r"\d", word)
    return _CODE.fullmatch(word) is not None or (told and len(word) <= LONGEST)


def _short(word: str) -> bool:
    return len(word) <= LONGEST_OTHER and word.isprintable() and not re.search(r"[\d\s]", word)
