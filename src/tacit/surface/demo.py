"""The demo: every part of Tacit on data it makes itself, told as a short story.

Each chapter does what a person would do, writes what it makes below a folder, and says what it sees. The demo
is an experiment: a seed makes some of its releases the same everywhere, and marks them not for publication.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tacit.data.table import Table
from tacit.errors import InfeasibleError
from tacit.io.hierarchies import write_hierarchy
from tacit.io.readers import read_table, read_transactions
from tacit.io.samples.hospital import hospital, hospital_frame
from tacit.io.samples.supermarket import supermarket
from tacit.io.writers import write_table, write_transactions
from tacit.judging.profile import profile
from tacit.methods.bucketize.verb import bucketize
from tacit.methods.disclose.verb import disclose, safe_rules
from tacit.methods.generalize_sets.verb import generalize as generalize_sets
from tacit.methods.generalize_tables.verb import generalize as generalize_table
from tacit.methods.hide.verb import hide
from tacit.mining.mine import mine_table_rules, mine_transactions
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key
from tacit.release import MANIFEST_NAME
from tacit.release.verification import MEANINGS, Verification, verify
from tacit.showing.layout import as_text
from tacit.surface.reporting import open_release, report_path
from tacit.surface.series import show_series, verify_series

Say = Callable[[str], None]


def run(folder: Path, say: Say) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with _own_state(folder / "state"):
        for number, (title, chapter) in enumerate(CHAPTERS.items(), start=1):
            say(f"\n{number}. {title}\n{'═' * (len(title) + len(str(number)) + 2)}")
            chapter(folder, say)


PATIENTS = 5_000
BASKETS = 5_000


def patients_of(folder: Path, *, hierarchies: bool = True) -> Table:
    """The hospital's patients as the demo wrote them."""
    return read_table(
        folder / "patients.csv",
        quasi=["zip", "age", "sex"],
        sensitive="disease",
        identifiers=["patient_id", "name"],
        hierarchies=folder / "hierarchies" if hierarchies else None,
    )


def _samples(folder: Path, say: Say) -> None:
    """Write both data sets with their hierarchies, read them back, and profile them."""
    patients, baskets = folder / "patients.csv", folder / "baskets.dat"
    (folder / "hierarchies").mkdir(exist_ok=True)
    write_table(hospital_frame(PATIENTS, seed=0), patients, overwrite=True)
    for name, hierarchy in hospital(PATIENTS, seed=0).hierarchies.items():
        write_hierarchy(hierarchy, folder / "hierarchies" / f"{name}.csv", overwrite=True)
    shop = supermarket(BASKETS, seed=0)
    assert shop.hierarchy is not None
    write_transactions(shop, baskets, overwrite=True)
    write_hierarchy(shop.hierarchy, folder / "products.csv", overwrite=True)

    say(f"$ tacit profile {patients}\n")
    say(as_text(profile(read_table(patients))))
    say(f"\n$ tacit profile {baskets} --hierarchy {folder / 'products.csv'}\n")
    say(as_text(profile(read_transactions(baskets, hierarchy=folder / "products.csv"))))


SHOWN = 5


def _mining(folder: Path, say: Say) -> None:
    """Mine both data sets and show the first few of each kind."""
    baskets = read_transactions(folder / "baskets.dat")
    pairs = mine_transactions(baskets, min_support=0.01, min_length=2)
    say(f"{len(pairs):,} sets of two or more products are in 1 % of the baskets or more; the most frequent:")
    for place in (-pairs.supports).argsort(kind="stable")[:SHOWN]:
        say(f"  {pairs[int(place)]}")

    patients = patients_of(folder)
    rules = mine_table_rules(patients, min_support=50, min_confidence=0.1, hierarchies=True).sorted_by("lift")
    say(f"\n{len(rules):,} rules lead from what is known of a patient to a disease; the strongest:")
    for rule, _ in zip(rules, range(SHOWN), strict=False):
        say(f"  {rule}  (support {rule.support}, confidence {rule.confidence:.2f})")

    negative = mine_negative_rules(patients)
    say(f"\n{len(negative):,} negative rules say what a patient cannot have; the surest:")
    for place in (-negative.expectations).argsort(kind="stable")[:SHOWN]:
        say(f"  {negative[int(place)]}")


