"""What groups of compatible members are grown by: counts kept up to date are those counted anew."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.arrays.bitmaps import lists, unpack
from tacit.methods.bucketize.solve.compatible import _change, _leave, conflicting, make_kinds, tally
from tests.methods.bucketize.random_classes import random_classes


@pytest.mark.parametrize("attributes", [1, 2, 3])
def test_conflicts_kept_up_to_date_are_those_of_the_members_left(attributes: int) -> None:
    generator = np.random.Generator(np.random.PCG64(51 + attributes))
    shared = refused = 0
    for _ in range(60):
        classes = random_classes(generator, most_rows=30, attributes=attributes)
        n_values, counts = classes.n_values, classes.counts.copy()
        barring = (classes.forbidden_lists, classes.further_lists)
        kinds = make_kinds(classes.values, lists(classes.conflicts), *barring)
        every = tally(kinds, counts)
        kept = conflicting(every, kinds)
        for kind in generator.permutation(np.repeat(np.arange(len(classes)), counts))[::2]:
            counts[kind] -= 1
            _change(every, kinds, int(kind), -1)
            _leave(kept, kinds, int(kind))
        barred = unpack(classes.forbidden, n_values)
        conflict = unpack(classes.conflicts, n_values)
        for value in np.flatnonzero(every.total):
            refusing = counts[barred[:, value]].sum()
            assert every.refusals[kinds.column[value]] == refusing
            assert kept[value] == counts[~barred[:, value] & conflict[value][classes.values]].sum()
        refused += int(barred.any(axis=0).sum())
        shared += int(kinds.column.max())
    assert shared < refused if attributes > 1 else shared <= refused
