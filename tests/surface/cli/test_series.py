"""``tacit series``: the chain shown and checked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tacit.errors import InfeasibleError, InputError, UsageError
from tacit.methods.bucketize.verb import bucketize
from tacit.random.key import Key
from tacit.release.ledger import Ledger
from tacit.surface.cli import main
from tacit.surface.series import forget_in_series
from tests.methods.bucketize.series import KEY, chain, people, put, table


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    everybody = people(np.random.default_rng(8), 300)
    frames = [everybody[:200], everybody[50:250], everybody[100:]]
    return chain([*frames[:2], everybody[20:220]], tmp_path, l=3)[1]


def told(words: list[str], capsys: Any) -> tuple[int, dict[str, Any]]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_chain_is_shown(folders: list[Path], capsys: Any) -> None:
    code, found = told(["series", "show", str(folders[2])], capsys)
    assert code == 0 and found["l"] == 3
    counts = [
        [one[name] for name in ("people", "came", "stayed", "returned", "left")] for one in found["releases"]
    ]
    assert counts == [[200, 200, 0, 0, 0], [200, 50, 150, 0, 50], [200, 0, 170, 30, 30]]
    assert all(one["candidates"] >= 3 for one in found["releases"])
    assert found["releases"][2]["one_candidate_alone"] > 0.05
    assert main(["series", "show", str(folders[2])]) == 0
    assert "■" in capsys.readouterr().out


def test_the_chain_is_verified_by_owner_and_reader(folders: list[Path], tmp_path: Path, capsys: Any) -> None:
    code, found = told(["series", "verify", str(folders[2])], capsys)
    assert code == 8 and {one["verdict"] for one in found["checks"]} == {"kept", "not checked"}
    public = [str(shutil.copytree(folder, tmp_path / "public" / folder.name)) for folder in folders]
    code, found = told(["series", "verify", public[2], public[1], public[0]], capsys)
    assert code in (0, 8)
    code, found = told(["series", "verify", public[2], public[0]], capsys)
    assert code == 7
    code, found = told(["series", "verify", public[2]], capsys)
    assert code == 3 and found["error"]["code"] == "series-record-missing"


def test_a_chain_with_a_missing_release_is_refused(folders: list[Path], capsys: Any) -> None:
    shutil.rmtree(folders[0])
    for what in ("show", "verify"):
        code, found = told(["series", what, str(folders[2])], capsys)
        assert code == 3 and found["error"]["code"] == "series-broken"


def test_a_person_is_forgotten_and_the_chain_goes_on(
    folders: list[Path], tmp_path: Path, capsys: Any
) -> None:
    key_file = tmp_path / "key"
    everybody = people(np.random.default_rng(8), 300)
    assert forget_in_series(folders[2], "P0100 ", KEY) == 3
    with pytest.raises(InputError, match="Nobody"):
        forget_in_series(folders[2], "p0100", KEY)
    code, _ = told(["series", "verify", str(folders[2])], capsys)
    assert code == 8
    frame = everybody[60:260].filter(pl.col("id") != "p0100")
    made = bucketize(table(frame), l=3, key=KEY, person="id", after=folders[2])
    put(made, tmp_path / "r4")
    code, _ = told(["series", "verify", str(tmp_path / "r4")], capsys)
    assert code == 8
    code, found = told(["series", "forget", str(folders[2]), "p0101", "--key-file", str(key_file)], capsys)
    assert code != 0 and "error" in found
    with pytest.raises(UsageError) as refused:
        forget_in_series(folders[2], "p0101", Key.from_seed(5))
    assert refused.value.code == "series-other-key"


def test_the_ledger_knows_a_series_and_a_fork_of_it(tmp_path: Path) -> None:
    """A chain needs no acknowledgement; two releases after the same one do."""
    key = Key(bytes(range(32)))
    everybody = people(np.random.default_rng(9), 400)
    first = bucketize(table(everybody[:300]), l=3, key=key, person="id", partners="signatures").save(
        tmp_path / "one"
    )
    bucketize(table(everybody[50:350]), l=3, key=key, person="id", after=first.folder).save(tmp_path / "two")
    entries = Ledger().read().entries
    assert [entry.series for entry in entries] == ["", entries[0].id]
    fork = bucketize(table(everybody[60:360]), l=3, key=key, person="id", after=first.folder)
    with pytest.raises(InfeasibleError) as refused:
        fork.save(tmp_path / "fork")
    assert refused.value.code == "composition" and not (tmp_path / "fork").exists()
