"""Hiding patterns: the text's experiment with sliding windows beside it, disguise, and speed.

Run ``python benchmarks/hide.py``; ``--quick`` takes a fifth of the data and fewer settings, ``--large``
adds five million transactions, ``--table`` leaves out what the table of ``make bench`` does not hold.
Times are CPU seconds of one run on one machine, to be read as ratios. The experiment is that of
``papers.hiding_experiment``, which ``python -m papers hiding`` draws.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from table import MEMORY, Row, Taken, best, record, record_slope

import tacit
from papers.hiding_experiment import (
    CERTIFIED,
    CERTIFIED_LIMIT,
    CONFIDENCES,
    EXACT,
    EXACT_LIMIT,
    PAPER,
    SWA,
    SWA_LARGEST,
    Configuration,
    Outcome,
    Setting,
    Subject,
    choose_seeds,
    compare,
    experiment,
    public_subjects,
    text_settings,
    text_subject,
)
from tacit.engine.local.engine import LocalEngine
from tacit.methods.hide.apply import carry_out
from tacit.methods.hide.solve.patterns import Pattern, Secret
from tacit.methods.hide.solve.solve import Plan, Wish, solve
from tacit.mining.mine import mine_transactions
from tacit.random.key import Key

DATA = Path(os.environ.get("TACIT_DATA") or Path(__file__).parents[2] / "shared" / "data")
CONFIGURATIONS = (CERTIFIED, CERTIFIED_LIMIT, EXACT, EXACT_LIMIT, SWA, SWA_LARGEST)


def show_experiment(
    data: Subject, *, quick: bool, configurations: Sequence[Configuration] = CONFIGURATIONS
) -> dict[tuple[str, str], tuple[int, int]]:
    """The figures 4 to 6 of the text as a table; by pair of configurations, settings won and settings."""
    sizes = f"{len(data.transactions):,} transactions, least support {data.least}"
    print(f"\n{data.name}: {sizes}, {len(data.itemsets):,} frequent patterns of two and more items")
    outcomes: list[Outcome] = []
    last = None
    for one in experiment(data, text_settings(quick=quick), configurations):
        if one.setting != last:
            reached = one.risks.sensitive / len(data.itemsets)
            print(f" RS {one.setting.share} (reached {reached:.4f})  RL2 {one.setting.pair_share}")
            last = one.setting
        print(line(one))
        outcomes.append(one)
    scores = {}
    for ours in (EXACT, EXACT_LIMIT):
        for theirs in (SWA, SWA_LARGEST):
            found = compare(outcomes, ours, theirs)
            won = sum(match.won for match in found)
            scores[ours.name, theirs.name] = (won, len(found))
            lost = "; ".join(str(match) for match in found if not match.won)
            print(
                f"  {ours.name} against {theirs.name}: fewer misses on {won} of {len(found)} settings", end=""
            )
            print(f"; not on {lost}" if lost else "")
    return scores


def line(one: Outcome) -> str:
    """An outcome in one line."""
    figures = (
        f"HF {one.risks.hiding_failure:6.4f}  weakness {one.risks.weakness:6.4f}  "
        f"MC {one.utility.misses_cost:6.4f}  Dis {one.utility.dissimilarity:7.5f}  "
        f"AP {one.utility.artificial_patterns:g}  {one.seconds:6.3f} s"
    )
    return f"  {one.name:<24}  {figures}"


def show_confidence(data: Subject, *, quick: bool) -> None:
    """Figure 3 of the text: what the confidence does, on first draws."""
    print(f"\n{data.name}: the confidence, at RS 0.1 and RL2 0.7, first draws")
    for confidence in CONFIDENCES[:: 3 if quick else 1]:
        print(f" C {confidence}")
        setting = Setting(confidence=confidence)
        for one in experiment(data, [setting], [PAPER, CERTIFIED_LIMIT, CERTIFIED, SWA]):
            print(line(one))
            if confidence == max(CONFIDENCES):
                record_failure(data, one)


def record_failure(data: Subject, one: Outcome) -> None:
    """Hiding failure and weakness at the largest confidence: near 0 is asked of ours."""
    ours = one.name == CERTIFIED.name
    record(
        Row(
            area="hide",
            what=f"{data.name} at confidence {one.setting.confidence}: {one.name}",
            size=f"{len(data.transactions):,} transactions",
            cpu=one.seconds,
            figure="hiding failure",
            value=one.risks.hiding_failure,
            bound=0.005 if ours else None,
            quality=f"weakness {one.risks.weakness:.4f}, misses cost {one.utility.misses_cost:.4f}, "
            f"dissimilarity {one.utility.dissimilarity:.5f}, "
            f"artificial patterns {one.utility.artificial_patterns:g}",
        )
    )


def record_scores(scores: Sequence[dict[tuple[str, str], tuple[int, int]]]) -> None:
    """Over all data sets, the share of settings with fewer misses at no more hiding failure."""
    print("\nOver all data sets, settings with fewer misses at no more hiding failure:")
    for ours, theirs in scores[0]:
        won, among = (sum(score[ours, theirs][place] for score in scores) for place in (0, 1))
        print(f"  {ours} against {theirs}: {won} of {among} ({won / among:.0%})")
        record(
            Row(
                area="hide",
                what=f"{ours}: fewer misses at no more hiding failure",
                size=f"{among} settings",
                peer=theirs,
                figure="share of settings",
                value=won / among,
                bound=0.8,
                at_least=True,
                quality=f"{won} of {among}; exceptions are printed by benchmarks/hide.py",
            )
        )


def show_disguise() -> None:
    """Every frequent pair or triple of BMS-WebView-1 at 300 hidden by itself: where it ends up."""
    if not (DATA / "BMS-WebView-1.dat").is_file():
        print("\nBMS-WebView-1 is not here; set TACIT_DATA to its folder.")
        return
    visits = tacit.read_transactions(DATA / "BMS-WebView-1.dat")
    print("\nDisguise on BMS-WebView-1 at 300: ranks among the candidates, of each pattern hidden alone")
    patterns = mine_transactions(visits, min_support=300, min_length=2, threads=1)
    for policy, targets in (("exact", "drawn"), ("certified", "drawn"), ("exact", "limit")):
        ranks, residual_ranks, never = [], [], 0
        for number in range(len(patterns)):
            release = tacit.hide(
                visits,
                patterns=[patterns[number]],
                min_support=300,
                policy=policy,
                targets=targets,
                key=Key.from_seed(number),
            )
            found = release.risk().disguise
            assert found is not None
            for attacker, shares in (("support", ranks), ("residual", residual_ranks)):
                place = found.patterns.places[attacker][0]
                shares.append(((place or 1) - 1) / max(1, found.patterns.candidates))
            never += found.never
        shown = [
            " / ".join(f"{rank:.3f}" for rank in np.percentile(values, [5, 50, 95]))
            for values in (ranks, residual_ranks)
        ]
        print(
            f"  {policy}, {targets}: by support {shown[0]}, by residual {shown[1]} (5, 50, 95 %); "
            f"never occurring: {never}"
        )
        asked = (policy, targets) == ("exact", "drawn")
        record(
            Row(
                area="hide",
                what=f"disguise on BMS-WebView-1 at 300, {policy}, {targets}",
                size=f"{len(visits):,} transactions",
                figure="median rank among candidates",
                value=float(np.median(ranks)),
                bound=0.05 if asked else None,
                at_least=True,
                quality=f"{len(patterns)} patterns, each hidden alone; never occurring afterwards: {never}",
            )
        )


def show_speed(*, quick: bool) -> None:
    """Solve and apply against reading the file, and how both grow."""
    print("\nSpeed at RS 0.1: CPU seconds, best of three")
    sizes = (5_000, 10_000, 20_000) if quick else (25_000, 50_000, 100_000)
    applied = []
    for size in sizes:
        data = text_subject(size)
        seeds = choose_seeds(data.itemsets, Setting())
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "quest.dat"
            tacit.write_transactions(data.transactions, path)
            reading = best(lambda path=path: tacit.read_transactions(path))
        for policy in ("certified", "exact"):
            solving, applying = solve_and_apply(data, seeds, policy)
            ratio = (solving.cpu + applying.cpu) / reading.cpu
            print(
                f"  {size:>7,} transactions, {policy:<9}: reading {reading.cpu:.4f}, "
                f"solve {solving.cpu:.4f}, apply {applying.cpu:.4f}; both are {ratio:.2f} times reading"
            )
            record(
                Row(
                    area="hide",
                    what=f"solve and apply at RS 0.1, {policy}",
                    size=f"{size:,} transactions",
                    cpu=solving.cpu + applying.cpu,
                    wall=solving.wall + applying.wall,
                    peer="reading the file",
                    peer_cpu=reading.cpu,
                    bound=3.0 if size == 100_000 else None,
                )
            )
            if policy == "certified":
                applied.append(applying.cpu)
    slope = record_slope("hide", "apply, certified", sizes, applied, 1.1)
    print(f"  slope of apply (1 is linear): {slope:.2f}")


def solve_and_apply(data: Subject, seeds: list[Pattern], policy: str) -> tuple[Taken, Taken]:
    """The time of both."""
    key = Key.from_seed(1)
    wish = Wish(data.least, Fraction(data.least), Fraction(95, 100), policy=policy)
    sanitizer = LocalEngine().sanitizer(data.transactions, key)

    def solving() -> Plan:
        secret = Secret(tuple(seeds))
        return solve(secret, data.itemsets, data.transactions.supports, sanitizer, key, wish)

    plan = solving()

    def applying() -> object:
        fresh = LocalEngine().sanitizer(data.transactions, key)  # digests are part of applying
        return fresh.rows(carry_out(plan, fresh).removed)

    return best(solving), best(applying)


def show_large() -> None:
    """Five million transactions through the command, in a process of their own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.dat"
        code = (
            "from tacit.io.samples.quest import quest\nimport tacit, sys\n"
            "tacit.write_transactions(quest(5_000_000, pattern_length=6, patterns=500), sys.argv[1])\n"
        )
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        print(f"\nFive million transactions, a file of {path.stat().st_size / 1e6:,.0f} MB")
        code = (
            "import resource, sys, time, tacit\nfrom tacit.random.key import Key\n"
            "start = time.process_time()\nbaskets = tacit.read_transactions(sys.argv[1])\n"
            "read = time.process_time()\n"
            "pairs = tacit.mine_itemsets(baskets, min_support=0.02, min_length=2, max_length=2)\n"
            "release = tacit.hide(baskets, patterns=[pairs[0], pairs[len(pairs) // 2]], min_support=0.02,\n"
            "                     key=Key.from_seed(1))\n"
            "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
            "took = {name: round(value, 2) for name, value in release.seconds.items()}\n"
            "print(f'  reading {read - start:.1f} s;', took, f'peak {peak:,.0f} MB,',\n"
            "      f'hiding failure {release.risk().hiding_failure}')\n"
            "print(peak)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True
        )
        told, peak = done.stdout.splitlines()
        print(told)
        record(
            Row(
                area="hide",
                what="read, mine pairs and hide two of them, certified",
                size="5,000,000 transactions",
                peak_mb=float(peak),
                figure=MEMORY,
                value=float(peak),
                bound=2048.0,
                quality=told.strip(),
            )
        )


def main() -> None:
    """Everything, or a fifth of it."""
    parser = argparse.ArgumentParser(description="Hiding patterns: the text's experiment, disguise, speed.")
    parser.add_argument("--quick", action="store_true", help="a fifth of the data and fewer settings")
    parser.add_argument("--large", action="store_true", help="five million transactions as well")
    parser.add_argument("--table", action="store_true", help="only what the table of make bench holds")
    given = parser.parse_args()
    data = text_subject(20_000 if given.quick else 100_000)
    used = (EXACT, EXACT_LIMIT, SWA, SWA_LARGEST) if given.table else CONFIGURATIONS
    scores = [show_experiment(data, quick=given.quick, configurations=used)]
    show_confidence(data, quick=given.quick)
    others = list(public_subjects(DATA))
    if not others:
        print("\nNo published data set is here; set TACIT_DATA to their folder.")
    scores += [show_experiment(other, quick=given.quick, configurations=used) for other in others]
    record_scores(scores)
    show_disguise()
    show_speed(quick=given.quick)
    if given.large:
        show_large()
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
