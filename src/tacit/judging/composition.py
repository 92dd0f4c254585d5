"""Two releases of the same records read together: whom they leave with one candidate.

Each release keeps its promise by itself. A reader who has several, and knows that somebody is in all
of them, keeps only what all of them allow (the composition, or intersection, attack [1]).

*Bucketized tables.* The reader knows everybody's quasi-identifiers and kept columns. A person's
candidates in one release are the sensitive values published in the buckets that hold a row with
what is known of the person, without those that the rules stated in that release rule out for them.
A person with no such row in a release is not narrowed by it. Where coarser values are published, a
row looks like everybody whose values are at or below its own, and a class of a generalized table is
a bucket. Together the candidates are the intersection; a person is *left with one candidate* where
one value remains, of some sensitive attribute. This reader does not also solve each bucket as a
puzzle of one-to-one assignments, so that the figure is a lower bound for one who does.

*Sets of items.* The reader has found somebody's record in one release and looks for it in the
other. A record of one release and a record of the other are *compatible* where one set of items
could have been published as both. Two cuts of one hierarchy have a finest common coarsening, the
higher of both at every item; there two records are compatible exactly when they read the same.
Of two hierarchies that are not nested this is necessary, not sufficient, so that again the figure
is a lower bound. Where items were taken out (hidden patterns), the reader takes a record to be as
it was. A transaction has *one candidate* where its record in one release is compatible with exactly
one record of the other: both can then be put together, and show the finer of both at every item.

Which rows are the same people is the owner's knowledge, and an argument here; everything else is
what is published.

[1] S. R. Ganta, S. P. Kasiviswanathan, A. Smith. Composition Attacks and Auxiliary Information in
    Data Privacy. KDD 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from tacit.data.transactions import Transactions, from_rows
from tacit.random.digests import set_digests, value_digests
from tacit.random.key import Key
from tacit.typing import Bools, Counts, Words

AT_ONCE = 1 << 26
"""So many bytes of rows, a bit for each, are looked at together."""


@dataclass(frozen=True)
class StatedRule:
    """Whoever has one of ``when``'s values, of each attribute, cannot have the ``value``."""

    when: Mapping[str, frozenset[str | None]]
    attribute: str
    value: str | None


