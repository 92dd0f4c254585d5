"""Rules that name nobody, and what a reader infers from them all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.methods.disclose.rules_verb import safe_rules
from tacit.methods.disclose.verb import disclose
from tacit.mining.tables import mine_table_rules
from tacit.release.verification import verify
from tacit.surface.demo.samples import patients_of

SUPPORT, CONFIDENCE, LIMIT = 20, 0.05, 0.3


def chapter(folder: Path, say: Callable[[str], None]) -> None:
    """Judge the rules of the hospital, publish them within a limit, and have them verified."""
    patients = patients_of(folder, hierarchies=False)
    rules = mine_table_rules(patients, min_support=SUPPORT, min_confidence=CONFIDENCE)
    found = disclose(patients, rules=rules)
    say(
        f"{len(rules)} rules are about at least {SUPPORT} people each. A reader who knows where people live, "
        f"their\nage and their sex, and who also thinks about the {found.n_patterns:,} patterns, infers:"
    )
    for person in found.most_exposed(3):
        say(f"  {person}")
        for cause in [cause for cause in person.responsible if cause.effect > 0][:2]:
            say(f"    owed to: {cause.statement}")
    table = folder / "release-patients"
    both = disclose(patients, rules=rules, bucketized=table)
    alone = disclose(patients, rules=[], bucketized=table)
    say(
        f"\nThe rules alone give posteriors up to {found.max_posterior:.2f}, the bucketized table alone "
        f"up to {alone.max_posterior:.2f};\nread together, up to {both.max_posterior:.2f}."
    )
    release = safe_rules(
        patients, min_support=SUPPORT, min_confidence=CONFIDENCE, max_posterior=LIMIT, k=3, channels="refuse"
    )
    place = release.save(folder / "rules", overwrite=True).folder
    say(f"\n{release}")
    checked = verify(place, original=folder / "patients.csv")
    passed = sum(check.verdict == "kept" for check in checked.checks)
    say(f"\nPublished in {place}; {passed} of {len(checked.checks)} checks of the verifier passed.")
