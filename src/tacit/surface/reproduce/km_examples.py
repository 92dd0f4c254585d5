"""The worked example and the data of the paper on k^m-anonymity [1].

[1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued Data. VLDB 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacit.data.hierarchy import from_parents
from tacit.data.transactions import Transactions, transactions_from_sets
from tacit.methods.generalize_sets.solve.solve import solve
from tacit.showing.chart import tree_chart
from tacit.surface.reproduce.experiment import Figure, Finding, Rows
from tacit.surface.reproduce.km_experiment import ALGORITHMS, OA
from tacit.surface.reproduce.sources import Source

TREE = {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "ALL", "B": "ALL"}
RECORDS = ({"a1", "b1", "b2"}, {"a2", "b1"}, {"a2", "b1", "b2"}, {"a1", "a2", "b2"})
"""Figures 1 and 2a of the paper."""
PRINTED_CUT, PRINTED_LOSS = ("A", "b1", "b2"), 2.5 / 11
DATA_SETS = {
    "BMS-POS": (515_597, 1_657, 164, 6.5),
    "BMS-WebView-1": (59_602, 497, 267, 2.5),
    "BMS-WebView-2": (77_512, 3_340, 161, 5.0),
}
"""Figure 7: transactions, items, the longest and the average transaction."""


@dataclass(frozen=True)
class Example:
    """What an algorithm makes of the worked example."""

    algorithm: str
    cut: str
    ncp: float


@dataclass(frozen=True)
class DataSet:
    """A line of Figure 7."""

    data: str
    transactions: int
    items: int
    longest: int
    average: float


def worked_example() -> Figure:
    """Figures 1 to 6: four transactions, made 2²-anonymous."""
    baskets = transactions_from_sets(RECORDS, hierarchy=from_parents(TREE))
    plans = {name: solve(baskets, k=2, m=2, algorithm=word) for name, word in ALGORITHMS.items()}
    cuts = {name: plan.cut.labels for name, plan in plans.items()}
    nodes = [("ALL", None), *((node, parent) for node, parent in reversed(TREE.items()))]
    return Figure(
        name="figures-1-6",
        title="Figures 1 to 6: the worked example",
        words="Four transactions over a1, a2, b1, b2 become 2²-anonymous once a1 and a2 are published as A.",
        rows=Rows.of(Example(name, ", ".join(cuts[name]), plan.ncp) for name, plan in plans.items()),
        charts=(
            tree_chart(
                [{"node": node, "parent": parent, "mark": node in cuts[OA]} for node, parent in nodes],
                title="The hierarchy and its cut",
                caption="Filled nodes are what items are published as.",
            ),
        ),
        findings=(
            *(
                Finding.claim(
                    f"cut of {name}",
                    printed=f"⟨{', '.join(PRINTED_CUT)}⟩",
                    ours=f"⟨{', '.join(cut)}⟩",
                    holds=cut == PRINTED_CUT,
                    why="The algorithm is another one.",
                )
                for name, cut in cuts.items()
            ),
            Finding.number(
                "loss", printed=PRINTED_LOSS, ours=plans[OA].ncp, why="It is 2.5/11 exactly.", within=1e-12
            ),
        ),
    )


def figure_7(sources: Sequence[Source[Transactions]]) -> Figure:
    """Figure 7: the data."""
    lines = [_described(source) for source in sources]
    return Figure(
        name="figure-7",
        title="Figure 7: the data",
        words="Transactions, items, and how long a transaction is.",
        rows=Rows.of(lines),
        findings=tuple(
            Finding.claim(
                line.data,
                printed=_told(DataSet(line.data, *DATA_SETS[line.data])),
                ours=_told(line),
                holds=_told(line) == _told(DataSet(line.data, *DATA_SETS[line.data])),
                why="The published file has other transactions, or the paper took its average before items "
                "repeated in a transaction were merged.",
            )
            for line in lines
            if line.data in DATA_SETS
        ),
    )


def _described(source: Source[Transactions]) -> DataSet:
    lengths = source.data.lengths
    return DataSet(
        source.name, len(source.data), source.data.n_items, int(lengths.max()), float(lengths.mean())
    )


def _told(one: DataSet) -> str:
    return (
        f"{one.transactions:,} transactions, {one.items:,} items, longest {one.longest}, "
        f"average {one.average:.1f}"
    )
