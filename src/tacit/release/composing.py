"""What a release and the earlier releases of its records give away together.

The ledger says which records they share; what readers see of each release is read from its folder,
as long as it is there, and judged by :mod:`tacit.judging.composition`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from tacit.data.hierarchy import Hierarchy
from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import TacitError
from tacit.io.hierarchies.automatic import automatic_hierarchy
from tacit.judging.composition import Narrowing, Seen, people_narrowed, same_tables
from tacit.judging.figures import GRID, PERCENTS, TENS, percents_up, tens_up
from tacit.judging.set_composition import same_sets, sets_narrowed
from tacit.random.key import Key
from tacit.release import Manifest, read_manifest
from tacit.release.earlier import partners_of, seen_earlier
from tacit.release.kinds import Kind, kind_of, kinds
from tacit.release.ledger import Ledger, LedgerEntry
from tacit.release.reading import aligned_sets, aligned_table, aligned_transactions
from tacit.release.recognition import Match
from tacit.release.records import Records
from tacit.showing.layout import kind_words
from tacit.typing import Bools

MOST_MEASURED = 8
"""So many earlier releases are read together with this one, those that have the most records in common."""

MOST_STATED = 100
"""So many earlier releases are named in a manifest: a longer list could carry a column of the data."""

MOST_PAIRS = 1 << 34
"""So many people times rows of coarser values are compared: some ten seconds."""

Found = list[tuple[LedgerEntry, Match]]
"""Earlier releases that have records in common with this one, those with the most first."""
Read = TypeVar("Read")
SAME = "it says the same"

AT_LEAST, SHARE_AT_LEAST = "one_candidate_at_least", "one_candidate_share_at_least"
"""The figures, by the name of what they are: lower bounds."""
_COUNTS = ("shared", AT_LEAST, "not_matched", "looked_at")
ROUNDED = {"composition": TENS, f"composition.{SHARE_AT_LEAST}": PERCENTS}
"""How the figures of :func:`rounded` were rounded, for a manifest's list of that."""


@dataclass(frozen=True)
class Overlap:
    """An earlier release that has some of the same records: so many of this release's, give or take.

    ``columns`` are those that hold the same, as they were called then and are called now. ``unmeasured``
    says why nothing can be said about reading both together, where nothing can.
    """

    entry: LedgerEntry
    records: int
    error: int
    columns: tuple[tuple[str, str], ...]
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
    whole: float = 1.0
    """How many records each of those that were looked at stands for: the ledger knows a sample of many."""

    @property
    def shared(self) -> int:
        """How many records are in an earlier release as well; of several, at least those of the largest."""
        most = max(one.records for one in self.overlaps)
        return min(self.records, max(most, self._all(self.narrowing.records if self.narrowing else 0)))

    @property
    def not_matched(self) -> int:
        """Those of them of whom no more is known: the same record was not found, or has another value now."""
        return max(0, self.shared - self._all(self.narrowing.records if self.narrowing else 0))

    @property
    def one_candidate(self) -> int | None:
        """How many are left with one candidate, at least; None where that is not known.

        That nobody is found says nothing where most are not matched.
        """
        if self.narrowing is None:
            return None
        found = self._all(self.narrowing.one_candidate) + self.in_one_only
        return found if found or 2 * self.not_matched <= self.shared else None

    @property
    def in_one_only(self) -> int:
        """Those of them who are in one of the releases only.

        A joiner and a leaver may be one person who was not matched. Of a sample it is not known who joined.
        """
        if self.narrowing is None or self.whole > 1:
            return 0
        joined, left = self.narrowing.joined, self.narrowing.left
        return joined + left - min(joined, left, self.not_matched)

    @property
    def among(self) -> int:
        """The records in common, and those in one release only that are left with one candidate."""
        return self.shared + self.in_one_only

    @property
    def share(self) -> float:
        """The share of these that are left with one candidate, at least."""
        return (self.one_candidate or 0) / max(1, self.among)

    def _all(self, looked_at: int) -> int:
        return round(looked_at * self.whole)

    def to_dict(self) -> dict[str, Any]:
        """Figures, and no folder, no date and no name; :func:`rounded` gives those that a manifest states."""
        stated: dict[str, Any] = {
            "unit": self.unit,
            "records": self.records,
            "earlier": [
                {"kind": one.entry.kind, "records": one.records, "measured": one.unmeasured is None}
                | ({"error": one.error} if one.error else {})
                for one in self.overlaps
            ],
        }
        if self.narrowing is not None:
            stated["shared"] = self.shared
            stated["not_matched"] = self.not_matched
            if self.one_candidate is not None:
                stated[AT_LEAST] = self.one_candidate
                stated[SHARE_AT_LEAST] = self.share
            if self.whole > 1:
                stated["looked_at"] = self.narrowing.records
        return stated

    def __str__(self) -> str:
        from tacit.showing.layout import as_text

        return as_text(self)


