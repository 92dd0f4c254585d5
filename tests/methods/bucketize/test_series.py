"""The same people again: everybody keeps their possible values over all releases."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.methods.bucketize.solve.signatures import _Making
from tacit.methods.bucketize.verb import bucketize
from tacit.random.key import Key
from tacit.release import read_manifest
from tacit.release.reading import bucket_rows
from tacit.surface.counting import count_release
from tacit_verify.verifying import verify
from tests.methods.bucketize.series import KEY, chain, next_of, people, published, put, signatures, table
from tests.oracles.series import candidates


def broken(folders: list[Path]) -> list[str]:
    checks = verify(folders[-1], after=folders[:-1][::-1])
    return [f"{check.name}: {check.detail}" for check in checks if check.ok is False]


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], list[Path], list[pl.DataFrame]]:
    generator = np.random.default_rng(4)
    everybody = people(generator, 400)
    frames = [everybody[:250]]
    for _ in range(2):
        frames.append(next_of(generator, frames[-1], everybody))
    releases, folders = chain(frames, tmp_path_factory.mktemp("series"), l=3)
    return releases, folders, frames


def test_the_verifier_refuses_a_value_shown_first_beside_counterfeits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which the tool refuses, as does the verifier of releases that an earlier version made."""
    everybody = people(np.random.default_rng(5), 120)
    new = pl.DataFrame({"id": ["n1", "n2"], "sex": ["f", "f"], "age": ["50", "51"], "disease": ["new", "d3"]})
    frames = [everybody, pl.concat([everybody, new])]
    with pytest.raises(TacitError, match="no release of the series has shown yet: 'new'"):
        chain(frames, tmp_path / "refused", l=3)
    monkeypatch.setattr(_Making, "_check_first_shown", lambda self: None)
    _, folders = chain(frames, tmp_path / "made", l=3)
    assert broken(folders[:1]) == []
    assert broken(folders) == ["values shown first: release 2 shows 'new' first, where few could have it"]


def test_a_chain_is_verified_with_and_without_the_private_records(
    three: tuple[list[Any], list[Path], list[pl.DataFrame]], tmp_path: Path
) -> None:
    _, folders, frames = three
    assert broken(folders) == []
    assert "people and signatures" in {
        check.name for check in verify(folders[2], after=folders[:2][::-1]) if check.ok
    }
    public = [Path(shutil.copytree(folder, tmp_path / folder.name)) for folder in folders]
    assert broken(public) == []
    for folder, frame in zip(folders, frames, strict=True):
        frame.write_csv(tmp_path / "original.csv")
        assert [check for check in verify(folder, tmp_path / "original.csv") if check.ok is False] == []
    # One release alone shows nothing of the series.
    assert {check.name for check in verify(public[2]) if check.ok is None} >= {"series"}
    assert [check.name for check in verify(public[2], after=[public[0]]) if check.ok is False] == ["chain"]


def test_signatures_stay_and_changed_values_stay_in_them_or_share_none(
    three: tuple[list[Any], list[Path], list[pl.DataFrame]],
) -> None:
    releases, _, frames = three
    had: dict[str, list[frozenset[str]]] = {}
    kept = moved = 0
    for release, frame in zip(releases, frames, strict=True):
        found = signatures(release, frame)
        for person, value in zip(frame["id"], frame["disease"], strict=True):
            assert value in found[person] and len(found[person]) >= 3
            for before in had.setdefault(person, []):
                if value in before:
                    assert found[person] == before
                    kept += 1
                else:
                    assert found[person].isdisjoint(before)
                    moved += 1
            had[person].append(found[person])
    assert kept > 300 and moved > 3


def test_releases_read_back_and_are_judged_without_counterfeits(
    three: tuple[list[Any], list[Path], list[pl.DataFrame]],
) -> None:
    releases, folders, frames = three
    last = releases[2]
    stated = last.manifest.parameters["series"]
    assert stated["number"] == 3 and stated["counterfeits"] > 0
    risks = last.risk().release
    assert risks.rows == len(frames[2]) and risks.vulnerable == 0
    assert risks.posterior.largest == pytest.approx(1 / 3) and risks.posterior.above == 0
    manifest = read_manifest(folders[2])
    assert len(bucket_rows(folders[2], manifest)) == len(frames[2])
    women = count_release(folders[2], manifest, {"sex": "f"})
    assert women.estimate == pytest.approx((frames[2]["sex"] == "f").sum())


def test_the_same_key_and_people_give_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    everybody = people(generator, 120)
    frames = [everybody[:90], everybody[20:]]
    shuffled = [frame.sample(fraction=1, shuffle=True, seed=3) for frame in frames]
    _, one = chain(frames, tmp_path / "one")
    _, other = chain(shuffled, tmp_path / "other")
    for first, second in zip(one, other, strict=True):
        for path in sorted(first.iterdir()):
            assert path.read_bytes() == (second / path.name).read_bytes(), path.name


