"""The files in which transactions are published: always one plain text, and the format they came in.

The verifier reads plain text, so one of these is always there: ``transactions.dat`` (a line of items),
``transactions.csv`` (a line of quoted items, where a name holds a blank) or ``transactions.jsonl`` (an
object a line, where a sensitive column goes along). Another format is a copy, read back and compared
before anything is published.
"""

from __future__ import annotations

from pathlib import Path

from tacit.data.readers import read_transactions
from tacit.data.release import Content
from tacit.data.spark.transactions import SparkTransactions
from tacit.data.transactions import Transactions
from tacit.data.writers import write_transactions
from tacit.engine.choice import not_on_spark
from tacit.exceptions import UsageError, VerificationError
from tacit.parameters import OneOf

FORMATS = OneOf(("dat", "spmf", "basket", "csv", "long", "jsonl", "parquet"))
"""What the option ``format`` of a release of transactions may be."""

_COPIES = {"spmf": "transactions.spmf", "long": "transactions-long.csv", "parquet": "transactions.parquet"}


def published_sets(transactions: Transactions, format: str | None = None) -> dict[str, Content]:
    """The published files of some transactions, by name.

    ``format`` is the one asked for; by default the one the transactions came in.
    """
    wanted = transactions.format if format is None else format
    plain = _plain_name(transactions, wanted)
    files: dict[str, Content] = {plain: _plain_writer(transactions, plain)}
    copy = _COPIES.get(wanted)
    if copy is not None and isinstance(transactions, SparkTransactions):
        if format is not None:
            raise not_on_spark(f"Publishing a copy as {format}")
    elif copy is not None:
        files[copy] = _copy_writer(transactions)
    elif wanted == "dat" and plain != "transactions.dat" and format is not None:
        raise UsageError(
            "A .dat file cannot hold these: a name has a blank in it, or a sensitive column goes along.",
            code="format-cannot-hold",
            hint=f"Name no format; they are then published as {plain}.",
        )
    return files


def plain_file(files: dict[str, Content]) -> str:
    """The name of the plain text among the published files: the first."""
    return next(iter(files))


def _plain_name(transactions: Transactions, wanted: str) -> str:
    if wanted == "jsonl" or transactions.sensitive is not None:
        return "transactions.jsonl"
    blank = any(any(letter.isspace() for letter in name) for name in transactions.vocabulary)
    return "transactions.csv" if blank or wanted in ("basket", "csv") else "transactions.dat"


def _plain_writer(transactions: Transactions, name: str) -> Content:
    form = {"transactions.dat": "dat", "transactions.csv": "basket", "transactions.jsonl": "jsonl"}[name]
    return lambda path: write_transactions(transactions, path, format=form)


def _copy_writer(transactions: Transactions) -> Content:
    def write(path: Path) -> None:
        long = path.suffix != ".spmf"
        write_transactions(transactions, path, format="long" if long else "spmf")
        read = read_transactions(
            path,
            format="long" if long else "spmf",
            record="record" if long else None,
            item="item" if long else None,
            twins="keep",
        )
        if sorted(map(sorted, read.sets())) != sorted(map(sorted, transactions.sets())):
            raise VerificationError(
                f"The copy {path.name} does not hold the published transactions.", code="copy-differs"
            )

    return write
