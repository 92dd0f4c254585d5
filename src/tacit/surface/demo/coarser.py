"""The patients' table made coarser: rows that look alike, and classes that give no disease away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.methods.generalize_tables.verb import generalize
from tacit.random.key import Key
from tacit.release.verification import MEANINGS, verify
from tacit.showing.text import as_text
from tacit.surface.demo.samples import patients_of


def chapter(folder: Path, say: Callable[[str], None]) -> None:
    """Generalize the hospital's patients for k alone, then with diverse classes, and verify the release."""
    patients = patients_of(folder)
    alone = generalize(patients, k=5).risk()
    say(
        "With 5 rows alike nobody is found, and still there is a class in which"
        f" {alone.values[0].largest_share:.0%} have the same disease."
    )
    target = folder / "release-coarser"
    columns = "--quasi zip,age,sex --sensitive disease --drop patient_id,name --hierarchies hierarchies"
    say(f"\n$ tacit generalize patients.csv {columns} -k 5 -l 3 -o {target.name}\n")
    # A seed, as before: the demo is an experiment.
    release = generalize(patients, k=5, l=3, key=Key.from_seed(1))
    say(as_text(release))
    release.save(target, overwrite=True)
    checked = verify(target, original=folder / "patients.csv")
    say(f"\nThe independent verifier made {len(checked.checks)} checks. {MEANINGS[checked.verdict]}")
