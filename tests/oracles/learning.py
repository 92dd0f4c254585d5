"""Naive Bayes learned from buckets by expectation–maximization, as plainly as it can be written.

Every row of a bucket has every row's value of that bucket with some weight. The model counts weights;
weights are the model's chances times how often the bucket holds the value, made to add up to one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import exp, log


def guesses(
    known: Sequence[Sequence[str]], groups: Sequence[int], held: Sequence[str], rounds: int = 15
) -> list[tuple[str, float]]:
    """For each row the likeliest value and its weight; of ``held`` only how often each bucket has a value."""
    counts: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for group, value in zip(groups, held, strict=True):
        counts[group][value] += 1
    totals = {value: float(list(held).count(value)) for value in set(held)}
    sizes = {group: sum(values.values()) for group, values in counts.items()}
    weights = [{value: n / sizes[group] for value, n in counts[group].items()} for group in groups]
    columns = list(zip(*known, strict=True))
    kinds = [len(set(column)) for column in columns]
    for _ in range(rounds):
        seen: dict[tuple[int, str, str], float] = defaultdict(float)
        for row, weight in zip(known, weights, strict=True):
            for place, cell in enumerate(row):
                for value, share in weight.items():
                    seen[place, cell, value] += share
        for at, (row, group) in enumerate(zip(known, groups, strict=True)):
            score = {
                value: log(n)
                + sum(
                    log((seen[place, cell, value] + 1 / kinds[place]) / (totals[value] + 1))
                    for place, cell in enumerate(row)
                )
                for value, n in counts[group].items()
            }
            top = max(score.values())
            mass = {value: exp(one - top) for value, one in score.items()}
            weights[at] = {value: one / sum(mass.values()) for value, one in mass.items()}
    return [max(weight.items(), key=lambda pair: pair[1]) for weight in weights]


def right_share(guessed: Sequence[tuple[str, float]], held: Sequence[str], surest: float = 1.0) -> float:
    """The share of right guesses among the surest rows."""
    order = sorted(range(len(held)), key=lambda at: -guessed[at][1])[: max(1, round(surest * len(held)))]
    return sum(guessed[at][0] == held[at] for at in order) / len(order)
