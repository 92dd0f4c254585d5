"""A reader who knows the tool: what it tells that classes were joined or not divided, over all tables."""

from __future__ import annotations

import math

import pytest

from tacit.recoding import CELLS, GLOBAL, LOCAL, SUBTREE
from tests.cases import cases
from tests.oracles.recoded_readers import PROMISES, RULE, Finding, Way, findings

FEW = [pytest.param(6, id="few"), pytest.param(cases(60), marks=pytest.mark.ci, id="many")]


def of(recoding: str, promise: str, tables: int, epsilon: float = 0.4) -> list[Finding]:
    return [one for some in findings(Way(recoding, promise, epsilon), tables) for one in some]


@pytest.mark.parametrize("tables", FEW)
@pytest.mark.parametrize("recoding", [LOCAL, pytest.param(CELLS, marks=pytest.mark.ci)])
@pytest.mark.parametrize("promise", [name for name in PROMISES if name != RULE])
def test_one_exchange_changes_the_odds_by_a_factor_of_epsilon(
    recoding: str, promise: str, tables: int
) -> None:
    found = of(recoding, promise, tables)
    assert max(one.largest_ratio for one in found) <= math.exp(0.4) + 1e-9
    assert max(one.excess for one in found) <= 0.1
    assert any(one.classes > 1 for one in found) and any(one.excess > 0 for one in found)


@pytest.mark.parametrize("tables", FEW)
def test_a_smaller_epsilon_tells_less(tables: int) -> None:
    gained = [sum(one.chance * one.excess for one in of(LOCAL, "ℓ = 2", tables, e)) for e in (0.1, 0.4, 1.0)]
    assert gained == sorted(gained)


@pytest.mark.parametrize("recoding", [GLOBAL, SUBTREE])
def test_levels_chosen_by_values_are_not_promised_to_tell_nothing(recoding: str) -> None:
    """Why the promise of such a release says so."""
    assert max(one.excess for one in of(recoding, "ℓ = 2", 12)) > 0.1
