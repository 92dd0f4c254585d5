"""The hierarchy's arrays against the definitions, and the errors of trees that are none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.errors import InputError
from tests.oracles import trees as oracle
from tests.strategies.trees import PLAIN_LABELS, RandomTree, trees


def _hierarchy(tree: RandomTree) -> Hierarchy:
    return from_parents(tree.parents, root=tree.root)


@given(trees())
def test_numbering_puts_leaves_first_children_before_parents_and_the_root_last(tree: RandomTree) -> None:
    hierarchy = _hierarchy(tree)
    assert hierarchy.labels[hierarchy.root] == tree.root
    assert list(hierarchy.labels[: hierarchy.n_leaves]) == oracle.leaves(tree.parents, tree.root)
    links = {hierarchy.labels[n]: hierarchy.labels[p] for n, p in enumerate(hierarchy.parents) if p >= 0}
    assert links == tree.parents
    assert all(parent > node for node, parent in enumerate(hierarchy.parents[:-1]))
    assert hierarchy.parents[hierarchy.root] == -1


@given(trees())
def test_arrays_follow_the_definitions(tree: RandomTree) -> None:
    hierarchy = _hierarchy(tree)
    labels = hierarchy.labels
    for node, label in enumerate(labels):
        below = oracle.leaves(tree.parents, label)
        low, high = hierarchy.leaf_ranges[node]
        assert list(labels[low:high]) == below
        assert hierarchy.leaf_counts[node] == len(below)
        assert hierarchy.heights[node] == oracle.height(tree.parents, label)
        assert hierarchy.depths[node] == oracle.depth(tree.parents, label)
        assert [labels[child] for child in hierarchy.children[node]] == oracle.children(tree.parents, label)
        assert [labels[above] for above in hierarchy.ancestors(node)] == oracle.ancestors(tree.parents, label)
        assert hierarchy.index[label] == node


@given(trees(), st.data())
def test_restricting_keeps_the_ways_from_the_leaves_to_the_root(
    tree: RandomTree, data: st.DataObject
) -> None:
    hierarchy = _hierarchy(tree)
    leaves = hierarchy.labels[: hierarchy.n_leaves]
    keep = data.draw(st.sets(st.sampled_from(leaves), min_size=1))
    wanted = from_parents(oracle.restricted(tree.parents, keep), root=tree.root)
    found = hierarchy.restricted(keep)
    assert found.labels == wanted.labels
    assert found.parents.tolist() == wanted.parents.tolist()


@given(trees(labels=st.integers(-50, 50).map(str), least=2))
def test_intervals_span_the_numbers_of_the_leaves(tree: RandomTree) -> None:
    hierarchy = _hierarchy(tree)
    assert hierarchy.intervals is not None
    for node, label in enumerate(hierarchy.labels):
        numbers = [float(leaf) for leaf in oracle.leaves(tree.parents, label)]
        assert hierarchy.intervals[node].tolist() == [min(numbers), max(numbers)]


@given(trees(labels=PLAIN_LABELS, least=3), st.data())
def test_any_link_turned_downwards_is_a_cycle_and_a_missing_one_a_second_root(
    tree: RandomTree, data: st.DataObject
) -> None:
    child = data.draw(st.sampled_from(list(tree.parents)))
    below = data.draw(st.sampled_from([child, *oracle.leaves(tree.parents, child)]))
    with pytest.raises(InputError) as caught:
        from_parents({**tree.parents, child: below})
    assert caught.value.code == ("hierarchy-self-loop" if below == child else "hierarchy-cycle")
    if oracle.children(tree.parents, child) and oracle.children(tree.parents, tree.root) != [child]:
        with pytest.raises(InputError) as caught:
            from_parents({node: parent for node, parent in tree.parents.items() if node != child})
        assert caught.value.code == "hierarchy-roots"


def test_intervals_need_numbers() -> None:
    assert from_parents({"1": "*", "inf": "*"}).intervals is None
    assert from_parents({"1": "*", "b": "*"}).intervals is None


def test_values_find_their_leaves_and_nulls_theirs() -> None:
    hierarchy = from_parents({"a": "g", "b": "g", "g": "*", NULL_LABEL: "*"})
    found = hierarchy.leaves_of(["b", None, "b", "a"])
    assert [hierarchy.labels[leaf] for leaf in found] == ["b", NULL_LABEL, "b", "a"]
    assert found.dtype == np.int32


def test_missing_values_are_named_twenty_at_a_time() -> None:
    hierarchy = from_parents({"a": "g", "g": "*"}, name="ward")
    with pytest.raises(
        InputError, match="25 of the values have no leaf in the hierarchy of 'ward': 'v0'"
    ) as caught:
        hierarchy.leaves_of([f"v{number}" for number in range(25)])
    assert caught.value.code == "hierarchy-missing-leaf"
    assert caught.value.message.endswith("'v19' and 5 more.")
    with pytest.raises(InputError, match="inner node"):
        hierarchy.leaves_of(["g"])


def test_nothing_is_no_hierarchy_and_one_node_is_one() -> None:
    with pytest.raises(InputError) as caught:
        from_parents({})
    assert caught.value.code == "hierarchy-empty"
    alone = from_parents({}, root="*")
    assert (alone.labels, alone.n_leaves, alone.leaf_ranges.tolist()) == (("*",), 1, [[0, 1]])


def test_a_long_chain_with_a_leaf_at_each_node() -> None:
    n = 20_000
    parents = {f"n{node}": f"n{node + 1}" for node in range(n)}
    parents.update({f"l{node}": f"n{node}" for node in range(1, n)})
    hierarchy = from_parents(parents)
    assert hierarchy.heights[hierarchy.root] == n
    assert hierarchy.depths[hierarchy.index["n0"]] == n
    assert hierarchy.leaf_counts[hierarchy.root] == hierarchy.n_leaves == n
    assert len(hierarchy.children[hierarchy.index["n5"]]) == 2
    # After dropping the leaves beside it, the chain is left.
    assert hierarchy.restricted(["n0"]).n_nodes == n + 1


def test_arrays_cannot_be_changed() -> None:
    hierarchy = from_parents({"a": "*", "b": "*"})
    for array in (
        hierarchy.parents,
        hierarchy.leaf_ranges,
        hierarchy.leaf_counts,
        hierarchy.depths,
        hierarchy.heights,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
