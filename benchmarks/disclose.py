"""What publishing rules discloses: CPU seconds, beside dual L-BFGS-B (scipy) and cvxpy with Clarabel.

    python benchmarks/disclose.py [--slow]

All solve the same problems on the Adult data in one run; ours counts patterns and builds constraints
too. The others get the whole problem as it is stated, and once more, as a gift, what our presolve
leaves of it (implied constraints and zeros taken out, classes collapsed). The residual is the largest
violation of any constraint, as a share of all people.
``--slow`` adds the low support for the others as well; a peer may take 120 s of CPU for one problem.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np

from tacit.data.samples.public import adult
from tacit.data.table import Table
from tacit.disclosure.inference import Inference, infer
from tacit.disclosure.knowledge import RuleScores, Silence
from tacit.disclosure.population import population_of
from tacit.disclosure.presolve import Reduced
from tacit.disclosure.published import published_rules
from tacit.disclosure.thresholds import thresholds_of
from tacit.kernels.dual_newton import line_sums, spread
from tacit.kernels.extents import transpose
from tacit.mining.tables import mine_table_rules
from tacit.reproduce.disclosure import QUASI

PEER_SECONDS = 120


def main(*, slow: bool) -> None:
    os.environ.setdefault("TACIT_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "data"))
    table = adult(part="train").with_roles(quasi=QUASI, sensitive=("salary",))
    ours(table, 0.1, 0.6)  # compiles the kernels
    print(f"{'problem':<28}{'solver':<24}{'CPU s':>9}{'residual':>11}{'ratio':>8}")
    for support, peers in ((0.1, True), (0.02, slow)):
        seconds, inference = best(lambda support=support: ours(table, support, 0.6))
        row(f"s={support:g} c=0.6 with silence", "tacit", seconds, inference.certificate.violation, seconds)
        if peers:
            for name, solve in (("scipy L-BFGS-B, 1e-6", lbfgs), ("cvxpy + Clarabel", clarabel)):
                problem, n_rows = f"s={support:g} c=0.6 with silence", inference.population.n_rows
                peer(problem, name, solve, whole(inference), n_rows, seconds)
                peer("  what our presolve leaves", name, solve, inference.reduced, n_rows, seconds)
    seconds, inference = best(lambda: ours(table, 0.1, 0.6, pruned=False))
    row("s=0.1, all 766,582 patterns", "tacit", seconds, inference.certificate.violation, seconds)
    wide = table.with_roles(
        quasi=(
            "workclass",
            "marital-status",
            "relationship",
            "race",
            "sex",
            "native-country",
            "education",
            "salary",
        ),
        sensitive=("occupation",),
    )
    seconds, inference = best(lambda: ours(wide, 0.02, 0.2), times=1)
    row("occupation (14 values)", "tacit", seconds, inference.certificate.violation, seconds)
    print(f"largest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


def ours(table: Table, support: float, confidence: float, *, pruned: bool = True) -> Inference:
    """Counting, mining, constraints and solving."""
    population = population_of(table)
    thresholds = thresholds_of(support, confidence, population.n_rows)
    rules = mine_table_rules(table, min_support=support, min_confidence=confidence)
    published = published_rules(population, rules)
    return infer(
        population, [RuleScores(published), Silence(population, published, thresholds, pruned=pruned)]
    )


def whole(inference: Inference) -> Reduced:
    """The problem as it is stated: every combination, every constraint, every cell."""
    population, constraints = inference.population, inference.constraints
    offsets, lines = transpose(constraints.offsets, constraints.units, population.n_units)
    closed = np.zeros((population.n_units, population.n_values), dtype=bool)
    return Reduced(
        class_of=np.arange(population.n_units, dtype=np.int32),
        weights=population.counts.astype(np.float64),
        closed=closed,
        settled=closed,
        offsets=offsets,
        lines=lines,
        values=constraints.values,
        lower=constraints.lower,
        upper=constraints.upper,
        origin=np.zeros((len(constraints), 2), dtype=np.int64),
        conflict=-1,
    )


def lbfgs(reduced: Reduced, n_rows: int) -> np.ndarray:
    """The dual by scipy's L-BFGS-B: two multipliers of one sign for each interval."""
    from scipy.optimize import minimize

    n_lines = len(reduced.values)
    above, below = np.isfinite(reduced.lower), np.isfinite(reduced.upper)
    lower, upper = np.where(above, reduced.lower, 0.0), np.where(below, reduced.upper, 0.0)
    shares = np.empty(reduced.closed.shape)
    sums = np.empty(n_lines)
    classes = (reduced.offsets, reduced.lines, reduced.values, reduced.weights)

    def value(both: np.ndarray) -> tuple[float, np.ndarray]:
        up, down = both[:n_lines], both[n_lines:]
        found = spread(*classes, reduced.closed, up + down, shares) - up @ lower - down @ upper
        line_sums(*classes, shares, sums)
        return found / n_rows, np.concatenate([sums - lower, sums - upper]) / n_rows

    bounds = [(0, None if ok else 0) for ok in above] + [(None if ok else 0, 0) for ok in below]
    minimize(
        value, np.zeros(2 * n_lines), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": 100_000, "maxfun": 200_000, "ftol": 0.0, "gtol": 1e-6, "maxcor": 30},
    )  # fmt: skip
    return shares


