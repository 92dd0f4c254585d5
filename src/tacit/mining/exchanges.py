"""Whether everybody keeps ℓ values although every pair that is not listed as a rule keeps a holder.

A pair (X, s) that would be a rule if nobody in X had s (:mod:`tacit.mining.silence`) has somebody there who
did, or its own rules might leave somebody fewer than ℓ values. People who share a class may have had each
other's values. So for ℓ values of everybody a world is looked for in which they had this value: the truth
with two or three people of the class exchanged, and with further ones elsewhere who hold the pairs instead.
Mining finds the same rules in such a world, and the same was published of it: no reader can leave it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.engine.base import Combinations
from tacit.errors import InfeasibleError, option
from tacit.mining.knowledge import NegativeRules
from tacit.mining.silence import unlisted_pairs
from tacit.mining.worlds import Worlds, is_small
from tacit.typing import AnyArray, Codes, Counts

MOST = 7
"""So many people at most have other values in a world; pairs that more hold need no look."""
TRIED = 20
"""So many exchanges at most are tried for a holder of a pair, and so many thirds for an exchange."""
ALIKE = 5
"""So many groups of a kind are tried, those first with whom fewest pairs lose their holder."""

Moved = dict[int, int]
"""Groups of which one has what another kind of people had."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Somebody of the groups that are ``able`` to, in their order, has a value of a column."""

    column: int
    value: int
    able: AnyArray

    @cached_property
    def known(self) -> frozenset[int]:
        """Who is able to, to ask for one after the other."""
        return frozenset(self.able.tolist())


def pairs_among(
    combinations: Combinations,
    rules: NegativeRules,
    columns: Sequence[str],
    of: AnyArray,
    counts: Counts,
    most: int = MOST,
) -> Iterator[Pair]:
    """The unlisted pairs that at most so many hold, all in groups of ``counts`` rows ``of`` combinations.

    Whoever is in no group holds theirs in every world.
    """
    matching = rules.matching(combinations)
    for unlisted in unlisted_pairs(combinations, rules, fewer_than=most + 1):
        held = combinations.codes[:, combinations.place(unlisted.sensitive)]
        barred, barred_of = rules.barred(combinations, unlisted.sensitive)
        for nodes, value in zip(unlisted.nodes, unlisted.values.tolist(), strict=True):
            may = matching(nodes) & ~barred[:, value][barred_of]
            holds = may & (held == value)
            if counts[holds[of]].sum() == combinations.counts[holds].sum():
                yield Pair(columns.index(unlisted.sensitive), value, np.flatnonzero(may[of]))


@dataclass(frozen=True, eq=False)
class Groups:
    """People by groups of whom rules say the same: in which class, of which kind, and how many."""

    class_of: Codes
    kind_of: Codes
    counts: Counts
    values: Codes  # (kinds, columns)
    """What a kind has of every column; less than 0, with all of its class, where it was in no table."""
    may: Callable[[int, int], bool]
    """Whether people of a kind could have had what another has."""


class Found:
    """The values that somebody could have had of every column: at least ℓ are looked for."""

    def __init__(self, own: Sequence[int], l: int) -> None:
        self.values, self.l = [{value} for value in own], l

    def lacks(self, values: Sequence[int]) -> bool:
        """Whether one of these is new, and asked for."""
        return any(
            len(found) < self.l and value not in found
            for value, found in zip(values, self.values, strict=True)
        )

    def add(self, values: Sequence[int]) -> None:
        for value, found in zip(values, self.values, strict=True):
            found.add(value)

    def enough(self) -> bool:
        return all(len(found) >= self.l or min(found) < 0 for found in self.values)


