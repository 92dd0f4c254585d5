"""The same figures as pycanon where it is right, and the cases in which it is not.

pycanon pins old packages and lives in an environment of its own (``make bench`` makes ``.venv-peers``;
``TACIT_PEERS`` names another interpreter).
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
from pathlib import Path

import polars as pl
import pytest

import tacit
from tacit.judging.risk.figures import Risk
from tests.conftest import REPOSITORY

SCRIPT = """
import json, sys
import numpy as np, pandas as pd
from pycanon import anonymity
given = json.load(sys.stdin)
frame = pd.DataFrame(given["rows"], columns=given["columns"])
quasi, sensitive = given["columns"][:-1], given["columns"][-1:]
print(json.dumps({
    "k": int(anonymity.k_anonymity(frame, quasi)),
    "l": int(anonymity.l_diversity(frame, quasi, sensitive)),
    "entropy_l": float(anonymity.entropy_l_diversity(frame, quasi, sensitive)),
    "recursive": [float(one) for one in anonymity.recursive_c_l_diversity(frame, quasi, sensitive)],
    "t": float(anonymity.t_closeness(frame, quasi, sensitive)),
    "beta": float(anonymity.basic_beta_likeness(frame, quasi, sensitive)),
}))
"""


def pycanon(rows: list[tuple[object, ...]], columns: list[str]) -> dict[str, float]:
    named = os.environ.get("TACIT_PEERS")
    interpreter = Path(named) if named else REPOSITORY / ".venv-peers" / "bin" / "python"
    if not interpreter.exists():
        pytest.skip("pycanon is not here: 'make bench' installs it, TACIT_PEERS names an interpreter with it")
    given = json.dumps({"rows": rows, "columns": columns})
    run = subprocess.run([str(interpreter), "-c", SCRIPT], input=given, capture_output=True, text=True)
    if "No module named 'pycanon'" in run.stderr:
        pytest.skip("pycanon is not installed among the peers")
    assert run.returncode == 0, run.stderr
    found: dict[str, float] = json.loads(run.stdout)
    return found


def risk(rows: list[tuple[object, ...]], columns: list[str]) -> Risk:
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    return tacit.risk(tacit.table_from_frame(frame, quasi=columns[:-1], sensitive=columns[-1]))


@pytest.mark.parametrize("numbers", [False, True])
def test_pycanon_agrees(numbers: bool) -> None:
    source = random.Random(5)
    rows: list[tuple[object, ...]] = [
        (source.choice("ab"), source.randrange(3), source.randrange(5) if numbers else source.choice("uvwxy"))
        for _ in range(300)
    ]
    columns = ["sex", "age", "value"]
    theirs, ours = pycanon(rows, columns), risk(rows, columns)
    assert (ours["k"], ours["l"]) == (theirs["k"], theirs["l"])
    assert ours["t_ordered" if numbers else "t"] == pytest.approx(theirs["t"])
    assert ours["beta"] == pytest.approx(theirs["beta"])
    assert math.floor(ours["entropy_l"]) == theirs["entropy_l"]


def test_pycanon_rounds_an_entropy_of_two_to_one() -> None:
    rows: list[tuple[object, ...]] = [("f", 30, "x"), ("f", 30, "y")] * 3
    theirs, ours = pycanon(rows, ["sex", "age", "value"]), risk(rows, ["sex", "age", "value"])
    assert ours["entropy_l"] == pytest.approx(2.0)
    assert theirs["entropy_l"] == 1  # int(e ** log 2)


def test_pycanon_drops_rows_with_nulls() -> None:
    rows: list[tuple[object, ...]] = [("f", "x"), ("f", "y"), (None, "x")]
    theirs, ours = pycanon(rows, ["sex", "value"]), risk(rows, ["sex", "value"])
    assert ours["k"] == 1  # the only one without a sex
    assert theirs["k"] == 2


def test_pycanon_takes_the_rarest_value_for_the_commonest() -> None:
    rows: list[tuple[object, ...]] = [("f", 30, "x")] * 9 + [("f", 30, "y")]
    theirs, ours = pycanon(rows, ["sex", "age", "value"]), risk(rows, ["sex", "age", "value"])
    assert ours["recursive_c"] == 9  # r1 = 9 against 1: (c, 2)-diverse for c above 9 only
    assert theirs["recursive"] == [1, 2]
