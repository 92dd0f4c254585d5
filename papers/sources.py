"""Where the papers' data come from: the published files where they are at hand, else samples made up here.

The files are looked for in the folder given, else in the one that ``TACIT_DATA`` names; they are never
fetched. A :class:`Source` says whether its data are the paper's own, and the page repeats it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import InputError, Place
from tacit.io.readers import read_transactions
from tacit.io.samples.public import DATA_VARIABLE, adult, groceries, webview

Data = TypeVar("Data", Table, Transactions)


@dataclass(frozen=True, eq=False)
class Source(Generic[Data]):
    """A data set of an experiment; ``published`` where it is the one the paper used."""

    name: str
    data: Data
    published: bool
    words: str
    """One sentence on what it is, for the page."""


class Named(Protocol):
    """Data with a name."""

    @property
    def name(self) -> str: ...


def check_folder(data: Path | None) -> Path | None:
    """The folder of the public data sets: the one given, else that of ``TACIT_DATA``, else None."""
    named = os.environ.get(DATA_VARIABLE)
    if data is None:
        return Path(named) if named and Path(named).is_dir() else None
    if not data.is_dir():
        raise InputError(
            "The folder of the public data sets is not there.",
            code="data-folder-missing",
            where=Place(file=str(data)),
            hint=f"Name one with --data or {DATA_VARIABLE}, or neither, to use the built-in samples.",
        )
    return data


def find_adult(folder: Path | None, *, part: str) -> Source[Table] | None:
    """UCI Adult, ``"train"``, ``"test"`` or ``"all"``; None where it is not at hand."""
    if folder is None or not (folder / "adult" / "adult.data").is_file():
        return None
    table = adult(part=part, path=folder / "adult")
    rows = "all rows" if part == "all" else f"the {part} file"
    return Source("Adult", table, True, f"UCI Adult, {rows} without missing values: {len(table):,} people.")


def find_transactions(folder: Path | None, name: str) -> Source[Transactions] | None:
    """The published transactions of this name, one of ``PUBLISHED``; None where they are not at hand."""
    file, load = PUBLISHED[name]
    if folder is None or not (folder / file).is_file():
        return None
    found = load(folder)
    return Source(name, found, True, f"{name}, as published: {len(found):,} transactions.")


def not_at_hand(names: Iterable[str], found: Iterable[Named]) -> list[str]:
    """A sentence on the data sets that were not found, where there are any."""
    here = {each.name for each in found}
    missing = [name for name in names if name not in here]
    return (
        [f"Not at hand: {', '.join(missing)}. Name their folder with --data or TACIT_DATA."]
        if missing
        else []
    )


def _plain(file: str) -> Callable[[Path], Transactions]:
    return lambda folder: read_transactions(folder / file)


PUBLISHED: dict[str, tuple[str, Callable[[Path], Transactions]]] = {
    "BMS-POS": ("BMS-POS.dat", _plain("BMS-POS.dat")),
    "BMS-WebView-1": ("BMS-WebView-1.dat", lambda folder: webview(1, path=folder)),
    "BMS-WebView-2": ("BMS-WebView-2.dat", lambda folder: webview(2, path=folder)),
    "T10I4D100K": ("T10I4D100K.dat", _plain("T10I4D100K.dat")),
    "Groceries": ("groceries/Groceries.dat", lambda folder: groceries(path=folder / "groceries")),
}
"""Published transactions by name: the file in the folder, and how it is read."""
