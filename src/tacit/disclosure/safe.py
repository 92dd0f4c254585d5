"""Which rules can be published within a limit: with scores, with thresholds only, or not at all.

Greedy: while somebody's posterior is above the limit, the rules that the people above it owe it to
most, for the utility they bring, are demoted one step; afterwards demoted rules are promoted again,
most useful first, as long as everybody stays within the limit. A last solve certifies the choice.

A list that leaves rules out is incomplete, and a reader may or may not know which silence still
tells something: both readers are solved for, and the worse one counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit.disclosure.inference import Inference, infer
from tacit.disclosure.knowledge import Knowledge, RuleScores, Silence
from tacit.disclosure.population import Population
from tacit.disclosure.published import PublishedRules
from tacit.disclosure.result import divergence
from tacit.disclosure.thresholds import Thresholds
from tacit.exceptions import InfeasibleError
from tacit.kernels.interrupt import Flag
from tacit.typing import Bools, Bytes, Floats, Progress

WITHHELD, THRESHOLDS, SCORES = 0, 1, 2
"""What is told of a rule."""
_WORTH = np.array([0.0, 0.5, 1.0])
"""Of a rule's utility, what each leaves."""
_PROMOTIONS = 60
"""The most solves spent on promoting rules again."""


@dataclass(frozen=True)
class MaxPosterior:
    """No value of anybody has a posterior above this."""

    most: float

    def excess(self, inference: Inference) -> Floats:
        return np.asarray(inference.by_combination.max(axis=1) - self.most)

    def __str__(self) -> str:
        return f"no posterior above {self.most:g}"


@dataclass(frozen=True)
class MinDivergence:
    """Nobody's D_individual falls below this, or below what it is before anything is published."""

    least: float

    def excess(self, inference: Inference) -> Floats:
        population = inference.population
        truth = population.truth / population.people[:, None]
        before = divergence(truth, np.full(truth.shape, 1 / population.n_values))
        wanted = np.minimum(self.least, before)
        return np.asarray(wanted - divergence(truth, inference.by_combination) - 1e-9)

    def __str__(self) -> str:
        return f"no D_individual below {self.least:g} nats"


Limit = MaxPosterior | MinDivergence
"""What must hold for everybody; ``excess`` says per combination by how much it is passed."""


@dataclass(frozen=True, eq=False)
class SafeChoice:
    """What is told of each rule, and what each reader then infers."""

    rules: PublishedRules
    """All rules that reach the thresholds."""
    told: Bytes
    readers: tuple[Inference, ...]
    """With the silence that still tells something, and without any."""
    published: PublishedRules
    utility: float
    """The share of the whole list's utility that is kept."""
    solves: int

    @property
    def largest_posterior(self) -> float:
        """The surest that either reader becomes about anybody."""
        return max(float(reader.by_combination.max(initial=0.0)) for reader in self.readers)


