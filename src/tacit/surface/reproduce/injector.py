"""Injector: Tables I to III and Figures 3 to 8 of Li and Li [1], and what a reader who learns gets.

The experiment runs on Adult where it is at hand and on the hospital sample otherwise. Beside Injector as
it is used here stand the paper's own way of growing buckets, and Anatomy.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import TypeVar

from tacit.data.table import Table
from tacit.io.samples.hospital import hospital
from tacit.surface.reproduce.experiment import Reproduction
from tacit.surface.reproduce.injector_experiment import (
    DIMENSION,
    DIMENSIONS,
    DIVERSITIES,
    DIVERSITY,
    EXPECTATION,
    EXPECTATIONS,
    METHODS,
    SELECTIVITIES,
    SELECTIVITY,
    Setting,
    errors,
    times,
    vulnerable,
)
from tacit.surface.reproduce.injector_figures import figure_4, figure_5, figure_6, figure_7, figure_8, learner
from tacit.surface.reproduce.injector_tables import adult_attributes, figure_3, nine_patients
from tacit.surface.reproduce.sources import Source, find_adult
from tacit.typing import Progress

One = TypeVar("One")


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    keys: int
    queries: int
    runs: int
    expectations: tuple[float, ...]
    diversities: tuple[int, ...]
    dimensions: tuple[int, ...]
    selectivities: tuple[float, ...]
    rows: int
    """Rows of the hospital sample, where Adult is not at hand."""

    def releases(self) -> list[Setting]:
        """ℓ varied at the default expectation, and the expectation varied at the default ℓ."""
        varied = [Setting(l=l) for l in self.diversities]
        return varied + [Setting(min_expectation=each) for each in self.expectations if each != EXPECTATION]

    def queried(self, n_quasi: int) -> list[Setting]:
        """The same, and at the defaults queries of other sizes as well."""
        usual = min(DIMENSION, n_quasi)
        sizes = [(number, SELECTIVITY) for number in self.dimensions if number <= n_quasi]
        sizes += [(usual, share) for share in self.selectivities]
        every = tuple(dict.fromkeys([(usual, SELECTIVITY), *sizes]))
        return [
            Setting(one.l, one.min_expectation, every if one == Setting() else ((usual, SELECTIVITY),))
            for one in self.releases()
        ]


FULL = Scale(10, 1000, 3, EXPECTATIONS, DIVERSITIES, DIMENSIONS, SELECTIVITIES, 20_000)
QUICK = Scale(1, 200, 1, (0.75, 0.95), (3, DIVERSITY), (2, 6), (0.03,), 4_000)


def reproduce(*, data: Path | None, quick: bool, progress: Progress) -> Reproduction:
    """Make the paper's tables and"""
    started = process_time()
    scale = QUICK if quick else FULL
    progress("reading", 0.0)
    everybody = find_adult(data, part="all") or _stand_in(scale.rows)
    training = find_adult(data, part="train")
    table = everybody.data
    settings = scale.releases()
    known = [everybody] if training is None else [training, everybody]
    made = [nine_patients(), *([adult_attributes(everybody)] if training else [])]
    made.append(figure_3(known))
    open_rows = list(
        _told(vulnerable(table, settings, keys=scale.keys), settings, progress, "attacking", 0.0, 0.15)
    )
    spent = list(_told(times(table, settings, runs=scale.runs), settings, progress, "timing", 0.15, 0.2))
    asked = scale.queried(len(table.roles.quasi))
    found = list(
        _told(errors(table, asked, keys=scale.keys, queries=scale.queries), asked, progress, "asking", 0.2, 1)
    )
    published = everybody.published
    made += [
        figure_4(open_rows, published=published),
        figure_5(spent, published=published),
        figure_6(found, published=published),
        figure_7(found, published=published),
        figure_8(found, published=published),
        learner(found),
    ]
    return Reproduction(
        name="injector",
        title="Tables in buckets against a reader who knows who cannot have what",
        citation="T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008.",
        data=tuple(source.words for source in known),
        figures=tuple(made),
        quick=quick,
        seconds=process_time() - started,
    )


def _stand_in(rows: int) -> Source[Table]:
    return Source(
        "hospital",
        hospital(rows),
        False,
        f"The built-in hospital sample with {rows:,} rows stands in for UCI Adult, which is not at hand: name"
        " its folder with --data or TACIT_DATA.",
    )


def _told(
    found: Iterable[One], settings: list[Setting], progress: Progress, what: str, low: float, high: float
) -> Iterator[One]:
    """The results, with progress from one share to another; every method has one for each query."""
    expected = sum(len(one.queries) for one in settings) * len(METHODS)
    for place, one in enumerate(found):
        yield one
        progress(what, low + (high - low) * (place + 1) / expected)
