"""Injector: Tables I to III and Figures 3 to 8 of Li and Li, and what a reader who learns gets.

The experiment runs on Adult where it is at hand and on the hospital sample otherwise. Beside Injector as
it is used here stand the paper's own way of growing buckets, and Anatomy.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from papers.experiment import Made, Tell
from papers.injector_experiment import (
    DIMENSION,
    DIMENSIONS,
    DIVERSITIES,
    DIVERSITY,
    EXPECTATION,
    EXPECTATIONS,
    SELECTIVITIES,
    SELECTIVITY,
    Setting,
    errors,
    times,
    vulnerable,
)
from papers.injector_figures import figure_4, figure_5, figure_6, figure_7, figure_8, learner
from papers.injector_tables import adult_attributes, figure_3, nine_patients
from papers.sources import Source, find_adult
from tacit.data.table import Table
from tacit.io.samples.hospital import hospital

TITLE = "Tables in buckets against a reader who knows who cannot have what"
CITATION = "T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008."


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


def reproduce(*, data: Path | None, quick: bool, tell: Tell) -> Made:
    """Make the paper's tables and figures."""
    scale = QUICK if quick else FULL
    everybody = find_adult(data, part="all") or _stand_in(scale.rows)
    training = find_adult(data, part="train")
    table, settings = everybody.data, scale.releases()
    known = [everybody] if training is None else [training, everybody]
    tell("attacking")
    open_rows = list(vulnerable(table, settings, keys=scale.keys))
    tell("timing")
    spent = list(times(table, settings, runs=scale.runs))
    tell("asking")
    asked = scale.queried(len(table.roles.quasi))
    found = list(errors(table, asked, keys=scale.keys, queries=scale.queries))
    varied = (figure_4(open_rows), figure_5(spent), figure_6(found), figure_7(found), figure_8(found))
    made = (
        nine_patients(),
        *([adult_attributes(everybody)] if training else []),
        figure_3(known),
        *(each.judged(published=everybody.published) for each in varied),
        learner(found),
    )
    return Made(tuple(source.words for source in known), made)


def _stand_in(rows: int) -> Source[Table]:
    words = (
        f"The built-in hospital sample with {rows:,} rows stands in for UCI Adult, which is not at hand: name"
        " its folder with --data or TACIT_DATA."
    )
    return Source("hospital", hospital(rows), False, words)
