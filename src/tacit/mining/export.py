"""Write a listing of itemsets or rules to a file: CSV, JSON or Parquet, by its suffix."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl

from tacit.errors import UsageError
from tacit.io.output import whole_file

FORMATS = (".csv", ".json", ".parquet")


def write_listing(frame: pl.DataFrame, path: Path, *, overwrite: bool = False) -> None:
    """Write the frame whole or not at all; lists of items become text in a CSV."""
    if path.suffix not in FORMATS:
        raise UsageError(
            f"A listing is written as one of {', '.join(FORMATS)}; {str(path)!r} ends in none of them.",
            code="listing-format",
            hint="Give the output file one of these suffixes.",
        )
    with whole_file(path, overwrite=overwrite) as file:
        _write(frame, file, path.suffix)


def _write(frame: pl.DataFrame, path: Path, suffix: str) -> None:
    if suffix == ".parquet":
        frame.write_parquet(path)
    elif suffix == ".json":
        finite = frame.with_columns(
            pl.when(pl.col(pl.Float64).is_finite()).then(pl.col(pl.Float64))  # JSON has no infinity
        )
        path.write_text(json.dumps(finite.to_dicts(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    else:
        lists = [name for name, kind in frame.schema.items() if kind == pl.List(pl.String)]
        frame.with_columns(pl.col(lists).list.join(" & ")).write_csv(path)
