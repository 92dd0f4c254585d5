"""The experiment on hiding patterns: what is hidden where, by which method, and what came of it [1].

Transactions of the Quest generator (T15, 1,000 items), 1 % support. Seeds of two and three items are drawn
until the sensitive patterns, their frequent supersets included, are the share RS of all frequent patterns,
and the share RL2 of the sensitive ones has grown from seeds of two items. Sliding windows [2] run with the
text's disclosure threshold ψ of 0.1 and windows of 5,000, and with the largest threshold that hides
everything, which serves them better. They are given the seeds alone: given all supersets they would do
more harm. Everything is judged on the first draw.

[1] E. T. Wang, G. Lee, Y. T. Lin. A Novel Method for Protecting Sensitive Knowledge in Association Rules
    Mining. COMPSAC 2005, section 4.2.
[2] S. Oliveira, O. Zaïane. Protecting Sensitive Knowledge by Data Sanitization. ICDM 2003.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tacit.data.transactions import Transactions
from tacit.engine.local.engine import LocalEngine
from tacit.io.readers import read_transactions
from tacit.io.samples.quest import quest
from tacit.methods.hide.apply import one_draw
from tacit.methods.hide.judge import (
    Found,
    HidingRisks,
    HidingUtility,
    as_named,
    judge_hiding,
    measure_hiding,
)
from tacit.methods.hide.solve.patterns import Pattern, Secret, sensitive_mask
from tacit.methods.hide.solve.solve import Wish, solve
from tacit.mining.itemsets import Itemsets
from tacit.mining.mine import mine_transactions
from tacit.random.key import Key
from tacit.ranges import support_count

SHARES = (0.02, 0.04, 0.06, 0.08, 0.10)
PAIR_SHARES = (0.38, 0.54, 0.7, 0.85, 1.0)
CONFIDENCES = ("0.1", "0.3", "0.5", "0.7", "0.9", "0.95")
PUBLIC = (
    ("T10I4D100K", "T10I4D100K.dat", "0.002"),
    ("BMS-WebView-1", "BMS-WebView-1.dat", "0.001"),
    ("Groceries", "groceries/Groceries.dat", "0.003"),
)
"""Published transactions, their files, and a least support that leaves some thousand patterns frequent."""


@dataclass(frozen=True)
class Configuration:
    """A way to hide, under the name the tables give it; ``wish`` is what it asks of the solver."""

    name: str
    wish: dict[str, Any] = field(hash=False)


CERTIFIED = Configuration("certified", {"policy": "certified"})
CERTIFIED_LIMIT = Configuration("certified, at the limit", {"policy": "certified", "targets": "limit"})
EXACT = Configuration("exact", {"policy": "exact"})
EXACT_LIMIT = Configuration("exact, at the limit", {"policy": "exact", "targets": "limit"})
PAPER = Configuration("paper", {"policy": "paper"})
SWA = Configuration("SWA, ψ = 0.1", {"method": "swa", "disclosure": Fraction(1, 10)})
SWA_LARGEST = Configuration("SWA, largest ψ", {"method": "swa"})


@dataclass(frozen=True)
class Setting:
    """What is hidden: RS and RL2 asked for, the confidence, and which draw of seeds and key."""

    share: float = 0.1
    pair_share: float = 0.7
    confidence: str = "0.95"
    seed: int = 1


@dataclass(frozen=True)
class Outcome:
    """One setting under one configuration, on the first draw."""

    setting: Setting
    name: str
    risks: HidingRisks
    utility: HidingUtility
    seconds: float


@dataclass(frozen=True, eq=False)
class Subject:
    """Transactions with everything frequent in them."""

    name: str
    transactions: Transactions
    least: int
    itemsets: Itemsets


def subject(name: str, transactions: Transactions, min_support: str) -> Subject:
    """Mine once for all settings."""
    least = support_count(Decimal(min_support), len(transactions))
    itemsets = mine_transactions(transactions, min_support=least, min_length=2, threads=1)
    return Subject(name, transactions, least, itemsets)


def text_subject(transactions: int = 100_000) -> Subject:
    """Quest transactions with about as many frequent patterns as the text has."""
    return subject("Quest T15", quest(transactions, pattern_length=8, patterns=400), "0.01")


def public_subjects(folder: Path | None) -> Iterator[Subject]:
    """The published transactions, those that are in the folder."""
    for name, file, min_support in PUBLIC:
        if folder is not None and (folder / file).is_file():
            yield subject(name, read_transactions(folder / file), min_support)


def varied(shares: Sequence[float], pair_shares: Sequence[float]) -> list[Setting]:
    """RS varied at RL2 = 0.7, then RL2 varied at RS = 0.1, each setting once."""
    settings = [Setting(share=each) for each in shares] + [Setting(pair_share=each) for each in pair_shares]
    return list(dict.fromkeys(settings))


def text_settings(*, quick: bool) -> list[Setting]:
    """The settings of the text, every other one in a quick run."""
    step = 2 if quick else 1
    return varied(SHARES[::step], PAIR_SHARES[::step])


def choose_seeds(itemsets: Itemsets, setting: Setting) -> list[Pattern]:
    """Seeds of two, then of three items, until the shares are reached; none that overshoots by much."""
    generator = np.random.default_rng(setting.seed)
    chosen: list[Pattern] = []
    covered = np.zeros(len(itemsets), dtype=bool)
    goal = setting.share * len(itemsets)
    for length, wanted in ((2, goal * setting.pair_share), (3, goal)):
        matrix, _, places = itemsets.of_length(length)
        for row in generator.permutation(len(matrix)):
            if covered.sum() >= 0.98 * wanted:
                break
            if covered[places[row]]:
                continue
            seed = tuple(matrix[row].tolist())
            with_it = covered | sensitive_mask(itemsets, [seed])
            if with_it.sum() <= 1.05 * wanted + 1:
                covered = with_it
                chosen.append(seed)
    return chosen


def outcome(data: Subject, setting: Setting, way: Configuration, seeds: list[Pattern]) -> Outcome:
    """Hide the seeds once, on the first draw, and judge what comes out."""
    key = Key.from_seed(setting.seed)
    sanitizer = LocalEngine().sanitizer(data.transactions, key)
    wish = Wish(
        least=data.least,
        bound=Fraction(data.least),
        confidence=Fraction(setting.confidence),
        **way.wish,
    )
    started = time.process_time()
    plan = solve(Secret(tuple(seeds)), data.itemsets, data.transactions.supports, sanitizer, key, wish)
    removed = one_draw(plan, sanitizer, label=0)
    seconds = time.process_time() - started
    published = sanitizer.left(removed).transactions
    found = Found.mined(published, data.least)
    sensitive = plan.frequent.sensitive
    named = as_named(data.itemsets, seeds)
    return Outcome(
        setting,
        way.name,
        judge_hiding(published, found, data.itemsets, sensitive, named=named, least=data.least),
        measure_hiding(published, data.transactions, found, data.itemsets, sensitive, least=data.least),
        seconds,
    )


def experiment(
    data: Subject, settings: Iterable[Setting], ways: Sequence[Configuration]
) -> Iterator[Outcome]:
    """Every setting under every configuration."""
    for setting in settings:
        seeds = choose_seeds(data.itemsets, setting)
        for way in ways:
            yield outcome(data, setting, way, seeds)


@dataclass(frozen=True)
class Match:
    """One setting of two configurations; ours wins where it loses fewer patterns and fails no more."""

    setting: Setting
    misses_ours: float
    misses_theirs: float
    won: bool

    @property
    def row(self) -> tuple[float | bool, ...]:
        """What a table shows of it."""
        shares = (self.setting.share, self.setting.pair_share, self.setting.seed)
        return (*shares, self.misses_ours, self.misses_theirs, self.won)

    def __str__(self) -> str:
        return (
            f"RS {self.setting.share} RL2 {self.setting.pair_share} "
            f"(MC {self.misses_ours:.4f} against {self.misses_theirs:.4f})"
        )


def compare(outcomes: Iterable[Outcome], ours: Configuration, theirs: Configuration) -> list[Match]:
    """Set two configurations side by side on every setting."""
    by_key = {(one.setting, one.name): one for one in outcomes}
    matches = []
    for setting in dict.fromkeys(setting for setting, _ in by_key):
        one, other = by_key[setting, ours.name], by_key[setting, theirs.name]
        misses = one.utility.misses_cost, other.utility.misses_cost
        no_worse = one.risks.hiding_failure <= other.risks.hiding_failure
        matches.append(Match(setting, *misses, won=no_worse and misses[0] < misses[1]))
    return matches
