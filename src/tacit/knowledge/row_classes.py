"""Classes of rows alike in what matters to a reader with knowledge: sensitive value and forbidden set.

Several sensitive attributes make one value together: a value here is a combination that occurs,
with one code per attribute. It is forbidden where any of its parts is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.arrays.bitmaps import no_members, pack, unpack
from tacit.arrays.groups import group_rows
from tacit.data.hierarchy import NULL_LABEL
from tacit.engine.base import Combinations
from tacit.errors import listed
from tacit.mining.knowledge import NegativeRules
from tacit.typing import Codes, Counts, Words


@dataclass(frozen=True, eq=False)
class RowClasses:
    """Class c: ``counts[c]`` rows that hold ``values[c]`` and cannot hold the values ``forbidden[c]``."""

    attributes: tuple[str, ...]
    texts: tuple[tuple[str | None, ...], ...]
    """The texts of the values of each sensitive attribute, by code."""
    parts: Codes  # (values, attributes): the code of each value in each attribute
    values: Codes
    forbidden: Words  # (classes, words): a mask over the values
    counts: Counts

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_values(self) -> int:
        return len(self.parts)

    @property
    def n_rows(self) -> int:
        return int(self.counts.sum())

    def describe(self, place: int) -> str:
        """A class in words, for a message."""
        held = self.value_text(int(self.values[place]))
        barred = np.flatnonzero(unpack(self.forbidden[place : place + 1], self.n_values)[0])
        rows = f"{int(self.counts[place]):,} row{'' if self.counts[place] == 1 else 's'} with {held!r}"
        if not len(barred):
            return rows
        return f"{rows} that cannot have {listed((self.value_text(int(value)) for value in barred), 3)}"

    def value_text(self, value: int) -> str:
        """A value in words."""
        labels = [texts[code] for texts, code in zip(self.texts, self.parts[value], strict=True)]
        return " / ".join(NULL_LABEL if label is None else label for label in labels)


def row_classes(
    combinations: Combinations, sensitive: Sequence[str], knowledge: NegativeRules | None
) -> tuple[RowClasses, Codes]:
    """The classes of a table, in the order of their content, and the class of each combination.

    ``combinations`` are those of the quasi-identifiers and the sensitive attributes; without
    ``knowledge`` nothing is forbidden and a class is a value.
    """
    places = [combinations.place(name) for name in sensitive]
    texts = tuple(combinations.texts[place] for place in places)
    value_of, first = group_rows(
        [np.ascontiguousarray(combinations.codes[:, place]) for place in places],
        [len(text) for text in texts],
    )
    parts = np.ascontiguousarray(combinations.codes[first][:, places])
    if knowledge is None or not len(knowledge):  # a class is a value: no marks, which are many
        class_of, shown_by = value_of, first
        forbidden = no_members(len(parts), len(parts))
    else:
        masks = _forbidden(combinations, sensitive, parts, knowledge)
        columns, sizes = [value_of], [len(parts)]
        told = np.ascontiguousarray(masks[:, masks.any(axis=0)])
        if told.shape[1]:
            # As text, the highest octet of a word first, masks sort as their words do one after the other.
            whole = told if told.shape[1] == 1 else told.astype(">u8").view(f"S{8 * told.shape[1]}")
            distinct, codes = np.unique(whole[:, 0], return_inverse=True)
            columns.append(codes.astype(np.int32))
            sizes.append(len(distinct))
        class_of, shown_by = group_rows(columns, sizes)
        forbidden = np.ascontiguousarray(masks[shown_by])
    counts = np.bincount(class_of, weights=combinations.counts, minlength=len(shown_by)).astype(np.int64)
    classes = RowClasses(tuple(sensitive), texts, parts, value_of[shown_by], forbidden, counts)
    return classes, class_of


def _forbidden(
    combinations: Combinations, sensitive: Sequence[str], parts: Codes, knowledge: NegativeRules
) -> Words:
    """Per combination, the mask of its forbidden values: a value is forbidden where one of its parts is."""
    masks = no_members(len(combinations), len(parts))
    for place, name in enumerate(sensitive):
        for code, inside in knowledge.forbidding(combinations, name):
            bits = pack((parts[:, place] == code)[None, :])[0]
            words = np.flatnonzero(bits)
            masks[np.ix_(np.flatnonzero(inside), words)] |= bits[words]
    return masks
