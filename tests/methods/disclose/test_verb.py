"""The verb, the commands and the releases, as a person would use them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.table import table_from_frame
from tacit.methods.disclose.solve.population import population_of
from tacit.methods.disclose.solve.published import published_rules
from tacit.mining.mine import mine_table_rules
from tacit.surface.cli import main

NAMES = [
    "rows", "combinations", "patterns", "rules", "nar", "nar_variables", "d_overall", "max_posterior",
    "residual", "most_exposed", "seconds",
]  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(7)
    n = 1_500
    age, sex = rng.integers(0, 5, n), rng.integers(0, 2, n)
    frame = pl.DataFrame(
        {
            "age": [f"a{x}" for x in age],
            "sex": ["m" if x else "f" for x in sex],
            "town": [f"t{x}" for x in rng.integers(0, 4, n)],
            "illness": np.where(rng.random(n) < 0.2 + 0.12 * age, "flu", "none"),
        }
    )
    path = tmp_path_factory.mktemp("people") / "people.csv"
    frame.write_csv(path)
    return path


@pytest.fixture(scope="module")
def table(file: Path) -> tacit.Table:
    return tacit.read_table(file, quasi=["age", "sex", "town"], sensitive="illness")


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tacit", *arguments], capture_output=True, text=True, check=False
    )


def _roles(file: Path) -> list[str]:
    return [str(file), "--quasi", "age,sex,town", "--sensitive", "illness"]


def test_the_command_prints_the_names_scripts_rely_on(file: Path) -> None:
    done = _run("disclose", *_roles(file), "--min-support", "0.02", "--min-confidence", "0.5", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(NAMES) <= found.keys()
    assert found["rows"] == 1_500 and found["residual"] <= 1e-8
    assert len(found["most_exposed"]) == 10
    first = found["most_exposed"][0]
    assert first["lower"] - 1e-7 <= first["posterior"] <= first["upper"] + 1e-7


def test_a_dry_run_says_how_large_the_problem_is(file: Path) -> None:
    flags = ["--min-support", "0.02", "--min-confidence", "0.5", "--json"]
    planned = json.loads(_run("disclose", *_roles(file), *flags, "--dry-run").stdout)
    done = json.loads(_run("disclose", *_roles(file), *flags).stdout)
    assert {name: planned[name] for name in NAMES[:6]} == {name: done[name] for name in NAMES[:6]}


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--min-support", "0.02"], 2),
        *(
            pytest.param(flags, 2, marks=pytest.mark.ci)
            for flags in (
                ["--min-support", "0", "--min-confidence", "0.5"],
                ["--min-support", "0.02", "--min-confidence", "1.5"],
                ["--min-support", "0.02", "--min-confidence", "0.5", "--scores", "some"],
            )
        ),
        (["--rules", "absent.txt"], 3),
    ],
)
def test_wrong_calls_end_with_their_exit_code(file: Path, flags: list[str], code: int) -> None:
    done = _run("disclose", *_roles(file), *flags, "--json")
    assert done.returncode == code, done.stdout + done.stderr
    assert "error" in json.loads(done.stdout)


def test_scores_and_silence_and_distribution_each_tell_more(table: tacit.Table) -> None:
    thresholds = {"min_support": 0.02, "min_confidence": 0.5, "compare_nar": False}
    least = tacit.disclose(table, **thresholds, scores="thresholds", nar=False)
    silent = tacit.disclose(table, **thresholds, scores="thresholds")
    exact = tacit.disclose(table, **thresholds)
    most = tacit.disclose(table, **thresholds, distribution=True)
    entropies = [found.entropy for found in (least, silent, exact, most)]
    assert entropies == sorted(entropies, reverse=True)
    assert entropies[0] > entropies[1] + 1e-6 > entropies[2] + 2e-6


def test_row_order_does_not_matter(file: Path, table: tacit.Table) -> None:
    shuffled = tacit.table_from_frame(
        pl.read_csv(file).sample(fraction=1.0, shuffle=True, seed=5),
        quasi=["age", "sex", "town"],
        sensitive="illness",
    )
    one = tacit.disclose(table, min_support=0.02, min_confidence=0.5)
    other = tacit.disclose(shuffled, min_support=0.02, min_confidence=0.5)
    assert np.array_equal(one.posterior, other.posterior)
    assert one.most_exposed(5) == other.most_exposed(5)


def test_rules_over_a_hierarchy_match_the_people_below_their_nodes() -> None:
    patients = tacit.load_sample("hospital:2000")
    rules = mine_table_rules(patients, min_support=20, min_confidence=0.2, hierarchies=True)
    people = population_of(patients, hierarchies=True)
    published = published_rules(people, rules)
    assert np.array_equal(published.matching, rules.counts.antecedent)
    held = [
        people.truth[published.units[start:end], value].sum()
        for start, end, value in zip(
            published.offsets[:-1], published.offsets[1:], published.values, strict=True
        )
    ]
    assert held == rules.counts.support.tolist()
    found = tacit.disclose(patients, rules=rules, nar=False)
    assert found.certificate.residual <= 1e-8


def test_safe_rules_stay_within_the_limit(table: tacit.Table) -> None:
    whole = tacit.disclose(table, min_support=0.02, min_confidence=0.5, max_length=2)
    assert whole.max_posterior > 0.7
    ask: dict[str, Any] = {"min_support": 0.02, "min_confidence": 0.5, "max_length": 2}
    with pytest.raises(tacit.InfeasibleError, match=r": a largest posterior of 0\.7 cannot be promised\."):
        tacit.safe_rules(table, **ask, max_posterior=0.7)
    with pytest.raises(tacit.InfeasibleError, match=r"--min-support \d+\)"):
        tacit.safe_rules(table, min_support=60, min_confidence=0.1, max_posterior=0.7)
    release = tacit.safe_rules(table, **ask, max_posterior=0.7, scores="thresholds")
    risk, utility = release.risk(), release.utility()
    assert max(risk.max_posterior, risk.max_posterior_without_silence) <= 0.7
    assert risk.residual <= 1e-8
    assert (utility.rules, utility.with_scores) == (whole.n_rules, 0)
    assert release.manifest.risks["max_posterior"] == float(f"{risk.max_posterior:.2g}")


def test_a_limit_that_nothing_meets_is_infeasible(table: tacit.Table) -> None:
    with pytest.raises(tacit.InfeasibleError) as caught:
        tacit.safe_rules(table, min_support=0.02, min_confidence=0.5, max_posterior=0.4)
    assert "Within the limit: nothing that was tried" in caught.value.hint


def test_channels_are_reported_or_refused(table: tacit.Table) -> None:
    ask = {"min_support": 10, "min_confidence": 0.4, "max_posterior": 1.0, "k": 12}
    reported = tacit.safe_rules(table, **ask)
    assert reported.channels
    with pytest.raises(tacit.InfeasibleError, match="follow from the supports"):
        tacit.safe_rules(table, **ask, channels="refuse")
    without = tacit.safe_rules(table, **ask, scores="thresholds", channels="refuse")
    assert without.channels == ()
    assert without.manifest.promise["min_group"] == 12


def test_published_from_the_command_line_and_verified(file: Path, tmp_path: Path) -> None:
    done = _run(
        "rules", *_roles(file), "--min-support", "0.02", "--min-confidence", "0.5",
        "--max-posterior", "0.7", "--max-length", "2", "--scores", "thresholds",
        "--output", str(tmp_path / "out"), "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["risk"]["max_posterior"] <= 0.7
    checked = _run("verify", str(tmp_path / "out"), "--original", str(file), "--json")
    assert checked.returncode == 0, checked.stdout
    assert "posterior with silence" in {check["name"] for check in json.loads(checked.stdout)["checks"]}
    again = tacit.disclose(
        tacit.read_table(file, quasi=["age", "sex", "town"], sensitive="illness"),
        rules=tmp_path / "out" / "rules.json", min_support=0.02, min_confidence=0.5, nar=False,
    )  # fmt: skip
    assert again.certificate.residual <= 1e-8
    risk = json.loads(done.stdout)["risk"]
    assert again.max_posterior == pytest.approx(risk["max_posterior_without_silence"], abs=1e-6)


@pytest.mark.parametrize("seed", [32, 44, 53, 88])
def test_posteriors_near_certainty_are_solved_too(seed: int) -> None:
    """Tables with many values and few people, on which a step without bound led nowhere."""
    generator = np.random.Generator(np.random.PCG64(seed))
    rows, n_values = int(generator.integers(40, 400)), int(generator.integers(5, 40))
    codes = [np.minimum(generator.geometric(0.3, rows), 12) for _ in range(3)]
    held = np.minimum(generator.geometric(0.15, rows) + codes[0] % 3 * 4, n_values)
    columns = {f"q{place}": [f"a{code}" for code in column] for place, column in enumerate(codes)}
    table = table_from_frame(
        pl.DataFrame(columns | {"s": [f"s{code}" for code in held]}), quasi=list(columns), sensitive="s"
    )
    for confidence in (0.5, 0.8):
        release = tacit.safe_rules(table, min_support=5, min_confidence=confidence, max_posterior=1.0)
        assert release.risk().residual <= 1e-6


def test_rules_about_the_rows_of_few_people_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Thirty people with four stays each: a group of four rows may be one person's."""
    stays = [(f"p{row // 4}", "mf"[row // 4 % 2], "xyz"[row % 3]) for row in range(120)]
    visits = pl.DataFrame(stays, schema=["patient", "sex", "illness"], orient="row")
    once = visits.unique("patient", keep="first", maintain_order=True)
    for frame, drop, told in ((visits, [], True), (visits, ["--drop", "patient"], True), (once, [], False)):
        frame.write_csv(tmp_path / "v.csv")
        least = ["--min-support", "5", "--min-confidence", "0.2"]
        roles = [str(tmp_path / "v.csv"), "--quasi", "sex", "--sensitive", "illness", *drop, *least]
        for line in (["disclose", *roles], ["rules", *roles, "--max-posterior", "0.9", "--min-group", "3"]):
            assert main(line) == 0
            said = " ".join(" ".join(capsys.readouterr()).split())
            assert ("Several rows are one person's, by 'patient'" in said) == told, line
