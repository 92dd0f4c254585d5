"""Releases of a table about the same people read together: whom they leave with one candidate value.

Each release keeps its promise by itself. A reader who has several, and knows that somebody is in all
of them, keeps only what all of them allow (the composition, or intersection, attack [1]).

The reader knows everybody's quasi-identifiers and kept columns, in each release as they were then, and who
has the same sensitive value still. A person is in one of the buckets that hold a row with what is known of
the person; where coarser values are published, a row looks like everybody whose values are at or below its
own, and a class of a generalized table is a bucket. The rules stated in a release rule values out. The reader
solves the buckets of all releases as one puzzle (:mod:`tacit.knowledge.puzzles`). A person is *left with one
candidate* where one value remains, of some sensitive attribute.

The reader also knows who is in one release only. What the totals of two releases differ by is what the
joiners have, less what the leavers had. Where nothing cancels out, as many values were added as people
joined, and these people are one more bucket of the puzzle; so are the leavers.

The figure is a lower bound: a reader may find more, and of people who are not matched nothing is known. Which
rows are the same people is the owner's knowledge, and an argument here; everything else is what is published.

[1] S. R. Ganta, S. P. Kasiviswanathan, A. Smith. Composition Attacks and Auxiliary Information in
    Data Privacy. KDD 2008.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from tacit.arrays.bitmaps import pack
from tacit.knowledge.puzzles import Puzzle, solve
from tacit.typing import Bools, Counts, Words

AT_ONCE = 1 << 26
"""So many bytes of rows, a byte for each, are looked at together."""
COUNT = "count\x00"
"""The column that says how often a bucket has some values: named as no column of a file can be."""
LOOK, SHOWN, BUCKET, CODE = "look\x00", "shown\x00", "bucket\x00", "code\x00"
"""Columns of numbers: of what people look like, of rows that are shown, of buckets, of values."""


@dataclass(frozen=True)
class StatedRule:
    """Whoever has one of ``when``'s values, of each attribute, cannot have the ``value``."""

    when: Mapping[str, frozenset[str | None]]
    attribute: str
    value: str | None


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A release of a table as its readers see it; every cell is text, or null.

    ``rows`` has the known columns, quasi-identifiers and kept ones, and the bucket of each row; ``held``
    the buckets with the sensitive values in them, and how often (``COUNT``). The cells of the ``coarser``
    columns are nodes, and ``nodes`` has those at or above each value: a person looks like a row whose nodes
    are above their values.
    """

    known: tuple[str, ...]
    sensitive: tuple[str, ...]
    group: str
    rows: pl.DataFrame
    held: pl.DataFrame
    rules: tuple[StatedRule, ...] = ()
    coarser: tuple[str, ...] = ()
    nodes: Mapping[str, Mapping[str | None, frozenset[str | None]]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Seen:
    """A release, and the people who are in it: ``who`` they are, and what they ``look`` like in its words.

    Numbers tell people apart over all releases. ``same`` marks, for a sensitive attribute, those who have
    the value that they have in the first release; where it does not name the attribute, all have.
    """

    release: PublishedTable
    who: Counts
    looks: pl.DataFrame
    same: Mapping[str, Bools] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What several releases leave of the records they share."""

    records: int
    """Those who were found in the release judged and in at least one other."""
    one_candidate: int
    """Those of them that the releases together leave with one candidate, at least."""
    alone: int | None
    """Those of these whom one of the releases leaves with one candidate by itself; None for sets."""
    joined: int = 0
    """Those in the release judged only whom all releases, and none alone, leave with one candidate."""
    left: int = 0
    """The same of those who are in one other release only."""


