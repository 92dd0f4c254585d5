"""Naive Bayes learned from buckets by expectation–maximization, as plainly as it can be written.

Every row of a bucket has every value of that bucket with some weight. The model counts weights; weights
are the model's chances, scaled until a row's add up to one and a value's to how often the bucket holds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import exp, log


def guesses(
    known: Sequence[Sequence[str]], groups: Sequence[int], held: Sequence[str], rounds: int = 20
) -> list[tuple[str, float]]:
    """For each row the likeliest value and its weight; of ``held`` only how often each bucket has a value."""
    counts: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    rows: dict[int, list[int]] = defaultdict(list)
    for at, (group, value) in enumerate(zip(groups, held, strict=True)):
        counts[group][value] += 1
        rows[group].append(at)
    totals = {value: float(list(held).count(value)) for value in set(held)}
    weights = [{value: n / len(rows[group]) for value, n in counts[group].items()} for group in groups]
    kinds = [len(set(column)) for column in zip(*known, strict=True)]
    for _ in range(rounds):
        seen: dict[tuple[int, str, str], float] = defaultdict(float)
        for row, weight in zip(known, weights, strict=True):
            for place, cell in enumerate(row):
                for value, share in weight.items():
                    seen[place, cell, value] += share
        for group, inside in rows.items():
            for at in inside:
                score = {
                    value: log(n)
                    + sum(
                        log((seen[place, cell, value] + 1 / kinds[place]) / (totals[value] + 1))
                        for place, cell in enumerate(known[at])
                    )
                    for value, n in counts[group].items()
                }
                top = max(score.values())
                weights[at] = {value: exp(one - top) for value, one in score.items()}
            for _ in range(5):
                for value, n in counts[group].items():
                    column = sum(weights[at][value] for at in inside)
                    for at in inside:
                        weights[at][value] *= n / column if column else 1.0
                for at in inside:
                    whole = sum(weights[at].values())
                    weights[at] = {value: one / whole for value, one in weights[at].items()}
    return [max(weight.items(), key=lambda pair: pair[1]) for weight in weights]


def right_share(
    guessed: Sequence[tuple[str, float]], held: Sequence[str], surest: int | None = None
) -> float:
    """The share of right guesses among so many of the surest rows, by default among all."""
    order = sorted(range(len(held)), key=lambda at: -guessed[at][1])[:surest]
    return sum(guessed[at][0] == held[at] for at in order) / len(order)
