"""Singling out, linkability and inference: the three criteria of WP216 [1] as attacks on people.

Each attack is also made on a control group: people of the same population who are not in the release. What it
reaches there is known without the release: the risk of being in it is (attack − control) / (1 − control) [2].
Whether a row fits exactly one person depends on how many there are. So an attack is told as it is on all of
the original, and compared among as many people as the control group has, where these are fewer; they are
drawn, always alike.

*Singling out.* Every published row is a description; how many of them fit exactly one person?
*Linkability.* A reader has half of the columns of everybody, and the other half in another list without
names, and links them through a published row that fits both.
*Inference.* A reader knows the quasi-identifiers of somebody and takes the likeliest value of the rows
that fit.

[1] Article 29 Data Protection Working Party. Opinion 05/2014 on anonymisation techniques (WP216), 2014.
[2] M. Giomi et al. A unified framework for quantifying privacy risk in synthetic data. PoPETs 2023(2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from tacit.data.table import Table
from tacit.engine.base import Combinations
from tacit.engine.choice import engine_for
from tacit.errors import InputError, Place
from tacit.judging.risk.classes import Classes, classes_of
from tacit.judging.risk.matching import matches
from tacit.typing import Counts, Floats

MOST = 5_000
"""So many people of each group are attacked at most; they hide among all of the group."""
Z = 1.959964
"""Of a 95 % interval."""
SAYS = {
    "singling_out": "Published rows that fit exactly one of the people in the original.",
    "linkability": "People whose two halves a published row links.",
    "inference": "People whose sensitive value is guessed rightly from the rows that fit them.",
}


@dataclass(frozen=True)
class Criterion:
    """One of the three criteria, measured."""

    name: str
    attack: float | None
    """On all people of the original."""
    compared: float | None
    """Among as many of them as the control group has; None without a control group."""
    control: float | None
    """What the same attack reaches on people who are not in the release; None without a control group."""
    baseline: float | None
    """What a reader reaches without the release."""
    risk: float | None
    low: float | None
    high: float | None
    """The ends of a 95 % interval of the risk."""
    people: int
    tolerance: float
    why: str = ""

    @property
    def ok(self) -> bool | None:
        """Whether the risk is not shown to be above the tolerance; None where it was not measured."""
        return None if self.low is None else self.low <= self.tolerance

    def to_dict(self, says: str) -> dict[str, Any]:
        told = {"name": self.name, "says": says, **vars(self), "ok": self.ok}
        return {name: value for name, value in told.items() if name != "why" or value}


def measure_criteria(
    released: Table, original: Table, control: Table | None, *, group: str | None, tolerance: float
) -> tuple[Criterion, ...]:
    """The three criteria of a released table, by the people of the original and of a control group."""
    known, sensitive = released.roles.known, released.roles.sensitive
    needed = [*known, *sensitive]
    for table in (original, *(() if control is None else (control,))):
        missing = [name for name in needed if name not in table.names]
        if missing:
            raise InputError(
                f"There is no column {missing[0]!r}, which is published.",
                code="original-columns",
                where=Place(file=table.origin),
                hint="The original and the control have the columns that are published, with the same names.",
            )
    groups = [original]
    if control is not None:
        size = min(len(original), len(control))
        groups += [_cut(original, size), _cut(control, size)]
    told = [*known, *(() if group is not None else sensitive)]
    some = [_cut(people, MOST) for people in groups]
    guesses = [[_guessed(released, people, known, name, group) for people in some] for name in sensitive]
    attacks: dict[str, list[Floats] | None] = {
        "singling_out": [_singled_out(released, among, told) for among in groups],
        "linkability": None
        if len(told) < 2
        else [_linked(released, people, among, told) for people, among in zip(some, groups, strict=True)],
        "inference": max(guesses, key=_gained, default=None),
    }
    bases = {
        "singling_out": _singled_by_chance(original, told),
        "linkability": 1 / max(1, len(original)),
        "inference": _commonest(original, sensitive),
    }
    return tuple(_judged(name, found, bases[name], tolerance) for name, found in attacks.items())


def _gained(found: Sequence[Floats]) -> float:
    """How much an attack reaches, or how much more than on the control group if there is one."""
    return float(found[0].mean()) if len(found) == 1 else float(found[1].mean() - found[2].mean())


def _judged(name: str, found: Sequence[Floats] | None, baseline: float | None, tolerance: float) -> Criterion:
    """The risk of a criterion from what each person (or description) gives.

    Of all people of the original; and of two groups of one size, one of the original and one of others.
    """
    if found is None:
        why = "two columns are needed" if name == "linkability" else "no sensitive column"
        return Criterion(name, None, None, None, None, None, None, None, 0, tolerance, why)
    whole, people = float(found[0].mean()), len(found[0])
    if len(found) == 1:
        return Criterion(name, whole, None, None, baseline, None, None, None, people, tolerance, "no control")
    _, attack, control = found
    rate, other = float(attack.mean()), float(control.mean())
    if other >= 1:
        return Criterion(name, whole, rate, other, baseline, 0.0, 0.0, 0.0, people, tolerance)
    risk = (rate - other) / (1 - other)
    # The derivative by each rate, with a variance that is never zero (two successes and two failures more).
    error = Z * sqrt(
        _variance(attack) / (1 - other) ** 2 + _variance(control) * ((1 - rate) / (1 - other) ** 2) ** 2
    )
    low, high = risk - error, min(1.0, risk + error)
    return Criterion(name, whole, rate, other, baseline, risk, low, high, people, tolerance)


def _variance(found: Floats) -> float:
    n = len(found) + 4
    mean = (float(found.sum()) + 2) / n
    spread = (float((found**2).sum()) + 2) / n - mean**2
    return spread / n


def _cut(table: Table, size: int) -> Table:
    """So many rows of a table, spread over it by chance, always the same."""
    if len(table) <= size:
        return table
    return table.take(np.sort(np.random.default_rng(20140410).choice(len(table), size, replace=False)))


def _singled_out(released: Table, people: Table, told: Sequence[str]) -> Floats:
    """For each published row, whether it fits exactly one person."""
    classes = classes_of(released, told, ())
    held = _held(people, told)
    fits = np.zeros(len(classes), dtype=np.int64)
    for which, who in matches(classes, held, released.hierarchies):
        fits[which] = int(held.counts[who].sum())
    return np.repeat((fits == 1).astype(np.float64), classes.sizes)


def _singled_by_chance(people: Table, told: Sequence[str]) -> float:
    """The same for descriptions made of the values of the columns, drawn one by one."""
    source = np.random.default_rng(1)
    held = _held(people, told)
    columns = [people.column(name) for name in told]
    drawn = [column.codes[source.integers(0, len(people), len(people))] for column in columns]
    known = dict(zip(map(tuple, held.codes.tolist()), held.counts.tolist(), strict=True))
    rows = zip(*(codes.tolist() for codes in drawn), strict=True)
    return float(np.mean([known.get(row, 0) == 1 for row in rows])) if columns else 0.0


def _linked(released: Table, people: Table, among: Table, told: Sequence[str]) -> Floats:
    """For each person, the chance that the right one is taken ``among`` those who fit a fitting row."""
    halves = told[0::2], told[1::2]
    classes = classes_of(released, told, ())
    held = _held(people, told)
    fits = []  # for each half and class: the places of the people who fit
    for half in halves:
        columns = [told.index(name) for name in half]
        part = Classes(
            tuple(half),
            tuple(classes.texts[place] for place in columns),
            tuple(classes.codes[place] for place in columns),
            classes.sizes,
            (),
        )
        own = Combinations(
            tuple(half), tuple(held.texts[place] for place in columns), held.codes[:, columns], held.counts
        )
        fits.append(dict(_several(part, own, released)))
    pool = np.zeros(len(classes))  # of each class: how many fit its second half, the last part
    for which, who in matches(part, everybody := _held(among, halves[1]), released.hierarchies):
        pool[which] = everybody.counts[who].sum()
    first = np.zeros(len(held))
    for which, who in fits[0].items():
        first[who] += classes.sizes[which]
    chance = np.zeros(len(held))
    for which, who in fits[0].items():
        other = fits[1].get(which)
        if other is not None:
            both = np.intersect1d(who, other, assume_unique=True)
            chance[both] += classes.sizes[which] / (first[both] * pool[which])
    return np.repeat(chance, held.counts)


def _several(part: Classes, people: Combinations, released: Table) -> list[tuple[int, Counts]]:
    """Matches of columns in which several combinations may be alike: each is looked up once."""
    codes, which = np.unique(people.codes, axis=0, return_inverse=True)
    distinct = Combinations(people.names, people.texts, codes, np.bincount(which))
    order = np.argsort(which, kind="stable")
    starts = np.searchsorted(which[order], np.arange(len(codes) + 1))
    return [
        (one, np.concatenate([order[starts[place] : starts[place + 1]] for place in who]))
        for one, who in matches(part, distinct, released.hierarchies)
    ]


def _guessed(released: Table, people: Table, known: Sequence[str], name: str, group: str | None) -> Floats:
    """For each person, the chance that the likeliest value of the fitting rows is theirs."""
    values = people.column(name).texts
    scores, classes = _scores(
        released, known, name, group, {text: place for place, text in enumerate(values)}
    )
    held = _held(people, [*known, name])
    by_known = Combinations(tuple(known), held.texts[:-1], held.codes[:, :-1], held.counts)
    sums = np.zeros((len(held), len(values)))
    for which, who in _several(classes, by_known, released):
        sums[who] += scores[which]
    nobody = sums.sum(axis=1) == 0
    sums[nobody] = scores.sum(axis=0)  # no row fits: the commonest value of all
    best = sums == sums.max(axis=1, keepdims=True)
    right = best[np.arange(len(held)), held.codes[:, -1]] / best.sum(axis=1)
    return np.repeat(right, held.counts)


def _scores(
    released: Table, known: Sequence[str], name: str, group: str | None, places: dict[str | None, int]
) -> tuple[Floats, Classes]:
    """For each class, how likely each value of the original is in its rows, added up."""
    classes = classes_of(released, known, [name] if group is None else ())
    scores = np.zeros((len(classes), len(places)))
    if group is None:
        held = classes.sensitive[0]
        texts = released.column(name).texts
        own = np.array([places.get(text, -1) for text in texts])[held.values]
        there = own >= 0
        np.add.at(scores, (held.classes[there], own[there]), held.counts[there])
        return scores, classes
    buckets = classes_of(released, [group], [name])
    shares = np.zeros((len(buckets), len(places)))
    held = buckets.sensitive[0]
    own = np.array([places.get(text, -1) for text in released.column(name).texts])[held.values]
    there = own >= 0
    shares[held.classes[there], own[there]] = held.counts[there] / buckets.sizes[held.classes[there]]
    # Each row has the shares of its bucket, which are numbered in the order of their codes.
    rows = engine_for(released).combinations(released, [*known, group])
    numbers = {int(code): place for place, code in enumerate(buckets.codes[0])}
    bucket = np.array([numbers[int(code)] for code in rows.codes[:, -1]])
    keys = {tuple(row): place for place, row in enumerate(np.column_stack(classes.codes).tolist())}
    which = np.array([keys[tuple(row)] for row in rows.codes[:, :-1].tolist()])
    np.add.at(scores, which, shares[bucket] * rows.counts[:, None])
    return scores, classes


def _commonest(original: Table, sensitive: Sequence[str]) -> float | None:
    shares = [float(original.column(name).counts.max() / len(original)) for name in sensitive]
    return max(shares, default=None)


def _held(people: Table, names: Sequence[str]) -> Combinations:
    return engine_for(people).combinations(people, names)
