"""That a table could be made at all names nobody, and leaves everybody ℓ values.

Whoever knows how rules are mined leaves out originals whose own rules leave somebody fewer than ℓ values. So
every pair (X, s) that would be a rule if nobody in X had s (:mod:`tacit.mining.silence`) is to keep at least
ℓ candidates: rows in X that may have s, in classes that have it. And all pairs together are to leave
everybody ℓ values (:mod:`tacit.mining.exchanges`). In a series classes are cohorts.

Local classes that fall short are put together again, up to something that was divided: a class that a failed
test might have left as well, whoever in it has which of its values. So every original that the release speaks
of could have given it. Of two classes that any others were divided from, joining would tell what they held.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacit.engine.base import Combinations
from tacit.errors import option
from tacit.methods.generalize_tables.cohorts import grouped
from tacit.methods.generalize_tables.verb import NOTHING
from tacit.mining.exchanges import Exchanges, Groups, narrowing
from tacit.mining.knowledge import NegativeRules
from tacit.mining.silence import names_somebody, unlisted_pairs
from tacit.options import Asked
from tacit.recoding import LOCAL
from tacit.recoding.clustering import class_nodes
from tacit.recoding.problem import Fails, Problem, Recoded
from tacit.recoding.solve import Solution
from tacit.typing import AnyArray, Bools, Codes, Counts


@dataclass(frozen=True, eq=False)
class Counted:
    """``counts[e]`` rows of the combination ``whole[e]``; ``known[e]`` is the one that their solver has."""

    combinations: Combinations
    whole: AnyArray
    known: Codes
    counts: Counts


@dataclass(frozen=True, eq=False)
class Divisions:
    """The tests of local classes, with a record of what was divided: of its combinations."""

    test: Fails
    done: list[AnyArray] = field(default_factory=list)

    def fails(self, parts: Sequence[AnyArray], chance: float) -> bool:
        """Whether a division fails its test."""
        if self.test(parts, chance):
            return True
        self.done.append(np.concatenate(parts))
        return False

    def around(self, class_of: Codes, *some: Bools) -> Iterator[AnyArray]:
        """What was divided, is several classes now and has combinations of each of these sorts."""
        for whole in self.done:
            if all(sort[whole].any() for sort in some) and (class_of[whole] != class_of[whole[0]]).any():
                yield whole


def silenced(
    solution: Solution,
    problem: Problem,
    counted: Counted,
    rules: NegativeRules,
    asked: Asked,
    divisions: Divisions | None,
    *,
    alone: bool,
) -> Solution:
    """The solution in which unlisted pairs have ℓ candidates and, of a table ``alone``, everybody ℓ values.

    Levels and subtrees have no ``divisions``: they are refused where one row alone is left. Of a series all
    releases are looked at together for values, and not here.
    """
    told = _Told(problem, counted, rules, asked, divisions, solution.recoded)
    told.leave_candidates()
    if alone:
        told.leave_values()
    if (told.class_of == solution.recoded.class_of).all():
        return solution
    class_of = np.unique(told.class_of, return_inverse=True)[1].astype(np.int32)
    n_classes = int(class_of.max()) + 1
    nodes = class_nodes(problem.nodes, class_of, n_classes, problem.forest.trees)
    recoded = Recoded(class_of, nodes, np.zeros(n_classes, dtype=np.bool_))
    return Solution(recoded, recoded.loss(problem))


def joined_rows(before: Recoded, after: Recoded, counts: Counts) -> int:
    """The rows in classes that were several before."""
    parts = np.unique(np.column_stack([after.class_of, before.class_of]), axis=0)
    several = np.bincount(parts[:, 0]) > 1
    return int(counts[several[after.class_of]].sum())


class _Told:
    """The classes of a table, put together as far as it takes."""

    def __init__(
        self,
        problem: Problem,
        counted: Counted,
        rules: NegativeRules,
        asked: Asked,
        divisions: Divisions | None,
        recoded: Recoded,
    ) -> None:
        self.class_of = recoded.class_of.copy()
        self._left_out, self._rows = recoded.left_out, problem.counts
        self._counted, self._rules, self._asked, self._divisions = counted, rules, asked, divisions

    def leave_candidates(self) -> None:
        """Put together until every unlisted pair has ℓ candidates, or all there can be."""
        counted, rules, l = self._counted, self._rules, self._asked.l
        combinations, matching = counted.combinations, rules.matching(counted.combinations)
        for pairs in unlisted_pairs(combinations, rules, fewer_than=l):
            values = combinations.codes[counted.whole, combinations.place(pairs.sensitive)]
            barred, of = rules.barred(combinations, pairs.sensitive)
            for number, value in enumerate(pairs.values.tolist()):
                able = (matching(pairs.nodes[number]) & ~barred[:, value][of])[counted.whole]
                most = min(l, int(counted.counts[able].sum()))
                while (now := able & self._beside(values == value)).any():
                    found = int(counted.counts[now].sum())
                    if found >= most or not self._put_together((able & ~now, values == value)):
                        break
                if found == 1:
                    raise names_somebody(rules, pairs, number, self._way_out())

    def leave_values(self) -> None:
        """Put together until everybody keeps ℓ values while every unlisted pair has somebody."""
        exchanges = self._exchanges()
        for one in exchanges.narrowed(self._asked.l):
            pairs = exchanges.alone.get(one, ())
            instead = [(pair.able[pair.able != one], exchanges.free(pair)) for pair in pairs]
            joined = self._put_together((np.array([one]),), *instead)
            if not joined:
                raise narrowing(
                    f"that the table does not state would leave somebody fewer than {self._asked.l} values:"
                    " too few people who share their class",
                    f"A larger {option('k')} makes the table coarser. Or mine fewer rules:",
                    option("readers", NOTHING),
                )
            for other in joined[1:]:
                exchanges.join(joined[0], other)

    def _way_out(self) -> str:
        if self._divisions is not None:
            return ""
        other = option("recoding", LOCAL) if self._asked.after is None else f"a larger {option('k')}"
        return f", or use {other}"

    def _beside(self, holding: Bools) -> Bools:
        """The entries in a class with some of these."""
        classes = self.class_of[self._counted.known]
        return np.isin(classes, classes[holding])

    def _put_together(self, *ways: Sequence[AnyArray]) -> list[int]:
        """Undo the smallest division with entries of each of several sorts, in one of some ways.

        The classes that are one now, under the number of the first; none where nothing can be undone.
        """
        areas: list[AnyArray] = []
        if self._divisions is None:
            return []
        for sorts in ways:
            marks = np.zeros((len(sorts), len(self.class_of)), dtype=np.bool_)
            for mark, sort in zip(marks, sorts, strict=True):
                mark[self._counted.known[sort]] = True
            areas += self._divisions.around(self.class_of, *marks)
        if not areas:
            return []
        area = min(areas, key=lambda area: int(self._rows[area].sum()))
        classes: list[int] = np.unique(self.class_of[area]).tolist()
        self.class_of[area] = classes[0]
        return classes

    def _exchanges(self) -> Exchanges:
        """The combinations of a table and its unlisted pairs; who is left out holds theirs always."""
        combinations, sensitive = self._counted.combinations, self._asked.table.roles.sensitive
        places = [combinations.place(name) for name in sensitive]
        barred, barred_of = self._rules.barred(combinations, *sensitive)
        kind_of, first = grouped([*(combinations.codes[:, place] for place in places), barred_of])
        values, barred = combinations.codes[first][:, places], barred[barred_of[first]]
        ends = np.cumsum([0, *(len(combinations.texts[place]) for place in places)])[:-1]
        classes = self.class_of[self._counted.known]
        of = np.flatnonzero(~self._left_out[classes])

        def may(kind: int, other: int) -> bool:
            return not barred[kind, values[other] + ends].any()

        groups = Groups(classes[of], kind_of[of], combinations.counts[of], values, may)
        return Exchanges.among(groups, combinations, self._rules, sensitive, of)
