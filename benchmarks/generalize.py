"""k^m-anonymity: loss and CPU time on click-streams, the exact optimum, scale and memory.

    python benchmarks/generalize.py [--quick]

CPU seconds are those of this process, all threads, the best of several runs, after the kernels have
been compiled; reading is not part of them. NCP is the loss, lower is better. The other tools' figures
were measured once on a quiet machine of this kind, in wall seconds: the ``transactions`` branch of ARX
and Amnesia 1.4, both with k = 5 and the same hierarchy (fan-out 5 over the sorted item ids).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from time import process_time
from unittest.mock import patch

import numpy as np
from table import MEMORY, SECONDS, Row, record, record_slope

from papers.km_experiment import best_of, reduced, with_fanout
from tacit.data.transactions import Transactions, from_pairs
from tacit.engine import sets as local_coreset
from tacit.errors import InputError
from tacit.io.samples.public import webview
from tacit.io.samples.quest import quest
from tacit.methods.generalize_sets.solve.plan import Plan
from tacit.methods.generalize_sets.solve.solve import planned
from tacit.methods.generalize_sets.solve.suppress import blockers

# The public data sets: in $TACIT_DATA, or in shared/data beside the repository.
os.environ.setdefault("TACIT_DATA", str(Path(__file__).resolve().parents[2] / "shared" / "data"))

OTHERS = {  # (data, m): NCP and seconds of the ARX branch, of Amnesia
    (1, 2): ((0.0448, 2.9), (0.0400, 8.6)),
    (1, 3): ((0.1081, 2.8), (0.1081, 9.1)),
    (2, 2): ((0.0203, 15.6), (0.0206, 171.0)),
    (2, 3): ((0.0373, 19.3), None),
}
LARGEST = {(1, 2): (0.0270, 0.2), (1, 3): (0.1081, 0.2), (2, 2): (0.0192, 0.8), (2, 3): (0.0358, 1.0)}
"""(data, m): the NCP and the CPU seconds asked for."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave the large data out")
    parser.add_argument("--one", nargs=4, metavar=("KIND", "RECORDS", "K", "M"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(scaled(given.one[0], *map(int, given.one[1:]))))
        return
    try:
        clicks = {number: with_fanout(webview(number), 5) for number in (1, 2)}
    except InputError as error:
        print(f"The click-streams are left out: {error}")
    else:
        click_streams(clicks)
        small_domains(clicks[2])
    for kind in ("webview", "quest"):
        scale(kind, [16_112, 32_225, 64_450] if given.quick else [128_900, 257_799, 515_597], 3)
    if not given.quick:
        scale("webview", [5_000_000], 2)


def click_streams(clicks: dict[int, Transactions]) -> None:
    """The four settings in which other tools were measured."""
    print("Click-streams, k = 5 (seconds are CPU seconds of Tacit, wall seconds of the others)")
    print("WebView  m   NCP     s      optimum  s      ARX     s      Amnesia  s")
    for (number, m), (arx, amnesia) in OTHERS.items():
        data = clicks[number]
        plan, seconds = best_of(5, lambda data=data, m=m: planned(data, k=5, m=m))
        exact, exact_seconds = best_of(1, lambda data=data, m=m: planned(data, k=5, m=m, algorithm="optimal"))
        told = "–        –" if amnesia is None else f"{amnesia[0]:.4f}   {amnesia[1]:.1f}"
        print(
            f"{number}        {m}   {plan.ncp:.4f}  {seconds:.3f}  {exact.ncp:.4f}{_proof(exact)}"
            f"  {exact_seconds:<5.2f}  {arx[0]:.4f}  {arx[1]:<5.1f}  {told}"
        )
        for found in blockers(data, plan):
            print(f"             {found}")
        others = f"ARX branch {arx[0]:.4f} in {arx[1]} s"
        others += "" if amnesia is None else f", Amnesia {amnesia[0]:.4f} in {amnesia[1]} s"
        proof = "the proven optimum" if exact.proven else "the best found by the exact search, not proven"
        shown = {
            "area": "generalize",
            "what": f"WebView-{number}, k = 5, m = {m}",
            "size": f"{len(data):,} records",
            "cpu": seconds,
        }
        quality = f"{exact.ncp:.4f} is {proof}; quoted, quiet machine, wall: {others}"
        most_ncp, most_seconds = LARGEST[number, m]
        # What was asked for has four decimals, and so has what is compared with it.
        record(Row(**shown, figure="NCP", value=round(plan.ncp, 4), bound=most_ncp, quality=quality))
        record(Row(**shown, figure=SECONDS, value=seconds, bound=most_seconds))


def small_domains(clicks: Transactions) -> None:
    """The paper's setting for its optimal algorithm, which stopped at 60 items."""
    print("\nWebView-2, 10,000 records, items modulo the domain, k = 100, m = 3, fan-out 4")
    print("items  optimum  s      apriori  s")
    for items in (40, 60, 200, 1000):
        data = reduced(clicks, records=10_000, items=items)
        exact, exact_seconds = best_of(3, lambda data=data: planned(data, k=100, m=3, algorithm="optimal"))
        plan, seconds = best_of(3, lambda data=data: planned(data, k=100, m=3))
        print(
            f"{items:<5}  {exact.ncp:.4f}{_proof(exact)}  {exact_seconds:<5.2f}"
            f"  {plan.ncp:.4f}   {seconds:.3f}"
        )
        shown = {
            "area": "generalize",
            "what": f"WebView-2 reduced to {items} items, k = 100, m = 3",
            "size": f"{len(data):,} records",
        }
        if exact.proven and exact.ncp:
            record(
                Row(
                    **shown,
                    cpu=seconds,
                    figure="NCP ÷ the optimum",
                    value=plan.ncp / exact.ncp,
                    bound=1.01 if items == 40 else None,
                    quality=f"{plan.ncp:.4f} against {exact.ncp:.4f}",
                )
            )
        record(
            Row(
                **{**shown, "what": f"exact search, {shown['what']}"},
                cpu=exact_seconds,
                figure=SECONDS,
                value=exact_seconds,
                bound=60.0 if items == 60 else None,
                quality="proven" if exact.proven else "stopped before the proof",
            )
        )


def scale(kind: str, sizes: list[int], m: int) -> None:
    """Several sizes of one kind of data, each in a process of its own for its peak of memory.

    First with k = 5 whatever the size, then with k in proportion to the records: the cut then stays about as
    coarse as it is, and the seconds show how the same work grows with the records.
    """
    for k_of in (lambda _: 5, lambda size: max(2, round(5 * size / 515_597))):
        if len(sizes) > 1 or k_of(sizes[0]) == 5:
            _scale(kind, sizes, [k_of(size) for size in sizes], m)


def _scale(kind: str, sizes: list[int], ks: list[int], m: int) -> None:
    print(f"\n{kind}-like data, 1,657 items, m = {m}")
    print("records    k    average  longest  NCP     s       data MB  peak MB")
    spent = []
    for size, k in zip(sizes, ks, strict=True):
        command = [sys.executable, str(Path(__file__)), "--one", kind, str(size), str(k), str(m)]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        spent.append(found["seconds"])
        print(
            f"{size:<10,} {k:<4} {found['average']:<8.2f} {found['longest']:<8} {found['ncp']:.4f}"
            f"  {found['seconds']:<7.2f} {found['data_mb']:<8.0f} {found['peak_mb']:.0f}"
        )
        shown = {
            "area": "generalize",
            "what": f"{kind}-like data, 1,657 items, k = {k}, m = {m}",
            "size": f"{size:,} records",
            "cpu": found["seconds"],
            "peak_mb": found["peak_mb"],
            "quality": f"NCP {found['ncp']:.4f}",
        }
        if size >= 500_000 and k == 5:
            large = size > 1_000_000
            if not large:
                record(Row(**shown, figure=SECONDS, value=found["seconds"], bound=60.0))
            record(Row(**shown, figure=MEMORY, value=found["peak_mb"], bound=4096.0 if large else 2048.0))
    if len(sizes) > 1:
        told = "k in proportion" if len(set(ks)) > 1 else f"k = {ks[0]}"
        slope = record_slope("generalize", f"{kind}-like data, m = {m}, {told}", sizes, spent, 1.1)
        print(f"seconds grow with the power {slope:.2f} of the records")


def scaled(kind: str, records: int, k: int, m: int) -> dict[str, float]:
    """One size: the figures of one run, kernels compiled before."""
    warm = with_fanout(webview_like(2000, 100), 5)
    planned(warm, k=5, m=m)
    with patch.object(local_coreset, "LARGE", 0):  # the way of many records has kernels of its own
        planned(warm, k=5, m=m)
    data = webview_like(records) if kind == "webview" else quest(records, items=1657, average_length=6.5)
    data = with_fanout(data, 5)
    start = process_time()
    plan = planned(data, k=k, m=m)
    return {
        "seconds": process_time() - start,
        "ncp": plan.ncp,
        "average": float(data.lengths.mean()),
        "longest": int(data.lengths.max()),
        "data_mb": (data.items.nbytes + data.indptr.nbytes) / 2**20,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
    }


def webview_like(records: int, items: int = 1657, *, longest: int = 164, seed: int = 0) -> Transactions:
    """Records shaped like click-streams: few popular items, a home category each, a long tail of lengths."""
    random = np.random.default_rng(seed)
    lengths = np.minimum(longest, np.ceil(random.lognormal(1.47, 1.12, records))).astype(np.int64)
    popularity = random.permutation(1 / (np.arange(items) + 8.0))
    ends = np.concatenate([[0.0], np.cumsum(popularity)])
    category = 40
    starts = np.arange(0, items, category)
    weights = np.add.reduceat(popularity, starts)
    home = starts[random.choice(len(starts), records, p=weights / weights.sum())]
    owners = np.repeat(np.arange(records), lengths)
    at_home = random.random(len(owners)) < 0.7
    low = np.where(at_home, ends[home[owners]], 0.0)
    high = np.where(at_home, ends[np.minimum(items, home[owners] + category)], ends[-1])
    codes = np.searchsorted(ends, low + random.random(len(owners)) * (high - low), side="right") - 1
    # A few visitors look at very much, without a home.
    crawlers = [
        random.choice(items, min(longest, items), replace=False) for _ in range(max(1, records // 100_000))
    ]
    owners = np.concatenate([owners, *(np.full(len(crawl), place) for place, crawl in enumerate(crawlers))])
    keep = owners >= len(crawlers)
    keep[-sum(map(len, crawlers)) :] = True
    codes = np.concatenate([np.minimum(codes, items - 1), *crawlers])
    return from_pairs(
        owners[keep], codes[keep].astype(np.int32), records, [str(item) for item in range(items)]
    )


def _proof(plan: Plan) -> str:
    return "=" if plan.proven else "?"


if __name__ == "__main__":
    main()
