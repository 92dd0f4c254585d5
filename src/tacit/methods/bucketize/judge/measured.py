"""What is measured on a bucketized release when it is saved, exactly: the figures of its private record.

A promise is about the worst row. Whoever decides about a release also wants to know how valid values and
posteriors spread over the others; whoever has the published files and the stated rules can count the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacit.judging.queries import Seed
from tacit.methods.bucketize.judge.buckets import Buckets, part_of
from tacit.methods.bucketize.judge.risks import BucketRisks, likeliest, rows_by_values
from tacit.methods.bucketize.judge.utility import SELECTIVITY, QueryError, query_errors
from tacit.mining.knowledge import NegativeRules
from tacit.random.key import Key


def exact_risks(risks: BucketRisks, buckets: Buckets, rules: NegativeRules) -> dict[str, Any]:
    """The known attacks, and how valid values and posteriors spread over rows."""
    return asdict(risks) | {
        "valid_values": [asdict(bar) for bar in valid_value_histogram(buckets, rules)],
        "posteriors": [asdict(step) for step in posterior_histogram(buckets, rules)],
    }


def exact_utility(buckets: Buckets, rules: NegativeRules, key: Key) -> dict[str, Any]:
    """The error of counting queries, which are drawn with the key."""
    seed = key.subkey("figures: counting queries").words
    errors = [asdict(error) for error in errors_by_dimensions(buckets, rules, seed=seed)]
    return {"count_queries": errors[:2][-1], "count_queries_by_dimensions": errors}


def owner_figures(
    anatomy: BucketRisks | None, beside: Buckets | None, rules: NegativeRules
) -> dict[str, Any]:
    """What Anatomy would have done, for the private record."""
    figures: dict[str, Any] = {"anatomy": None if anatomy is None else asdict(anatomy)}
    if beside is not None:
        bars = valid_value_histogram(beside, rules)
        figures["anatomy_valid_values"] = [asdict(bar) for bar in bars]
    return figures


BINS = 20
"""Posteriors are counted in so many equal steps from 0 to 1; the last holds 1 as well."""
MOST_BARS = 12
"""Rows with so many valid values or more are counted together."""
MOST_DIMENSIONS = 6
QUERIES = 100


@dataclass(frozen=True, slots=True)
class ValidValues:
    """So many rows have so many valid values, or ``or_more`` of them."""

    values: int
    or_more: bool
    rows: int


@dataclass(frozen=True, slots=True)
class PosteriorStep:
    """So many rows have a likeliest value with a posterior of at least ``low`` and less than ``high``."""

    low: float
    high: float
    rows: int


def valid_value_histogram(buckets: Buckets, knowledge: NegativeRules | None) -> tuple[ValidValues, ...]:
    """The rows by the number of values that each could have, from 1 up."""
    counted = buckets.once(rows_by_values, knowledge)
    found = np.bincount(np.minimum(np.arange(len(counted)), MOST_BARS), counted).astype(np.int64).tolist()
    return tuple(
        ValidValues(values, values == MOST_BARS, rows) for values, rows in enumerate(found) if values
    )


def posterior_histogram(buckets: Buckets, knowledge: NegativeRules | None) -> tuple[PosteriorStep, ...]:
    """The rows by the posterior of their likeliest value."""
    entries = buckets.entries(knowledge)
    top, _ = likeliest(entries)
    # A chance of 0.35 may have come out as 0.3499…: it belongs to the step that begins there.
    place = np.minimum(np.floor(top * BINS + 1e-9).astype(np.int64), BINS - 1)
    rows = np.bincount(place[entries.entry_of[: buckets.n_people]], minlength=BINS).tolist()
    return tuple(
        PosteriorStep(number / BINS, (number + 1) / BINS, count) for number, count in enumerate(rows)
    )


def errors_by_dimensions(
    buckets: Buckets, knowledge: NegativeRules | None, *, seed: Seed
) -> tuple[QueryError, ...]:
    """The error of a hundred counting queries for each number of quasi-identifiers asked about."""
    measured = part_of(buckets)
    most = min(len(buckets.table.roles.known), MOST_DIMENSIONS)
    return query_errors(
        measured,
        knowledge,
        dimensions=range(1, most + 1),
        selectivity=SELECTIVITY,
        queries=QUERIES,
        seed=seed,
    )
