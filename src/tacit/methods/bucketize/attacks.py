"""Attacks by a reader who knows the tool: they run its own code on what is published.

*Minimality.* The reader asks why these rows share a bucket [1]. A tool that groups near rows first gives away
whom it could not group so: rows that their cell left over hold the value that was too frequent there. The
reader makes the cells of ``near`` again, from the published quasi-identifiers alone, and sees which rows are
in a bucket with rows of other cells. Of ``areas``, whose tests are drawn by a key, she sees which splits were
kept, because no bucket crosses them, and which failed. She tells both to a learner, as one more thing known
of each row, and names whoever it is then sure of.

*Silence.* A pair (X, s) that could have been listed as a rule and is not has a holder in X, and the reader
knows up to which length and expectation rules were mined. Where one row of X alone could hold s, it is
named; its bucket has one s less for the others, and so on until nothing more follows.

The attacks see what is published. The truth serves to tell whether they were right.

[1] R. C.-W. Wong, A. W.-C. Fu, K. Wang, J. Pei. Minimality Attack in Privacy Preserving Data
    Publishing. VLDB 2007.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays.bitmaps import unpack
from tacit.arrays.groups import gather_rows, group_rows, stable_order, take_rows
from tacit.data.table import table_from_frame
from tacit.engine.base import Combinations
from tacit.errors import InputError, Place
from tacit.judging.learning import Guesses
from tacit.knowledge.row_classes import row_classes
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.methods.bucketize.judge.risks import learned_guesses
from tacit.methods.bucketize.solve.areas import Splitting, Trial, areas_of
from tacit.methods.bucketize.solve.ground import Area, Companions, ground_of
from tacit.methods.bucketize.solve.injector import cells_of
from tacit.methods.bucketize.solve.plan import Classes
from tacit.mining.knowledge import NegativeRules
from tacit.mining.silence import unlisted_pairs
from tacit.release import Manifest, read_manifest
from tacit.release.reading import bucket_rows
from tacit.typing import AnyArray, Bools, Codes

SURE = 0.9
"""From this confidence on the reader names a person's value."""


@dataclass(frozen=True, slots=True)
class Named:
    """How many people the attack names, and the share of them it is right about; None where it names none.

    ``learner`` is the share that a learner gets right of the same people who knows nothing of the tool.
    """

    people: int
    right: float | None
    learner: float | None = None


def minimality_attack(
    buckets: Buckets, rules: NegativeRules | None, l: int, parameters: Mapping[str, Any]
) -> Named | None:
    """Attack a release; None where its way of grouping gives nothing to rebuild, or it is too large."""
    guesses = minimality_guesses(buckets, rules, l, parameters)
    if guesses is None:
        return None
    sure = guesses.surer_than(SURE)
    people = len(sure.rows)
    plain = buckets.once(learned_guesses) if people else None
    if plain is None:
        return Named(people, None)
    right = np.zeros(len(buckets), dtype=np.bool_)
    right[plain.rows] = plain.right
    return Named(people, float(sure.right.mean()), float(right[sure.rows].mean()))


def minimality_guesses(
    buckets: Buckets, rules: NegativeRules | None, l: int, parameters: Mapping[str, Any]
) -> Guesses | None:
    """What the reader guesses; ``parameters`` are those that the manifest states."""
    partners = parameters.get("partners")
    if partners not in ("near", "areas") or not len(buckets):
        return None
    imagined = _imagined(buckets, rules)
    if partners == "near":
        # Of each row the cell that left it over, counted from 1; 0 where its bucket lies inside its cell.
        cell = cells_of(imagined.combinations, imagined.known, l).of[imagined.of_row]
        left_over = np.where(_mixed(buckets.groups, cell), cell + 1, 0).astype(np.int32)
        return learned_guesses(buckets, [left_over])
    return learned_guesses(buckets, _failed_halves(buckets, imagined, l, float(parameters["epsilon"])))


@dataclass(frozen=True, eq=False)
class _Imagined:
    """A table as it could be, with its classes: values handed out in any order inside each bucket.

    What cells and areas are made from depends on the known columns and the totals of values alone.
    """

    combinations: Combinations
    classes: Classes
    class_of: Codes
    of_row: AnyArray
    """The combination of each row."""
    known: tuple[str, ...]


def _imagined(buckets: Buckets, rules: NegativeRules | None) -> _Imagined:
    real, _ = buckets.combinations
    roles = buckets.table.roles
    entries = buckets.entries(None)  # without knowledge: the values of each bucket with their counts
    handed = np.empty(len(buckets), dtype=np.int32)
    handed[stable_order(buckets.groups)] = np.repeat(entries.classes.values[entries.members], entries.counts)
    columns = [*buckets.known_codes, *entries.classes.parts[handed].T]
    of_row, first = group_rows(columns, [len(texts) for texts in real.texts])
    codes = np.column_stack([column[first] for column in columns]).astype(np.int32)
    combinations = Combinations(real.names, real.texts, codes, np.bincount(of_row))
    found, class_of = row_classes(combinations, roles.sensitive, rules)
    classes = Classes(found.attributes, found.texts, found.parts, found.values, found.forbidden, found.counts)
    return _Imagined(combinations, classes, class_of, of_row, tuple(roles.known))


