"""Coresets: every capped support is kept, whatever the order, the parts and what the table forgets."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.arrays.groups import take_rows
from tacit.data.transactions import Transactions
from tacit.engine import sets as local_coreset
from tacit.engine.base import HeldSets
from tacit.engine.kernels.coreset import Known, coreset_rows, nothing_known
from tacit.engine.sets import SetCounts
from tacit.methods.generalize_sets.solve import solve as solving
from tacit.methods.generalize_sets.solve.solve import planned
from tacit.typing import Codes, Offsets
from tests.oracles.coreset import capped_supports
from tests.strategies.baskets import random_baskets

N_ITEMS = 9
TABLES = {
    "a cell for every set": {},
    "slots enough": {"most_cells": 0},
    "slots that are taken over all the time": {"most_cells": 0, "most_slots": 16},
}

rows_of_items = st.lists(st.frozensets(st.integers(0, N_ITEMS - 1), max_size=7), max_size=40)


def as_arrays(rows: Sequence[frozenset[int]]) -> tuple[Offsets, Codes]:
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return indptr, np.array([item for row in rows for item in sorted(row)], dtype=np.int32)


def kept_of(rows: Sequence[frozenset[int]], least: int, known: Known) -> list[frozenset[int]]:
    chosen = coreset_rows(*as_arrays(rows), least, known)
    return [row for row, keep in zip(rows, chosen, strict=True) if keep]


@pytest.mark.parametrize("table", TABLES)
@settings(deadline=None)  # the first example compiles
@given(rows=rows_of_items, least=st.integers(1, 4), size=st.integers(1, 4), parts=st.integers(1, 3))
def test_capped_supports_are_kept(table, rows, least, size, parts) -> None:
    def known() -> Known:
        return nothing_known(N_ITEMS, size, least, **TABLES[table])

    gathered = [row for part in range(parts) for row in kept_of(rows[part::parts], least, known())]
    kept = kept_of(gathered[::-1], least, known())
    assert capped_supports(kept, size, least) == capped_supports(rows, size, least)


def test_common_sets_need_few_rows() -> None:
    rows = [frozenset({0, 1, 2})] * 100 + [frozenset({0, 3})] + [frozenset({1})] * 50
    for options in TABLES.values():
        assert len(kept_of(rows, 5, nothing_known(4, 2, 5, **options))) <= 11


def test_a_row_of_too_many_sets_is_kept_unseen() -> None:
    long = frozenset(range(40))
    assert len(kept_of([long] * 10, 2, nothing_known(40, 10, 2))) == 10


def test_supports_above_a_byte_are_counted() -> None:
    rows = [frozenset({0, 1})] * 700
    assert len(kept_of(rows, 600, nothing_known(2, 2, 600))) == 600


class InParts:
    """Counts asked of coresets of parts of some transactions in memory, by tables that forget."""

    def __init__(self, parts: int, *, spare: bool) -> None:
        self.parts, self.spare, self.gathered = parts, spare, 0

    def set_counts(
        self, transactions: Transactions, *, size: int = 0, spare: int = 0, flag: object = None
    ) -> SetCounts:
        def gather(least: int, size: int, dropped: HeldSets) -> tuple[Offsets, Codes]:
            self.gathered += 1
            held = dropped.among(transactions.indptr, transactions.items)
            kept = []
            for part in range(self.parts):
                rows = np.flatnonzero(~held)[part :: self.parts]
                known = nothing_known(transactions.n_items, size, least, most_cells=0, most_slots=16)
                own = take_rows(transactions.indptr, transactions.items, rows)
                kept.append(rows[coreset_rows(*own, least, known)])
            return take_rows(transactions.indptr, transactions.items, np.concatenate(kept))

        return SetCounts(transactions, gather, size=size, spare=spare if self.spare else 0)


@pytest.mark.parametrize("spare", [True, False])
def test_plans_are_those_of_all_transactions(spare, monkeypatch) -> None:
    seeded = random.Random(5)
    left_out = again = 0
    for trial in range(150):
        baskets = random_baskets(seeded, most_records=40, most_items=8)
        transactions = baskets.transactions
        if len(transactions) < 4 or not len(transactions.items):
            continue
        wish = {
            "k": seeded.randint(2, 3),
            "m": "auto" if trial % 5 == 4 else seeded.randint(1, 3),
            "algorithm": ("apriori", "direct", "optimal")[trial % 3],
            "max_suppressed": 0.3 if trial % 2 else 0,
        }
        if int((transactions.lengths > 0).sum()) < wish["k"]:
            continue
        engine = InParts(seeded.randint(1, 3), spare=spare)
        here = planned(transactions, **wish)
        with monkeypatch.context() as patched:
            patched.setattr(solving, "engine_for", lambda _, engine=engine: engine)
            there = planned(transactions, **wish)
        with monkeypatch.context() as patched:  # as if there were many
            patched.setattr(local_coreset, "LARGE", 0)
            patched.setattr(local_coreset, "TRIED", 8)
            many = planned(transactions, **wish)
        assert (many.cut.labels, many.ncp, many.attempts) == (here.cut.labels, here.ncp, here.attempts)
        np.testing.assert_array_equal(here.left_out(transactions), many.left_out(transactions))
        assert here.cut.labels == there.cut.labels
        for name in ("ncp", "greedy_ncp", "bound", "m", "attempts", "n_suppressed", "notes"):
            assert getattr(here, name) == getattr(there, name)
        np.testing.assert_array_equal(here.left_out(transactions), there.left_out(transactions))
        left_out += here.n_suppressed > 0
        again += engine.gathered > 1
    assert left_out and again