L = 3


def _buckets(folder: Path, say: Say) -> None:
    """Bucketize the hospital's patients, verify the release, and show what it costs."""
    patients = patients_of(folder)
    rules = mine_negative_rules(patients)
    say(f"A reader knows, or can guess, {len(rules)} rules about who cannot have what:")
    for place in rules.firm_first[:3]:
        say(f"  {rules[place]}")

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
    _checked(verify(target, original=folder / "patients.csv"), say)
    say(f"The release is in {target}, what only the hospital may see in {target}.private.")


QUARTERS, IN_A_QUARTER, CHANGE = 6, 3_000, 300
ROLES = "--quasi age,sex --sensitive disease"
KS = (200, 5, 5)
"""Of coarser tables: a larger k first, because classes are divided by who leaves."""


def _quarters(folder: Path, say: Say) -> None:
    """Publish six quarters, one in ten patients leaving and coming, and show the chain."""
    patients = read_table(
        folder / "patients.csv",
        quasi=["age", "sex"],
        sensitive="disease",
        identifiers=["name"],
        hierarchies=folder / "hierarchies",
    )
    tables = [patients.take(np.arange(IN_A_QUARTER) + CHANGE * quarter) for quarter in range(QUARTERS)]
    asked: dict[str, Any] = {"person": "patient_id", "key": Key.from_seed(1), "after": None}
    for quarter, table in enumerate(tables, start=1):
        target, before = folder / f"release-q{quarter}", asked["after"]
        command = f"$ tacit bucketize q{quarter}.csv --person patient_id {ROLES} --algorithm anatomy -l {L}"
        after = " --partners signatures" if before is None else f" --after {before.name}"
        say(f"{command}{after} -o {target.name}")
        release = bucketize(table, l=L, algorithm="anatomy", partners="signatures", **asked)
        release.save(target, overwrite=True)
        asked["after"] = target
    say(f"\n$ tacit series show release-q{QUARTERS}\n")
    say(str(show_series(folder / f"release-q{QUARTERS}")))
    _checked(verify_series(folder / f"release-q{QUARTERS}"), say)
    say("\nThe same as coarser tables, whose classes must be large enough to lose people:")
    asked["after"] = None
    for quarter, (k, table) in enumerate(zip(KS, tables, strict=False), start=1):
        target, before = folder / f"release-coarse-q{quarter}", asked["after"]
        command = f"$ tacit generalize q{quarter}.csv --person patient_id {ROLES} --recoding subtree -k {k}"
        say(f"{command}{'' if before is None else f' --after {before.name}'} -o {target.name}")
        generalize_table(table, k=k, recoding="subtree", **asked).save(target, overwrite=True)
        asked["after"] = target
    say(f"\n$ tacit series show release-coarse-q{len(KS)}\n")
    say(str(show_series(folder / f"release-coarse-q{len(KS)}")))


def _coarser(folder: Path, say: Say) -> None:
    """Generalize the hospital's patients for k alone, then with diverse classes, and verify the release."""
    patients = patients_of(folder)
    alone = generalize_table(patients, k=5).risk()
    say(
        "With 5 rows alike nobody is found, and still there is a class in which"
        f" {alone.values[0].largest_share:.0%} have the same disease."
    )
    target = folder / "release-coarser"
    columns = "--quasi zip,age,sex --sensitive disease --drop patient_id,name --hierarchies hierarchies"
    say(f"\n$ tacit generalize patients.csv {columns} -k 5 -l 3 -o {target.name}\n")
    release = generalize_table(patients, k=5, l=3, key=Key.from_seed(1))
    say(as_text(release))
    release.save(target, overwrite=True)
    _checked(verify(target, original=folder / "patients.csv"), say)