def _mixed(groups: Codes, label: AnyArray) -> Bools:
    """Whether a row's bucket holds rows of another label."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    low, high = (one.reduceat(label[order], starts) for one in (np.minimum, np.maximum))
    return np.asarray((low != high)[groups])


def _failed_halves(buckets: Buckets, imagined: _Imagined, l: int, epsilon: float) -> list[Codes]:
    """The final area of each row and, per column, the half it lies in of the split that failed there."""
    combinations, of_row = imagined.combinations, imagined.of_row
    companions = _sharing(buckets, imagined)
    alike = None
    if buckets.shown is not None:  # whoever knows somebody's quasi-identifiers knows how they are published
        public = buckets.as_published
        look, _ = group_rows([*public.known_codes], [len(column.values) for column in public.table.known])
        alike = np.zeros(len(combinations), dtype=np.int32)
        alike[of_row] = look
    ground = ground_of(combinations, imagined.known, imagined.classes, imagined.class_of, companions, alike)
    failed: dict[str, AnyArray] = {}
    starts, groups = gather_rows(of_row, buckets.groups, len(combinations))
    reached = np.zeros(buckets.n_buckets, dtype=np.bool_)

    def crossed(trial: Trial) -> bool:
        """Whether a bucket has rows in both halves: then the split was not kept."""
        sides = [half.combinations for half in trial.halves]
        first, second = (take_rows(starts, groups, side)[1] for side in sides)
        reached[first] = True
        both = reached[second].any()
        reached[first] = False
        if not both:
            return False
        column = trial.name.removeprefix(trial.name.rstrip("0123456789"))
        label = failed.setdefault(column, np.zeros(len(combinations), dtype=np.int32))
        label[sides[0]], label[sides[1]] = label.max() + 1, label.max() + 2
        return True

    whole = Area(np.arange(len(combinations)), combinations.counts)
    areas = areas_of(ground, whole, Splitting(l, epsilon), crossed)
    final = np.zeros(len(combinations), dtype=np.int32)
    for number, area in enumerate(areas):
        final[area.combinations] = number
    return [label[of_row].astype(np.int32) for label in (final, *failed.values())]


def _sharing(buckets: Buckets, imagined: _Imagined) -> Companions:
    """Companions as the reader sees them: whoever shares a bucket with one of those they were drawn for."""
    combinations, known = imagined.combinations, len(imagined.known)
    sizes = [len(texts) for texts in combinations.texts[:known]]
    alike, _ = group_rows([*np.ascontiguousarray(combinations.codes[:, :known].T)], sizes)
    of_row = alike[imagined.of_row]

    def companions(area: Area, may: Bools, rate: float) -> Bools:
        inside = np.zeros(len(alike), dtype=np.bool_)
        inside[area.combinations[may]] = True
        shared, near = np.zeros(buckets.n_buckets, dtype=np.bool_), np.zeros(len(alike), dtype=np.bool_)
        shared[buckets.groups[inside[imagined.of_row]]] = True
        near[of_row[shared[buckets.groups]]] = True
        return near[alike[area.combinations]]

    return companions


MOST_ROWS = 200_000
"""Larger releases are not attacked so; their pairs are held to enough candidates when they are made."""


def silence_attack(buckets: Buckets, rules: NegativeRules) -> Named | None:
    """How many people unlisted rules name; None where several attributes are sensitive or rows too many."""
    if len(buckets) > MOST_ROWS or len(buckets.table.roles.sensitive) > 1:
        return None
    combinations, held = buckets.combinations
    possible, matching = _Possible(buckets, rules), rules.matching(combinations)
    pairs = []
    for found in unlisted_pairs(combinations, rules, fewer_than=2):
        for nodes, code in zip(found.nodes, found.values.tolist(), strict=True):
            value = possible.value_of_code[code]
            pairs.append((possible.able(np.flatnonzero(matching(nodes)[held]), value), value))
    before = -1
    while before < len(possible.settled):
        before = len(possible.settled)
        for rows, value in pairs:
            able = [row for row in rows if value in possible.of(row)]
            if len(able) == 1:
                possible.settled.setdefault(able[0], value)
    named = possible.named()
    right = sum(possible.truth[row] == value for row, value in named.items())
    return Named(len(named), right / len(named) if named else None)


class _Possible:
    """The values that each row could have, as far as the reader has got."""

    def __init__(self, buckets: Buckets, rules: NegativeRules) -> None:
        self.entries = buckets.entries(rules)
        classes, self.groups = self.entries.classes, buckets.groups
        self.barred = unpack(classes.forbidden, classes.n_values)
        self.kinds = self.entries.members[self.entries.entry_of]
        self.truth = classes.values[self.kinds]
        self.value_of_code = {int(code): value for value, code in enumerate(classes.parts[:, 0])}
        self.settled: dict[int, int] = {}
        """Rows whose value is known: the others of their buckets share what is left."""

    def able(self, rows: AnyArray, value: int) -> list[int]:
        """The rows among these that could have a value as long as nothing is settled."""
        holding = np.zeros(len(self.entries.offsets) - 1, dtype=np.bool_)
        holding[self.groups[self.truth == value]] = True
        return list(rows[holding[self.groups[rows]] & ~self.barred[self.kinds[rows], value]].tolist())

    def of(self, row: int) -> set[int]:
        """The values that a row could have."""
        if row in self.settled:
            return {self.settled[row]}
        group = self.groups[row]
        first, end = self.entries.offsets[group : group + 2]
        left: Counter[int] = Counter()
        for kind, count in zip(self.entries.members[first:end], self.entries.counts[first:end], strict=True):
            left[int(self.entries.classes.values[kind])] += int(count)
        left.subtract(value for other, value in self.settled.items() if self.groups[other] == group)
        return {
            value for value, count in left.items() if count > 0 and not self.barred[self.kinds[row], value]
        }

    def named(self) -> dict[int, int]:
        """The rows that could have one value, and which."""
        shares = self.entries.shares
        entry = np.repeat(np.arange(len(self.entries.members)), np.diff(shares.starts))
        allowed = ~self.barred[self.entries.members[entry], shares.values]
        alone = np.bincount(entry, weights=allowed, minlength=len(self.entries.members)) == 1
        touched = np.isin(self.groups, self.groups[list(self.settled)])
        rows = np.flatnonzero(alone[self.entries.entry_of] | touched).tolist()
        return {row: next(iter(values)) for row in rows if len(values := self.of(row)) == 1}


@dataclass(frozen=True, slots=True)
class AwareReader:
    """Whom each attack names; None where it does not apply or the release is too large for it."""

    grouping: Named | None
    """Asks why these rows share a bucket."""
    silence: Named | None
    """Asks which rules are not listed."""


def aware_reader(
    buckets: Buckets, knowledge: NegativeRules | None, l: int, parameters: Mapping[str, Any]
) -> AwareReader:
    """Attack a release; ``knowledge`` are the rules that it states, ``parameters`` those of its manifest."""
    return AwareReader(
        grouping=minimality_attack(buckets, knowledge, l, parameters),
        silence=None if knowledge is None else silence_attack(buckets, knowledge),
    )


@dataclass(frozen=True)
class Attacked:
    """How many people of a release the way its rows were grouped names."""

    folder: str
    rows: int
    l: int
    named: int
    """People whose value the reader holds for at least nine tenths sure."""

    def to_dict(self) -> dict[str, Any]:
        return {"folder": self.folder, "rows": self.rows, "l": self.l, "named": self.named, "sure": SURE}

    def __str__(self) -> str:
        return (
            f"{self.folder} was made with near partners. A reader who knows the tool rebuilds which rows an "
            f"area left over, and names {self.named:,} of {self.rows:,} people at {SURE:.0%} confidence or "
            f"more, where the release says one in {self.l}. A new release does not take this one back: "
            "withdraw it where you can."
        )


def attack_release(folder: str | Path) -> Attacked:
    """Attack a published table that was made with near partners; an InputError where it is none."""
    place = Path(folder)
    manifest = read_manifest(place)
    parameters = manifest.parameters
    if manifest.kind != "bucketized" or parameters.get("partners") != "near":
        raise InputError(
            "This release was not made with near partners, which are what this attack is about.",
            code="attack-not-for-this",
            where=Place(file=str(folder)),
            hint="The attacks on other releases are run when they are made: tacit report --owner shows them.",
        )
    # Kept columns did not count as known at first, and the cells were made without them.
    ways = {tuple(parameters["quasi"]), (*parameters["quasi"], *parameters["keep"])}
    named = max(_named(place, manifest, known) for known in ways)
    return Attacked(str(folder), int(parameters["rows"]), int(parameters["l"]), named)


def _named(folder: Path, manifest: Manifest, known: tuple[str, ...]) -> int:
    parameters = manifest.parameters
    frame, sensitive = bucket_rows(folder, manifest), list(parameters["sensitive"])
    table = table_from_frame(frame.select(*known, *sensitive), quasi=known, sensitive=sensitive)
    groups = frame[parameters["group"]].rank("dense").to_numpy().astype(np.int32) - 1
    buckets = Buckets(table, np.arange(len(frame)), groups)
    guesses = minimality_guesses(buckets, None, int(parameters["l"]), parameters)
    return 0 if guesses is None else int((guesses.confidence >= SURE).sum())
