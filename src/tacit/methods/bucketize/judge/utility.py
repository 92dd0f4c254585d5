"""What a bucketized release is still good for, measured against the original."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.methods.bucketize.judge.buckets import Buckets, part_of
from tacit.methods.bucketize.judge.counting_queries import QueryError, query_errors
from tacit.methods.bucketize.judge.rule_error import RuleError, rule_error
from tacit.mining.knowledge import NegativeRules

SELECTIVITY = 0.05


@dataclass(frozen=True, slots=True)
class BucketUtility:
    """The errors of counting queries and of association rules.

    The errors of rules are None where there are several sensitive attributes, or coarser quasi-identifiers;
    ``rows`` were measured.
    """

    rows: int
    queries: tuple[QueryError, ...]
    rules_uniform: RuleError | None
    rules_valid: RuleError | None


def measure_buckets(buckets: Buckets, knowledge: NegativeRules | None) -> BucketUtility:
    """Measure with queries of two quasi-identifiers, of half of them and of all."""
    measured = part_of(buckets)
    n_known = len(buckets.table.roles.known)
    dimensions = sorted({min(2, n_known), (n_known + 1) // 2, n_known})
    single = len(buckets.table.roles.sensitive) == 1 and buckets.shown is None
    return BucketUtility(
        rows=measured.n_people,
        queries=query_errors(measured, knowledge, dimensions=dimensions, selectivity=SELECTIVITY),
        rules_uniform=rule_error(measured, None) if single else None,
        rules_valid=rule_error(measured, knowledge) if single else None,
    )
