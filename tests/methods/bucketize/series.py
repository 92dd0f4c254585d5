"""Chains of releases about the same people, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from tacit.data.table import Table, table_from_frame
from tacit.methods.bucketize.release import BucketizedRelease
from tacit.methods.bucketize.verb import bucketize
from tacit.random.key import Key
from tacit.release.store import publish
from tests.oracles.series import Bucket

KEY = Key.from_seed(11)


def table(frame: pl.DataFrame) -> Table:
    return table_from_frame(frame, quasi=["sex", "age"], sensitive="disease")


def people(generator: np.random.Generator, rows: int, *, values: int = 8, ages: int = 40) -> pl.DataFrame:
    """People some of whom cannot have everything: nobody young has the last disease, no man the first."""
    sex, age = generator.integers(0, 2, rows), generator.integers(20, 20 + ages, rows)
    held = generator.integers(0, values, rows)
    others = generator.integers(1, values - 1, rows)
    held = np.where((sex == 1) & (held == 0), others, held)
    held = np.where((age < 20 + ages // 3) & (held == values - 1), others, held)
    return pl.DataFrame(
        {
            "id": [f"p{number:04}" for number in range(rows)],
            "sex": [["f", "m"][code] for code in sex],
            "age": [str(code) for code in age],
            "disease": [f"d{code}" for code in held],
        }
    )


def next_of(
    generator: np.random.Generator, now: pl.DataFrame, everybody: pl.DataFrame, *, changing: float = 0.02
) -> pl.DataFrame:
    """The next table: some leave, some come or return, some get another value or become older."""
    stay = now.filter(pl.Series(generator.random(len(now)) > 0.15))
    away = everybody.filter(~pl.col("id").is_in(now["id"].to_list()))
    come = away.filter(pl.Series(generator.random(len(away)) < 0.3))
    both = pl.concat([stay, come])
    values = everybody["disease"].unique().sort().to_list()
    drawn = pl.Series(generator.choice(values, len(both)))
    change = pl.Series(generator.random(len(both)) < changing)
    older = pl.Series(generator.random(len(both)) < changing)
    return both.with_columns(
        disease=pl.when(change).then(drawn).otherwise(pl.col("disease")),
        age=pl.when(older).then((pl.col("age").cast(pl.Int64) + 1).cast(pl.String)).otherwise(pl.col("age")),
    )


def put(release: BucketizedRelease, folder: Path) -> Path:
    """Put a release and its private record in place, unverified."""
    made = release.complete()
    publish(folder, made.files, made.manifest, made.private, verify=lambda staged: None)
    return folder


def chain(
    frames: Sequence[pl.DataFrame], place: Path, *, l: int = 2, key: Key = KEY
) -> tuple[list[BucketizedRelease], list[Path]]:
    """The releases of some tables, each after the one before, and their folders."""
    releases: list[BucketizedRelease] = []
    folders: list[Path] = []
    for number, frame in enumerate(frames, start=1):
        after = folders[-1] if folders else None
        releases.append(
            bucketize(table(frame), l=l, key=key, person="id", partners="signatures", after=after)
        )
        folders.append(put(releases[-1], place / f"r{number}"))
    return releases, folders


def signatures(release: BucketizedRelease, frame: pl.DataFrame) -> dict[str, frozenset[str]]:
    """The signature of everybody in a release."""
    found = release.series
    assert found is not None
    sets = [frozenset(str(found.names[value]) for value in one) for one in found.signed.signatures]
    return {person: sets[bucket] for person, bucket in zip(frame["id"], found.signed.buckets, strict=True)}


def published(release: BucketizedRelease, frame: pl.DataFrame) -> list[Bucket]:
    """Everybody's bucket, with its values, as a reader has them who knows who is who."""
    held: dict[int, list[str]] = {}
    for group, value, count in release.published()["st"].iter_rows():
        held.setdefault(group, []).extend([value] * count)
    members: dict[int, set[str]] = {}
    for person, group in zip(frame["id"], release.bucketized.groups.tolist(), strict=True):  # type: ignore[attr-defined]
        members.setdefault(group, set()).add(person)
    return [(frozenset(members[group]), tuple(sorted(held[group]))) for group in sorted(held)]
