"""Frequent itemsets of public data sets, beside two independent libraries: pyfim (C) and mlxtend."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.engine.base import WantedItemsets
from tacit.engine.itemsets.mine import FoundItemsets, frequent_itemsets
from tacit.ranges import support_count

PYFIM_TARGETS = {"complete": "s", "closed": "c", "maximal": "m"}
QUEST = [("T10I4D100K.dat", share) for share in (0.005, 0.01, 0.02)]
GROCERIES = [("groceries/Groceries.dat", share) for share in (0.001, 0.002, 0.005, 0.01)]
WEBVIEW = [("BMS-WebView-1.dat", 0.001), ("BMS-WebView-2.dat", 0.001)]

Sets = dict[tuple[int, ...], int]


@lru_cache(maxsize=1)
def rows_of(path: Path) -> list[list[int]]:
    return [sorted({int(item) for item in line.split()}) for line in path.read_text().splitlines()]


def mined(rows: list[list[int]], share: float, kind: str) -> tuple[Sets, int]:
    """The sets of the named items, and the minimum support as a count."""
    names = np.unique(np.concatenate([np.array(row, dtype=np.int64) for row in rows]))
    indptr = np.cumsum([0, *(len(row) for row in rows)])
    items = np.searchsorted(names, np.concatenate([np.array(row, dtype=np.int64) for row in rows]))
    least = support_count(share, len(rows))
    found = frequent_itemsets(indptr, items, len(names), WantedItemsets(least, kind), threads=2)
    assert isinstance(found, FoundItemsets)
    ends = zip(found.offsets[:-1].tolist(), found.offsets[1:].tolist(), strict=True)
    named = names[found.items].tolist()
    sets = {
        tuple(named[begin:end]): support
        for (begin, end), support in zip(ends, found.supports.tolist(), strict=True)
    }
    assert len(sets) == len(found.supports)
    return sets, least


@pytest.mark.parametrize("kind", PYFIM_TARGETS)
@pytest.mark.parametrize(("file", "share"), QUEST + GROCERIES + WEBVIEW)
def test_pyfim_finds_the_same_sets(public_data: Path, file: str, share: float, kind: str) -> None:
    fim = pytest.importorskip("fim")
    rows = rows_of(public_data / file)
    sets, least = mined(rows, share, kind)
    theirs = fim.eclat(rows, target=PYFIM_TARGETS[kind], supp=-least, report="a")
    assert {tuple(sorted(items)): support for items, support in theirs} == sets


def one_hot(rows: list[list[int]]) -> Any:
    pandas = pytest.importorskip("pandas")
    encoder = pytest.importorskip("mlxtend.preprocessing").TransactionEncoder()
    return pandas.DataFrame(encoder.fit_transform(rows), columns=encoder.columns_)


@pytest.mark.parametrize(
    ("file", "share"),
    [*(pytest.param(*case, marks=pytest.mark.slow) for case in QUEST), *GROCERIES],
)
def test_mlxtend_finds_the_same_sets(public_data: Path, file: str, share: float) -> None:
    hmine = pytest.importorskip("mlxtend.frequent_patterns").hmine
    rows = rows_of(public_data / file)
    sets, least = mined(rows, share, "complete")
    # It compares shares in binary floating point: half a record below the count decides the same.
    theirs = hmine(one_hot(rows), min_support=(least - 0.5) / len(rows), use_colnames=True)
    found = {
        tuple(sorted(items)): round(support * len(rows))
        for support, items in zip(theirs["support"], theirs["itemsets"], strict=True)
    }
    assert found == sets
