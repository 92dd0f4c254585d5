"""What ``risk`` is given: a table, sets of items, a file, a folder with a release of ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.release import read_manifest
from tacit.release.opened import published_data

WITH_TOTALS = {"skip_last": 0}
"""How a table of counts is read: its totals are no records, and cells follow from them."""


@dataclass(frozen=True, eq=False)
class Given:
    """Data to be measured."""

    data: Table | Transactions
    group: str | None = None
    folder: Path | None = None
    """The folder, where they are a release."""


def given_data(data: Any, *, of_counts: bool = False) -> Given:
    """The data that were given, read where a file or a folder was named."""
    place = getattr(data, "folder", data)  # a release that was opened knows its folder
    if isinstance(place, str | Path):
        if is_release(place):
            folder = Path(place)
            found = published_data(folder, read_manifest(folder))
            whole = found.table if found.table is not None else found.transactions
            assert whole is not None
            return Given(whole, found.group, folder)
        return Given(as_table(place, **(WITH_TOTALS if of_counts else {})))
    return Given(data)


def is_release(place: str | Path) -> bool:
    """Whether a folder holds a release of ours."""
    return (Path(place) / "release.json").is_file()


def as_table(given: Any, **reading: Any) -> Any:
    """A table that is given as such or by the name of a file."""
    if not isinstance(given, str | Path):
        return given
    from tacit.io.readers import read_table

    return read_table(str(given), **reading)
