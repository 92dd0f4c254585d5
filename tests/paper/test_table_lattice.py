"""Full-domain generalization of Adult: the optima of brute force, with suppressed rows as ARX has them.

[1] F. Prasser, F. Kohlmayer. Putting Statistical Disclosure Control Into Practice: The ARX Data
    Anonymization Tool. Medical Data Privacy Handbook, 2015.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from tacit.data.table import table_from_frame
from tacit.engine.local.engine import LocalEngine
from tacit.io.hierarchies import read_hierarchies
from tacit.recoding import GLOBAL, LOCAL, NORMAL, QUICK
from tacit.recoding.problem import Problem, problem_of
from tacit.recoding.promises import Distinct, Held, Promise
from tacit.recoding.solve import solve

COLUMNS = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "gain", "loss", "hours", "native-country", "salary-class"),
]
QUASI = [
    *("sex", "age", "race", "marital-status", "education", "native-country", "workclass"),
    *("occupation", "salary-class"),
]
LIMITS = (0, 301, 1508, 30162)
OPTIMA = {
    (5, None): [(0.63554, 0), (0.40200, 294), (0.26963, 1346), (0.22770, 2553)],
    (10, None): [(0.63554, 0), (0.44844, 262), (0.31784, 1437), (0.26774, 3983)],
    (5, 3): [(0.62500, 0), (0.34932, 251), (0.17988, 1400), (0.17361, 2335)],
}


def adult_problem(folder: Path, k: int, l: int | None = None) -> Problem:
    """The 30,162 complete rows; with ℓ, occupation is sensitive instead of a quasi-identifier."""
    text = pl.read_csv(
        folder / "adult" / "adult.data", has_header=False, new_columns=COLUMNS, infer_schema=False
    )
    frame = text.with_columns(pl.all().str.strip_chars())
    frame = frame.filter(~pl.any_horizontal(pl.all() == "?"))
    sensitive = () if l is None else ("occupation",)
    quasi = [name for name in QUASI if name not in sensitive]
    trees = read_hierarchies(folder / "adult" / "hierarchies", quasi)
    table = table_from_frame(frame, quasi=quasi, sensitive=sensitive, hierarchies=trees)

    def promise(held: Held | None) -> Promise:
        return Promise(k, held, () if l is None else ((0, Distinct(l)),))

    combinations = LocalEngine().combinations(table, (*quasi, *sensitive))
    return problem_of(combinations, quasi, trees, promise, sensitive=sensitive)


@pytest.mark.parametrize(("k", "l"), list(OPTIMA))
def test_optima_of_adult(public_data: Path, k: int, l: int | None) -> None:
    problem = adult_problem(public_data, k, l)
    assert problem.n_rows == 30_162
    for limit, (loss, suppressed) in zip(LIMITS, OPTIMA[k, l], strict=True):
        found = solve(problem, GLOBAL, most_suppressed=limit)
        assert found is not None and found.proven
        assert round(found.loss, 5) == loss
        out = found.recoded.left_out[found.recoded.class_of]
        assert int(problem.counts[out].sum()) == suppressed


def test_local_classes_of_adult(public_data: Path) -> None:
    problem = adult_problem(public_data, 5)
    quick, normal = (solve(problem, LOCAL, effort=effort) for effort in (QUICK, NORMAL))
    assert quick is not None and normal is not None
    assert normal.loss < quick.loss <= 0.062
