"""What the commands share: flags that mean the same everywhere, and the progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from cyclopts import Parameter, Token

from tacit.errors import UsageError
from tacit.ranges import parse_threshold
from tacit.surface.cli.mistyped import refuse_option
from tacit.typing import Progress

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.data.transactions import Transactions
    from tacit.random.key import Key


def split_commas(type_: Any, tokens: Sequence[Token]) -> tuple[str, ...]:
    """Lists are comma-separated or repeated: ``--quasi zip,age --quasi sex``."""
    return tuple(part.strip() for token in tokens for part in token.value.split(",") if part.strip())


def as_threshold(type_: Any, tokens: Sequence[Token]) -> int | Decimal:
    """``25`` is a count, ``0.01`` a share; what is not a finite number is neither."""
    text = tokens[0].value
    value = parse_threshold(text)
    if not Decimal(value).is_finite():
        raise UsageError(
            f"The flag {tokens[0].keyword} must be a number such as 25 or 0.01. Got {text!r} instead.",
            code="parameter-range",
        )
    return value


def as_share(type_: Any, tokens: Sequence[Token]) -> Decimal:
    """A share as typed, digit by digit."""
    return Decimal(as_threshold(type_, tokens))


def as_whole(type_: Any, tokens: Sequence[Token]) -> int:
    """A whole number as typed; 2.5 is none, and is not rounded to a weaker promise."""
    text = tokens[0].value
    try:
        return int(text)
    except ValueError:
        raise UsageError(
            f"The flag {tokens[0].keyword} must be a whole number such as 3. Got {text!r} instead.",
            code="parameter-range",
        ) from None


Source = Annotated[str, Parameter(allow_leading_hyphen=True, converter=refuse_option)]
"""A file, ``-`` for standard input, a database address, or ``sample:NAME``."""
Names = Annotated[
    tuple[str, ...],
    Parameter(converter=split_commas, consume_multiple=False, negative="", show_default=False),
]
WholeText = Annotated[int, Parameter(converter=as_whole, n_tokens=1)]
ThresholdText = Annotated[int | Decimal, Parameter(converter=as_threshold, n_tokens=1)]
ShareText = Annotated[Decimal, Parameter(converter=as_share, n_tokens=1)]


@Parameter(name="*", group="Output")
@dataclass(frozen=True)
class Shown:
    """How results are shown."""

    json: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Print one JSON object on standard output."
    quiet: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "No progress and no notes on standard error."
    debug: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Show the traceback of an error."


@Parameter(name="*", group="Data")
@dataclass(frozen=True)
class DataFlags:
    """How the data are read; what does not apply to the data is refused."""

    quasi: Names = ()
    "Quasi-identifiers: columns a reader may know from elsewhere."
    sensitive: Names = ()
    "Sensitive columns: what must not be learned about a person."
    drop: Names = ()
    "Identifiers: columns dropped on reading."
    keep: Names = ()
    "Other columns to publish, knowingly."
    hierarchies: Path | None = None
    "Folder with one hierarchy file per quasi-identifier, named after it."
    hierarchy: Path | None = None
    "Hierarchy file of the items (transactions)."
    format: str | None = None
    "Format of the data where the file name does not tell."
    header: Annotated[bool | None, Parameter(name="--header", negative="--no-header")] = None
    "Whether the first line names columns; in a table it does by default, in a basket file it does not."
    columns: Names = ()
    "Column names, where there is no header line."
    delimiter: str | None = None
    r"Field delimiter; \t is a tab."
    quote: str = '"'
    "Quote around a field that holds the delimiter (tables)."
    skip_rows: WholeText = 0
    "Lines to pass over before the header (tables)."
    skip_initial_space: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Pass over blanks after a delimiter (tables)."
    sheet: str | None = None
    "Sheet of a workbook."
    encoding: str = "utf-8"
    "Text encoding."
    nulls: str = "own"
    "A missing value is a value of its own (own), an error (reject) or its row is dropped (suppress)."
    null_values: Names = ()
    "Texts that mean a missing value, beside the empty cell."
    twins: str = "refuse"
    "Values that differ only in case, spelling form or invisible characters: refuse, fold or keep."
    record: str | None = None
    "Column that names the transaction (long format)."
    item: str | None = None
    "Column that names the item (long format)."
    table: str | None = None
    "Table to read from a database."
    query: str | None = None
    "Query to read from a database."
    engine: str = "auto"
    "local (in this process), spark (rows stay on Spark) or auto: spark for spark:NAME and folders of parts."


@Parameter(name="*", group="Release")
@dataclass(frozen=True)
class ReleaseFlags:
    """Where the release goes and what drives its random choices."""

    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None
    "Folder of the release; without it nothing is written."
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Replace a release that is there."
    key_file: Path | None = None
    "Key that drives every random choice; the user's own by default."
    seed: WholeText | None = None
    "A number instead of a key, for experiments: the release is marked not for publication."
    acknowledge_composition: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Publish records that were released before; the manifest states what both releases give away together."
    memory: str | None = None
    "Refuse to start where more memory than this would be needed, for example 4G."
    dry_run: Annotated[bool, Parameter(negative="", show_default=False)] = False
    "Say what would be done, with an estimate of time and memory, and write nothing."

    def __post_init__(self) -> None:
        if self.overwrite and self.output is None:
            raise UsageError(
                "Nothing is replaced without an output.",
                code="flag-not-used",
                hint="Name the folder with --output, or leave --overwrite out.",
            )
        if self.acknowledge_composition and (self.output is None or self.seed is not None):
            raise UsageError(
                "There is nothing to acknowledge: nothing is published, or nothing but an experiment.",
                code="flag-not-used",
                hint="Name a folder with --output and no --seed, or leave --acknowledge-composition out.",
            )

    def check_memory(self, expected: Any) -> None:
        """Refuse a job that would hold more memory than is allowed."""
        if self.memory is not None:
            from tacit.surface.memory import check_memory

            check_memory(expected.bytes, self.memory)

    def key(self) -> Key:
        """The key these flags name."""
        from tacit.random.key import Key
        from tacit.random.key_files import load_key

        if self.seed is not None and self.key_file is not None:
            raise UsageError(
                "A seed and a key file are both given.",
                code="two-keys",
                hint="Use --key-file for a release, --seed for an experiment.",
            )
        return load_key(self.key_file) if self.seed is None else Key.from_seed(self.seed)


TABLE_FLAGS = (
    *("quasi", "drop", "keep", "hierarchies", "columns", "quote", "skip_rows", "skip_initial_space", "sheet"),
    *("nulls", "null_values"),
)
"""What only tables take."""
TRANSACTION_SAMPLES = ("supermarket", "quest", "groceries", "webview")


def is_transactions(data: str, flags: DataFlags) -> bool:
    """Whether a source holds transactions: by the format asked for, else by its name."""
    from tacit.io.readers.opening import named_part
    from tacit.io.readers.set_formats import OWN_SUFFIXES, SET_FORMATS

    if flags.format is not None:
        return flags.format in SET_FORMATS
    if data.startswith("sample:"):
        return data.removeprefix("sample:").startswith(TRANSACTION_SAMPLES)
    if flags.record is not None or flags.item is not None:
        return True
    name = named_part(data, OWN_SUFFIXES).removesuffix(".gz").removesuffix(".zst")
    return name.endswith(OWN_SUFFIXES)


def refuse_unused(flags: object, names: Iterable[str], because: str, hint: str = "Leave it out.") -> None:
    """Refuse the flags of a group that are given and would do nothing."""
    usual = type(flags)()
    for name in names:
        if getattr(flags, name) != getattr(usual, name):
            raise UsageError(
                f"The flag --{name.replace('_', '-')} {because}.", code="flag-not-used", hint=hint
            )


def _character(delimiter: str | None) -> str | None:
    r"""A delimiter as typed; a tab, which shells take for completion, may be written \t."""
    return "\t" if delimiter == r"\t" else delimiter


class Noted(Protocol):
    """Whatever has something to tell beside what it is."""

    @property
    def notes(self) -> tuple[str, ...]: ...


def load_table(data: str, flags: DataFlags) -> Table:
    """The table a command was given."""
    from tacit.engine.choice import engine_asked_for
    from tacit.io.readers import read_table

    refuse_unused(flags, ("hierarchy", "record", "item"), "says nothing about a table")
    if is_transactions(data, flags):
        raise UsageError(
            f"This needs a table, and {data!r} holds transactions by its name or format.",
            code="not-a-table",
            hint="Where it is a table after all, name its format, for example --format csv.",
        )
    return read_table(
        data,
        quasi=flags.quasi,
        sensitive=flags.sensitive,
        identifiers=flags.drop,
        keep=flags.keep,
        hierarchies=flags.hierarchies,
        format=flags.format,
        header=flags.header is not False,
        columns=flags.columns or None,
        delimiter=_character(flags.delimiter),
        encoding=flags.encoding,
        nulls=flags.nulls,
        null_values=flags.null_values,
        twins=flags.twins,
        quote=flags.quote,
        skip_rows=flags.skip_rows,
        skip_initial_space=flags.skip_initial_space,
        sheet=flags.sheet,
        table=flags.table,
        query=flags.query,
        engine=engine_asked_for(flags.engine, data),
    )


def load_transactions(data: str, flags: DataFlags) -> Transactions:
    """The transactions a command was given."""
    from tacit.engine.choice import engine_asked_for
    from tacit.io.readers import read_transactions

    refuse_unused(flags, TABLE_FLAGS, "says nothing about transactions")
    if len(flags.sensitive) > 1:
        raise UsageError(
            "Transactions have one sensitive column at most.",
            code="flag-not-used",
            hint="Name one with --sensitive.",
        )
    return read_transactions(
        data,
        format=flags.format,
        record=flags.record,
        item=flags.item,
        sensitive=flags.sensitive[0] if flags.sensitive else None,
        hierarchy=flags.hierarchy,
        delimiter=_character(flags.delimiter),
        encoding=flags.encoding,
        header=flags.header,
        twins=flags.twins,
        table=flags.table,
        query=flags.query,
        engine=engine_asked_for(flags.engine, data),
    )


def say_notes(data: Noted, shown: Shown) -> None:
    """What reading the data showed, or looking at them, on standard error."""
    say(data.notes, shown)


def say(notes: Iterable[str], shown: Shown) -> None:
    """Notes, on standard error."""
    from tacit.showing.layout import prose

    if not shown.quiet:
        for note in notes:
            print(prose(f"note: {note}", hanging=6), file=sys.stderr)


@contextmanager
def progress_bar(shown: Shown) -> Iterator[Progress]:
    """A progress callback: a bar on a terminal, nothing elsewhere."""
    if shown.quiet or shown.json or not sys.stderr.isatty():
        yield lambda what, share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    from tacit.arrays.compiled import telling

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def report(what: str, share: float | None) -> None:
            bar.update(task, description=what, total=None if share is None else 1.0, completed=share or 0.0)

        with telling(report) as told:
            yield told
