"""Labels for the groups a builder makes: each label is one node, whatever the values are called."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.data.hierarchy import NULL_LABEL, Hierarchy, from_parents
from tacit.errors import InputError, Place

ROOT_LABEL = "*"


class Namer:
    """Gives each group a label that no value and no other group has.

    A group that would be called like a value gets its kind as well: the year of the leaf ``2020``
    is ``2020 (year)``.
    """

    def __init__(self, values: Iterable[str]) -> None:
        self._taken = set(values) | {NULL_LABEL}
        self._given: dict[object, str] = {}

    def label(self, group: object, wanted: str, mark: str) -> str:
        """The label of ``group``, the same each time; ``mark`` is added as often as it takes."""
        if group not in self._given:
            while wanted in self._taken:
                wanted += mark
            self._taken.add(wanted)
            self._given[group] = wanted
        return self._given[group]

    def root(self) -> str:
        return self.label("root", ROOT_LABEL, " (all)")


def distinct_texts(values: Iterable[object]) -> tuple[list[str], bool]:
    """The distinct values as text in the order they come, and whether one of them is null."""
    found = dict.fromkeys(None if value is None else str(value) for value in values)
    null = None in found
    return [value for value in found if value is not None], null


def assembled(parents: dict[str, str], namer: Namer, *, null: bool, name: str | None) -> Hierarchy:
    """The hierarchy of a builder's links; the leaf of missing values hangs from the root, at the end."""
    if null:
        parents[NULL_LABEL] = namer.root()
    if not parents:
        raise InputError(
            "There are no values to build a hierarchy over.",
            code="hierarchy-empty",
            where=Place(file=name),
            hint="Give data with at least one row.",
        )
    return from_parents(parents, name=name)