def with_composition(manifest: Manifest, stated: Mapping[str, Any]) -> Manifest:
    """A manifest with what earlier releases of its records tell, rounded, where there are any."""
    if not stated:
        return manifest
    grid = {**manifest.risks.get(GRID, {}), **ROUNDED}
    return replace(manifest, risks={**manifest.risks, "composition": rounded(stated), GRID: grid})


def rounded(stated: Mapping[str, Any]) -> dict[str, Any]:
    """A composition as a manifest states it: counts by tens and the share by percents, all rounded up.

    How many records this release has is public anyway.
    """
    found = {name: tens_up(one) if name in _COUNTS else one for name, one in stated.items()}
    if SHARE_AT_LEAST in found:
        found[SHARE_AT_LEAST] = percents_up(found[SHARE_AT_LEAST])
    found["earlier"] = [
        one | {name: tens_up(one[name]) for name in ("records", "error") if name in one}
        for one in stated["earlier"][:MOST_STATED]
    ]
    return found


def measured(records: Records, staged: Path, manifest: Manifest, found: Found, ledger: Ledger) -> Composition:
    """What the release in the folder ``staged`` and the earlier releases give away together.

    An earlier release that says the same, in another format perhaps, is none.
    """
    measure = _measure_sets if isinstance(records.data, Transactions) else _measure_people
    reading = _Reading(manifest.kind, found, ledger)
    narrowing = measure(records, staged, manifest, reading)
    overlaps = tuple(
        Overlap(entry, match.records, match.error, match.columns, reading.unmeasured.get(entry.id))
        for entry, match in found
        if reading.unmeasured.get(entry.id) != SAME
    )
    unit = "transactions" if isinstance(records.data, Transactions) else "people"
    return Composition(unit, len(records), overlaps, narrowing, reading.whole)


def _measure_people(
    records: Records, staged: Path, manifest: Manifest, reading: _Reading
) -> Narrowing | None:
    assert isinstance(records.data, Table)
    read_table = kind_of(manifest.kind).read_table
    if read_table is None:
        reading.none()
        return None
    mine, trees = read_table(staged, manifest), _trees(records.data)
    mine = aligned_table(mine, {name: name for name in (*mine.known, *mine.sensitive)}, trees)
    seen = [Seen(mine, np.arange(len(records)), records.looks(mine.known, records.rows))]
    for entry, match, read in reading.each(lambda kind: kind.read_table):
        partners = partners_of(read, mine, match, records.data.names)
        free = 1 + max(int(one.who.max(initial=-1)) for one in seen)
        other = seen_earlier(records, read, partners, trees, match, reading.key, free)
        if same_tables(mine, other.release):
            reading.unmeasured[entry.id] = SAME
        elif any(_too_many(one) for one in (seen[0], other)):
            reading.unmeasured[entry.id] = "there are too many classes for so many people"
        elif not set(other.release.sensitive) & set(mine.sensitive):
            reading.unmeasured[entry.id] = "it shows another sensitive attribute"
        elif not other.release.known or not mine.known:
            reading.unmeasured[entry.id] = "nobody in these data is found by what it shows of people"
        else:
            seen.append(other)
            reading.measured.append(match)
    return people_narrowed(seen) if len(seen) > 1 else None


