"""k^m-anonymity: the worked example and Figures 7 to 11 of Terrovitis, Mamoulis and Kalnis.

Small domains are made of BMS-WebView-2 as in the paper, whole data sets are those at hand; transactions of
the Quest generator stand in where none is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from papers.experiment import Made, Tell
from papers.km_experiment import (
    AA,
    ALGORITHMS,
    BY_FREQUENCY,
    FANOUT,
    OA,
    SMALL_FANOUT,
    Outcome,
    Problem,
    by_frequency,
    outcomes,
    reduced,
    with_fanout,
)
from papers.km_figures import figure_8, figure_9, figure_10
from papers.km_whole import figure_7, figure_11, worked_example
from papers.sources import Source, find_transactions, not_at_hand
from tacit.data.transactions import Transactions
from tacit.io.samples.quest import quest

TITLE = "Sets of items, k^m-anonymous"
CITATION = (
    "M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued Data. VLDB 2008."
)
SMALL = "BMS-WebView-2"
"""What the small domains are made of."""
WHOLE = ("BMS-POS", "BMS-WebView-1", SMALL)
K, M = 5, 3
SMALL_K, RECORDS, ITEMS = 100, 10_000, 40
"""On small domains, where nothing else is said."""


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    records: tuple[int, ...]
    items: tuple[int, ...]
    known: tuple[int, ...]
    """The values of m on a small domain."""
    ks: tuple[int, ...]
    fanouts: tuple[int, ...]
    ms: tuple[int, ...]
    """The values of m on a whole data set."""
    runs: int
    exact: int
    """The most transactions of a whole data set that the exact search is tried on as well."""


FULL = Scale(
    (2_000, 5_000, 10_000, 15_000), (40, 50, 60), (1, 2, 3, 4), (2, 5, 10, 25, 50, 100), (3, 4, 5, 8, 10, 16),
    (1, 2, 3, 4), 3, 100_000,
)  # fmt: skip
QUICK = Scale((2_000, 10_000), (40, 60), (1, 2, 3), (5, 50), (5, 16), (2, 3), 1, 60_000)


def reproduce(*, data: Path | None, quick: bool, tell: Tell) -> Made:
    """Make the paper's example and figures."""
    scale = QUICK if quick else FULL
    found = [source for name in WHOLE if (source := find_transactions(data, name)) is not None]
    sources = found or [_stand_in(quick=quick)]
    small = next((source for source in sources if source.name == SMALL), sources[-1])
    large = sources[0] if sources[0].name == WHOLE[0] else small
    tell("small domains")
    domains = (
        figure_8(list(_small(small, [(each, ITEMS, M) for each in scale.records], scale.runs))),
        figure_9(list(_small(small, [(RECORDS, each, M) for each in scale.items], scale.runs))),
        figure_10(list(_small(small, [(RECORDS, ITEMS, each) for each in scale.known], scale.runs))),
    )
    tell("whole data sets")
    made = (
        worked_example(),
        figure_7(sources),
        *(each.judged(published=small.published) for each in domains),
        figure_11(list(_whole(sources, scale)), list(_varied(large, scale))).judged(
            published=large.name == WHOLE[0]
        ),
    )
    return Made((*(source.words for source in sources), *not_at_hand(WHOLE, sources)), made)


def _small(source: Source[Transactions], sizes: list[tuple[int, int, int]], runs: int) -> Iterator[Outcome]:
    """All algorithms on small domains: (transactions, items, m)."""
    for records, items, m in sizes:
        domain = reduced(source.data, records=records, items=items)
        problem = Problem(source.name, SMALL_K, m, SMALL_FANOUT, items)
        yield from outcomes(domain, problem, tuple(ALGORITHMS), runs=runs)


def _whole(sources: list[Source[Transactions]], scale: Scale) -> Iterator[Outcome]:
    """AA on every data set, with items laid out by their ids and by how often they occur; OA where it can."""
    for source in sources:
        items = source.data.n_items
        problem = Problem(source.name, K, M, FANOUT, items)
        tree = with_fanout(source.data, FANOUT)
        yield from outcomes(tree, problem, runs=scale.runs)
        if len(source.data) <= scale.exact:
            yield from outcomes(tree, problem, (OA,), warm=False)
        other = Problem(source.name, K, M, FANOUT, items, BY_FREQUENCY)
        yield from outcomes(by_frequency(source.data, FANOUT), other, runs=scale.runs)


def _varied(source: Source[Transactions], scale: Scale) -> Iterator[Outcome]:
    """AA on one data set, with k, the fan-out and m varied in turn."""
    usual = [(k, M, FANOUT) for k in scale.ks]
    usual += [(K, M, fanout) for fanout in scale.fanouts] + [(K, m, FANOUT) for m in scale.ms]
    for k, m, fanout in dict.fromkeys(usual):
        problem = Problem(source.name, k, m, fanout, source.data.n_items)
        yield from outcomes(with_fanout(source.data, fanout), problem, (AA,), runs=scale.runs)


def _stand_in(*, quick: bool) -> Source[Transactions]:
    records = 20_000 if quick else 60_000
    drawn = quest(records, items=500, average_length=5)
    return Source(
        "Quest", drawn, False, f"{records:,} transactions drawn here in the manner of the Quest generator."
    )