def test_identifiers_are_kept_as_keyed_digests_and_published_nowhere(
    three: tuple[list[Any], list[Path], list[pl.DataFrame]],
) -> None:
    _, folders, frames = three
    for folder in (*folders, *(folder.with_name(f"{folder.name}.private") for folder in folders)):
        for path in folder.rglob("*"):
            assert path.is_dir() or b"p0001" not in path.read_bytes()
    assert frames[0]["id"][1] == "p0001"


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 3))
def test_everybody_has_every_value_of_their_signature_in_equally_many_worlds(
    tmp_path_factory: pytest.TempPathFactory, seed: int, l: int
) -> None:
    """By the definition, with rules and values that do not change: two releases of a few people."""
    generator = np.random.default_rng(seed)
    everybody = people(generator, 9, values=4, ages=3)
    frames = [everybody[:6], everybody[2:]]
    try:
        releases, folders = chain(frames, tmp_path_factory.mktemp("tiny"), l=l)
    except TacitError as error:
        assert error.code in (
            "infeasible-l",
            "series-new-values",
            "silence-names",
            "column-tells",
            "column-twin",
        )
        return
    assert broken(folders) == []
    both = [published(release, frame) for release, frame in zip(releases, frames, strict=True)]
    found = candidates(both)
    for release, frame in zip(releases, frames, strict=True):
        for person, signature in signatures(release, frame).items():
            assert set(found[person]) == signature and len(set(found[person].values())) == 1


@pytest.fixture
def begun(tmp_path: Path) -> tuple[Path, pl.DataFrame]:
    everybody = people(np.random.default_rng(2), 60)
    _, (folder,) = chain([everybody[:50]], tmp_path)
    return folder, everybody


def refused(frame: pl.DataFrame, after: Path, **options: Any) -> str:
    with pytest.raises(TacitError) as error:
        bucketize(table(frame), **{"l": 2, "key": KEY, "person": "id", "after": after} | options)
    assert error.value.hint
    return error.value.code


def test_what_cannot_be_continued_is_refused(begun: tuple[Path, pl.DataFrame], tmp_path: Path) -> None:
    folder, everybody = begun
    now = everybody[10:]
    assert refused(pl.concat([now, now[:1]]), folder) == "series-person-repeats"
    assert refused(now, folder, key=Key.from_seed(5)) == "series-other-key"
    assert refused(now, folder, l=3) == "series-other-l"
    assert refused(now, tmp_path / "nothing") == "release-not-found"
    assert refused(now, folder, knowledge={"min_expectation": 0.5}) == "series-rules"
    assert refused(now, folder, partners="areas") == "parameter-unused"
    assert refused(now, folder, person=None) == "parameter-unused"
    assert refused(now.with_columns(id=pl.col("id") + "x"), folder) == "series-nobody"
    other = table(now.rename({"age": "years"}).with_columns(age=pl.lit("1")))
    with pytest.raises(TacitError) as error:
        bucketize(other.with_roles(quasi=("sex", "years")), l=2, key=KEY, person="id", after=folder)
    assert error.value.code == "series-other-table"
    alone = put(bucketize(table(now), l=2, key=KEY), tmp_path / "alone")
    assert refused(now, alone) == "series-not-begun"


def test_a_lost_record_or_a_changed_file_ends_a_series(begun: tuple[Path, pl.DataFrame]) -> None:
    folder, everybody = begun
    qit = folder / "qit.csv"
    before = qit.read_text()
    qit.write_text(before.replace(",1\n", ",2\n", 1))
    assert refused(everybody, folder) == "series-broken"
    qit.write_text(before)
    manifest = json.loads((folder / "release.json").read_text())
    assert manifest["parameters"]["series"] == {
        "number": 1,
        "counterfeits": manifest["parameters"]["series"]["counterfeits"],
    }
    shutil.rmtree(folder.with_name(f"{folder.name}.private"))
    assert refused(everybody, folder) == "series-record-missing"


def test_rules_stay_fall_and_wait(tmp_path: Path) -> None:
    """No man has d0: that stays until a man has it, and several newcomers could be him."""
    generator = np.random.default_rng(3)
    everybody = people(generator, 900)
    frames = [everybody[:600], everybody[100:700]]
    last = everybody[200:].with_columns(
        disease=pl.when(
            (pl.col("id") >= "p0700") & (pl.col("sex") == "m") & (pl.int_range(pl.len()) % 20 == 0)
        )
        .then(pl.lit("d0"))
        .otherwise(pl.col("disease"))
    )
    releases, folders = chain([*frames, last], tmp_path, l=3)
    stated = [
        {(*rule["when"].items(), rule["value"]) for rule in one.manifest.reader["rules"]} for one in releases
    ]
    rule = (("sex", "m"), "d0")
    assert rule in stated[0] and rule in stated[1] and rule not in stated[2]
    assert stated[1] <= stated[0] and stated[2] <= stated[1]
    assert broken(folders) == []


def test_too_many_counterfeits_are_refused() -> None:
    frame = people(np.random.default_rng(0), 400).with_columns(
        disease=pl.when(pl.int_range(pl.len()) % 10 > 0).then(pl.lit("d1")).otherwise(pl.col("disease"))
    )
    with pytest.raises(TacitError) as error:
        bucketize(table(frame), l=3, key=KEY, person="id", partners="signatures")
    assert error.value.code == "series-counterfeits"
    assert "series" not in bucketize(table(frame), l=3, key=KEY, person="id").manifest.parameters
