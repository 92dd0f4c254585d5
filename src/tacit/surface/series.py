"""A series of releases as its owner sees it: who came, stayed and left, and what readers are left with.

Beside the candidates that everybody keeps stand those that releases made one by one would leave: a world that
the releases allow is drawn, and its people are dealt anew for every release, as Anatomy does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.errors import InputError, Place
from tacit.notebook import InNotebook
from tacit.random.key import Key
from tacit.release import read_manifest
from tacit.release.reading import cells
from tacit.release.series import chain_of, forget_person, people_of
from tacit.release.verification import Verification, verify
from tacit.showing.layout import count, facts, grid, heading, prose, share

BAR = 30
"""A bar of all people of the largest release has so many letters."""


@dataclass(frozen=True)
class Turn:
    """One release of a series."""

    folder: str
    number: int
    people: int
    came: int
    returned: int
    left: int
    buckets: int
    counterfeits: int
    rules: int
    query_error: float | None
    candidates: int
    """The fewest values that anybody has had in common over all releases so far."""
    one_candidate_alone: float
    """Of those in several releases so far, the share that releases made one by one would name."""

    @property
    def stayed(self) -> int:
        return self.people - self.came - self.returned


@dataclass(frozen=True)
class SeriesShown(InNotebook):
    """A series, the oldest release first."""

    l: int
    turns: tuple[Turn, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"l": self.l, "releases": [asdict(turn) | {"stayed": turn.stayed} for turn in self.turns]}

    def __str__(self) -> str:
        most = max(turn.people for turn in self.turns)
        names = [
            "",
            "people",
            "stayed ■ returned ▒ came □",
            "left",
            "counterfeits",
            "candidates",
            "named one by one",
        ]
        rows = [
            (
                str(turn.number),
                count(turn.people),
                "".join(
                    letter * round(BAR * part / most)
                    for letter, part in (("■", turn.stayed), ("▒", turn.returned), ("□", turn.came))
                ),
                count(turn.left),
                f"{count(turn.counterfeits)} ({share(turn.counterfeits / max(1, turn.people))})",
                str(turn.candidates),
                share(turn.one_candidate_alone),
            )
            for turn in self.turns
        ]
        last = self.turns[-1]
        about = [
            ("folder", last.folder),
            ("rules stated", ", ".join(count(turn.rules) for turn in self.turns)),
        ]
        errors = [turn.query_error for turn in self.turns if turn.query_error is not None]
        if errors:
            about.append(("error of counting queries", ", ".join(share(error) for error in errors)))
        return "\n\n".join(
            [
                heading(f"A series of {len(self.turns)} releases, ℓ = {self.l}"),
                grid(names, rows, right=(0, 1, 3, 4, 5, 6)),
                facts(about),
                prose(
                    "Candidates are the values that everybody keeps, at least, over all releases so far."
                    " Named one by one: of those in several releases, the share that would be left with one"
                    " value if every release had been made by itself; simulated in a world that the"
                    " releases allow."
                ),
            ]
        )


def verify_series(folder: str | Path, earlier: Sequence[str | Path] = ()) -> Verification:
    """Have a chain checked: from the private records, or from published files where there are none.

    ``earlier`` are the releases before it, the last first; by default those that its private record names.
    """
    before = [Path(one) for one in earlier] if earlier else chain_of(folder)[:-1][::-1]
    return verify(folder, after=before)


@dataclass(frozen=True)
class PersonForgotten:
    """In how many private records of a series a person was, and is no more."""

    releases: int

    def __str__(self) -> str:
        return (
            f"Took the person off {self.releases} private records. Leave them out of every later release:"
            " they would be taken for somebody new. What was published stays published."
        )


def forget_in_series(folder: str | Path, person: str, key: Key) -> PersonForgotten:
    """Take a person off the private records of a series; an error where they are on none."""
    found = forget_person(chain_of(folder), person, key)
    if not found:
        raise InputError(
            "Nobody with this identifier is on the private records of the series.",
            code="series-nobody",
            where=Place(file=f"{folder}.private"),
            hint="Write the identifier as the tables have it; name the key of the series with --key-file.",
        )
    return PersonForgotten(found)


def show_series(folder: str | Path) -> SeriesShown:
    """The series up to the release in a folder."""
    folders = chain_of(folder)
    generator = np.random.default_rng(0)  # of a simulation that decides nothing
    turns: list[Turn] = []
    held: dict[str, str | None] = {}
    common: dict[str, frozenset[Any]] = {}
    alone: dict[str, frozenset[Any]] = {}
    seen: dict[str, int] = {}
    here: set[str] = set()
    for number, place in enumerate(folders, start=1):
        manifest = read_manifest(place)
        signed = _people(place)
        before, here = here, set(signed)
        for person, signature in signed.items():
            if person not in held or held[person] not in signature:
                held[person] = sorted(signature, key=str)[generator.integers(len(signature))]
                common.pop(person, None)  # another value: it has candidates of its own
                alone.pop(person, None)
            common[person] = common.get(person, signature) & signature
        for person, dealt in _dealt(list(signed), held, manifest.parameters["l"], generator).items():
            alone[person] = alone.get(person, dealt) & dealt
        again = [person for person in signed if seen.get(person, 0)]
        utility = (manifest.utility.get("count_queries") or {}).get("uniform")
        turns.append(
            Turn(
                folder=str(place),
                number=number,
                people=len(here),
                came=sum(person not in seen for person in here),
                returned=sum(person in seen and person not in before for person in here),
                left=len(before - here),
                buckets=manifest.parameters["buckets"],
                counterfeits=manifest.parameters["series"]["counterfeits"],
                rules=len(manifest.reader["rules"]),
                query_error=utility,
                candidates=min(len(common[person]) for person in signed),
                one_candidate_alone=sum(len(alone[person]) == 1 for person in again) / max(1, len(again)),
            )
        )
        for person in here:
            seen[person] = seen.get(person, 0) + 1
    return SeriesShown(read_manifest(folders[-1]).parameters["l"], tuple(turns))


def _people(folder: Path) -> dict[str, frozenset[Any]]:
    """The signature of everybody in a release, by the digest of the person."""
    people = people_of(folder, {"group": pl.Int64})
    sensitive = read_manifest(folder).parameters["sensitive"][0]
    sets: dict[str, set[Any]] = {}
    for group, value in cells(folder / "st.csv").select("group", sensitive).iter_rows():
        sets.setdefault(group, set()).add(value)
    return {person: frozenset(sets[str(group)]) for person, group in people.iter_rows() if group}


def _dealt(
    people: list[str], held: dict[str, Any], l: int, generator: np.random.Generator
) -> dict[str, frozenset[Any]]:
    """Everybody's values if a release were dealt by itself: values one after the other, round the buckets."""
    n_buckets = max(1, len(people) // l)
    texts = sorted({held[person] for person in people}, key=str)
    rank = dict(zip(texts, generator.permutation(len(texts)).tolist(), strict=True))
    order = np.lexsort((generator.random(len(people)), [rank[held[person]] for person in people]))
    buckets: list[set[Any]] = [set() for _ in range(n_buckets)]
    for place, row in enumerate(order.tolist()):
        buckets[place % n_buckets].add(held[people[row]])
    kept = [frozenset(bucket) for bucket in buckets]
    return {people[row]: kept[place % n_buckets] for place, row in enumerate(order.tolist())}
