"""A published table attacked by a reader who knows the tool, from its folder alone.

For releases that are out: those made with near partners name people by the way their rows were grouped,
and whoever published them must know how many. The original is not needed and not looked at, so the
figure says how many people the reader would name, not how often rightly.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.data.table import table_from_frame
from tacit.errors import InputError, Place
from tacit.methods.bucketize.attacks.minimality import SURE, minimality_guesses
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.release import Manifest, read_manifest
from tacit.release.reading import bucket_rows


@dataclass(frozen=True)
class Attacked:
    """How many people of a release the way its rows were grouped names."""

    folder: str
    rows: int
    l: int
    named: int
    """People whose value the reader holds for at least nine tenths sure."""

    def to_dict(self) -> dict[str, Any]:
        return {"folder": self.folder, "rows": self.rows, "l": self.l, "named": self.named, "sure": SURE}

    def __str__(self) -> str:
        return (
            f"{self.folder} was made with near partners. A reader who knows the tool rebuilds which rows an "
            f"area left over, and names {self.named:,} of {self.rows:,} people at {SURE:.0%} confidence or "
            f"more, where the release says one in {self.l}. A new release does not take this one back: "
            "withdraw it where you can."
        )


def attack_release(folder: str | Path) -> Attacked:
    """Attack a published table that was made with near partners.

    Raises InputError where the folder holds no such release.
    """
    place = Path(folder)
    manifest = read_manifest(place)
    parameters = manifest.parameters
    if manifest.kind != "bucketized" or parameters.get("partners") != "near":
        raise InputError(
            "This release was not made with near partners, which are what this attack is about.",
            code="attack-not-for-this",
            where=Place(file=str(folder)),
            hint="The attacks on other releases are run when they are made: tacit report --owner shows them.",
        )
    # Kept columns did not count as known at first, and the cells were made without them.
    ways = {tuple(parameters["quasi"]), (*parameters["quasi"], *parameters["keep"])}
    named = max(_named(place, manifest, known) for known in ways)
    return Attacked(str(folder), int(parameters["rows"]), int(parameters["l"]), named)


def _named(folder: Path, manifest: Manifest, known: tuple[str, ...]) -> int:
    parameters = manifest.parameters
    frame, sensitive = bucket_rows(folder, manifest), list(parameters["sensitive"])
    table = table_from_frame(frame.select(*known, *sensitive), quasi=known, sensitive=sensitive)
    groups = frame[parameters["group"]].rank("dense").to_numpy().astype(np.int32) - 1
    buckets = Buckets(table, np.arange(len(frame)), groups)
    guesses = minimality_guesses(buckets, None, int(parameters["l"]), parameters)
    return 0 if guesses is None else int((guesses.confidence >= SURE).sum())
