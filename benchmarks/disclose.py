"""What publishing rules discloses: CPU seconds, beside dual L-BFGS-B (scipy) and cvxpy with Clarabel.

    python benchmarks/disclose.py [--quick] [--slow]

All solve the same problems on the Adult data in one run; ours counts patterns and builds constraints
too. The others get the whole problem as it is stated, and once more, as a gift, what our presolve
leaves of it (implied constraints and zeros taken out, classes collapsed). The residual is the largest
violation of any constraint, as a share of all people.
``--quick`` leaves the peers and the largest data out, ``--slow`` adds the low support for the peers as
well; a peer may take 60 s of CPU for one problem.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from table import MEMORY, SECONDS, Row, peak_mb, record, record_slope

from papers.disclosure import QUASI
from tacit.arrays.groups import inverted
from tacit.data.table import Table
from tacit.io.samples.hospital import hospital
from tacit.io.samples.public import adult
from tacit.methods.disclose.solve.constraints import Reduced
from tacit.methods.disclose.solve.inference import Inference, infer
from tacit.methods.disclose.solve.knowledge import RuleScores, Silence
from tacit.methods.disclose.solve.population import population_of, thresholds_of
from tacit.methods.disclose.solve.published import published_rules
from tacit.methods.disclose.solve.solve import line_sums, spread
from tacit.mining.mine import mine_table_rules

PEER_SECONDS = 60


def main(*, quick: bool, slow: bool) -> None:
    os.environ.setdefault("TACIT_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "data"))
    table = adult(part="train").with_roles(quasi=QUASI, sensitive=("salary",))
    ours(table, 0.1, 0.6)  # compiles the kernels
    print(f"{'problem':<28}{'solver':<24}{'CPU s':>9}{'residual':>11}{'ratio':>8}")
    for support, peers, bound in ((0.1, not quick, 1.0), (0.02, slow, 10.0)):
        seconds, inference = best(lambda support=support: ours(table, support, 0.6))
        mark(f"Adult, s = {support:g}, c = 0.6, with silence", len(table), seconds, inference, bound)
        row(f"s={support:g} c=0.6 with silence", "tacit", seconds, inference.certificate.violation, seconds)
        if peers:
            for name, solve in (("scipy L-BFGS-B, 1e-6", lbfgs), ("cvxpy + Clarabel", clarabel)):
                problem, n_rows = f"s={support:g} c=0.6 with silence", inference.population.n_rows
                peer(problem, name, solve, whole(inference), n_rows, seconds)
                peer(
                    "  what our presolve leaves", name, solve, inference.reduced, n_rows, seconds, bound=None
                )
    seconds, inference = best(lambda: ours(table, 0.1, 0.6, pruned=False))
    row("s=0.1, all 766,582 patterns", "tacit", seconds, inference.certificate.violation, seconds)
    mark("Adult, s = 0.1, every pattern a constraint", len(table), seconds, inference, 30.0)
    record(
        Row(
            area="disclose",
            what="Adult, s = 0.1, every pattern a constraint",
            size=f"{len(table):,} rows",
            peak_mb=peak_mb(),
            figure=MEMORY,
            value=peak_mb(),
            bound=2048.0,
            quality="of the whole process, the peers before it included",
        )
    )
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
    mark("Adult, occupation (14 values) sensitive", len(table), seconds, inference, None)
    hospitals(quick=quick)
    print(f"largest memory {peak_mb():,.0f} MB")


def hospitals(*, quick: bool) -> None:
    """A hospital at three sizes, each in a process of its own for its peak of memory."""
    sizes = [25_000, 50_000, 100_000] if quick else [250_000, 500_000, 1_000_000]
    seconds = []
    for size in sizes:
        command = [sys.executable, __file__, "--hospital", str(size)]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        seconds.append(answer["seconds"])
        row(f"hospital, {size:,} rows", "tacit", answer["seconds"], answer["residual"], answer["seconds"])
        record(
            Row(
                area="disclose",
                what="hospital, 30 diagnoses, s = 0.01, c = 0.2, with silence",
                size=f"{size:,} rows",
                cpu=answer["seconds"],
                peak_mb=answer["peak_mb"],
                figure=SECONDS,
                value=answer["seconds"],
                bound=60.0 if size == 1_000_000 else None,
                quality=f"residual {answer['residual']:.1e}, {answer['values']} sensitive values",
            )
        )
    record_slope("disclose", "hospital, s = 0.01, c = 0.2", sizes, seconds, 1.1)


def hospital_once(size: int) -> dict[str, float]:
    """The figures of one size."""
    ours(hospital(1000), 0.05, 0.2)  # compiles the kernels
    table = hospital(size)
    seconds, found = best(lambda: ours(table, 0.01, 0.2), times=2)
    return {
        "seconds": seconds,
        "residual": found.certificate.violation,
        "values": found.population.n_values,
        "peak_mb": peak_mb(),
    }


def mark(what: str, rows: int, seconds: float, found: Inference, bound: float | None) -> None:
    """The row of one of our problems, with the residual that the time is for."""
    record(
        Row(
            area="disclose",
            what=what,
            size=f"{rows:,} rows",
            cpu=seconds,
            peak_mb=peak_mb(),
            figure=SECONDS,
            value=seconds,
            bound=bound,
            quality=f"residual {found.certificate.violation:.1e}",
        )
    )


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
    offsets, lines = inverted(constraints.offsets, constraints.units, population.n_units)
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
        impossible=False,
    )


def lbfgs(reduced: Reduced, n_rows: int) -> np.ndarray:
    """The dual by scipy's L-BFGS-B: two multipliers of one sign for each interval."""
    from scipy.optimize import minimize

    n_lines = len(reduced.values)
    above, below = np.isfinite(reduced.lower), np.isfinite(reduced.upper)
    lower, upper = np.where(above, reduced.lower, 0.0), np.where(below, reduced.upper, 0.0)
    problem = reduced.cells, reduced.weights

    def value(both: np.ndarray) -> tuple[float, np.ndarray]:
        up, down = both[:n_lines], both[n_lines:]
        found, shares = spread(*problem, reduced.closed, up + down)
        sums = line_sums(*problem, shares)
        return (found - up @ lower - down @ upper) / n_rows, np.concatenate(
            [sums - lower, sums - upper]
        ) / n_rows

    bounds = [(0, None if ok else 0) for ok in above] + [(None if ok else 0, 0) for ok in below]
    solved = minimize(
        value, np.zeros(2 * n_lines), jac=True, method="L-BFGS-B", bounds=bounds,
        options={"maxiter": 100_000, "maxfun": 200_000, "ftol": 0.0, "gtol": 1e-6, "maxcor": 30},
    )  # fmt: skip
    return spread(*problem, reduced.closed, solved.x[:n_lines] + solved.x[n_lines:])[1]


