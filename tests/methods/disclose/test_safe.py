"""Publishing rules within a limit: what a reader who knows the procedure learns from what is missing."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.table import table_from_frame
from tacit.methods.disclose.solve.bounds import counted_posterior
from tacit.methods.disclose.solve.constraints import no_constraints
from tacit.methods.disclose.solve.population import population_of
from tacit.methods.disclose.solve.safe import missing_scores
from tests.cases import parted
from tests.oracles.rule_tables import Held, People, shares, tables_alike

ASK: dict[str, Any] = {"min_support": 4, "min_confidence": 0.2, "max_posterior": 0.3}


def hospital(women: int, men: int) -> tacit.Table:
    """34 people: so many of 17 women and of 17 men have the flu, the others what is left in turn."""
    people = []
    for sex, ill in (("f", women), ("m", men)):
        held = ["flu"] * ill + [("cold", "gout", "none", "cough")[place % 4] for place in range(17 - ill)]
        people += [("de", sex, value) for value in held]
    frame = pl.DataFrame(people, schema=["country", "sex", "illness"], orient="row")
    return table_from_frame(frame, quasi=["country", "sex"], sensitive="illness")


def test_a_score_above_the_limit_is_not_left_out_alone() -> None:
    """6 of 17 women are .353: once, her rules lost their scores and the men's, 5 of 17, kept theirs."""
    with pytest.raises(tacit.InfeasibleError) as caught:
        tacit.safe_rules(hospital(6, 5), **ASK)
    assert caught.value.code == "limit-infeasible"
    kept = tacit.safe_rules(hospital(5, 5), **ASK)
    assert all("support" in rule for rule in json.loads(kept.files["rules.json"])["rules"])
    assert kept.manifest.risks["missing_scores"] == "tell nothing"
    assert kept.manifest.risks["max_posterior"] == 0.29  # 5 / 17, to two digits
    record = json.loads(kept.private["plan.json"])  # type: ignore[arg-type]
    assert record["figures"]["risks"]["max_posterior"] == pytest.approx(5 / 17)


def test_whether_scores_are_told_does_not_depend_on_the_data() -> None:
    for women in range(18):
        for scores in ("exact", "thresholds"):
            try:
                release = tacit.safe_rules(hospital(women, 5), **ASK, scores=scores)
            except tacit.InfeasibleError:
                continue
            content = json.loads(release.files["rules.json"])
            assert content["complete"] is True
            assert {"support" in rule for rule in content["rules"]} <= {scores == "exact"}


def test_missing_scores_told_what_they_hid() -> None:
    """The attack on a list as it was once published: without the women's scores, with the men's.

    It does not look at the truth: the conclusion is the same where it is wrong.
    """
    content = {
        "min_support": "4",
        "min_confidence": "0.2",
        "rules": [
            {"antecedent": {"sex": "f"}, "value": "flu"},
            {"antecedent": {"sex": "m"}, "value": "flu", "matching": 17, "support": 5},
        ],
    }
    for women, right in ((6, 1), (9, 1), (4, 0)):
        population = population_of(hospital(women, 5))
        told = missing_scores(population, json.dumps(content).encode(), 0.3)
        assert told.least.tolist() == [6]  # 5 of 17 would have been within .3, and published
        assert told.max_posterior == pytest.approx(6 / 17, abs=1e-6)
        assert (told.told, told.right(population)) == (1, right)


def test_a_refusal_names_settings_that_keep_the_limit() -> None:
    with pytest.raises(tacit.InfeasibleError) as caught:
        tacit.safe_rules(hospital(6, 5), **ASK)
    assert "scores='thresholds'" in caught.value.hint
    assert tacit.safe_rules(hospital(6, 5), **ASK, scores="thresholds").judged.max_posterior <= 0.3


def _case(seed: int) -> tuple[People, list[str], Held, dict[str, Any]]:
    draw = random.Random(seed)
    n_values = draw.choice([2, 3])
    people = [
        (f"a{draw.randint(0, 1)}", f"b{draw.randint(0, 1)}") for _ in range(draw.randint(5, 9 - n_values))
    ]
    values = [f"v{place}" for place in range(n_values)]
    held = tuple(draw.choice(values) if draw.random() < 0.5 else values[0] for _ in people)
    asked = {
        "min_support": draw.randint(1, 3),
        "min_confidence": draw.choice([0.3, 0.5, 0.7]),
        "max_length": draw.choice([1, 2]),
        "scores": draw.choice(["exact", "thresholds"]),
        "max_posterior": draw.choice([0.6, 0.7, 0.8, 0.9]),
    }
    return people, values, held, asked


def _table(people: People, held: Held) -> tacit.Table:
    rows = [(*person, value) for person, value in zip(people, held, strict=True)]
    frame = pl.DataFrame(rows, schema=["a", "b", "x"], orient="row")
    return table_from_frame(frame, quasi=["a", "b"], sensitive="x")


def _check_aware_readers(seeds: range, tried: int) -> int:
    """How many small tables could be published; no reader who knows the procedure is above the limit.

    Such a reader keeps every table from which the procedure makes this release, and no other. They must
    be all tables with the same list: none of them is published otherwise, or refused.
    """
    made = 0
    for seed in seeds:
        people, values, held, asked = _case(seed)
        if len(set(held)) < 2:
            continue
        try:
            release = tacit.safe_rules(_table(people, held), **asked)
        except tacit.InfeasibleError:
            continue
        made += 1
        alike = tables_alike(
            people,
            held,
            values,
            asked["min_support"],
            Fraction(str(asked["min_confidence"])),
            asked["max_length"],
            scores=asked["scores"] == "exact",
        )
        for other in random.Random(seed).sample(alike, min(tried, len(alike))):
            assert tacit.safe_rules(_table(people, other), **asked).files == release.files, seed
        most = max(float(share) for person in shares(alike) for share in person.values())
        assert most <= asked["max_posterior"] + 1e-9, seed
        assert release.risk().counted_posterior == pytest.approx(most), seed
    return made


@parted(60)
def test_no_reader_who_knows_the_procedure_is_above_the_limit(seeds: range) -> None:
    assert 60 * _check_aware_readers(seeds, tried=3) >= 8 * len(seeds)


@pytest.mark.slow
def test_no_reader_who_knows_the_procedure_is_above_the_limit_of_many_tables() -> None:
    assert _check_aware_readers(range(1_000, 1_600), tried=20) >= 60


def test_counting_stops_where_tables_are_too_many() -> None:
    table = table_from_frame(
        pl.DataFrame({"a": np.arange(40).astype(str), "x": ["u", "v"] * 20}), quasi=["a"], sensitive="x"
    )
    assert counted_posterior(population_of(table), no_constraints()) is None
