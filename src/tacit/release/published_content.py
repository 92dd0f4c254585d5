"""Published files read back as their readers see them, for judges that compare releases."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tacit.io.readers import read_transactions
from tacit.judging.composition import PublishedSets
from tacit.release import Manifest


def read_published_sets(folder: Path, manifest: Manifest) -> PublishedSets:
    """A release of transactions."""
    name = manifest.parameters["transactions"]
    layout = {".dat": "dat", ".csv": "basket", ".jsonl": "jsonl"}[Path(name).suffix]
    return PublishedSets(read_transactions(folder / name, format=layout, twins="keep"))


def cells(file: Path) -> pl.DataFrame:
    """A published table as text."""
    return pl.read_csv(file, infer_schema=False)
