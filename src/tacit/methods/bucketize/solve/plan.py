"""Classes of rows, and a plan of buckets: which classes go together, and which rows must stay out.

Rows of a class have the same sensitive value and the same forbidden set: a solver need not tell them apart.
Bucketizing works on classes with counts, never on rows, so that a plan depends neither on the
order of the rows nor on their number, and can be made from a group-by that any engine runs. The
key decides the order of the classes, and with it every tie.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.arrays.bitmaps import lists, masks_of, no_members
from tacit.engine.base import Combinations
from tacit.knowledge.row_classes import RowClasses, row_classes
from tacit.mining.knowledge import NegativeRules
from tacit.random.digests import ranks, value_digests
from tacit.random.key import Key
from tacit.random.keyed import draws, keyed_order
from tacit.typing import AnyArray, Codes, Counts, Offsets, Words

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
    thrown: int = 0
    """How many draws of the whole plan were thrown away for what rules leave out."""

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
        """Kinds of rows that the plan does not tell apart: of each combination, each member; their number."""
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
        members = self.members.tolist()
        shapes = Counter(tuple(members[begin:end]) for begin, end in pairwise(self.offsets.tolist()))
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


@dataclass(frozen=True, eq=False)
class Classes(RowClasses):
    """The classes with what the solvers look up again and again."""

    @cached_property
    def value_counts(self) -> Counts:
        """How many rows hold each value."""
        return np.bincount(self.values, weights=self.counts, minlength=self.n_values).astype(np.int64)

    @cached_property
    def conflicts(self) -> Words:
        """Per value, the mask of the values that agree with it in some attribute, itself included."""
        if len(self.attributes) == 1:
            return masks_of(np.arange(self.n_values))  # a value agrees with itself alone
        found = no_members(self.n_values, self.n_values)
        for part in self.parts.T:
            found |= masks_of(part)[part]
        return found

    @cached_property
    def forbidden_lists(self) -> tuple[Offsets, Codes]:
        """Per class, the values it cannot hold."""
        return lists(self.forbidden)

    @cached_property
    def further_lists(self) -> tuple[Offsets, Codes]:
        """Per class, the values it cannot hold that do not conflict with its own."""
        return lists(self.forbidden & ~self.conflicts[self.values])

    def keep(self, counts: Counts) -> Classes:
        """The same classes with other counts."""
        return replace(self, counts=counts)


@dataclass(frozen=True, eq=False)
class Counted:
    """The table counted: its combinations of columns, its classes, and the class of each combination."""

    combinations: Combinations
    classes: Classes
    class_of: Codes
    key: Key
    """What drives every choice about this table, and about that of no other people."""
    alike: Codes | None = None
    """Where quasi-identifiers are published coarser: which combinations look alike, by number."""

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that a reader knows: quasi-identifiers and kept columns."""
        return tuple(name for name in self.combinations.names if name not in self.classes.attributes)

    @property
    def known_values(self) -> int:
        """How many values the known columns have, all together."""
        return sum(len(self.combinations.texts[self.combinations.place(name)]) for name in self.known)


def classes_of(
    combinations: Combinations, sensitive: Sequence[str], knowledge: NegativeRules | None, key: Key
) -> tuple[Classes, Codes]:
    """The classes of a table, in keyed order, and the class of each combination."""
    found, class_of = row_classes(combinations, sensitive, knowledge)
    digests = _digests(found, key)
    # Classes of equal digest can only come from sums that agree; their order by content settles it.
    rank = ranks(digests)
    order = keyed_order(draws(key.subkey("bucketize: order of classes"), digests, rank), digests, rank)
    numbers = np.empty(len(order), dtype=np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    classes = Classes(
        found.attributes,
        found.texts,
        found.parts,
        found.values[order],
        np.ascontiguousarray(found.forbidden[order]),
        found.counts[order],
    )
    return classes, numbers[class_of]


def _digests(classes: RowClasses, key: Key) -> Words:
    """A keyed digest of what each class holds and cannot hold."""
    held, barred = (digests_of_values(classes, key, purpose) for purpose in ("holds", "cannot hold"))
    offsets, members = lists(classes.forbidden)
    # Sums wrap around at 2^64, and so do their differences: each class's own sum is exact.
    sums = np.concatenate([np.zeros((1, 2), dtype=np.uint64), np.cumsum(barred[members], axis=0)])
    return np.ascontiguousarray(held[classes.values] + sums[offsets[1:]] - sums[offsets[:-1]])


def digests_of_values(classes: RowClasses, key: Key, purpose: str, values: AnyArray | None = None) -> Words:
    """A keyed digest of each value, or of some, whatever their codes."""
    parts = classes.parts if values is None else classes.parts[values]
    content = key.subkey("bucketize: content of classes")
    digests = np.zeros((len(parts), 2), dtype=np.uint64)
    for place, (name, texts) in enumerate(zip(classes.attributes, classes.texts, strict=True)):
        codes, of_value = np.unique(parts[:, place], return_inverse=True)
        digests += value_digests(content, f"{purpose} {name}", [texts[code] for code in codes])[of_value]
    return digests
