"""What is asked for: the arguments of the verb, checked, with their defaults settled.

It is handed on as it is, from making a release to the solvers and to what the release says of itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from tacit.data.table import Table
from tacit.engine.base import Engine
from tacit.engine.choice import engine_for
from tacit.judging.people import one_row_per_person
from tacit.knowledge.row_classes import RowClasses
from tacit.methods.bucketize.accepting import reasons_of
from tacit.methods.bucketize.verb import ANATOMY, ANY, AREAS, INJECTOR, partners_of
from tacit.mining.knowledge import NegativeRules
from tacit.options import EPSILON
from tacit.random.key import Key, load_key
from tacit.ranges import as_fraction
from tacit.typing import Progress, Threshold


@dataclass(frozen=True, eq=False, kw_only=True)
class Asked:
    """How a table is to be bucketized; thresholds are exact."""

    l: int
    key: Key
    engine: Engine
    method: str = INJECTOR
    partners: str | None = ANY
    """None for Anatomy."""
    epsilon: float | None = None
    """None where it bounds nothing."""
    bound: Fraction | None = None
    """No value of anybody may be likelier than this."""
    among_left_out: Fraction | None = None
    """Of the rows left out no value is held by more than this share; None where none may be left out."""
    k: int | None = None
    form: str = "qit"
    knowledge: NegativeRules | Mapping[str, Any] | None = None
    join_values: bool = False
    max_learned: Threshold | None = None
    person: str | None = None
    after: str | Path | None = None
    accepted: Mapping[str, str] = field(default_factory=dict)
    progress: Progress | None = None

    @property
    def least(self) -> int:
        """How many valid values a row needs: of fewer than 1/bound one is likelier than the bound."""
        return self.l if self.bound is None else max(self.l, math.ceil(1 / self.bound))

    def by_frequency(self, classes: RowClasses) -> bool:
        """Whether the frequency of values decides what is feasible, as for Anatomy, and no rule does."""
        return self.method == ANATOMY and len(classes.attributes) == 1

    def report(self, what: str) -> None:
        if self.progress is not None:
            self.progress(what, None)


def settled(given: Any) -> tuple[Asked, Table]:
    """What the checked arguments of the verb ask for, and the table with one row of every person."""
    key = load_key() if given.key is None else given.key
    table = one_row_per_person(given.table, given.person, key)
    partners = partners_of(vars(given))
    bound, among = given.max_posterior, given.max_posterior_suppressed
    asked = Asked(
        key=key,
        engine=engine_for(table) if given.engine is None else given.engine,
        method=given.algorithm,
        partners=partners,
        epsilon=float(given.epsilon or EPSILON) if partners == AREAS else None,
        bound=None if bound is None else as_fraction(bound),
        among_left_out=None if among is None else as_fraction(among),
        accepted=reasons_of(given.accept),
        **{name: getattr(given, name) for name in AS_GIVEN},
    )
    return asked, table


AS_GIVEN = ("l", "k", "form", "knowledge", "join_values", "max_learned", "person", "after", "progress")
