"""Kept columns are published as they are, so a reader knows them: in rules, figures and the verifier."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from tacit.data.table import Table, table_from_frame
from tacit.methods.bucketize.judge.buckets import buckets_of
from tacit.methods.bucketize.judge.risks import unique_rows
from tacit.methods.bucketize.verb import bucketize
from tacit.mining.verbs import mine_negative_rules
from tacit.random.key import Key
from tacit.release.kinds import rule_words
from tacit_verify.verifying import verify
from tests.methods.bucketize.releases import edit_manifest, write

KEY = Key.from_seed(7)


def shifts(rows: int = 400) -> Table:
    """People whose kept column rules a value out: nobody on the night shift has the value v0."""
    generator = np.random.Generator(np.random.PCG64(3))
    shift = generator.integers(0, 2, rows)
    value = np.where(shift == 0, generator.integers(1, 6, rows), generator.integers(0, 6, rows))
    frame = pl.DataFrame(
        {
            "sex": [["f", "m"][code] for code in generator.integers(0, 2, rows)],
            "shift": [["night", "day"][code] for code in shift],
            "disease": [f"v{code}" for code in value],
        }
    )
    return table_from_frame(frame, quasi=["sex"], sensitive="disease", keep=["shift"])


def test_rules_about_a_kept_column_are_mined_stated_and_verified(tmp_path: Path) -> None:
    table = shifts()
    rules = [str(rule) for rule in mine_negative_rules(table)]
    assert rules == ["shift = night ⇒ ¬ disease = v0"]
    release = bucketize(table, l=3, key=KEY)
    folder = write(release, tmp_path / "out")
    table.to_polars().write_csv(tmp_path / "original.csv")
    assert all(check.ok is not False for check in verify(folder, tmp_path / "original.csv"))
    terms = release.manifest.reader
    assert [rule_words(rule) for rule in terms["rules"]] == rules
    # Were the day shift stated to be without v0, some group would be left without an assignment.
    turned = {"shift": {"night": ["day"]}}
    reader = {**terms, "nodes": turned}
    edit_manifest(folder, reader=reader)
    assert not all(check.ok is not False for check in verify(folder))


def test_a_row_is_unique_by_its_kept_columns_as_well() -> None:
    frame = pl.DataFrame(
        {"age": ["1", "1", "2", "2"], "note": ["x", "y", "z", "z"], "s": ["a", "b", "a", "b"]}
    )
    buckets = [
        buckets_of(
            table_from_frame(frame, quasi=["age"], sensitive="s", keep=keep), np.ones(4, dtype=np.int32)
        )
        for keep in ((), ("note",))
    ]
    assert [unique_rows(one) for one in buckets] == [0.0, 0.5]
