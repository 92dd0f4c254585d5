"""Rules *and* a bucketized table of the same people: what both together disclose.

A bucketized table shows who is in which group and how often each sensitive value occurs there, not
who holds it. Its units are combinations inside a group, and each group's counts are equations
beside those of the rules, so that the risk of publishing both is one number. Maximum entropy
weighs the people of a group by what the rules say of them; it is not the matching posterior, which
takes every one-to-one assignment as equally likely.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from tacit.data.hierarchy import NULL_LABEL
from tacit.data.release import read_manifest
from tacit.data.table import Table
from tacit.disclosure.knowledge import BucketCounts
from tacit.disclosure.population import Population
from tacit.exceptions import InputError, Place
from tacit.typing import Codes


def joint_population(
    population: Population, table: Table, folder: Path
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
    notes = (f"{int(left.sum()):,} people are in no group of the table.",) if len(outside) else ()
    split = replace(
        population,
        combination_of=np.concatenate([units[:, 0], outside]).astype(np.int32),
        counts=np.concatenate([counts, left[outside]]).astype(np.int64),
        buckets=np.concatenate([units[:, 1], np.full(len(outside), -1)]).astype(np.int32),
    )
    return split, _bucket_counts(population, values, names, folder), notes


def _combinations(population: Population, people: pl.DataFrame, quasi: list[str], folder: Path) -> Codes:
    """The combination of each published row."""
    codes = np.empty((len(people), len(quasi)), dtype=np.int64)
    for place, name in enumerate(quasi):
        texts = [NULL_LABEL if text is None else text for text in population.texts[place]]
        index = {text: code for code, text in enumerate(texts)}
        column = [
            index.get(NULL_LABEL if text is None else text, -1) for text in people[name].unique().to_list()
        ]
        if min(column, default=0) < 0:
            raise _other_table(folder)
        known = {
            None if text is None else text: code
            for text, code in zip(people[name].unique().to_list(), column, strict=True)
        }
        codes[:, place] = people[name].replace_strict(known, return_dtype=pl.Int64).to_numpy()
    sizes = np.array([len(texts) for texts in population.texts], dtype=np.int64)
    own, theirs = _keys(population.codes.astype(np.int64), sizes), _keys(codes, sizes)
    order = np.argsort(own)
    at = np.searchsorted(own[order], theirs)
    at[at == len(own)] = 0
    if (own[order][at] != theirs).any():
        raise _other_table(folder)
    return order[at].astype(np.int32)


def _keys(codes: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Each row as one number; the sizes' product must stay below 2^63, which 7 columns of 500 do."""
    keys = np.zeros(len(codes), dtype=np.int64)
    for place in range(codes.shape[1]):
        keys = keys * sizes[place] + codes[:, place]
    return keys


def _bucket_counts(
    population: Population, values: pl.DataFrame, names: np.ndarray, folder: Path
) -> BucketCounts:
    texts = [NULL_LABEL if text is None else text for text in population.values]
    index = {text: code for code, text in enumerate(texts)}
    held = [
        index.get(NULL_LABEL if text is None else text, -1) for text in values[population.sensitive].to_list()
    ]
    groups = np.searchsorted(names, values["group"].cast(pl.Int64).to_numpy())
    if min(held, default=0) < 0 or (groups >= len(names)).any():
        raise _other_table(folder)
    table = np.zeros((len(names), len(texts)), dtype=np.int64)
    np.add.at(table, (groups, np.array(held)), values["count"].cast(pl.Int64).to_numpy())
    buckets, codes = np.indices(table.shape)
    return BucketCounts(buckets.ravel().astype(np.int32), codes.ravel().astype(np.int32), table.ravel())


def _other_table(folder: Path) -> InputError:
    return InputError(
        "The bucketized release is not of this table: some of its rows are not there.",
        code="release-of-other-data",
        where=Place(file=str(folder)),
        hint="Give the release that was made from the same data.",
    )
