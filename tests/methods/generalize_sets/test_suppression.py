"""Dropping records: as few as need be, never more than allowed, and only where it pays."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit.data.hierarchy import from_parents
from tacit.data.transactions import transactions_from_sets
from tacit.engine.sets import SetCounts
from tacit.methods.generalize_sets.solve import suppress
from tacit.methods.generalize_sets.solve.cut import Draft
from tacit.methods.generalize_sets.solve.solve import planned
from tacit.methods.generalize_sets.solve.suppress import blockers, largest_anonymous
from tacit_verify import verify
from tests.oracles import cuts as oracle
from tests.strategies.baskets import random_baskets


def test_the_largest_anonymous_part_is_found_by_dropping_what_must_go() -> None:
    seeded = random.Random(1)
    for _ in range(200):
        baskets = random_baskets(seeded, most_records=8, most_items=5)
        k, m = seeded.randint(2, 3), seeded.randint(1, 3)
        counts = SetCounts(baskets.transactions)
        if not counts.n_nonempty:
            continue
        draft = Draft(counts.tree)
        left = largest_anonymous(counts, draft.table, k=k, m=m)
        assert left is not None
        dropped = left.suppressed.rows(baskets.transactions)
        kept = [record for record, gone in zip(baskets.records, dropped, strict=True) if not gone]
        assert left.n_records == len(kept) == oracle.largest_anonymous(baskets.records, k, m)
        assert oracle.is_anonymous(kept, k, m)
        assert int(left.occurrences.sum()) == sum(map(len, kept))


@pytest.mark.parametrize("count", [250, pytest.param(1000, marks=pytest.mark.ci)])
def test_what_is_published_is_valid_within_the_allowance_and_never_dearer(count: int) -> None:
    seeded = random.Random(2)
    dropped = 0
    for _ in range(count):
        baskets = random_baskets(seeded, most_records=25, most_items=9)
        k, m, share = seeded.randint(2, 4), seeded.randint(1, 3), seeded.choice([0.05, 0.1, 0.3])
        if sum(map(bool, baskets.records)) < k:
            continue
        plain = planned(baskets.transactions, k=k, m=m)
        plan = planned(baskets.transactions, k=k, m=m, max_suppressed=share)
        assert plan.n_suppressed <= share * len(baskets.records)
        assert plan.ncp <= plain.ncp
        left_out = plan.left_out(baskets.transactions)
        kept = [record for record, gone in zip(baskets.records, left_out, strict=True) if not gone]
        assert oracle.is_anonymous(oracle.published(kept, plan.cut.mapping), k, m)
        assert len(plan.apply(baskets.transactions)) == len(kept)
        # The penalty counts a dropped item as published as the root.
        items, lost = sum(map(len, baskets.records)), sum(map(len, baskets.records)) - sum(map(len, kept))
        expected = float(oracle.ncp(kept, baskets.parents, plan.cut.mapping)) * (items - lost) + lost
        assert plan.ncp == pytest.approx(expected / items, abs=1e-12)
        dropped += plan.n_suppressed
    assert dropped, "no case needed suppression"


@pytest.mark.ci
def test_with_few_recounts_less_is_found_and_all_of_it_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suppress, "MOST_TRIED", 0)
    seeded = random.Random(4)
    found = dict.fromkeys((0, 2, None), 0)
    for _ in range(300):
        baskets = random_baskets(seeded, most_records=25, most_items=9)
        k, m = seeded.randint(2, 4), seeded.randint(1, 3)
        if sum(map(bool, baskets.records)) < k:
            continue
        plan, counts = planned(baskets.transactions, k=k, m=m), SetCounts(baskets.transactions)
        for recounts in found:
            draft = Draft.at(counts.tree, plan.cut)
            for step in suppress.suppressions(counts, draft, k=k, m=m, most=5, recounts=recounts):
                gone = step.counts.suppressed.rows(baskets.transactions)
                kept = [record for record, out in zip(baskets.records, gone, strict=True) if not out]
                mapping = step.draft.cut().mapping
                assert len(kept) == step.counts.n_records >= len(baskets.records) - 5
                assert oracle.is_anonymous(oracle.published(kept, mapping), k, m)
                found[recounts] += 1
    assert found[0] < found[2] < found[None]


def test_one_enormous_record_is_named_with_its_cost() -> None:
    items = [f"i{number:02}" for number in range(20)]
    parents = {item: f"g{place // 5}" for place, item in enumerate(items)}
    parents |= {f"g{group}": "ALL" for group in range(4)}
    records = [{items[pair], items[pair + 1]} for pair in range(0, 20, 2) for _ in range(6)] + [set(items)]
    baskets = transactions_from_sets(records, hierarchy=from_parents(parents))
    plan = planned(baskets, k=5, m=2)
    assert plan.ncp > 0.2
    found = blockers(baskets, plan)
    assert [step.records.tolist() for step in found[-1:]] == [[60]]
    assert found[-1].lengths.tolist() == [20]
    assert found[-1].ncp < plan.ncp
    assert "Without 1 record (the longest holds 20 items)" in str(found[-1])
    spared = planned(baskets, k=5, m=2, max_suppressed=0.02)
    assert np.flatnonzero(spared.left_out(baskets)).tolist() == [60]
    assert spared.ncp < plan.ncp
    assert spared.notes == ("1 of 61 records are not published.",)


def test_what_is_suppressed_is_lost_in_every_figure(tmp_path: Path) -> None:
    """The record that is left out is the only one with i00 and i19, which are not published then."""
    records = [{"i01", "i02"}, {"i03", "i04"}] * 30 + [{"i00", "i19"}]
    parents = {f"i{number:02}": f"g{number // 5}" for number in range(20)}
    parents |= {f"g{group}": "ALL" for group in range(4)}
    baskets = transactions_from_sets(records, hierarchy=from_parents(parents))
    release = tacit.generalize(baskets, k=5, m=2, max_suppressed=0.02)
    assert release.plan.n_suppressed == 1
    kept = release.utility()
    # Two of 122 occurrences are lost altogether, none of the others.
    assert kept.ncp == release.plan.ncp == pytest.approx(2 / 122)
    assert kept.published_items == 4
    release.save(tmp_path / "out")
    original = tmp_path / "baskets.dat"
    original.write_text("".join(" ".join(sorted(record)) + "\n" for record in records))
    assert {check.name: check.ok for check in verify(tmp_path / "out", original)}["ncp"] is True
    manifest = tmp_path / "out" / "release.json"
    content = json.loads(manifest.read_text())
    content["utility"]["ncp"] = 0.019
    manifest.write_text(json.dumps(content))
    assert {check.name: check.ok for check in verify(tmp_path / "out", original)}.get("ncp") is not True


def test_nothing_is_dropped_without_leave() -> None:
    seeded = random.Random(3)
    for _ in range(100):
        baskets = random_baskets(seeded)
        if sum(map(bool, baskets.records)) >= 2:
            assert planned(baskets.transactions, k=2, m=2).n_suppressed == 0
