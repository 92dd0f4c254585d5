"""The chance to find somebody's row: prosecutor, journalist and marketer [1], with a population or a sample.

f and F are the sizes of a class in the table and in the population. Where only the sampling fraction π is
known, F − f is negative binomial with f and π [2], and the chance to pick the right one of F is

    E[1/F | f] = Σ_{F ≥ f} C(F−1, f−1) π^f (1−π)^{F−f} / F = π / f · ₂F₁(1, 1; f+1; 1−π).

[1] K. El Emam, F. Dankar. Protecting privacy using k-anonymity. JAMIA 15(5), 2008.
[2] R. Benedetti, L. Franconi. Statistical and technological solutions for controlled data dissemination.
    Pre-proceedings of New Techniques and Technologies for Statistics, 1998.
"""

from __future__ import annotations

import numpy as np

from tacit.data.table import Table
from tacit.engine.choice import engine_for
from tacit.errors import InputError, Place
from tacit.judging.risk.classes import Classes
from tacit.judging.risk.matching import matches
from tacit.typing import Counts, Floats

FEW, TERMS = 100, 60
"""From this f on, so many terms of the series are more than a float can hold."""


def expected_inverse(sizes: Counts, fraction: float) -> Floats:
    """E[1/F | f] for classes of these sizes in a sample of a fraction of the population.

    >>> float(round(expected_inverse(np.array([1]), 0.05)[0], 3))
    0.158
    """
    from scipy.special import hyp2f1

    distinct, which = np.unique(sizes, return_inverse=True)
    series = np.ones(len(distinct))
    few = distinct <= FEW
    series[few] = hyp2f1(1, 1, distinct[few] + 1, 1 - fraction)
    # scipy gives no number for large f, where the terms n! (1−π)^n / (f+1)(f+2)…(f+n) vanish at once.
    n = np.arange(TERMS)
    for place in np.flatnonzero(~few):
        series[place] += np.cumprod((n + 1) * (1 - fraction) / (distinct[place] + 1 + n)).sum()
    found: Floats = fraction / distinct * series
    return found[which]


def population_sizes(classes: Classes, population: Table) -> Counts:
    """F of each class: how many people of a population its quasi-identifiers may stand for."""
    missing = [name for name in classes.names if name not in population.names]
    if missing:
        raise InputError(
            f"The population has no column {missing[0]!r}, which is a quasi-identifier of the table.",
            code="population-columns",
            where=Place(file=population.origin),
            hint="Name a file with all quasi-identifiers, or give the sampling fraction instead.",
        )
    held = engine_for(population).combinations(population, classes.names)
    found = np.zeros(len(classes), dtype=np.int64)
    for which, people in matches(classes, held, population.hierarchies):
        found[which] = int(held.counts[people].sum())
    short = np.flatnonzero(found < classes.sizes)
    if len(short):
        raise InputError(
            f"In {len(short):,} classes the table has more people than the population.",
            code="population-too-small",
            where=Place(file=population.origin),
            hint="The population must hold everybody in the table, with values written in the same way.",
        )
    return found
