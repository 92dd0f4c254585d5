"""Posteriors from multipliers, and whether they are what maximum entropy gives.

With P(x|q) proportional to the exponential of the sum of the multipliers of the patterns that q
matches, and every constraint met, and a multiplier only where its constraint is met with equality
(positive at a lower bound, negative at an upper one), no posterior that meets the constraints has
a larger entropy: these conditions are sufficient because entropy is concave.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import exp, inf
from pathlib import Path
from typing import Any, NamedTuple

from tacit_verify.distances import MISSING
from tacit_verify.reading import rows

Items = frozenset[tuple[str, str]]  # a conjunction: values of quasi-identifiers
Pattern = tuple[Items, str]
Bounds = dict[Pattern, tuple[float, float]]  # what a reader knows of patterns: the fewest and the most people
Labels = tuple[str, ...]
Cells = dict[Labels, Counter[str]]  # by combination of quasi-identifiers: how many hold each sensitive value
Shares = dict[Labels, dict[str, float]]  # P(x|q) by combination and sensitive value


class Matched(NamedTuple):
    """Who matches a conjunction: how many hold each sensitive value, and their combinations."""

    held: Counter[str]
    cells: list[Labels]


Found = dict[Items, Matched]


def count_cells(original: Path, columns: Sequence[str]) -> Cells:
    """The original, counted; the last column is the sensitive one."""
    cells: Cells = {}
    for row, count in Counter(rows(original, columns)).items():
        *labels, value = (MISSING if cell is None else cell for cell in row)
        cells.setdefault(tuple(labels), Counter())[value] += count
    return cells


def conjunctions(cells: Cells, quasi: Sequence[str], smallest: int, longest: int) -> Found:
    """Everybody, and every conjunction that at least so many people match."""
    found = {frozenset[tuple[str, str]](): _matched(cells, list(cells))}
    for at, name in enumerate(quasi):
        for items, matched in list(found.items()):
            parts: dict[str, list[Labels]] = {}
            for labels in matched.cells if len(items) < longest else []:
                parts.setdefault(labels[at], []).append(labels)
            for label, part in parts.items():
                grown = _matched(cells, part)
                if grown.held.total() >= smallest:
                    found[items | {(name, label)}] = grown
    return found


def _matched(cells: Cells, part: list[Labels]) -> Matched:
    held: Counter[str] = Counter()
    for labels in part:
        held.update(cells[labels])
    return Matched(held, part)


def posterior(cells: Cells, found: Found, reader: dict[str, Any]) -> Shares:
    """P(x|q) of every combination from a reader's multipliers."""
    scores = {labels: dict.fromkeys(found[frozenset()].held, 0.0) for labels in cells}
    for statement in reader["statements"]:
        for labels in found[frozenset(statement["antecedent"].items())].cells:
            scores[labels][statement["value"]] += statement["multiplier"]
    for entry in reader["closed"]:
        for value in entry["values"]:
            scores[tuple(entry["combination"])][value] = -inf
    shares = {}
    for labels, score in scores.items():
        highest = max(score.values())
        mass = {value: exp(mine - highest) for value, mine in score.items()}
        total = sum(mass.values())
        shares[labels] = {value: part / total for value, part in mass.items()}
    return shares


def reader_problems(
    cells: Cells, found: Found, shares: Shares, bounds: Bounds, reader: dict[str, Any], slack: float
) -> Iterator[str]:
    """A constraint that is not met, or a multiplier that may not be; none where the posterior is proven."""
    for entry in reader["closed"]:
        if not cells[tuple(entry["combination"])].keys().isdisjoint(entry["values"]):
            yield "somebody holds a value that the reader is said to exclude"
    multipliers = {
        (frozenset(entry["antecedent"].items()), entry["value"]): entry["multiplier"]
        for entry in reader["statements"]
    }
    if not multipliers.keys() <= bounds.keys():
        yield "a multiplier belongs to nothing that the reader knows"
    people = {labels: held.total() for labels, held in cells.items()}
    for (items, value), (low, high) in bounds.items():
        expected = sum(people[labels] * shares[labels][value] for labels in found[items].cells)
        multiplier = multipliers.get((items, value), 0.0)
        if not low - slack <= expected <= high + slack:
            yield f"a constraint is violated: {expected:.6f} people, not {low:g} to {high:g}"
        if low < high and multiplier and abs(expected - (low if multiplier > 0 else high)) > slack:
            yield "a multiplier stands for a bound that is not reached"
