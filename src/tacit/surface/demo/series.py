"""Six quarters of the hospital: the same patients again and again, and everybody keeps their candidates."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from tacit.io.readers import read_table
from tacit.methods.bucketize.verb import bucketize
from tacit.random.key import Key
from tacit.release.verification import MEANINGS
from tacit.surface.series import show_series, verify_series

QUARTERS, PATIENTS, CHANGE = 6, 3_000, 300
L = 3
ROLES = "--quasi age,sex --sensitive disease"


def chapter(folder: Path, say: Callable[[str], None]) -> None:
    """Publish six quarters, one in ten patients leaving and coming, and show the chain."""
    patients = read_table(
        folder / "patients.csv",
        quasi=["age", "sex"],
        sensitive="disease",
        identifiers=["name"],
        hierarchies=folder / "hierarchies",
    )
    before = None
    for quarter in range(1, QUARTERS + 1):
        table = patients.take(np.arange(PATIENTS) + CHANGE * (quarter - 1))
        target = folder / f"release-q{quarter}"
        command = f"$ tacit bucketize q{quarter}.csv --person patient_id {ROLES} --algorithm anatomy -l {L}"
        after = " --partners signatures" if before is None else f" --after {before.name}"
        say(f"{command}{after} -o {target.name}")
        # A seed, as before: the demo is an experiment.
        release = bucketize(
            table,
            l=L,
            algorithm="anatomy",
            person="patient_id",
            partners="signatures",
            after=before,
            key=Key.from_seed(1),
        )
        release.save(target, overwrite=True)
        before = target
    say(f"\n$ tacit series show release-q{QUARTERS}\n")
    say(str(show_series(folder / f"release-q{QUARTERS}")))
    checked = verify_series(folder / f"release-q{QUARTERS}")
    say(f"\nThe independent verifier made {len(checked.checks)} checks. {MEANINGS[checked.verdict]}")
