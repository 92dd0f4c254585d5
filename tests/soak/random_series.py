"""Random chains of releases about the same people, each put through the verifier."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from tacit.errors import TacitError
from tacit.methods.bucketize.verb import bucketize
from tacit.random.key import Key
from tacit_verify.verifying import verify
from tests.methods.bucketize.series import next_of, people, put, table

REFUSED = (
    "infeasible-l",
    "silence-names",
    "series-counterfeits",
    "column-tells",
    "column-twin",
    "series-nobody",
)


def broken_chain(seed: int, folder: Path) -> list[str] | None:
    """What is broken in a chain of two to six releases; None where not even two can be made."""
    generator = np.random.default_rng(seed)
    everybody = people(
        generator,
        int(generator.integers(20, 160)),
        values=int(generator.integers(4, 11)),
        ages=int(generator.integers(3, 40)),
    )
    changing = float(generator.choice([0, 0.02, 0.2]))
    l, key = int(generator.integers(2, 4)), Key.from_seed(seed)
    algorithm = str(generator.choice(["injector", "anatomy"]))
    now = everybody.filter(generator.random(len(everybody)) < 0.7)
    folders: list[Path] = []
    for number in range(int(generator.integers(2, 7))):
        after = folders[-1] if folders else None
        try:
            made = bucketize(
                table(now), l=l, key=key, person="id", partners="signatures", after=after, algorithm=algorithm
            )
        except TacitError as error:
            if error.code not in REFUSED:
                return [f"{error.code}: {error.message}"]
            break
        folders.append(put(made, folder / f"{seed}-{number}"))
        now = next_of(generator, now, everybody, changing=changing)
    found = None if len(folders) < 2 else _broken(folders)
    for one in folders:
        for place in (one, one.with_name(f"{one.name}.private")):
            shutil.rmtree(place)
    return found


def _broken(folders: list[Path]) -> list[str]:
    """What is broken of a chain: by the private records, and from published files alone."""
    both = []
    for last in range(1, len(folders)):
        both += verify(folders[last], after=folders[:last][::-1])
    public = folders[0].parent / "public"
    copies = [Path(shutil.copytree(folder, public / folder.name)) for folder in folders]
    both += verify(copies[-1], after=copies[:-1][::-1])
    shutil.rmtree(public)
    return [f"{check.name}: {check.detail}" for check in both if check.ok is False]