def _too_many(one: Seen) -> bool:
    """Whether comparing everybody with all rows of coarser values would take too long."""
    release = one.release
    rows = release.rows.select(release.known).n_unique() if release.nodes else 0
    return rows * len(one.who) > MOST_PAIRS


def _trees(table: Table) -> dict[str, Hierarchy]:
    """What tells which values are below a published node: hierarchies as given, or as they would be made."""
    names = (*table.roles.quasi, *table.roles.keep)
    return {name: table.hierarchies.get(name) or automatic_hierarchy(table.column(name)) for name in names}


def _measure_sets(records: Records, staged: Path, manifest: Manifest, reading: _Reading) -> Narrowing | None:
    assert isinstance(records.data, Transactions)
    read_sets = kind_of(manifest.kind).read_sets
    if read_sets is None:
        reading.none()
        return None
    mine = aligned_sets(read_sets(staged, manifest))
    transactions = aligned_transactions(records.data)
    together: Bools = np.zeros(len(records), dtype=np.bool_)
    one: Bools = np.zeros(len(records), dtype=np.bool_)
    for entry, match, read in reading.each(lambda kind: kind.read_sets):
        other = aligned_sets(read)
        if same_sets(mine, other):
            reading.unmeasured[entry.id] = SAME
            continue
        reading.measured.append(match)
        candidates = sets_narrowed(transactions.take(records.rows[match.rows]), mine, other)
        together[match.rows] |= candidates > 0
        one[match.rows] |= candidates == 1
    if not reading.measured:
        return None
    return Narrowing(int(together.sum()), int(one.sum()), None)


@dataclass(eq=False)
class _Reading:
    """The earlier releases as their readers see them, and why some cannot be read together with this one."""

    _kind: str
    _found: Found
    _ledger: Ledger
    unmeasured: dict[str, str] = field(default_factory=dict)
    measured: list[Match] = field(default_factory=list)
    """Those whose releases are read together with this one."""

    @property
    def key(self) -> Key:
        return self._ledger.key()

    @property
    def whole(self) -> float:
        """How many records each of those that are looked at stands for, at least."""
        samples = [match.sketch for match in self.measured if match.sketch is not None]
        return min((one.records / len(one.cells) for one in samples), default=1.0)

    def none(self) -> None:
        """Nothing is defined for any of them."""
        for entry, _ in self._found:
            self.unmeasured[entry.id] = self._undefined(entry)

    def each(
        self, reader_of: Callable[[Kind], Callable[[Path, Manifest], Read] | None]
    ) -> Iterator[tuple[LedgerEntry, Match, Read]]:
        """Those of the kinds that can be read so."""
        for place, (entry, match) in enumerate(self._found):
            read = reader_of(kind_of(entry.kind)) if entry.kind in kinds() else None
            if read is None:
                self.unmeasured[entry.id] = self._undefined(entry)
            elif place >= MOST_MEASURED:
                self.unmeasured[entry.id] = f"only {MOST_MEASURED} releases are read together"
            else:
                found = self._read(entry, read)
                if found is not None:
                    yield entry, match, found

    def _undefined(self, entry: LedgerEntry) -> str:
        kinds = kind_words(self._kind), kind_words(entry.kind)
        return f"no figure is defined for {kinds[0]} and {kinds[1]} releases together"

    def _read(self, entry: LedgerEntry, read: Callable[[Path, Manifest], Read]) -> Read | None:
        with suppress(TacitError, OSError, pl.exceptions.PolarsError), self._ledger.copy(entry) as folder:
            return read(folder, read_manifest(folder))
        try:
            manifest = read_manifest(Path(entry.folder))
            if identity(manifest) == entry.id:
                return read(Path(entry.folder), manifest)
            self.unmeasured[entry.id] = "its folder holds another release now"
        except (TacitError, OSError, pl.exceptions.PolarsError):
            self.unmeasured[entry.id] = "its folder is gone, or cannot be read"
        return None


def identity(manifest: Manifest) -> str:
    """What stands for the published bytes of a release, its manifest aside."""
    files = {name: file.sha256 for name, file in manifest.files.items()}
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:32]
