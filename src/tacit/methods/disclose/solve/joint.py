"""Rules *and* a bucketized table of the same people: what both together disclose.

A bucketized table shows who is in which group and how often each sensitive value occurs there, not
who holds it. Its units are combinations inside a group, and each group's counts are equations
beside those of the rules, so that the risk of publishing both is one number. Maximum entropy
weighs the people of a group by what the rules say of them; it is not the matching posterior, which
takes every one-to-one assignment as equally likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from tacit.arrays.groups import group_rows
from tacit.data.hierarchy import NULL_LABEL
from tacit.errors import InputError, Place
from tacit.methods.disclose.solve.knowledge import BucketCounts
from tacit.methods.disclose.solve.population import Population
from tacit.release import read_manifest
from tacit.typing import Codes, Counts


def joint_population(
    population: Population, folder: Path
) -> tuple[Population, BucketCounts, tuple[str, ...]]:
    """The population split by the groups of a bucketized release, and what the groups tell."""
    manifest = read_manifest(folder)
    if manifest.kind != "bucketized" or "qit.csv" not in manifest.files:
        raise InputError(
            f"The release is not a bucketized table with groups; its kind is {manifest.kind!r}.",
            code="not-bucketized",
            where=Place(file=str(folder)),
            hint="Publish it with: tacit bucketize --form qit",
        )
    quasi = [attribute.name for attribute in population.attributes]
    people = pl.read_csv(folder / "qit.csv", infer_schema=False)
    values = pl.read_csv(folder / "st.csv", infer_schema=False)
    missing = [name for name in (*quasi, "group") if name not in people.columns]
    if missing or population.sensitive not in values.columns:
        raise InputError(
            f"The release has not the columns {', '.join(missing) or population.sensitive}.",
            code="release-columns",
            where=Place(file=str(folder)),
            hint="It must be of the same table, with the same quasi-identifiers and sensitive attribute.",
        )
    combinations = _combinations(population, people, quasi, folder)
    groups = people["group"].cast(pl.Int64).to_numpy()
    names, buckets = np.unique(groups, return_inverse=True)
    units, counts = np.unique(np.column_stack([combinations, buckets]), axis=0, return_counts=True)
    left = population.people - np.bincount(units[:, 0], weights=counts, minlength=len(population)).astype(int)
    if (left < 0).any():
        raise _other_table(folder)
    outside = np.flatnonzero(left)
    notes = [f"{int(left.sum()):,} people are in no group of the table."] if len(outside) else []
    matching = manifest.risks.get("posterior")
    if isinstance(matching, dict) and "largest" in matching:
        notes.append(
            f"The table by itself states a largest matching posterior of {matching['largest']:.4f}; maximum "
            "entropy weighs the people of a group by what the rules say of them, and is another figure."
        )
    split = replace(
        population,
        combination_of=np.concatenate([units[:, 0], outside]).astype(np.int32),
        counts=np.concatenate([counts, left[outside]]).astype(np.int64),
        buckets=np.concatenate([units[:, 1], np.full(len(outside), -1)]).astype(np.int32),
    )
    return split, _bucket_counts(population, values, names, folder), tuple(notes)


def _combinations(population: Population, people: pl.DataFrame, quasi: list[str], folder: Path) -> Codes:
    """The combination of each published row."""
    codes = np.empty((len(people), len(quasi)), dtype=np.int64)
    for place, name in enumerate(quasi):
        codes[:, place] = _codes(people[name], population.texts[place])
    if (codes < 0).any():
        raise _other_table(folder)
    sizes = [len(texts) for texts in population.texts]
    both = np.concatenate([population.codes.astype(np.int64), codes]).astype(np.int32)
    groups, first = group_rows([np.ascontiguousarray(column) for column in both.T], sizes)
    # Combinations come in the order of their codes, so that a known one has the group of its place.
    if (first >= len(population)).any():
        raise _other_table(folder)
    return groups[len(population) :].astype(np.int32)


def _codes(column: pl.Series, texts: Sequence[str | None]) -> Counts:
    """The code of each text; -1 for one that is not known."""
    index = {NULL_LABEL if text is None else text: code for code, text in enumerate(texts)}
    found = column.fill_null(NULL_LABEL).replace_strict(index, default=-1, return_dtype=pl.Int64)
    return np.asarray(found.to_numpy(), dtype=np.int64)


def _bucket_counts(
    population: Population, values: pl.DataFrame, names: np.ndarray, folder: Path
) -> BucketCounts:
    held = _codes(values[population.sensitive], population.values)
    groups = np.searchsorted(names, values["group"].cast(pl.Int64).to_numpy())
    if (held < 0).any() or (groups >= len(names)).any():
        raise _other_table(folder)
    table = np.zeros((len(names), population.n_values), dtype=np.int64)
    np.add.at(table, (groups, held), values["count"].cast(pl.Int64).to_numpy())
    buckets, codes = np.indices(table.shape)
    return BucketCounts(buckets.ravel().astype(np.int32), codes.ravel().astype(np.int32), table.ravel())


def _other_table(folder: Path) -> InputError:
    return InputError(
        "The bucketized release is not of this table: some of its rows are not there.",
        code="release-of-other-data",
        where=Place(file=str(folder)),
        hint="Give the release that was made from the same data.",
    )
