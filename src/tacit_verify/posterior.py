"""Posteriors from multipliers, and whether they are what maximum entropy gives.

With P(x|q) proportional to the exponential of the sum of the multipliers of the patterns that q
matches, and every constraint met, and a multiplier only where its constraint is met with equality
(positive at a lower bound, negative at an upper one), no posterior that meets the constraints has
a larger entropy: these conditions are sufficient because entropy is concave.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

from tacit_verify.reading import rows

MISSING = "NaN"

Items = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Cells:
    """The combinations of quasi-identifiers with their people and how many hold each sensitive value."""

    quasi: tuple[str, ...]
    values: tuple[str, ...]
    rows: list[tuple[tuple[str, ...], int, dict[str, int]]]
    n_rows: int

    def matching(self, antecedent: dict[str, str]) -> list[int]:
        """The places of the combinations that match."""
        wanted = [(self.quasi.index(name), label) for name, label in antecedent.items()]
        return [
            place
            for place, (labels, _, _) in enumerate(self.rows)
            if all(labels[at] == label for at, label in wanted)
        ]

    def count(self, antecedent: dict[str, str], value: str) -> tuple[int, int]:
        """How many people match, and how many of them hold the value."""
        places = self.matching(antecedent)
        people = sum(self.rows[place][1] for place in places)
        return people, sum(self.rows[place][2].get(value, 0) for place in places)


def count_cells(original: Path, quasi: list[str], sensitive: str) -> Cells:
    """The original, counted."""
    counts: Counter[tuple[str, ...]] = Counter()
    for row in rows(original, [*quasi, sensitive]):
        counts[tuple(text if text != "" else MISSING for text in row)] += 1
    held: dict[tuple[str, ...], dict[str, int]] = {}
    for row, count in counts.items():
        held.setdefault(row[:-1], {})[row[-1]] = count
    values = tuple(sorted({row[-1] for row in counts}))
    combinations = [(labels, sum(by.values()), by) for labels, by in sorted(held.items())]
    return Cells(tuple(quasi), values, combinations, sum(counts.values()))


def patterns_above(
    cells: Cells, smallest: int, max_length: int | None
) -> list[tuple[Items, int, dict[str, int]]]:
    """Every conjunction that at least so many people match, with its people and their values."""
    found: list[tuple[Items, int, dict[str, int]]] = []
    longest = len(cells.quasi) if max_length is None else max_length
    stack = [(frozenset[tuple[str, str]](), list(range(len(cells.rows))), 0)]
    while stack:
        items, places, begin = stack.pop()
        for at in range(begin, len(cells.quasi)):
            parts: dict[str, list[int]] = {}
            for place in places:
                parts.setdefault(cells.rows[place][0][at], []).append(place)
            for label, part in parts.items():
                people = sum(cells.rows[place][1] for place in part)
                if people < smallest:
                    continue
                held: Counter[str] = Counter()
                for place in part:
                    held.update(cells.rows[place][2])
                grown = items | {(cells.quasi[at], label)}
                found.append((grown, people, dict(held)))
                if len(grown) < longest:
                    stack.append((grown, part, at + 1))
    return found


def posterior(cells: Cells, reader: dict[str, Any]) -> list[dict[str, float]]:
    """P(x|q) of every combination from a reader's multipliers."""
    scores = [dict.fromkeys(cells.values, 0.0) for _ in cells.rows]
    for statement in reader["statements"]:
        for place in cells.matching(statement["antecedent"]):
            scores[place][statement["value"]] += statement["multiplier"]
    closed = {tuple(entry["combination"]): set(entry["values"]) for entry in reader["closed"]}
    shares = []
    for (labels, _, _), score in zip(cells.rows, scores, strict=True):
        barred = closed.get(labels, set())
        highest = max(score[value] for value in cells.values if value not in barred)
        mass = {value: 0.0 if value in barred else exp(score[value] - highest) for value in cells.values}
        total = sum(mass.values())
        shares.append({value: part / total for value, part in mass.items()})
    return shares


def reader_problems(
    cells: Cells,
    shares: list[dict[str, float]],
    bounds: dict[tuple[Items, str], tuple[float, float]],
    reader: dict[str, Any],
    tolerance: float,
) -> str | None:
    """A constraint that is not met, or a multiplier that may not be; None where the posterior is proven."""
    slack = tolerance * cells.n_rows
    for entry in reader["closed"]:
        held = next((by for labels, _, by in cells.rows if list(labels) == entry["combination"]), None)
        if held is None or any(held.get(value) for value in entry["values"]):
            return "somebody holds a value that the reader is said to exclude"
    multipliers = {
        (frozenset(entry["antecedent"].items()), entry["value"]): entry["multiplier"]
        for entry in reader["statements"]
    }
    unknown = multipliers.keys() - bounds.keys()
    if unknown:
        return f"{len(unknown)} multipliers belong to nothing that the reader knows"
    sums: dict[tuple[Items, str], float] = {}
    for items in {items for items, _ in bounds}:
        places = cells.matching(dict(items))
        for value in cells.values:
            sums[(items, value)] = sum(cells.rows[place][1] * shares[place][value] for place in places)
    for pattern, (low, high) in bounds.items():
        held_there, multiplier = sums[pattern], multipliers.get(pattern, 0.0)
        if not low - slack <= held_there <= high + slack:
            return f"a constraint is violated: {held_there:.6f} people, not {low:g} to {high:g}"
        if low < high and multiplier and abs(held_there - (low if multiplier > 0 else high)) > slack:
            return "a multiplier stands for a bound that is not reached"
    return None
