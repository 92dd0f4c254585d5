"""Who may be in which class: original people matched with published values, exact or generalized."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tacit.data.hierarchy import Hierarchy
from tacit.engine.base import Combinations
from tacit.judging.risk.classes import Classes
from tacit.judging.risk.covering import covered_by, covering
from tacit.typing import Counts


def matches(
    classes: Classes, people: Combinations, hierarchies: Mapping[str, Hierarchy]
) -> Iterator[tuple[int, Counts]]:
    """Each class with the combinations of original values that its published values may stand for.

    ``people`` are the combinations of the same columns in the original; classes without any are left out.
    """
    if not any(
        text is not None and covered_by(text, hierarchies.get(name)) is not None
        for name, texts in zip(classes.names, classes.texts, strict=True)
        for text in texts
    ) and not any(None in texts for texts in classes.texts):
        yield from _equal(classes, people)
        return
    covers = [
        covering(texts, original, hierarchies.get(name))
        for name, texts, original in zip(classes.names, classes.texts, people.texts, strict=True)
    ]
    yield from _descend(classes, people, covers, 0, np.arange(len(classes)), np.arange(len(people)))


def _equal(classes: Classes, people: Combinations) -> Iterator[tuple[int, Counts]]:
    """Where every published value is an original one: by looking them up."""
    known = {
        tuple(texts[code] for texts, code in zip(people.texts, row, strict=True)): place
        for place, row in enumerate(people.codes.tolist())
    }
    rows = zip(*(column.tolist() for column in classes.codes), strict=True)
    for which, row in enumerate(rows):
        place = known.get(tuple(texts[code] for texts, code in zip(classes.texts, row, strict=True)))
        if place is not None:
            yield which, np.array([place])


def _descend(
    classes: Classes,
    people: Combinations,
    covers: Sequence[Sequence[Counts]],
    column: int,
    which: Counts,
    among: Counts,
) -> Iterator[tuple[int, Counts]]:
    """Column by column: classes with the same values so far share the people who are left."""
    if column == len(covers):
        for one in which:
            yield int(one), among
        return
    held = people.codes[among, column]
    stands = np.zeros(len(people.texts[column]), dtype=np.bool_)
    codes = classes.codes[column][which]
    for code in np.unique(codes):
        stands[:] = False
        stands[covers[column][code]] = True
        left = among[stands[held]]
        if len(left):
            yield from _descend(classes, people, covers, column + 1, which[codes == code], left)
