"""The experiment on k^m-anonymity: three algorithms on small domains, one of them on whole data sets.

OA is the exact search, DA and AA are the two greedy algorithms, which are refined here: a cut node is
pushed back down where the promise still holds. The loss before that is kept beside the loss after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from time import process_time

import numpy as np

from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.data.transactions import Transactions, from_pairs
from tacit.io.hierarchies import build_balanced
from tacit.methods.generalize_sets.solve.plan import Plan
from tacit.methods.generalize_sets.solve.solve import planned

OA, DA, AA = "OA", "DA", "AA"
ALGORITHMS: dict[str, str] = {OA: "optimal", DA: "direct", AA: "apriori"}
SMALL_FANOUT, FANOUT = 4, 5
"""The degree of the paper's artificial hierarchies, for small domains and for whole data sets."""
BY_ID, BY_FREQUENCY = "item ids", "frequency"


@dataclass(frozen=True)
class Problem:
    """Data to be made k^m-anonymous; ``order`` is how its items were laid out before they were grouped."""

    data: str
    k: int
    m: int
    fanout: int
    items: int
    order: str = BY_ID


@dataclass(frozen=True, kw_only=True)
class Outcome(Problem):
    """What an algorithm made of a problem: CPU seconds, the least of several, and the loss (NCP)."""

    records: int
    height: int
    algorithm: str
    seconds: float
    ncp: float
    greedy_ncp: float | None
    proven: bool
    only_root: bool


def outcomes(
    data: Transactions,
    problem: Problem,
    algorithms: Sequence[str] = (AA,),
    *,
    runs: int = 1,
    warm: bool = True,
) -> Iterator[Outcome]:
    """Run the algorithms on data that hold their hierarchy, after a run that is not timed with ``warm``."""
    assert data.hierarchy is not None, "the experiment builds one"
    heights = data.hierarchy.heights
    for name in algorithms:
        plan, seconds = best_of(runs, _run(data, problem, ALGORITHMS[name]), warm=warm)
        yield Outcome(
            **asdict(problem),
            records=len(data),
            height=int(heights[data.hierarchy.root]) + 1,
            algorithm=name,
            seconds=seconds,
            ncp=plan.ncp,
            greedy_ncp=plan.greedy_ncp,
            proven=plan.proven,
            only_root=plan.cut.is_root,
        )


def _run(data: Transactions, problem: Problem, algorithm: str) -> Callable[[], Plan]:
    return lambda: planned(data, k=problem.k, m=problem.m, algorithm=algorithm)


def best_of(times: int, work: Callable[[], Plan], *, warm: bool = True) -> tuple[Plan, float]:
    """The result and the least CPU time of several runs, after one that compiles with ``warm``."""
    if warm:
        work()
    spent = []
    for _ in range(times):
        start = process_time()
        plan = work()
        spent.append(process_time() - start)
    return plan, min(spent)


def with_fanout(data: Transactions, fanout: int) -> Transactions:
    """The transactions under a hierarchy that groups sorted items by so many, level by level."""
    return data.with_hierarchy(build_balanced(data.vocabulary, fanout=fanout))


def by_frequency(data: Transactions, fanout: int) -> Transactions:
    """The same with neighbours of like frequency: items in the order of how often they occur."""
    occurrences = np.bincount(data.items, minlength=data.n_items)
    order = np.lexsort((np.arange(data.n_items), -occurrences))
    return data.with_hierarchy(grouped([data.vocabulary[item] for item in order], fanout))


def grouped(items: Sequence[str], fanout: int) -> Hierarchy:
    """Items grouped by so many in the order given, those groups again, up to the root."""
    parents: dict[str, str] = {}
    members, level = list(items), 0
    while len(members) > 1:
        level += 1
        groups = [f"level {level}, group {place}" for place in range(-(-len(members) // fanout))]
        parents |= {member: groups[place // fanout] for place, member in enumerate(members)}
        members = groups
    return from_parents(parents)


def reduced(data: Transactions, *, records: int, items: int) -> Transactions:
    """The first records over a small domain: each item's rank modulo the domain, twins merged.

    The paper takes the item's id. Those of BMS-WebView-2 are all odd, which would leave half of an even
    domain empty; its rank fills the domain.
    """
    first = data.take(np.arange(min(records, len(data))))
    codes = (np.arange(first.n_items) % items).astype(np.int32)
    owners = np.repeat(np.arange(len(first)), first.lengths)
    names = [str(item) for item in range(items)]
    return with_fanout(from_pairs(owners, codes[first.items], len(first), names), SMALL_FANOUT)