def choose_safe(
    population: Population,
    rules: PublishedRules,
    thresholds: Thresholds,
    limit: Limit,
    *,
    weights: Floats,
    start: Bytes,
    others: tuple[Knowledge, ...] = (),
    progress: Progress | None = None,
    flag: Flag | None = None,
) -> SafeChoice:
    """The rules to publish: ``start`` says at most what may be told of each, ``weights`` its worth."""
    say = progress or (lambda what, share: None)
    search = _Search(population, rules, thresholds, limit, others, flag)
    told = start.copy()
    readers = search.readers(told)
    while not search.kept(readers):
        blame = search.blame(readers, told)
        open_to_demotion = np.flatnonzero(told > WITHHELD)
        if not len(open_to_demotion):
            raise _infeasible(limit, readers)
        worth = weights * (_WORTH[told] - _WORTH[np.maximum(told, 1) - 1])
        ranked = open_to_demotion[
            np.argsort(-(blame / np.maximum(worth, 1e-12))[open_to_demotion], kind="stable")
        ]
        guilty = ranked[blame[ranked] > 0]
        step = max(1, len(guilty) // 8)
        demoted = guilty[:step] if len(guilty) else ranked[: max(1, len(ranked) // 8)]
        told[demoted] -= 1
        say("Leaving out what gives too much away", 0.6 * float((start - told).sum() / (1 + start.sum())))
        readers = search.readers(told)
    told = _promoted(search, told, start, weights, lambda share: say("Putting rules back", 0.6 + 0.4 * share))
    readers = search.readers(told, final=True)
    kept = float((weights * _WORTH[told]).sum() / max((weights * _WORTH[start]).sum(), 1e-300))
    return SafeChoice(rules, told, readers, search.published(told), kept, search.solves)


class _Search:
    """Solving for candidates."""

    def __init__(
        self,
        population: Population,
        rules: PublishedRules,
        thresholds: Thresholds,
        limit: Limit,
        others: tuple[Knowledge, ...],
        flag: Flag | None,
    ) -> None:
        self.population, self.rules, self.thresholds = population, rules, thresholds
        self.limit, self.others, self.flag = limit, others, flag
        self.solves = 0

    def published(self, told: Bytes) -> PublishedRules:
        """The rules that are told, without the scores that are not."""
        chosen = np.flatnonzero(told > WITHHELD)
        return self.rules.select(chosen).without_scores(self.thresholds, told[chosen] == THRESHOLDS)

    def readers(self, told: Bytes, *, final: bool = False) -> tuple[Inference, ...]:
        """What the readers infer; certainty is settled exactly only in the ``final`` solve."""
        rules = self.published(told)
        known: list[Knowledge] = [RuleScores(rules), *self.others]
        silence = Silence(self.population, rules, self.thresholds)
        self.solves += 1
        return tuple(
            infer(self.population, sources, flag=self.flag, settle=final)
            for sources in ([*known, silence], known)
        )

    def kept(self, readers: tuple[Inference, ...]) -> bool:
        return all(self.limit.excess(reader).max(initial=-np.inf) <= 0 for reader in readers)

    def blame(self, readers: tuple[Inference, ...], told: Bytes) -> Floats:
        """Per rule, what the people above the limit owe it: Σ λ_j ∂P*/∂λ_j over them.

        People of whom a reader is certain owe it to every equation about them, the narrow ones most.
        """
        total = np.zeros(len(self.rules))
        chosen = np.flatnonzero(told > WITHHELD)
        for reader in readers:
            over = self.limit.excess(reader) > 0
            units = over[self.population.combination_of]
            value = reader.posterior.argmax(axis=1)
            share = reader.posterior.max(axis=1)
            total[chosen] += self._effects(reader, units, value, share, len(chosen))
        return total

    def _effects(self, reader: Inference, over: Bools, value: Floats, share: Floats, n_rules: int) -> Floats:
        constraints = reader.constraints
        inside = slice(0, int(constraints.offsets[n_rules]))  # the rules come first
        units = constraints.units[inside]
        lines = np.repeat(np.arange(n_rules), np.diff(constraints.offsets[: n_rules + 1]))
        same = constraints.values[lines] == value[units]
        other = reader.posterior[units, constraints.values[lines]]
        slope = np.where(same, share[units] * (1 - share[units]), -share[units] * other)
        effect = np.maximum(slope * reader.multipliers[lines], 0.0)
        sizes = np.diff(constraints.offsets[: n_rules + 1])[lines]
        sure = (share[units] > 1 - 1e-7) & constraints.equal[lines]
        effect = np.where(sure, 1.0 / np.sqrt(sizes), effect)
        found = np.bincount(lines, weights=np.where(over[units], effect, 0.0), minlength=n_rules)
        return found.astype(np.float64)


def _promoted(
    search: _Search, told: Bytes, start: Bytes, weights: Floats, say: Callable[[float], None]
) -> Bytes:
    """Promote demoted rules again, in halves: a half that fits is taken whole, one that does not is split."""
    gains = weights * (_WORTH[start] - _WORTH[told])
    waiting = np.flatnonzero(gains > 0)
    waiting = waiting[np.argsort(-gains[waiting], kind="stable")]
    blocks = [waiting] if len(waiting) else []
    for tried in range(_PROMOTIONS):
        if not blocks:
            break
        block = blocks.pop(0)
        say(tried / _PROMOTIONS)
        candidate = told.copy()
        candidate[block] = np.minimum(candidate[block] + 1, start[block])
        if search.kept(search.readers(candidate)):
            told = candidate
            again = block[told[block] < start[block]]
            if len(again):
                blocks.append(again)
        elif len(block) > 1:
            half = (len(block) + 1) // 2
            blocks[:0] = [block[:half], block[half:]]
    return told


def _infeasible(limit: Limit, readers: tuple[Inference, ...]) -> InfeasibleError:
    most = max(float(reader.by_combination.max(initial=0.0)) for reader in readers)
    return InfeasibleError(
        f"Even without any rule the limit is passed: {limit} cannot be promised.",
        code="limit-infeasible",
        hint=f"With no rule at all the largest posterior is {most:.4f}.",
    )