@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A bucketized release as its readers see it; every cell is text, or null.

    ``rows`` has the known columns, quasi-identifiers and kept ones, and the bucket of each row; ``held``
    the buckets with the sensitive values in them. The cells of the ``coarser`` columns are nodes, and
    ``nodes`` has those at or above each value: a person looks like a row whose nodes are above their values.
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
class PublishedSets:
    """Published sets, and what each item is published as; an item that is not named is published as it is."""

    records: Transactions
    mapping: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What several releases leave of the records they share."""

    records: int
    """Those in the release judged and in at least one other."""
    one_candidate: int
    """Those that the releases together leave with one candidate."""
    alone: int | None
    """Those of them whom one of the releases leaves with one candidate by itself; None for sets."""

    @property
    def share(self) -> float:
        return self.one_candidate / max(1, self.records)


def people_narrowed(
    people: pl.DataFrame, releases: Sequence[PublishedTable], inside: Sequence[Bools]
) -> Narrowing | None:
    """Whom releases of a table leave with one candidate; None where they share no sensitive attribute.

    ``people`` has a row for each person with what is known of them in every release, as text;
    ``inside[r]`` marks those who are in ``releases[r]``.
    """
    counted = [name for release in releases for name in release.sensitive]
    shared = [name for name in dict.fromkeys(counted) if counted.count(name) > 1]
    if not shared:
        return None
    together = np.zeros(len(people), dtype=np.bool_)
    alone = np.zeros(len(people), dtype=np.bool_)
    for attribute in shared:
        about = [place for place, release in enumerate(releases) if attribute in release.sensitive]
        values = pl.concat([releases[place].held[attribute] for place in about]).unique()
        left = np.full((len(people), _width(values)), ~np.uint64(0), dtype=np.uint64)
        times = np.zeros(len(people), dtype=np.int64)
        for place in about:
            masks, known = _candidates(people, releases[place], attribute, values)
            seen = known & inside[place]
            left[seen] &= masks[seen]
            times += seen
            alone |= seen & (_sizes(masks) == 1)
        together |= (times > 0) & (_sizes(left) == 1)
    return Narrowing(len(people), int(together.sum()), int((together & alone).sum()))


def sets_narrowed(originals: Transactions, one: PublishedSets, other: PublishedSets) -> Bools:
    """Which of the transactions behind both releases have one candidate.

    ``originals`` are the transactions that are in both, as they were before anything was published.
    """
    names = [*originals.vocabulary, *one.mapping, *other.mapping]
    for published in (one, other):
        names += [item for item in published.records.vocabulary if item not in published.mapping.values()]
    coarser = _common_coarsening(names, one.mapping, other.mapping)
    by_leaf = {name: coarser[0, one.mapping.get(name, name)] for name in originals.vocabulary}
    mine = _contents(originals, by_leaf)
    for side, published in enumerate((one, other)):
        classes = {name: coarser[side, name] for name in published.records.vocabulary}
        alike = _contents(published.records, classes).group_by("low", "high").len(f"side {side}")
        mine = mine.join(alike, on=["low", "high"], how="left", maintain_order="left")
    fewest = mine.select(pl.min_horizontal(pl.col("side 0", "side 1").fill_null(0))).to_series()
    found: Bools = (fewest == 1).to_numpy()
    return found


def same_tables(one: PublishedTable, other: PublishedTable) -> bool:
    """Whether two releases of a table say the same: then there is nothing to intersect."""
    if set(one.rows.columns) != set(other.rows.columns) or set(one.held.columns) != set(other.held.columns):
        return False
    pairs = ((one.rows, other.rows), (one.held, other.held))
    return all(
        first.sort(first.columns).equals(second.select(first.columns).sort(first.columns))
        for first, second in pairs
    )


def same_sets(one: PublishedSets, other: PublishedSets) -> bool:
    """Whether two releases of transactions say the same, in whatever format."""
    if one.mapping != other.mapping or len(one.records) != len(other.records):
        return False
    both = [
        _contents(side.records, {name: name for name in side.records.vocabulary}) for side in (one, other)
    ]
    return both[0].sort("low", "high").equals(both[1].sort("low", "high"))


def _candidates(
    people: pl.DataFrame, release: PublishedTable, attribute: str, values: pl.Series
) -> tuple[Words, Bools]:
    """The candidates of each person in one release, as masks over the values; and who has any row there."""
    known = list(release.known)
    codes = pl.DataFrame({attribute: values, "code": np.arange(len(values))})
    held = release.held.select(release.group, attribute).unique()
    held = held.join(codes, on=attribute, nulls_equal=True)
    groups = pl.DataFrame({release.group: held[release.group].unique()}).with_row_index("number")
    held = held.join(groups, on=release.group)
    code = held["code"].to_numpy()
    in_group = np.zeros((len(groups), _width(values)), dtype=np.uint64)
    # Every (bucket, value) comes once, so that adding its bit is setting it.
    np.add.at(in_group, (held["number"].to_numpy(), code >> 6), np.uint64(1) << (code & 63).astype(np.uint64))

    looks = people.select(known).unique(maintain_order=True).with_row_index("look")
    pairs = release.rows.select(*known, release.group).unique().join(groups, on=release.group)
    shown = looks if not release.nodes else pairs.select(known).unique().with_row_index("look")
    pairs = pairs.join(shown, on=known, nulls_equal=True).sort("look")
    masks = np.zeros((len(shown), _width(values)), dtype=np.uint64)
    look = pairs["look"].to_numpy()
    if len(look):
        starts = np.flatnonzero(np.diff(look, prepend=-1))
        masks[look[starts]] = np.bitwise_or.reduceat(in_group[pairs["number"].to_numpy()], starts, axis=0)
    present = np.zeros(len(shown), dtype=np.bool_)
    present[look] = True
    if release.nodes:
        masks, present = _below(looks, shown, release, masks, len(values))
    number = {value: place for place, value in enumerate(values.to_list())}
    for rule in release.rules:
        if rule.attribute == attribute and rule.value in number:
            bit = number[rule.value]
            masks[_matching(looks, rule), bit >> 6] &= ~(np.uint64(1) << np.uint64(bit & 63))
    mine = people.select(known).join(looks, on=known, nulls_equal=True, how="left", maintain_order="left")
    place = mine["look"].to_numpy()
    return masks[place], present[place]


def _below(
    looks: pl.DataFrame, shown: pl.DataFrame, release: PublishedTable, masks: Words, n_values: int
) -> tuple[Words, Bools]:
    """The candidates of those who look like a row by nodes above their values; and who looks like any.

    ``masks`` are the candidates of each row that is ``shown``. Rows are bits, so that those that fit a value
    of one column and of another are found for many people at once.
    """
    fits, places = [], []
    for name in release.known:
        own, above = shown[name].to_list(), release.nodes.get(name, {})
        at: dict[str | None, list[int]] = {}
        for row, label in enumerate(own):
            at.setdefault(label, []).append(row)
        texts = looks.select(name).unique().with_row_index("text")
        fitting = np.zeros((len(texts), len(own)), dtype=np.bool_)
        for number, text in enumerate(texts[name].to_list()):
            for label in above.get(text, (text,)):
                fitting[number, at.get(label, [])] = True
        fits.append(np.packbits(fitting, axis=1))
        found_at = looks.select(name).join(
            texts, on=name, how="left", nulls_equal=True, maintain_order="left"
        )
        places.append(found_at["text"].to_numpy())
    bits = np.arange(n_values)
    holding = (masks[:, bits >> 6] >> (bits & 63).astype(np.uint64)) & np.uint64(1)
    holders = np.packbits(holding.T.astype(np.bool_), axis=1)  # (values, rows)
    found = np.zeros((len(looks), masks.shape[1]), dtype=np.uint64)
    present = np.zeros(len(looks), dtype=np.bool_)
    step = max(1, AT_ONCE // max(1, holders.shape[1]))
    for start in range(0, len(looks), step):
        part = slice(start, start + step)
        rows = fits[0][places[0][part]]
        for fit, place in zip(fits[1:], places[1:], strict=True):
            rows &= fit[place[part]]
        present[part] = rows.any(axis=1)
        for bit in range(n_values):
            has = (rows & holders[bit]).any(axis=1)
            found[part, bit >> 6] |= has.astype(np.uint64) << np.uint64(bit & 63)
    return found, present


def _matching(looks: pl.DataFrame, rule: StatedRule) -> Bools:
    """Which combinations of known columns a rule is about."""
    matching = np.ones(len(looks), dtype=np.bool_)
    for name, wanted in rule.when.items():
        texts = [text for text in wanted if text is not None]
        column = looks[name]
        inside = column.is_in(texts).fill_null(value=False)
        matching &= (inside | column.is_null() if None in wanted else inside).to_numpy()
    return matching


def _sizes(masks: Words) -> Counts:
    sizes: Counts = np.bitwise_count(masks).sum(axis=1, dtype=np.int64)
    return sizes


def _width(values: pl.Series) -> int:
    return max(1, -(-len(values) // 64))


def _common_coarsening(
    names: Iterable[str], one: Mapping[str, str], other: Mapping[str, str]
) -> dict[tuple[int, str], str]:
    """The class of every published label, of the first release (0) and of the second (1).

    Labels that share an item are one class: the finest partition that both are finer than.
    """
    above: dict[tuple[int, str], tuple[int, str]] = {}

    def top(label: tuple[int, str]) -> tuple[int, str]:
        while above.setdefault(label, label) != label:
            above[label] = above[above[label]]
            label = above[label]
        return label

    for name in names:
        above[top((0, one.get(name, name)))] = top((1, other.get(name, name)))
    return {label: f"{top(label)[0]} {top(label)[1]}" for label in list(above)}


def _contents(records: Transactions, classes: Mapping[str, str]) -> pl.DataFrame:
    """A digest, in two columns, of each record as it reads in the common coarsening."""
    recoded = from_rows(records.indptr, records.items, [classes[name] for name in records.vocabulary])
    # Which subkey it is does not matter, only that all sides use the same.
    items = value_digests(_SUBKEY, "composition", recoded.vocabulary)
    digests = set_digests(recoded.indptr, recoded.items, items)
    return pl.DataFrame({"low": digests[:, 0], "high": digests[:, 1]})


_SUBKEY = Key.from_seed(0).subkey("composition")
