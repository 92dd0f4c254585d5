"""The reader who asks why these rows share a bucket: near partners give people away, areas do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

import tacit
from tacit.data.table import table_from_frame
from tacit.io.samples.public import adult
from tacit.methods.bucketize.attacks import SURE, minimality_attack, minimality_guesses
from tacit.methods.bucketize.judge.risks import learned_guesses
from tacit.random.key import Key


def test_near_partners_give_people_away_and_areas_do_not(public_data: Path) -> None:
    people = adult(path=public_data / "adult")
    rules = tacit.mine_negative_rules(people)
    found = {}
    for partners in ("near", "areas"):
        release = tacit.bucketize(people, l=3, knowledge=rules, partners=partners, key=Key.from_seed(1))
        guesses = minimality_guesses(release.buckets, rules, 3, release.manifest.parameters)
        assert guesses is not None
        certain = guesses.confidence >= 0.99
        found[partners] = guesses.right[certain].mean(), int(certain.sum())
    assert found["near"][0] > 0.95 and found["near"][1] > 300
    assert found["areas"][0] < 0.85
    release = tacit.bucketize(people, l=3, knowledge=rules, key=Key.from_seed(1))
    named = minimality_attack(release.buckets, rules, 3, release.manifest.parameters)
    assert named is not None and named.right is not None
    plain = learned_guesses(release.buckets)
    assert plain is not None
    surest = np.argsort(-plain.confidence, kind="stable")[: named.people]
    # Knowing the tool adds nothing to learning from the buckets: of as many people each is surest about.
    assert named.right <= plain.right[surest].mean() + 0.02


def test_the_attack_uses_only_what_is_published() -> None:
    """Another truth behind the same buckets gives the same guesses."""
    generator = np.random.default_rng(3)
    rows = 900
    town = generator.integers(0, 4, rows)
    value = np.where((town == 0) & (generator.random(rows) < 0.6), 0, generator.integers(0, 5, rows))
    frame = pl.DataFrame(
        {
            "town": [f"t{code}" for code in town],
            "age": [str(code) for code in generator.integers(20, 60, rows)],
            "value": [f"v{code}" for code in value],
        }
    )
    for partners in ("near", "areas"):
        table = table_from_frame(frame, quasi=["town", "age"], sensitive="value")
        release = tacit.bucketize(table, l=2, partners=partners, key=Key.from_seed(1))
        assert release.knowledge is not None
        groups = release.buckets.groups
        other = value.copy()
        for group in range(release.buckets.n_buckets):
            inside = release.buckets.rows[groups == group]
            other[inside] = np.roll(value[inside], 1)
        turned = table_from_frame(
            frame.with_columns(value=pl.Series([f"v{code}" for code in other])),
            quasi=["town", "age"],
            sensitive="value",
        )
        swapped = type(release.buckets)(turned, release.buckets.rows, groups)
        one, two = (
            minimality_guesses(buckets, None, 2, release.manifest.parameters)
            for buckets in (release.buckets, swapped)
        )
        assert one is not None and two is not None
        assert np.array_equal(one.values, two.values)
        assert np.allclose(one.confidence, two.confidence)
        assert (one.confidence >= SURE).sum() == (two.confidence >= SURE).sum()