def people_narrowed(seen: Sequence[Seen]) -> Narrowing | None:
    """Whom releases of a table leave with one candidate; None where they share no sensitive attribute.

    The first is the release judged.
    """
    counted = [name for one in seen for name in one.release.sensitive]
    shared = [name for name in dict.fromkeys(counted) if counted.count(name) > 1]
    if not shared:
        return None
    n_people = 1 + max(int(one.who.max(initial=-1)) for one in seen)
    found, together, alone, single = np.zeros((4, n_people), dtype=np.bool_)
    for attribute in shared:
        about = [one for one in seen if attribute in one.release.sensitive]
        values = pl.concat([one.release.held[attribute] for one in about]).unique().sort()
        puzzles, differences, allowed = _puzzles(about, attribute, values, n_people)
        inside = [np.concatenate([puzzle.people, puzzle.others]) for puzzle in puzzles]
        times = np.bincount(np.concatenate(inside), minlength=n_people)[:n_people]
        left = solve([*puzzles, *differences], np.bitwise_and.reduce(allowed))
        one = (_sizes(left) == 1)[:n_people]
        by_itself = np.zeros(n_people, dtype=np.bool_)
        for puzzle, own in zip(puzzles, allowed, strict=True):
            by_itself |= (_sizes(solve([puzzle], own)) == 1)[:n_people]
        alone |= by_itself
        # Whoever has another value now is in both, and named as a joiner.
        there = np.bincount(np.concatenate([release.who for release in about]), minlength=n_people)
        both = (times > 1) | ((there > 1) & one & ~by_itself)
        found |= both
        together |= both & one
        single |= (there == 1) & one & ~by_itself
    single &= ~found
    first = np.isin(np.arange(n_people), seen[0].who)
    return Narrowing(
        int(found.sum()),
        int(together.sum()),
        int((together & alone).sum()),
        int((single & first).sum()),
        int((single & ~first).sum()),
    )


def same_tables(one: PublishedTable, other: PublishedTable) -> bool:
    """Whether two releases of a table say the same: then there is nothing to intersect."""
    if set(one.rows.columns) != set(other.rows.columns) or set(one.held.columns) != set(other.held.columns):
        return False
    pairs = ((one.rows, other.rows), (one.held, other.held))
    return all(
        first.sort(first.columns).equals(second.select(first.columns).sort(first.columns))
        for first, second in pairs
    )


def _puzzles(
    about: Sequence[Seen], attribute: str, values: pl.Series, n_people: int
) -> tuple[list[Puzzle], list[Puzzle], list[Words]]:
    """The releases and what they differ by as puzzles about one attribute; what the rules of each leave all.

    Whoever does not have the same value in a release is somebody else there, with a number behind the others.
    """
    puzzles, barred, everybody = [], [], []
    for one in about:
        other = ~one.same.get(attribute, np.ones(len(one.who), dtype=np.bool_))
        who = one.who.copy()
        who[other] = n_people + np.arange(int(other.sum()))
        n_people += int(other.sum())
        everybody.append(who)
        known = list(one.release.known)
        looks = one.looks.select(known).unique(maintain_order=True).with_row_index(LOOK)
        look_of = _joined(one.looks.select(known), looks, known)[LOOK].to_numpy()
        places = _Places.of(looks, one.release)
        inside = places.present[look_of]
        who, look_of = who[inside], look_of[inside]
        puzzles.append(_puzzle(one.release, attribute, values, places, who, look_of))
        rules = _barred(looks, one.release, attribute, values)
        barred.append([(who[matching[look_of]], bit) for matching, bit in rules])
    allowed = [pack(np.ones((n_people, len(values)), dtype=np.bool_)) for _ in about]
    for masks, ruled_out in zip(allowed, barred, strict=True):
        for who, bit in ruled_out:
            masks[who, bit >> 6] &= ~(np.uint64(1) << np.uint64(bit & 63))
    return puzzles, _differences(puzzles, everybody, len(values)), allowed


def _differences(puzzles: Sequence[Puzzle], everybody: Sequence[Counts], n_values: int) -> list[Puzzle]:
    """The joiners of the first release, the leavers of each other: buckets of what the totals differ by.

    Only where everybody in both is known, and no value of a leaver makes up for that of a joiner.
    """
    totals = [np.bincount(one.values, one.tokens, n_values).astype(np.int64) for one in puzzles]
    known = [int(total.sum()) == len(who) for total, who in zip(totals, everybody, strict=True)]
    found = []
    for total, who, whole in zip(totals[1:], everybody[1:], known[1:], strict=True):
        for more, people in (
            (totals[0] - total, np.setdiff1d(everybody[0], who)),
            (total - totals[0], np.setdiff1d(who, everybody[0])),
        ):
            more = np.maximum(more, 0)
            if known[0] and whole and len(people) and int(more.sum()) == len(people):
                found.append(_one_bucket(people, more))
    return found


