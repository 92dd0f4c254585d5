"""Published files read back as their readers see them, for judges that compare releases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from tacit.io.readers import read_transactions
from tacit.judging.composition import PublishedSets, PublishedTable, StatedRule
from tacit.release import Manifest


def read_published_table(folder: Path, manifest: Manifest) -> PublishedTable:
    """A bucketized release."""
    parameters = manifest.parameters
    known, sensitive = (*parameters["quasi"], *parameters["keep"]), tuple(parameters["sensitive"])
    group = parameters["group"]
    if parameters["form"] == "qit":
        rows, held = _cells(folder / "qit.csv"), _cells(folder / "st.csv")
    else:
        rows = held = _cells(folder / "table.csv")
    return PublishedTable(
        known=known,
        sensitive=sensitive,
        group=group,
        rows=rows.select(*known, group),
        held=held.select(group, *sensitive),
        rules=_stated_rules(manifest.reader),
    )


def read_published_sets(folder: Path, manifest: Manifest) -> PublishedSets:
    """A release of transactions, generalized or with hidden patterns."""
    name = manifest.parameters["transactions"]
    layout = {".dat": "dat", ".csv": "basket", ".jsonl": "jsonl"}[Path(name).suffix]
    records = read_transactions(folder / name, format=layout, twins="keep")
    if manifest.kind != "generalized":
        return PublishedSets(records)
    cells = _cells(folder / "mapping.csv")
    mapping = dict(zip(cells["item"].to_list(), cells["published_as"].to_list(), strict=True))
    return PublishedSets(records, mapping)


def _cells(file: Path) -> pl.DataFrame:
    return pl.read_csv(file, infer_schema=False)


def _stated_rules(terms: Any) -> tuple[StatedRule, ...]:
    below = terms.get("nodes", {})
    return tuple(
        StatedRule(
            when={name: frozenset(below[name][label]) for name, label in rule["when"].items()},
            attribute=rule["attribute"],
            value=rule["value"],
        )
        for rule in terms.get("rules", ())
    )
