"""A plan of buckets: which classes of rows go together, and which rows must stay out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.methods.bucketize.solve.classes import Classes
from tacit.typing import Codes, Counts, Offsets, Words

if TYPE_CHECKING:
    from tacit.methods.bucketize.solve.injector import Cells


@dataclass(frozen=True, eq=False)
class Plan:
    """Bucket b takes one row of each class ``members[offsets[b] : offsets[b + 1]]``."""

    classes: Classes
    offsets: Offsets
    members: Codes
    suppressed: Counts
    """Per class, how many rows are not published."""
    cells: Cells | None = None
    """The cells of nearby rows, where the plan says from which of them a row is to be taken."""
    places: Codes | None = None
    """Per entry of ``members``, the smallest cell its row is taken from."""
    combinations: Codes | None = None
    """Per entry of ``members``, the combination its row has, where the plan says so much."""
    bound_rows: int | None = None
    """With areas: the rows for whom ε bounds what a reader gains who knows how buckets are made, at least."""
    acceptance: float | None = None
    """With areas: about how much it adds to ε that bad deals are thrown away."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def groups(self) -> tuple[Offsets, Codes, Codes, Words, Codes]:
        """The buckets as kernels take groups of members."""
        classes = self.classes
        return self.offsets, self.members, classes.values, classes.forbidden, classes.parts

    @property
    def n_suppressed(self) -> int:
        return int(self.suppressed.sum())

    def bucket(self, place: int) -> Codes:
        """The classes of the rows of one bucket."""
        return self.members[self.offsets[place] : self.offsets[place + 1]]

    def kinds(self, class_of: Codes) -> tuple[Codes, Codes, int]:
        """Kinds of rows that the plan does not tell apart: of each combination, of each member; their number.

        ``class_of`` is the class of each combination. Without cells a kind is a class.
        """
        if self.combinations is not None:
            return np.arange(len(class_of), dtype=np.int32), self.combinations, len(class_of)
        if self.cells is None or self.places is None:
            return class_of, self.members, len(self.classes)
        width = len(self.cells)
        pairs, kind_of = np.unique(class_of.astype(np.int64) * width + self.cells.of, return_inverse=True)
        wanted = self.members.astype(np.int64) * width + self.places
        return kind_of.astype(np.int32), np.searchsorted(pairs, wanted).astype(np.int32), len(pairs)

    def to_dict(self) -> dict[str, Any]:
        """The plan in plain values, for the private record; buckets of the same classes are counted."""
        classes = self.classes
        texts = [classes.value_text(value) for value in range(classes.n_values)]
        ends, barred = classes.forbidden_lists
        shapes: dict[tuple[int, ...], int] = {}
        for bucket in np.split(self.members, self.offsets[1:-1]):
            shape = tuple(bucket.tolist())
            shapes[shape] = shapes.get(shape, 0) + 1
        return {
            "classes": [
                {
                    "value": texts[classes.values[place]],
                    "cannot_have": [texts[value] for value in barred[ends[place] : ends[place + 1]]],
                    "rows": int(classes.counts[place]),
                    "suppressed": int(self.suppressed[place]),
                }
                for place in range(len(classes))
            ],
            "buckets": [{"classes": list(shape), "times": times} for shape, times in sorted(shapes.items())],
        }


def make_plan(
    classes: Classes,
    kinds: Codes,
    buckets: Codes,
    suppressed: Counts | None = None,
    *,
    cells: Cells | None = None,
    places: Codes | None = None,
    combinations: Codes | None = None,
) -> Plan:
    """The plan in which slot i is for a row of class ``kinds[i]`` in bucket ``buckets[i]``.

    Buckets keep their order, numbered without gaps; classes inside a bucket are sorted. Where there
    are cells, the row is one of the smallest cell ``places[i]``; or it has ``combinations[i]``.
    """
    order = np.lexsort((kinds, buckets))
    sizes = np.bincount(buckets, minlength=1)
    offsets = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64)
    out = np.zeros(len(classes), dtype=np.int64) if suppressed is None else suppressed
    places = None if places is None else places[order]
    combinations = None if combinations is None else combinations[order]
    return Plan(classes, offsets, kinds[order], out, cells, places, combinations)