def clarabel(reduced: Reduced, n_rows: int) -> np.ndarray:
    """The primal by cvxpy with the interior-point solver Clarabel."""
    import cvxpy

    from tacit.disclosure.linear import program_of

    program = program_of(reduced)
    cells = cvxpy.Variable(len(program.cells))
    weights = np.repeat(reduced.weights, reduced.closed.shape[1])[program.cells]
    equal = program.lower == program.upper
    above, below = ~equal & np.isfinite(program.lower), ~equal & np.isfinite(program.upper)
    constraints = [
        program.sums @ cells == reduced.weights / n_rows,
        program.rows[equal] @ cells == program.lower[equal] / n_rows,
    ]
    if above.any():
        constraints.append(program.rows[above] @ cells >= program.lower[above] / n_rows)
    if below.any():
        constraints.append(program.rows[below] @ cells <= program.upper[below] / n_rows)
    cvxpy.Problem(cvxpy.Maximize(cvxpy.sum(cvxpy.entr(cells))), constraints).solve(solver=cvxpy.CLARABEL)
    shares = np.zeros(reduced.closed.size)
    shares[program.cells] = cells.value * n_rows / weights
    return shares.reshape(reduced.closed.shape)


def peer(
    problem: str,
    name: str,
    solve: Callable[[Reduced, int], np.ndarray],
    reduced: Reduced,
    n_rows: int,
    seconds: float,
) -> None:
    """Time a peer, and measure the residual of its answer."""
    signal.signal(signal.SIGVTALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, PEER_SECONDS)
    started = process_time()
    try:
        shares = solve(reduced, n_rows)
    except TimeoutError:
        print(
            f"{problem:<28}{name:<24}{f'> {PEER_SECONDS}':>9}{'–':>11}{f'> {PEER_SECONDS / seconds:.0f}':>8}"
        )
        return
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    taken = process_time() - started
    sums = np.empty(len(reduced.values))
    line_sums(reduced.offsets, reduced.lines, reduced.values, reduced.weights, shares, sums)
    violation = np.maximum(reduced.lower - sums, sums - reduced.upper).max(initial=0.0) / n_rows
    row(problem, name, taken, float(violation), seconds)


def best(run: Callable[[], Inference], times: int = 3) -> tuple[float, Inference]:
    """The least CPU time of several runs."""
    taken = []
    for _ in range(times):
        started = process_time()
        found = run()
        taken.append(process_time() - started)
    return min(taken), found


def row(problem: str, solver: str, seconds: float, residual: float, ours_seconds: float) -> None:
    print(
        f"{problem:<28}{solver:<24}{seconds:>9.2f}{residual:>11.1e}{seconds / ours_seconds:>8.1f}", flush=True
    )


def _out_of_time(number: int, frame: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main(slow="--slow" in sys.argv)
