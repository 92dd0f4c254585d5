"""A few people of the original as a reader finds them in a release: before and after, and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.data.table import Table
from tacit.errors import shorten
from tacit.judging.composition import StatedRule
from tacit.judging.found import Found, found
from tacit.release.kinds import kind_of
from tacit.release.manifest import Manifest
from tacit.release.reading import published_data

SHOWN = 5
"""So many people are shown."""
VALUES = 6
"""So many possible values are named."""


def examples(original: Any, folder: Path, manifest: Manifest) -> list[dict[str, Any]]:
    """The first people of a table: what is known of them, how it is published, what a reader learns."""
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


def _either(values: Any) -> str:
    """Values of which any may be the right one."""
    named = list(dict.fromkeys(_text(value) for value in values))
    if len(named) > VALUES:
        return f"{', '.join(named[:VALUES])} or one of {len(named) - VALUES:,} others"
    return " or ".join([", ".join(named[:-1]), named[-1]]) if len(named) > 1 else "".join(named)


def _text(value: str | None) -> str:
    return "missing" if value is None else shorten(value)
