"""Why a column is published that would be refused: by column, or as lines ``COLUMN=reason``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from tacit.errors import UsageError
from tacit.ranges import Lines, ListOf, Words

LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Reasons:
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
