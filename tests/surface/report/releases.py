"""Small releases of each kind, for the tests of their reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

import tacit
from tacit.data.hierarchy import from_parents
from tacit.random.key import Key
from tacit.release import Published
from tacit.release.published import Release
from tests.surface.report.markup import HOSTILE

SECRET = frozenset({"bread", "wine"})


def bucketized() -> Release:
    return tacit.bucketize(_patients("sex", "disease", DISEASES), l=2)


def generalized() -> Release:
    return tacit.generalize(_baskets(ITEMS), k=3, m=2)


def hidden() -> Release:
    return tacit.hide(plain_baskets(), patterns=[SECRET], min_support=10, key=Key.from_seed(3))


def rules() -> Release:
    people = tacit.load_sample("hospital:300")
    return tacit.safe_rules(people, min_support=5, min_confidence=0.05, max_posterior=0.3, k=2)


MAKERS: dict[str, Callable[[], Release]] = {
    "bucketized": bucketized,
    "generalized": generalized,
    "hidden": hidden,
    "rules": rules,
}


def hostile_releases() -> dict[str, Release]:
    """Releases whose columns, values, items and groups try to be markup."""
    markup = [name for name in HOSTILE if name.isprintable()]
    table = _patients(markup[0], markup[1], tuple(markup[1:5]))
    items = dict(zip(markup, (markup[0] + "1", markup[0] + "2") * len(markup), strict=False))
    return {
        "bucketized": tacit.bucketize(table, l=2),
        "generalized": tacit.generalize(_baskets(items), k=3, m=2),
        "hidden": tacit.hide(_baskets(items), patterns=[set(markup[:2])], min_support=3),
        "rules": tacit.safe_rules(table, min_support=2, min_confidence=0.05, max_posterior=1.0),
    }


def plain_baskets() -> tacit.Transactions:
    sets = [{"bread", "wine"} if row % 3 else {"bread", "milk"} for row in range(60)]
    tree = from_parents(ITEMS | {"food": "everything", "drink": "everything"})
    return tacit.transactions_from_sets(sets).with_hierarchy(tree)


def save(release: Release, folder: Path) -> Published:
    return release.save(folder, acknowledge_composition=True)


DISEASES = ("flu", "asthma", "gout", "mumps")
ITEMS = {"bread": "food", "milk": "food", "cake": "food", "wine": "drink", "beer": "drink", "tea": "drink"}


def _patients(quasi: str, sensitive: str, values: tuple[str, ...]) -> tacit.Table:
    rows = 80
    frame = pl.DataFrame(
        {
            quasi: ["female" if row % 2 else "male" for row in range(rows)],
            "age": [str(20 + row % 7) for row in range(rows)],
            sensitive: [values[(row * 7 + row // 11) % len(values)] for row in range(rows)],
        }
    )
    return tacit.table_from_frame(frame, quasi=[quasi, "age"], sensitive=sensitive)


def _baskets(items: dict[str, str]) -> tacit.Transactions:
    names = list(items)
    sets = [{names[(row * step) % len(names)] for step in (1, 2, 3)} for row in range(60)]
    parents = items | dict.fromkeys(items.values(), "everything")
    return tacit.transactions_from_sets(sets).with_hierarchy(from_parents(parents))
