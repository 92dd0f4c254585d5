"""The plan carried out: rows dealt into buckets.

Engines sort published rows by their text and number buckets by the rank of their content, so that
neither tells where a row came from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.data.column import Column
from tacit.data.table import Table
from tacit.engine.base import Bucketing, Bucketized, Deal
from tacit.methods.bucketize.solve.plan import Plan
from tacit.random.key import Key
from tacit.typing import Codes


def apply_plan(
    plan: Plan,
    table: Table,
    names: Sequence[str],
    class_of: Codes,
    *,
    engine: Bucketing,
    key: Key,
    permuted: bool,
    shown: tuple[Column, ...] = (),
) -> Bucketized:
    """Deal the rows into the plan's buckets and number the buckets by what is published of them.

    ``class_of`` is the class of each combination of the named columns; ``permuted`` says that the
    published content of a bucket shows its permuted rows. ``shown`` has, for each combination, what is
    published instead of its quasi-identifiers.
    """
    slots = np.repeat(np.arange(len(plan), dtype=np.int32), np.diff(plan.offsets))
    kind_of, members, n_kinds = plan.kinds(class_of)
    by_kind = np.argsort(members, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(members, minlength=n_kinds))]).astype(np.int64)
    deal = Deal(tuple(names), kind_of, ends, slots[by_kind], permuted, shown)
    return engine.bucketized(table, deal, key)