def _one_bucket(people: Counts, tokens: Counts) -> Puzzle:
    """People who have these values, each so many times."""
    values = np.flatnonzero(tokens)
    none = np.zeros(0, dtype=np.int64)
    return Puzzle(
        starts=np.array([0, len(values)]),
        values=values,
        tokens=tokens[values],
        people=people,
        buckets=np.zeros(len(people), dtype=np.int64),
        others=none,
        look_of=none,
        looks=none,
        pools=none,
        pool_buckets=none,
        pool_rows=none,
        closed=np.zeros(0, dtype=np.bool_),
    )


def _puzzle(
    release: PublishedTable, attribute: str, values: pl.Series, places: _Places, who: Counts, look_of: Counts
) -> Puzzle:
    codes = pl.DataFrame({attribute: values, CODE: np.arange(len(values))})
    held = release.held.group_by(release.group, attribute).agg(pl.col(COUNT).sum())
    held = held.join(codes, on=attribute, nulls_equal=True).join(places.groups, on=release.group)
    held = held.sort(BUCKET, CODE)
    n_buckets = len(places.groups)
    starts = np.searchsorted(held[BUCKET].to_numpy(), np.arange(n_buckets + 1))

    n_looks, number = len(places.component_of), np.diff(places.starts)
    pair_looks = np.repeat(np.arange(n_looks), number)
    key = places.component_of[pair_looks] * n_buckets + places.buckets
    pool_key = places.pool_components * n_buckets + places.pool_buckets
    order = np.argsort(pool_key)
    pools = order[np.searchsorted(pool_key[order], key)]

    there = np.bincount(places.component_of[look_of], minlength=places.n_components)
    rows_of = np.zeros(places.n_components, dtype=np.int64)
    np.add.at(rows_of, places.pool_components, places.pool_rows)
    # Where there are more people than rows, some are somebody else, and nobody's place is certain.
    pool_of = pools[places.starts[look_of]]
    certain = (number[look_of] == 1) & (there <= rows_of)[places.component_of[look_of]]
    taken = np.bincount(pool_of[certain], minlength=len(pool_key))
    crowded = taken > places.pool_rows
    certain &= ~crowded[pool_of]
    taken[crowded] = 0
    return Puzzle(
        starts=starts,
        values=held[CODE].to_numpy(),
        tokens=held[COUNT].to_numpy().astype(np.int64),
        people=who[certain],
        buckets=places.pool_buckets[pool_of[certain]],
        others=who[~certain],
        look_of=look_of[~certain],
        looks=pair_looks,
        pools=pools,
        pool_buckets=places.pool_buckets,
        pool_rows=places.pool_rows - taken,
        closed=(there == rows_of)[places.pool_components] & ~crowded,
    )


