"""Small groups that follow from published counts, against a reader who does linear algebra."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.methods.disclose.make_rules import RulesRelease
from tacit.methods.disclose.solve import channels
from tacit.methods.disclose.solve.channels import inference_channels
from tacit_verify.channels import small_groups
from tests.cases import cases
from tests.oracles.channels import Group, Reader, Row

COLUMNS = ["age", "sex", "zip", "x"]


def _random_table(seed: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """A table whose columns have few values, some of them rare, and thresholds a little above k."""
    rng = np.random.default_rng(seed)
    n_rows, n_values = int(rng.integers(40, 150)), int(rng.integers(3, 6))

    def drawn(n: int) -> np.ndarray:
        weights = (1 / (1 + np.arange(n))) ** rng.uniform(0, 2)
        return rng.choice(n, n_rows, p=weights / weights.sum())

    age, sex, area = drawn(int(rng.integers(2, 5))), drawn(2), drawn(int(rng.integers(2, 5)))
    alike = rng.random(n_rows) < rng.uniform(0, 0.6)
    held = np.where(alike, age % n_values, rng.integers(0, n_values, n_rows))
    drawn_columns = zip(COLUMNS, (age, sex, area, held), strict=True)
    frame = pl.DataFrame({name: [f"{name[0]}{code}" for code in codes] for name, codes in drawn_columns})
    k = int(rng.integers(3, 7))
    asked = {
        "k": k,
        "min_support": int(rng.integers(k, 4 * k)),
        "min_confidence": float(rng.choice([0.01, 0.1, 0.3, 0.5])),
        "max_length": [None, 1, 1, 2][seed % 4],
        "distribution": seed % 7 == 0,
        "max_posterior": 1.0,
    }
    return frame, asked


def _published(frame: pl.DataFrame, **asked: Any) -> RulesRelease:
    table = tacit.table_from_frame(frame, quasi=COLUMNS[:-1], sensitive="x")
    return tacit.safe_rules(table, **asked)


def _counts(release: RulesRelease) -> dict[frozenset[tuple[str, str]], int]:
    """What the published file counts."""
    content = json.loads(release.files["rules.json"])
    counts = {frozenset[tuple[str, str]](): content["rows"]}
    counts |= {frozenset([("x", value)]): count for value, count in content.get("distribution", {}).items()}
    for rule in content["rules"]:
        items = frozenset(rule["antecedent"].items())
        counts |= {items: rule["matching"], items | {("x", rule["value"])}: rule["support"]}
    return counts


def _reader(release: RulesRelease, rows: list[Row]) -> Reader:
    """One who has the published file and knows which values there are."""
    return Reader(_counts(release), COLUMNS, [sorted(set(column)) for column in zip(*rows, strict=True)])


def _group(channel: channels.Channel, domains: list[list[str]]) -> Group:
    """The values of each column that people of a channel can have."""
    items, none_of = dict(channel.items), dict(channel.none_of)
    return tuple(
        frozenset([items[name]] if name in items else set(values) - set(none_of.get(name, ())))
        for name, values in zip(COLUMNS, domains, strict=True)
    )


def test_a_channel_is_found_exactly_where_a_group_follows() -> None:
    tried = found = 0
    for seed in range(cases(60)):
        frame, asked = _random_table(seed)
        release, rows = _published(frame, **asked), list(frame.rows())
        reader = _reader(release, rows)
        assert release.channels is not None
        assert any(reader.small_groups(rows, asked["k"])) == bool(release.channels), seed
        for channel in release.channels:
            group = _group(channel, [*map(list, reader.domains)])
            people = sum(all(v in some for v, some in zip(row, group, strict=True)) for row in rows)
            assert 0 < people == channel.people < asked["k"], (seed, channel)
            assert reader.derives(group), (seed, channel)
        content = json.loads(release.files["rules.json"])
        whole = {name: set(frame[name]) for name in [*content["whole_columns"], "x"]}
        assert small_groups(_counts(release), whole, asked["k"]) == len(release.channels), seed
        tried, found = tried + 1, found + bool(release.channels)
    assert 0.2 * tried < found < 0.9 * tried


@pytest.mark.ci
def test_of_sixty_random_tables_those_published_give_no_small_group_away() -> None:
    published = 0
    for seed in range(1_000, 1_060):
        frame, asked = _random_table(seed)
        try:
            release = _published(frame, **asked, channels="refuse")
        except tacit.InfeasibleError as refused:
            assert refused.code == "inference-channels"
            continue
        rows = list(frame.rows())
        assert release.manifest.promise["min_group"] == asked["k"]
        assert next(_reader(release, rows).small_groups(rows, asked["k"]), None) is None, seed
        published += len(release.judged.rules) > 0
    assert published > 5


def _people(**counts: int) -> pl.DataFrame:
    """So many people of each kind, named ``age_sex_zip_x``."""
    rows = [tuple(kind.split("_")) for kind, count in counts.items() for _ in range(count)]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


SEVERAL = {
    "values of a column": (
        _people(a0_s0_z0_x0=20, a0_s0_z1_x0=20, a0_s0_z2_x0=2, a1_s1_z0_x1=20, a1_s1_z1_x1=20),
        {"min_support": 20, "max_length": 2},
        "age = a0 & zip not z0 or z1: 2",
    ),
    "sensitive values": (
        _people(a0_s0_z0_x0=20, a0_s0_z0_x1=20, a0_s0_z0_x2=2, a1_s0_z0_x0=20, a1_s0_z0_x1=20, a1_s0_z0_x2=9),
        {"min_support": 9},
        "age = a0 & x = x2: 2",
    ),
    "values of everybody": (
        _people(a0_s0_z0_x0=20, a1_s0_z0_x0=20, a2_s0_z0_x0=2),
        {"min_support": 20, "max_length": 1},
        "age not a0 or a1: 2",
    ),
    # How many have x0 is not published; it follows from both sexes, and from it those in the third area.
    "the values of two columns": (
        _people(
            a0_s0_z0_x0=22, a0_s1_z1_x0=20, a0_s0_z2_x0=2, a0_s0_z2_x1=30, a0_s1_z0_x1=30, a0_s1_z1_x1=30
        ),
        {"min_support": 20, "min_confidence": 0.1, "max_length": 1},
        "x = x0 & zip = z2: 2",
    ),
}


@pytest.mark.parametrize("case", SEVERAL)
def test_several_values_are_subtracted_at_once(case: str) -> None:
    frame, asked, channel = SEVERAL[case]
    asked = {"min_confidence": 0.01, "max_posterior": 1.0, "k": 3} | asked
    release = _published(frame, **asked)
    assert channel in [str(found) for found in release.channels or ()]
    with pytest.raises(tacit.InfeasibleError) as refused:
        _published(frame, **asked, channels="refuse")
    assert refused.value.code == "inference-channels"


def test_a_published_group_below_k_is_a_channel() -> None:
    frame = _people(a0_s0_z0_x0=20, a0_s0_z0_x1=2)
    asked = {"min_support": 2, "min_confidence": 0.01, "max_posterior": 1.0}
    told = [str(found) for found in _published(frame, **asked, k=3).channels or ()]
    assert "x = x1: 2" in told and "age = a0 & x = x1: 2" in told
    assert _published(frame, **asked, k=2, channels="refuse").channels == ()


def test_a_small_total_of_the_published_distribution_is_a_channel() -> None:
    frame = _people(a0_s0_z0_x0=20, a0_s0_z0_x1=2)
    asked = {"min_support": 9, "min_confidence": 0.01, "max_posterior": 1.0, "scores": "thresholds", "k": 3}
    assert _published(frame, **asked).channels == ()
    told = _published(frame, **asked, distribution=True).channels or ()
    assert "x = x1: 2" in [str(found) for found in told]


def test_a_search_that_would_take_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {frozenset[tuple[str, str]](): 9, frozenset([("sex", "f")]): 5}
    monkeypatch.setattr(channels, "MOST_SUMS", 5)
    assert [str(found) for found in inference_channels(counts, whole={}, k=5)] == ["sex not f: 4"]
    monkeypatch.setattr(channels, "MOST_SUMS", 4)
    with pytest.raises(tacit.ResourceError) as refused:
        inference_channels(counts, whole={}, k=5)
    assert refused.value.code == "channels-too-many"


def test_boxes_are_counted_before_they_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two columns of 24 values, each with all but one of the other, have two to the 24 boxes."""
    monkeypatch.setattr(channels, "MOST_SUMS", 100_000)
    columns = [[(name, f"{value:02}") for value in range(24)] for name in "ab"]
    counts = {frozenset[tuple[str, str]](): 10_000} | {
        frozenset([item]): 400 for side in columns for item in side
    }
    pairs = ((one, other) for one in columns[0] for other in columns[1] if one[1] != other[1])
    with pytest.raises(tacit.ResourceError):
        inference_channels(counts | {frozenset(pair): 17 for pair in pairs}, whole={}, k=5)
