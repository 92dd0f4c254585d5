"""Certainty is proven by statements that suffice, and none of which can be left out."""

from __future__ import annotations

import numpy as np

from tacit.methods.disclose.solve.inference import infer
from tacit.methods.disclose.solve.linear import reasons_for_certainty
from tests.methods.disclose.problems import Statements, population, problem


def test_the_reasons_suffice_and_each_is_needed() -> None:
    proven = 0
    for seed in range(60):
        truth, rows = problem(seed)
        people = population(truth)
        found = infer(people, [Statements(rows)])
        for unit, value in zip(*np.nonzero(found.posterior == 1.0), strict=True):
            reasons = reasons_for_certainty(found, int(unit), int(value)).tolist()
            again = infer(people, [Statements([rows[place] for place in reasons])])
            assert again.posterior[unit, value] == 1.0, (seed, unit)
            for place in reasons:
                rest = [rows[other] for other in reasons if other != place]
                assert infer(people, [Statements(rest)]).posterior[unit, value] < 1.0, (seed, unit, place)
            proven += 1
    assert proven > 5
