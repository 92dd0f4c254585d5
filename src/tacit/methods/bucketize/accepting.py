"""Columns that would undo a promise are refused, unless their owner gives a reason.

A kept column that predicts a sensitive one, equals it under another name or holds free text is not
published silently, and neither is a quasi-identifier that is the sensitive column itself. Whoever has
to publish one says why; the reason stands in the manifest and on the page to sign.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.data.table import Table
from tacit.engine.base import TableCounting
from tacit.errors import InfeasibleError, Place, UsageError, listed, option
from tacit.judging.telling import Telling, telling


def check_columns(table: Table, l: int, accept: Mapping[str, str], engine: TableCounting) -> None:
    """Raise for a column that would undo the promise and has no reason, or a reason that does nothing."""
    for name in accept:
        if name not in table.roles.known:
            raise _unused(name, f"is not published; those that are: {listed(table.roles.known)}")
    for name in table.roles.known:
        found = _found(table, name, l, engine)
        if found is None and name in accept:
            raise _unused(name, "needs none: it may be published as it is")
        if found is not None and name not in accept:
            raise _refused(table, found)


def _found(table: Table, name: str, l: int, engine: TableCounting) -> Telling | None:
    kept = name in table.roles.keep
    each = (
        telling(engine.combinations(table, [name, sensitive]), l, kept=kept)
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
