"""A series of releases as its owner sees it: who came, stayed and left, and what readers are left with.

Beside the candidates that everybody keeps stand those that releases made one by one would leave: a world that
the releases allow is drawn, and its people are dealt anew for every release, as Anatomy does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.errors import InputError, Place
from tacit.methods.generalize_sets.series import Faced
from tacit.methods.generalize_sets.series import lives_of as lives_of_sets
from tacit.methods.generalize_tables.series import lives_of, smallest
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
    promise: Mapping[str, Any]
    measured: Mapping[str, Any]
    """What readers of all releases so far are left with, and what the release costs, by name."""

    @property
    def stayed(self) -> int:
        return self.people - self.came - self.returned

    def to_dict(self) -> dict[str, Any]:
        found = {name: value for name, value in asdict(self).items() if name not in ("promise", "measured")}
        return found | {"stayed": self.stayed} | dict(self.measured)


@dataclass(frozen=True)
class Shown:
    """What is told of the releases of a kind: columns of a table, facts, and what they mean."""

    columns: tuple[tuple[str, Callable[[Turn], str]], ...]
    means: str
    facts: tuple[tuple[str, str], ...] = ()
    """Titles and names of what is measured of every release."""


@dataclass(frozen=True)
class SeriesShown(InNotebook):
    """A series, the oldest release first."""

    kind: str
    turns: tuple[Turn, ...]

    def to_dict(self) -> dict[str, Any]:
        promise = {name: self.turns[-1].promise.get(name) for name in ("k", "l", "m")}
        return promise | {"kind": self.kind, "releases": [turn.to_dict() for turn in self.turns]}

    def __str__(self) -> str:
        most = max(turn.people for turn in self.turns)
        shown, last = KINDS[self.kind].shown, self.turns[-1]
        names = ["", "people", "stayed ■ returned ▒ came □", "left", *(name for name, _ in shown.columns)]
        rows = [
            (
                str(turn.number),
                count(turn.people),
                "".join(
                    letter * round(BAR * part / most)
                    for letter, part in (("■", turn.stayed), ("▒", turn.returned), ("□", turn.came))
                ),
                count(turn.left),
                *(words(turn) for _, words in shown.columns),
            )
            for turn in self.turns
        ]
        terms = [f"{sign} = {last.promise[name]}" for name, sign in SIGNS.items() if last.promise.get(name)]
        told = [
            (title, ", ".join(_number(turn.measured[name]) for turn in self.turns))
            for title, name in shown.facts
            if all(turn.measured[name] is not None for turn in self.turns)
        ]
        return "\n\n".join(
            [
                heading(f"A series of {len(self.turns)} releases, {', '.join(terms)}"),
                grid(names, rows, right=(0, 1, *range(3, len(names)))),
                facts([("folder", last.folder), *told]),
                prose(shown.means),
            ]
        )


SIGNS = {"k": "k", "l": "ℓ", "m": "m"}


def _number(value: float) -> str:
    return count(value) if isinstance(value, int) else share(value)


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
    kind = read_manifest(folders[-1]).kind
    turns: list[Turn] = []
    seen: set[str] = set()
    here: set[str] = set()
    for number, (place, measured) in enumerate(zip(folders, KINDS[kind].measure(folders), strict=True), 1):
        before, here = here, set(_there(place)["person"])
        turns.append(
            Turn(
                folder=str(place),
                number=number,
                people=len(here),
                came=len(here - seen),
                returned=len((here & seen) - before),
                left=len(before - here),
                promise=read_manifest(place).promise,
                measured=measured,
            )
        )
        seen |= here
    return SeriesShown(kind, tuple(turns))


def _there(folder: Path) -> pl.DataFrame:
    """Who is in a release, and where; those of buckets name everybody who ever was in the series."""
    column = "group" if read_manifest(folder).kind == "bucketized" else "row"
    return people_of(folder, {column: pl.Int64}).filter(pl.col(column) > 0)


def _buckets(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    generator = np.random.default_rng(0)  # of a simulation that decides nothing
    held: dict[str, str | None] = {}
    common: dict[str, frozenset[Any]] = {}
    alone: dict[str, frozenset[Any]] = {}
    seen: set[str] = set()
    for place in folders:
        manifest = read_manifest(place)
        signed = _people(place)
        for person, signature in signed.items():
            if person not in held or held[person] not in signature:
                held[person] = sorted(signature, key=str)[generator.integers(len(signature))]
                common.pop(person, None)  # another value: it has candidates of its own
                alone.pop(person, None)
            common[person] = common.get(person, signature) & signature
        for person, dealt in _dealt(list(signed), held, manifest.parameters["l"], generator).items():
            alone[person] = alone.get(person, dealt) & dealt
        again = [person for person in signed if person in seen]
        yield {
            "buckets": manifest.parameters["buckets"],
            "counterfeits": manifest.parameters["series"]["counterfeits"],
            "rules": len(manifest.reader["rules"]),
            "query_error": (manifest.utility.get("count_queries") or {}).get("uniform"),
            "candidates": min(len(common[person]) for person in signed),
            "one_candidate_alone": sum(len(alone[person]) == 1 for person in again) / max(1, len(again)),
        }
        seen |= set(signed)


def _tables(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for number, place in enumerate(folders, start=1):
        manifest = read_manifest(place)
        found = smallest(lives_of(folders[:number]), manifest.promise.get("l"))
        yield {
            "cohort": found.people,
            "values": found.values,
            "smallest": manifest.risks["smallest"],
            "loss": manifest.utility["loss"],
        }


def _sets(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for number, place in enumerate(folders, start=1):
        manifest = read_manifest(place)
        faced = Faced(lives_of_sets(folders[:number]), manifest.promise["m"])
        yield {
            "faced": faced.largest(faced.together + 1),
            "together": faced.together,
            "ncp": manifest.utility["ncp"],
        }


@dataclass(frozen=True)
class _Kind:
    measure: Callable[[Sequence[Path]], Iterator[dict[str, Any]]]
    shown: Shown


def _of(name: str, words: Callable[[Any], str] = count) -> Callable[[Turn], str]:
    return lambda turn: "" if turn.measured[name] is None else words(turn.measured[name])


KINDS = {
    "bucketized": _Kind(
        _buckets,
        Shown(
            (
                (
                    "counterfeits",
                    lambda turn: (
                        f"{count(turn.measured['counterfeits'])}"
                        f" ({share(turn.measured['counterfeits'] / max(1, turn.people))})"
                    ),
                ),
                ("candidates", _of("candidates")),
                ("named one by one", _of("one_candidate_alone", share)),
            ),
            "Candidates are the values that everybody keeps, at least, over all releases so far. Named one by"
            " one: of those in several releases, the share that would be left with one value if every"
            " release had been made by itself; simulated in a world that the releases allow.",
            (("rules stated", "rules"), ("error of counting queries", "query_error")),
        ),
    ),
    "generalized_table": _Kind(
        _tables,
        Shown(
            (
                ("smallest class", _of("smallest")),
                ("smallest cohort", _of("cohort")),
                ("values", _of("values")),
                ("loss", _of("loss", share)),
            ),
            "A cohort is the people who are in the same releases so far and share their class in each of"
            " them: what a reader of all releases is left with. Values are those that everybody keeps there,"
            " counted up to ℓ.",
        ),
    ),
    "generalized": _Kind(
        _sets,
        Shown(
            (
                ("in the same releases", _of("together")),
                ("faced", _of("faced")),
                ("loss", _of("ncp", share)),
            ),
            "Faced: the fewest people whom a reader of all releases so far is left with who knows m items of"
            " somebody, and in which releases.",
        ),
    ),
}


def _people(folder: Path) -> dict[str, frozenset[Any]]:
    """The signature of everybody in a release, by the digest of the person."""
    sensitive = read_manifest(folder).parameters["sensitive"][0]
    sets: dict[str, set[Any]] = {}
    for group, value in cells(folder / "st.csv").select("group", sensitive).iter_rows():
        sets.setdefault(group, set()).add(value)
    return {person: frozenset(sets[str(group)]) for person, group in _there(folder).iter_rows()}


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
