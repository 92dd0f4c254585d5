"""The original of a release, as the plain text that the independent verifier reads.

The verifier reads UTF-8 text alone: a table as CSV with a header, transactions as ``.dat``, ``.csv``,
``.basket`` or ``.jsonl``. Any other original (compressed, Parquet, Excel, a database, a long table, text in
another encoding or read with options) is read here, in the way it was read for the release, and handed to
the verifier as plain text in a folder that is open to its owner alone and removed afterwards.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import TacitError, UsageError
from tacit.io.readers import read_table, read_transactions
from tacit.io.readers.recognizing import FOUND
from tacit.io.writers import write_csv, write_transactions
from tacit.release import read_manifest
from tacit.release.kinds import kind_of

Original = str | Path | Table | Transactions
"""Data that a release was made from: a file or another source, or what was read from it."""

PLAIN = {"table": (".csv",), "transactions": (".csv", ".dat", ".basket", ".jsonl")}
"""How the name of a file ends that the verifier reads by itself."""

TABLE_OPTIONS = ("columns", "quote", "skip_rows", "skip_initial_space", "sheet", "nulls", "null_values")
TRANSACTION_OPTIONS = ("record", "item")


def is_plain(folder: Path, original: Original) -> bool:
    """Whether the verifier can read the original by itself: by its name, and as it is written."""
    about = "table" if kind_of(read_manifest(folder).kind).columns else "transactions"
    return (
        isinstance(original, str | Path)
        and Path(original).suffix in PLAIN[about]
        and "://" not in str(original)
        and not str(original).startswith("sample:")
        and not _found_out(folder, original)
    )


def _found_out(folder: Path, original: str | Path) -> bool:
    """Whether reading the original took more than its name: another encoding, titles, decimal commas."""
    try:
        return any(note.startswith(FOUND) for note in read_original(folder, original).notes)
    except (TacitError, LookupError, ValueError):  # the verifier will say what is wrong
        return False


def read_original(
    folder: Path, source: str | Path, options: Mapping[str, Any] | None = None
) -> Table | Transactions:
    """The original of the release in a folder, read with the options it was read with for the release.

    Which columns matter, and which words meant a missing value, is in the manifest.
    """
    manifest, given = read_manifest(folder), dict(options or {})
    columns = kind_of(manifest.kind).columns
    about, unused = ("transactions", TABLE_OPTIONS) if columns is None else ("a table", TRANSACTION_OPTIONS)
    for name in unused:
        if name in given:
            raise UsageError(
                f"The flag --{name.replace('_', '-')} says nothing about {about}.",
                code="parameter-unused",
                hint="Leave it out.",
            )
    if columns is None:
        return read_transactions(source, **given)
    quasi, sensitive, keep = columns(folder, manifest)
    words = ("nulls", "null_values")
    stated = {name: manifest.parameters[name] for name in words if name in manifest.parameters}
    return read_table(source, quasi=quasi, sensitive=sensitive, keep=keep, **(stated | given))


@contextmanager
def as_plain_text(folder: Path, original: Original) -> Iterator[Path]:
    """A copy of the original that the verifier can read, which goes with the block."""
    if isinstance(original, str | Path):
        original = read_original(folder, original)
    with tempfile.TemporaryDirectory(prefix="tacit-original-") as place:
        if isinstance(original, Transactions):
            path = Path(place) / "original.jsonl"
            write_transactions(original, path)
        else:
            path = Path(place) / "original.csv"
            manifest = read_manifest(folder)
            columns = kind_of(manifest.kind).columns
            assert columns is not None
            named = [original.column(name) for part in columns(folder, manifest) for name in part]
            write_csv(named, path, separator=",", spreadsheet_safe=False)
        yield path
