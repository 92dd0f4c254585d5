"""Releases over all methods, formats and engines, and a fingerprint of each.

    python -m tests.fingerprints.releases          make them and write their fingerprints down

A change that only moves code leaves every fingerprint as it is. One that changes what is published
writes them anew, and its commit says why.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

from tacit.surface.cli import main

WRITTEN = Path(__file__).parent / "fingerprints.json"
HOSPITAL = ("--quasi", "zip,age,sex", "--sensitive", "disease")
PATIENTS = ("sample:hospital:400", *HOSPITAL)
BASKETS = "sample:supermarket:600"
SECRET = ("--patterns", "secret.txt", "--min-support", "0.01")
TREE = ("--hierarchy", "products.csv")
RULES = ("--sensitive", "disease", "--quasi", "sex,age", "--min-support", "0.02", "--min-confidence", "0.1")

RELEASES: dict[str, tuple[str, ...]] = {
    "buckets": ("bucketize", *PATIENTS, "-l", "3"),
    "buckets of two": ("bucketize", *PATIENTS, "-l", "2", "--epsilon", "0.8"),
    "buckets, near": ("bucketize", *PATIENTS, "-l", "3", "--partners", "near"),
    "buckets, any": ("bucketize", *PATIENTS, "-l", "3", "--partners", "any"),
    "buckets, paper": ("bucketize", *PATIENTS, "-l", "3", "--partners", "paper"),
    "buckets, anatomy": ("bucketize", *PATIENTS, "-l", "4", "--algorithm", "anatomy"),
    "buckets, permuted": ("bucketize", *PATIENTS, "-l", "3", "--form", "permuted"),
    "buckets, bounded": ("bucketize", *PATIENTS, "-l", "2", "--max-posterior", "0.5", "--partners", "any"),
    "buckets, fewer rules": ("bucketize", *PATIENTS, "-l", "3", "--correction", "bonferroni"),
    "buckets, longer rules": ("bucketize", *PATIENTS, "-l", "2", "--max-length", "2"),
    "buckets, csv": ("bucketize", "patients.csv", *HOSPITAL, "--drop", "patient_id,name", "-l", "3"),
    "buckets, parquet": ("bucketize", "patients.parquet", *HOSPITAL, "--drop", "patient_id,name", "-l", "3"),
    "buckets, tsv": ("bucketize", "patients.tsv", *HOSPITAL, "--drop", "patient_id,name", "-l", "3"),
    "buckets, xlsx": ("bucketize", "patients.xlsx", *HOSPITAL, "--drop", "patient_id,name", "-l", "3"),
    "buckets, spark": ("bucketize", "patients.csv", *HOSPITAL, "-l", "3", "--engine", "spark"),
    "buckets of classes": ("bucketize", *PATIENTS, "-l", "3", "-k", "5"),
    "table": ("generalize", *PATIENTS, "-k", "5", "-l", "3"),
    "table, k alone": ("generalize", *PATIENTS, "-k", "5"),
    "table, global": ("generalize", *PATIENTS, "-k", "5", "-l", "3", "--recoding", "global"),
    "table, subtree": (
        "generalize",
        *PATIENTS,
        "-k",
        "5",
        "--recoding",
        "subtree",
        "--max-suppressed",
        "0.1",
    ),
    "table, cells": ("generalize", *PATIENTS, "-k", "5", "--recoding", "cells"),
    "sets": ("generalize", BASKETS, "-k", "5", "-m", "2"),
    "sets, three items": ("generalize", BASKETS, "-k", "3", "-m", "3"),
    "sets, direct": ("generalize", BASKETS, "-k", "5", "-m", "2", "--algorithm", "direct"),
    "sets, best": ("generalize", BASKETS, "-k", "5", "-m", "2", "--algorithm", "best", "--restarts", "3"),
    "sets, left out": ("generalize", BASKETS, "-k", "10", "-m", "2", "--max-suppressed", "0.05"),
    "sets, csv": ("generalize", BASKETS, "-k", "5", "-m", "2", "--publish-as", "csv"),
    "sets, jsonl": ("generalize", BASKETS, "-k", "5", "-m", "2", "--publish-as", "jsonl"),
    "sets, basket": ("generalize", BASKETS, "-k", "5", "-m", "1", "--publish-as", "basket"),
    "sets, spark": ("generalize", "baskets.basket", *TREE, "-k", "5", "-m", "2", "--engine", "spark"),
    "hidden": ("hide", BASKETS, *SECRET),
    "hidden, exact": ("hide", BASKETS, *SECRET, "--policy", "exact"),
    "hidden, decoys": ("hide", BASKETS, *SECRET, "--decoys", "2"),
    "hidden, swa": ("hide", BASKETS, *SECRET, "--algorithm", "swa", "--disclosure", "0.1"),
    "hidden, spark": ("hide", "baskets.basket", *SECRET, "--engine", "spark"),
    "rules": ("rules", "sample:hospital:1000", *RULES, "--max-posterior", "0.9"),
}


def prepare(folder: Path) -> None:
    """Write the files that the commands read."""
    for suffix in ("csv", "parquet", "tsv", "xlsx"):
        succeed("sample", "hospital:400", "-o", str(folder / f"patients.{suffix}"))
    succeed("sample", "supermarket:600", "-o", str(folder / "baskets.basket"), "--hierarchies", str(folder))
    (folder / "secret.txt").write_text("whole-milk, eggs\n", encoding="utf-8")


def fingerprint(name: str, folder: Path) -> dict[str, str]:
    """Make a release in a folder; a digest of each of its files, of the manifest without versions."""
    place = folder / name.replace(" ", "-").replace(",", "")
    words = [str(folder / word) if (folder / word).is_file() else word for word in RELEASES[name]]
    os.environ["XDG_STATE_HOME"] = str(folder / "state" / place.name)  # nothing was released before
    drawn = words[0] in ("bucketize", "hide") or "best" in words or name.startswith("table")
    succeed(*words, "--quiet", *(("--seed", "7") if drawn else ()), _target(words[0]), str(place))
    found = {}
    for file in sorted(place.iterdir()):
        content = file.read_bytes()
        if file.name == "release.json":
            stated = json.loads(content)
            stated.pop("versions", None)
            content = json.dumps(stated, sort_keys=True).encode()
        found[file.name] = hashlib.sha256(content).hexdigest()[:16]
    return found


def _target(command: str) -> str:
    return "--output"


def succeed(*words: str) -> None:
    """Run a command; raise where it does not succeed."""
    code = main(words)
    if code not in (0, None):
        raise AssertionError(f"exit {code} of tacit {' '.join(words)}")


def write() -> None:
    """Make all releases and write their fingerprints down."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        found = {release: fingerprint(release, folder) for release in RELEASES}
    WRITTEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
