"""Optimal anonymization: the valid cut of least NCP, with a proof that none costs less.

The paper's OA [1, Alg. 2] walks up the lattice of cuts, breadth first, and marks what lies above a
valid cut; its authors could run it on up to 60 items. The search here looks at few cuts, because
each invalid one teaches what every valid cut has to do:

1. Count at a cut, and take sets that are rare there.
2. Climb from each as high as it stays rare: a conflict, of which every valid cut runs above a node.
3. Take the cheapest cut that runs above a node of every conflict so far. No valid cut costs less.
4. If no set is rare there it is the optimum, because it is valid and cheapest; else go on from 1.

The cost of step 3 is a lower bound at any time, and it rises; mending and refining the cuts tried
gives valid ones from above. The search ends when both meet, or with the best cut and the bound
when time is up. This is the implicit hitting set approach [2] applied to cuts.

[1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued Data.
    VLDB 2008.
[2] E. Moreno-Centeno, R. M. Karp. The implicit hitting set approach to solve combinatorial
    optimization problems. Operations Research 61, 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from tacit.engine.base import RareSets, SetCounts
from tacit.methods.generalize_sets.solve.apriori import apriori, repair
from tacit.methods.generalize_sets.solve.draft import Draft
from tacit.methods.generalize_sets.solve.hitting import Conflict, cheapest_above
from tacit.methods.generalize_sets.solve.refine import Refiner, spread
from tacit.typing import Progress

AT_ONCE = 1 << 20
"""Rare sets asked for at a cut."""

LESSONS = 400
"""How many of them, spread over all, are made into conflicts."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best valid cut found, and a cost that no valid cut is below."""

    draft: Draft
    bound: int
    conflicts: tuple[Conflict, ...]
    """What the bound rests on; anybody can count that these sets are rare."""
    rounds: int

    @property
    def proven(self) -> bool:
        """Whether no valid cut costs less."""
        return self.bound >= self.draft.cost


def optimal(
    counts: SetCounts, *, k: int, m: int, seconds: float | None = None, progress: Progress | None = None
) -> Optimum:
    """The valid cut of least NCP; within ``seconds``, the best one found and how far off it can be."""
    deadline = None if seconds is None else monotonic() + seconds
    refiner = Refiner(counts, k=k, m=m)
    best = refiner.refine(apriori(counts, k=k, m=m))
    tried, bound, rounds = Draft(counts.tree), 0, 0
    conflicts: dict[Conflict, None] = {}  # a set that keeps its order
    while bound < best.cost:
        rare = counts.rare_sets(tried.table, k=k, size=m, limit=AT_ONCE)
        if not len(rare):
            best = tried
            break
        known = len(conflicts)
        for conflict in _conflicts(counts, rare, k):
            conflicts.setdefault(conflict)
        if len(conflicts) == known:
            break  # the integer program left a conflict standing by rounding: there is nothing more to learn
        if rounds:
            repair(counts, tried, k=k, size=m)
            tried = refiner.refine(tried)
            best = tried if tried.cost < best.cost else best
        left = None if deadline is None else deadline - monotonic()
        if left is not None and left <= 0:
            break
        cheapest = cheapest_above(counts.tree, conflicts, flag=counts.flag, seconds=left)
        if cheapest is None:
            break
        tried, bound, rounds = cheapest.draft, max(bound, cheapest.bound), rounds + 1
        if progress is not None:
            progress(
                f"optimum between {bound / counts.tree.total:.4f} and {best.cost / counts.tree.total:.4f}",
                None,
            )
    return Optimum(best, min(bound, best.cost), tuple(conflicts), rounds)


def _conflicts(counts: SetCounts, rare: RareSets, k: int) -> list[Conflict]:
    """Conflicts learned from some of the rare sets, spread over all of them; each node climbs first once."""
    found: list[Conflict] = []
    for nodes in rare.sets[spread(len(rare), LESSONS)]:
        nodes = nodes[nodes >= 0]
        climbs = (counts.highest_rare(nodes, k=k, start=start) for start in range(len(nodes)))
        found.extend(tuple(climb.tolist()) for climb in climbs)
    return found
