"""The control of the minimality attack counts every way to hand values out by its chances."""

from __future__ import annotations

import itertools
import math

import numpy as np

from benchmarks.control import shares_inside


def enumerated(values: list[int], chances: np.ndarray) -> np.ndarray:
    """The shares of one group, from the definition."""
    shares = np.zeros(chances.shape)
    for order in itertools.permutations(values):
        weight = math.prod(chances[row, value] for row, value in enumerate(order))
        for row, value in enumerate(order):
            shares[row, value] += weight
    return shares / shares.sum(axis=1, keepdims=True)


def test_exchanges_give_each_row_its_share_of_the_values_of_its_group() -> None:
    generator = np.random.default_rng(3)
    chances = generator.dirichlet(np.ones(4) / 2, 11) + 0.01
    chances[2, 3] = 0.0  # a rule forbids it
    groups = np.repeat([0, 1, 2], [3, 4, 4]).astype(np.int32)
    values = np.array([0, 1, 2, 3, 0, 0, 1, 2, 2, 3, 1], dtype=np.int32)
    found = shares_inside(groups, values, chances, generator, steps=60_000)
    for group in range(3):
        inside = groups == group
        expected = enumerated(values[inside].tolist(), chances[inside])
        assert np.abs(found[inside] - expected).max() < 0.03
    assert found[2, 3] == 0.0
