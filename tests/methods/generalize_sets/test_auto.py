"""m left open: raised until knowing one item more tells little."""

from __future__ import annotations

import random

from tacit.methods.generalize_sets.solve.solve import planned
from tests.oracles import cuts as oracle
from tests.oracles.readers import narrowed
from tests.strategies.baskets import random_baskets


def test_m_is_the_first_that_leaves_few_records_narrowed() -> None:
    seeded = random.Random(1)
    raised = 0
    for _ in range(300):
        baskets = random_baskets(seeded, most_records=20, most_items=9)
        k, share = seeded.randint(2, 4), seeded.choice([0.0, 0.1, 0.3])
        if sum(map(bool, baskets.records)) < k:
            continue
        plan = planned(baskets.transactions, k=k, m="auto", max_narrowed=share)
        assert plan.m == plan.attempts[-1].m
        assert [attempt.m for attempt in plan.attempts] == list(range(1, plan.m + 1))
        published = oracle.published(baskets.records, plan.cut.mapping)
        assert oracle.is_anonymous(published, k, plan.m)
        allowed = share * len(baskets.records)
        assert plan.attempts[-1].narrowed <= allowed
        assert all(attempt.narrowed > allowed for attempt in plan.attempts[:-1])
        assert sum(narrowed(published, k, plan.m + 1)) <= allowed
        raised += plan.m > 1
    assert raised
