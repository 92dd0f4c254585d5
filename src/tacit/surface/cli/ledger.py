"""``tacit ledger``: what was released from which records, as the private ledger has it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tacit.release.ledger import LedgerEntry, LedgerList
from tacit.surface.cli.common import Shown


@dataclass(frozen=True)
class Shows:
    """The releases on record that were published in one folder."""

    entries: tuple[LedgerEntry, ...]

    def __str__(self) -> str:
        from tacit.showing.text import as_text

        return "\n\n".join(as_text(entry) for entry in self.entries)


@dataclass(frozen=True)
class Forgotten:
    """The releases taken off the record."""

    folder: str
    releases: int

    def __str__(self) -> str:
        what = "1 release" if self.releases == 1 else f"{self.releases} releases"
        return f"Took {what} in {self.folder} off the record. What was given out stays given out."


def list_releases(*, shown: Shown | None = None) -> LedgerList:
    """List the releases on record, oldest first, with how many of their records were released before."""
    from tacit.release.ledger import Ledger

    return Ledger().read()


def show(folder: Path, /, *, shown: Shown | None = None) -> Shows:
    """Show what is on record of the release in a folder.

    Parameters
    ----------
    folder
        The folder of the release.
    """
    from tacit.release.ledger import Ledger

    return Shows(Ledger().read().in_folder(folder))


def forget(folder: Path, /, *, shown: Shown | None = None) -> Forgotten:
    """Take the release in a folder off the record: only for one that was never given out.

    Parameters
    ----------
    folder
        The folder of the release; the release itself stays as it is.
    """
    from tacit.release.ledger import Ledger

    ledger = Ledger()
    ledger.read().in_folder(folder)  # nothing is made where there is nothing to forget
    with ledger.locked():
        entries = ledger.read().in_folder(folder)
        for entry in entries:
            ledger.forget(entry)
    return Forgotten(str(folder), len(entries))
