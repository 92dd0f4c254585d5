"""The file in which transactions are published: one plain text, which the verifier reads.

It is ``transactions.dat`` (a line of items), ``transactions.csv`` (a line of quoted items, where a name holds
a blank) or ``transactions.jsonl`` (an object a line, where a sensitive column goes along). Other formats are
exported beside a release (:mod:`tacit.surface.export`): in it they would be copies that nobody checks.
"""

from __future__ import annotations

from tacit.data.transactions import Transactions
from tacit.errors import UsageError
from tacit.io.writers import write_transactions
from tacit.release import Content


def published_sets(transactions: Transactions, format: str | None = None) -> dict[str, Content]:
    """The published file of some transactions, by its name.

    ``format`` is the one asked for; by default the one the transactions came in, where that is plain text.
    """
    plain = _plain_name(transactions, transactions.format if format is None else format)
    if format == "dat" and plain != "transactions.dat":
        raise UsageError(
            "A .dat file cannot hold these: a name has a blank in it, or a sensitive column goes along.",
            code="format-cannot-hold",
            hint=f"Name no format; they are then published as {plain}.",
        )
    return {plain: _plain_writer(transactions, plain)}


def sensitive_column(transactions: Transactions) -> dict[str, str]:
    """The parameter of a manifest that names the sensitive column which goes along, where one does."""
    return {} if transactions.sensitive is None else {"sensitive": transactions.sensitive.name}


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
