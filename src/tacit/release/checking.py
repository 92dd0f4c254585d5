"""A second release of the same records: found in the ledger, measured, and refused unless acknowledged.

Saving a release asks the ledger whether its records were released before. If they were, the owner is
told how many of them, and what a reader of both is left with; the release is published only if that
is acknowledged, and then its manifest states the figure. The same bytes once more are no second
release: there is nothing to intersect.

The check and the record are one: the ledger is locked from the check until the release is in place,
and the release is on record before it is in place, so that no kill leaves a release that nobody
knows of.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from tacit.errors import InfeasibleError, TacitError
from tacit.release import Manifest, read_manifest
from tacit.release.composing import Composition, identity, measured, with_composition
from tacit.release.ledger import Ledger, LedgerEntry
from tacit.release.recognition import Match, recognized, sketch_of
from tacit.release.records import Likeness, Records
from tacit.typing import Counts, Words


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Whether a second release of the same records is to be published, why, and who says so."""

    yes: bool
    reason: str = ""
    by: str = ""


@contextmanager
def checked_by_ledger(
    records: Records, folder: Path, *, acknowledged: Acknowledged, series: Sequence[str] = ()
) -> Iterator[Checking]:
    """The checks for one release; the ledger stays locked until the block ends.

    ``series`` are the identities of the releases that it continues: with them it keeps its promise.
    """
    with ExitStack() as stack:
        checking = Checking(records, Path(os.path.realpath(folder)), stack, acknowledged, series)
        try:
            yield checking
        except BaseException:
            checking.withdraw()
            raise


@dataclass(eq=False)
class Checking:
    """The checks of one release that is about to be published."""

    _records: Records
    _folder: Path
    _stack: ExitStack
    _acknowledged: Acknowledged
    _series: Sequence[str]
    _ledger: Ledger = field(default_factory=Ledger)
    _known: dict[tuple[str, ...], tuple[Words, Counts]] = field(default_factory=dict)
    _held: Likeness | None = None
    _entry: LedgerEntry | None = None
    _is_new: bool = False
    _recorded: bool = False

    def settle(self, staged: Path, manifest: Manifest) -> Manifest:
        """The manifest with what it says of earlier releases; an error where that is to be acknowledged."""
        self._stack.enter_context(self._ledger.locked())
        entries = self._ledger.read().entries
        name = identity(manifest)
        before = next((entry for entry in entries if entry.id == name), None)
        fork = self._fork(entries, name)
        if before is not None and (fork is None or name not in self._series):
            self._entry = before
            stated = before.composition
        else:
            composition = self._composition(entries, staged, manifest)
            if composition is not None and not self._acknowledged.yes:
                raise refusal(composition)
            if composition is None and fork is not None:
                raise forked(fork)
            stated = {} if composition is None else composition.to_dict()
            self._entry = LedgerEntry(
                id=name,
                when=datetime.now(UTC).isoformat(timespec="seconds"),
                folder=str(self._folder),
                kind=manifest.kind,
                method=manifest.method,
                promise=manifest.promise_words,
                records=len(self._records),
                columns=self._records.columns,
                key=self._ledger.key().id,
                composition=stated,
                sketched=True,
                series=self._series[0] if self._series else "",
                reason=self._acknowledged.reason,
                by=self._acknowledged.by,
            )
            self._is_new = True
        return with_composition(manifest, stated)  # the ledger, which is the owner's, holds exact figures

    def record(self) -> None:
        """Put the release on record: it was verified, and is about to be put in place."""
        assert self._entry is not None
        if self._is_new:
            self._recorded = True
            self._ledger.add(self._entry, sketch_of(self._likeness(), self._ledger.key()))
        elif self._entry.folder != str(self._folder):
            self._ledger.move(self._entry, self._folder)

    def withdraw(self) -> None:
        """Take the release off the record again where it could not be put in place."""
        if not self._recorded or self._entry is None:
            return
        with suppress(TacitError):  # no release in place, or none that can be read
            if identity(read_manifest(self._folder)) == self._entry.id:
                return
        with suppress(TacitError):  # then it stays on record, which only makes the owner look twice
            self._ledger.forget(self._entry)

    def _composition(
        self, entries: tuple[LedgerEntry, ...], staged: Path, manifest: Manifest
    ) -> Composition | None:
        others = (entry for entry in entries if entry.id not in self._series)
        found = [(entry, match) for entry in others if (match := self._match(entry)) is not None]
        if not found:
            return None
        found.sort(key=lambda one: one[1].records, reverse=True)
        composition = measured(self._records, staged, manifest, found, self._ledger)
        return composition if composition.overlaps else None

    def _fork(self, entries: tuple[LedgerEntry, ...], name: str) -> LedgerEntry | None:
        """A release of the same series that this one does not continue: its people are the same."""
        others = (entry for entry in entries if self._series and entry.series == self._series[0])
        return next((entry for entry in others if entry.id not in (*self._series, name)), None)

    def _match(self, entry: LedgerEntry) -> Match | None:
        """The records that these and an earlier release have in common."""
        if entry.of_sets != (not self._records.columns):
            return None
        if entry.sketched:
            return recognized(self._likeness(), self._ledger.sketch(entry))
        if not self._records.have(entry.columns):
            return None
        words, order = self._words(entry.columns)
        rows = np.sort(order[np.isin(words, self._ledger.words(entry))])
        return Match(len(rows), 0, tuple((name, name) for name in entry.columns), rows) if len(rows) else None

    def _likeness(self) -> Likeness:
        if self._held is None:
            self._held = self._records.likeness(self._ledger.key())
        return self._held

    def _words(self, columns: tuple[str, ...]) -> tuple[Words, Counts]:
        """The keyed words of the records by some columns, sorted, and the record of each."""
        if columns not in self._known:
            words = self._records.digests(self._ledger.key(), columns)
            order = np.argsort(words)
            self._known[columns] = (words[order], order)
        return self._known[columns]


def forked(other: LedgerEntry) -> InfeasibleError:
    """The error for a release of a series that goes on already without it."""
    return InfeasibleError(
        f"The series goes on already, with the release in {other.folder}, and this one does not continue it.",
        code="series-forked",
        hint=f"Continue after that one: --after {other.folder}. If it was never given out, take it off the"
        f" record with: tacit ledger forget {other.folder}",
    )


def refusal(composition: Composition) -> InfeasibleError:
    """The error for a release that must be acknowledged first."""
    earlier = composition.overlaps[0].entry.folder
    return InfeasibleError(
        str(composition),
        code="composition",
        hint="If that is acceptable, publish it with --acknowledge-composition --reason WHY"
        " (acknowledge_composition=True, reason=...), and the manifest will say so. If the earlier"
        f" release was never given out, take it off the record with: tacit ledger forget {earlier}",
    )
