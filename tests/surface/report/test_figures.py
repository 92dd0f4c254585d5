"""The figures behind the plots, against what a person would count."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.data.hierarchy import from_parents
from tacit.methods.bucketize.judge.measured import posterior_histogram, valid_value_histogram
from tacit.methods.bucketize.judge.risks import vulnerable_rows
from tacit.methods.disclose.result import POINTS, divergence_curve, posterior_counts
from tacit.methods.generalize_sets.solve.cut import Cut, cut_tree
from tacit.methods.hide.judge import pattern_supports

ITEMS = ("a", "b", "c", "d")


def test_histograms_count_every_row_once_and_agree_with_the_attacks() -> None:
    release = tacit.bucketize(tacit.load_sample("hospital:300"), l=3, algorithm="anatomy")
    rules, risk = release.judged_by, release.risk().release
    bars = valid_value_histogram(release.buckets, rules)
    assert sum(bar.rows for bar in bars) == risk.rows
    assert [bar.values for bar in bars] == list(range(1, len(bars) + 1))
    assert risk.vulnerable > 0
    for l in range(1, 6):
        assert sum(bar.rows for bar in bars if bar.values < l) == vulnerable_rows(release.buckets, rules, l)
    steps = posterior_histogram(release.buckets, rules)
    assert sum(step.rows for step in steps) == risk.rows
    highest = max(step for step, found in enumerate(steps) if found.rows)
    assert steps[highest].low <= risk.posterior.largest <= steps[highest].high
    above = sum(step.rows for step in steps if step.low >= 0.35)
    assert above <= round(risk.posterior.above * risk.rows)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.frozensets(st.sampled_from(ITEMS), min_size=1), min_size=1, max_size=12),
    st.lists(st.frozensets(st.sampled_from((*ITEMS, "never")), min_size=1), max_size=6),
)
def test_supports_of_patterns(sets: list[frozenset[str]], patterns: list[frozenset[str]]) -> None:
    wanted = [sum(pattern <= one for one in sets) for pattern in patterns]
    assert pattern_supports(tacit.transactions_from_sets(sets), patterns) == wanted


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 10) | st.just(math.inf), st.integers(1, 9)), min_size=1, max_size=20))
def test_the_divergence_curve_reads_off_everybody_sorted(groups: list[tuple[float, int]]) -> None:
    everybody = sorted(value for value, people in groups for _ in range(people))
    curve = divergence_curve(np.array([d for d, _ in groups]), np.array([n for _, n in groups]))
    wanted = []
    for step in range(POINTS):
        value = everybody[max(1, math.ceil(step * len(everybody) / (POINTS - 1) - 1e-9)) - 1]
        if math.isfinite(value):
            wanted.append((step / (POINTS - 1), value))
    assert [(point["share"], point["d_individual"]) for point in curve] == wanted


def test_posteriors_are_counted_by_people() -> None:
    posterior = np.array([[0.35, 0.65], [1.0, 0.0], [0.5, 0.5]])
    counts = posterior_counts(posterior, np.array([3, 2, 5]))
    assert {step["low"]: step["people"] for step in counts if step["people"]} == {0.65: 3, 0.95: 2, 0.5: 5}
    assert len(counts) == 20


def test_a_cut_as_a_tree() -> None:
    tree = from_parents(
        {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "c": "C", "A": "ALL", "B": "ALL", "C": "ALL"}
    )
    nodes = cut_tree(Cut.of_labels(tree, ["A", "b1", "b2", "c"]))
    assert [(node.node, node.parent, node.items, node.published_as, node.in_cut) for node in nodes] == [
        ("ALL", None, 5, 4, False),
        ("A", "ALL", 2, 1, True),
        ("B", "ALL", 2, 2, False),
        ("C", "ALL", 1, 1, False),
    ]
    root = cut_tree(Cut.of_labels(tree, ["ALL"]))
    assert [(node.node, node.in_cut) for node in root] == [("ALL", True)]
