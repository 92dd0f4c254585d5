"""What is measured on a bucketized release when it is saved, exactly: the figures of its private record."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.methods.bucketize.judge.histograms import (
    errors_by_dimensions,
    posterior_histogram,
    valid_value_histogram,
)
from tacit.methods.bucketize.judge.risks import BucketRisks
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
