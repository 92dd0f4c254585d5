"""The patients' table in buckets: what Anatomy gives away, and what Injector does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.methods.bucketize.verb import bucketize
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key
from tacit.release.verification import MEANINGS, verify
from tacit.surface.demo.samples import patients_of

L = 3
SHOWN = 3


def chapter(folder: Path, say: Callable[[str], None]) -> None:
    """Bucketize the hospital's patients, verify the release, and show what it costs."""
    patients = patients_of(folder)
    rules = mine_negative_rules(patients)
    say(f"A reader knows, or can guess, {len(rules)} rules about who cannot have what:")
    for place in rules.firm_first[:SHOWN]:
        say(f"  {rules[place]}")

    # The demo is an experiment: a seed makes it the same everywhere, and marks it not for publication.
    release = bucketize(patients, l=L, knowledge=rules, key=Key.from_seed(1))
    risk = release.risk()
    if risk.anatomy is not None:
        say(
            f"\nAnatomy puts {L} different diseases into every bucket, and still"
            f" {risk.anatomy.vulnerable:,} of {risk.anatomy.rows:,} patients are left with fewer than {L}"
            " once the rules are known."
        )
    say(f"Injector knows the rules as well, and leaves {risk.vulnerable}.\n")
    say(str(risk))
    say("\n" + str(release.utility(patients)))

    target = folder / "release-patients"
    release.save(target, overwrite=True)
    checked = verify(target, original=folder / "patients.csv")
    say(f"\nThe independent verifier made {len(checked.checks)} checks. {MEANINGS[checked.verdict]}")
    say(f"The release is in {target}, what only the hospital may see in {target}.private.")