def clarabel(reduced: Reduced, n_rows: int) -> np.ndarray:
    """The primal by cvxpy with the interior-point solver Clarabel."""
    import cvxpy

    from tacit.methods.disclose.solve.linear import program_of

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
    *,
    bound: float | None = 0.1,
) -> None:
    """Time a peer, and measure the residual of its answer."""
    signal.signal(signal.SIGVTALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_VIRTUAL, PEER_SECONDS)
    started = process_time()
    shown = {
        "area": "disclose",
        "what": problem.strip(),
        "size": f"{n_rows:,} rows",
        "cpu": seconds,
        "peer": name,
        "bound": bound,
    }
    try:
        shares = solve(reduced, n_rows)
    except TimeoutError:
        print(
            f"{problem:<28}{name:<24}{f'> {PEER_SECONDS}':>9}{'–':>11}{f'> {PEER_SECONDS / seconds:.0f}':>8}"
        )
        record(Row(**shown, peer_cpu=PEER_SECONDS, peer_stopped=True))
        return
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    taken = process_time() - started
    sums = line_sums(reduced.cells, reduced.weights, shares)
    violation = np.maximum(reduced.lower - sums, sums - reduced.upper).max(initial=0.0) / n_rows
    row(problem, name, taken, float(violation), seconds)
    record(Row(**shown, peer_cpu=taken, quality=f"residual of the peer {float(violation):.1e}"))


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
    if sys.argv[1:2] == ["--hospital"]:
        print(json.dumps(hospital_once(int(sys.argv[2]))))
    else:
        main(quick="--quick" in sys.argv, slow="--slow" in sys.argv)
