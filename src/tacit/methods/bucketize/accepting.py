"""Columns that would undo a promise are refused, unless their owner gives a reason.

A kept column that predicts a sensitive one, equals it under another name or holds free text is not
published silently, and neither is a quasi-identifier that is the sensitive column itself. Whoever has
to publish one says why; the reason stands in the manifest and on the page to sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tacit.errors import InfeasibleError, Place, UsageError, listed, option
from tacit.ranges import Lines, ListOf, Range, Words

if TYPE_CHECKING:
    from tacit.data.table import Table
    from tacit.judging.telling import Telling
    from tacit.methods.bucketize.asked import Asked

LONGEST_REASON = 200


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
    from tacit.judging.telling import telling

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


@dataclass(frozen=True, slots=True)
class Reasons(Range):
    """Names of columns, each with a reason of one line."""

    def __str__(self) -> str:
        return f"a mapping from columns to reasons of one line and at most {LONGEST_REASON} characters"

    def holds(self, value: object) -> bool:
        if not isinstance(value, Mapping):
            return isinstance(value, str | tuple | list)  # lines: reasons_of reads them
        return all(
            isinstance(name, str)
            and isinstance(reason, str)
            and reason.strip()
            and reason.isprintable()
            and len(reason) <= LONGEST_REASON
            for name, reason in value.items()
        )

    def read(self, text: str) -> object:
        return Lines().read(text)

    def schema(self) -> dict[str, Any]:
        return ListOf(Words(), "").schema()


def reasons_of(accept: Mapping[str, str] | Iterable[str]) -> dict[str, str]:
    """The reasons by column; they may be written as ``COLUMN=reason``, one a line.

    >>> reasons_of(["ward=asked for by the ethics board"])
    {'ward': 'asked for by the ethics board'}
    """
    if isinstance(accept, Mapping):
        return dict(accept)
    found: dict[str, str] = {}
    for line in [accept] if isinstance(accept, str) else accept:
        name, equals, reason = (part.strip() for part in line.partition("="))
        if not (name and equals and reason):
            raise UsageError(
                f"{line!r} does not say which column is accepted and why.",
                code="accept-reason",
                hint='Write the column, an equals sign and the reason: accept= (--accept ward="reason").',
            )
        if name in found:
            raise UsageError(f"Two reasons are given for the column {name!r}.", code="accept-twice")
        found[name] = reason
    return found


def early(data: object, given: Mapping[str, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """What can be refused before a run: reasons that are none, and lines that are no rules."""
    from tacit.mining.amendment import read_lines

    yield "accept", lambda: reasons_of(given["accept"])
    for name in ("rules", "drop_rules"):
        yield name, partial(read_lines, given["knowledge"][name])
