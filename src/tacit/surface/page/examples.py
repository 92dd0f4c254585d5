"""A few people of the original as a reader finds them in a release: before and after, and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.errors import shorten
from tacit.judging.composition import PublishedSets, StatedRule
from tacit.judging.risk.matching import Found, found
from tacit.release.kinds import kind_of
from tacit.release.manifest import Manifest
from tacit.release.reading import published_data

SHOWN = 5
"""So many people are shown."""
VALUES = 6
"""So many possible values are named."""
LOOKED_AT = 200
"""Of so many sets those are shown that changed."""
MOST_ITEMS = 12
"""So many items of a set are named."""


def examples(original: Any, folder: Path, private: Path | None, manifest: Manifest) -> list[dict[str, Any]]:
    """The first people of the data: what is known of them, how it is published, what a reader learns."""
    if isinstance(original, Transactions):
        return _sets(original, folder, private, manifest)
    if not isinstance(original, Table) or not kind_of(manifest.kind).counts_records:
        return []
    published = published_data(folder, manifest)
    if published.table is None:
        return []
    read = kind_of(manifest.kind).read_table
    rules = () if read is None else read(folder, manifest).rules
    quasi = [original.column(name) for name in original.roles.quasi]
    told = []
    for row in range(min(SHOWN, len(original))):
        known = {column.name: column.texts[column.codes[row]] for column in quasi}
        told.append(_told(_ruled(found(published.table, known, published.group), rules)))
    return told


def _sets(
    original: Transactions, folder: Path, private: Path | None, manifest: Manifest
) -> list[dict[str, Any]]:
    """Sets of the original beside what is published of them; those that changed come first."""
    read = kind_of(manifest.kind).read_sets
    if read is None:
        return []
    published = read(folder, manifest)
    came_from = None if private is None else private / "rows.txt"
    if published.mapping:
        held = {row: _items(original, row) for row in range(min(LOOKED_AT, len(original)))}
        pairs = [
            (items, tuple(dict.fromkeys(filter(None, (published.mapping.get(item, item) for item in items)))))
            for items in held.values()
        ]
    elif came_from is not None and came_from.is_file():
        with came_from.open(encoding="ascii") as rows:
            pairs = [
                (_items(original, int(row)), _items(published.records, place))
                for place, row in enumerate(islice(rows, LOOKED_AT))
            ]
    else:
        return []
    pairs = sorted((pair for pair in pairs if pair[0]), key=lambda pair: set(pair[0]) == set(pair[1]))
    return [
        {
            "before": {"items": _listed(before)},
            "after": {"items": _listed(after)},
            "sentence": _set_sentence(before, after, published, manifest.promise.get("m")),
        }
        for before, after in pairs[:SHOWN]
    ]


def _items(data: Transactions, row: int) -> tuple[str, ...]:
    return tuple(data.vocabulary[item] for item in data.items[data.indptr[row] : data.indptr[row + 1]])


def _set_sentence(
    before: Sequence[str], after: Sequence[str], published: PublishedSets, m: int | None
) -> str:
    """Of a secret, what was taken out; otherwise how many records the rarest known items leave."""
    gone = [item for item in before if item not in after]
    if m is None:
        return f"Taken out: {_listed(gone)}." if gone else "As it was."
    records = published.records
    code = {name: place for place, name in enumerate(records.vocabulary)}
    owner = np.repeat(np.arange(len(records)), np.diff(records.indptr))
    rows = {item: owner[records.items == code.get(published.mapping.get(item, item), -1)] for item in before}
    known = sorted(before, key=lambda item: (len(rows[item]), item))[:m]
    left = reduce(np.intersect1d, (rows[item] for item in known))
    return f"Whoever knows {_either(known, 'and')} faces {len(left):,} records."


def _listed(items: Sequence[str]) -> str:
    more = len(items) - MOST_ITEMS
    return ", ".join(map(shorten, items[:MOST_ITEMS])) + (f" and {more:,} more" if more > 0 else "")


def _ruled(one: Found, rules: Sequence[StatedRule]) -> Found:
    """What is found without the values that a stated rule excludes."""
    out = {
        (rule.attribute, rule.value)
        for rule in rules
        if all(one.known.get(name) in held for name, held in rule.when.items())
    }
    values = {
        name: tuple(value for value in held if (name, value) not in out) for name, held in one.values.items()
    }
    return replace(one, values=values)


def _told(one: Found) -> dict[str, Any]:
    return {
        "before": {name: _text(value) for name, value in one.known.items()},
        "after": {name: _either(look[name] for look in one.looks) for name in one.known},
        "sentence": _sentence(one),
    }


def _sentence(one: Found) -> str:
    """What a reader who knows a person learns, in a sentence."""
    who = ", ".join(_text(value) for value in one.known.values())
    if not one.rows:
        return f"{who}: not in the release."
    rows = "one row" if one.rows == 1 else f"one of {one.rows:,} rows"
    could = "; ".join(f"{shorten(name)} {_either(values)}" for name, values in one.values.items())
    return f"{who}: {rows}; could have {could}." if could else f"{who}: {rows}."


def _either(values: Any, word: str = "or") -> str:
    """Values of which any may be the right one."""
    named = list(dict.fromkeys(_text(value) for value in values))
    if len(named) > VALUES:
        return f"{', '.join(named[:VALUES])} or one of {len(named) - VALUES:,} others"
    return f" {word} ".join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else "".join(named)


def _text(value: str | None) -> str:
    return "missing" if value is None else shorten(value)
