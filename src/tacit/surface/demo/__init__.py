"""The demo: every part of Tacit on data it makes itself, told as a short story.

Each chapter is a module with a ``chapter(folder, say)`` that does what a person would do, writes
what it makes below ``folder``, and says what it sees.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

CHAPTERS = {
    "samples": "The data, and what is at risk in them as they stand",
    "mining": "What a reader could mine",
    "bucketize": "Patients published in buckets, against a reader who knows who cannot have what",
    "series": "The same patients again, six quarters in a row",
    "coarser": "The same patients, coarser: rows that look alike",
    "generalize": "Baskets published so that two known products give nobody away",
    "hide": "A secret pattern taken out of the baskets",
    "disclose": "Rules that name nobody, and what they give away",
    "reports": "What each release gives away, as a report to read and sign",
}
"""The modules of this package, in the order they are told, with their titles."""


def run(folder: Path, say: Callable[[str], None]) -> None:
    """Tell every chapter in order."""
    folder.mkdir(parents=True, exist_ok=True)
    with _own_state(folder / "state"):
        for number, (name, title) in enumerate(CHAPTERS.items(), start=1):
            say(f"\n{number}. {title}\n{'═' * (len(title) + len(str(number)) + 2)}")
            import_module(f"tacit.surface.demo.{name}").chapter(folder, say)


@contextmanager
def _own_state(folder: Path) -> Iterator[None]:
    """A key and a ledger of the demo's own: its people are invented, and go on nobody's record.

    The key stays, so that telling the story again gives the same releases; the ledger begins anew.
    """
    before = os.environ.get("XDG_STATE_HOME")
    shutil.rmtree(folder / "tacit" / "ledger", ignore_errors=True)
    os.environ["XDG_STATE_HOME"] = str(folder.absolute())
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_STATE_HOME"]
        else:
            os.environ["XDG_STATE_HOME"] = before
