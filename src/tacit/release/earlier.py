"""An earlier release put into the words of this one, and the people in it as they were then.

A reader knows what somebody looked like in each release. The owner's data say what everybody looks like now;
what they looked like then is in the sketch of the earlier release, cell by cell, so that it does not matter
whether a column was rewritten since, or somebody moved. Sensitive values must have one word in both releases.
Where the column was rewritten, the people who are in both tell what is written for what: a value then is the
value now that nearly all who had it have. Whoever has another value now is not narrowed by both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from tacit.data.hierarchy import Hierarchy
from tacit.judging.composition import COUNT, PublishedTable, Seen
from tacit.random.key import Key
from tacit.release.reading import aligned_table, respelled
from tacit.release.recognition import Match, Sketch
from tacit.release.records import Records, cell_digests

THEN = "\x00then"
"""Behind the name of a column of the earlier release that is none now, and behind a value that is none."""
NEARLY_ALL = 0.8
FEW = 5
"""Fewer people do not tell what a value is written as that is there under its old name."""


def partners_of(
    read: PublishedTable, mine: PublishedTable, match: Match, ours: Iterable[str]
) -> dict[str, str]:
    """What each column of an earlier release is called now.

    A sensitive column is that of the same name, else the one that holds the same, else the only other one.
    A known column without a partner keeps a name of its own, where the sketch says what people had in it.
    """
    recognized = dict(match.columns)
    partners = {name: name for name in read.sensitive if name in mine.sensitive}
    for name in (*read.sensitive, *read.known):
        if name not in partners and recognized.get(name, name) not in partners.values():
            partners[name] = recognized.get(name, name)
    free = set(mine.sensitive) - set(partners.values())
    if len(read.sensitive) == len(free) == 1 and partners.get(read.sensitive[0]) not in set(ours):
        partners[read.sensitive[0]] = free.pop()
    now = set(ours)
    if match.sketch is None:
        return {name: partner for name, partner in partners.items() if partner in now}
    told = {*match.sketch.columns, *read.sensitive}
    return {
        name: partner if partner in now else name + THEN
        for name in (*read.known, *read.sensitive)
        if name in told
        for partner in [partners.get(name, name + THEN)]
    }


def seen_earlier(
    records: Records,
    read: PublishedTable,
    partners: Mapping[str, str],
    trees: Mapping[str, Hierarchy],
    match: Match,
    key: Key,
    first_free: int,
) -> Seen:
    """An earlier release and the people in it; those not among the records get numbers of their own."""
    release = aligned_table(read, partners, trees)
    if match.sketch is None or match.then is None:
        return Seen(release, match.rows, records.looks(release.known, records.rows[match.rows]))
    sketch, own = match.sketch, {now: name for name, now in partners.items()}
    who = first_free + np.arange(len(sketch.cells))
    who[match.then] = match.rows
    looks = {
        name: _texts(sketch, own[name], _words_for(release, name, records), key) for name in release.known
    }
    same = {}
    for name in release.sensitive:
        if own[name] in sketch.columns and name in records.data.names:  # type: ignore[union-attr]
            then = _texts(sketch, own[name], release.held[name].unique().to_list(), key)
            now = records.looks((name,), records.rows[match.rows])[name]
            written = _written_now(then.gather(match.then), now, records.spellings(name))
            release = _rewritten(release, name, written)
            keeps = np.ones(len(who), dtype=np.bool_)
            keeps[match.then] = respelled(then.gather(match.then), written).eq_missing(now).to_numpy()
            same[name] = keeps
    return Seen(release, who, pl.DataFrame(looks), same)


def _words_for(release: PublishedTable, name: str, records: Records) -> list[str | None]:
    """The values that cells of a column may be: those that are shown, above which nodes are, or spoken of."""
    spoken = (value for rule in release.rules for value in rule.when.get(name, ()))
    now = records.spellings(name) if name in records.data.names else ()  # type: ignore[union-attr]
    shown = () if name in release.nodes else release.rows[name].unique().to_list()
    return list(dict.fromkeys([*shown, *release.nodes.get(name, {}), *spoken, *now]))


def _texts(sketch: Sketch, name: str, words: list[str | None], key: Key) -> pl.Series:
    """A column of a sketch as text; a cell that is none of the words is nobody's."""
    digests = cell_digests(words, key)
    order = np.argsort(digests)
    cells = np.asarray(sketch.cells[:, sketch.columns.index(name)])
    if not len(order):
        return pl.Series(name, [THEN], dtype=pl.String).new_from_index(0, len(cells))
    places = order[np.minimum(np.searchsorted(digests[order], cells), len(order) - 1)]
    found = pl.Series(name, words, dtype=pl.String).gather(places)
    return found.set(pl.Series(digests[places] != cells), THEN)


def _written_now(
    then: pl.Series, now: pl.Series, vocabulary: Iterable[str | None]
) -> dict[str | None, str | None]:
    """What is written now for each value then, by the people who had it."""
    known = set(vocabulary)
    had: dict[str | None, dict[str | None, int]] = {}
    pairs = pl.DataFrame({"then": then, "now": now}).group_by("then", "now").len()
    for old, new, number in pairs.sort("len", "now", descending=[True, False]).iter_rows():
        had.setdefault(old, {})[new] = number
    written = {}
    for old, counts in had.items():
        new, number = next(iter(counts.items()))
        everybody = sum(counts.values())
        sure = number >= NEARLY_ALL * everybody and (everybody >= FEW or old not in known)
        written[old] = new if sure else old if old in known else f"{old}{THEN}"
    return written


def _rewritten(
    release: PublishedTable, name: str, written: Mapping[str | None, str | None]
) -> PublishedTable:
    """The release with the sensitive values of a column as they are written now.

    A rule about one of several values that are one now says nothing about that one.
    """
    held = release.held.with_columns(respelled(release.held[name], written))
    old = release.held[name].unique().to_list()
    new = [written.get(value, value) for value in old]
    rules = [
        replace(rule, value=written.get(rule.value, rule.value)) if rule.attribute == name else rule
        for rule in release.rules
        if rule.attribute != name or new.count(written.get(rule.value, rule.value)) <= 1
    ]
    groups = [column for column in held.columns if column != COUNT]
    held = held.group_by(groups, maintain_order=True).agg(pl.col(COUNT).sum())
    return replace(release, held=held, rules=tuple(rules))
