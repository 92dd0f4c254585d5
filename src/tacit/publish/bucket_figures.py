"""What is measured on a bucketized release when it is saved: for everybody, and for its owner.

The manifest states what a reader of the published files could count as well, and how wrong counts from
them are. What Anatomy would have given away is about a release that does not exist, and is the owner's.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tacit.judge.bucket_histograms import errors_by_dimensions, posterior_histogram, valid_value_histogram
from tacit.judge.bucket_risks import BucketRisks
from tacit.judge.bucket_utility import quick_measure
from tacit.judge.buckets import Buckets
from tacit.mining.knowledge import NegativeRules


def stated_risks(risks: BucketRisks, buckets: Buckets, rules: NegativeRules) -> dict[str, Any]:
    """The risks of the manifest: the known attacks, and how valid values and posteriors spread over rows."""
    return asdict(risks) | {
        "valid_values": [asdict(bar) for bar in valid_value_histogram(buckets, rules)],
        "posteriors": [asdict(step) for step in posterior_histogram(buckets, rules)],
    }


def stated_utility(buckets: Buckets, rules: NegativeRules) -> dict[str, Any]:
    """The utility of the manifest: the error of counting queries."""
    return {
        "count_queries": asdict(quick_measure(buckets, rules)),
        "count_queries_by_dimensions": [asdict(error) for error in errors_by_dimensions(buckets, rules)],
    }


def owner_figures(
    risks: BucketRisks, anatomy: BucketRisks | None, beside: Buckets | None, rules: NegativeRules
) -> dict[str, Any]:
    """The figures of the private record: this release beside Anatomy's."""
    figures: dict[str, Any] = {
        "release": asdict(risks),
        "anatomy": None if anatomy is None else asdict(anatomy),
    }
    if beside is not None:
        bars = valid_value_histogram(beside, rules)
        figures["anatomy_valid_values"] = [asdict(bar) for bar in bars]
    return figures
