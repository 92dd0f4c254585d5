"""A series of generalized sets: the mapping of the first release, and a promise over all of them.

Whoever knows m items of a person, and in which releases the person has them, faces at least k people who are
in the same releases and have these items there too. Everybody is one record for this: an item together with
the releases in which the person has it. Whoever has it in more releases has it in these as well. Among the
people of the same releases these records must be k^m-anonymous.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.arrays.compiled import Flag
from tacit.data.column import encode
from tacit.data.transactions import Transactions, from_pairs
from tacit.engine.choice import engine_for
from tacit.engine.sets import SetCounts
from tacit.errors import InfeasibleError, InputError, Place, UsageError, option
from tacit.io.hierarchies.build import build_flat
from tacit.methods.generalize_sets.solve.cut import Cut, Draft
from tacit.options import Asked
from tacit.random.key import Key
from tacit.release import Content, Manifest, read_manifest
from tacit.release.reading import read_published_sets
from tacit.release.series import (
    ABSENT,
    Begun,
    Lives,
    Shown,
    Told,
    along,
    begun_in,
    digests_in,
    measured_as,
    nobody_yet,
    people_of,
    records_of,
    repeated,
)
from tacit.showing.layout import share

MOST_RELEASES = 60
"""The releases in which somebody has an item are the bits of a number."""
NAMED = 3


def begins(manifest: Manifest) -> bool:
    """Whether a release says who is who."""
    return manifest.kind == "generalized" and "series" in manifest.parameters


def earlier_sets(asked: Asked) -> Begun | None:
    """The series that some transactions continue, checked; None where they continue none."""
    if asked.after is None:
        return None
    return begun_in(asked.after, asked.key, begins, f"Make the first release with {option('person')}")


def people_here(asked: Asked) -> pl.Series | None:
    """The digest of everybody, for a series; an error where the transactions do not say whose they are."""
    person, names = asked.person, asked.transactions.records
    if person is None:
        return None
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
    found = digests_in(names, asked.key)
    more = len(found) - found.n_unique()
    if more:
        raise repeated(more, asked.transactions.origin, person)
    return found


class Records:
    """Everybody of some releases as one record, of items with the releases in which they have them."""

    def __init__(self, lives: Lives) -> None:
        here, releases = np.nonzero(lives.paths != ABSENT)
        sizes = [len(form) for form in lives.forms]
        items = pl.DataFrame(
            {
                "form": np.repeat(np.arange(len(sizes)), sizes),
                "item": pl.Series([item for form in lives.forms for item in form], dtype=pl.String),
            }
        )
        bits = pl.DataFrame(
            {
                "life": here,
                "form": lives.paths[here, releases].astype(np.int64),
                "when": np.int64(1) << releases,
            }
        )
        self.counts = lives.counts
        self.there = bits.group_by("life").agg(pl.col("when").sum()).sort("life")["when"].to_numpy()
        # In different releases somebody has different forms, or the same one: no release is summed twice.
        both = bits.group_by("life", "form").agg(pl.col("when").sum()).join(items, on="form")
        held = both.group_by("life", "item").agg(pl.col("when").sum())
        self.held = held.with_columns(there=pl.Series(self.there).gather(held["life"]))

    @property
    def fewest_together(self) -> int:
        """The fewest people who are in the same releases."""
        _, group = np.unique(self.there, return_inverse=True)
        return int(np.bincount(group, weights=self.counts).min())

    def as_transactions(self, most: int) -> Transactions | None:
        """The records, equal ones up to so many times; of people in other releases items are others."""
        if not len(self.held):
            return None
        profiles = self.held.select("there", "item", "when").unique()
        names = profiles.sort("there", "item", "when").with_row_index("code")
        pairs = self.held.join(names.rename({"when": "part"}), on=["there", "item"]).filter(
            pl.col("when") & pl.col("part") == pl.col("part")
        )
        vocabulary = [f"{there} {when} {item}" for there, item, when in names.drop("code").iter_rows()]
        times = np.minimum(self.counts, most)
        lives = pairs["life"].to_numpy()
        starts = np.cumsum(times) - times
        each = np.repeat(np.arange(len(lives)), times[lives])
        within = np.arange(len(each)) - np.repeat(np.cumsum(times[lives]) - times[lives], times[lives])
        return from_pairs(
            (starts[lives][each] + within).astype(np.int64),
            pairs["code"].to_numpy().astype(np.int32)[each],
            int(times.sum()),
            vocabulary,
            hierarchy=build_flat(vocabulary),
        )


def _told(folder: Path) -> Told:
    """A release, by its private record."""
    people = people_of(folder, {"row": pl.Int64}).filter(pl.col("row") > 0).sort("row")
    return told_of(people["person"], read_published_sets(folder, read_manifest(folder)).records)


def told_of(people: pl.Series, sets: Transactions) -> Told:
    """The people of some sets, in the order of the sets, and the items of each."""
    held = pl.DataFrame({"row": np.repeat(np.arange(len(sets)), sets.lengths), "item": sets.items})
    texts = held.group_by("row").agg(pl.col("item").sort().cast(pl.String).str.join(" "))
    found = encode(
        pl.DataFrame({"row": np.arange(len(sets))})
        .join(texts, on="row", how="left", maintain_order="left")["item"]
        .fill_null("")
    )
    forms = [tuple(sets.vocabulary[int(code)] for code in (text or "").split()) for text in found.texts]
    return people, found.codes, forms


def lives_with(begun: Begun | None, now: Told, asked: Asked) -> Lives:
    """Everybody, this release included; an error unless whoever knows m items of a person faces k people."""
    if begun is None:
        return nobody_yet().then(*now)
    if begun.number >= MOST_RELEASES:
        raise InputError(
            f"A series of sets has at most {MOST_RELEASES} releases.",
            code="series-too-long",
            where=Place(file=str(begun.folder)),
            hint="Begin a new one, with other people.",
        )
    lives = begun.lives(_told, now[0]).then(*now)
    k, m = asked.k, asked.m
    found = Faced(lives, m, k, asked.flag)
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
    return lives


class Faced:
    """How many people a reader faces who knows m items of somebody; it is asked up to ``most`` of them."""

    def __init__(self, lives: Lives, m: int, most: int | None = None, flag: Flag | None = None) -> None:
        records = Records(lives)
        self.together = records.fewest_together
        self.m = m
        self.records = records.as_transactions(self.together + 1 if most is None else most)
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
    return begun.terms_with(_supports(before), _supports(published), k)


def _supports(sets: Transactions) -> dict[str, int]:
    return dict(zip(sets.vocabulary, sets.supports.tolist(), strict=True))


def series_files(people: pl.Series, lives: Lives, key: Key, begun: Begun | None) -> dict[str, Content]:
    """Who is which published record, for the owner and for the next release."""
    frame = pl.DataFrame({"person": people, "row": np.arange(1, len(people) + 1)})
    return records_of(frame, key, () if begun is None else begun.chain, {}, lives)


def _measured(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for manifest, now, lives in along(folders, _told):
        faced, alone = (Faced(some, manifest.promise["m"]) for some in (lives, nobody_yet().then(*now)))
        yield {
            "faced": faced.largest(faced.together + 1),
            "faced_alone": alone.largest(alone.together + 1),
            "together": faced.together,
            "ncp": manifest.utility["ncp"],
        }


SHOWN = Shown(
    _measured,
    "row",
    (
        ("in the same releases", measured_as("together")),
        ("faced in it", measured_as("faced_alone")),
        ("faced so far", measured_as("faced")),
        ("loss", measured_as("ncp", share)),
    ),
    "In the same releases: the fewest people who came and left together. Faced: the fewest people whom a"
    " reader is left with who knows m items of somebody, in that release alone, and in all releases so far"
    " for a reader who knows in which. Loss is the detail that generalizing took away.",
    (
        "The fewest people that a reader is left with who knows m items",
        (("of this release alone", "faced_alone"), ("of all releases so far", "faced")),
    ),
)
