"""Who shares a bucket, where rules matter: a reader who simulates the tool learns nothing from it.

1,000 people, ℓ = 2; twelve of them live in a town where nobody has the commonest value, which 40 % have.
Buckets filled by which rows are compatible gave these twelve away: a value stated as 1 in 2 was right for
69 % of them, and for 86 % with the attack that found it.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from tacit.data.table import Table, table_from_frame
from tacit.engine.local.engine import LocalEngine
from tacit.methods.bucketize.asked import Asked
from tacit.methods.bucketize.solve.plan import Counted, Plan, make_plan
from tacit.methods.bucketize.solve.solve import count_classes, solve
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key

SHARES = (0.4, 0.3, 0.1, 0.1, 0.05, 0.05)
TOWNSPEOPLE = 12
TABLES = 160


@dataclass(frozen=True)
class Seen:
    """One of the twelve: how likely the release states each value, and the truth."""

    stated: tuple[Fraction, ...]
    value: int


def drawn_table(seed: int) -> Table:
    """All tables with the same totals in which the rule holds are equally likely."""
    generator = np.random.default_rng(seed)
    shares = np.array(SHARES)
    value = generator.choice(len(shares), 1000, p=shares)
    others = np.where(np.arange(len(shares)) == 0, 0.0, shares)
    value[:TOWNSPEOPLE] = generator.choice(len(shares), TOWNSPEOPLE, p=others / others.sum())
    towns = np.where(np.arange(1000) < TOWNSPEOPLE, "small", "large")
    frame = pl.DataFrame({"town": towns, "value": [f"v{code}" for code in value]})
    return table_from_frame(frame, quasi=["town"], sensitive="value")


def seen(plan: Plan, counted: Counted) -> list[Seen]:
    """The twelve in the buckets of a plan; theirs are the values but the commonest, each row alike."""
    assert plan.combinations is not None
    (towns, values), codes = counted.combinations.texts, counted.combinations.codes[plan.combinations]
    value = np.array([int(str(text)[1:]) for text in values])[codes[:, 1]]
    small = np.array(towns)[codes[:, 0]] == "small"
    found = []
    for here in np.split(np.arange(len(codes)), plan.offsets[1:-1]):
        allowed = Counter(code for code in value[here].tolist() if code)
        stated = tuple(Fraction(allowed[code], max(1, allowed.total())) for code in range(len(SHARES)))
        found += [Seen(stated, code) for code in value[here][small[here]].tolist()]
    return found


def simulated() -> tuple[list[list[Seen]], list[list[Seen]]]:
    """What a reader sees who draws tables and bucketizes each; and the same where buckets are pairs."""
    found, paired = [], []
    for seed in range(TABLES):
        table, key = drawn_table(seed), Key.from_seed(seed)
        rules = mine_negative_rules(table)
        counted = count_classes(table, rules, LocalEngine(), key)
        asked = Asked(l=2, key=key, engine=LocalEngine(), partners="areas", epsilon=0.4)
        plan = solve(counted, asked)
        found.append(seen(plan, counted))
        paired.append(seen(in_pairs(plan, counted, seed), counted))
    return found, paired


def in_pairs(plan: Plan, counted: Counted, seed: int) -> Plan:
    """The same rows, each of the twelve with a partner whose value is rarer than hers, if any is."""
    assert plan.combinations is not None
    generator = np.random.default_rng(seed)
    rows = plan.combinations[generator.permutation(len(plan.combinations))]
    classes = counted.classes
    small = classes.forbidden[counted.class_of[rows]].any(axis=1)
    held = classes.values[counted.class_of[rows]]
    often = np.bincount(held, minlength=classes.n_values)
    bucket = np.full(len(rows), -1, dtype=np.int32)
    for number, row in enumerate(np.flatnonzero(small)):
        fits = np.flatnonzero((bucket < 0) & ~small & (often[held] < often[held[row]]))
        spare = np.flatnonzero((bucket < 0) & ~small & (held != held[row]) & (often[held] < often.max()))
        bucket[[row, (fits if len(fits) else spare)[0]]] = number
    bucket[bucket < 0] = TOWNSPEOPLE
    none = np.zeros(len(classes), dtype=np.int64)
    return make_plan(classes, counted.class_of[rows], bucket, none, combinations=rows)


def right_and_stated(tables: list[list[Seen]]) -> tuple[float, float, int]:
    """How often the reader's guess is right, how often the release says it is, and about how many people.

    In the first half of the tables he learns how much commoner each value is than stated.
    """
    half = len(tables) // 2
    there, said = np.ones(len(SHARES)), np.ones(len(SHARES))
    for one in (one for table in tables[:half] for one in table):
        there[one.value] += 1
        said += np.array(one.stated, dtype=float)
    right, stated = [], []
    for one in (one for table in tables[half:] for one in table):
        guess = int((np.array(one.stated, dtype=float) * there / said).argmax())
        right.append(guess == one.value)
        stated.append(float(one.stated[guess]))
    return float(np.mean(right)), float(np.mean(stated)), len(right)


@pytest.mark.ci
def test_a_reader_who_simulates_the_tool_is_right_as_often_as_stated() -> None:
    for pairs, tables in enumerate(simulated()):
        right, stated, people = right_and_stated(tables)
        error = math.sqrt(stated * (1 - stated) / people)
        if pairs:  # the attack finds buckets that are made by who holds what
            assert right > stated + 5 * error
        else:
            assert right < stated + 3 * error
            assert 0.3 < stated < 0.7
