"""What a release and the earlier releases of its records give away together.

The ledger says which records they share; what readers see of each release is read from its folder,
as long as it is there, and judged by :mod:`tacit.judge.composition`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from tacit.data.release import Manifest, read_manifest
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.exceptions import TacitError
from tacit.judge.composition import Narrowing, people_narrowed, sets_narrowed
from tacit.publish.ledger import LedgerEntry
from tacit.publish.published_content import read_published_sets, read_published_table
from tacit.publish.records import Records
from tacit.typing import Bools, Counts

SETS = ("generalized", "hidden")

Found = list[tuple[LedgerEntry, Counts]]
"""Earlier releases, with the places of the records that they share with this one."""
Read = TypeVar("Read")


@dataclass(frozen=True)
class Overlap:
    """An earlier release that has some of the same records.

    ``unmeasured`` says why nothing can be said about reading both together, where nothing can.
    """

    entry: LedgerEntry
    records: int
    unmeasured: str | None


@dataclass(frozen=True)
class Composition:
    """What a release and the earlier releases of its records give away together."""

    unit: str
    """``people`` or ``transactions``."""
    records: int
    overlaps: tuple[Overlap, ...]
    narrowing: Narrowing | None
    """None where no earlier release can be read together with this one."""

    def to_dict(self) -> dict[str, Any]:
        """What the manifest states: figures, and no folder and no date."""
        stated: dict[str, Any] = {
            "unit": self.unit,
            "records": self.records,
            "earlier": [
                {"kind": one.entry.kind, "records": one.records, "measured": one.unmeasured is None}
                for one in self.overlaps
            ],
        }
        if self.narrowing is not None:
            stated["shared"] = self.narrowing.records
            stated["one_candidate"] = self.narrowing.one_candidate
            stated["one_candidate_share"] = self.narrowing.share
        return stated

    def __str__(self) -> str:
        from tacit.report.text import as_text

        return as_text(self)


def measured(records: Records, staged: Path, manifest: Manifest, found: Found) -> Composition:
    """What the release in the folder ``staged`` and the earlier releases give away together."""
    if isinstance(records.data, Transactions):
        overlaps, narrowing = _measure_sets(records, records.data, staged, manifest, found)
        return Composition("transactions", len(records), overlaps, narrowing)
    overlaps, narrowing = _measure_people(records, staged, manifest, found)
    return Composition("people", len(records), overlaps, narrowing)


def _measure_people(
    records: Records, staged: Path, manifest: Manifest, found: Found
) -> tuple[tuple[Overlap, ...], Narrowing | None]:
    overlaps = []
    releases, members = [], []
    mine = read_published_table(staged, manifest) if manifest.kind == "bucketized" else None
    for entry, rows in found:
        other, why = _read(entry, ("bucketized",), manifest.kind, read_published_table)
        if other is not None and mine is not None and not set(other.sensitive) & set(mine.sensitive):
            other, why = None, "it shows another sensitive attribute"
        overlaps.append(Overlap(entry, len(rows), why))
        if other is not None:
            releases.append(other)
            members.append(rows)
    if mine is None or not releases:
        return tuple(overlaps), None
    assert isinstance(records.data, Table)
    people = np.unique(np.concatenate(members))
    # An earlier release may have kept a column that these data lack: what it says of people is not known.
    releases = [release.known_by(records.data.names) for release in (mine, *releases)]
    columns = dict.fromkeys(name for release in releases for name in release.known)
    looks = records.looks(tuple(columns), records.rows[people])
    everybody = np.ones(len(people), dtype=np.bool_)
    inside = [everybody, *(np.isin(people, rows) for rows in members)]
    return tuple(overlaps), people_narrowed(looks, releases, inside)


def _measure_sets(
    records: Records, transactions: Transactions, staged: Path, manifest: Manifest, found: Found
) -> tuple[tuple[Overlap, ...], Narrowing | None]:
    overlaps = []
    mine = read_published_sets(staged, manifest)
    together: Bools = np.zeros(len(records), dtype=np.bool_)
    one: Bools = np.zeros(len(records), dtype=np.bool_)
    for entry, rows in found:
        other, why = _read(entry, SETS, manifest.kind, read_published_sets)
        overlaps.append(Overlap(entry, len(rows), why))
        if other is not None:
            shared = transactions.take(records.rows[rows])
            together[rows] = True
            one[rows] |= sets_narrowed(shared, mine, other)
    if all(overlap.unmeasured for overlap in overlaps):
        return tuple(overlaps), None
    return tuple(overlaps), Narrowing(int(together.sum()), int(one.sum()), None)


def _read(
    entry: LedgerEntry, kinds: tuple[str, ...], mine: str, read: Callable[[Path, Manifest], Read]
) -> tuple[Read | None, str | None]:
    """An earlier release as its readers see it, or why it cannot be read together with this one."""
    if entry.kind not in kinds or mine not in kinds:
        return None, f"no figure is defined for {mine} and {entry.kind} releases together"
    folder = Path(entry.folder)
    try:
        manifest = read_manifest(folder)
        if identity(manifest) != entry.id:
            return None, "its folder holds another release now"
        return read(folder, manifest), None
    except (TacitError, OSError, pl.exceptions.PolarsError):
        return None, "its folder is gone, or cannot be read"


def identity(manifest: Manifest) -> str:
    """What stands for the published bytes of a release, its manifest aside."""
    files = {name: file.sha256 for name, file in manifest.files.items()}
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:32]
