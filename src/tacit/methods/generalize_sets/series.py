"""A series of generalized sets: the mapping of the first release, and a promise over all of them.

Whoever knows m items of a person, and in which releases the person has them, faces at least k people who are
in the same releases and have these items there too. Everybody is one record for this: an item together with
the releases in which the person has it. Whoever has it in more releases has it in these as well. Among the
people of the same releases these records must be k^m-anonymous.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.arrays.interrupt import Flag
from tacit.data.transactions import Transactions, from_pairs
from tacit.engine.base import SetCounts
from tacit.engine.choice import engine_for
from tacit.errors import InfeasibleError, InputError, Place, UsageError, option
from tacit.io.hierarchies.build import build_flat
from tacit.methods.generalize_sets.solve.cut import Cut
from tacit.methods.generalize_sets.solve.draft import Draft
from tacit.random.key import Key
from tacit.release import Content, Manifest, read_manifest
from tacit.release.reading import read_published_sets
from tacit.release.series import (
    Begun,
    Shown,
    begun_in,
    chain_of,
    in_hex,
    measured_as,
    nobody,
    people_of,
    person_digests,
    records_of,
    repeated,
    small_changes,
)
from tacit.showing.layout import share
from tacit.typing import Counts

MOST_RELEASES = 60
"""The releases in which somebody has an item are the bits of a number."""
NAMED = 3


def begins(manifest: Manifest) -> bool:
    """Whether a release says who is who."""
    return manifest.kind == "generalized" and "series" in manifest.parameters


def earlier_sets(asked: Any, key: Key) -> Begun | None:
    """The series that some transactions continue, checked; None where they continue none."""
    if asked.after is None:
        return None
    return begun_in(asked.after, key, begins, f"Make the first release with {option('person')}")


def people_here(transactions: Transactions, person: str, key: Key) -> list[str]:
    """The digest of everybody; an error where the transactions do not say whose they are."""
    names = transactions.records
    if names is None:
        raise UsageError(
            "These transactions do not say whose they are: only the long format does, in memory.",
            code="person-not-there",
            option="person",
            value=person,
            hint="Give a table with a row for each person and item, and name its columns with"
            f" {option('record')} and {option('item')}.",
        )
    if names.name != person:
        raise UsageError(
            f"The column that names each transaction is {names.name!r}, and not {person!r}.",
            code="person-not-there",
            option="person",
            value=person,
            hint="In a series everybody has one set a release: name the column of the person with"
            f" {option('record')} as well.",
        )
    found = np.array(in_hex(person_digests([str(text) for text in names.texts], key)))[names.codes]
    more = len(found) - len(np.unique(found))
    if more:
        raise repeated(more, transactions.origin, person)
    return [str(one) for one in found]


@dataclass(frozen=True, eq=False)
class Lives:
    """Everybody of some releases: the releases they are in, and those in which they have each item."""

    people: pl.DataFrame  # person, there (as bits)
    held: pl.DataFrame  # person, item, when (as bits)

    def records(self) -> Transactions:
        """Everybody as one record, of items with releases; those of people in other releases are others."""
        held = self.held.join(self.people, on="person")
        profiles = held.select("there", "item", "when").unique()
        names = profiles.sort("there", "item", "when").with_row_index("code")
        pairs = (
            held.join(names.rename({"when": "part"}), on=["there", "item"])
            .filter(pl.col("when") & pl.col("part") == pl.col("part"))
            .join(self.people.select("person").with_row_index("number"), on="person")
        )
        vocabulary = [f"{there} {when} {item}" for there, item, when in names.drop("code").iter_rows()]
        return from_pairs(
            pairs["number"].to_numpy().astype(np.int64),
            pairs["code"].to_numpy().astype(np.int32),
            len(self.people),
            vocabulary,
            hierarchy=build_flat(vocabulary),
        )

    @property
    def fewest_together(self) -> int:
        """The fewest people who are in the same releases."""
        return int(np.bincount(self.people["there"].rank("dense").to_numpy())[1:].min())


Life = tuple[pl.DataFrame, pl.DataFrame]
"""The people of one release, and the items that each has."""


def _life(folder: Path) -> Life:
    """A release, by its private record."""
    sets = read_published_sets(folder, read_manifest(folder)).records
    people = people_of(folder, {"row": pl.Int64}).sort("row")
    return life_of(people["person"].to_list(), sets)


def life_of(people: Sequence[str], sets: Transactions) -> Life:
    """The people of some sets, in the order of the sets."""
    who = pl.DataFrame({"person": people}, schema={"person": pl.String})
    held = pl.DataFrame(
        {
            "person": pl.Series(people, dtype=pl.String).gather(
                np.repeat(np.arange(len(sets)), sets.lengths)
            ),
            "item": pl.Series(sets.vocabulary, dtype=pl.String).gather(sets.items),
        }
    )
    return who, held


def joined(found: Sequence[Life]) -> Lives:
    """Everybody of these releases."""
    people = pl.concat([who.with_columns(there=pl.lit(1 << number)) for number, (who, _) in enumerate(found)])
    held = pl.concat([own.with_columns(when=pl.lit(1 << number)) for number, (_, own) in enumerate(found)])
    return Lives(
        people.group_by("person").agg(pl.col("there").cast(pl.Int64).sum()).sort("person"),
        held.group_by("person", "item").agg(pl.col("when").cast(pl.Int64).sum()),
    )


def check_series(
    begun: Begun, people: Sequence[str], published: Transactions, k: int, m: int, flag: Flag | None
) -> None:
    """Raise unless whoever knows m items of a person faces k people over the whole series."""
    folders = chain_of(begun.folder)
    if len(folders) >= MOST_RELEASES:
        raise InputError(
            f"A series of sets has at most {MOST_RELEASES} releases.",
            code="series-too-long",
            where=Place(file=str(begun.folder)),
            hint="Begin a new one, with other people.",
        )
    earlier = [_life(folder) for folder in folders]
    if not any(set(people) & set(who["person"]) for who, _ in earlier):
        raise nobody(begun.folder)
    found = Faced(joined([*earlier, life_of(people, published)]), m, flag)
    if not found.at_least(k):
        largest = found.largest(k)
        raise InfeasibleError(
            f"Whoever knows {m} items of a person over the releases of the series would face fewer than {k}"
            f" people{found.example(k)}.",
            code="infeasible-series",
            option="k",
            value=k,
            hint=(f"The largest k is {largest}. " if largest > 1 else "No k can be kept. ")
            + "Begin a series with a larger k than you need: its people are divided by who comes and leaves."
            " Or publish those alone who are in the same releases as many others.",
        )


class Faced:
    """How many people a reader faces who knows m items of somebody."""

    def __init__(self, lives: Lives, m: int, flag: Flag | None = None) -> None:
        self.together = lives.fewest_together
        self.m = m
        self.records = lives.records() if len(lives.held) else None
        self.counts: SetCounts | None = None
        if self.records is not None:
            self.counts = engine_for(self.records).set_counts(self.records, flag=flag)

    def at_least(self, k: int) -> bool:
        """Whether it is k people or more."""
        return self.together >= k and not self._rare(k)

    def largest(self, below: int) -> int:
        """The most people that it always is, below a number that it is not always."""
        low, high = 1, below  # it is low, and not high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.at_least(middle) else (low, middle)
        return low

    def example(self, k: int) -> str:
        """Items that fewer than k people share, in words."""
        rare = self._rare(k)
        items = sorted({name.split(" ", 2)[2] for name in rare})
        return f", for example with {', '.join(map(repr, items[:NAMED]))}" if items else ""

    def _rare(self, k: int) -> list[str]:
        """A set of items that occurs, but of fewer than k people."""
        if self.counts is None or self.records is None:
            return []
        tree = self.counts.tree
        cut = Cut(tree.hierarchy, np.arange(tree.hierarchy.n_leaves, dtype=np.int32))
        size = min(self.m, self.records.longest)
        rare = self.counts.rare_sets(Draft.at(tree, cut).table, k=k, size=size, limit=1)
        if not len(rare):
            return []
        return [tree.hierarchy.labels[tree.nodes[node]] for node in rare.sets[0] if node >= 0]


def series_terms(begun: Begun | None, published: Transactions, k: int) -> dict[str, Any]:
    """What the manifest states of the series."""
    if begun is None:
        return {"number": 1}
    before = read_published_sets(begun.folder, begun.manifest).records
    changes = small_changes(_supports(before), _supports(published), k)
    return {**begun.terms, "small_changes": changes}


def _supports(sets: Transactions) -> dict[str, int]:
    return dict(zip(sets.vocabulary, sets.supports.tolist(), strict=True))


def series_files(people: Sequence[str], rows: Counts, key: Key, begun: Begun | None) -> dict[str, Content]:
    """Who is which published record, for the owner and for the next release."""
    frame = pl.DataFrame(
        {"person": np.array(people, dtype=object)[rows].tolist(), "row": np.arange(1, len(rows) + 1)},
        schema={"person": pl.String, "row": pl.Int64},
    )
    return records_of(frame, key, () if begun is None else begun.chain, {})


def _measured(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    lives = [_life(folder) for folder in folders]
    for number, place in enumerate(folders, start=1):
        manifest = read_manifest(place)
        faced = Faced(joined(lives[:number]), manifest.promise["m"])
        yield {
            "faced": faced.largest(faced.together + 1),
            "together": faced.together,
            "ncp": manifest.utility["ncp"],
        }


SHOWN = Shown(
    _measured,
    "row",
    (
        ("in the same releases", measured_as("together")),
        ("faced", measured_as("faced")),
        ("loss", measured_as("ncp", share)),
    ),
    "Faced: the fewest people whom a reader of all releases so far is left with who knows m items of"
    " somebody, and in which releases.",
)
