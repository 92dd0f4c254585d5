"""The judges measure what they say, on small releases where it can be worked out by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit.data.table import Table, table_from_frame
from tacit.errors import InfeasibleError
from tacit.io.samples import load_sample
from tacit.judging.telling import rank_correlation
from tacit.methods.bucketize.judge import risks
from tacit.methods.bucketize.judge.buckets import Buckets, buckets_of
from tacit.methods.bucketize.judge.measured import valid_value_histogram
from tacit.methods.bucketize.judge.risks import (
    largest_posterior,
    learning_attack,
    unique_rows,
    valid_value_counts,
    vulnerable_rows,
)
from tacit.methods.bucketize.judge.utility import (
    answers,
    measure_buckets,
    query_errors,
    random_queries,
    rule_error,
)
from tacit.methods.bucketize.verb import bucketize
from tacit.mining.knowledge import NegativeRules
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key
from tests.methods.bucketize.releases import random_table
from tests.oracles import assignments as oracle


def drawn(generator: np.random.Generator, *, sensitive: int = 1) -> tuple[Table, Buckets, NegativeRules]:
    """A table with rules, put into buckets of up to five rows at random."""
    table = random_table(generator, rows=25, sensitive=sensitive)
    rules = mine_negative_rules(table, min_expectation=0.5)
    groups = generator.permutation(25) // 5 + 1
    return table, buckets_of(table, groups.astype(np.int32)), rules


def of_buckets(
    table: Table, buckets: Buckets, rules: NegativeRules
) -> list[tuple[list[int], list[int], list[set[int]]]]:
    """(rows, values, forbidden sets) of each bucket, worked out row by row from the texts of the rules."""
    found = []
    for bucket in range(buckets.n_buckets):
        rows = buckets.rows[buckets.groups == bucket].tolist()
        column = table.column("s0")
        values = [int(column.codes[row]) for row in rows]
        forbidden = []
        for row in rows:
            cells = {column.name: column.texts[column.codes[row]] for column in table.known}
            barred = {
                list(column.texts).index(rule.value)
                for rule in rules
                if all(cells[name] == label for name, label in rule.when)
            }
            forbidden.append(barred)
        found.append((rows, values, forbidden))
    return found


def test_valid_values_and_posteriors_are_those_of_the_definition() -> None:
    generator = np.random.Generator(np.random.PCG64(50))
    for _ in range(40):
        table, buckets, rules = drawn(generator)
        valid = np.zeros(25, dtype=int)
        largest, above = 0.0, 0
        for rows, values, forbidden in of_buckets(table, buckets, rules):
            for row, mine in zip(rows, oracle.valid_values(values, forbidden), strict=True):
                valid[row] = len(mine)
            for mine in oracle.shares(values, forbidden):
                largest = max(largest, float(max(mine.values())))
                above += float(max(mine.values())) > 1 / 3 + 1e-9
        assert valid_value_counts(buckets, rules).tolist() == valid.tolist()
        posterior = largest_posterior(buckets, rules, 3)
        assert posterior.largest == pytest.approx(largest, abs=1e-12)
        assert posterior.above == pytest.approx(above / 25)
        assert posterior.error == 0 and posterior.sampled_buckets == 0


def test_valid_values_are_counted_once_for_all_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    _, buckets, rules = drawn(np.random.Generator(np.random.PCG64(52)))
    valid, asked = valid_value_counts(buckets, rules), []
    monkeypatch.setattr(risks, "valid_value_counts", lambda *given: asked.append(given) or valid)
    for l in range(8):
        assert vulnerable_rows(buckets, rules, l) == (valid < l).sum()
    bars = valid_value_histogram(buckets, rules)
    assert [bar.rows for bar in bars] == np.bincount(valid, minlength=2)[1:].tolist()
    assert len(asked) == 1


def test_queries_are_answered_by_expectation() -> None:
    """Both estimators, against the sum over rows worked out one by one."""
    generator = np.random.Generator(np.random.PCG64(51))
    for number in range(15):
        table, buckets, rules = drawn(generator)
        queries = random_queries(buckets, 2, 0.3, 20, number)
        truth, uniform, valid = answers(buckets, queries, (None, rules))
        values_of = buckets.entries(None).classes.parts[:, 0]
        expected = np.zeros((3, 20))
        for rows, values, forbidden in of_buckets(table, buckets, rules):
            free = oracle.shares(values, [set() for _ in values])
            bound = oracle.shares(values, forbidden)
            for place, row in enumerate(rows):
                codes = [int(column.codes[row]) for column in table.known]
                for query in range(20):
                    if not all(
                        queries.wanted[query, buckets.known_ends[attribute] + code]
                        for attribute, code in enumerate(codes)
                        if queries.asked[query, attribute]
                    ):
                        continue
                    wanted = {int(values_of[value]) for value in np.flatnonzero(queries.wanted_values[query])}
                    expected[0, query] += values[place] in wanted
                    expected[1, query] += float(sum(free[place].get(value, 0) for value in wanted))
                    expected[2, query] += float(sum(bound[place].get(value, 0) for value in wanted))
        for got, want in zip((truth, uniform, valid), expected, strict=True):
            assert got == pytest.approx(want, abs=1e-9)


def test_queries_whose_answer_is_zero_are_skipped_and_counted() -> None:
    generator = np.random.Generator(np.random.PCG64(52))
    _, buckets, rules = drawn(generator)
    (error,) = query_errors(buckets, rules, dimensions=[2], selectivity=0.02, queries=200)
    assert error.queries + error.skipped == 200 and error.skipped > 0


def test_a_release_that_hides_nothing_has_no_error() -> None:
    """Every bucket of one value: counts and rules come out as they are."""
    generator = np.random.Generator(np.random.PCG64(53))
    table = random_table(generator, rows=200)
    single = buckets_of(table, (table.column("s0").codes + 1).astype(np.int32))
    (counted,) = query_errors(single, None, dimensions=[2], selectivity=0.2, queries=100)
    assert counted.uniform == pytest.approx(0)
    error = rule_error(single, None, min_support=0.02, min_conviction=1.01)
    assert error.rules > 0
    assert error.confidence == pytest.approx(0)
    assert error.false_positives == error.false_negatives == 0


def test_a_value_that_no_published_row_holds_leaves_the_rules_as_they_were() -> None:
    generator = np.random.Generator(np.random.PCG64(52))
    table = random_table(generator, rows=60)
    holds_first = np.array(table.column("s0").codes) == 0
    groups = np.where(holds_first, 0, np.cumsum(~holds_first)).astype(np.int32)  # 0: left out
    left = table.take(~holds_first)
    single = np.arange(1, len(left) + 1, dtype=np.int32)
    with_gap = rule_error(buckets_of(table, groups), None, min_support=0.02, min_conviction=1.01)
    without = rule_error(buckets_of(left, single), None, min_support=0.02, min_conviction=1.01)
    assert with_gap == without and with_gap.rules


def test_one_bucket_of_everybody_loses_every_rule() -> None:
    generator = np.random.Generator(np.random.PCG64(54))
    table = random_table(generator, rows=200)
    whole = buckets_of(table, np.ones(200, dtype=np.int32))
    error = rule_error(whole, None, min_support=0.02, min_conviction=1.05)
    assert error.rules > 0 and error.false_negatives == 1.0 and error.false_positives == 0.0


def test_learning_finds_what_the_buckets_do_not_say() -> None:
    """A value that follows from the quasi-identifier is learned; one that is unrelated is not."""
    generator = np.random.Generator(np.random.PCG64(55))
    who = generator.integers(0, 6, 3_000)
    unrelated = generator.integers(0, 6, 3_000)
    noisy = np.where(generator.random(3_000) < 0.85, who, unrelated)
    for values, low, high in ((noisy, 0.75, 1.0), (unrelated, 0.25, 0.42)):
        frame = pl.DataFrame({"who": [f"q{code}" for code in who], "what": [f"v{code}" for code in values]})
        table = table_from_frame(frame, quasi=["who"], sensitive="what")
        release = bucketize(table, l=3, algorithm="anatomy", key=Key.from_seed(1))
        attack = learning_attack(release.buckets)
        assert attack is not None and attack.baseline == pytest.approx(1 / 3, abs=0.01)
        assert low < attack.accuracy <= high


def shuffled(rows: int, quasi: list[str], **wish: Any) -> list[Buckets]:
    """The buckets of one sample in several orders of its rows."""
    people, key = load_sample(f"hospital:{rows}").to_polars(), Key.from_seed(3)
    orders = [people.sample(fraction=1, shuffle=True, seed=seed) for seed in range(6)]
    tables = [table_from_frame(frame, quasi=quasi, sensitive="disease") for frame in orders]
    return [bucketize(table, key=key, **wish).buckets for table in tables]


def test_learning_does_not_follow_the_order_of_rows() -> None:
    """Its sums are rounded: in another order a row between two values would be guessed as the other."""
    assert len({learning_attack(buckets) for buckets in shuffled(300, ["zip", "age", "sex"], l=3)}) == 1


def test_a_model_that_is_too_large_is_not_learned(monkeypatch) -> None:
    buckets, again, *_ = shuffled(300, ["zip", "age", "sex"], l=3)
    chances = int(buckets.known_ends[-1]) * buckets.entries(None).classes.n_values
    monkeypatch.setattr("tacit.judging.learning.MOST_CHANCES", chances)
    assert learning_attack(buckets) is not None
    monkeypatch.setattr("tacit.judging.learning.MOST_CHANCES", chances - 1)
    assert learning_attack(again) is None


def test_what_is_worked_out_once_is_kept_apart_for_each_reader() -> None:
    (buckets, *_) = shuffled(300, ["zip", "age", "sex"], l=3)
    rules = mine_negative_rules(buckets.table)
    asked = random_queries(buckets, 2, 0.1, 40, 0)
    for readers in ((None, rules), (rules, None), (None,), (rules, rules)):
        fresh = Buckets(buckets.table, buckets.rows, buckets.groups)
        np.testing.assert_array_equal(answers(buckets, asked, readers), answers(fresh, asked, readers))


@pytest.mark.parametrize("seed", range(8))
def test_rank_correlation_is_that_of_scipy(seed: int) -> None:
    from scipy.stats import spearmanr

    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 9, (2, 60)).astype(float)
    other += one * rng.integers(0, 3)
    one[rng.random(60) < 0.1] = np.nan
    assert rank_correlation(one, other) == pytest.approx(spearmanr(one, other, nan_policy="omit").statistic)


def test_errors_of_queries_and_rules_do_not_follow_the_order_of_rows() -> None:
    """Shares of buckets of several sizes are added up, and the last digit of a sum is published."""
    several = shuffled(900, ["zip", "sex"], l=5, partners="paper")
    assert len({measure_buckets(buckets, None) for buckets in several}) == 1


def test_rules_are_compared_where_a_share_of_the_rows_ends_in_a_half() -> None:
    """Of 550 rows a hundredth are 5.5: conjunctions of five rows are in the release as in the original."""
    (buckets, *_) = shuffled(550, ["age", "sex"], l=3)
    assert rule_error(buckets, None, min_conviction=1.02).rules > 0


def test_rows_alone_with_their_quasi_identifiers() -> None:
    frame = pl.DataFrame({"age": ["1", "1", "2", "3"], "s": ["a", "b", "a", "b"]})
    table = table_from_frame(frame, quasi=["age"], sensitive="s")
    assert unique_rows(buckets_of(table, np.ones(4, dtype=np.int32))) == 0.5


def test_rows_that_are_not_published_are_not_judged() -> None:
    generator = np.random.Generator(np.random.PCG64(56))
    judged = 0
    for _ in range(40):
        table = random_table(generator, rows=30)
        try:
            rules = mine_negative_rules(table, min_expectation=0.5)
            release = bucketize(
                table,
                l=4,
                knowledge=rules,
                key=Key.from_seed(2),
                on_infeasible="suppress",
                max_posterior_suppressed=0.9,
            )
        except InfeasibleError:
            continue
        judged += release.plan.n_suppressed > 0
        assert len(release.buckets) == 30 - release.plan.n_suppressed
        assert release.risk().vulnerable == 0
    assert judged
