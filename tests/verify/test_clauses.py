"""Clauses that are kept, broken or left open, by what is at hand; and the dialects of published text."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import tacit
from tacit.io.hierarchies import build_balanced
from tacit_verify import Check, verdict_of, verify
from tacit_verify.assignments import Kinds, likeliest, valid_values
from tacit_verify.bucketized import _share_left_out
from tacit_verify.terms import ROUGH
from tests.keys import secret_key
from tests.methods.bucketize.releases import edit_manifest, resign
from tests.soak.random_releases import write
from tests.verify.figures import of_buckets

KEY = secret_key(4)


def found(folder: Path, original: Path | None = None) -> dict[str, Check]:
    return {check.name: check for check in verify(folder, original)}


def test_rows_left_out_need_the_original(tmp_path: Path) -> None:
    rows = [(str(number % 5), "flu" if number % 2 else f"v{number % 7}") for number in range(80)]
    frame = pl.DataFrame(rows, schema=["age", "disease"], orient="row")
    frame.write_csv(tmp_path / "original.csv")
    table = tacit.table_from_frame(frame, quasi="age", sensitive="disease")
    how = {"on_infeasible": "suppress", "max_posterior_suppressed": 0.8, "algorithm": "anatomy"}
    folder = write(tacit.bucketize(table, l=3, key=KEY, **how), tmp_path / "out")  # type: ignore[arg-type]
    assert found(folder)["rows left out"].verdict == "not checked"
    assert verdict_of(verify(folder)) == "not checked"
    assert verdict_of(verify(folder, tmp_path / "original.csv")) == "kept"
    edit_manifest(folder, promise={"l": 3, "max_posterior_suppressed": "1/10"})
    assert found(folder, tmp_path / "original.csv")["rows left out"].verdict == "broken"


def test_rows_left_out_and_other_rows_of_people_are_not_told_apart(tmp_path: Path) -> None:
    """Of every second person there are two rows; the original does not say which of them was drawn."""
    rows = [
        (f"p{place}", str(place % 5), "flu" if place % 2 else f"v{place % 7}")
        for number in range(120)
        for place in [number % 80]
    ]
    frame = pl.DataFrame(rows, schema=["who", "age", "disease"], orient="row")
    frame.write_csv(tmp_path / "original.csv")
    table = tacit.table_from_frame(frame, quasi="age", sensitive="disease")
    how = {
        "on_infeasible": "suppress",
        "max_posterior_suppressed": 0.8,
        "algorithm": "anatomy",
        "person": "who",
    }
    release = tacit.bucketize(table, l=3, key=KEY, **how)  # type: ignore[arg-type]
    checks = found(write(release, tmp_path / "out"), tmp_path / "original.csv")
    left = {name for name, check in checks.items() if check.verdict == "not checked"}
    assert left == {"rows left out", "people"}
    assert {check.verdict for check in checks.values()} == {"kept", "not checked"}


def test_those_who_cannot_have_the_same_values_are_looked_at_apart() -> None:
    """All men are left out and hold one value; over everybody left out it would be one of two."""
    people = Counter({("f", "a"): 2, ("m", "b"): 1})
    left_out = Counter({("a",): 1, ("b",): 1})
    known = {"f": frozenset[tuple[int, str]](), "m": frozenset({(0, "a")})}
    share = _share_left_out(people, left_out, {known["f"]}, lambda row: known[str(row[0])], 1)  # type: ignore[arg-type]
    assert share == 1


def test_a_posterior_that_cannot_be_counted_is_left_open(tmp_path: Path) -> None:
    """Sixteen rows that each cannot have one value of their own: more assignments than are counted."""
    n = 16
    folder = tmp_path / "out"
    folder.mkdir()
    qit = sorted(f"p{place:02},1" for place in range(n))
    (folder / "qit.csv").write_text("\n".join(["who,group", *qit]) + "\n")
    (folder / "st.csv").write_text(
        "\n".join(["group,has,count", *(f"1,v{place:02},1" for place in range(n))]) + "\n"
    )
    rules = [
        {"when": {"who": f"p{place:02}"}, "attribute": "has", "value": f"v{place:02}", "given": True}
        for place in range(n)
    ]
    nodes = {"who": {f"p{place:02}": [f"p{place:02}"] for place in range(n)}}
    figures, rough = of_buckets(n, 1, l=2, unique=1.0), {"posterior", *ROUGH}
    manifest = {
        "format": "tacit-release", "format_version": 2, "kind": "bucketized", "method": "injector",
        "parameters": {
            "l": 2, "form": "qit", "quasi": ["who"], "keep": [], "sensitive": ["has"], "group": "group",
            "rows": n, "buckets": 1, "suppressed": 0, "nulls": "own", "null_values": [], "partners": "any",
        },
        "promise": {"l": 2, "max_posterior": "1/2"}, "reader": {"rules": rules, "nodes": nodes},
        "risks": figures["risks"] | {
            "rules": n, "vulnerable": 0,
            "posterior": {"above": 0.0, "error": 0.0, "largest": 1 / 15, "sampled_buckets": 0},
            "valid_values": [
                {"values": at, "or_more": at == 12, "rows": n * (at == 12)} for at in range(1, 13)],
            "posteriors": [
                {"low": at / 20, "high": (at + 1) / 20, "rows": n * (at == 1)} for at in range(20)],
            "grid": {place: word for place, word in figures["risks"]["grid"].items() if place not in rough},
        },
        "utility": figures["utility"],
        "verification": {"extent": "full"}, "versions": {}, "not_for_publication": True,
    }  # fmt: skip
    (folder / "release.json").write_text(json.dumps(manifest))
    resign(folder)
    checks = found(folder)
    assert checks["ℓ"].verdict == "kept"
    assert checks["posterior"].verdict == "not checked" and "too many" in checks["posterior"].detail
    everything = (1 << n) - 1
    kinds = Kinds(tuple((everything ^ 1 << at, 1) for at in range(n)), (1,) * n, (tuple(range(n)),))
    assert likeliest(kinds, valid_values(kinds) or []) is None


def test_buckets_without_rules_are_shown_by_anybody(tmp_path: Path) -> None:
    people = tacit.load_sample("hospital:120")
    folder = write(tacit.bucketize(people, l=3, algorithm="anatomy", key=KEY), tmp_path / "out")
    assert verdict_of(verify(folder)) == "kept"


def test_cells_that_are_missing_beside_quoted_ones(tmp_path: Path) -> None:
    values = [None, "a, b", 'say "x"', "c\nd", ""] * 4
    frame = pl.DataFrame({"age": values, "town": values[::-1], "disease": ["flu", "cold", "gout", "x,y"] * 5})
    tacit.write_table(frame, tmp_path / "original.csv")
    table = tacit.table_from_frame(frame, quasi=["age", "town"], sensitive="disease")
    for form in ("qit", "permuted"):
        (tmp_path / form).mkdir()
        release = tacit.bucketize(table, l=2, form=form, algorithm="anatomy", key=KEY)
        folder = write(release, tmp_path / form / "out")
        assert verdict_of(verify(folder, tmp_path / "original.csv")) == "kept"


@pytest.fixture
def with_disease(tmp_path: Path) -> Path:
    """Transactions with a sensitive column that goes along."""
    rows = [(str(record), item, "flu" if record < 6 else "cold") for record in range(12) for item in "ab"]
    frame = pl.DataFrame(rows, schema=["who", "what", "disease"], orient="row")
    data = tacit.read_transactions(frame, record="who", item="what", sensitive="disease")
    tree = build_balanced(["a", "b"], fanout=2)
    return write(tacit.generalize(data.with_hierarchy(tree), k=5, m=2, key=KEY), tmp_path / "out")


LINES = {
    "as it is": ('{"items": ["a", "b"], "disease": "flu"}', "kept"),
    "a value missing": ('{"items": ["a", "b"], "disease": null}', "kept"),
    "another field": ('{"items": ["a", "b"], "name": "Zaphod"}', "broken"),
    "a field more": ('{"items": ["a", "b"], "disease": "flu", "name": "Zaphod"}', "broken"),
    "fields in another order": ('{"disease": "flu", "items": ["a", "b"]}', "broken"),
    "no field": ('["a", "b"]', "broken"),
    "a number for a value": ('{"items": ["a", "b"], "disease": 7}', "broken"),
    "a list for a value": ('{"items": ["a", "b"], "disease": ["flu"]}', "broken"),
    "a text for the items": ('{"items": "ab", "disease": "flu"}', "broken"),
}


@pytest.mark.parametrize("line", LINES)
def test_a_sensitive_column_goes_along_in_one_way(line: str, with_disease: Path) -> None:
    path = with_disease / "transactions.jsonl"
    text, verdict = LINES[line]
    lines = path.read_text().splitlines()
    assert lines[0] == '{"items": ["a", "b"], "disease": "cold"}'
    lines[0] = text
    path.write_text("\n".join(lines) + "\n")
    resign(with_disease)
    assert verdict_of(verify(with_disease)) == verdict
