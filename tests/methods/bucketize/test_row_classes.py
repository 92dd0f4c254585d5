"""Classes of rows follow the order of their content, however many words their forbidden sets take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tacit.engine.base import Combinations
from tacit.knowledge import row_classes as module
from tests.cases import cases


@pytest.mark.parametrize("seed", range(cases(60)))
def test_classes_are_sorted_by_value_and_then_by_the_words_of_what_is_forbidden(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(seed)
    n_values, n_rows = int(draw.integers(1, 300)), int(draw.integers(1, 200))
    width = (n_values + 63) // 64
    some = draw.choice(np.array([0, 0, 1, 256, 1 << 32, 1 << 63], dtype=np.uint64), size=(5, width))
    masks = some[draw.integers(5, size=n_rows)]
    held = draw.integers(n_values, size=n_rows)
    texts = ("x",), tuple(f"{value:03}" for value in range(n_values))
    codes = np.column_stack([np.zeros(n_rows), held]).astype(np.int32)
    found = Combinations(names=("q", "s"), texts=texts, codes=codes, counts=np.ones(n_rows, dtype=np.int64))
    monkeypatch.setattr(module, "_forbidden", lambda *given: masks)
    known: Any = ["a rule"]
    classes, class_of = module.row_classes(found, ["s"], known)
    wanted = list(zip(held.tolist(), map(tuple, masks.tolist()), strict=True))
    values = classes.parts[classes.values, 0].tolist()
    content = list(zip(values, map(tuple, classes.forbidden.tolist()), strict=True))
    assert content == sorted(set(wanted))
    assert [content[one] for one in class_of] == wanted
