"""The demo: every part of Tacit on data it makes itself, told as a short story.

Each chapter is a module with a ``chapter(folder, say)`` that does what a person would do, writes
what it makes below ``folder``, and says what it sees.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

CHAPTERS = {
    "samples": "The data, and what is at risk in them as they stand",
    "mining": "What a reader could mine",
    "bucketize": "Patients published in buckets, against a reader who knows who cannot have what",
    "generalize": "Baskets published so that two known products give nobody away",
    "hide": "A secret pattern taken out of the baskets",
    "disclose": "Rules that name nobody, and what they give away",
    "reports": "What each release gives away, as a report to read and sign",
}
"""The modules of this package, in the order they are told, with their titles."""


def run(folder: Path, say: Callable[[str], None]) -> None:
    """Tell every chapter in order."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (name, title) in enumerate(CHAPTERS.items(), start=1):
        say(f"\n{number}. {title}\n{'═' * (len(title) + len(str(number)) + 2)}")
        import_module(f"tacit.demo.{name}").chapter(folder, say)
