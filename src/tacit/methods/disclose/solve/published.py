"""The rules that are published, as a reader holds them: patterns Q ⇒ x and what is said of their counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.arrays.groups import sums_over, take_rows
from tacit.data.hierarchy import NULL_LABEL
from tacit.errors import InputError, Place, listed
from tacit.methods.disclose.solve.population import Population, Thresholds
from tacit.mining.rules import TableRules
from tacit.typing import AnyArray, Bools, Codes, Counts, Offsets

Items = tuple[tuple[str, str], ...]
"""Names of attributes with their labels."""


@dataclass(frozen=True, eq=False)
class PublishedRules:
    """Rules over a population, each with the fewest and the most people its scores allow.

    Exact scores allow one count; scores rounded to some digits an interval; a rule without scores
    only says that it reached the thresholds.
    """

    population: Population
    nodes: Codes  # (rules, attributes), -1 where an attribute takes no part
    values: Codes
    offsets: Offsets
    units: Codes
    matching: Counts
    lowest: Counts
    highest: Counts

    def __len__(self) -> int:
        return len(self.values)

    def select(self, places: AnyArray) -> PublishedRules:
        """The rules named by an index or a mask."""
        places = np.flatnonzero(places) if places.dtype == bool else places
        offsets, units = take_rows(self.offsets, self.units, places)
        columns = ("nodes", "values", "matching", "lowest", "highest")
        some: dict[str, Any] = {name: getattr(self, name)[places] for name in columns}
        return replace(self, offsets=offsets, units=units, **some)

    def without_scores(self, thresholds: Thresholds, places: Bools | None = None) -> PublishedRules:
        """The same rules, of which (or of those named) only the thresholds are told."""
        hidden = np.ones(len(self), dtype=bool) if places is None else places
        return replace(
            self,
            lowest=np.where(hidden, thresholds.least(self.matching), self.lowest),
            highest=np.where(hidden, self.matching, self.highest),
        )

    def text(self, place: int) -> str:
        """A rule as it is printed."""
        return pattern_text(self.population, self.nodes[place], int(self.values[place]))


def published_rules(population: Population, rules: TableRules) -> PublishedRules:
    """Mined rules with their exact counts."""
    names = [attribute.name for attribute in population.attributes]
    nodes = np.full((len(rules), len(names)), -1, dtype=np.int32)
    for place, attribute in enumerate(rules.attributes):
        if attribute.name not in names:
            raise unknown_in_rule("attribute", attribute.name, names)
        number = names.index(attribute.name)
        own = population.attributes[number].hierarchy.index
        known = np.array([own.get(label, -1) for label in attribute.hierarchy.labels], dtype=np.int32)
        used = rules.nodes[:, place] >= 0
        nodes[used, number] = known[rules.nodes[used, place]]
        if (nodes[used, number] < 0).any():
            label = attribute.label(int(rules.nodes[used, place][nodes[used, number] < 0][0]))
            raise unknown_in_rule(f"value of {attribute.name!r}", label, list(own))
    texts = [value_text(text) for text in population.values]
    if rules.sensitive != population.sensitive:
        raise unknown_in_rule("sensitive attribute", rules.sensitive, [population.sensitive])
    wanted = [value_text(text) for text in rules.texts]
    codes = np.array([texts.index(text) if text in texts else -1 for text in wanted], dtype=np.int32)
    values = codes[rules.values]
    if (values < 0).any():
        raise unknown_in_rule("sensitive value", wanted[int(rules.values[values < 0][0])], texts)
    return with_extents(population, nodes, values, rules.counts.support, rules.counts.support)


def with_extents(
    population: Population, nodes: Codes, values: Codes, lowest: AnyArray, highest: AnyArray
) -> PublishedRules:
    """Rules given by their patterns and count intervals."""
    offsets, units = extents_of(population, nodes)
    return PublishedRules(
        population,
        nodes,
        np.asarray(values, dtype=np.int32),
        offsets,
        units,
        sums_over(offsets, units, population.counts.astype(np.float64)).astype(np.int64),
        np.asarray(lowest, dtype=np.int64),
        np.asarray(highest, dtype=np.int64),
    )


def extents_of(population: Population, nodes: Codes) -> tuple[Offsets, Codes]:
    """In CSR form, the units that match each conjunction of nodes."""
    attributes = population.attributes
    leaves = [one.leaves[codes] for one, codes in zip(attributes, population.unit_codes.T, strict=True)]
    found = [np.zeros(0, dtype=np.int32)]
    for line in nodes:
        inside = np.ones(population.n_units, dtype=np.bool_)
        for place in np.flatnonzero(line >= 0):
            low, high = attributes[place].hierarchy.leaf_ranges[line[place]]
            inside &= (low <= leaves[place]) & (leaves[place] < high)
        found.append(np.flatnonzero(inside).astype(np.int32))
    return np.cumsum([*map(len, found)], dtype=np.int64), np.concatenate(found)


def interval_of_scores(
    n_rows: int, matching: int, support: str | None, confidence: str | None
) -> tuple[int, int]:
    """The counts that round to scores as printed: ``"0.42"`` and ``"0.83"`` of 6 people of 12 is (5, 5).

    >>> interval_of_scores(12, 6, "0.42", "0.83")
    (5, 5)
    """
    low, high = 0, matching
    for text, total in ((support, n_rows), (confidence, matching)):
        if text is None:
            continue
        digits = len(text.partition(".")[2])
        half = Fraction(1, 2 * 10**digits) if digits else Fraction(0)  # a plain 1 is all of them
        score = Fraction(text)
        low = max(low, -int(-((score - half) * total) // 1))
        high = min(high, int((score + half) * total // 1))
    return low, high


def pattern_text(population: Population, nodes: Codes, value: int | None) -> str:
    """``sex = male & age = 40 ⇒ disease = flu``."""
    items = [
        f"{attribute.name} = {attribute.label(node)}"
        for attribute, node in zip(population.attributes, nodes.tolist(), strict=True)
        if node >= 0
    ]
    left = " & ".join(items)
    return (
        left if value is None else f"{left} ⇒ {population.sensitive} = {value_text(population.values[value])}"
    )


def value_text(text: str | None) -> str:
    return NULL_LABEL if text is None else text


def coded(
    population: Population, patterns: Sequence[tuple[Items, str]], unknown: Callable[..., Exception]
) -> tuple[Codes, Codes]:
    """The nodes and the value of each pattern Q ⇒ x; ``unknown`` is the error for a name that nobody has."""
    names = [attribute.name for attribute in population.attributes]
    texts = [value_text(text) for text in population.values]
    nodes = np.full((len(patterns), len(names)), -1, dtype=np.int32)
    values = np.zeros(len(patterns), dtype=np.int32)
    for place, (items, value) in enumerate(patterns):
        for name, label in items:
            if name not in names:
                raise unknown(place, "attribute", name, names)
            index = population.attributes[names.index(name)].hierarchy.index
            if label not in index:
                raise unknown(place, f"value of {name!r}", label, index)
            nodes[place, names.index(name)] = index[label]
        if value not in texts:
            raise unknown(place, "sensitive value", value, texts)
        values[place] = texts.index(value)
    return nodes, values


def unknown_in_rule(what: str, found: str, known: Iterable[str], place: Place | None = None) -> InputError:
    """The error for a rule about something that the people do not have."""
    at = place or Place()
    return InputError(
        f"A rule names an unknown {what}.",
        code="rule-unknown",
        where=Place(at.file, at.line, value=found),
        hint=f"Known are {listed(known, limit=10)}.",
    )