class Exchanges:
    """Who could have had whose values, so that pairs keep their holders."""

    def __init__(self, groups: Groups, pairs: Iterable[Pair], *, complete: bool = False) -> None:
        """``complete`` are pairs where those that many hold are among them."""
        self.groups = groups
        self._complete = complete
        self._worlds: Worlds | None = None
        self.class_of = groups.class_of.copy()
        self.has: list[list[int]] = groups.values.tolist()
        self._order = np.argsort(self.class_of, kind="stable")
        self._ends = np.searchsorted(self.class_of[self._order], np.arange(self.class_of.max(initial=0) + 2))
        self._joined: dict[int, Counts] = {}
        self._having: dict[int, dict[tuple[int, int], list[int]]] = {}
        self._able: dict[Pair, list[int]] = {}
        self._lines: tuple[tuple[int, ...], dict[int, int]] = (), {}
        self.left: dict[Pair, int] = {}
        """How many hold a pair."""
        self.held_by: dict[int, list[Pair]] = {}
        for pair in pairs:
            gives = groups.values[groups.kind_of[pair.able], pair.column] == pair.value
            holders = pair.able[gives]
            self.left[pair] = int(groups.counts[holders].sum())
            for one in holders.tolist():
                self.held_by.setdefault(one, []).append(pair)
        self.alone = {
            one: mine
            for one, held in self.held_by.items()
            if (mine := [pair for pair in held if self.left[pair] == 1])
        }
        """Who holds pairs that nobody else does."""
        self.n_alone = np.zeros(len(groups.kind_of), dtype=np.int64)
        for one, mine in self.alone.items():
            self.n_alone[one] = len(mine)

    @classmethod
    def among(
        cls,
        groups: Groups,
        combinations: Combinations,
        rules: NegativeRules,
        columns: Sequence[str],
        of: AnyArray,
    ) -> Exchanges:
        """Those of a table's rows, in groups ``of`` combinations."""
        small = is_small(groups)
        most = combinations.n_rows if small else MOST
        return cls(groups, pairs_among(combinations, rules, columns, of, groups.counts, most), complete=small)

    def narrowed(self, l: int) -> Iterator[int]:
        """Groups of whom one may be left fewer than ℓ values, each as long as that is so; then the next.

        Where classes are joined everybody keeps the worlds that they had; who has none is found before any
        are joined.
        """
        # In a circle of people who hand on their values of one column, every value has one giver. So a pair
        # loses one holder at most, and only who holds one alone is in the way. Of several columns it may lose
        # all of them.
        several = self.groups.values.shape[1] > 1
        classes = np.unique(self.class_of if several else self.class_of[list(self.alone)])
        for one in [one for here in classes.tolist() for one in self._doubtful(here, l)]:
            found, tried, due, size = Found(self.has[self.groups.kind_of[one]], l), set[int](), 0, 0
            while True:
                members = self.members(int(self.class_of[one]))
                # Tried again in a class of twice the size, and when others were joined.
                if not size < len(members) < due:
                    tried, due = set(), 2 * len(members)
                if self._keeps(one, members, found, tried) or self._keeps_exactly(one, found):
                    break
                size = len(members)
                yield one

    def others(self, one: int) -> AnyArray:
        """The groups of other classes that could hold pairs instead of somebody, or all of them."""
        able = np.concatenate([*(pair.able for pair in self.alone.get(one, ())), self._order[:0]])
        elsewhere = self.class_of != self.class_of[one]
        return able[elsewhere[able]] if elsewhere[able].any() else np.flatnonzero(elsewhere)

    def free(self, pair: Pair) -> AnyArray:
        """The groups that have the value of a pair, and hold none alone."""
        having = self.groups.values[self.groups.kind_of, pair.column] == pair.value
        return np.flatnonzero(having & (self.n_alone == 0))

    def join(self, one: int, other: int) -> None:
        """Make one class of two, under the first one's number."""
        mine = self.members(other)
        self.class_of[mine] = one
        self._joined |= {one: np.concatenate([self.members(one), mine]), other: mine[:0]}
        self._having.pop(one, None)
        self._worlds = None

    def members(self, here: int) -> Counts:
        """The groups of a class."""
        return self._joined.get(here, self._order[self._ends[here] : self._ends[here + 1]])

    def _doubtful(self, here: int, l: int) -> list[int]:
        """Those of a class who do not keep ℓ values by exchanges that concern no pair."""
        members = self.members(here)
        kinds, alone = self.groups.kind_of[members], self.n_alone[members] > 0
        free = set(kinds[~alone].tolist())
        ample = [kind for kind in free if self._ample(kind, free, l)]
        found: list[int] = members[alone | ~np.isin(kinds, ample)].tolist()
        return found

    def _ample(self, kind: int, others: set[int], l: int) -> bool:
        """Whether a kind may be exchanged with others so that it keeps ℓ values."""
        may, found = self.groups.may, Found(self.has[kind], l)
        for one in others:
            if found.enough():
                return True
            if found.lacks(self.has[one]) and may(kind, one) and may(one, kind):
                found.add(self.has[one])
        return found.enough()

    def _keeps(self, one: int, members: Counts, found: Found, tried: set[int]) -> bool:
        """Whether one of a group keeps ℓ values: those found before, and more by exchanges not tried yet."""
        kind_of, near = self.groups.kind_of, self._near(one, members)
        new = [other for other in near if other not in tried]
        tried.update(new)
        for ways in (self._pairwise, self._in_threes, self._in_circles):
            for other in new:
                given = self.has[kind_of[other]]
                if found.lacks(given) and any(self._mended(moved) for moved in ways(one, other, near)):
                    found.add(given)
                    if found.enough():
                        return True
        return False

    def _keeps_exactly(self, one: int, found: Found) -> bool:
        """Whether one of a group of a small table keeps ℓ values, in whatever worlds."""
        if self._complete and not found.enough():
            if self._worlds is None:
                self._worlds = Worlds(self.groups, self.class_of, self.left)
            kinds = np.unique(self.groups.kind_of[self.members(int(self.class_of[one]))])
            for column, values in enumerate(found.values):
                for value in np.unique(self.groups.values[kinds, column]).tolist():
                    if len(values) < found.l and self._worlds.gives(one, column, value):
                        values.add(value)
        return found.enough()

    def _near(self, one: int, members: Counts) -> list[int]:
        """The others, those first with whom fewest pairs lose their only holder; of a kind some."""
        lost = self.n_alone[members].copy()
        for pair in self.alone.get(one, ()):
            lost += ~np.isin(members, pair.able)
        order = members[np.argsort(lost, kind="stable")]
        kinds = self.groups.kind_of[order]
        by_kind = np.argsort(kinds, kind="stable")
        _, first, sizes = np.unique(kinds[by_kind], return_index=True, return_counts=True)
        rank = np.empty(len(order), dtype=np.int64)
        rank[by_kind] = np.arange(len(order)) - np.repeat(first, sizes)
        return [other for other in order[rank < ALIKE].tolist() if other != one]

    def _pairwise(self, one: int, other: int, near: Sequence[int]) -> Iterator[Moved]:
        mine, given = self.groups.kind_of[[one, other]].tolist()
        if self.groups.may(mine, given) and self.groups.may(given, mine):
            yield {one: given, other: mine}

    def _in_threes(self, one: int, other: int, near: Sequence[int]) -> Iterator[Moved]:
        mine, given = self.groups.kind_of[[one, other]].tolist()
        may = self.groups.may
        if may(mine, given):
            for third in near[:TRIED]:
                kind = int(self.groups.kind_of[third])
                if third != other and kind not in (mine, given) and may(given, kind) and may(kind, mine):
                    yield {one: given, other: kind, third: mine}

    def _in_circles(self, one: int, other: int, near: Sequence[int]) -> Iterator[Moved]:
        """Circles of four and more, where none is shorter: everybody takes what the next one has."""
        kind_of, (mine, given) = self.groups.kind_of, self.groups.kind_of[[one, other]].tolist()
        if not self.groups.may(mine, given):
            return
        somebody = {int(kind_of[person]): person for person in reversed(near)} | {given: other}
        if self._lines[0] != (key := (mine, *somebody)):
            self._lines = key, self._towards(mine, somebody)
        moved, then = {one: given}, self._lines[1]
        while given != mine and given in then and len(moved) < MOST:
            moved[somebody[given]] = then[given]
            given = then[given]
        if given == mine and len(moved) > 3:
            yield moved

    def _towards(self, mine: int, kinds: Iterable[int]) -> dict[int, int]:
        """Of each kind the next one in the shortest line of kinds that ends with one's own."""
        may, then, reached = self.groups.may, dict[int, int](), [mine]
        while reached:
            found = {}
            for kind in kinds:
                if kind != mine and kind not in then:
                    nearest = next((last for last in reached if may(kind, last)), None)
                    if nearest is not None:
                        found[kind] = nearest
            then |= found
            reached = [*found]
        return then

    def _mended(self, moved: Moved, seen: frozenset[Pair] = frozenset()) -> bool:
        """Whether every pair has a holder where some are moved, and others to hold pairs instead of them."""
        broken = self._broken(moved)
        if not broken or len(moved) + 2 > MOST:
            return not broken
        instead: dict[Pair, Moved] = {}
        for then in self._helped(moved, broken[0]):
            left = self._broken(then)
            if len(left) < len(broken):
                return self._mended(then)
            if len(left) == len(broken) and not seen.union(broken).intersection(left):
                instead.setdefault(left[0], then)
        return any(self._mended(then, seen.union(broken)) for then in instead.values())

    def _broken(self, moved: Moved) -> list[Pair]:
        """The pairs that nobody holds any more."""
        lost: dict[Pair, int] = {}
        for one, given in moved.items():
            for pair in self.held_by.get(one, ()):
                if not self._gives(given, pair):
                    lost[pair] = lost.get(pair, 0) + 1
        return [
            pair
            for pair, number in lost.items()
            if number >= self.left[pair] and number >= self.left[pair] + self._gained(pair, moved)
        ]

    def _gained(self, pair: Pair, moved: Moved) -> int:
        """How many of those who are moved hold a pair only now."""
        return sum(
            one in pair.known and self._gives(given, pair) and pair not in self.held_by.get(one, ())
            for one, given in moved.items()
        )

    def _helped(self, moved: Moved, pair: Pair) -> Iterator[Moved]:
        """With two more exchanged, so that one of them holds a pair; those first who hold none alone."""
        kind_of, may, tried = self.groups.kind_of, self.groups.may, 0
        if pair not in self._able:
            self._able[pair] = self._in_turn(pair.able)
        for one in self._able[pair]:
            mine = int(kind_of[one])
            for other in self._with_value(int(self.class_of[one]), pair):
                given = int(kind_of[other])
                if not {one, other} & moved.keys() and may(mine, given) and may(given, mine):
                    yield moved | {one: given, other: mine}
                    tried += 1
                    if tried == TRIED:
                        return

    def _with_value(self, here: int, pair: Pair) -> list[int]:
        """Those of a class who have the value of a pair."""
        found = self._having.setdefault(here, {})
        if (held := (pair.column, pair.value)) not in found:
            members = self.members(here)
            gives = self.groups.values[self.groups.kind_of[members], pair.column] == pair.value
            found[held] = self._in_turn(members[gives])
        return found[held]

    def _in_turn(self, some: Counts) -> list[int]:
        """Those first who hold no pair alone."""
        ordered: list[int] = some[np.argsort(self.n_alone[some], kind="stable")].tolist()
        return ordered

    def _gives(self, kind: int, pair: Pair) -> bool:
        return self.has[kind][pair.column] == pair.value


def narrowing(found: str, way_out: str, without: str) -> InfeasibleError:
    """The refusal where too few people could hold the pairs of which it says what they are.

    ``without`` is the option for a release against readers who know no rules.
    """
    return InfeasibleError(
        f"Rules {found} could be the reason that they do not hold.",
        code="silence-names",
        hint=f"{way_out} with a larger {option('min_expectation')} or"
        f" {option('correction', 'bonferroni')}, or against readers who know none, {without}.",
    )
