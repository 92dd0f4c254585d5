"""k^m-anonymity: the worked example and Figures 7 to 11 of Terrovitis, Mamoulis and Kalnis [1].

Small domains are made of BMS-WebView-2 as in the paper, whole data sets are those at hand; transactions of
the Quest generator stand in where none is.

[1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued Data. VLDB 2008.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from tacit.data.transactions import Transactions
from tacit.io.samples.quest import quest
from tacit.surface.reproduce.experiment import Reproduction
from tacit.surface.reproduce.km_examples import figure_7, worked_example
from tacit.surface.reproduce.km_experiment import (
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
from tacit.surface.reproduce.km_figures import figure_8, figure_9, figure_10
from tacit.surface.reproduce.km_whole import figure_11
from tacit.surface.reproduce.sources import Source, find_transactions
from tacit.typing import Progress

SMALL = "BMS-WebView-2"
"""What the small domains are made of."""
WHOLE = ("BMS-POS", "BMS-WebView-1", SMALL)
K, M = 5, 3
SMALL_K = 100


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
    usual: int = 10_000
    domain: int = 40


FULL = Scale(
    (2_000, 5_000, 10_000, 15_000), (40, 50, 60), (1, 2, 3, 4), (2, 5, 10, 25, 50, 100), (3, 4, 5, 8, 10, 16),
    (1, 2, 3, 4), 3, 100_000,
)  # fmt: skip
QUICK = Scale((2_000, 10_000), (40, 60), (1, 2, 3), (5, 50), (5, 16), (2, 3), 1, 60_000)


def reproduce(*, data: Path | None, quick: bool, progress: Progress) -> Reproduction:
    """Make the paper's example and figures."""
    started = process_time()
    scale = QUICK if quick else FULL
    progress("reading", 0.0)
    found = [source for name in WHOLE if (source := find_transactions(data, name)) is not None]
    sources = found or [_stand_in(quick=quick)]
    small = next((source for source in sources if source.name == SMALL), sources[-1])
    large = sources[0] if sources[0].name == WHOLE[0] else small
    made = [worked_example(), figure_7(sources)]
    progress("small domains", 0.1)
    published = small.published
    made += [
        figure_8(list(_by_records(small, scale)), published=published),
        figure_9(list(_by_items(small, scale)), published=published),
        figure_10(list(_by_known(small, scale)), published=published),
    ]
    progress("whole data sets", 0.3)
    made.append(
        figure_11(
            list(_whole(sources, scale)),
            list(_varied(large, scale)),
            published=large.name == WHOLE[0],
        )
    )
    return Reproduction(
        name="km",
        title="Sets of items, k^m-anonymous",
        citation="M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued "
        "Data. VLDB 2008.",
        data=_words(sources),
        figures=tuple(made),
        quick=quick,
        seconds=process_time() - started,
    )


def _by_records(source: Source[Transactions], scale: Scale) -> Iterator[Outcome]:
    problem = Problem(source.name, SMALL_K, M, SMALL_FANOUT, scale.domain)
    for records in scale.records:
        small = reduced(source.data, records=records, items=scale.domain)
        yield from outcomes(small, problem, tuple(ALGORITHMS), runs=scale.runs)


def _by_items(source: Source[Transactions], scale: Scale) -> Iterator[Outcome]:
    for items in scale.items:
        small = reduced(source.data, records=scale.usual, items=items)
        problem = Problem(source.name, SMALL_K, M, SMALL_FANOUT, items)
        yield from outcomes(small, problem, tuple(ALGORITHMS), runs=scale.runs)


def _by_known(source: Source[Transactions], scale: Scale) -> Iterator[Outcome]:
    small = reduced(source.data, records=scale.usual, items=scale.domain)
    for m in scale.known:
        problem = Problem(source.name, SMALL_K, m, SMALL_FANOUT, scale.domain)
        yield from outcomes(small, problem, tuple(ALGORITHMS), runs=scale.runs)


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
    items = source.data.n_items
    usual = [(k, M, FANOUT) for k in scale.ks]
    usual += [(K, M, fanout) for fanout in scale.fanouts] + [(K, m, FANOUT) for m in scale.ms]
    for k, m, fanout in dict.fromkeys(usual):
        problem = Problem(source.name, k, m, fanout, items)
        yield from outcomes(with_fanout(source.data, fanout), problem, (AA,), runs=scale.runs)


def _stand_in(*, quick: bool) -> Source[Transactions]:
    records = 20_000 if quick else 60_000
    return Source(
        "Quest",
        quest(records, items=500, average_length=5),
        False,
        f"{records:,} transactions drawn here in the manner of the Quest generator.",
    )


def _words(sources: list[Source[Transactions]]) -> tuple[str, ...]:
    missing = [name for name in WHOLE if name not in {source.name for source in sources}]
    words = [source.words for source in sources]
    if missing:
        words.append(f"Not at hand: {', '.join(missing)}. Name their folder with --data or TACIT_DATA.")
    return tuple(words)
