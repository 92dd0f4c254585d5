"""Injector's experiment: the same table in buckets made in several ways, attacked and queried.

Each way is measured over several keys, on the same rows and the same queries, with the rules that a
reader is taken to know. What the paper leaves open is fixed here: the size of queries is that of the
Anatomy paper [2], and rules are interesting from a conviction of 1.01, because at ℓ = 6 a larger one loses
every rule of every method.

[1] T. Li, N. Li. Injector: Mining Background Knowledge for Data Anonymization. ICDE 2008, section VI.
[2] X. Xiao, Y. Tao. Anatomy: Simple and Effective Privacy Preservation. VLDB 2006.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from time import process_time

from tacit.data.table import Table
from tacit.engine.local.engine import LocalEngine
from tacit.methods.bucketize.judge.buckets import Buckets
from tacit.methods.bucketize.judge.risks import largest_posterior, learning_attack, vulnerable_rows
from tacit.methods.bucketize.judge.utility import query_errors, rule_error
from tacit.methods.bucketize.release import anatomy_beside, judged_buckets
from tacit.methods.bucketize.verb import Partners, bucketize
from tacit.mining.knowledge import NegativeRules
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key

INJECTOR, ANYWHERE, PRINTED = "Injector", "Injector, any partners", "Injector as printed"
ANATOMY = "Anatomy"
METHODS = (INJECTOR, ANYWHERE, PRINTED, ANATOMY)
PARTNERS: dict[str, Partners] = {INJECTOR: "near", ANYWHERE: "any", PRINTED: "paper"}
EXPECTATIONS = (0.75, 0.80, 0.85, 0.90, 0.95)
DIVERSITIES = (3, 4, 5, 6)
DIMENSIONS = (2, 3, 4, 5, 6)
SELECTIVITIES = (0.03, 0.05, 0.07, 0.10)
EXPECTATION, DIVERSITY, DIMENSION, SELECTIVITY = 0.90, 6, 4, 0.07
"""The paper's defaults are an expectation of 0.9 and ℓ = 6; it names none for the queries."""
CONVICTION = 1.01
ENGINE = LocalEngine()

Query = tuple[int, float]
"""How many quasi-identifiers a query asks for, and its selectivity."""


@dataclass(frozen=True)
class Setting:
    """A release to be made, and the queries to be asked of it."""

    l: int = DIVERSITY
    min_expectation: float = EXPECTATION
    queries: tuple[Query, ...] = ((DIMENSION, SELECTIVITY),)


@dataclass(frozen=True)
class Vulnerable:
    """Rows with fewer than ℓ valid values for a reader who knows the rules, mean over the keys."""

    l: int
    min_expectation: float
    rules: int
    method: str
    keys: int
    vulnerable: float


@dataclass(frozen=True)
class Errors:
    """What is wrong about the answers of a release, and what readers learn from it; means over the keys.

    Errors are shares. ``uniform`` counts every value of a bucket alike for its rows, ``valid`` only those
    assignments that the rules allow.
    """

    l: int
    min_expectation: float
    dimensions: int
    selectivity: float
    method: str
    keys: int
    count_uniform: float
    count_valid: float
    confidence_uniform: float
    confidence_valid: float
    false_positives_uniform: float
    false_positives_valid: float
    false_negatives_uniform: float
    false_negatives_valid: float
    learner: float
    guess_in_bucket: float
    largest_posterior: float


@dataclass(frozen=True)
class Times:
    """CPU seconds of one release, the least of several."""

    l: int
    min_expectation: float
    method: str
    mine: float
    bucketize: float


def release(table: Table, rules: NegativeRules, l: int, seed: int, method: str) -> Buckets:
    """One release, as its judges see it."""
    key = Key.from_seed(seed)
    if method == ANATOMY:
        beside = anatomy_beside(table, l, ENGINE, key)
        assert beside is not None, "the table is eligible"
        return judged_buckets(beside, table)[0]
    made = bucketize(table, l=l, knowledge=rules, partners=PARTNERS[method], key=key, engine=ENGINE)
    return made.buckets


def vulnerable(
    table: Table, settings: Sequence[Setting], *, keys: int, methods: Sequence[str] = METHODS
) -> Iterator[Vulnerable]:
    """Figure 4: the rows that background knowledge leaves fewer than ℓ values."""
    for one in settings:
        rules = mine_negative_rules(table, min_expectation=one.min_expectation)
        for method in methods:
            found = [
                vulnerable_rows(release(table, rules, one.l, seed, method), rules, one.l)
                for seed in range(keys)
            ]
            yield Vulnerable(one.l, one.min_expectation, len(rules), method, keys, fmean(found))


def errors(table: Table, settings: Sequence[Setting], *, keys: int, queries: int) -> Iterator[Errors]:
    """Figures 6 to 8: the errors of each way at each setting, one for each of its queries."""
    for one in settings:
        rules = mine_negative_rules(table, min_expectation=one.min_expectation)
        for method in METHODS:
            found = [_measured(table, rules, one, seed, method, queries) for seed in range(keys)]
            for place, (dimensions, selectivity) in enumerate(one.queries):
                means = [fmean(figures) for figures in zip(*(run[place] for run in found), strict=True)]
                yield Errors(one.l, one.min_expectation, dimensions, selectivity, method, keys, *means)


def times(table: Table, settings: Sequence[Setting], *, runs: int) -> Iterator[Times]:
    """Figure 5: the time to mine, and to make the buckets of each way."""
    for one in settings:
        for method in METHODS:
            found = [_timed(table, one, method) for _ in range(runs + 1)][1:]  # the first one compiles
            yield Times(one.l, one.min_expectation, method, *(min(each) for each in zip(*found, strict=True)))


def _measured(
    table: Table, rules: NegativeRules, setting: Setting, seed: int, method: str, queries: int
) -> list[list[float]]:
    """The figures of one release, in the order of :class:`Errors`, for each of the queries."""
    buckets = release(table, rules, setting.l, seed, method)
    of_rules = [rule_error(buckets, known, min_conviction=CONVICTION) for known in (None, rules)]
    attack = learning_attack(buckets)
    assert attack is not None, "buckets of a few rows fit in memory"
    others = [
        *(error.confidence for error in of_rules),
        *(error.false_positives for error in of_rules),
        *(error.false_negatives for error in of_rules),
        attack.accuracy,
        attack.baseline,
        largest_posterior(buckets, rules, setting.l).largest,
    ]
    counts = [
        query_errors(buckets, rules, dimensions=[number], selectivity=share, queries=queries, seed=seed)[0]
        for number, share in setting.queries
    ]
    return [[count.uniform, count.valid, *others] for count in counts]


def _timed(table: Table, setting: Setting, method: str) -> tuple[float, float]:
    """CPU seconds to mine and to bucketize; Anatomy mines nothing."""
    key = Key.from_seed(1)
    if method == ANATOMY:
        started = process_time()
        anatomy_beside(table, setting.l, ENGINE, key)
        return 0.0, process_time() - started
    started = process_time()
    rules = mine_negative_rules(table, min_expectation=setting.min_expectation)
    mined = process_time() - started
    made = bucketize(table, l=setting.l, knowledge=rules, partners=PARTNERS[method], key=key, engine=ENGINE)
    return mined, made.seconds.count + made.seconds.solve + made.seconds.apply
