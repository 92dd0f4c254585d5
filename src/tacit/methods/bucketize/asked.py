"""What is asked for: the arguments of the verb, checked, with their defaults settled.

It is handed on as it is, from making a release to the solvers and to what the release says of itself.

Columns that would undo a promise are refused, unless their owner gives a reason. A kept column that predicts
a sensitive one, equals it under another name or holds free text is not published silently, and neither is a
quasi-identifier that is the sensitive column itself. Whoever has to publish one says why; the reason stands
in the manifest and on the page to sign.
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
from tacit.errors import InfeasibleError, Place, UsageError, listed, option
from tacit.judging.people import one_row_per_person
from tacit.judging.telling import Telling, telling
from tacit.knowledge.row_classes import RowClasses
from tacit.methods.bucketize.verb import ANATOMY, ANY, AREAS, INJECTOR, partners_of, reasons_of
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


def check_columns(table: Table, asked: Asked) -> None:
    """Raise for a column that would undo the promise and has no reason, or a reason that does nothing."""
    for name in asked.accepted:
        if name not in table.roles.known:
            raise _unused(name, f"is not published; those that are: {listed(table.roles.known)}")
    for name in table.roles.known:
        found = _found(table, name, asked)
        if found is None and name in asked.accepted:
            raise _unused(name, "needs none: it may be published as it is")
        if found is not None and name not in asked.accepted:
            raise _refused(table, found)


def _found(table: Table, name: str, asked: Asked) -> Telling | None:
    kept = name in table.roles.keep
    each = (
        telling(asked.engine.combinations(table, [name, sensitive]), asked.l, kept=kept)
        for sensitive in table.roles.sensitive
    )
    return next((found for found in each if found is not None), None)


def _refused(table: Table, found: Telling) -> InfeasibleError:
    role = "kept column" if found.column in table.roles.keep else "quasi-identifier"
    return InfeasibleError(
        f"The {role} {found.column!r} would undo the promise: {found.why}.",
        code=found.code,
        where=Place(file=table.origin),
        hint="Leave the column out, or make its values coarser. To publish it knowingly, give a reason with"
        f" {option('accept', {found.column: 'reason'})}, which will stand in the manifest.",
    )


def _unused(name: str, why: str) -> UsageError:
    return UsageError(
        f"A reason does nothing for the column {name!r}, which {why}.",
        code="accept-unused",
        hint=f"Leave it out of {option('accept')}.",
    )
