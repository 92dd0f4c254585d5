"""A set of negative rules: what a reader is assumed to know.

Rules are kept as arrays (one row of nodes and one value each) and shown as objects. Applied to
combinations of quasi-identifiers they say which sensitive values each combination cannot have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tacit.data.hierarchy import NULL_LABEL
from tacit.data.table import Table
from tacit.engine.base import Combinations, Engine
from tacit.errors import UsageError
from tacit.mining.conjunctions import Attribute, alike, conditions
from tacit.notebook import InNotebook
from tacit.typing import AnyArray, Bools, Bytes, Codes, Counts, Floats

NODE_BYTES = 1 << 28
"""So much memory is used to keep who is below which node."""


@dataclass(frozen=True, slots=True)
class NegativeRule:
    """``when ⇒ ¬ (attribute = value)``: no row that matches ``when`` holds the value."""

    when: tuple[tuple[str, str], ...]
    attribute: str
    value: str
    count: float
    hits: float
    expectation: float
    given: bool
    may_be_chance: bool
    """Whether, of as many rules about the same attributes, one like it is no surprise."""

    @property
    def confidence(self) -> float:
        """The share of matching rows that do not hold the value; 1 where no row matches."""
        return 1.0 - self.hits / self.count if self.count else 1.0

    def __str__(self) -> str:
        when = " & ".join(f"{_word(name)} = {_word(label)}" for name, label in self.when)
        return f"{when} ⇒ ¬ {_word(self.attribute)} = {_word(self.value)}"

    def to_dict(self) -> dict[str, object]:
        return {
            "when": dict(self.when),
            "attribute": self.attribute,
            "value": self.value,
            "count": self.count,
            "hits": self.hits,
            "confidence": self.confidence,
            "expectation": self.expectation,
            "given": self.given,
            "may_be_chance": self.may_be_chance,
        }


def _word(name: str) -> str:
    """A name in quotes where it would not be read back as one word."""
    plain = name and name == name.strip() and not re.search('["&=#⇒¬]', name) and name.lower() != "not"
    return name if plain else '"' + name.replace('"', '""') + '"'


_BY_RULE = ("nodes", "about", "values", "counts", "hits", "expectations", "given")
"""The arrays with a line for each rule."""


@dataclass(frozen=True, eq=False, repr=False)
class NegativeRules(InNotebook):
    """Negative rules over the same quasi-identifiers; behaves as a sequence of :class:`NegativeRule`."""

    attributes: tuple[Attribute, ...]
    sensitive: Mapping[str, tuple[str | None, ...]]
    """The texts of the values of each sensitive attribute, by code."""
    nodes: Codes  # (rules, attributes), -1 where an attribute takes no part
    about: Codes  # which sensitive attribute, by its place in ``sensitive``
    values: Codes  # which of its values, by code
    counts: AnyArray
    hits: AnyArray
    expectations: Floats
    given: Bools
    dropped: tuple[str, ...] = field(default=())
    """Rules the user took out; for the private record only."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The thresholds they were mined with; empty where they were not mined."""

    @classmethod
    def none(
        cls, attributes: Sequence[Attribute], sensitive: Mapping[str, tuple[str | None, ...]]
    ) -> NegativeRules:
        """No rules yet."""
        return cls(
            tuple(attributes),
            dict(sensitive),
            np.zeros((0, len(attributes)), dtype=np.int32),
            np.zeros(0, dtype=np.int32),
            np.zeros(0, dtype=np.int32),
            np.zeros(0, dtype=np.int64),
            np.zeros(0, dtype=np.int64),
            np.zeros(0),
            np.zeros(0, dtype=bool),
        )

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<NegativeRules: {len(self):,} about {', '.join(self.sensitive)}>"

    def __iter__(self) -> Iterator[NegativeRule]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> NegativeRule:
        name = list(self.sensitive)[self.about[place]]
        value = self.sensitive[name][self.values[place]]
        when = self.conditions(self.nodes[place])
        return NegativeRule(
            when=when,
            attribute=name,
            value=NULL_LABEL if value is None else value,
            count=self.counts[place].item(),
            hits=self.hits[place].item(),
            expectation=float(self.expectations[place]),
            given=bool(self.given[place]),
            may_be_chance=bool(self.may_be_chance[place]),
        )

    def conditions(self, nodes: Codes) -> tuple[tuple[str, str], ...]:
        """A conjunction of nodes in words: the attributes that take part, each with its label."""
        return conditions(self.attributes, nodes)

    def __str__(self) -> str:
        return "\n".join(str(rule) for rule in self)

    @cached_property
    def may_be_chance(self) -> Bools:
        """Which rules would not be kept if as many were tested as their attributes have values."""
        level = 1 - float(self.settings.get("min_expectation", 0.9))
        chance = (1 - self.expectations) * alike(self.nodes, self.attributes)
        return np.asarray(~self.given & (chance > level))

    @property
    def firm_first(self) -> Counts:
        """The order to show rules in: those that may be chance come last."""
        return np.argsort(self.may_be_chance, kind="stable")

    @property
    def certain(self) -> bool:
        """Whether no row contradicts any rule, so that they may serve as a reader's knowledge."""
        return bool((self.hits == 0).all())

    def refuse_uncertain(self) -> None:
        """Raise where some row contradicts a rule, or it does not say whom the rules are about."""
        if self.settings.get("spread"):
            raise UsageError(
                "Rules about intervals with fuzzy edges cannot be a reader's knowledge: whoever is near an"
                " interval belongs to it in part, and the rules do not say so of anybody.",
                code="knowledge-fuzzy",
                hint="Mine them with spread=0.",
            )
        if not self.certain:
            raise UsageError(
                "Rules with exceptions cannot be a reader's knowledge: the truth would contradict them.",
                code="knowledge-uncertain",
                hint="Mine them with min_confidence=1.",
            )

    def refuse_other_table(self, table: Table) -> None:
        """Raise unless the rules are about this table."""
        same = tuple(attribute.name for attribute in self.attributes) == table.roles.known
        same = same and all(
            len(attribute.leaves) == len(table.column(attribute.name).values) for attribute in self.attributes
        )
        same = same and set(self.sensitive) == set(table.roles.sensitive)
        if not same or any(
            tuple(table.column(name).texts) != tuple(texts) for name, texts in self.sensitive.items()
        ):
            raise UsageError(
                "The rules were mined from another table, or for other roles.",
                code="knowledge-other-table",
                hint="Mine them from this table with mine_negative_rules(table).",
            )

    def extended(
        self,
        sensitive: str,
        nodes: Codes,
        values: Codes,
        counts: AnyArray,
        hits: AnyArray,
        expectations: Floats,
        *,
        given: bool = False,
    ) -> NegativeRules:
        """These rules and further ones about one sensitive attribute, in canonical order."""
        about = np.full(len(values), list(self.sensitive).index(sensitive), dtype=np.int32)
        codes = nodes.astype(np.int32), about, values.astype(np.int32)
        more = (*codes, counts, hits, expectations, np.full(len(values), given))
        pairs = zip(_BY_RULE, more, strict=True)
        longer: dict[str, Any] = {name: np.concatenate([getattr(self, name), new]) for name, new in pairs}
        merged = replace(self, **longer)
        length = (merged.nodes >= 0).sum(axis=1)
        keys = [*reversed(list(merged.nodes.T)), merged.values, length, merged.about]
        return merged.select(np.lexsort(keys))

    def select(self, places: AnyArray) -> NegativeRules:
        """The rules named by an index or a mask."""
        return replace(self, **{name: getattr(self, name)[places] for name in _BY_RULE})

    def about_values(self, name: str, texts: Sequence[str | None]) -> NegativeRules:
        """The same rules where the values of a sensitive attribute have other codes, or are others."""
        if tuple(texts) == tuple(self.sensitive[name]):
            return self
        code = {text: place for place, text in enumerate(texts)}
        mine = self.about == list(self.sensitive).index(name)
        moved = np.array([code.get(text, -1) for text in self.sensitive[name]], dtype=np.int32)
        values = np.where(mine, moved[np.where(mine, self.values, 0)], self.values).astype(np.int32)
        recoded = replace(self, values=values, sensitive={**self.sensitive, name: tuple(texts)})
        return recoded.select(values >= 0)

    def with_changes(
        self,
        table: Table,
        *,
        added: Iterable[str] | str | Path = (),
        dropped: Iterable[str] | str | Path = (),
        engine: Engine | None = None,
    ) -> NegativeRules:
        """These rules with those of the user: lines, or a file of them."""
        from tacit.mining.amendment import add_rules, drop_rules

        return add_rules(drop_rules(self, dropped), table, added, engine)

    def forbidden(self, combinations: Combinations, sensitive: str) -> Bools:
        """Shape (combinations, values): which values of the attribute each combination cannot have."""
        sets, set_of = self.barred(combinations, sensitive)
        return np.asarray(sets[set_of])

    def barred(self, combinations: Combinations, *sensitive: str) -> tuple[Bools, Codes]:
        """The sets of values that combinations cannot have, ascending, and the set of each combination.

        Shape (sets, values): those of all the attributes, side by side. Values may be thousands, of which
        rules are about a few, so that sets are told apart by these.
        """
        ends = np.cumsum([0, *(len(self.sensitive[name]) for name in sensitive)])
        about: list[int] = []
        marks: list[Bools] = []
        for start, name in zip(ends.tolist(), sensitive, strict=False):
            for code, inside in self.forbidding(combinations, name):
                about.append(start + code)
                marks.append(inside)
        if not about:
            return np.zeros((1, ends[-1]), dtype=np.bool_), np.zeros(len(combinations), dtype=np.int32)
        packed = np.packbits(np.column_stack(marks), axis=1)  # as text, they sort as the marks do
        _, first, set_of = np.unique(
            packed.view(f"S{packed.shape[1]}")[:, 0], return_index=True, return_inverse=True
        )
        sets = np.zeros((len(first), ends[-1]), dtype=np.bool_)
        sets[:, about] = np.column_stack([inside[first] for inside in marks])
        return sets, set_of.astype(np.int32)

    def forbidding(self, combinations: Combinations, sensitive: str) -> Iterator[tuple[int, Bools]]:
        """The values of the attribute that a rule forbids, each with the combinations that cannot have it."""
        mine = np.flatnonzero(self.about == list(self.sensitive).index(sensitive))
        matching = self.matching(combinations)
        for code in np.unique(self.values[mine]).tolist():
            yield code, matching(self.nodes[mine[self.values[mine] == code]])

    def matching(self, combinations: Combinations) -> Callable[[Codes], Bools]:
        """Tells which combinations match a conjunction, or any of several.

        A conjunction is a node of each attribute, -1 for none. Combinations are bits here: rules may be
        hundreds of thousands, and many are about the same node.
        """
        size = len(combinations)
        everybody: Bytes = np.full(-(-size // 8), 255, dtype=np.uint8)

        @lru_cache(maxsize=max(64, 8 * NODE_BYTES // max(1, size)))
        def below(place: int, node: int) -> Bytes:
            attribute = self.attributes[place]
            low, high = attribute.hierarchy.leaf_ranges[node]
            leaves = attribute.leaves[combinations.codes[:, combinations.place(attribute.name)]]
            return np.packbits((low <= leaves) & (leaves < high))

        def match(nodes: Codes) -> Bools:
            nodes = np.atleast_2d(nodes)
            rules, places = np.nonzero(nodes >= 0)
            taken = list(zip(places.tolist(), nodes[rules, places].tolist(), strict=True))
            found, ends = np.zeros_like(everybody), np.cumsum((nodes >= 0).sum(axis=1))
            for start, end in pairwise([0, *ends.tolist()]):
                inside = everybody
                for one in taken[start:end]:
                    inside = inside & below(*one)
                found |= inside
            return np.unpackbits(found, count=size).view(np.bool_)

        return match

    def histogram(self, combinations: Combinations) -> Counts:
        """How many rows have 0, 1, 2, … forbidden values, all sensitive attributes together."""
        sets, set_of = self.barred(combinations, *self.sensitive)
        return np.bincount(sets.sum(axis=1)[set_of], weights=combinations.counts).astype(np.int64)

    def to_frame(self) -> pl.DataFrame:
        """One row per rule: the items, the value, the counts, the expectation."""
        rules = list(self)
        return pl.DataFrame(
            {
                "when": [" & ".join(f"{name} = {label}" for name, label in rule.when) for rule in rules],
                "attribute": [rule.attribute for rule in rules],
                "not": [rule.value for rule in rules],
                "count": [float(rule.count) for rule in rules],
                "hits": [float(rule.hits) for rule in rules],
                "confidence": [rule.confidence for rule in rules],
                "expectation": [rule.expectation for rule in rules],
                "given": [rule.given for rule in rules],
            },
            schema_overrides={"given": pl.Boolean},
        )
