"""The files of a release, a page of lines at a time, so that all of it can be looked through."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from tacit.release.manifest import MANIFEST_NAME

LINES = 50
"""So many lines are on a page."""


@dataclass(frozen=True)
class Lines:
    """Some lines of a file: its columns, the cells of each line, and whether more follow."""

    header: list[str]
    rows: list[list[str]]
    number: int
    """The number of the page, from 1."""
    more: bool


def published_files(folder: Path) -> list[str]:
    """The files of a release that hold data."""
    return sorted(path.name for path in folder.iterdir() if path.name != MANIFEST_NAME)


def lines_of(path: Path, number: int) -> Lines:
    """A page of a published file."""
    first = (number - 1) * LINES
    with path.open(encoding="utf-8", newline="") as file:
        header, rows = _reading(path, file)
        shown = list(islice(rows, first, first + LINES + 1))
    return Lines(header, shown[:LINES], number, len(shown) > LINES)


def _reading(path: Path, file: Any) -> tuple[list[str], Iterator[list[str]]]:
    """The columns of a file and its lines, one after the other."""
    if path.suffix == ".csv" and path.stem != "transactions":
        rows = csv.reader(file)
        return next(rows, []), rows
    if path.name == "rules.json":
        rules = json.load(file)["rules"]
        names = list(dict.fromkeys(name for rule in rules for name in rule))
        return names, ([_cell(rule.get(name)) for name in names] for rule in rules)
    return [path.stem], ([line.rstrip("\r\n")] for line in file)


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {_cell(part)}" for name, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