def _checked(found: Verification, say: Say) -> None:
    say(f"\nThe independent verifier made {len(found.checks)} checks. {MEANINGS[found.verdict]}")


def _baskets(folder: Path, say: Say) -> None:
    """Make a 5²-anonymous release of the baskets, verify it, and show what it keeps and risks."""
    baskets = read_transactions(folder / "baskets.dat", hierarchy=folder / "products.csv")
    target = folder / "release-baskets"
    say(f"$ tacit generalize baskets.dat --hierarchy products.csv -k 5 -m 2 -o {target.name}\n")
    release = generalize_sets(baskets, k=5, m=2)
    say(as_text(release))
    release.save(target, overwrite=True)
    say(f"\n$ tacit verify {target.name}\n")
    say(str(verify(target)))


MIN_SUPPORT = 0.01
SECRET = ("cotton-wool", "folic-acid-tablets", "unscented-lotion")


def _secret(folder: Path, say: Say) -> None:
    """Hide three products that tell who is expecting, verify the release, and look for them in it."""
    baskets = read_transactions(folder / "baskets.dat")
    (folder / "secret.txt").write_text(", ".join(SECRET) + "\n", encoding="utf-8")
    say(f"The shop has learned who is expecting: they buy {', '.join(SECRET)}. This stays with the shop.\n")

    target = folder / "release-hidden"
    say(f"$ tacit hide baskets.dat --patterns secret.txt --min-support {MIN_SUPPORT} -o {target.name}\n")
    release = hide(baskets, patterns=folder / "secret.txt", min_support=MIN_SUPPORT)
    say(as_text(release))
    try:
        release.save(target, overwrite=True)
    except InfeasibleError as refused:
        say(f"\nThe ledger remembers what was published before. {refused.message}")
        say(f"\n$ tacit hide … -o {target.name} --acknowledge-composition\n")
        release.save(target, overwrite=True, acknowledge_composition=True)
        say("The manifest now says so.")
    say(f"\n$ tacit verify {target.name} --original baskets.dat\n")
    say(str(verify(target, original=folder / "baskets.dat")))

    left = mine_transactions(release.published, min_support=MIN_SUPPORT, min_length=2)
    found = any(set(SECRET) <= set(itemset.items) for itemset in left)
    answer = "it is there" if found else "the secret is not among them"
    say(f"\n{len(left):,} patterns can be mined from what was published; {answer}.")


SUPPORT, CONFIDENCE, LIMIT = 20, 0.05, 0.3


def _rules(folder: Path, say: Say) -> None:
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


def _reports(folder: Path, say: Say) -> None:
    """Write the reports beside the releases and list them."""
    releases = sorted(place.parent for place in folder.glob(f"*/{MANIFEST_NAME}"))
    say(f"$ tacit report {releases[0].name}\n")
    for release in releases:
        saved = open_release(release)
        checked = saved.verify()
        page = saved.report(verified=checked).save(report_path(release), overwrite=True)
        owners = saved.report(owner=True, verified=checked)
        with_record = owners.save(report_path(release, owner=True), overwrite=True)
        say(saved.manifest.promise_words)
        say(f"  for everybody   {folder / page.name}")
        say(f"  for the owner   {folder / with_record.name}")
    say("\nOpen them in a browser, or print them: the first page of each is there to be signed.")


CHAPTERS: dict[str, Callable[[Path, Say], None]] = {
    "The data, and what is at risk in them as they stand": _samples,
    "What a reader could mine": _mining,
    "Patients published in buckets, against a reader who knows who cannot have what": _buckets,
    "The same patients again, six quarters in a row": _quarters,
    "The same patients, coarser: rows that look alike": _coarser,
    "Baskets published so that two known products give nobody away": _baskets,
    "A secret pattern taken out of the baskets": _secret,
    "Rules that name nobody, and what they give away": _rules,
    "What each release gives away, as a report to read and sign": _reports,
}
"""The chapters in the order they are told, by their titles."""


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
