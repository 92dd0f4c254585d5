"""The posterior against a primal solve from the definition, and the laws it must obey."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import InputError
from tacit.methods.disclose.result import divergence
from tacit.methods.disclose.solve import bounds
from tacit.methods.disclose.solve.bounds import posterior_bounds
from tacit.methods.disclose.solve.inference import infer
from tests.cases import parted
from tests.methods.disclose.problems import Statements, population, problem
from tests.oracles.entropy import Row, posterior, posterior_range


def _agree(seeds: range) -> None:
    for seed in seeds:
        truth, rows = problem(seed)
        found = infer(population(truth), [Statements(rows)])
        wanted = posterior(truth.sum(axis=1).tolist(), truth.shape[1], rows)
        assert wanted is not None
        np.testing.assert_allclose(found.posterior, wanted, atol=1e-6, err_msg=f"seed {seed}")
        assert found.certificate.residual <= 1e-8, seed


@pytest.mark.parametrize("seeds", [range(25), pytest.param(range(25, 100), marks=pytest.mark.ci)])
def test_the_posterior_is_that_of_a_primal_solve(seeds: range) -> None:
    _agree(seeds)


@pytest.mark.slow
def test_the_posterior_is_that_of_a_primal_solve_in_many_problems() -> None:
    _agree(range(2_000, 4_000))


@pytest.mark.parametrize("seeds", [range(15), pytest.param(range(15, 40), marks=pytest.mark.ci)])
def test_the_bounds_contain_the_posterior_and_the_truth(seeds: range) -> None:
    for seed in seeds:
        truth, rows = problem(seed)
        people = population(truth)
        found = infer(people, [Statements(rows)])
        for unit in range(len(truth)):
            for value in range(truth.shape[1]):
                low, high = posterior_bounds(found, unit, value)
                assert low is not None and high is not None
                share = truth[unit, value] / truth[unit].sum()
                assert low - 1e-7 <= found.posterior[unit, value] <= high + 1e-7, (seed, unit, value)
                assert low - 1e-7 <= share <= high + 1e-7, (seed, unit, value)


@parted(40)
@pytest.mark.parametrize("most_cells", [pytest.param(0, marks=pytest.mark.ci), 100_000])
def test_the_bounds_are_those_of_one_linear_program(
    most_cells: int, monkeypatch: pytest.MonkeyPatch, seeds: range
) -> None:
    monkeypatch.setattr(bounds, "MOST_CELLS", most_cells)
    shown = 0
    for seed in seeds:
        truth, rows = problem(seed)
        found = infer(population(truth), [Statements(rows)])
        for unit, value in np.ndindex(*truth.shape):
            low, high = posterior_bounds(found, unit, value)
            if low is None or high is None:
                assert most_cells == 0
                continue
            wanted = posterior_range(truth.sum(axis=1).tolist(), truth.shape[1], rows, unit, value)
            np.testing.assert_allclose((low, high), wanted, atol=1e-6, err_msg=f"{seed} {unit} {value}")
            shown += 1
    assert 40 * shown > len(seeds) * (300 if most_cells else 150)


@parted(60)
def test_what_a_reader_of_less_infers_changes_nothing(seeds: range) -> None:
    for seed in seeds:
        truth, rows = problem(seed)
        people = population(truth)
        less = infer(people, [Statements(rows[::2])])
        both = [infer(people, [Statements(rows)], less=known).posterior for known in (None, less)]
        np.testing.assert_allclose(both[0], both[1], atol=1e-7, err_msg=f"seed {seed}")


@parted(120)
def test_more_knowledge_never_raises_the_entropy(seeds: range) -> None:
    for seed in seeds:
        truth, rows = problem(seed)
        people = population(truth)
        entropies = [infer(people, [Statements(rows[:count])]).entropy for count in range(len(rows) + 1)]
        assert (np.diff(entropies) <= 1e-8).all(), seed


@parted(120)
def test_more_equations_never_raise_the_overall_divergence(seeds: range) -> None:
    for seed in seeds:
        truth, rows = problem(seed, equations=True)
        people = population(truth)
        shares = truth / truth.sum(axis=1, keepdims=True)
        weights = truth.sum(axis=1) / truth.sum()
        overall = [
            divergence(shares, infer(people, [Statements(rows[:count])]).posterior) @ weights
            for count in range(len(rows) + 1)
        ]
        assert (np.diff(overall) <= 1e-7).all(), seed


def test_an_inequality_can_raise_the_overall_divergence() -> None:
    """Nobody has x: 'count(x) ≤ 1' of three people gives ln 1.5; the truth about one of them, ⅔ ln 2."""
    truth = np.array([[0, 1], [0, 1], [0, 1]])
    people = population(truth)
    bound = Row((0, 1, 2), 0, -np.inf, 1.0)
    fact = Row((1,), 0, 0.0, 0.0)
    before = divergence(truth.astype(float), infer(people, [Statements([bound])]).posterior).mean()
    after = divergence(truth.astype(float), infer(people, [Statements([bound, fact])]).posterior).mean()
    assert before == pytest.approx(np.log(1.5))
    assert after == pytest.approx(2 / 3 * np.log(2))
    assert after > before


def test_contradictions_are_explained_by_a_set_that_cannot_be_smaller() -> None:
    for seed in range(50):
        truth, rows = problem(seed, equations=True)
        rng = np.random.default_rng(seed)
        spoiled = int(rng.integers(len(rows)))
        row = rows[spoiled]
        rows[spoiled] = Row(row.units, row.value, row.lower + 1, row.upper + 1)
        people = population(truth)
        weights, n_values = truth.sum(axis=1).tolist(), truth.shape[1]
        if posterior(weights, n_values, rows) is not None:
            infer(people, [Statements(rows)])
            continue
        with pytest.raises(InputError) as caught:
            infer(people, [Statements(rows)])
        named = [place for place in range(len(rows)) if f"statement {place}" in caught.value.message]
        assert posterior(weights, n_values, [rows[place] for place in named]) is None, seed
        for place in named:
            rest = [rows[other] for other in named if other != place]
            assert posterior(weights, n_values, rest) is not None, seed


def test_knowing_nothing_leaves_every_value_equally_likely() -> None:
    found = infer(population(np.array([[1, 0, 2], [0, 1, 0]])), [])
    assert np.allclose(found.posterior, 1 / 3)
    assert found.entropy == pytest.approx(np.log(3))
