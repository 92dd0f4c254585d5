"""What a generalized table is still good for, against the definitions, on small random tables."""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.errors import InfeasibleError
from tacit.judging.queries import code_ends, counted, random_queries
from tacit.methods.generalize_tables.release import GeneralizedTable
from tacit.random.key import Key
from tests.methods.generalize_tables.random_tables import RandomTable, random_table

KEY = Key.from_seed(5)


def leaves_below(tree: dict[str, str], node: str) -> set[str]:
    """The leaves under a node, by climbing from each."""
    found = set()
    for leaf in tree.keys() - set(tree.values()):
        at: str | None = leaf
        while at is not None and at != node:
            at = tree.get(at)
        if at == node:
            found.add(leaf)
    return found


def made(seed: int) -> tuple[RandomTable, GeneralizedTable]:
    draw = random.Random(seed)
    drawn = random_table(draw)
    recoding = draw.choice(["local", "global", "subtree"])
    left_out = {} if recoding == "local" else {"max_suppressed": 0.4}
    try:
        return drawn, tacit.generalize(drawn.table, k=2, recoding=recoding, key=KEY, **left_out)  # type: ignore[arg-type]
    except InfeasibleError:
        pytest.skip("the table has one row")


@given(st.integers(0, 10**6))
def test_information_lost_is_what_tells_a_value_from_those_below_its_node(seed: int) -> None:
    drawn, release = made(seed)
    shown = {int(row): cells for row, cells in zip(release.recoded.rows, release.table.rows(), strict=True)}
    lost = all_bits = 0.0
    for place, tree in enumerate(drawn.forest):
        counts = Counter(row[place] for row in drawn.rows)
        for number, row in enumerate(drawn.rows):
            bits = math.log2(len(drawn.rows) / counts[row[place]])
            all_bits += bits
            if number in shown:
                below = sum(counts[leaf] for leaf in leaves_below(tree, shown[number][place]))
                bits = math.log2(below / counts[row[place]])
            lost += bits
    expected = lost / all_bits if all_bits else 0.0
    assert release.utility().entropy == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 10**6))
def test_a_count_is_the_expectation_over_the_values_below_each_node(seed: int) -> None:
    drawn, release = made(seed)
    table, recoded = release.original, release.recoded
    exact, shown = table.known, recoded.known
    sensitive = table.sensitive[0]
    queries = random_queries(
        code_ends(exact), len(sensitive.values), dimensions=len(exact), selectivity=0.2, queries=5, seed=seed
    )
    nodes = queries.of_nodes(exact, shown, table.hierarchies)
    found = counted(shown, sensitive.codes[recoded.rows], len(sensitive.values), nodes)
    for query in range(5):
        expected = Fraction(0)
        for cells in release.table.rows():
            share = Fraction(sensitive.texts.index(cells[-1]) in np.flatnonzero(queries.wanted_values[query]))
            for place, column in enumerate(exact):
                start, end = queries.ends[place : place + 2]
                wanted = {column.texts[code] for code in np.flatnonzero(queries.wanted[query, start:end])}
                below = leaves_below(drawn.forest[place], cells[place]) & {*column.texts}
                share *= Fraction(len(wanted & below), len(below))
            expected += share
        assert found[query] == pytest.approx(float(expected), rel=1e-5)


def test_nothing_lost_is_no_error() -> None:
    patients = tacit.load_sample("hospital:300")
    twice = patients.take(np.repeat(np.arange(300), 2))
    kept = tacit.generalize(twice, k=2, key=KEY).utility()
    assert (kept.loss, kept.entropy, kept.count_queries.mean, kept.count_queries.median) == (0, 0, 0, 0)
    assert kept.discernibility >= 1200
