"""Rows left out keep a bound among themselves, and no more of them are left out than it takes."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import (
    InfeasibleError,
    Key,
    UsageError,
    bucketize,
    generalize,
    mine_negative_rules,
    table_from_frame,
)
from tacit.arrays.bitmaps import pack, unpack
from tacit.data.hierarchy import from_parents
from tacit.data.table import Table
from tacit.data.transactions import transactions_from_sets
from tacit.engine.local.engine import LocalEngine
from tacit.methods.bucketize.judge.buckets import buckets_of
from tacit.methods.bucketize.judge.risks import attack_left_out
from tacit.methods.bucketize.solve.feasibility import largest_feasible, largest_feasible_subset
from tacit.methods.bucketize.solve.keeping import (
    forbidden_sets,
    largest_share_left_out,
    left_out_eligible,
    left_out_feasible,
    topped_up,
)
from tacit.methods.bucketize.solve.plan import Classes
from tacit_verify.verifying import verify
from tests.cases import cases
from tests.methods.bucketize.releases import edit_manifest, write
from tests.oracles import left_out as oracle

KEY = Key.from_seed(3)
BOUNDS = [Fraction(3, 10), Fraction(1, 2), Fraction(3, 5), Fraction(4, 5), Fraction(9, 10)]
counts = st.lists(st.integers(0, 6), min_size=2, max_size=4).filter(any)


def single(held: list[int]) -> Classes:
    """Rows of one attribute about whom nothing is known."""
    values = np.arange(len(held), dtype=np.int32)
    texts = (tuple(map(str, values)),)
    nothing = pack(np.zeros((len(held), len(held)), dtype=bool))
    return Classes(("s",), texts, values[:, None], values, nothing, np.array(held, dtype=np.int64))


def rows_left_out(classes: Classes, out: np.ndarray) -> list[tuple[bytes, list[int]]]:
    """The rows left out, as the oracle takes them."""
    barred = unpack(classes.forbidden, classes.n_values)
    return [
        (barred[kind].tobytes(), classes.parts[classes.values[kind]].tolist())
        for kind in np.repeat(np.arange(len(classes)), out)
    ]


@settings(deadline=None)
@given(counts, st.integers(2, 3), st.sampled_from(BOUNDS), st.integers(0, 5))
def test_anatomy_leaves_out_the_fewest_rows(held: list[int], l: int, bound: Fraction, seed: int) -> None:
    out = left_out_eligible(single(held), l, bound, Key.from_seed(seed))
    best = oracle.fewest_for_anatomy(held, l, bound)
    assert (None if out is None else int(out.sum())) == best
    if out is not None:
        stay = np.array(held) - out
        assert (out >= 0).all() and (stay >= 0).all() and l * stay.max() <= stay.sum()
        assert oracle.largest_share(rows_left_out(single(held), out)) <= bound


@settings(deadline=None)
@given(counts, st.lists(st.integers(0, 3), min_size=4, max_size=4), st.sampled_from(BOUNDS))
def test_no_more_rows_join_than_the_bound_takes(held: list[int], must: list[int], bound: Fraction) -> None:
    least = [min(one, count) for one, count in zip(must, held, strict=False)]
    found = topped_up(single(held), np.array(least), bound, KEY)
    best = oracle.fewest_more(held, least, bound)
    assert (None if found is None else int(found.sum())) == best
    if found is not None:
        assert (found >= least).all() and (found <= held).all()
        assert oracle.largest_share(rows_left_out(single(held), found)) <= bound


def few_sets(generator: np.random.Generator, attributes: int) -> Classes:
    """Rows of a few forbidden sets, several of each, among them sets that leave few values."""
    codes, rows = 5, []
    for barred in generator.random((3, attributes, codes)) < generator.choice([0.3, 0.6]):
        barred[:, generator.integers(0, codes)] = False
        for _ in range(int(generator.integers(1, 9))):
            held = [int(generator.choice(np.flatnonzero(~part))) for part in barred]
            rows.append((tuple(held), barred))
    parts = np.array(sorted({held for held, _ in rows}), dtype=np.int32)
    value = {tuple(part): number for number, part in enumerate(parts.tolist())}
    kinds: dict[tuple[int, bytes], int] = {}
    marks = {}
    for held, barred in rows:
        forbidden = np.array([any(barred[at, code] for at, code in enumerate(part)) for part in parts])
        marks[forbidden.tobytes()] = forbidden
        kind = (value[held], forbidden.tobytes())
        kinds[kind] = kinds.get(kind, 0) + 1
    return Classes(
        tuple(f"s{place}" for place in range(attributes)),
        tuple(tuple(map(str, range(codes))) for _ in range(attributes)),
        parts,
        np.array([kind[0] for kind in kinds], dtype=np.int32),
        pack(np.array([marks[kind[1]] for kind in kinds])),
        np.array(list(kinds.values()), dtype=np.int64),
    )


def test_every_forbidden_set_keeps_the_bound_and_what_stays_is_feasible() -> None:
    generator = np.random.Generator(np.random.PCG64(31))
    kept = refused = 0
    for number in range(cases(500)):
        classes = few_sets(generator, 1 + number % 2)
        bound, l = BOUNDS[number % len(BOUNDS)], 2 + number % 3
        out = left_out_feasible(classes, l, bound)
        forced = classes.counts - largest_feasible_subset(classes, l)
        too_frequent = oracle.largest_share(rows_left_out(classes, forced)) > bound
        assert (out is None) == (too_frequent or forced.sum() == classes.n_rows)
        # Where more are left out than must be, the bound holds as well, set by set.
        some = (classes.counts * generator.random(len(classes))).astype(np.int64)
        more = topped_up(classes, some, bound, KEY)
        if more is not None:
            assert oracle.largest_share(rows_left_out(classes, more)) <= bound
            assert oracle.largest_share(rows_left_out(classes, more)) == largest_share_left_out(classes, more)
        if out is None:
            refused += 1
        else:
            kept += bool(out.any())
            assert largest_feasible(classes.keep(classes.counts - out)) >= l
    assert kept > cases(20) and refused > cases(50), (kept, refused)


def test_rows_with_the_same_forbidden_set_stay_or_go_together() -> None:
    generator = np.random.Generator(np.random.PCG64(32))
    for number in range(200):
        classes = few_sets(generator, 1 + number % 2)
        for here in forbidden_sets(classes):
            gone = classes.counts[here] - largest_feasible_subset(classes, 3)[here]
            assert not gone.any() or (gone == classes.counts[here]).all()


def test_the_rows_that_join_are_drawn_by_the_key() -> None:
    held = [40, 10, 10, 10, 10, 10, 10]
    drawn = {tuple(left_out_eligible(single(held), 3, Fraction(1, 2), Key.from_seed(n))) for n in range(9)}  # type: ignore[arg-type]
    assert len(drawn) > 5


def test_the_lower_bound_of_the_theory_is_met() -> None:
    """p = .4, ℓ = 3, b = .5 takes 40 % of the table."""
    out = left_out_eligible(single([400, 150, 150, 150, 150]), 3, Fraction(1, 2), KEY)
    assert out is not None and out.sum() == 400 and out[0] == 200


def dominated(generator: np.random.Generator, number: int) -> Table:
    """A small table in which one value is too frequent, in all of it or for some of the people."""
    rows = int(generator.integers(12, 60))
    age = generator.integers(0, int(generator.integers(2, 6)), rows)
    value = generator.integers(0, int(generator.integers(2, 6)), rows)
    dominant = generator.random(rows) < generator.uniform(0.2, 0.9)
    if number % 2:
        dominant &= age == 0
    value[dominant] = 0
    frame = pl.DataFrame({"age": age, "value": [f"v{one}" for one in value]})
    return table_from_frame(frame, quasi=["age"], sensitive="value")


def test_each_table_is_refused_or_no_value_exceeds_the_bound_among_those_left_out() -> None:
    generator = np.random.Generator(np.random.PCG64(77))
    found = {"refused": 0, "left out": 0, "whole": 0}
    for number in range(cases(500)):
        table = dominated(generator, number)
        method = ("anatomy", "injector", "injector")[number % 3]
        bound = BOUNDS[number % len(BOUNDS)]
        rules = mine_negative_rules(table, min_expectation=0.6)
        wish = {"max_posterior": 0.5} if number % 3 == 2 else {}
        try:
            release = bucketize(
                table, l=2 + number // 3 % 2, algorithm=method, knowledge=rules, on_infeasible="suppress",
                max_posterior_suppressed=float(bound), key=KEY, **wish,
            )  # fmt: skip
        except InfeasibleError:
            found["refused"] += 1
            continue
        out = np.setdiff1d(np.arange(len(table)), release.bucketized.published)  # type: ignore[union-attr]
        found["left out" if len(out) else "whole"] += 1
        age, value = (table.column(name) for name in ("age", "value"))
        known = dict.fromkeys(range(len(age.values)), frozenset[int]())
        if method == "injector":
            combinations = release.asked.engine.combinations(table, ("age", "value"))
            marks = rules.forbidden(combinations, "value")
            for codes, mark in zip(combinations.codes, marks, strict=True):
                known[int(codes[0])] = frozenset(np.flatnonzero(mark).tolist())
        left = [(known[int(age.codes[row])], [int(value.codes[row])]) for row in out]
        assert oracle.largest_share(left) <= bound
    assert min(found.values()) > cases(40), found


def test_suppression_needs_a_bound_and_a_bound_suppression() -> None:
    table = dominated(np.random.Generator(np.random.PCG64(1)), 0)
    with pytest.raises(UsageError) as raised:
        bucketize(table, l=2, on_infeasible="suppress", key=KEY)
    assert raised.value.code == "suppression-unbounded"
    with pytest.raises(UsageError) as raised:
        bucketize(table, l=2, max_posterior_suppressed=0.5, key=KEY)
    assert raised.value.code == "parameter-unused"


def test_the_manifest_states_the_bound_and_the_verifier_checks_it(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [n % 7 for n in range(60)], "value": ["a"] * 30 + ["b", "c", "d"] * 10})
    table = table_from_frame(frame, quasi=["age"], sensitive="value")
    frame.write_csv(tmp_path / "original.csv")
    release = bucketize(
        table, l=3, algorithm="anatomy", on_infeasible="suppress", max_posterior_suppressed=0.6, key=KEY
    )
    assert release.plan.n_suppressed == 39  # at least 60 (1/2 − 1/3) / (3/5 − 1/3) = 37.5
    assert release.manifest.promise == {"l": 3, "max_posterior_suppressed": "3/5"}
    release.save(tmp_path / "out")
    found = {check.name: check for check in verify(tmp_path / "out", tmp_path / "original.csv")}
    assert all(check.ok is not False for check in found.values()), found
    assert "rows left out" in found


def test_a_bound_that_those_left_out_exceed_fails_the_verifier(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [n % 7 for n in range(60)], "value": ["a"] * 30 + ["b", "c", "d"] * 10})
    frame.write_csv(tmp_path / "original.csv")
    table = table_from_frame(frame, quasi=["age"], sensitive="value")
    release = bucketize(
        table, l=3, algorithm="anatomy", on_infeasible="suppress", max_posterior_suppressed=0.6, key=KEY
    )
    for bound, failing in (("1/2", {"rows left out"}), (None, {"promise"})):
        folder = write(release, tmp_path / str(bound).replace("/", "-"))
        promise = json.loads((folder / "release.json").read_text())["promise"]
        promise = {"l": 3} | ({} if bound is None else {"max_posterior_suppressed": bound})
        edit_manifest(folder, promise=promise)
        found = {check.name for check in verify(folder, tmp_path / "original.csv") if check.ok is False}
        assert failing <= found


def test_the_attack_names_those_left_out_without_a_bound_and_not_with_one() -> None:
    """A dominant value: the old way left out its holders alone, 16 of 16 named."""
    frame = pl.DataFrame({"age": [n % 7 for n in range(60)], "value": ["a"] * 28 + ["b", "c", "d", "e"] * 8})
    table = table_from_frame(frame, quasi=["age"], sensitive="value")
    old = np.ones(60, dtype=np.int32)
    old[:12] = 0  # ℓ = 3: as few as possible, all with the value that is too frequent
    everybody = LocalEngine().combinations(table, ("age", "value"))
    found = attack_left_out(buckets_of(table, old), everybody, None)
    assert found is not None and (found.rows, found.right, found.frequent) == (12, 12, 1.0)
    release = bucketize(
        table, l=3, algorithm="anatomy", on_infeasible="suppress", max_posterior_suppressed=0.5, key=KEY
    )
    now = release.risk().left_out
    assert now is not None and now.right <= now.rows / 2 and now.frequent <= 0.5
    assert "left out" in str(release.risk())
    assert "left_out" not in json.dumps(dict(release.complete().manifest.risks), default=str)
    assert attack_left_out(buckets_of(table, np.ones(60, dtype=np.int32)), everybody, None) is None


def test_sets_left_out_are_counted_and_named_to_the_owner_only() -> None:
    """A record that is left out shows in no published file."""
    tree = from_parents({"milk": "food", "bread": "food", "caviar": "food"})
    baskets = transactions_from_sets([{"milk", "bread"}] * 8 + [{"milk", "caviar"}], hierarchy=tree)
    release = generalize(baskets, k=3, m=2, max_suppressed=0.2)
    assert release.to_dict()["suppressed"] == 1
    named = json.dumps(release.manifest.parameters, default=str) + " ".join(release.manifest.notes)
    assert release.manifest.parameters["suppressed"] == 1 and "record" not in release.manifest.parameters
    assert "suppressed_records" not in named and "[8]" not in named
