"""Hiding patterns: the text's experiment with sliding windows beside it, disguise, and speed.

Run ``python benchmarks/hide.py``; ``--quick`` takes a fifth of the data and fewer settings, ``--large``
adds five million transactions. Times are CPU seconds of one run on one machine, to be read as ratios.

The experiment is that of Wang, Lee and Lin [1], section 4.2: transactions of the Quest generator (T15,
1,000 items), 1 % support; seeds of two and three items are drawn until the sensitive patterns, their
frequent supersets included, are the share RS of all frequent patterns, and the share RL2 of the sensitive
ones has grown from seeds of two items. Sliding windows (Oliveira and Zaïane 2003) run with the text's
disclosure threshold of 0.1 and windows of 5,000, and with the largest threshold that hides everything,
which serves them better. They are given the seeds alone: given all supersets they would do more harm.

[1] E. T. Wang, G. Lee, Y. T. Lin. A Novel Method for Protecting Sensitive Knowledge in Association Rules
    Mining. COMPSAC 2005.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np

import tacit
from tacit.data.samples.quest import quest
from tacit.data.transactions import Transactions
from tacit.engine.local import LocalEngine
from tacit.hiding.apply import carry_out, one_draw, published_transactions
from tacit.hiding.patterns import Pattern, Secret, sensitive_mask
from tacit.hiding.plan import Plan
from tacit.hiding.solve import Wish, solve
from tacit.judge.hiding import Found, HidingRisks, HidingUtility, as_named, judge_hiding, measure_hiding
from tacit.kernels.key import Key
from tacit.mining.itemsets import Itemsets
from tacit.mining.transactions import mine_transactions
from tacit.parameters import support_count

CONFIGURATIONS: dict[str, dict[str, object]] = {
    "certified": {"policy": "certified"},
    "certified, at the limit": {"policy": "certified", "targets": "limit"},
    "exact": {"policy": "exact"},
    "exact, at the limit": {"policy": "exact", "targets": "limit"},
    "paper": {"policy": "paper"},
    "swa, disclosure 0.1": {"method": "swa", "disclosure": Fraction(1, 10)},
    "swa, largest disclosure": {"method": "swa"},
}
SHARES = (0.02, 0.04, 0.06, 0.08, 0.10)
PAIR_SHARES = (0.38, 0.54, 0.7, 0.85, 1.0)
CONFIDENCES = ("0.1", "0.3", "0.5", "0.7", "0.9", "0.95")


@dataclass(frozen=True)
class Setting:
    """What is hidden where: RS and RL2 asked for, the confidence, and which draw of seeds."""

    share: float = 0.1
    pair_share: float = 0.7
    confidence: str = "0.95"
    seed: int = 1


@dataclass(frozen=True)
class Outcome:
    """One setting under one configuration, on the first draw."""

    setting: Setting
    name: str
    risks: HidingRisks
    utility: HidingUtility
    seconds: float

    def line(self) -> str:
        figures = (
            f"HF {self.risks.hiding_failure:6.4f}  weakness {self.risks.weakness:6.4f}  "
            f"MC {self.utility.misses_cost:6.4f}  Dis {self.utility.dissimilarity:7.5f}  "
            f"AP {self.utility.artificial_patterns:g}  {self.seconds:6.3f} s"
        )
        return f"  {self.name:<24}  {figures}"


@dataclass(frozen=True, eq=False)
class Subject:
    """Transactions with everything frequent in them."""

    name: str
    transactions: Transactions
    least: int
    itemsets: Itemsets


def subject(name: str, transactions: Transactions, min_support: str) -> Subject:
    """Mine once for all settings."""
    least = support_count(Decimal(min_support), len(transactions))
    itemsets = mine_transactions(transactions, min_support=least, min_length=2, threads=1)
    return Subject(name, transactions, least, itemsets)


def text_subject(transactions: int = 100_000) -> Subject:
    """Quest transactions with about as many frequent patterns as the text has."""
    return subject("Quest T15", quest(transactions, pattern_length=8, patterns=400), "0.01")


def public_subjects() -> Iterator[Subject]:
    """The published data sets, where they are at hand."""
    folder = Path(os.environ.get("TACIT_DATA") or Path(__file__).parents[2] / "shared" / "data")
    for name, file, support in (
        ("T10I4D100K", "T10I4D100K.dat", "0.002"),
        ("BMS-WebView-1", "BMS-WebView-1.dat", "0.001"),
        ("Groceries", "groceries/Groceries.dat", "0.003"),
    ):
        if (folder / file).is_file():
            yield subject(name, tacit.read_transactions(folder / file), support)
        else:
            print(f"{name} is not here; set TACIT_DATA to its folder.")


def choose_seeds(itemsets: Itemsets, setting: Setting) -> list[Pattern]:
    """Seeds of two, then of three items, until the shares are reached; none that overshoots by much."""
    generator = np.random.default_rng(setting.seed)
    chosen: list[Pattern] = []
    covered = np.zeros(len(itemsets), dtype=bool)
    goal = setting.share * len(itemsets)
    for length, wanted in ((2, goal * setting.pair_share), (3, goal)):
        matrix, _, places = itemsets.of_length(length)
        for row in generator.permutation(len(matrix)):
            if covered.sum() >= 0.98 * wanted:
                break
            if covered[places[row]]:
                continue
            seed = tuple(matrix[row].tolist())
            with_it = covered | sensitive_mask(itemsets, [seed])
            if with_it.sum() <= 1.05 * wanted + 1:
                covered = with_it
                chosen.append(seed)
    return chosen


def outcome(data: Subject, setting: Setting, name: str, seeds: list[Pattern]) -> Outcome:
    """Hide the seeds once, on the first draw, and judge what comes out."""
    key = Key.from_seed(setting.seed)
    sanitizer = LocalEngine().sanitizer(data.transactions, key)
    wish = Wish(
        least=data.least,
        bound=Fraction(data.least),
        confidence=Fraction(setting.confidence),
        **CONFIGURATIONS[name],  # type: ignore[arg-type]
    )
    started = time.process_time()
    plan = solve(Secret(tuple(seeds)), data.itemsets, data.transactions.supports, sanitizer, key, wish)
    removed = one_draw(plan, sanitizer, key, label=0)
    seconds = time.process_time() - started
    published, _ = published_transactions(data.transactions, sanitizer.rows(removed))
    found = Found.mined(published, data.least)
    sensitive = plan.frequent.sensitive
    named = as_named(data.itemsets, seeds)
    return Outcome(
        setting,
        name,
        judge_hiding(published, found, data.itemsets, sensitive, named=named, least=data.least),
        measure_hiding(published, data.transactions, found, data.itemsets, sensitive),
        seconds,
    )


def experiment(data: Subject, settings: list[Setting], names: list[str]) -> Iterator[Outcome]:
    """Every setting under every configuration."""
    for setting in settings:
        seeds = choose_seeds(data.itemsets, setting)
        for name in names:
            yield outcome(data, setting, name, seeds)


def text_settings(*, quick: bool) -> list[Setting]:
    """RS varied at RL2 = 0.7, RL2 varied at RS = 0.1."""
    shares = SHARES[::2] if quick else SHARES
    pair_shares = PAIR_SHARES[::2] if quick else PAIR_SHARES
    settings = [Setting(share=share) for share in shares]
    return settings + [Setting(pair_share=pair_share) for pair_share in pair_shares if pair_share != 0.7]


def compare(outcomes: list[Outcome], ours: str, theirs: str) -> tuple[int, int, str]:
    """On how many settings of how many ours loses fewer patterns without failing more; a line on it."""
    by_key = {(one.setting, one.name): one for one in outcomes}
    settings = list(dict.fromkeys(one.setting for one in outcomes))
    exceptions = []
    for setting in settings:
        one, other = by_key[setting, ours], by_key[setting, theirs]
        no_worse = one.risks.hiding_failure <= other.risks.hiding_failure
        if not (no_worse and one.utility.misses_cost < other.utility.misses_cost):
            exceptions.append(
                f"RS {setting.share} RL2 {setting.pair_share} "
                f"(MC {one.utility.misses_cost:.4f} against {other.utility.misses_cost:.4f})"
            )
    won = len(settings) - len(exceptions)
    text = f"  {ours} against {theirs}: fewer misses on {won} of {len(settings)} settings"
    return won, len(settings), text + ("; not on " + "; ".join(exceptions) if exceptions else "")


def show_experiment(data: Subject, *, quick: bool) -> dict[tuple[str, str], tuple[int, int]]:
    """The figures 4 to 6 of the text as a table; by pair of configurations, settings won and settings."""
    sizes = f"{len(data.transactions):,} transactions, least support {data.least}"
    print(f"\n{data.name}: {sizes}, {len(data.itemsets):,} frequent patterns of two and more items")
    names = [name for name in CONFIGURATIONS if name != "paper"]
    outcomes: list[Outcome] = []
    last = None
    for one in experiment(data, text_settings(quick=quick), names):
        if one.setting != last:
            reached = one.risks.sensitive / len(data.itemsets)
            print(f" RS {one.setting.share} (reached {reached:.4f})  RL2 {one.setting.pair_share}")
            last = one.setting
        print(one.line())
        outcomes.append(one)
    scores = {}
    for ours in ("exact", "exact, at the limit"):
        for theirs in ("swa, disclosure 0.1", "swa, largest disclosure"):
            *scores[ours, theirs], line = compare(outcomes, ours, theirs)
            print(line)
    return {pair: (won, among) for pair, (won, among) in scores.items()}


def show_confidence(data: Subject, *, quick: bool) -> None:
    """Figure 3 of the text: what the confidence does, on first draws."""
    print(f"\n{data.name}: the confidence, at RS 0.1 and RL2 0.7, first draws")
    for confidence in CONFIDENCES[:: 3 if quick else 1]:
        print(f" C {confidence}")
        setting = Setting(confidence=confidence)
        for one in experiment(data, [setting], ["paper", "certified, at the limit", "certified"]):
            print(one.line())


def show_disguise() -> None:
    """Every frequent pair or triple of BMS-WebView-1 at 300 hidden by itself: where it ends up."""
    folder = Path(os.environ.get("TACIT_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not (folder / "BMS-WebView-1.dat").is_file():
        print("\nBMS-WebView-1 is not here; set TACIT_DATA to its folder.")
        return
    visits = tacit.read_transactions(folder / "BMS-WebView-1.dat")
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
            ranks.append(found.median_rank or 0.0)
            residual_ranks.append(found.median_residual_rank or 0.0)
            never += found.never
        shown = [
            " / ".join(f"{rank:.3f}" for rank in np.percentile(values, [5, 50, 95]))
            for values in (ranks, residual_ranks)
        ]
        print(
            f"  {policy}, {targets}: by support {shown[0]}, by residual {shown[1]} (5, 50, 95 %); "
            f"never occurring: {never}"
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
            ratio = (solving + applying) / reading
            print(
                f"  {size:>7,} transactions, {policy:<9}: reading {reading:.4f}, solve {solving:.4f}, "
                f"apply {applying:.4f}; solve + apply is {ratio:.2f} times reading"
            )
            if policy == "certified":
                applied.append(applying)
    slope = np.polyfit(np.log(sizes), np.log(applied), 1)[0]
    print(f"  slope of apply (1 is linear): {slope:.2f}")


def solve_and_apply(data: Subject, seeds: list[Pattern], policy: str) -> tuple[float, float]:
    """The CPU seconds of both."""
    key = Key.from_seed(1)
    wish = Wish(data.least, Fraction(data.least), Fraction(95, 100), policy=policy)
    sanitizer = LocalEngine().sanitizer(data.transactions, key)

    def solving() -> Plan:
        secret = Secret(tuple(seeds))
        return solve(secret, data.itemsets, data.transactions.supports, sanitizer, key, wish)

    plan = solving()

    def applying() -> object:
        fresh = LocalEngine().sanitizer(data.transactions, key)  # digests are part of applying
        return fresh.rows(carry_out(plan, fresh, key).removed)

    return best(solving), best(applying)


def show_large() -> None:
    """Five million transactions through the command, in a process of their own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.dat"
        code = (
            "from tacit.data.samples.quest import quest\nimport tacit, sys\n"
            "tacit.write_transactions(quest(5_000_000, pattern_length=6, patterns=500), sys.argv[1])\n"
        )
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)
        print(f"\nFive million transactions, a file of {path.stat().st_size / 1e6:,.0f} MB")
        code = (
            "import resource, sys, time, tacit\nfrom tacit.kernels.key import Key\n"
            "start = time.process_time()\nbaskets = tacit.read_transactions(sys.argv[1])\n"
            "read = time.process_time()\n"
            "pairs = tacit.mine_itemsets(baskets, min_support=0.02, min_length=2, max_length=2)\n"
            "release = tacit.hide(baskets, patterns=[pairs[0], pairs[len(pairs) // 2]], min_support=0.02,\n"
            "                     key=Key.from_seed(1))\n"
            "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
            "took = {name: round(value, 2) for name, value in release.seconds.items()}\n"
            "print(f'  reading {read - start:.1f} s;', took, f'peak {peak:,.0f} MB,',\n"
            "      f'hiding failure {release.risk().hiding_failure}')\n"
        )
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def best(work: Callable[[], object]) -> float:
    """The CPU seconds of the fastest of three runs, after one that compiles."""
    work()
    seconds = []
    for _ in range(3):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return max(min(seconds), 1e-9)


def main() -> None:
    """Everything, or a fifth of it."""
    parser = argparse.ArgumentParser(description="Hiding patterns: the text's experiment, disguise, speed.")
    parser.add_argument("--quick", action="store_true", help="a fifth of the data and fewer settings")
    parser.add_argument("--large", action="store_true", help="five million transactions as well")
    given = parser.parse_args()
    data = text_subject(20_000 if given.quick else 100_000)
    scores = [show_experiment(data, quick=given.quick)]
    show_confidence(data, quick=given.quick)
    scores += [show_experiment(other, quick=given.quick) for other in public_subjects()]
    print("\nOver all data sets, settings with fewer misses at no more hiding failure:")
    for ours, theirs in scores[0]:
        won, among = (sum(score[ours, theirs][place] for score in scores) for place in (0, 1))
        print(f"  {ours} against {theirs}: {won} of {among} ({won / among:.0%})")
    show_disguise()
    show_speed(quick=given.quick)
    if given.large:
        show_large()
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
