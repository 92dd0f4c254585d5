"""The ledger on the page: what was released from this account, whichever way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacit.release.ledger import Ledger
from tacit.showing.ledger import narrowed_text, shared_text
from tacit.surface.catalogue import catalogue
from tacit.surface.page.session import Session


def ledger_view(session: Session) -> dict[str, Any]:
    """The releases on record, the newest first."""
    ledger = Ledger()
    found = ledger.read()
    return {
        "limit": session.upload_limit,
        "file": found.file,
        "notes": found.notes,
        "releases": [
            {
                "date": entry.when[:10],
                "kind": entry.kind,
                "promise": entry.promise,
                "records": entry.records,
                "before": shared_text(entry),
                "narrowed": narrowed_text(entry),
                "reason": entry.reason,
                "by": entry.by,
                "place": _place(ledger, entry.id, entry.folder),
            }
            for entry in reversed(found.entries)
        ],
    }


def _place(ledger: Ledger, name: str, folder: str) -> str:
    if Path(folder).is_dir():
        return folder
    say: dict[str, str] = catalogue()["page"]["ledger"]
    return say["downloaded"] if ledger.has_copy(name) else say["gone"].format(folder=folder)
