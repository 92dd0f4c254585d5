"""Random chains of releases about the same people (buckets, tables, sets), put through the verifier."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import numpy as np

from tacit.errors import TacitError
from tacit.methods.bucketize.verb import bucketize
from tacit.methods.generalize_sets.verb import generalize as generalize_sets
from tacit.methods.generalize_tables.verb import generalize as generalize_table
from tacit.random.key import Key
from tacit.release.published import Release
from tacit_verify.release import Stopped, open_release
from tacit_verify.series import check_chain
from tacit_verify.verifying import verify
from tests.methods.bucketize.series import next_of, people, put, table
from tests.methods.chains import sets

REFUSED = (
    "infeasible-l",
    "silence-names",
    "series-counterfeits",
    "series-new-values",
    "column-tells",
    "column-twin",
    "series-nobody",
    "infeasible-series",
    "infeasible-values",
    "infeasible-mapping",
    "infeasible-k",
    "series-hierarchies",
)
Next = Callable[[Path | None], Release]
"""What makes the next release of a chain, after the one in a folder."""


def broken_chain(seed: int, folder: Path) -> list[str] | None:
    """What is broken in a chain of two to six releases; None where not even two can be made."""
    generator = np.random.default_rng(seed)
    make = (_buckets, _tables, _sets)[seed % 3](generator, Key.from_seed(seed))
    folders: list[Path] = []
    for number in range(int(generator.integers(2, 7))):
        try:
            made = make(folders[-1] if folders else None)
        except TacitError as error:
            if error.code not in REFUSED:
                return [f"{error.code}: {error.message}"]
            break
        folders.append(put(made, folder / f"{seed}-{number}"))
    found = None if len(folders) < 2 else _broken(folders)
    for one in folders:
        for place in (one, one.with_name(f"{one.name}.private")):
            shutil.rmtree(place)
    return found


def _buckets(generator: np.random.Generator, key: Key) -> Next:
    everybody = people(
        generator,
        int(generator.integers(20, 160)),
        values=int(generator.integers(4, 11)),
        ages=int(generator.integers(3, 40)),
    )
    changing = float(generator.choice([0, 0.02, 0.2]))
    asked = {"l": int(generator.integers(2, 4)), "algorithm": str(generator.choice(["injector", "anatomy"]))}
    now = everybody.filter(generator.random(len(everybody)) < 0.7)

    def make(after: Path | None) -> Release:
        nonlocal now
        now = now if after is None else next_of(generator, now, everybody, changing=changing)
        return bucketize(table(now), key=key, person="id", partners="signatures", after=after, **asked)

    return make


def _tables(generator: np.random.Generator, key: Key) -> Next:
    n = int(generator.integers(40, 300))
    everybody = people(
        generator, n, values=int(generator.integers(3, 8)), ages=int(generator.integers(3, 30))
    )
    changing = float(generator.choice([0, 0.02]))
    l = (None, 2, 3)[int(generator.integers(3))]
    asked = {
        "recoding": str(generator.choice(["global", "subtree"])),
        "l": l,
        "readers": "rules" if l is None else str(generator.choice(["rules", "nothing"])),
    }
    first, now = int(generator.integers(2, n // 3)), everybody.filter(generator.random(n) < 0.7)

    def make(after: Path | None) -> Release:
        nonlocal now
        now = now if after is None else next_of(generator, now, everybody, changing=changing)
        k = first if after is None else int(generator.integers(2, 4))
        return generalize_table(table(now), k=k, key=key, person="id", after=after, **asked)

    return make


def _sets(generator: np.random.Generator, key: Key) -> Next:
    n, m = int(generator.integers(30, 300)), int(generator.integers(1, 4))
    weights = generator.dirichlet(np.ones(9))

    def drawn() -> list[str]:
        size = int(generator.integers(1, 5))
        return [f"i{item}" for item in set(generator.choice(9, size, p=weights).tolist())]

    held = {f"p{number}": drawn() for number in range(n)}
    changing, first = float(generator.choice([0, 0.02])), int(generator.integers(2, n // 3))
    now = {who for who in held if generator.random() < 0.7}

    def make(after: Path | None) -> Release:
        nonlocal now
        k = first
        if after is not None:
            away = sorted(held.keys() - now)
            now = {who for who in sorted(now) if generator.random() > 0.15}
            now |= {who for who in away if generator.random() < 0.3}
            k = int(generator.integers(2, 4))
            for who in sorted(held):
                if generator.random() < changing:
                    held[who] = drawn()
        here = sets({who: held[who] for who in sorted(now)})
        return generalize_sets(here, k=k, m=m, key=key, person="who", after=after)

    return make


def _broken(folders: list[Path]) -> list[str]:
    """What is broken of a chain: by all private records, by any two, and from published files alone.

    Each release is verified once with its private record; of the chain as it grew, and two by two, only the
    links are looked at again.
    """
    both = verify(folders[-1], after=folders[:-1][::-1])
    releases = [open_release(folder) for folder in folders]
    grown = [releases[: last + 1] for last in range(1, len(releases) - 1)]
    pairs = [[*pair] for pair in pairwise(releases[1:])]
    for chain in (*grown, *pairs):
        with suppress(Stopped):  # what it gives before it stops is kept
            both.extend(check_chain(chain))
    public = folders[0].parent / "public"
    copies = [Path(shutil.copytree(folder, public / folder.name)) for folder in folders]
    both += verify(copies[-1], after=copies[:-1][::-1])
    shutil.rmtree(public)
    return [f"{check.name}: {check.detail}" for check in both if check.ok is False]