@dataclass(frozen=True, eq=False)
class _Places:
    """In which buckets people could be, by what they look like.

    The buckets of look q are ``buckets[starts[q] : starts[q + 1]]``. Looks and rows that fit each other, over
    however many others, are one component: its people are in its rows. Pools are its rows in one bucket.
    """

    groups: pl.DataFrame
    starts: Counts
    buckets: Counts
    component_of: Counts
    n_components: int
    pool_components: Counts
    pool_buckets: Counts
    pool_rows: Counts

    @property
    def present(self) -> Bools:
        found: Bools = np.diff(self.starts) > 0
        return found

    @staticmethod
    def of(looks: pl.DataFrame, release: PublishedTable) -> _Places:
        """``looks`` are what people look like, each once."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        known = list(release.known)
        groups = release.held.select(release.group).unique(maintain_order=True).with_row_index(BUCKET)
        rows = release.rows.group_by(*known, release.group, maintain_order=True).len(COUNT)
        rows = rows.join(groups, on=release.group)
        shown = rows.select(known).unique(maintain_order=True).with_row_index(SHOWN)
        rows = _joined(rows, shown, known)
        if release.nodes:
            parts = list(_fitting(looks, shown, release))
            pairs = np.concatenate(parts) if parts else np.zeros((0, 2), dtype=np.int64)
        else:
            both = looks.join(shown, on=known, nulls_equal=True)
            pairs = both.select(LOOK, SHOWN).to_numpy().astype(np.int64)
        n_looks = len(looks)
        graph = coo_array(
            (np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], n_looks + pairs[:, 1])),
            shape=(n_looks + len(shown),) * 2,
        )
        n_components, found = connected_components(graph, directed=False)
        component: Counts = found.astype(np.int64)
        row_of, bucket_of = rows[SHOWN].to_numpy().astype(np.int64), rows[BUCKET].to_numpy()
        fits = pl.DataFrame({LOOK: pairs[:, 0], SHOWN: pairs[:, 1]}).join(
            pl.DataFrame({SHOWN: row_of, BUCKET: bucket_of}), on=SHOWN
        )
        fits = fits.select(LOOK, BUCKET).unique().sort(LOOK, BUCKET)
        pools = (
            pl.DataFrame({"part": component[n_looks + row_of], BUCKET: bucket_of, "rows": rows[COUNT]})
            .group_by("part", BUCKET, maintain_order=True)
            .agg(pl.col("rows").sum())
        )
        return _Places(
            groups,
            np.searchsorted(fits[LOOK].to_numpy(), np.arange(n_looks + 1)),
            fits[BUCKET].to_numpy().astype(np.int64),
            component[:n_looks],
            n_components,
            *(pools[name].to_numpy().astype(np.int64) for name in ("part", BUCKET, "rows")),
        )


def _fitting(looks: pl.DataFrame, shown: pl.DataFrame, release: PublishedTable) -> Iterator[Counts]:
    """Pairs of a look and a row that is shown whose nodes are at or above its values."""
    fits, places = [], []
    for name in release.known:
        own, above = shown[name].to_list(), release.nodes.get(name, {})
        at: dict[str | None, list[int]] = {}
        for row, label in enumerate(own):
            at.setdefault(label, []).append(row)
        texts = looks.select(name).unique().with_row_index(CODE)
        fitting = np.zeros((len(texts), len(own)), dtype=np.bool_)
        for number, text in enumerate(texts[name].to_list()):
            for label in above.get(text, (text,)):
                fitting[number, at.get(label, [])] = True
        fits.append(np.packbits(fitting, axis=1))
        places.append(_joined(looks.select(name), texts, [name])[CODE].to_numpy())
    step = max(1, AT_ONCE // max(1, len(shown)))
    for start in range(0, len(looks), step):
        part = slice(start, start + step)
        rows = fits[0][places[0][part]]
        for fit, place in zip(fits[1:], places[1:], strict=True):
            rows &= fit[place[part]]
        found = np.argwhere(np.unpackbits(rows, axis=1, count=len(shown)))
        yield found + np.array([start, 0])


def _barred(
    looks: pl.DataFrame, release: PublishedTable, attribute: str, values: pl.Series
) -> Iterator[tuple[Bools, int]]:
    """Which looks the rules of a release are about, and the value that they rule out."""
    number = {value: place for place, value in enumerate(values.to_list())}
    for rule in release.rules:
        if rule.attribute == attribute and rule.value in number:
            yield _matching(looks, rule), number[rule.value]


def _matching(looks: pl.DataFrame, rule: StatedRule) -> Bools:
    """Which combinations of known columns a rule is about."""
    matching = np.ones(len(looks), dtype=np.bool_)
    for name, wanted in rule.when.items():
        texts = [text for text in wanted if text is not None]
        column = looks[name]
        inside = column.is_in(texts).fill_null(value=False)
        matching &= (inside | column.is_null() if None in wanted else inside).to_numpy()
    return matching


def _joined(frame: pl.DataFrame, other: pl.DataFrame, on: Sequence[str]) -> pl.DataFrame:
    return frame.join(other, on=list(on), nulls_equal=True, how="left", maintain_order="left")


def _sizes(masks: Words) -> Counts:
    sizes: Counts = np.bitwise_count(masks).sum(axis=1, dtype=np.int64)
    return sizes
