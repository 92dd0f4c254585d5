"""The figures of a table from their definitions, by plain counting, in exact numbers where there are some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import exp, factorial, inf, log

Row = tuple[object, ...]
Fits = Callable[[Row, Row], bool]
"""Whether published values may stand for those of a person."""


def classes(rows: Sequence[Row], quasi: Sequence[int]) -> dict[Row, list[Row]]:
    found: dict[Row, list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[place] for place in quasi), []).append(row)
    return found


def k(rows: Sequence[Row], quasi: Sequence[int]) -> int:
    return min(len(held) for held in classes(rows, quasi).values())


def average_risk(rows: Sequence[Row], quasi: Sequence[int]) -> Fraction:
    """The mean over people of one in the size of their class."""
    return sum(
        (Fraction(1, len(held)) for held in classes(rows, quasi).values() for _ in held), Fraction()
    ) / len(rows)


def below(rows: Sequence[Row], quasi: Sequence[int], n: int) -> int:
    return sum(len(held) for held in classes(rows, quasi).values() if len(held) < n)


def unique(rows: Sequence[Row], quasi: Sequence[int]) -> set[int]:
    """The places of the rows that are alone with some columns."""
    keys = [tuple(row[place] for place in quasi) for row in rows]
    count = Counter(keys)
    return {place for place, key in enumerate(keys) if count[key] == 1}


def minimal_uniques(rows: Sequence[Row], quasi: Sequence[int], size: int) -> dict[int, list[tuple[int, ...]]]:
    """The minimal sample uniques of each row: sets of columns it is alone with, and with no part of them."""
    found: dict[int, list[tuple[int, ...]]] = {place: [] for place in range(len(rows))}
    for width in range(1, size + 1):
        for columns in combinations(quasi, width):
            for place in unique(rows, columns):
                if not any(set(part) < set(columns) for part in found[place]):
                    found[place].append(columns)
    return found


def suda_scores(rows: Sequence[Row], quasi: Sequence[int], size: int) -> list[int]:
    found = minimal_uniques(rows, quasi, size)
    return [sum(factorial(len(quasi) - len(one)) for one in found[place]) for place in range(len(rows))]


def distinct_l(rows: Sequence[Row], quasi: Sequence[int], sensitive: int) -> int:
    return min(len({row[sensitive] for row in held}) for held in classes(rows, quasi).values())


def entropy_l(rows: Sequence[Row], quasi: Sequence[int], sensitive: int) -> float:
    return min(
        exp(-sum(share * log(share) for share in shares(row[sensitive] for row in held).values()))
        for held in classes(rows, quasi).values()
    )


def recursive_c(rows: Sequence[Row], quasi: Sequence[int], sensitive: int) -> float:
    worst = 0.0
    for held in classes(rows, quasi).values():
        first, *others = sorted(Counter(row[sensitive] for row in held).values(), reverse=True)
        worst = max(worst, first / sum(others) if others else inf)
    return worst


def closeness(rows: Sequence[Row], quasi: Sequence[int], sensitive: int, *, ordered: bool) -> float:
    """The largest earth mover's distance: the cost of a plan between two distributions."""
    domain = sorted({row[sensitive] for row in rows})  # type: ignore[type-var]
    whole = shares(row[sensitive] for row in rows)
    worst = 0.0
    for held in classes(rows, quasi).values():
        own = shares(row[sensitive] for row in held)
        gaps = [own.get(value, 0.0) - whole[value] for value in domain]
        if ordered:
            moved = [sum(gaps[: place + 1]) for place in range(len(gaps))]
            cost = sum(map(abs, moved)) / max(1, len(domain) - 1)
        else:
            cost = sum(map(abs, gaps)) / 2
        worst = max(worst, cost)
    return worst


def beta(rows: Sequence[Row], quasi: Sequence[int], sensitive: int) -> float:
    whole = shares(row[sensitive] for row in rows)
    return max(
        (share - whole[value]) / whole[value]
        for held in classes(rows, quasi).values()
        for value, share in shares(row[sensitive] for row in held).items()
    )


def expected_inverse(f: int, fraction: float, terms: int = 20_000) -> float:
    """E[1/F | f] by adding up the negative binomial law; F is at least f."""
    chance, total = fraction**f, 0.0
    for size in range(f, terms):
        total += chance / size
        chance *= (1 - fraction) * size / (size + 1 - f)
    return total


def shares(values: Iterable[object]) -> dict[object, float]:
    count = Counter(values)
    total = sum(count.values())
    return {value: number / total for value, number in count.items()}


def singled_out(published: Sequence[Row], people: Sequence[Row], fits: Fits) -> float:
    """The share of published rows that fit exactly one person."""
    return sum(sum(fits(row, person) for person in people) == 1 for row in published) / len(published)


def linked(
    published: Sequence[Row], people: Sequence[Row], fits: Fits, among: Sequence[Row] | None = None
) -> float:
    """The chance to link the even columns of somebody with the odd ones through a fitting row."""
    halves = [tuple(row[0::2]) for row in published], [tuple(row[1::2]) for row in published]
    total = 0.0
    for person in people:
        first = [place for place in range(len(published)) if fits(halves[0][place], tuple(person[0::2]))]
        for place in first:
            pool = [other for other in among or people if fits(halves[1][place], tuple(other[1::2]))]
            if fits(halves[1][place], tuple(person[1::2])):
                total += 1 / (len(first) * len(pool))
    return total / len(people)


def inferred(published: Sequence[Row], people: Sequence[Row], fits: Fits) -> float:
    """The share of people whose last column is the commonest of the rows that fit the others."""
    total = 0.0
    known = {person[-1] for person in people}
    for person in people:
        held = [row[-1] for row in published if fits(row[:-1], person[:-1]) and row[-1] in known]
        count = Counter(held or [row[-1] for row in published if row[-1] in known])
        if not count:
            total += 1 / len(known)  # nothing is known: any value
            continue
        best = [value for value, number in count.items() if number == max(count.values())]
        total += (person[-1] in best) / len(best)
    return total / len(people)
