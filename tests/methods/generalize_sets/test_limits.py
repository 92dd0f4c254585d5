"""What the data or the call cannot mean: refused, or a plain answer, never raw data."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tacit.arrays.compiled import new_flag
from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.data.transactions import transactions_from_sets
from tacit.errors import Cancelled, InfeasibleError, InputError, ParameterError, UsageError
from tacit.methods.generalize_sets.solve.cut import Cut
from tacit.methods.generalize_sets.solve.solve import planned

PARENTS = {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "ALL", "B": "ALL"}


def tree() -> Hierarchy:
    return from_parents(PARENTS)


def test_k_above_the_records_names_the_largest_k() -> None:
    baskets = transactions_from_sets([{"a1"}, {"a2"}, {"b1"}], hierarchy=tree())
    with pytest.raises(
        InfeasibleError, match=r"k = 4 records; there are 3\..*largest feasible k is 3"
    ) as caught:
        planned(baskets, k=4, m=2)
    assert caught.value.exit_code == 4
    assert caught.value.code == "infeasible-k"
    assert planned(baskets, k=3, m=2).cut.is_root


def test_empty_records_do_not_count_towards_k() -> None:
    baskets = transactions_from_sets([{"a1"}, {"b1"}, set(), set(), set()], hierarchy=tree())
    with pytest.raises(
        InfeasibleError, match=r"there are 5, of which 2 hold an item.*largest feasible k is 2"
    ):
        planned(baskets, k=3, m=1)


def test_a_single_holder_leaves_no_k_at_all() -> None:
    with pytest.raises(InfeasibleError, match="No k of 2 or more is feasible"):
        planned(transactions_from_sets([{"a1"}, set()], hierarchy=tree()), k=2, m=1)


def test_empty_records_are_kept_and_published_empty() -> None:
    baskets = transactions_from_sets([{"a1"}, {"a2"}, set()], hierarchy=tree())
    plan = planned(baskets, k=2, m=2)
    assert plan.apply(baskets).sets() == [frozenset(), {"A"}, {"A"}]


def test_records_that_are_all_empty_have_nothing_to_hide() -> None:
    baskets = transactions_from_sets([set(), set(), set()], hierarchy=tree())
    plan = planned(baskets, k=2, m="auto")
    assert plan.ncp == 0.0
    assert plan.apply(baskets).sets() == [frozenset()] * 3
    with pytest.raises(InfeasibleError):
        planned(baskets, k=4, m=1)


def test_no_records_at_all() -> None:
    with pytest.raises(InfeasibleError, match="there are 0"):
        planned(transactions_from_sets([], hierarchy=tree()), k=2, m=2)


def test_one_item_alone() -> None:
    baskets = transactions_from_sets([{"a1"}] * 3, hierarchy=tree())
    plan = planned(baskets, k=3, m=2, algorithm="optimal")
    assert plan.cut.labels == ("a1", "a2", "b1", "b2")
    assert plan.proven


def test_the_root_everywhere_is_said_loudly() -> None:
    plan = planned(transactions_from_sets([{"a1"}, {"b1"}], hierarchy=tree()), k=2, m=1)
    assert plan.cut.is_root
    assert plan.ncp == 1.0
    assert any("root" in note for note in plan.notes)


def test_an_m_beyond_every_record_is_the_longest_record() -> None:
    baskets = transactions_from_sets(
        [{"a1", "b1"}, {"a1", "b1"}, {"a2", "b1"}, {"a2", "b2"}], hierarchy=tree()
    )
    assert planned(baskets, k=2, m=10**9).cut.labels == planned(baskets, k=2, m=2).cut.labels


def test_an_item_without_a_place_in_the_hierarchy_is_named() -> None:
    baskets = transactions_from_sets([{"a1", "zebra"}, {"a1"}], hierarchy=tree())
    with pytest.raises(InputError, match="zebra"):
        planned(baskets, k=2, m=1)


def test_no_hierarchy() -> None:
    with pytest.raises(UsageError, match="needs a hierarchy") as caught:
        planned(transactions_from_sets([{"a1"}, {"a1"}]), k=2, m=1)
    assert caught.value.code == "hierarchy-needed"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"k": 1}, "'k' parameter of generalize must be an int in the range [2, inf). Got 1"),
        ({"k": 0}, "'k'"),
        ({"k": -3}, "'k'"),
        ({"k": 2.0}, "'k'"),
        ({"k": True}, "'k'"),
        ({"k": math.nan}, "'k'"),
        ({"m": 0}, "'m' parameter of generalize must be an int in the range [1, inf) or 'auto'. Got 0"),
        ({"m": "all"}, "'m'"),
        ({"m": 1.5}, "'m'"),
        ({"algorithm": "magic"}, "'algorithm'"),
        ({"max_suppressed": 1.0}, "'max_suppressed'"),
        ({"max_suppressed": -0.1}, "'max_suppressed'"),
        ({"max_suppressed": math.nan}, "'max_suppressed'"),
        ({"max_narrowed": 1.1}, "'max_narrowed'"),
        ({"restarts": -1}, "'restarts'"),
        ({"time_budget": 0}, "'time_budget'"),
        ({"time_budget": -1.0}, "'time_budget'"),
    ],
)
def test_parameters_outside_their_range(wrong: dict[str, object], sentence: str) -> None:
    baskets = transactions_from_sets([{"a1"}, {"a1"}], hierarchy=tree())
    with pytest.raises(ParameterError) as caught:
        planned(baskets, **({"k": 2, "m": 1} | wrong))
    assert sentence in str(caught.value)


def test_a_raised_flag_stops_the_search() -> None:
    baskets = transactions_from_sets([{"a1"}, {"a2"}], hierarchy=tree())
    flag = new_flag()
    flag[0] = 1
    for algorithm in ("apriori", "optimal"):
        with pytest.raises(Cancelled):
            planned(baskets, k=2, m=1, algorithm=algorithm, flag=flag)


def test_a_very_deep_hierarchy_costs_no_more_than_its_items() -> None:
    depth = 100_000
    parents = {f"n{level}": f"n{level + 1}" for level in range(depth)} | {"other": f"n{depth}"}
    baskets = transactions_from_sets([{"n0"}, {"other"}, {"n0", "other"}], hierarchy=from_parents(parents))
    plan = planned(baskets, k=2, m=2)
    assert plan.cut.is_root
    assert planned(baskets, k=2, m=1).cut.labels == ("n0", "other")


def test_labels_that_are_no_cut() -> None:
    for labels, what in (
        (["A"], "no node stands for 'b1'"),
        (["A", "a1"], "'a1' lies"),
        (["X"], "'X' is not"),
    ):
        with pytest.raises(InputError, match=what):
            Cut.of_labels(tree(), labels)


def test_a_plan_belongs_to_its_transactions() -> None:
    baskets = transactions_from_sets([{"a1"}, {"a2"}], hierarchy=tree())
    plan = planned(baskets, k=2, m=1)
    with pytest.raises(ValueError, match="belongs to the transactions"):
        plan.apply(baskets.take(np.array([0])))
    without = replace(plan.suppressed, sets=(np.array([[0]], dtype=np.int32),), count=1)
    assert replace(plan, suppressed=without).apply(baskets).sets() == [{"A"}]
