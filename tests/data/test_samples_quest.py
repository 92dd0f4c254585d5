"""The Quest-like generator: its own laws, and its marginals beside a published output of the original."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import fim
import numpy as np
import pytest
from scipy.stats import ks_2samp

from tacit.data.transactions import Transactions
from tacit.errors import ParameterError
from tacit.io.samples.quest import quest, quest_chunks

QUANTILES = [0.1, 0.25, 0.5, 0.75, 0.9]


def records(transactions: Transactions) -> list[list[int]]:
    return [part.tolist() for part in np.split(transactions.items, transactions.indptr[1:-1])]


def frequent_by_size(sets: list[list[int]], minimum: int) -> Counter[tuple[int, int]]:
    """The number of frequent itemsets by (support at least 1 % of the records, size)."""
    found = fim.eclat(sets, supp=-minimum, report="a")
    return Counter((support >= len(sets) // 100, len(items)) for items, support in found)


def test_chunks_are_the_same_transactions() -> None:
    whole = quest(20_000, items=200, seed=3)
    pieces = list(quest_chunks(20_000, items=200, seed=3, chunk=7_001))
    assert [len(piece) for piece in pieces] == [7_001, 7_001, 5_998]
    assert [one for piece in pieces for one in piece.sets()] == whole.sets()


def test_transactions_keep_the_promises_of_transactions() -> None:
    sample = quest(5_000, items=300, average_length=8, seed=1)
    steps = np.diff(sample.items)
    inside = np.ones(len(steps), dtype=bool)
    inside[sample.indptr[1:-1] - 1] = False
    assert (steps[inside] > 0).all()
    assert (sample.supports > 0).all()
    assert [int(name) for name in sample.vocabulary] == sorted(int(name) for name in sample.vocabulary)
    assert int(sample.vocabulary[-1]) < 300


@pytest.mark.parametrize(
    "shape",
    [
        {"items": 1},
        {"items": 3, "average_length": 15},
        {"patterns": 1},
        {"average_length": 1, "pattern_length": 1},
        {"corruption": 0, "corruption_variance": 0},
        {"corruption": 1, "corruption_variance": 0},
        {"correlation": 0},
        {"correlation": 1},
        {"items": 5000, "average_length": 200, "pattern_length": 30},
    ],
    ids=str,
)
def test_odd_shapes_end(shape: dict[str, float]) -> None:
    sample = quest(300, seed=7, **shape)  # type: ignore[arg-type]
    assert len(sample) == 300
    assert sample.lengths.max() <= shape.get("items", 1000)
    if shape.get("corruption") == 1:  # nothing is ever left of a pattern
        assert sample.lengths.max() == 0


@pytest.mark.parametrize(("mean", "pattern"), [(2, 1), (5, 1.5), (10, 4), (15, 4), (40, 4)])
def test_the_average_length_is_the_one_asked_for(mean: float, pattern: float) -> None:
    """As long as patterns are shorter: one that does not fit is put in whole in half the cases."""
    lengths = quest(20_000, average_length=mean, pattern_length=pattern, seed=2).lengths
    assert abs(lengths.mean() / mean - 1) < 0.03
    assert lengths.min() >= 1


def test_without_corruption_patterns_come_whole() -> None:
    """Disjoint patterns, never corrupted: every transaction is a union of them, but for none cut short."""
    sample = quest(
        2_000, items=100_000, patterns=20, correlation=0, corruption=0, corruption_variance=0, seed=5
    )
    together = {frozenset(items.tolist()) for items in _components(sample)}
    for one in sample.sets():
        numbers = {sample.index[name] for name in one}
        assert all(pattern <= numbers or not pattern & numbers for pattern in together)
    assert len(together) <= 20


def _components(sample: Transactions) -> list[np.ndarray]:
    """Items with the very same transactions, as one array each."""
    owners: dict[int, list[int]] = {}
    for number, items in enumerate(records(sample)):
        for item in items:
            owners.setdefault(item, []).append(number)
    groups: dict[tuple[int, ...], list[int]] = {}
    for item, numbers in owners.items():
        groups.setdefault(tuple(numbers), []).append(item)
    return [np.array(items) for items in groups.values()]


@pytest.mark.parametrize(
    "wrong",
    [
        {"items": 0},
        {"average_length": 0.5},
        {"patterns": 0},
        {"pattern_length": float("nan")},
        {"correlation": 1.5},
        {"corruption": -0.1},
        {"seed": -1},
    ],
    ids=str,
)
def test_values_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        quest(10, **wrong)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def published(public_data: Path) -> list[list[int]]:
    """T10.I4.D100K, an output of the original generator."""
    return [list(map(int, line.split())) for line in (public_data / "T10I4D100K.dat").open()]


def test_marginals_beside_the_published_output(published: list[list[int]]) -> None:
    """Lengths agree closely, and item frequencies as two samples of one distribution do.

    That is, their Kolmogorov-Smirnov distance stays below its 0.1 % point.
    """
    lengths = np.array([len(record) for record in published])
    supports = np.unique(np.concatenate(published), return_counts=True)[1]
    print(f"\npublished: length {lengths.mean():.3f} ± {lengths.std():.3f}, {len(supports)} items,", end=" ")
    print(f"quantiles {np.quantile(supports, QUANTILES).round()}")
    for variance, seed in ((0.1, 0), (0.1, 1), (0.01, 0), (0.01, 1), (0.01, 2), (0.01, 3)):
        ours = quest(100_000, average_length=10, corruption_variance=variance, seed=seed)
        distance = ks_2samp(ours.supports, supports).statistic
        print(f"variance {variance}, seed {seed}: length {ours.lengths.mean():.3f} ±", end=" ")
        print(f"{ours.lengths.std():.3f}, {ours.n_items} items,", end=" ")
        print(f"quantiles {np.quantile(ours.supports, QUANTILES).round()}, distance {distance:.3f}")
        assert abs(ours.lengths.mean() / lengths.mean() - 1) < 0.01
        assert abs(ours.lengths.std() / lengths.std() - 1) < 0.02
        assert abs(ours.n_items / len(supports) - 1) < 0.04
        assert distance < 1.95 * np.sqrt(1 / ours.n_items + 1 / len(supports))


@pytest.mark.slow
def test_frequent_itemsets_beside_the_published_output(published: list[list[int]]) -> None:
    """How many sets of each size are frequent: the published file lies inside the range of eight seeds.

    The number hangs on the few heaviest patterns and changes much from seed to seed. The range holds
    the published file for corruption levels of variance 0.01; at the variance of 0.1 that the paper
    states there are more frequent pairs (the test prints both).
    """
    found = frequent_by_size(published, 500)
    print(f"\npublished: {sizes(found)}")
    drawn: dict[float, list[Counter[tuple[int, int]]]] = {0.1: [], 0.01: []}
    for variance, found_here in drawn.items():
        for seed in range(8):
            ours = quest(100_000, average_length=10, corruption_variance=variance, seed=seed)
            found_here.append(frequent_by_size(records(ours), 500))
            print(f"variance {variance}, seed {seed}: {sizes(found_here[-1])}")
    for high in (True, False):
        for size in (1, 2, 3, 4):
            numbers = [total(counts, high=high, size=size) for counts in drawn[0.01]]
            assert min(numbers) <= total(found, high=high, size=size) <= max(numbers), (high, size, numbers)


def total(counts: Counter[tuple[int, int]], *, high: bool, size: int) -> int:
    """Frequent itemsets of a size at 1 % (high) or 0.5 %."""
    return counts[True, size] + (0 if high else counts[False, size])


def sizes(counts: Counter[tuple[int, int]]) -> str:
    """The figures to print: frequent itemsets of 1, 2, 3, … items at both supports."""
    upto = range(1, max(size for _, size in counts) + 1)
    high = [total(counts, high=True, size=size) for size in upto]
    low = [total(counts, high=False, size=size) for size in upto]
    return f"frequent by size at 1 %: {high}, at 0.5 %: {low}"


def test_tens_of_thousands_of_frequent_patterns() -> None:
    """T15 at 1 %: the sample on which hiding is tried is as rich as the one in the literature."""
    sample = quest(100_000, pattern_length=8, patterns=500, seed=1)
    counts = Counter(len(items) for items, _ in fim.eclat(records(sample), supp=-1000, report="a", zmin=2))
    print(f"\nT15: {sum(counts.values())} frequent patterns, by size {sorted(counts.items())}")
    assert 40_000 < sum(counts.values()) < 65_000
    assert max(counts) >= 10
