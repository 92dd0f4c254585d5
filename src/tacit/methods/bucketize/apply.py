"""The plan carried out: rows dealt into buckets.

Engines sort published rows by their text and number buckets by the rank of their content, so that
neither tells where a row came from.
"""

from __future__ import annotations

import numpy as np

from tacit.data.table import Table
from tacit.engine.base import Bucketized, Deal, Engine
from tacit.methods.bucketize.solve.plan import Counted, Plan
from tacit.recoding.coarser import Coarser


def apply_plan(
    plan: Plan,
    counted: Counted,
    table: Table,
    engine: Engine,
    *,
    permuted: bool = False,
    coarser: Coarser | None = None,
) -> Bucketized:
    """Deal the rows into the plan's buckets and number the buckets by what is published of them."""
    slots = np.repeat(np.arange(len(plan), dtype=np.int32), np.diff(plan.offsets))
    kind_of, members, n_kinds = plan.kinds(counted.class_of)
    by_kind = np.argsort(members, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(members, minlength=n_kinds))]).astype(np.int64)
    shown = () if coarser is None else coarser.shown(counted.combinations)
    deal = Deal(counted.combinations.names, kind_of, ends, slots[by_kind], permuted, shown)
    return engine.bucketized(table, deal, counted.key)
